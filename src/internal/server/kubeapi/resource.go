package kubeapi

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/schema"
)

const (
	// domain is that of all API groups. Kinds that say whose they are have a group of their own below it.
	domain = "dovetail.dev"
	// version is that of all API groups.
	version = "v1"
)

// catalog are the resources of a model. It is immutable, and safe for concurrent use.
type catalog struct {
	model  *schema.Model
	groups []*group
	kinds  map[string]*resource // by the name of the kind in the ref-schema
	// binary is OpenAPI 2 in protobuf, made when it is first asked for: it takes long, and kubectl asks in each apply.
	binary func() ([]byte, error)
}

// group is an API group.
type group struct {
	name      string
	resources []*resource // sorted by plural
}

// resource is a kind as the Kubernetes API calls it.
type resource struct {
	group, kind      string // "inventory.dovetail.dev", "DeployPostfix"
	plural, singular string // "deploypostfixes"
	of               *schema.Kind
	outer            int // how many elements of the key its namespace has; 0 for what is cluster-scoped
}

func newCatalog(model *schema.Model) *catalog {
	c := &catalog{model: model, kinds: make(map[string]*resource)}
	byName := make(map[string]*group)
	for _, kind := range model.Kinds() {
		if kind.Abstract {
			continue
		}
		name := groupOf(kind.Service)
		if byName[name] == nil {
			byName[name] = &group{name: name}
			c.groups = append(c.groups, byName[name])
		}
		r := &resource{group: name, kind: pascal(kind.Name), plural: kind.Plural(), singular: strings.ToLower(kind.Name), of: kind,
			outer: len(kind.Elements) - len(kind.Own)}
		byName[name].resources = append(byName[name].resources, r)
		c.kinds[kind.Name] = r
	}
	slices.SortFunc(c.groups, func(a, b *group) int { return strings.Compare(a.name, b.name) })
	for _, g := range c.groups {
		slices.SortFunc(g.resources, func(a, b *resource) int { return strings.Compare(a.plural, b.plural) })
	}
	c.binary = sync.OnceValues(c.openAPI2Binary)
	return c
}

// groupOf is the group of the kinds of a service.
func groupOf(service string) string {
	label := strings.Trim(strings.Map(func(r rune) rune {
		switch r = unicode.ToLower(r); {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return '-'
	}, service), "-")
	if label == "" {
		return domain
	}
	return label + "." + domain
}

// pascal is a name with a capital at its beginning.
func pascal(name string) string {
	runes := []rune(name)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}

func (c *catalog) group(name string) (*group, error) {
	var names []string
	for _, g := range c.groups {
		if g.name == name {
			return g, nil
		}
		names = append(names, g.name)
	}
	return nil, notServed("the API group "+name, suggest.Nearest(name, names))
}

// resource finds one by its plural.
func (c *catalog) resource(groupName, of, plural string) (*resource, error) {
	g, err := c.group(groupName)
	if err != nil {
		return nil, err
	}
	if of != version {
		return nil, notServed("the version "+of+" of "+groupName, version)
	}
	var names []string
	for _, r := range g.resources {
		if r.plural == plural {
			return r, nil
		}
		names = append(names, r.plural)
	}
	return nil, notServed("the resource "+plural+" of "+groupName, suggest.Nearest(plural, names))
}

func notServed(what, near string) error {
	err := &dovetail.Error{Code: dovetail.CodeNotFound, Message: what + " is not served", Remedy: "kubectl api-resources lists what is"}
	if near != "" {
		err.Remedy = "did you mean " + near + "?"
	}
	return err
}

func (r *resource) namespaced() bool { return r.outer > 0 }

func (r *resource) apiVersion() string { return r.group + "/" + version }

// under is the id that the documents of a namespace are below.
func (r *resource) under(namespace string) (dovetail.ID, error) {
	return r.join("", r.of.Elements[:r.outer], namespace, "namespace of "+r.plural)
}

// id is that of the document with a name in a namespace.
func (r *resource) id(namespace, name string) (dovetail.ID, error) {
	under := dovetail.ID("")
	if r.namespaced() {
		var err error
		if under, err = r.under(namespace); err != nil {
			return "", err
		}
	}
	return r.join(under, r.of.Elements[r.outer:], name, "name of "+r.plural)
}

// join lays the elements that a segment gives below an id.
func (r *resource) join(id dovetail.ID, elements []string, segment, what string) (dovetail.ID, error) {
	values, err := splitSegment(segment)
	if err != nil {
		return "", err
	}
	if len(values) != len(elements) {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: "\"" + segment + "\" is no " + what, Remedy: "write it as " + strings.Join(elements, ":")}
	}
	for i, text := range values {
		if why := dovetail.CheckValue(text); why != "" {
			return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the " + elements[i] + " in the " + what + " " + why}
		}
		id = id.Child(elements[i], text)
	}
	return id, nil
}

// place is the namespace and the name of a document.
func (r *resource) place(id dovetail.ID) (namespace, name string) {
	key := id.Key()
	values := make([]string, len(key))
	for i, e := range key {
		values[i] = e.Value
	}
	outer := min(r.outer, len(values))
	return joinSegment(values[:outer]), joinSegment(values[outer:])
}

// shortNames are other names of a resource: the name of its kind in the ref-schema, where that is not the singular.
func (r *resource) shortNames() []string {
	var names []string
	for _, own := range r.of.Own {
		if name := strings.ToLower(own); name != r.singular && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return names
}
