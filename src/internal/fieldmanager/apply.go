package fieldmanager

import (
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/value"
)

// Conflict is a field that another manager owns, and that applying would change.
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
	var conflicts []Conflict
	data := live.Unplaced()
	by.Fields.each(func(path []string) {
		to := config.At(path...)
		if at := live.At(path...); at != nil && (value.Equal(at, to) || at.Kind == value.Map && to.Kind == value.Map) {
			return
		}
		replaced := replacedBy(live, path)
		for _, e := range others {
			if e.Fields.has(replaced) {
				if force == ForceNone || force == ForceUnowned && e.Manager != BeforeFirstApply && e.Manager != by.Manager {
					conflicts = append(conflicts, Conflict{e.Manager, e.Operation, replaced})
				}
				e.Fields.remove(replaced)
			}
		}
		setAt(data, path, to)
	})
	if len(conflicts) > 0 {
		return nil, nil, conflicts
	}
	held := func(path []string) bool {
		return by.Fields.has(path) || slices.ContainsFunc(others, func(e Entry) bool { return e.Fields.has(path) })
	}
	own.each(func(path []string) {
		if !held(path) {
			deleteAt(data, path, 0, held)
		}
	})
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Fields.Empty() })
	return data, entries.set(by), nil
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
		left.Set(m.Name, below)
	}
	return left
}

// replacedBy is the field that setting the one of a path replaces: itself, or a scalar or list on the way to it.
func replacedBy(data *value.Value, path []string) []string {
	for i, name := range path {
		if data = data.Get(name); data == nil {
			break
		}
		if data.Kind != value.Map {
			return path[:i+1]
		}
	}
	return path
}

// setAt sets a value in a map, with maps on the way to it.
func setAt(data *value.Value, path []string, to *value.Value) {
	for _, name := range path[:len(path)-1] {
		below := data.Get(name)
		if below == nil || below.Kind != value.Map {
			below = value.NewMap()
			data.Set(name, below)
		}
		data = below
	}
	data.Set(path[len(path)-1], to.Unplaced())
}

// deleteAt deletes the member that path[at:] leads to, and the maps on the way to it that become empty and that no manager owns.
func deleteAt(data *value.Value, path []string, at int, held func(path []string) bool) {
	name := path[at]
	if at < len(path)-1 {
		below := data.Get(name)
		if below == nil || below.Kind != value.Map {
			return
		}
		if deleteAt(below, path, at+1, held); len(below.Members) > 0 || held(path[:at+1]) {
			return
		}
	}
	data.Delete(name)
}
