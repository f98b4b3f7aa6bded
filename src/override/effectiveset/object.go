package effectiveset

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// object is a file of the repository.
type object struct {
	file string
	data *value.Value
	over []*Overlay
}

// at is the place of one of its values.
func (o *object) at(v *value.Value) dovetail.Position {
	if v == nil {
		return dovetail.Position{File: o.file}
	}
	return v.In(o.file)
}

// atName is the place of its name, or its own if it has none.
func (o *object) atName() dovetail.Position {
	if name := o.data.Get("name"); name != nil {
		return o.at(name)
	}
	return o.at(o.data)
}

func missing(name, why string) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeNotFound, Position: dovetail.Position{File: name}, Message: "it does not exist, and " + why, Remedy: "add the file"}
}

func invalid(at dovetail.Position, format string, args ...any) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: fmt.Sprintf(format, args...)}
}

// The endings of YAML files. The first counts where there is a file with each.
const (
	shortYAML = ".yml"
	otherYAML = ".yaml"
)

// object reads a file whose name ends in .yml or .yaml; nil if there is none.
func (c *calculation) object(name string) (*object, error) {
	o, err := c.file(name + shortYAML)
	if o != nil || err != nil {
		return o, err
	}
	return c.file(name + otherYAML)
}

// chosen is object, and notes a file with the other ending, too.
func (c *calculation) chosen(name string) (*object, error) {
	o, err := c.object(name)
	if o != nil && o.file == name+shortYAML && c.has(name+otherYAML) {
		c.twice(name)
	}
	return o, err
}

// has reports whether there is a file.
func (c *calculation) has(name string) bool {
	if err := c.links.follow(name); err != nil {
		tellOnce(&c.unread, err)
		return false
	}
	_, err := fs.Stat(c.Repo, name)
	return err == nil
}

// twice notes that there is a file with each ending.
func (c *calculation) twice(name string) {
	c.find(FileTwice, dovetail.Position{File: name + otherYAML}, name+shortYAML+" stands for the same object, and counts")
}

// file reads a file that is a map; nil if there is none.
func (c *calculation) file(name string) (*object, error) {
	if c.shared == nil {
		data, err := c.parse(name)
		return objectOf(name, data), err
	}
	read, known := c.shared.files[name]
	if !known {
		read.data, read.err = c.parse(name)
		c.shared.files[name] = read
	}
	return objectOf(name, read.data), read.err
}

func objectOf(name string, data *value.Value) *object {
	if data == nil {
		return nil
	}
	return &object{file: name, data: data}
}

// reasonOf is why a file cannot be read, without its path.
func reasonOf(err error) string {
	if failed := new(fs.PathError); errors.As(err, &failed) {
		return failed.Err.Error()
	}
	return err.Error()
}

func unreadable(name string, err error) *dovetail.Error {
	if !utf8.ValidString(name) {
		e := invalid(dovetail.Position{File: name}, "it cannot be read: its name is not UTF-8")
		e.Remedy = "rename it"
		return e
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: "it cannot be read: " + reasonOf(err), Err: err}
}

// parse reads a file that is a map; nil if there is none.
func (c *calculation) parse(name string) (*value.Value, error) {
	if err := c.links.follow(name); err != nil {
		return nil, err
	}
	text, err := fs.ReadFile(c.Repo, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	values, hidden, err := yaml.ParseJava(name, text, value.Limits{})
	own := strings.HasPrefix(name, path.Join("environments", c.Cluster, c.Name)+"/") || !strings.HasPrefix(name, "environments/")
	for _, at := range hidden {
		if !own { // of which nothing but the name counts
			break
		}
		c.find(DuplicateKey, at, "the key is there once more below, and the value here has no effect")
	}
	switch {
	case err != nil:
		return nil, err
	case len(values) == 0:
		return &value.Value{Kind: value.Map, Place: value.At(1, 1)}, nil
	case len(values) > 1:
		return nil, invalid(values[1].In(name), "a second document begins here, and the file is one map")
	case values[0].Kind != value.Map:
		return nil, invalid(values[0].In(name), "it is a %s, not a map", values[0].Kind)
	}
	if own {
		for _, line := range yaml.EmptyDocuments(text) {
			c.find(DocumentEmpty, dovetail.Position{File: name, Line: line}, "a document without content begins here, and a program that wants one document refuses the file")
		}
	}
	return values[0], nil
}

// isFileName reports whether a name can be that of a folder or file of the set, and leads nowhere else.
func isFileName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\\x00")
}

// noFileName refuses a name, which files of the set would have.
func noFileName(what, name string, at dovetail.Position) *dovetail.Error {
	err := invalid(at, "the %s %q cannot have files: its name would be that of a folder", what, shortened(name))
	err.Remedy = "give it a name that is not empty, no dots alone, and has no slashes"
	return err
}

// stemOf is the name of a YAML file without its end, "" for other files.
func stemOf(name string) string {
	for _, end := range []string{shortYAML, otherYAML} {
		if stem, found := strings.CutSuffix(name, end); found {
			return stem
		}
	}
	return ""
}

// names are those of the files and folders in a folder, sorted; none where it is not there.
func (c *calculation) names(folder string) []string { return c.list(folder, false) }

// folders are the names of the folders in a folder, sorted; none where it is not there.
func (c *calculation) folders(folder string) []string { return c.list(folder, true) }

// list lists a folder. What cannot be listed is told as read is.
func (c *calculation) list(folder string, onlyFolders bool) []string {
	if err := c.links.follow(folder); err != nil {
		tellOnce(&c.unread, err)
		return nil
	}
	entries, err := fs.ReadDir(c.Repo, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		tellOnce(&c.unread, unreadable(folder, err))
	}
	var names []string
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		c.links.listed(name, e)
		if !onlyFolders || e.IsDir() || e.Type()&fs.ModeSymlink != 0 && c.leadsToFolder(name) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}

// leadsToFolder reports whether a symbolic link leads to a folder, or nowhere, which is told of one that is read.
func (c *calculation) leadsToFolder(name string) bool {
	info, err := fs.Stat(c.Repo, name)
	return err != nil || info.IsDir()
}

// text is a scalar as text, "" for null and for what is not there.
func text(v *value.Value) string {
	if v == nil {
		return ""
	}
	switch v.Kind {
	case value.String, value.Number, value.Bool:
		return v.Text
	case value.Null, value.List, value.Map:
	}
	return ""
}

// isTrue reports whether a value is true, also as text.
func isTrue(v *value.Value) bool { return strings.EqualFold(text(v), "true") }

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// items are those of a list, none of anything else.
func items(v *value.Value) []*value.Value {
	if v == nil {
		return nil
	}
	return v.Items
}
