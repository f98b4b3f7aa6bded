package schema

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Compile makes a model of the sources, whatever their order. The error has the code CodeSchema and
// carries everything that is wrong in any of them, in the order of positions; each part has a Fault.
func Compile(sources []Source) (*Model, error) { return CompileUntil(nil, sources) }

// CompileUntil is Compile that calls stop before each JSON Schema, and ends with its error. A nil stop is none.
func CompileUntil(stop func() error, sources []Source) (*Model, error) {
	f := &faults{}
	c := &compiler{faults: f, stop: stop, kinds: make(map[*resource]*Kind), halves: make(map[*resource]*Kind)}
	m := c.compile(check(parse(sources, f), f))
	if c.stopped != nil {
		return nil, c.stopped
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	sortByPosition(f.warnings)
	m.warnings = f.warnings
	m.sources = slices.Clone(sources)
	slices.SortStableFunc(m.sources, func(a, b Source) int { return cmp.Compare(a.Name, b.Name) })
	m.names = c.elementNames()
	m.hash = hashOf(m)
	return m, nil
}

// compiler turns resources into kinds. It also runs on schemas with errors, for those that only
// show here; then it leaves out what is broken.
type compiler struct {
	*faults
	stop      func() error
	stopped   error // why the work ended early
	resources []*resource
	kinds     map[*resource]*Kind
	halves    map[*resource]*Kind // first halves of dotted names that are the parent of another kind
}

func (c *compiler) compile(resources []*resource) *Model {
	for _, r := range resources {
		if !r.broken {
			c.resources = append(c.resources, r)
		}
	}
	// Parents come before their children, which have more elements.
	slices.SortStableFunc(c.resources, func(a, b *resource) int { return len(a.elements) - len(b.elements) })
	for _, r := range c.resources {
		if c.kind(r); c.stopped != nil {
			return nil
		}
	}
	for _, r := range c.resources {
		c.references(r)
		c.kinds[r].Queries = c.queries(r)
		c.kinds[r].shapes = shapesOf(c.kinds[r])
	}
	for _, r := range c.resources {
		c.paths(r)
	}
	c.rules()
	m := &Model{byName: make(map[string]*Kind), byLast: make(map[string]*Kind)}
	m.kinds = slices.AppendSeq(slices.Collect(maps.Values(c.kinds)), maps.Values(c.halves))
	slices.SortFunc(m.kinds, byName)
	for _, k := range m.kinds {
		slices.SortFunc(k.Children, byName)
		slices.SortFunc(k.ReferencedBy, byName)
		m.byLast[k.Elements[len(k.Elements)-1]] = k
	}
	for _, r := range c.resources {
		for _, name := range r.own {
			m.byName[name] = c.kinds[r]
		}
	}
	for _, k := range m.kinds {
		k.elements = m.byName
		for _, name := range k.inputs {
			if of, known := m.Kind(name); known {
				k.Inputs = append(k.Inputs, of.Name)
			}
		}
		slices.Sort(k.Inputs)
	}
	c.routes(m.kinds)
	return m
}

func byName(a, b *Kind) int { return strings.Compare(a.Name, b.Name) }

// kind compiles a resource except its references, which need all other kinds.
func (c *compiler) kind(r *resource) {
	k := &Kind{
		Name: r.last(), Entry: r.name.value, Own: r.own, Elements: r.elements, KeyID: dovetail.KeyIDOf(r.elements),
		Abstract: r.abstract, Managed: r.managed, Strict: r.strict, Defaults: r.defaults, Sensitive: r.sensitive.meaning(), inputs: values(r.inputs), History: r.history.meaning(), Description: r.description, Service: r.service, Position: r.at,
		Methods: methodCodes(nil, r.methods), Unique: c.uniques(r), Lifecycle: c.lifecycle(r), Columns: columnsOf(r), Immutable: immutablePaths(r),
		Index: r.index.meaning, IndexLabels: !r.abstract && !r.sensitive.whole && !r.index.noLabels,
	}
	k.indexes = indexesOf(k)
	for _, a := range r.actions {
		code := cmp.Or(a.code.value, 202)
		if a.code.value == 0 && a.method.value == "GET" {
			code = 200
		}
		k.Actions = append(k.Actions, Action{Path: a.path.value, Method: a.method.value, Code: code})
	}
	if k.Lifecycle != nil {
		for _, a := range k.Lifecycle.Actions {
			if k.Action(a.Name) == nil {
				k.Actions = append(k.Actions, Action{Path: a.Name, Method: "POST", Code: 202})
			}
		}
	}
	for _, p := range r.content {
		k.Content = append(k.Content, ContentPart{Name: p.name.value, Required: p.required, Multiple: p.multiple})
	}
	for i := range r.served {
		if p := &r.served[i]; !p.broken {
			k.Collections = append(k.Collections, collectionOf(r, p, k.Methods))
		}
	}
	if r.schema != nil {
		if k.schema = c.dataSchema(r); k.schema != nil && r.defaults {
			k.filler = c.filler(r)
		}
	}
	if up := r.up; up != nil {
		k.Parent = c.kinds[up]
		if r.upHalf {
			k.Parent = c.half(up)
		}
		k.Parent.Children = append(k.Parent.Children, k)
	}
	c.kinds[r] = k
}

// half returns the abstract kind that the first half of a dotted name is for its children.
func (c *compiler) half(r *resource) *Kind {
	if k := c.halves[r]; k != nil {
		return k
	}
	whole := c.kinds[r]
	elements := r.elements[:len(r.elements)-1]
	k := &Kind{
		Name: r.own[0], Entry: r.name.value, Own: r.own[:1], Elements: elements, KeyID: dovetail.KeyIDOf(elements),
		Parent: whole.Parent, Abstract: true, Service: r.service, Position: r.at,
		Collections: []Collection{{Path: plural(kebab(r.own[0]))}},
	}
	if k.Parent != nil {
		k.Parent.Children = append(k.Parent.Children, k)
	}
	c.halves[r] = k
	return k
}

func collectionOf(r *resource, p *place, methods map[string]int) Collection {
	path, root := strings.CutPrefix(p.path.value, "/")
	collection := Collection{Path: cmp.Or(path, plural(kebab(r.own[0]))), Root: root, Alias: p.alias.value, Methods: methodCodes(methods, p.methods)}
	for _, kv := range p.fixed {
		if collection.Fixed == nil {
			collection.Fixed = make(map[string]string)
		}
		collection.Fixed[kv.name.value] = kv.value.value
	}
	return collection
}

// methodCodes lays the methods over the given ones; nil if there is none.
func methodCodes(base map[string]int, methods []method) map[string]int {
	if len(methods) == 0 {
		return base
	}
	codes := make(map[string]int, len(base)+len(methods))
	maps.Copy(codes, base)
	for _, m := range methods {
		codes[m.verb.value] = m.code.value
	}
	return codes
}

// references compiles the rules of a resource.
func (c *compiler) references(r *resource) {
	k := c.kinds[r]
	for _, rule := range r.references {
		if rule.broken {
			continue
		}
		ref := c.reference(rule)
		for _, target := range ref.To {
			if !slices.Contains(target.ReferencedBy, k) {
				target.ReferencedBy = append(target.ReferencedBy, k)
			}
		}
		k.References = append(k.References, ref)
	}
	k.plan = newPlan(k)
	k.Exclusive = exclusiveness(k)
	if k.Strict {
		k.names = namesOf(k, r.schema)
	}
	c.actionReferences(r)
}

// reference compiles one rule.
func (c *compiler) reference(rule *rule) *Reference {
	ref := &Reference{
		Type: rule.kind.value, Map: rule.member.value, Field: rule.field.value, CommonKey: rule.commonKey.value,
		FilterKeys: values(rule.filterKeys), Skip: values(rule.skip),
		Cascade: rule.onDelete.value == "cascade", Weak: rule.enforce.value == "warn", Position: rule.at,
		Name: strings.Join(values(rule.targets), "|"), common: rule.common,
		At: rule.slot.at.path, Required: rule.slot.required, Min: rule.slot.min.value, Max: rule.slot.max.value, Exclusive: rule.slot.exclusive,
	}
	for _, kv := range rule.slot.members {
		if ref.Members == nil {
			ref.Members = make(map[string]string)
		}
		ref.Members[kv.name.value] = kv.value.value
	}
	for _, kv := range rule.fixed {
		if ref.FixedKv == nil {
			ref.FixedKv = make(map[string]string)
		}
		ref.FixedKv[kv.name.value] = kv.value.value
	}
	for _, to := range rule.to {
		ref.To = append(ref.To, c.kinds[to])
	}
	for _, name := range slices.Sorted(maps.Keys(ref.FixedKv)) {
		has := func(to *Kind) bool { return slices.Contains(to.Elements, name) }
		if !slices.ContainsFunc(ref.To, has) {
			ref.foreign = append(ref.foreign, name)
		}
	}
	return ref
}

func values(texts []text) []string {
	var all []string
	for _, t := range texts {
		all = append(all, t.value)
	}
	return all
}
