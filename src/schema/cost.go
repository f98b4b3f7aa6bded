package schema

import (
	"container/heap"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dovetail-store/dovetail/src/value"
)

// Alternatives multiply: a schema of fourteen nested pairs looks at one value 16,384 times. So a schema may look at one
// value, at one place, maxLooks times only, and what checking takes in all is known before it begins.
const (
	maxParts    = 10_000
	maxLooks    = 1000    // schemas that apply to the same value by allOf, anyOf, $ref and the like
	plainLooks  = 32      // with so few at any value, checking is as fast as reading
	leastSteps  = 100_000 // that checking a value may take, however small it is
	endlessWork = 1 << 40
)

// work bounds the number of steps of a check. It is a graph: an edge leads from a schema to those that check the
// same value, or a value in it.
type work struct {
	nodes []workNode
	root  int
	plain bool // any value takes a few steps only
}

type workNode struct {
	from     *jsonschema.Schema
	weight   int64
	same     []int          // look at the same value; their numbers are higher
	members  map[string]int // at the member of a name
	patterns map[jsonschema.Regexp]int
	others   []int // at all other members
	prefix   []int // at the first items
	items    []int // at the items after those
	each     []int // at all members and items
}

// tooMuchWork is why a JSON Schema cannot be used, though it is one.
type tooMuchWork struct {
	location        string
	message, remedy string
}

func (e *tooMuchWork) Error() string { return e.message }

func circular(location string) error {
	return &tooMuchWork{location, "refers to itself in a circle, without a member or item between",
		`refer to it from "properties" or "items", or leave the reference out`}
}

func tooManyLooks(location string) error {
	return &tooMuchWork{location, fmt.Sprintf("more than %d schemas look at the same value, by alternatives (allOf, anyOf, oneOf, $ref) in alternatives", maxLooks),
		"use fewer alternatives, or tell them apart by one member in a single anyOf"}
}

// checkSize refuses a JSON Schema of this many parts that the library would take long to compile it: that takes time in the
// square of their number.
func checkSize(schema *value.Value) error {
	if partsOf(schema) <= maxParts {
		return nil
	}
	return &tooMuchWork{schemaURL + "#", fmt.Sprintf("has more than %d objects and booleans", maxParts),
		`write parts that are alike once below "$defs", or leave out parts that are not used`}
}

func partsOf(schema *value.Value) int {
	n := 0
	if schema.Kind == value.Map || schema.Kind == value.Bool {
		n = 1
	}
	for _, item := range schema.Items {
		n += partsOf(item)
	}
	for _, m := range schema.Members {
		switch m.Name {
		case "const", "enum", "default", "examples": // data, not schemas
		default:
			n += partsOf(m.Value)
		}
	}
	return n
}

// newWork reads a compiled schema.
func newWork(root *jsonschema.Schema) (*work, error) {
	b := &workBuilder{work: &work{}, numbers: make(map[*jsonschema.Schema]int), anchored: make(map[string][]*jsonschema.Schema), root: root}
	b.collect(root)
	if b.link(root); b.circular != "" {
		return nil, circular(b.circular)
	}
	w := b.work
	b.reverse()
	w.root = b.numbers[root]
	looks, counts := make([]int64, len(w.nodes)), make([]int64, len(w.nodes))
	for i := len(w.nodes) - 1; i >= 0; i-- {
		looks[i], counts[i] = w.nodes[i].weight, 1
		for _, next := range w.nodes[i].same {
			looks[i] += looks[next]
			counts[i] += counts[next]
		}
		if counts[i] > maxLooks {
			return nil, tooManyLooks(w.nodes[i].from.Location)
		}
	}
	m := &widths{work: w, looks: looks, below: make([]int64, len(w.nodes))}
	w.plain = m.of(w.root) <= plainLooks
	return w, nil
}

// tooMuchFor says in words that checking data would take more steps than its size permits, "" if it does not.
func (w *work) tooMuchFor(data *value.Value) string {
	if w.plain {
		return ""
	}
	limit := leastSteps + plainLooks*sizeOf(data)
	m := &stepMeter{work: w, left: limit}
	m.visit(data, map[int]int64{w.root: 1})
	if m.left >= 0 {
		return ""
	}
	return fmt.Sprintf("cannot be checked, because that takes more than %d steps for data of this size", limit)
}

func sizeOf(v *value.Value) int64 {
	if v == nil {
		return 0
	}
	n := int64(1)
	for _, item := range v.Items {
		n += sizeOf(item)
	}
	for _, m := range v.Members {
		n += sizeOf(m.Value)
	}
	return n
}

// stepMeter counts the steps of one check.
type stepMeter struct {
	*work
	left int64
}

// visit counts the steps at a value and what is in it; applied is how often which schemas look at it.
func (m *stepMeter) visit(v *value.Value, applied map[int]int64) {
	if v == nil || len(applied) == 0 || m.left < 0 {
		return
	}
	size := int64(len(v.Items) + len(v.Members))
	queue := make(numberHeap, 0, len(applied))
	for i := range applied {
		queue = append(queue, i)
	}
	heap.Init(&queue)
	var reached []int
	for len(queue) > 0 {
		i := heap.Pop(&queue).(int)
		reached = append(reached, i)
		if m.left -= applied[i] * (m.nodes[i].weight + size); m.left < 0 {
			return
		}
		for _, next := range m.nodes[i].same {
			if applied[next] == 0 {
				heap.Push(&queue, next)
			}
			applied[next] += applied[i]
		}
	}
	m.visitItems(v.Items, reached, applied)
	for _, member := range v.Members {
		m.visit(member.Value, m.atMember(reached, applied, member.Name))
	}
}

// visitItems visits the items of a list. Scalars behind all prefixes take the same steps, which are counted once.
func (m *stepMeter) visitItems(items []*value.Value, reached []int, applied map[int]int64) {
	prefix, scalar := 0, int64(-1)
	for _, i := range reached {
		prefix = max(prefix, len(m.nodes[i].prefix))
	}
	for at, item := range items {
		alike := at >= prefix && item != nil && len(item.Items)+len(item.Members) == 0
		if alike && scalar >= 0 {
			m.left -= scalar
			continue
		}
		before := m.left
		m.visit(item, m.atItem(reached, applied, at))
		if alike {
			scalar = before - m.left
		}
	}
}

func (m *stepMeter) atItem(reached []int, times map[int]int64, at int) map[int]int64 {
	applied := make(map[int]int64)
	for _, i := range reached {
		node := &m.nodes[i]
		if at < len(node.prefix) {
			applied[node.prefix[at]] += times[i]
		} else {
			addAll(applied, node.items, times[i])
		}
		addAll(applied, node.each, times[i])
	}
	return applied
}

func (m *stepMeter) atMember(reached []int, times map[int]int64, name string) map[int]int64 {
	applied := make(map[int]int64)
	for _, i := range reached {
		node := &m.nodes[i]
		next, known := node.members[name]
		if known {
			applied[next] += times[i]
		}
		for pattern, next := range node.patterns {
			if pattern.MatchString(name) {
				applied[next] += times[i]
				known = true
			}
		}
		if !known {
			addAll(applied, node.others, times[i])
		}
		addAll(applied, node.each, times[i])
	}
	return applied
}

func addAll(applied map[int]int64, nodes []int, times int64) {
	for _, next := range nodes {
		applied[next] += times
	}
}

// numberHeap is a heap of numbers of nodes, the lowest first.
type numberHeap []int

func (h numberHeap) Len() int           { return len(h) }
func (h numberHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h numberHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *numberHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *numberHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
