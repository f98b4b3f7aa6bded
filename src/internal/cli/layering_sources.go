package cli

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/base"
	"github.com/dovetail-store/dovetail/src/layering/krm"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// readLayered reads the documents of files and directories.
func (s *session) readLayered(ctx context.Context, names []string) ([]*rendering.Document, error) {
	return s.layeredFiles(ctx).read(names)
}

// layeredFiles are the files of documents that were read, each once.
type layeredFiles struct {
	s       *session
	ctx     context.Context      // of the run
	known   map[string]*krm.File // by their absolute names
	files   map[string]*krm.File // by the names that positions have
	instead map[string][]byte    // texts in place of those of files, by the same names
	ofBase  map[*krm.File]string // the base that a file is of
}

func (s *session) layeredFiles(ctx context.Context) *layeredFiles {
	return &layeredFiles{s: s, ctx: ctx, known: make(map[string]*krm.File), files: make(map[string]*krm.File), ofBase: make(map[*krm.File]string)}
}

// read reads the documents of files and directories, and of the files that a Layering among them names. What is wrong with the format
// of any of them is reported together. Without a store, a document that is a duplicate is a fault of the input, as is a text that is
// no YAML.
func (l *layeredFiles) read(names []string) ([]*rendering.Document, error) {
	files, err := expand(names, isLayeredFile)
	if err != nil {
		return nil, err
	}
	all := make([]*krm.File, len(files))
	for i, name := range files {
		if all[i], err = l.file(name); err != nil {
			return nil, err
		}
	}
	var errs dovetail.Errors
	documents, err := krm.ReadAll(all, l)
	if err != nil {
		errs.Add(asFormat(parts(err))...)
		errs.Count(dovetail.AsError(err).Omitted())
	}
	if errs.Total() == 0 {
		duplicates := rendering.Duplicates(documents)
		errs.Add(asFormat(duplicates.Kept())...)
		errs.Count(duplicates.Omitted())
	}
	return documents, errs.Err("the documents are refused")
}

func (l *layeredFiles) file(name string) (*krm.File, error) {
	whole := name
	if name != "-" {
		whole = wholeName(name)
	}
	if f := l.known[whole]; f != nil {
		return f, nil
	}
	f := &krm.File{Name: positionName(name)}
	var err error
	if f.Text = l.instead[f.Name]; f.Text == nil {
		if f.Text, err = l.s.readInput(name); err != nil {
			return nil, err
		}
	}
	if err := l.s.parseLayered(f); err != nil {
		return nil, err
	}
	l.known[whole], l.files[f.Name] = f, f
	return f, nil
}

// Open reads a file that another one names, relative to itself. What is named in a base is in the base.
func (l *layeredFiles) Open(from *krm.File, name string) (*krm.File, error) {
	if filepath.IsAbs(name) || strings.Contains(name, "\\") || name == "-" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "it is no relative name with slashes", Remedy: "name it as it is seen from the file of the entry"}
	}
	of, isBase := l.ofBase[from]
	if !isBase {
		return l.file(filepath.Join(filepath.Dir(from.Name), filepath.FromSlash(name)))
	}
	whole := baseFile(of, path.Join(path.Dir(strings.TrimPrefix(from.Name, of+":")), name))
	if f := l.known[whole]; f != nil {
		return f, nil
	}
	return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the base " + of + " does not have it", Remedy: "name it as it is seen from the file of the entry"}
}

// baseFile is what positions call a file of a base.
func baseFile(base, path string) string { return base + ":" + path }

// Base reads the files of a base that a Layering names, as the lock file beside it says.
func (l *layeredFiles) Base(from *krm.File, b krm.Base) ([]*krm.File, error) {
	if of, isBase := l.ofBase[from]; isBase {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "it is named in the base " + of, Remedy: "name it in your own Layering, whose lock file has all bases"}
	}
	lock, err := l.s.readLock(from.Name)
	if err != nil {
		return nil, err
	}
	locked, err := lock.Find(base.Source(b))
	if err != nil {
		return nil, err
	}
	read, err := l.s.bases().Read(l.ctx, locked)
	if err != nil {
		return nil, err
	}
	var files []*krm.File
	for _, file := range read {
		f := &krm.File{Name: baseFile(b.Name, file.Path), Text: file.Data}
		if isLayeredFile(file.Path) {
			if err := l.s.parseLayered(f); err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		l.known[f.Name], l.ofBase[f] = f, b.Name
	}
	return files, nil
}

// bases reads bases, and keeps them in the cache of the user.
func (s *session) bases() base.Reader {
	dir := s.env("XDG_CACHE_HOME")
	if home := s.env("HOME"); dir == "" && home != "" {
		dir = filepath.Join(home, ".cache")
	}
	if dir == "" {
		return base.Reader{}
	}
	return base.Reader{Cache: filepath.Join(dir, "dovetail")}
}

// lockOf is the lock file for a file with a Layering.
func lockOf(name string) string { return filepath.Join(filepath.Dir(name), base.LockName) }

// readLock reads the lock file beside a file, which may be missing.
func (s *session) readLock(name string) (base.Lock, error) {
	file := lockOf(name)
	text, err := os.ReadFile(file) //nolint:gosec // beside a file that the user names
	if os.IsNotExist(err) {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there is no lock file " + file, Remedy: "run dovetail layering lock"}
	}
	if err != nil {
		return nil, unreadable(file, err)
	}
	return base.ParseLock(file, text)
}
