package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Description is everything that the schema says about a kind, to be shown to users.
type Description struct {
	Name         string                 `json:"name"`
	Entry        string                 `json:"entry"`
	Description  string                 `json:"description,omitempty"`
	Service      string                 `json:"service,omitempty"`
	Abstract     bool                   `json:"abstract,omitempty"`
	Managed      bool                   `json:"managed,omitempty"`
	Strict       bool                   `json:"strict,omitempty"`
	Defaults     bool                   `json:"defaults,omitempty"` // those of the schema are filled in on writes
	Sensitive    *SensitiveDescription  `json:"sensitive,omitempty"`
	Inputs       []string               `json:"inputs,omitempty"`  // kinds that its documents are made of
	History      string                 `json:"history,omitempty"` // how much of the history of its documents is kept, where that has a limit of its own
	Unique       []UniqueDescription    `json:"unique,omitempty"`
	Columns      []Column               `json:"columns,omitempty"`
	Immutable    []string               `json:"immutable,omitempty"` // paths of values that cannot change after creation
	Rules        []RuleDescription      `json:"rules,omitempty"`     // conditions in CEL that the documents fulfil
	Index        []Path                 `json:"index,omitzero"`      // the paths whose values are indexed; where the schema does not say, labels are
	Queries      []QueryDescription     `json:"queries,omitempty"`
	Key          []string               `json:"key"` // elements from the root on
	KeyID        string                 `json:"keyId"`
	Parent       string                 `json:"parent,omitempty"`
	Children     []string               `json:"children,omitempty"`
	References   []ReferenceDescription `json:"references,omitempty"`
	ReferencedBy []string               `json:"referencedBy,omitempty"`
	Collections  []RouteDescription     `json:"collections,omitempty"`
	Actions      []ActionDescription    `json:"actions,omitempty"`
	Lifecycle    *LifecycleDescription  `json:"lifecycle,omitempty"`
	Content      []ContentDescription   `json:"content,omitempty"`
	Schema       json.RawMessage        `json:"schema,omitempty"`
	DefinedAt    string                 `json:"definedAt"` // file:line:column
}

// SensitiveDescription says which of the data is secret: all of it, or the values at some paths.
type SensitiveDescription struct {
	Whole bool     `json:"whole,omitempty"`
	Paths []string `json:"paths,omitempty"`
}

// UniqueDescription is one constraint on values that no two documents share.
type UniqueDescription struct {
	Paths  []string `json:"paths"`            // that are compared together
	Within string   `json:"within,omitempty"` // the key element below which they are unique; all without one
}

// QueryDescription is a parameter of the URLs of collections that selects documents: those that have the value at a path, in
// their own key, or as the name of a child.
type QueryDescription struct {
	Name     string `json:"name"`
	Selector string `json:"selector,omitempty"`
	Element  string `json:"element,omitempty"`
	Child    string `json:"child,omitempty"`
}

// ReferenceDescription is one rule by which a kind refers to others.
type ReferenceDescription struct {
	To        []string          `json:"to"`
	Sentence  string            `json:"sentence"`           // what the rule does, in words
	At        string            `json:"at,omitempty"`       // the path of its slot; absent where it looks anywhere in spec
	Map       map[string]string `json:"map,omitempty"`      // with at, by element the member that holds it, where it is another
	Fixed     map[string]string `json:"fixed,omitempty"`    // by element of the target's key, its fixed value
	Common    []string          `json:"common,omitempty"`   // elements of the target's key that are always those of the document
	Except    []string          `json:"except,omitempty"`   // values of the target's last element that are no reference
	Required  bool              `json:"required,omitempty"` // there is at least one reference
	Min       int               `json:"min,omitempty"`
	Max       int               `json:"max,omitempty"`
	Exclusive bool              `json:"exclusive,omitempty"` // a target has at most one referrer of the kind
	Weak      bool              `json:"weak,omitempty"`      // the target may be missing
}

// RouteDescription is one place where a kind is served.
type RouteDescription struct {
	Path    string            `json:"path"`
	Item    string            `json:"item"`
	Alias   string            `json:"alias,omitempty"`
	Fixed   map[string]string `json:"fixed,omitempty"`
	Methods map[string]int    `json:"methods,omitempty"`
}

// ActionDescription is one action of a kind's items.
type ActionDescription struct {
	Path   string `json:"path"`
	Method string `json:"method"`
	Code   int    `json:"code"`
}

