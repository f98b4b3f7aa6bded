package fieldmanager

import (
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Conflict is a field that another manager owns, and that applying would change. Conflicts after the first dovetail.MaxErrors are
// zero: they are only counted.
type Conflict struct {
	Manager   string
	Operation Operation
	Path      []string
}

// Error says who owns the field.
func (c Conflict) Error() string {
	text := "conflict with " + strconv.Quote(c.Manager)
	if c.Operation == Updated {
		text += " (Update)"
	}
	return text
}

// Force says whose fields a manager takes that applies other values.
type Force string

// The forces.
const (
	ForceNone    Force = ""        // no other manager's
	ForceUnowned Force = "unowned" // those without another known manager: of BeforeFirstApply, and what the manager itself set in another way
	ForceAll     Force = "all"     // any manager's
)

// Apply applies the configuration of a manager to the data of a document: its fields get the values of the configuration, and the fields
// that it applied before and that are not in it any more are removed, unless another manager owns them, too. by is the manager with the time
// and version; its fields are those of the configuration. Live is nil for a document that does not exist, and entries are who owns its
// fields until now.
//
// Where fields that others own would change, the conflicts are returned and nothing else; by force they become the manager's.
// The arguments are not changed.
func Apply(live, config *value.Value, entries Entries, by Entry, force Force) (*value.Value, Entries, []Conflict) {
	config = config.Unplaced()
	by.Operation, by.Fields = Applied, fieldsOf(config)
	entries = entries.clone()
	if live == nil {
		return config, entries.set(by), nil
	}
	if len(entries) == 0 {
		entries = entries.set(Entry{Manager: BeforeFirstApply, Operation: Updated, APIVersion: by.APIVersion, Time: by.Time, Fields: fieldsOf(live)})
	}
	own := &Set{}
	if at := entries.find(by.Manager, Applied); at >= 0 {
		own = entries[at].Fields
	}
	others := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Manager == by.Manager && e.Operation == Applied })
	taken := &Set{}
	data := overlaid(live, withoutName(config), taken)
	if conflicts := conflictsOf(others, taken, by.Manager, force); len(conflicts) > 0 {
		return nil, nil, conflicts
	}
	held := by.Fields.clone()
	for _, e := range others {
		e.Fields.subtract(taken)
		held.unite(e.Fields)
	}
	prune(data, own, held)
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Fields.Empty() })
	return data, entries.set(by), nil
}

// withoutName is a configuration without the field that has no owner.
func withoutName(config *value.Value) *value.Value {
	if meta := config.Get(name[0]); hasMembers(meta) && meta.Get(name[1]) != nil {
		if meta.Delete(name[1]); len(meta.Members) == 0 {
			config.Delete(name[0])
		}
	}
	return config
}

// overlaid returns the members of live with those of a configuration, and adds the fields to taken that are replaced or new: of a map in place
// of a scalar or list, this one. It keeps the configuration.
func overlaid(live, config *value.Value, taken *Set) *value.Value {
	given, had := value.IndexOf(config), value.IndexOf(live)
	data := value.NewMap()
	if hasMembers(live) {
		for _, m := range live.Members {
			to := given.Get(m.Name)
			switch {
			case m.Value.Kind == value.Map && hasMembers(to):
				below := &Set{}
				if to = overlaid(m.Value, to, below); !below.Empty() {
					taken.put(m.Name, below)
				}
			case to == nil || m.Value.Kind == value.Map && to.Kind == value.Map || value.Equal(m.Value, to):
				to = m.Value.Unplaced()
			default:
				taken.put(m.Name, &Set{})
			}
			data.Members = append(data.Members, value.Member{Name: m.Name, Value: to})
		}
	}
	for _, m := range config.Members {
		if had.Get(m.Name) == nil {
			taken.put(m.Name, allOf(m.Value))
			data.Members = append(data.Members, m)
		}
	}
	return data
}

// conflictsOf returns which taken fields others own that a manager may not take from them.
func conflictsOf(others Entries, taken *Set, manager string, force Force) []Conflict {
	var conflicts []Conflict
	total := 0
	for _, e := range others {
		if force == ForceAll || force == ForceUnowned && (e.Manager == BeforeFirstApply || e.Manager == manager) {
			continue
		}
		both := taken.common(e.Fields)
		total += both.count()
		both.first(dovetail.MaxErrors, func(path []string) { conflicts = append(conflicts, Conflict{e.Manager, e.Operation, path}) })
	}
	slices.SortStableFunc(conflicts, func(a, b Conflict) int { return slices.Compare(a.Path, b.Path) })
	clear(conflicts[min(len(conflicts), dovetail.MaxErrors):])
	return append(conflicts, make([]Conflict, total-len(conflicts))...)
}

// prune deletes the fields of a set that no one holds, and the maps on the way to them that become empty and that no one holds. A nil held is
// that of no one.
func prune(data *value.Value, gone, held *Set) {
	data.Members = slices.DeleteFunc(data.Members, func(m value.Member) bool {
		below := gone.members[m.Name]
		if below == nil {
			return false
		}
		var holds *Set
		if held != nil {
			holds = held.members[m.Name]
		}
		if below.Empty() || m.Value.Kind != value.Map {
			return below.Empty() && holds == nil
		}
		prune(m.Value, below, holds)
		return holds == nil && len(m.Value.Members) == 0
	})
}

// WithoutNulls is a configuration of Kubernetes, where a null says nothing of its field: the value without the members of maps that are null, and without maps that have only these.
func WithoutNulls(v *value.Value) *value.Value {
	if v.Kind != value.Map {
		return v.Unplaced()
	}
	left := value.NewMap()
	for _, m := range v.Members {
		if m.Value.Kind == value.Null {
			continue
		}
		below := WithoutNulls(m.Value)
		if below.Kind == value.Map && len(below.Members) == 0 && len(m.Value.Members) > 0 {
			continue
		}
		left.Members = append(left.Members, value.Member{Name: m.Name, Value: below})
	}
	return left
}
