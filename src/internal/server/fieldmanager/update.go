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
	lost, changed := difference(before, after)
	for _, e := range entries {
		e.Fields.subtract(lost)
	}
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Fields.Empty() })
	if changed.Empty() {
		return entries
	}
	by.Fields = changed
	if at := entries.find(by.Manager, Updated); at >= 0 {
		by.Fields = entries[at].Fields.clone()
		by.Fields.unite(changed)
	}
	return entries.set(by).joined()
}

// difference returns the fields that others lose when data change, with those in them, and of these the ones that are there afterwards.
// Each value is examined once.
func difference(before, after *value.Value) (lost, changed *Set) {
	lost, changed = &Set{}, &Set{}
	differenceOfMembers(before, after, lost, changed)
	lost.remove(name)
	changed.remove(name)
	return lost, changed
}

func differenceOfMembers(before, after *value.Value, lost, changed *Set) {
	was, is := value.IndexOf(before), value.IndexOf(after)
	if hasMembers(before) {
		for _, m := range before.Members {
			if is.Get(m.Name) == nil {
				lost.put(m.Name, &Set{})
			}
		}
	}
	if !hasMembers(after) {
		return
	}
	for _, m := range after.Members {
		from := was.Get(m.Name)
		if !hasMembers(m.Value) {
			if !value.Equal(from, m.Value) {
				lost.put(m.Name, &Set{})
				changed.put(m.Name, &Set{})
			}
			continue
		}
		lostBelow, changedBelow := &Set{}, &Set{}
		differenceOfMembers(from, m.Value, lostBelow, changedBelow)
		if from != nil && from.Kind != value.Map { // what was a field is a map now
			lost.put(m.Name, &Set{})
		} else if !lostBelow.Empty() {
			lost.put(m.Name, lostBelow)
		}
		if !changedBelow.Empty() {
			changed.put(m.Name, changedBelow)
		}
	}
}

func hasMembers(v *value.Value) bool { return v != nil && v.Kind == value.Map && len(v.Members) > 0 }

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
		es[at].Fields.unite(old.Fields)
		return es
	}
	old.Manager = ancient
	return append(es, old)
}

// Restore is Update, except that the fields that change go back to those who owned them when they had these values. Fields that had no owner
// then belong to the restoring manager.
func Restore(before, after *value.Value, entries, then Entries, by Entry) Entries {
	entries = Update(before, after, entries, by)
	_, changed := difference(before, after)
	type owner struct {
		manager   string
		operation Operation
	}
	at := make(map[owner]int, len(entries))
	for i, e := range slices.Backward(entries) {
		at[owner{e.Manager, e.Operation}] = i
	}
	for _, e := range then {
		back := changed.common(e.Fields)
		if back.Empty() {
			continue
		}
		if i, found := at[owner{by.Manager, Updated}]; found {
			entries[i].Fields.subtract(back)
		}
		i, found := at[owner{e.Manager, e.Operation}]
		if !found {
			i, e.Fields = len(entries), &Set{}
			entries, at[owner{e.Manager, e.Operation}] = append(entries, e), i
		}
		entries[i].Fields.unite(back)
	}
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.Fields.Empty() })
}
