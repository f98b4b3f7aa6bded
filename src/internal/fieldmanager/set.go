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

// Empty says whether there is no field in the set.
func (s *Set) Empty() bool { return s == nil || len(s.members) == 0 }

// each calls f for every field, in the order of paths.
func (s *Set) each(f func(path []string)) { s.walk(nil, f) }

func (s *Set) walk(above []string, f func(path []string)) {
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		path := append(slices.Clip(above), name)
		if below := s.members[name]; below.Empty() {
			f(path)
		} else {
			below.walk(path, f)
		}
	}
}

// has says whether the set has the field, or one in it.
func (s *Set) has(path []string) bool {
	for _, name := range path {
		if s = s.members[name]; s == nil {
			return false
		}
	}
	return true
}

// add puts a field into the set.
func (s *Set) add(path []string) {
	for _, name := range path {
		below := s.members[name]
		if below == nil {
			below = &Set{}
			s.put(name, below)
		}
		s = below
	}
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
		v.Set(memberPrefix+name, s.members[name].value())
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
