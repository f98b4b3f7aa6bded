package schema

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// workBuilder makes the graph of a compiled schema.
type workBuilder struct {
	*work
	root     *jsonschema.Schema
	numbers  map[*jsonschema.Schema]int // negative while what looks at the same value is being numbered
	anchored map[string][]*jsonschema.Schema
	seen     map[*jsonschema.Schema]bool
	circular string
}

// collect finds the schemas that dynamic references may lead to, by their anchors; those of $recursiveRef have none.
func (b *workBuilder) collect(root *jsonschema.Schema) {
	b.seen = map[*jsonschema.Schema]bool{root: true}
	for queue := []*jsonschema.Schema{root}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if s.DynamicAnchor != "" {
			b.anchored[s.DynamicAnchor] = append(b.anchored[s.DynamicAnchor], s)
		}
		if s.RecursiveAnchor {
			b.anchored[""] = append(b.anchored[""], s)
		}
		for _, next := range slices.Concat(sameOf(s), inside(s)) {
			if !b.seen[next] {
				b.seen[next] = true
				queue = append(queue, next)
			}
		}
	}
}

// link numbers the schema and all that can be reached from it, those that look at the same value first.
func (b *workBuilder) link(s *jsonschema.Schema) {
	pending := []*jsonschema.Schema{s}
	for len(pending) > 0 && b.circular == "" {
		s, pending = pending[len(pending)-1], pending[:len(pending)-1]
		if _, known := b.numbers[s]; !known {
			b.number(s, &pending)
		}
	}
}

func (b *workBuilder) number(s *jsonschema.Schema, pending *[]*jsonschema.Schema) {
	b.numbers[s] = -1
	for _, next := range b.same(s) {
		switch number, known := b.numbers[next]; {
		case !known:
			b.number(next, pending)
		case number < 0:
			b.circular = s.Location
		}
		if b.circular != "" {
			return
		}
	}
	b.numbers[s] = len(b.nodes)
	b.nodes = append(b.nodes, workNode{from: s})
	*pending = append(*pending, inside(s)...)
}

// reverse gives those that look at the same value higher numbers, and makes the edges.
func (b *workBuilder) reverse() {
	slices.Reverse(b.nodes)
	for i := range b.nodes {
		b.numbers[b.nodes[i].from] = i
	}
	for i := range b.nodes {
		b.edges(&b.nodes[i])
	}
}

func (b *workBuilder) edges(node *workNode) {
	s := node.from
	node.weight = 1
	if s.Enum != nil {
		node.weight += int64(len(s.Enum.Values) / 16)
	}
	node.same = b.all(b.same(s)...)
	for name, next := range s.Properties {
		if node.members == nil {
			node.members = make(map[string]int)
		}
		node.members[name] = b.numbers[next]
	}
	for pattern, next := range s.PatternProperties {
		if node.patterns == nil {
			node.patterns = make(map[jsonschema.Regexp]int)
		}
		node.patterns[pattern] = b.numbers[next]
	}
	node.others = b.all(schemaOf(s.AdditionalProperties))
	node.prefix = b.all(s.PrefixItems...)
	node.items = b.all(s.Items2020, schemaOf(s.AdditionalItems))
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		node.items = b.all(items)
	case []*jsonschema.Schema:
		node.prefix = b.all(items...)
	}
	node.each = b.all(s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.UnevaluatedItems)
}

// all are the numbers of schemas, without nil ones.
func (b *workBuilder) all(schemas ...*jsonschema.Schema) []int {
	var numbers []int
	for _, s := range schemas {
		if s != nil {
			numbers = append(numbers, b.numbers[s])
		}
	}
	return numbers
}

// same are the schemas that look at the same value. A dynamic reference may lead to any schema with its anchor, but leads
// to the outermost, which is the root if that has it.
func (b *workBuilder) same(s *jsonschema.Schema) []*jsonschema.Schema {
	next := sameOf(s)
	dynamic := func(fallback *jsonschema.Schema, anchor string, rootHas bool) {
		next = slices.DeleteFunc(next, func(n *jsonschema.Schema) bool { return n == fallback })
		if rootHas {
			next = append(next, b.root)
			return
		}
		next = append(next, b.anchored[anchor]...)
	}
	if d := s.DynamicRef; d != nil && d.Anchor != "" && d.Ref.DynamicAnchor == d.Anchor {
		dynamic(d.Ref, d.Anchor, b.root.DynamicAnchor == d.Anchor)
	}
	if r := s.RecursiveRef; r != nil && r.RecursiveAnchor {
		dynamic(r, "", b.root.RecursiveAnchor)
	}
	return next
}

// sameOf are the schemas that look at the same value, with references as they are written.
func sameOf(s *jsonschema.Schema) []*jsonschema.Schema {
	all := slices.Concat([]*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf)
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	for _, next := range s.DependentSchemas {
		all = append(all, next)
	}
	for _, next := range s.Dependencies {
		all = append(all, schemaOf(next))
	}
	return withoutNil(all)
}

// inside are the schemas that look at values in the value.
func inside(s *jsonschema.Schema) []*jsonschema.Schema {
	all := slices.Concat([]*jsonschema.Schema{schemaOf(s.AdditionalProperties), s.PropertyNames, s.UnevaluatedProperties, s.Contains,
		schemaOf(s.Items), schemaOf(s.AdditionalItems), s.Items2020, s.UnevaluatedItems}, s.PrefixItems)
	if items, ok := s.Items.([]*jsonschema.Schema); ok {
		all = append(all, items...)
	}
	for _, next := range s.Properties {
		all = append(all, next)
	}
	for _, next := range s.PatternProperties {
		all = append(all, next)
	}
	return withoutNil(all)
}

func schemaOf(v any) *jsonschema.Schema {
	s, _ := v.(*jsonschema.Schema)
	return s
}

func withoutNil(all []*jsonschema.Schema) []*jsonschema.Schema {
	return slices.DeleteFunc(all, func(s *jsonschema.Schema) bool { return s == nil })
}

// widths finds how many schemas may look at one value, wherever it is.
type widths struct {
	*work
	looks []int64 // at the value that the schema is for
	below []int64 // at any value in it: 0 for not known, negative for being looked for
}

func (m *widths) of(i int) int64 { return max(m.looks[i], m.inside(i)) }

func (m *widths) inside(i int) int64 {
	switch {
	case m.below[i] < 0:
		return endlessWork // it is in a value of its own
	case m.below[i] > 0:
		return m.below[i]
	}
	m.below[i] = -1
	node := &m.nodes[i]
	members, items, sum := int64(0), int64(0), int64(1)
	for _, next := range node.members {
		members = max(members, m.of(next))
	}
	for _, next := range node.others {
		members = max(members, m.of(next))
	}
	for _, next := range node.patterns {
		sum += m.of(next)
	}
	for _, next := range slices.Concat(node.prefix, node.items) {
		items = max(items, m.of(next))
	}
	for _, next := range node.each {
		sum += m.of(next)
	}
	for _, next := range node.same {
		sum += m.inside(next)
	}
	m.below[i] = min(sum+max(members, items), endlessWork)
	return m.below[i]
}
