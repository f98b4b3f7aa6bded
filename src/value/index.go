package value

// fewMembers is up to how many members a map is searched one by one.
const fewMembers = 16

// index finds members by name, also in large maps in constant time.
type index struct {
	members []Member
	byName  map[string]int // nil for few members
}

func indexOf(v *Value) index {
	if v == nil || v.Kind != Map {
		return index{}
	}
	x := index{members: v.Members}
	if len(x.members) > fewMembers {
		x.byName = make(map[string]int, len(x.members))
		for i, m := range x.members {
			x.byName[m.Name] = i
		}
	}
	return x
}

// find returns the place of the member, or -1.
func (x index) find(name string) int {
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

// get returns the member's value, or nil.
func (x index) get(name string) *Value {
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
