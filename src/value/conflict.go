package value

import "strconv"

// Conflict is a value that two changes of the same base want to be different. Values that are nil do not exist there.
type Conflict struct {
	Path          string // in the form of JSON Pointer
	Base          *Value // also nil where the base is not known
	Theirs, Yours *Value
}

// Conflicts returns where storing yours would overwrite a change that made theirs of base: a value of theirs that is not the
// base's, and not the same in yours. Maps are compared member by member, and lists of the same length item by item. Without a
// base, nil, everything in which theirs and yours differ is one.
func Conflicts(base, theirs, yours *Value) []Conflict {
	c := conflicts{based: base != nil}
	c.compare("", base, theirs, yours)
	return c.found
}

type conflicts struct {
	based bool
	found []Conflict
}

func (c *conflicts) compare(path string, base, theirs, yours *Value) {
	switch {
	case Equal(theirs, yours) || c.based && Equal(base, theirs):
	case theirs.isA(Map) && yours.isA(Map):
		was, have, given := IndexOf(base), IndexOf(theirs), IndexOf(yours)
		for _, m := range theirs.Members {
			c.compare(path+Pointer(m.Name), was.Get(m.Name), m.Value, given.Get(m.Name))
		}
		for _, m := range yours.Members {
			if have.find(m.Name) < 0 {
				c.compare(path+Pointer(m.Name), was.Get(m.Name), nil, m.Value)
			}
		}
	case theirs.isA(List) && yours.isA(List) && len(theirs.Items) == len(yours.Items) &&
		(!c.based || base.isA(List) && len(base.Items) == len(theirs.Items)):
		for i, item := range theirs.Items {
			var was *Value
			if base.isA(List) {
				was = base.Items[i]
			}
			c.compare(path+Pointer(strconv.Itoa(i)), was, item, yours.Items[i])
		}
	default:
		c.found = append(c.found, Conflict{Path: path, Base: base, Theirs: theirs, Yours: yours})
	}
}

func (v *Value) isA(kind Kind) bool { return v != nil && v.Kind == kind }
