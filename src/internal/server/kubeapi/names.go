package kubeapi

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/schema"
)

// Names are what clients of the Kubernetes API call the kinds of a model, and their documents.
type Names struct {
	types  []Type
	kinds  map[string]*resource // by the name of the kind in the ref-schema
	groups []string
}

// NewNames returns those of a model.
func NewNames(model *schema.Model) Names {
	c := newCatalog(model)
	n := Names{kinds: c.kinds}
	for _, r := range c.resources() {
		n.types = append(n.types, Type{r})
	}
	for _, g := range c.groups {
		n.groups = append(n.groups, g.name)
	}
	return n
}

// Groups are the API groups of the kinds, sorted.
func (n Names) Groups() []string { return n.groups }

// Of returns the type of a kind, by its name in the ref-schema.
func (n Names) Of(kind string) (t Type, known bool) {
	r, known := n.kinds[kind]
	return Type{r}, known
}

// Types are all of them, sorted by their plurals and groups.
func (n Names) Types() []Type { return n.types }

// Find returns the type that a text means as kubectl reads it: a plural, a singular, a kind or a short name, in any case, and after that,
// where several groups have it, the group or the version and the group, as in "environments.v1.inventory.dovetail.dev".
func (n Names) Find(text string) (Type, error) {
	name, group, _ := strings.Cut(strings.ToLower(text), ".")
	if after, versioned := strings.CutPrefix(group, version+"."); versioned {
		group = after
	}
	found := n.in(name, func(of string) bool { return group == "" || of == group })
	if len(found) == 0 { // kubectl knows a group by how it begins, too
		found = n.in(name, func(of string) bool { return strings.HasPrefix(of, group) })
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Type{}, n.unknown(text, name)
	}
	var full []string
	for _, t := range found {
		full = append(full, t.r.definitionName())
	}
	return Type{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "several groups have the type " + text, Remedy: "write " + strings.Join(full, " or ")}
}

// in returns the types with a name in the groups.
func (n Names) in(name string, group func(of string) bool) []Type {
	var found []Type
	for _, t := range n.types {
		if group(t.r.group) && slices.Contains(t.names(), name) {
			found = append(found, t)
		}
	}
	return found
}

// unknown says that no document is of a type.
func (n Names) unknown(text, name string) error {
	switch {
	case slices.Contains(namesOf(coreResources[0].Name, coreResources[0].SingularName, coreResources[0].ShortNames), name):
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "a namespace is not one document: it is the key of those that others can be below",
			Remedy: "name such a document by its own type, of those that `kubectl api-resources` lists"}
	case slices.Contains(namesOf(definitionResource.Name, definitionResource.SingularName, definitionResource.ShortNames), name):
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the definition of a resource is no document: the ref-schema defines kinds", Remedy: "`kubectl explain TYPE` explains one"}
	}
	var all []string
	for _, t := range n.types {
		all = append(all, t.names()...)
	}
	err := notServed("the type "+text, suggest.Nearest(name, all))
	e := dovetail.AsError(err)
	e.Code = dovetail.CodeInvalid
	return e
}

// Type is a kind as the Kubernetes API calls it. Only Names makes them.
type Type struct{ r *resource }

// names are all that kubectl calls it, in lower case.
func (t Type) names() []string {
	return append(namesOf(t.r.plural, t.r.singular, t.r.shortNames()), strings.ToLower(t.r.kind))
}

func namesOf(plural, singular string, short []string) []string {
	return append([]string{plural, singular}, short...)
}

// Plural is the name of the resource, without its group.
func (t Type) Plural() string { return t.r.plural }

// Group is the API group.
func (t Type) Group() string { return t.r.group }

// Kind is the kind in the ref-schema.
func (t Type) Kind() *schema.Kind { return t.r.of }

// Namespaced reports whether its objects are in namespaces.
func (t Type) Namespaced() bool { return t.r.namespaced() }

// Under is the id that the documents of a namespace are below.
func (t Type) Under(namespace string) (dovetail.ID, error) {
	if !t.Namespaced() {
		return "", nil
	}
	return t.r.under(namespace)
}

// ID is that of the document with a name in a namespace, which matters to types in namespaces only.
func (t Type) ID(namespace, name string) (dovetail.ID, error) { return t.r.id(namespace, name) }

// Place is the namespace and the name of a document of the type.
func (t Type) Place(id dovetail.ID) (namespace, name string) { return t.r.place(id) }
