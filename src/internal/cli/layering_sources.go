package cli

import (
	"path/filepath"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/krm"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// readLayered reads the documents of files and directories.
func (s *session) readLayered(names []string) ([]*rendering.Document, error) {
	return s.layeredFiles().read(names)
}

// layeredFiles are the files of documents that were read, each once.
type layeredFiles struct {
	s       *session
	known   map[string]*krm.File // by their absolute names
	files   map[string]*krm.File // by the names that positions have
	instead map[string][]byte    // texts in place of those of files, by the same names
}

func (s *session) layeredFiles() *layeredFiles {
	return &layeredFiles{s: s, known: make(map[string]*krm.File), files: make(map[string]*krm.File)}
}

// read reads the documents of files and directories, and of the files that a Layering among them names. What is wrong with the format
// of any of them is reported together. Without a store, a document that is a duplicate is a fault of the input, as is a text that is
// no YAML.
func (l *layeredFiles) read(names []string) ([]*rendering.Document, error) {
	files, err := expand(names, isManifestFile)
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
	documents, err := krm.ReadAll(all, l.open)
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
	f.Values, f.Err = parseFile(name, f.Text)
	l.known[whole], l.files[f.Name] = f, f
	return f, nil
}

// open reads a file that another one names, relative to itself.
func (l *layeredFiles) open(from *krm.File, name string) (*krm.File, error) {
	if filepath.IsAbs(name) || strings.Contains(name, "\\") || name == "-" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "it is no relative name with slashes", Remedy: "name it as it is seen from the file of the entry"}
	}
	return l.file(filepath.Join(filepath.Dir(from.Name), filepath.FromSlash(name)))
}
