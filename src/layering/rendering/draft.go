package rendering

import (
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// draft is data that is being changed. It begins as data of documents, which stay as they are: what
// is changed is copied first, along the path to it, and once. Every change is logged, if that is wanted.
type draft struct {
	root *value.Value
	own  map[*value.Value]bool // the maps and lists that were copied
	logs bool
	log  []write
	by   *origin // what is changing the data now; nil without a log

	object   bool // of Kubernetes: null deletes
	patches  bool // $patch says how maps are merged
	problems []mergeProblem

	texts   *int // how many bytes the texts have in which patterns were replaced, in the whole site
	tooMuch bool // they would have had too many
}

// write is one logged change.
type write struct {
	at      path
	removed bool         // the value was deleted; of a list, the items behind it moved up
	old     *value.Value // what was there before; nil if there is nothing
	to      *value.Value // what is there now; nil where the map or list that was made was not noted
	by      *origin
}

func newDraft(root *value.Value, texts *int, logs bool) *draft {
	return &draft{root: root, own: make(map[*value.Value]bool), texts: texts, logs: logs}
}

// note logs a change. The path is kept.
func (d *draft) note(at path, old, to *value.Value) {
	if d.logs {
		d.log = append(d.log, write{at: at, old: old, to: to, by: d.by})
	}
}

// noteRemoved logs that a value is deleted, by a value that says so, nil if there is none. The path is kept.
func (d *draft) noteRemoved(at path, old, says *value.Value) {
	if !d.logs {
		return
	}
	by := d.by
	if says != nil {
		c := *by
		c.v = says
		by = &c
	}
	d.log = append(d.log, write{at: at, removed: true, old: old, by: by})
}

// below is the path with one more step, for the log. Without one there is no need for it.
func (d *draft) below(at path, next step) path {
	if !d.logs {
		return nil
	}
	return append(at[:len(at):len(at)], next)
}

// copied returns a map or list that may be changed.
func (d *draft) copied(v *value.Value) *value.Value {
	if d.own[v] {
		return v
	}
	c := *v
	c.Items = append([]*value.Value(nil), v.Items...)
	c.Members = append([]value.Member(nil), v.Members...)
	return d.made(&c)
}

// made takes a new map or list for one that may be changed.
func (d *draft) made(v *value.Value) *value.Value {
	d.own[v] = true
	return v
}

// blocked says that a path cannot be followed, since there is something else than a map or list.
type blocked struct {
	at path
	v  *value.Value
}

func (b *blocked) String() string {
	return fmt.Sprintf("at %s there is a %s", b.at, b.v.Kind)
}

// set puts a value at the path, and makes the maps and lists on the way. Nulls on the way count as
// nothing. Lists are filled up with empty maps.
func (d *draft) set(at path, to *value.Value) *blocked {
	return d.change(at, func(old *value.Value) *value.Value {
		d.note(at, old, to)
		return to
	})
}

// change puts at the path what a function makes of the value there, which is nil if there is nothing. The
// function logs what it does.
func (d *draft) change(at path, to func(*value.Value) *value.Value) *blocked {
	root, problem := d.descend(d.root, at, 0, to)
	if problem == nil {
		d.root = root
	}
	return problem
}

// descend changes a value that the first steps of the path led to.
func (d *draft) descend(v *value.Value, at path, steps int, to func(*value.Value) *value.Value) (*value.Value, *blocked) {
	if steps == len(at) {
		return to(v), nil
	}
	if v == nil || v.Kind == value.Null {
		d.note(slices.Clip(at[:steps]), v, nil)
		return d.build(at, steps, to), nil
	}
	next := at[steps]
	if next.item {
		return d.descendList(v, at, steps, to)
	}
	if v.Kind != value.Map {
		return nil, &blocked{at[:steps], v}
	}
	i := memberOf(v, next.name)
	if i < 0 {
		made, problem := d.descend(nil, at, steps+1, to)
		v = d.copied(v)
		v.Members = append(v.Members, value.Member{Name: next.name, Value: made})
		return v, problem
	}
	changed, problem := d.descend(v.Members[i].Value, at, steps+1, to)
	if problem != nil {
		return nil, problem
	}
	v = d.copied(v)
	v.Members[i].Value = changed
	return v, nil
}

func (d *draft) descendList(v *value.Value, at path, steps int, to func(*value.Value) *value.Value) (*value.Value, *blocked) {
	if v.Kind != value.List {
		return nil, &blocked{at[:steps], v}
	}
	index := at[steps].index
	var old *value.Value
	if index < len(v.Items) {
		old = v.Items[index]
	}
	changed, problem := d.descend(old, at, steps+1, to)
	if problem != nil {
		return nil, problem
	}
	v = d.copied(v)
	for i := len(v.Items); i <= index; i++ {
		v.Items = append(v.Items, value.NewMap())
		if i < index {
			d.note(d.below(at[:steps], step{item: true, index: i}), nil, nil)
		}
	}
	v.Items[index] = changed
	return v, nil
}

// build makes the maps and lists of the rest of a path if there is nothing. The caller logs the
// whole.
func (d *draft) build(at path, steps int, to func(*value.Value) *value.Value) *value.Value {
	if steps == len(at) {
		logged := len(d.log)
		v := to(nil)
		d.log = d.log[:logged]
		return v
	}
	inner := d.build(at, steps+1, to)
	if !at[steps].item {
		return d.made(value.NewMap(value.Member{Name: at[steps].name, Value: inner}))
	}
	list := value.NewList()
	for range at[steps].index {
		list.Items = append(list.Items, value.NewMap())
	}
	list.Items = append(list.Items, inner)
	return d.made(list)
}

// remove deletes the value at the path, and reports whether it was there.
func (d *draft) remove(at path) bool {
	old := at.find(d.root)
	if old == nil {
		return false
	}
	d.noteRemoved(at, old, nil)
	if len(at) == 0 {
		d.root = d.made(value.NewMap())
		return true
	}
	last := at[len(at)-1]
	d.root, _ = d.descend(d.root, at[:len(at)-1], 0, func(v *value.Value) *value.Value {
		v = d.copied(v)
		if last.item {
			v.Items = append(v.Items[:last.index], v.Items[last.index+1:]...)
		} else {
			v.Delete(last.name)
		}
		return v
	})
	return true
}

// merge puts new data over old: maps are merged member by member, lists that have a key item by item, everything else is replaced.
func (d *draft) merge(at path, keys *ListKeys, old, data *value.Value) *value.Value {
	switch {
	case old != nil && old.Kind == value.Map && data.Kind == value.Map:
		return d.mergeMaps(at, keys, old, data)
	case old != nil && old.Kind == value.List && data.Kind == value.List && keys.merges():
		return d.mergeLists(at, keys, old, data)
	}
	d.note(at, old, data)
	return data
}

func (d *draft) mergeMaps(at path, keys *ListKeys, old, data *value.Value) *value.Value {
	merged := d.copied(old)
	var places map[string]int // made for large maps, so that the time stays linear
	if len(merged.Members) > fewMembers {
		places = make(map[string]int, len(merged.Members))
		for i, m := range merged.Members {
			places[m.Name] = i
		}
	}
	var gone []value.Member // by the values that delete them
	for _, m := range data.Members {
		i, ok := places[m.Name]
		if places == nil {
			i = memberOf(merged, m.Name)
			ok = i >= 0
		}
		var there *value.Value
		if ok {
			there = merged.Members[i].Value
		}
		to := d.mergeMember(d.below(at, step{name: m.Name}), keys.member(m.Name), there, m.Value)
		switch {
		case to == nil && ok:
			gone = append(gone, m)
		case to == nil:
		case ok:
			merged.Members[i].Value = to
		default:
			m.Value = to
			merged.Members = append(merged.Members, m)
		}
	}
	for _, m := range gone {
		next := step{name: m.Name}
		d.noteRemoved(d.below(at, next), next.of(merged), m.Value)
		merged.Delete(m.Name)
	}
	return merged
}

// fewMembers is up to how many members a map is searched one by one.
const fewMembers = 16

func memberOf(v *value.Value, name string) int {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return i
		}
	}
	return -1
}
