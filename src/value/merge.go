package value

import "strconv"

// Merge returns theirs with what changed from base to yours, and where that cannot be, since both changed it, each in a way of
// its own: there it keeps theirs. Values that are nil do not exist. Maps are merged member by member, and lists of the same
// length item by item. What it returns shares values with what it was given.
func Merge(base, theirs, yours *Value) (*Value, []Conflict) {
	var m merger
	return m.merge("", base, theirs, yours), m.conflicts
}

type merger struct{ conflicts []Conflict }

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
	m.conflicts = append(m.conflicts, Conflict{Path: path, Base: base, Theirs: theirs, Yours: yours})
	return theirs
}

func (m *merger) mergeMaps(path string, base, theirs, yours *Value) *Value {
	was, have, given := indexOf(base), indexOf(theirs), indexOf(yours)
	var members []Member
	add := func(name string, theirs, yours *Value) {
		if v := m.merge(path+Pointer(name), was.get(name), theirs, yours); v != nil {
			members = append(members, Member{Name: name, Value: v})
		}
	}
	for _, member := range theirs.Members {
		add(member.Name, member.Value, given.get(member.Name))
	}
	for _, member := range yours.Members {
		if have.find(member.Name) < 0 {
			add(member.Name, nil, member.Value)
		}
	}
	return NewMap(members...)
}
