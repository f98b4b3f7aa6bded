package sd

import (
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
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
	errs := decode.Decoder{File: d.origin.File, Errors: &f.Errors, Complete: withReason(ReasonInvalidDeployGraph)}
	g.broken = v.Kind != value.List
	for i, item := range errs.Root(v, "deployGraph", d.origin.Path+"/deployGraph").List("a chunk of the deployGraph") {
		g.readChunk(f, i, item)
	}
	return g
}

func (g *graph) readChunk(f *faults, i int, field decode.Field) {
	c := chunk{value: field.Value, at: field.Position()}
	if field.IsMap() {
		c.name = field.Get("chunkName").Text()
	}
	g.chunks = append(g.chunks, c)
	if c.name == "" {
		return
	}
	if first, ok := g.byName[c.name]; ok {
		f.add(ReasonDuplicateChunk, c.at, "put the applications of both into one", "duplicate chunk %q, first %s",
			c.name, where(g.chunks[first].at, c.at))
	} else {
		g.byName[c.name] = i
	}
	for _, app := range field.Get("apps").Items("an app of a chunk") {
		if alias, ok := app.AnyText(); ok {
			g.hold(alias, i)
		}
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

// has reports whether a chunk lists the alias. A missing graph lists nothing, a broken one may list
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
