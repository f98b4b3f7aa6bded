package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// renderedList is the file in a directory of rendered documents that lists the others, so that those of documents that are no
// longer rendered can be removed, and no others.
const renderedList = ".dovetail-rendered"

// writeRendered writes each document to a file of its own below a directory, named by schema and name, and removes those that it
// wrote before and that are no longer rendered.
func (o *layeringRenderOptions) writeRendered(s *session, documents []*rendering.Rendered) error {
	if err := o.outside(); err != nil {
		return err
	}
	before, err := o.listed()
	if err != nil {
		return err
	}
	files := make(map[string]*rendering.Rendered, len(documents))
	for _, r := range documents {
		name := renderedFile(r.ID, s.output)
		if other := files[name]; other != nil {
			return &dovetail.Error{Code: dovetail.CodeConflict, Message: fmt.Sprintf("%s and %s would be the same file %s", other.ID, r.ID, name), Remedy: "render without --output-dir"}
		}
		files[name] = r
	}
	names := sortedKeys(files)
	// Files that are only listed are no harm, but those that are not would stay for ever.
	if err := o.list(slices.Concat(before, names)); err != nil {
		return err
	}
	for _, name := range names {
		r := files[name]
		whole := r.Whole(o.data(r))
		text := yaml.Marshal(whole)
		if s.output == formatJSON {
			text = append(indentJSON(whole.JSON()), '\n')
		}
		if err := writeChanged(filepath.Join(o.outputDir, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	removed := 0
	for _, name := range before {
		if files[name] != nil {
			continue
		}
		if err := removeFile(o.outputDir, name); err != nil {
			return err
		}
		removed++
	}
	if err := o.list(names); err != nil {
		return err
	}
	text := fmt.Sprintf("%s written to %s", count(len(names), "file"), o.outputDir)
	if removed > 0 {
		text += fmt.Sprintf(", %d removed", removed)
	}
	fmt.Fprintln(s.Out, text)
	return nil
}

// outside refuses a directory whose files would be read as documents the next time.
func (o *layeringRenderOptions) outside() error {
	for _, name := range o.files {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			continue
		}
		if way, err := filepath.Rel(wholeName(name), wholeName(o.outputDir)); err == nil && way != ".." && !strings.HasPrefix(way, ".."+string(filepath.Separator)) {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the output directory " + o.outputDir + " is in " + name + ", whose files are the documents",
				Remedy: "write to a directory beside it"}
		}
	}
	return nil
}

// renderedFile is the file of a document, with slashes: objects of a namespace are in a folder. What not all file systems take in a name is escaped, as in URLs.
func renderedFile(id rendering.ID, as format) string {
	var b strings.Builder
	nested := !strings.Contains("/"+id.Name+"/", "//")
	for i := range len(id.Name) {
		c := id.Name[i]
		if c == '/' && nested || c == '-' || c == '_' || c == '.' && i > 0 && id.Name[i-1] != '/' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	ext := ".yaml"
	if as == formatJSON {
		ext = ".json"
	}
	return id.Schema + "/" + b.String() + ext
}

// listed are the files that were written before.
func (o *layeringRenderOptions) listed() ([]string, error) {
	name := filepath.Join(o.outputDir, renderedList)
	text, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	files := strings.Fields(string(text))
	for _, file := range files {
		if !filepath.IsLocal(filepath.FromSlash(file)) {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: name + " lists " + file + ", which is not below the directory",
				Remedy: "remove the line; the file is written by dovetail only"}
		}
	}
	return files, nil
}

func (o *layeringRenderOptions) list(files []string) error {
	slices.Sort(files)
	text := strings.Join(slices.Compact(files), "\n") + "\n"
	return writeChanged(filepath.Join(o.outputDir, renderedList), []byte(text))
}

// writeChanged writes a file that only its user can read, since it may hold secrets, unless it has the text.
func writeChanged(name string, text []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		return unwritable(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return unwritable(err)
	}
	return nil
}

// removeFile removes a file below a folder, which may be gone, and the folders that are empty then.
func removeFile(folder, name string) error {
	file := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return unwritable(err)
	}
	for parent := filepath.Dir(file); parent != filepath.Clean(folder) && os.Remove(parent) == nil; {
		parent = filepath.Dir(parent)
	}
	return nil
}
