package value

import "strconv"

// Merge returns theirs with what changed from base to yours, and where that cannot be, since both changed it, each in a way of
// its own: there it keeps theirs. Values that are nil do not exist. Maps are merged member by member, and lists of the same
// length item by item. What it returns shares values with what it was given.
func Merge(base, theirs, yours *Value) (*Value, []Conflict) {
	return MergeFunc(base, theirs, yours, func(Conflict) (*Value, bool) { return nil, false })
}

// MergeFunc is Merge with a function that decides conflicts: where it returns true, its value is what is merged, nil if there is none,
// and there is no conflict.
func MergeFunc(base, theirs, yours *Value, decide func(Conflict) (*Value, bool)) (*Value, []Conflict) {
	m := merger{decide: decide}
	return m.merge("", base, theirs, yours), m.conflicts
}

type merger struct {
	decide    func(Conflict) (*Value, bool)
	conflicts []Conflict
}

func (m *merger) merge(path string, base, theirs, yours *Value) *Value {
	switch {
	case Equal(theirs, yours), Equal(base, yours):
		return theirs
	case Equal(base, theirs):
		return yours
	case theirs.isA(Map) && yours.isA(Map):
		return m.mergeMaps(path, base, theirs, yours)
	case theirs.isA(List) && yours.isA(List) && base.isA(List) && len(theirs.Items) == len(yours.Items) && len(base.Items) == len(theirs.Items):
		items := make([]*Value, len(theirs.Items))
		for i := range items {
			items[i] = m.merge(path+Pointer(strconv.Itoa(i)), base.Items[i], theirs.Items[i], yours.Items[i])
		}
		return NewList(items...)
	}
	conflict := Conflict{Path: path, Base: base, Theirs: theirs, Yours: yours}
	if decided, ok := m.decide(conflict); ok {
		return decided
	}
	m.conflicts = append(m.conflicts, conflict)
	return theirs
}

func (m *merger) mergeMaps(path string, base, theirs, yours *Value) *Value {
	was, have, given := IndexOf(base), IndexOf(theirs), IndexOf(yours)
	var members []Member
	add := func(name string, theirs, yours *Value) {
		if v := m.merge(path+Pointer(name), was.Get(name), theirs, yours); v != nil {
			members = append(members, Member{Name: name, Value: v})
		}
	}
	for _, member := range theirs.Members {
		add(member.Name, member.Value, given.Get(member.Name))
	}
	for _, member := range yours.Members {
		if have.find(member.Name) < 0 {
			add(member.Name, nil, member.Value)
		}
	}
	return NewMap(members...)
}
