package sd

import (
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/value"
)

// Change is a kind of difference.
type Change string

// The kinds of differences.
const (
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed"
	Moved   Change = "moved" // the order of what is in both differs
)

// Difference is one thing that is not alike in two SDs.
type Difference struct {
	Change Change `json:"change"`
	// Path leads to it in the new SD, or, when it was removed, in the old one: a JSON Pointer.
	Path    string       `json:"path"`
	Message string       `json:"message"` // what is different, in words for the user
	Old     *value.Value `json:"old,omitempty"`
	New     *value.Value `json:"new,omitempty"`
}

// Diff returns what is different between two SDs, in the order of the new one: top-level attributes,
// then applications, which are the same when name, deploy postfix and alias are, then the deployGraph.
// Within each, what was removed comes last.
func Diff(before, after *Descriptor) []Difference {
	var c comparison
	c.members("", "", before.value, after.value, "applications", "deployGraph")
	c.applications(before, after)
	c.graphs(before.value.Get("deployGraph"), after.value.Get("deployGraph"))
	return c.differences
}

type comparison struct{ differences []Difference }

func (c *comparison) add(change Change, path, message string, before, after *value.Value) {
	c.differences = append(c.differences, Difference{Change: change, Path: path, Message: message, Old: before, New: after})
}

// members compares maps except some members. Messages begin with what the map is.
func (c *comparison) members(path, what string, before, after *value.Value, but ...string) {
	was := make(map[string]*value.Value, len(before.Members))
	for _, m := range before.Members {
		was[m.Name] = m.Value
	}
	for _, m := range after.Members {
		old, ok := was[m.Name]
		delete(was, m.Name)
		at := path + value.Pointer(m.Name)
		switch {
		case slices.Contains(but, m.Name):
		case !ok:
			c.add(Added, at, what+m.Name+" is new: "+shorten(m.Value), nil, m.Value)
		case !value.Equal(old, m.Value):
			c.add(Changed, at, what+m.Name+" was "+shorten(old)+", is "+shorten(m.Value), old, m.Value)
		}
	}
	for _, m := range before.Members {
		if _, gone := was[m.Name]; gone && !slices.Contains(but, m.Name) {
			c.add(Removed, path+value.Pointer(m.Name), what+m.Name+" is gone: "+shorten(m.Value), m.Value, nil)
		}
	}
}

