package sd

import (
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// graph is the deployGraph of an SD.
type graph struct {
	value  *value.Value
	chunks []chunk
	byName map[string]int
	first  map[string]int   // by alias, the first chunk that lists it
	more   map[string][]int // by alias, all chunks that list it, where there are several
	broken bool             // it is not even a list, so that nothing can be said about what is in it
}

type chunk struct {
	name  string
	value *value.Value
	at    dovetail.Position
}

// readGraph reads the deployGraph and reports what is wrong with it in itself. It returns nil when
// the SD has none.
func readGraph(f *faults, d *Descriptor) *graph {
	v := d.value.Get("deployGraph")
	if kindOf(v) == value.Null {
		return nil
	}
	g := &graph{value: v, byName: make(map[string]int), first: make(map[string]int, len(d.entries)), more: make(map[string][]int)}
	if v.Kind != value.List {
		f.invalidGraph(d.at(v, "deployGraph"), "deployGraph is a list of chunks, not a %s", v.Kind)
		g.broken = true
		return g
	}
	for i, item := range v.Items {
		g.readChunk(f, d, i, item)
	}
	return g
}

func (f *faults) invalidGraph(at dovetail.Position, format string, args ...any) {
	f.add(ReasonInvalidDeployGraph, at, "write chunks as {chunkName: ..., apps: [...]}", format, args...)
}

func (g *graph) readChunk(f *faults, d *Descriptor, i int, v *value.Value) {
	n := strconv.Itoa(i)
	c := chunk{value: v, at: d.at(v, "deployGraph", n)}
	defer func() { g.chunks = append(g.chunks, c) }()
	if v.Kind != value.Map {
		f.invalidGraph(c.at, "a chunk of the deployGraph is a map, not a %s", v.Kind)
		return
	}
	if c.name, _ = v.Get("chunkName").Str(); c.name == "" {
		f.invalidGraph(c.at, "the chunk has no chunkName that is a text")
		return
	}
	if first, ok := g.byName[c.name]; ok {
		f.add(ReasonDuplicateChunk, c.at, "put the applications of both into one", "duplicate chunk %q, first %s",
			c.name, where(g.chunks[first].at, c.at))
	} else {
		g.byName[c.name] = i
	}
	apps := v.Get("apps")
	switch kindOf(apps) {
	case value.Null:
	case value.List:
		for k, app := range apps.Items {
			alias, ok := app.Str()
			if !ok {
				f.invalidGraph(d.at(app, "deployGraph", n, "apps", strconv.Itoa(k)), "apps of a chunk are texts, this is a %s", app.Kind)
				continue
			}
			g.hold(alias, i)
		}
	default:
		f.invalidGraph(d.at(apps, "deployGraph", n, "apps"), "apps of a chunk is a list, not a %s", apps.Kind)
	}
}

// hold notes that a chunk lists an alias. Chunks come in order.
func (g *graph) hold(alias string, i int) {
	first, ok := g.first[alias]
	if !ok {
		g.first[alias] = i
		return
	}
	all := g.more[alias]
	if len(all) == 0 {
		all = []int{first}
	}
	if all[len(all)-1] != i {
		g.more[alias] = append(all, i)
	}
}

// holders are the chunks that list an alias, in order.
func (g *graph) holders(alias string) []int {
	if all := g.more[alias]; len(all) > 0 {
		return all
	}
	if first, ok := g.first[alias]; ok {
		return []int{first}
	}
	return nil
}

// has says whether a chunk lists the alias. A missing graph lists nothing, a broken one may list
// anything.
func (g *graph) has(alias string) bool {
	if g == nil || g.broken {
		return g != nil
	}
	_, ok := g.first[alias]
	return ok
}

// requireAll reports the applications of an SD that its own deployGraph lacks.
func (g *graph) requireAll(f *faults, d *Descriptor, x *index) {
	for i, alias := range x.aliases {
		if alias != "" && !g.has(alias) {
			f.notInGraph(ReasonNotInDeployGraph, &d.entries[i], "the deployGraph beside it")
		}
	}
}

func (f *faults) notInGraph(reason string, e *entry, where string) {
	f.add(reason, e.at.position(), "add its alias "+strconv.Quote(e.EffectiveAlias())+" to the apps of a chunk",
		"the application %s is not in %s", e.Application, where)
}
