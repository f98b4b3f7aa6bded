package contexts

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// File is a file of contexts.
type File struct {
	Name string
	// Contexts are in the order of the file.
	Contexts []Context
	// Current is the name of the current context, "" if there is none. It may be one that does not exist.
	Current string

	text       []byte
	from, root *value.Value // as it was read, and as it is edited
}

// Parse reads a file of contexts:
//
//	current: prod
//	contexts:
//	  - name: prod
//	    server: https://dovetail.example.org
//	    tokenFile: /home/me/.config/dovetail/prod.token
//	    certificateAuthority: ca.pem
//	    changeSet: weekend
//	  - name: test
//	    server: https://test.example.org
//	    issuer: https://login.example.org
//	    clientId: dovetail
//
// An empty text has none. Errors, all together and with their places, have CodeInvalid.
func Parse(name string, text []byte) (*File, error) {
	values, err := yaml.Parse(name, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	f := &File{Name: name, text: text, from: value.NewMap()}
	if len(values) > 0 && values[0].Kind != value.Null {
		f.from = values[0]
	}
	d := &decode.Decoder{File: name, Complete: func(e *dovetail.Error) { e.Position.Path = "" }}
	if len(values) > 1 {
		d.Root(values[1], "the second document", "").Fail("put all contexts into one", "the file of contexts has one document")
	}
	if root := d.Root(f.from, "the file", ""); root.Map("contexts", "current") {
		f.Current = root.Get("current").OptionalText()
		for _, item := range root.Get("contexts").Items("a context") {
			c := read(item)
			if c.Name != "" && f.index(c.Name) >= 0 {
				item.Get("name").Fail("give one of them another name", "duplicate context %s", decode.Quote(c.Name))
			}
			f.Contexts = append(f.Contexts, c)
		}
	}
	if err := d.Err("the file of contexts is invalid"); err != nil {
		return nil, err
	}
	f.root = f.from.Clone()
	return f, nil
}

// Find returns the context of a name. The error, of CodeNotFound, names those that there are.
func (f *File) Find(name string) (Context, error) {
	if i := f.index(name); i >= 0 {
		return f.Contexts[i], nil
	}
	names := f.Names()
	remedy := "there are none; make it with `dovetail config set-context " + name + " --server URL`"
	if len(names) > 0 {
		remedy = "use " + strings.Join(names, ", ") + ", or make it with `dovetail config set-context " + name + " --server URL`"
	}
	if near := suggest.Nearest(name, names); near != "" {
		remedy = "did you mean " + near + "? Otherwise " + remedy
	}
	return Context{}, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no context " + decode.Quote(name) + " in " + f.Name, Remedy: remedy}
}

// Names are those of all contexts, in the order of the file.
func (f *File) Names() []string {
	names := make([]string, len(f.Contexts))
	for i, c := range f.Contexts {
		names[i] = c.Name
	}
	return names
}

func (f *File) index(name string) int {
	return slices.IndexFunc(f.Contexts, func(c Context) bool { return c.Name == name })
}

// Set adds a context, or replaces that of its name.
func (f *File) Set(c Context) {
	list := f.root.Get("contexts")
	if list == nil || list.Kind != value.List {
		list = value.NewList()
		f.root.Set("contexts", list)
	}
	i := f.index(c.Name)
	if i < 0 {
		f.Contexts = append(f.Contexts, c)
		list.Items = append(list.Items, c.Value(true))
		return
	}
	f.Contexts[i] = c
	for _, m := range c.members() {
		if *m.text == "" {
			list.Items[i].Delete(m.name)
		} else if text, _ := list.Items[i].Get(m.name).Str(); text != *m.text {
			list.Items[i].Set(m.name, value.NewString(*m.text))
		}
	}
}

// Delete removes a context, which is then no longer the current one.
func (f *File) Delete(name string) {
	i := f.index(name)
	if i < 0 {
		return
	}
	f.Contexts = slices.Delete(f.Contexts, i, i+1)
	list := f.root.Get("contexts")
	list.Items = slices.Delete(list.Items, i, i+1)
	if f.Current == name {
		f.Current = ""
		f.root.Delete("current")
	}
}

// Use makes a context the current one.
func (f *File) Use(name string) {
	f.Current = name
	f.root.Set("current", value.NewString(name))
}

// Text is the file as it was edited, with what was not edited as it was written.
func (f *File) Text() []byte { return yaml.Edit(f.text, f.from, f.root) }

// Value is what the file says. Redacted stands for tokens.
func (f *File) Value() *value.Value {
	list := value.NewList()
	for _, c := range f.Contexts {
		list.Items = append(list.Items, c.Value(false))
	}
	v := value.NewMap(value.Member{Name: "contexts", Value: list})
	if f.Current != "" {
		v.Set("current", value.NewString(f.Current))
	}
	return v
}