// shorten shows a value in a message.
func shorten(v *value.Value) string {
	const most = 60
	text := []rune(string(v.JSON()))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

func (c *comparison) applications(before, after *Descriptor) {
	from, to := keysOf(before), keysOf(after)
	p := pairUp(from, to)
	for j, e := range after.entries {
		path := value.Pointer("applications", strconv.Itoa(j))
		if p.old[j] < 0 {
			c.add(Added, path, e.name()+" is new", nil, e.value)
			continue
		}
		c.entry(path, &before.entries[p.old[j]], &after.entries[j])
	}
	for _, i := range p.gone {
		c.add(Removed, value.Pointer("applications", strconv.Itoa(i)), before.entries[i].name()+" is gone", before.entries[i].value, nil)
	}
	c.order(p, "/applications", "the applications that stay are in another order")
}

// entry compares what two entries have beside that by which they are the same.
func (c *comparison) entry(path string, before, after *entry) {
	name := after.Name + after.details()
	if before.Version != after.Version {
		c.add(Changed, path, name+" was "+before.Version+", is "+after.Version, before.value, after.value)
	}
	if before.model == after.model && before.value.Kind == value.Map {
		c.members(path, name+": ", before.value, after.value, "version", "deployPostfix", "alias")
	}
}

// name is what messages call an entry.
func (e *entry) name() string {
	if e.model == modelNone {
		return shorten(e.value)
	}
	return e.Application.String()
}

// key is by what items of two lists are the same; those with the same key are paired in order.
type key struct {
	identity
	text string // of what has no identity
}

func keysOf(d *Descriptor) []key {
	keys := make([]key, len(d.entries))
	for i := range d.entries {
		if e := &d.entries[i]; e.model == modelNone {
			keys[i].text = string(e.value.JSON())
		} else {
			keys[i].identity = e.identity()
		}
	}
	return keys
}

// pairing says which items of two lists are the same.
type pairing struct {
	old  []int // by index in the new list, that in the old one, or -1
	gone []int // indexes in the old list
}

func pairUp[K comparable](before, after []K) pairing {
	places := make(map[K][]int, len(before))
	for i, k := range before {
		places[k] = append(places[k], i)
	}
	p := pairing{old: make([]int, len(after))}
	for j, k := range after {
		p.old[j] = -1
		if left := places[k]; len(left) > 0 {
			p.old[j], places[k] = left[0], left[1:]
		}
	}
	for _, left := range places {
		p.gone = append(p.gone, left...)
	}
	slices.Sort(p.gone)
	return p
}

func (c *comparison) order(p pairing, path, message string) {
	last := -1
	for _, i := range p.old {
		if i < 0 {
			continue
		}
		if i < last {
			c.add(Moved, path, message, nil, nil)
			return
		}
		last = i
	}
}

func (c *comparison) graphs(before, after *value.Value) {
	const path = "/deployGraph"
	switch {
	case value.Equal(before, after):
		return
	case before == nil:
		c.add(Added, path, "deployGraph is new", nil, after)
		return
	case after == nil:
		c.add(Removed, path, "deployGraph is gone", before, nil)
		return
	}
	from, ok := chunkNames(before)
	to, both := chunkNames(after)
	if !ok || !both { // it is not made of chunks
		c.add(Changed, path, "deployGraph is another", before, after)
		return
	}
	p := pairUp(from, to)
	for j, name := range to {
		at := path + value.Pointer(strconv.Itoa(j))
		if p.old[j] < 0 {
			c.add(Added, at, "the chunk "+name+" is new", nil, after.Items[j])
			continue
		}
		c.chunk(at, "chunk "+name+": ", before.Items[p.old[j]], after.Items[j])
	}
	for _, i := range p.gone {
		c.add(Removed, path+value.Pointer(strconv.Itoa(i)), "the chunk "+from[i]+" is gone", before.Items[i], nil)
	}
	c.order(p, path, "the chunks that stay are in another order")
}

// chunkNames returns the names of the chunks, and whether all is as it must be to compare them.
func chunkNames(graph *value.Value) ([]string, bool) {
	if graph.Kind != value.List {
		return nil, false
	}
	names := make([]string, len(graph.Items))
	for i, item := range graph.Items {
		name, ok := item.Get("chunkName").Str()
		if !ok {
			return nil, false
		}
		names[i] = name
	}
	return names, true
}

func (c *comparison) chunk(path, what string, before, after *value.Value) {
	from, to := before.Get("apps"), after.Get("apps")
	if kindOf(from) != value.List || kindOf(to) != value.List {
		c.members(path, what, before, after, "chunkName")
		return
	}
	c.members(path, what, before, after, "chunkName", "apps")
	p := pairUp(texts(from), texts(to))
	for j, item := range to.Items {
		if p.old[j] < 0 {
			c.add(Added, path+value.Pointer("apps", strconv.Itoa(j)), what+shorten(item)+" is new", nil, item)
		}
	}
	for _, i := range p.gone {
		c.add(Removed, path+value.Pointer("apps", strconv.Itoa(i)), what+shorten(from.Items[i])+" is gone", from.Items[i], nil)
	}
	c.order(p, path+"/apps", what+"the apps that stay are in another order")
}

func texts(list *value.Value) []string {
	keys := make([]string, len(list.Items))
	for i, item := range list.Items {
		keys[i] = string(item.JSON())
	}
	return keys
}
