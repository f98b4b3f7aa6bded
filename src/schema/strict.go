package schema

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/value"
)

// metadataNames are the members of metadata that every kind has by convention.
var metadataNames = []string{"name", "description", "labels", "annotations", "userData1", "userData2"}

// maxNamed is how many objects of a JSON Schema are looked into; what is beyond may hold anything.
const maxNamed = 10_000

// named says which members an object of a strict kind may have, and what its items are.
type named struct {
	any      bool // others, too
	stated   bool // the JSON Schema says which
	members  map[string]*named
	patterns []pattern
	others   *named // what members without a name are; nil if there is no such members
	items    *named // nil for anything
}

type pattern struct {
	name *regexp.Regexp
	of   *named
}

// member returns what is below a member, which is known from now on.
func (n *named) member(name string) *named {
	if n.members == nil {
		n.members = make(map[string]*named)
	}
	if n.members[name] == nil {
		n.members[name] = &named{}
	}
	return n.members[name]
}

// namer collects the names that a JSON Schema gives.
type namer struct {
	root  *value.Value
	above []string // the references that lead to the current place
	count int
}

// add adds what a schema says of the members of an object. Of alternatives, all of them are known.
func (b *namer) add(n *named, s *value.Value) {
	if b.count++; b.count > maxNamed {
		n.any = true
		return
	}
	for _, keyword := range s.Members {
		of := keyword.Value
		switch keyword.Name {
		case "properties":
			n.stated = true
			for _, m := range of.Members {
				b.add(n.member(m.Name), m.Value)
			}
		case "patternProperties":
			n.stated = true
			for _, m := range of.Members {
				name, err := regexp.Compile(m.Name)
				if err != nil { // which the JSON Schema does not compile with
					continue
				}
				p := pattern{name, &named{}}
				b.add(p.of, m.Value)
				n.patterns = append(n.patterns, p)
			}
		case "additionalProperties", "unevaluatedProperties":
			if n.stated = true; of.Kind != value.Bool || of.Text == "true" {
				if n.others == nil {
					n.others = &named{}
				}
				b.add(n.others, of)
			}
		case "allOf", "anyOf", "oneOf":
			for _, part := range of.Items {
				b.add(n, part)
			}
		case "if", "then", "else":
			b.add(n, of)
		case "dependentSchemas":
			for _, m := range of.Members {
				b.add(n, m.Value)
			}
		case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains":
			if n.items == nil {
				n.items = &named{}
			}
			if of.Kind != value.List {
				b.add(n.items, of)
			}
			for _, item := range of.Items {
				b.add(n.items, item)
			}
		case "$ref", "$dynamicRef", "$recursiveRef":
			b.follow(n, of.Text)
		}
	}
}

// follow adds what a reference leads to. One that leads back to itself may hold anything.
func (b *namer) follow(n *named, ref string) {
	target, found := b.root.Find(strings.TrimPrefix(ref, "#"))
	if !strings.HasPrefix(ref, "#") || !found || slices.Contains(b.above, ref) {
		n.any = true
		return
	}
	b.above = append(b.above, ref)
	b.add(n, target)
	b.above = b.above[:len(b.above)-1]
}

// open lets everything be in objects of which the JSON Schema says nothing.
func (n *named) open() {
	n.any = n.any || !n.stated
	for _, m := range n.members {
		m.open()
	}
	for _, p := range n.patterns {
		p.of.open()
	}
	if n.others != nil {
		n.others.open()
	}
	if n.items != nil {
		n.items.open()
	}
}

// namesOf collects all names that a document of the kind may use: of the convention, of the JSON
// Schema, and those that rules look for.
func namesOf(k *Kind, schema *value.Value) *named {
	root := &named{}
	if schema != nil {
		b := namer{root: schema}
		b.add(root, schema)
		for _, m := range root.members {
			m.open()
		}
		for _, p := range root.patterns {
			p.of.open()
		}
		if root.others != nil {
			root.others.open()
		}
	}
	metadata, spec := root.member("metadata"), root.member("spec")
	for _, name := range metadataNames {
		m := metadata.member(name)
		m.any = m.any || len(m.members) == 0
	}
	for _, name := range k.Own {
		root.member(name).any = true
		spec.member(name).any = true
	}
	for _, r := range k.References {
		if r.Map != "" {
			spec.member(r.Map).any = true
		}
		root.slot(r)
	}
	return root
}

// slot makes the way to the slot of a rule known, and the members that stand there.
func (n *named) slot(r *Reference) {
	if r.At.IsZero() {
		return
	}
	for _, s := range r.At.steps() {
		switch {
		case s.items && n.items == nil && n.others == nil:
			n.items = &named{}
			n.others = n.items
			n = n.items
		case s.items && n.items != nil:
			n = n.items
		case s.any:
			if n.others == nil {
				n.others = &named{}
			}
			n = n.others
		default:
			n = n.member(s.name)
		}
	}
	for _, to := range r.To {
		for _, element := range to.Elements {
			n.member(r.member(element)).any = true
		}
	}
}

// unknown reports the members of data that a strict kind does not know.
func (k *Kind) unknown(data *value.Value) (errs dovetail.Errors) {
	u := unknowns{kind: k, data: data, errs: &errs}
	u.check(data, k.names, false)
	return errs
}

type unknowns struct {
	kind *Kind
	data *value.Value
	at   []string
	errs *dovetail.Errors
}

// check reports what is unknown in a value; inSpec reports whether rules without a slot look here.
func (u *unknowns) check(v *value.Value, n *named, inSpec bool) {
	into := func(name string, v *value.Value, n *named) {
		u.at = append(u.at, name)
		u.check(v, n, inSpec || len(u.at) == 1 && name == "spec")
		u.at = u.at[:len(u.at)-1]
	}
	if n.items != nil {
		for i, item := range v.Items {
			into(strconv.Itoa(i), item, n.items)
		}
	}
	for i := range v.Members {
		m := &v.Members[i]
		below := n.of(m.Name)
		switch {
		case below != nil:
			into(m.Name, m.Value, below)
		case n.any, inSpec && u.kind.looksFor(m.Name):
		case u.errs.Full():
			u.errs.Count(1)
		default:
			var known []string
			for name := range n.members {
				known = append(known, name)
			}
			slices.Sort(known)
			remedy := "remove it, or name it in the schema of " + u.kind.Name
			if near := suggest.Nearest(m.Name, known); near != "" {
				remedy = "did you mean " + strconv.Quote(near) + "?"
			}
			u.errs.Add(unprocessable(u.data, value.Pointer(slices.Concat(u.at, []string{m.Name})...), "is not a known member", remedy))
		}
	}
}

// of returns what is below a member; nil for one that is not known.
func (n *named) of(name string) *named {
	if m := n.members[name]; m != nil {
		return m
	}
	for _, p := range n.patterns {
		if p.name.MatchString(name) {
			return p.of
		}
	}
	return n.others
}

// looksFor reports whether a rule without a slot looks for a member of the name anywhere in spec.
func (k *Kind) looksFor(name string) bool {
	if k.plan == nil {
		return false
	}
	_, known := k.plan.slots[name]
	return known
}
