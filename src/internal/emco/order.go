package emco

import (
	"iter"
	"math"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Batches yields the documents, after Finish, except those that exist: each batch can be stored in one transaction after those before, and
// then all of them hold together. A batch has at most this many documents, and bytes of JSON, unless what refers to each other in a
// circle is more. Errors are those of the spool.
func (m *Migration) Batches(documents, bytes int) iter.Seq2[[]*dovetail.Document, error] {
	return func(yield func([]*dovetail.Document, error) bool) {
		var batch []*entry
		size := 0
		flush := func() bool {
			if len(batch) == 0 {
				return true
			}
			read := make([]*dovetail.Document, len(batch))
			for i, e := range batch {
				var err error
				if read[i], err = m.document(e); err != nil {
					yield(nil, err)
					return false
				}
			}
			batch, size = batch[:0], 0
			return yield(read, nil)
		}
		for group := range m.groups() {
			own := 0
			for _, e := range group {
				own += int(e.size)
			}
			if len(batch)+len(group) > documents || size+own > bytes {
				if !flush() {
					return
				}
			}
			batch, size = append(batch, group...), size+own
		}
		flush()
	}
}

// groups yields the entries that are to be stored in such an order that each comes after its parent and what it refers to. Those that can only be
// stored together come as one: circles of references, and a document with the children that its lifecycle may freeze. It finds
// strongly connected components as Tarjan does, whose order is that.
func (m *Migration) groups() iter.Seq[[]*entry] {
	return func(yield func([]*entry) bool) {
		t := &tarjan{index: make([]int32, len(m.ids)), low: make([]int32, len(m.ids)), edges: m.edges()}
		for _, e := range m.sorted() {
			for _, component := range t.from(m.numbers[e.id]) {
				group := make([]*entry, 0, len(component))
				for _, n := range component {
					if e := m.entries[n]; !e.exists {
						group = append(group, e)
					}
				}
				if len(group) > 0 && !yield(group) {
					return
				}
			}
		}
	}
}

// edges returns, by number, what has to be stored before or together with an entry.
func (m *Migration) edges() [][]int32 {
	edges := make([][]int32, len(m.ids))
	for n, e := range m.entries {
		if e == nil {
			continue
		}
		if e.parent >= 0 {
			edges[n] = append(edges[n], e.parent)
			if above := m.entries[e.parent].kind; above.Lifecycle != nil && len(above.Lifecycle.FreezeChildren[e.kind.Name]) > 0 {
				edges[e.parent] = append(edges[e.parent], int32(n))
			}
		}
		for _, need := range e.needs {
			for _, target := range need.targets {
				if m.entries[target] != nil {
					edges[n] = append(edges[n], target)
				}
			}
		}
	}
	return edges
}

// tarjan finds the strongly connected components of a graph, without recursion.
type tarjan struct {
	edges      [][]int32
	index, low []int32 // from 1; 0 for what was not visited, and the index of what is done is done
	count      int32
	stack      []int32
}

// done is the index of a node whose component is known.
const done = math.MaxInt32

// from returns the components that are reached from a node and were not returned before, each after those that it leads to.
func (t *tarjan) from(root int32) (components [][]int32) {
	type visit struct{ node, next int32 }
	if t.index[root] != 0 {
		return nil
	}
	var path []visit
	enter := func(n int32) {
		t.count++
		t.index[n], t.low[n] = t.count, t.count
		t.stack, path = append(t.stack, n), append(path, visit{node: n})
	}
	enter(root)
	for len(path) > 0 {
		v := &path[len(path)-1]
		n := v.node
		if int(v.next) < len(t.edges[n]) {
			to := t.edges[n][v.next]
			v.next++
			switch {
			case t.index[to] == 0:
				enter(to)
			case t.index[to] != done:
				t.low[n] = min(t.low[n], t.index[to])
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			above := path[len(path)-1].node
			t.low[above] = min(t.low[above], t.low[n])
		}
		if t.low[n] != t.index[n] {
			continue
		}
		at := len(t.stack) - 1
		for t.stack[at] != n {
			at--
		}
		component := slices.Clone(t.stack[at:])
		t.stack = t.stack[:at]
		for _, member := range component {
			t.index[member] = done
		}
		slices.Sort(component)
		components = append(components, component)
	}
	return components
}