// ContentDescription is one file part of a kind.
type ContentDescription struct {
	Name     string `json:"name"`
	Required bool   `json:"required,omitempty"`
	Multiple bool   `json:"multiple,omitempty"`
}

// Describe returns what the schema says of the kind.
func (k *Kind) Describe() Description {
	d := Description{
		Name: k.Name, Entry: k.Entry, Description: k.Description, Service: k.Service, Abstract: k.Abstract, Managed: k.Managed, Strict: k.Strict, Defaults: k.Defaults, Inputs: k.Inputs,
		Key: k.Elements, KeyID: k.KeyID, Children: kindNames(k.Children), ReferencedBy: kindNames(k.ReferencedBy),
		Columns: k.Columns, Schema: k.DataSchema(), DefinedAt: k.Position.String(),
	}
	if k.Sensitive.Any() {
		d.Sensitive = &SensitiveDescription{Whole: k.Sensitive.Whole, Paths: k.Sensitive.Places()}
	}
	if k.History != (History{}) {
		d.History = k.History.String()
	}
	for _, u := range k.Unique {
		d.Unique = append(d.Unique, UniqueDescription{Paths: u.names(), Within: u.Within})
	}
	d.Immutable = pathNames(k.Immutable)
	d.Rules = describeRules(k)
	if indexMeaningOf(k) != (indexMeaning{}) {
		d.Index = k.indexes
	}
	for _, q := range k.Queries {
		one := QueryDescription{Name: q.Name, Selector: q.Selector.String(), Element: q.Element}
		if q.Child != nil {
			one.Child = q.Child.Name
		}
		d.Queries = append(d.Queries, one)
	}
	if k.Parent != nil {
		d.Parent = k.Parent.Name
	}
	d.References = describeReferences(k.References)
	for _, r := range k.routes {
		d.Collections = append(d.Collections, RouteDescription{Path: r.Path, Item: r.Item, Alias: r.Collection.Alias,
			Fixed: r.Fixed, Methods: r.Collection.Methods})
	}
	for _, a := range k.Actions {
		d.Actions = append(d.Actions, ActionDescription(a))
	}
	d.Lifecycle = k.Lifecycle.describe()
	for _, c := range k.Content {
		d.Content = append(d.Content, ContentDescription(c))
	}
	return d
}

func describeReferences(rules []*Reference) []ReferenceDescription {
	var all []ReferenceDescription
	for _, r := range rules {
		all = append(all, ReferenceDescription{To: kindNames(r.To), Sentence: r.String(), At: r.Slot(), Map: r.Members,
			Fixed: r.FixedKv, Common: r.common, Except: slices.Concat(r.FilterKeys, r.Skip),
			Required: r.Required, Min: r.Min, Max: r.Max, Exclusive: r.Exclusive, Weak: r.Weak})
	}
	return all
}

func kindNames(kinds []*Kind) []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// String says in words what the rule does: `one app, named by "app" in spec`.
func (r *Reference) String() string {
	to := strings.Join(kindNames(r.To), " or ")
	var b strings.Builder
	switch {
	case !r.At.IsZero():
		b.WriteString(r.atSlot(to))
	case r.Type == typeMap:
		fmt.Fprintf(&b, "every %s that a member of spec.%s is called after", to, r.Map)
	case r.Type == typeMany:
		fmt.Fprintf(&b, "every %s named by %s in an object of spec", to, r.members())
	default:
		fmt.Fprintf(&b, "one %s, named by %s in spec", to, r.members())
	}
	for _, name := range slices.Sorted(maps.Keys(r.FixedKv)) {
		fmt.Fprintf(&b, ", with %s %s", name, r.FixedKv[name])
	}
	if skip := slices.Concat(r.FilterKeys, r.Skip); len(skip) > 0 {
		fmt.Fprintf(&b, ", except %s", enumerate(skip))
	}
	if len(r.common) > 0 {
		fmt.Fprintf(&b, ", with the same %s as the document", r.CommonKey)
	}
	b.WriteString(r.howMany())
	if r.Exclusive {
		b.WriteString("; at most one document refers to each target")
	}
	if r.Cascade {
		b.WriteString("; deleted together with it")
	}
	if r.Weak {
		b.WriteString("; not enforced")
	}
	return b.String()
}

// members are the JSON members that hold the names of the targets.
func (r *Reference) members() string {
	if r.Field != "" {
		return fmt.Sprintf("%q", r.Field)
	}
	var members []string
	for _, to := range r.To {
		members = append(members, fmt.Sprintf("%q", to.Elements[len(to.Elements)-1]))
	}
	return strings.Join(members, " or ")
}
