package value

import "slices"

// fewMembers is up to how many members a map is searched one by one.
const fewMembers = 16

// Index finds members of a map by name, also in large maps in constant time. It is that of the map as it was when it was made.
type Index struct {
	members []Member
	byName  map[string]int // nil for few members
}

// IndexOf returns the index of a map; of nil and of other values it is empty.
func IndexOf(v *Value) Index {
	if v == nil || v.Kind != Map {
		return Index{}
	}
	x := Index{members: v.Members}
	if len(x.members) > fewMembers {
		x.byName = make(map[string]int, len(x.members))
		for i, m := range x.members {
			x.byName[m.Name] = i
		}
	}
	return x
}

// find returns the place of the member, or -1.
func (x Index) find(name string) int {
	if x.byName != nil {
		if i, ok := x.byName[name]; ok {
			return i
		}
		return -1
	}
	for i := range x.members {
		if x.members[i].Name == name {
			return i
		}
	}
	return -1
}

// Get returns the member's value, or nil.
func (x Index) Get(name string) *Value {
	if i := x.find(name); i >= 0 {
		return x.members[i].Value
	}
	return nil
}

// duplicate returns the places of the first member whose name came before, first the earlier one,
// or -1.
func duplicate(members []Member) (int, int) {
	if len(members) <= fewMembers {
		for j := range members {
			for i := range members[:j] {
				if members[i].Name == members[j].Name {
					return i, j
				}
			}
		}
		return -1, -1
	}
	seen := make(map[string]int, len(members))
	for j := range members {
		if i, ok := seen[members[j].Name]; ok {
			return i, j
		}
		seen[members[j].Name] = j
	}
	return -1, -1
}

// Builder collects the members of a map, each in constant time, also of a large one. The zero value is an empty map.
type Builder struct {
	members []Member
	byName  map[string]int // nil for few members
}

// BuilderOf returns a builder that begins with the members of a map; of nil and of other values it begins empty. The map stays as it is.
func BuilderOf(v *Value) *Builder {
	x := IndexOf(v)
	return &Builder{members: slices.Clone(x.members), byName: x.byName}
}

// SetAll sets all members of a map, those of nil and of other values not.
func (b *Builder) SetAll(of *Value) {
	for _, m := range IndexOf(of).members {
		b.Set(m.Name, m.Value)
	}
}

// Set gives a member a value, as Value.Set does.
func (b *Builder) Set(name string, to *Value) {
	i := Index{members: b.members, byName: b.byName}.find(name)
	if i >= 0 {
		b.members[i].Value = to
		return
	}
	m := Member{Name: name, Value: to}
	if to != nil {
		m.Place = to.Place
	}
	b.members = append(b.members, m)
	switch n := len(b.members); {
	case b.byName != nil:
		b.byName[name] = n - 1
	case n > fewMembers:
		b.byName = IndexOf(b.Map()).byName
	}
}

// Map returns the map of the members that were set.
func (b *Builder) Map() *Value { return &Value{Kind: Map, Members: b.members} }
