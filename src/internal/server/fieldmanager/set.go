package fieldmanager

import (
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// Set is a set of fields: a tree of the members on the way to them. The zero value is empty.
type Set struct {
	members map[string]*Set // of a field that is owned as a whole none
}

// name is the field without an owner: a document's name is not set by those who write it.
var name = []string{"metadata", "name"}

// fieldsOf are the fields of data: the scalars, lists and empty maps in it.
func fieldsOf(data *value.Value) *Set {
	s := allOf(data)
	s.remove(name)
	return s
}

func allOf(v *value.Value) *Set {
	s := &Set{}
	if v.Kind == value.Map {
		for _, m := range v.Members {
			s.put(m.Name, allOf(m.Value))
		}
	}
	return s
}

func (s *Set) put(name string, below *Set) {
	if s.members == nil {
		s.members = make(map[string]*Set)
	}
	s.members[name] = below
}

// Empty reports whether there is no field in the set.
func (s *Set) Empty() bool { return s == nil || len(s.members) == 0 }

// each calls f for every field, in the order of paths.
func (s *Set) each(f func(path []string)) { s.first(s.count(), f) }

// first calls f for the first n fields, in the order of paths.
func (s *Set) first(n int, f func(path []string)) {
	s.walk(nil, func(path []string) bool {
		if n--; n >= 0 {
			f(path)
		}
		return n > 0
	})
}

func (s *Set) walk(above []string, f func(path []string) bool) bool {
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		path, below := append(slices.Clip(above), name), s.members[name]
		if below.Empty() && !f(path) || !below.Empty() && !below.walk(path, f) {
			return false
		}
	}
	return true
}

// count returns how many fields there are in the set.
func (s *Set) count() int {
	n := 0
	for _, below := range s.members {
		n += max(1, below.count())
	}
	return n
}

// has reports whether the set has the field, or one in it.
func (s *Set) has(path []string) bool {
	for _, name := range path {
		if s = s.members[name]; s == nil {
			return false
		}
	}
	return true
}

// unite puts the fields of another set into this one.
func (s *Set) unite(other *Set) {
	for name, from := range other.members {
		if below := s.members[name]; below != nil {
			below.unite(from)
		} else {
			s.put(name, from.clone())
		}
	}
}

// common returns the fields of the set that the other one has, each, or fields in it.
func (s *Set) common(other *Set) *Set {
	both := &Set{}
	for name := range smaller(s, other).members {
		mine, its := s.members[name], other.members[name]
		switch {
		case mine == nil || its == nil:
		case mine.Empty():
			both.put(name, &Set{})
		default:
			if below := mine.common(its); !below.Empty() {
				both.put(name, below)
			}
		}
	}
	return both
}

// subtract takes out the fields of another set, and those in them.
func (s *Set) subtract(other *Set) {
	var gone []string
	for name := range smaller(s, other).members {
		mine, its := s.members[name], other.members[name]
		if mine == nil || its == nil || mine.Empty() && !its.Empty() {
			continue
		}
		if !its.Empty() {
			if mine.subtract(its); !mine.Empty() {
				continue
			}
		}
		gone = append(gone, name)
	}
	for _, name := range gone {
		delete(s.members, name)
	}
}

// smaller returns the one of two sets that has fewer members: those of both are found by going through these.
func smaller(a, b *Set) *Set {
	if len(a.members) < len(b.members) {
		return a
	}
	return b
}

// remove takes out the field, and those in it.
func (s *Set) remove(path []string) {
	below := s.members[path[0]]
	if below == nil {
		return
	}
	if len(path) > 1 {
		if below.Empty() {
			return
		}
		if below.remove(path[1:]); !below.Empty() {
			return
		}
	}
	delete(s.members, path[0])
}

func (s *Set) equal(other *Set) bool {
	return maps.EqualFunc(s.members, other.members, (*Set).equal)
}

// The prefix of members in the form of Kubernetes (FieldsV1). The item "." says that a map is owned itself, which is not kept apart here.
const (
	memberPrefix = "f:"
	itself       = "."
)

// value is the set in the form of Kubernetes: {"f:spec": {"f:replicas": {}}}.
func (s *Set) value() *value.Value {
	v := value.NewMap()
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		v.Members = append(v.Members, value.Member{Name: memberPrefix + name, Value: s.members[name].value()})
	}
	return v
}

// setOf reads the form of Kubernetes. Items of lists are taken for the lists, which are owned as a whole; ok is false for what is no set.
func setOf(v *value.Value) (s *Set, ok bool) {
	s = &Set{}
	if v == nil || v.Kind != value.Map {
		return s, false
	}
	for _, m := range v.Members {
		switch prefix, _, _ := strings.Cut(m.Name, ":"); {
		case m.Name == itself:
		case prefix == "k", prefix == "v", prefix == "i": // an item of a list
			return &Set{}, true
		case !strings.HasPrefix(m.Name, memberPrefix):
			return nil, false
		default:
			below, ok := setOf(m.Value)
			if !ok {
				return nil, false
			}
			s.put(strings.TrimPrefix(m.Name, memberPrefix), below)
		}
	}
	return s, true
}
