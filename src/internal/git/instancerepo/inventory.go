package instancerepo

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// list is where a ParamSet is associated: an inventory has one list for each context and object.
type list struct {
	context string // the token
	object  string
}

// entry is one name in a list.
type entry struct {
	name  string
	order int
}

// inventory returns the inventory with the lists that the associations make. Lists of the old one that
// say the same stay as they are, with what is wrong in them.
func (s *set) inventory(definition, old *value.Value) *value.Value {
	lists := s.lists()
	template, before := definition.Get(templateMember), old.Get(templateMember)
	if template == nil && before != nil {
		template = value.NewMap()
	}
	for _, section := range sections {
		objects := make(map[string][]string)
		for l, names := range lists {
			if l.context == section.context.Token() {
				objects[l.object] = names
			}
		}
		if v := sectionOf(objects, before.Get(section.member)); v != nil {
			template = replaced(asMap(template), section.member, v)
		}
	}
	if template == nil {
		return definition
	}
	return replaced(definition, templateMember, template)
}

func asMap(v *value.Value) *value.Value {
	if v == nil || v.Kind != value.Map {
		return value.NewMap()
	}
	return v
}

// sectionOf returns the lists of a context by their objects, over the old ones; nil when there is nothing.
func sectionOf(objects map[string][]string, old *value.Value) *value.Value {
	if old != nil && old.Kind != value.Map {
		if len(objects) == 0 {
			return old
		}
		old = nil
	}
	section := value.NewMap()
	if old != nil {
		for _, m := range old.Members {
			wanted := objects[m.Name]
			if !slices.Equal(wanted, namesIn(m.Value)) {
				if len(wanted) == 0 {
					continue
				}
				m = value.Member{Name: m.Name, Value: stringList(wanted)}
			}
			section.Members = append(section.Members, m)
		}
	}
	for _, object := range slices.Sorted(maps.Keys(objects)) {
		if section.Get(object) == nil {
			section.Members = append(section.Members, value.Member{Name: object, Value: stringList(objects[object])})
		}
	}
	if len(section.Members) == 0 && (old == nil || len(old.Members) > 0) {
		return nil
	}
	return section
}

// namesIn returns the ParamSets that a list of an inventory associates.
func namesIn(v *value.Value) []string {
	var names []string
	if v.Kind != value.List {
		return nil
	}
	for _, item := range v.Items {
		if name, ok := item.Str(); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func stringList(names []string) *value.Value {
	v := value.NewList()
	for _, name := range names {
		v.Items = append(v.Items, value.NewString(name))
	}
	return v
}

// lists returns the names that are to be in each list, in their order: those of the associations, and
// between them, where they stood, those that no association can be.
func (s *set) lists() map[list][]string {
	associated, unresolved := make(map[list][]entry), make(map[list][]entry)
	for _, d := range s.documents {
		spec := d.Data.Get("spec")
		if _, name := paramSetOf(d); name != "" {
			add(associated, spec, name)
			continue
		}
		items := spec.Get(unresolvedMember)
		if items == nil {
			continue
		}
		for _, item := range items.Items {
			if name, ok := item.Get("name").Str(); ok {
				add(unresolved, item, name)
			}
		}
	}
	lists := make(map[list][]string)
	for l, entries := range associated {
		for _, e := range entries {
			lists[l] = append(lists[l], e.name)
		}
	}
	for l, entries := range unresolved {
		for _, e := range entries {
			if names := lists[l]; !slices.Contains(names, e.name) {
				lists[l] = slices.Insert(names, min(max(e.order, 0), len(names)), e.name)
			}
		}
	}
	return lists
}

// add puts an entry into its list, behind those of no higher order.
func add(lists map[list][]entry, v *value.Value, name string) {
	token, _ := v.Get("context").Str()
	context, err := parameters.ParseContext(token)
	object, ok := v.Get("associatedObject").Str()
	if err != nil || !ok {
		return
	}
	var order int
	if n := v.Get("order"); n != nil {
		order, _ = strconv.Atoi(n.Text)
	}
	l := list{context.Token(), object}
	at, _ := slices.BinarySearchFunc(lists[l], order+1, func(e entry, order int) int { return cmp.Compare(e.order, order) })
	lists[l] = slices.Insert(lists[l], at, entry{name, order})
}
