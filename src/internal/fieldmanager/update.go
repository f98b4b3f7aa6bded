package fieldmanager

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// Update returns who owns which fields after a manager has changed data in another way than by applying a configuration: it owns what it
// changed or added, and fields that are gone have no owner. Before is nil for a document that did not exist. The arguments are not changed.
func Update(before, after *value.Value, entries Entries, by Entry) Entries {
	by.Operation = Updated
	entries = entries.clone()
	changed := &Set{}
	difference(before, after, nil, func(path []string, is bool) {
		if slices.Equal(path, name) {
			return
		}
		for _, e := range entries {
			e.Fields.remove(path)
		}
		if is {
			changed.add(path)
		}
	})
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Fields.Empty() })
	if changed.Empty() {
		return entries
	}
	by.Fields = changed
	if at := entries.find(by.Manager, Updated); at >= 0 {
		by.Fields = entries[at].Fields.clone()
		changed.each(by.Fields.add)
	}
	return entries.set(by).joined()
}

// difference calls f for the fields that differ: is says whether they are there afterwards.
func difference(before, after *value.Value, above []string, f func(path []string, is bool)) {
	below := len(above) > 0
	switch {
	case value.Equal(before, after):
		return
	case below && !hasMembers(after) && (after == nil || after.Kind != value.Map || !hasMembers(before)):
		f(above, after != nil)
		return
	case below && before != nil && before.Kind != value.Map: // what was a field is a map now
		f(above, false)
	}
	if hasMembers(before) {
		for _, m := range before.Members {
			if member(after, m.Name) == nil {
				difference(m.Value, nil, append(slices.Clip(above), m.Name), f)
			}
		}
	}
	if hasMembers(after) {
		for _, m := range after.Members {
			difference(member(before, m.Name), m.Value, append(slices.Clip(above), m.Name), f)
		}
	} else if below { // it is empty now
		f(above, true)
	}
}

func hasMembers(v *value.Value) bool { return v != nil && v.Kind == value.Map && len(v.Members) > 0 }

func member(v *value.Value, name string) *value.Value {
	if v == nil || v.Kind != value.Map {
		return nil
	}
	return v.Get(name)
}

// joined gives the fields of those managers of updates that changed something longest ago to one, where there are too many.
func (es Entries) joined() Entries {
	var updaters []int
	for i, e := range es {
		if e.Operation == Updated && e.Manager != ancient {
			updaters = append(updaters, i)
		}
	}
	if len(updaters) <= maxUpdaters {
		return es
	}
	slices.SortStableFunc(updaters, func(a, b int) int { return es[a].Time.Compare(es[b].Time) })
	old := es[updaters[0]]
	es = slices.Delete(es, updaters[0], updaters[0]+1)
	if at := es.find(ancient, Updated); at >= 0 {
		es[at].Fields = es[at].Fields.clone()
		old.Fields.each(es[at].Fields.add)
		return es
	}
	old.Manager = ancient
	return append(es, old)
}

// Restore is Update, except that the fields that change go back to those who owned them when they had these values. Fields that had no owner
// then belong to the restoring manager.
func Restore(before, after *value.Value, entries, then Entries, by Entry) Entries {
	entries = Update(before, after, entries, by)
	difference(before, after, nil, func(path []string, is bool) {
		if !is {
			return
		}
		for _, owner := range then {
			if !owner.Fields.has(path) {
				continue
			}
			if at := entries.find(by.Manager, Updated); at >= 0 {
				entries[at].Fields.remove(path)
			}
			at := entries.find(owner.Manager, owner.Operation)
			if at < 0 {
				at, owner.Fields = len(entries), &Set{}
				entries = append(entries, owner)
			}
			entries[at].Fields.add(path)
		}
	})
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.Fields.Empty() })
}
