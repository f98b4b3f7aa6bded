package sd

import (
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/value"
)

// extended merges by name, deploy postfix and alias, in applications and in deployGraph. The fields
// beside the SDs are made by check.
type extended struct {
	full, delta           *Descriptor
	inFull, inDelta       *index
	fullGraph, deltaGraph *graph
}

// check reports all that forbids the merge.
func (x *extended) check(f *faults) {
	x.inFull = x.full.check(f, ExtendedMerge, modelNone)
	x.fullGraph = readGraph(f, x.full)
	if x.fullGraph != nil {
		x.fullGraph.requireAll(f, x.full, x.inFull)
	}
	x.inDelta = x.delta.check(f, ExtendedMerge, x.inFull.model)
	x.deltaGraph = readGraph(f, x.delta)
	checkHeader(f, x.full, x.delta)
	x.checkChunks(f)
	if x.inFull.uniform && x.inDelta.uniform { // otherwise it is not known which applications are new
		x.checkDelta(f)
	}
}

// checkChunks reports what the delta's deployGraph has and the full SD's has not.
func (x *extended) checkChunks(f *faults) {
	switch {
	case x.deltaGraph == nil:
	case x.fullGraph == nil:
		f.add(ReasonDeployGraphNotInFull, x.delta.position("deployGraph"), "remove it, or give the full SD one too",
			"the delta has a deployGraph, the full SD has none")
	case !x.fullGraph.broken:
		for _, c := range x.deltaGraph.chunks {
			if _, ok := x.fullGraph.byName[c.name]; !ok && c.name != "" {
				f.add(ReasonUnknownChunk, c.at, "use a chunk of the full SD, or add it there first",
					"the chunk %s is not in the deployGraph of the full SD", strconv.Quote(c.name))
			}
		}
	}
}

// checkDelta reports applications of the delta that lack a place in its deployGraph, and new ones
// whose alias is taken.
func (x *extended) checkDelta(f *faults) {
	for i := range x.delta.entries {
		e := &x.delta.entries[i]
		alias := x.inDelta.aliases[i]
		if alias == "" { // it is no application, or repeats one
			continue
		}
		_, known := x.inFull.byIdentity[e.identity()]
		if other, ok := x.inFull.byAlias[alias]; ok && !known {
			f.duplicateAlias(e, &x.full.entries[other])
		}
		switch {
		case x.fullGraph == nil || x.deltaGraph.has(alias):
		case !known:
			f.notInGraph(ReasonNewNotInDeployGraph, e, "the deployGraph of the delta, which must say where a new application goes")
		case x.deltaGraph != nil:
			f.notInGraph(ReasonNotInDeployGraph, e, "the deployGraph beside it")
		}
	}
}

// merge makes the SD of what passed the checks.
func (x *extended) merge() *Descriptor {
	entries := make([]entry, len(x.full.entries), len(x.full.entries)+len(x.delta.entries))
	copy(entries, x.full.entries)
	added := make(map[int][]string) // aliases by chunk of the full SD
	for n := range x.delta.entries {
		e := &x.delta.entries[n]
		if i, known := x.inFull.byIdentity[e.identity()]; known {
			if entries[i].Version != e.Version {
				entries[i] = entries[i].withVersion(e.Version)
			}
			continue
		}
		entries = append(entries, e.unplaced())
		if x.fullGraph != nil {
			x.place(added, x.inDelta.aliases[n])
		}
	}
	v := withMember(x.full.value, "applications", x.full.applicationList(entries))
	if len(added) > 0 {
		v = withMember(v, "deployGraph", x.fullGraph.with(added))
	}
	return &Descriptor{origin: x.full.origin, value: v, entries: entries}
}

// place adds a new alias to the chunks in which the delta lists it, unless it is there already.
func (x *extended) place(added map[int][]string, alias string) {
	there := x.fullGraph.holders(alias)
	for _, i := range x.deltaGraph.holders(alias) {
		target := x.fullGraph.byName[x.deltaGraph.chunks[i].name]
		if _, ok := slices.BinarySearch(there, target); !ok {
			added[target] = append(added[target], alias)
		}
	}
}

// with returns the deployGraph with more aliases at the end of chunks.
func (g *graph) with(added map[int][]string) *value.Value {
	v := *g.value
	v.Items = make([]*value.Value, len(g.value.Items))
	copy(v.Items, g.value.Items)
	for i, aliases := range added {
		c := v.Items[i]
		apps := &value.Value{Kind: value.List}
		if old := c.Get("apps"); kindOf(old) == value.List {
			apps.Place = old.Place
			apps.Items = append(make([]*value.Value, 0, len(old.Items)+len(aliases)), old.Items...)
		}
		for _, alias := range aliases {
			apps.Items = append(apps.Items, value.NewString(alias))
		}
		v.Items[i] = withMember(c, "apps", apps)
	}
	return &v
}
