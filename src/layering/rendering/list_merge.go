package rendering

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// A member of a map in a Kubernetes object, or in a document that names keys of lists, that says how the map takes part in a merge, as in patches for kustomize and kubectl.
const patchMember = "$patch"

const (
	patchDelete  = "delete"
	patchReplace = "replace"
	patchMerge   = "merge"
)

// mergeProblem is why a merge cannot be done.
type mergeProblem struct {
	class   string
	v       *value.Value // where, in the document's own data
	message string
	remedy  string
}

func (d *draft) refuseMerge(class string, v *value.Value, remedy, format string, args ...any) {
	d.problems = append(d.problems, mergeProblem{class: class, v: v, remedy: remedy, message: fmt.Sprintf(format, args...)})
}

// mergeLists merges the items that have the same key, and puts the others of the data at the end.
func (d *draft) mergeLists(at path, keys *ListKeys, old, data *value.Value) *value.Value {
	if i := slices.IndexFunc(data.Items, isReplacement); i >= 0 {
		rest := *data
		rest.Items = slices.Delete(slices.Clone(data.Items), i, i+1)
		d.note(at, old, &rest)
		return &rest
	}
	places, ok := d.placesOf(keys.Key, old, data, "the list that is inherited here")
	if _, own := d.placesOf(keys.Key, data, nil, "the list"); !ok || !own {
		return old
	}
	merged := d.copied(old)
	gone := make(map[int]*value.Value) // by the items that delete them
	for _, item := range data.Items {
		key, _ := keys.Key.of(item)
		what, rest := patchOf(item)
		i, there := places[key]
		switch {
		case what == patchDelete && !there:
			d.refuseMerge(ClassMissingDocumentKey, item, "correct the "+keys.Key.Name+", or remove the item", "the inherited list has no item with the %s %s to delete", keys.Key.Name, key)
		case what == patchDelete:
			gone[i] = item
		case !there:
			d.note(d.below(at, step{item: true, index: len(merged.Items)}), nil, rest)
			merged.Items = append(merged.Items, rest)
		case what == patchReplace:
			d.note(d.below(at, step{item: true, index: i}), merged.Items[i], rest)
			merged.Items[i] = rest
		default:
			merged.Items[i] = d.merge(d.below(at, step{item: true, index: i}), keys.Items, merged.Items[i], rest)
		}
	}
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(gone))) { // the last first, so that the places of the others stay
		d.noteRemoved(d.below(at, step{item: true, index: i}), merged.Items[i], gone[i])
		merged.Items = slices.Delete(merged.Items, i, i+1)
	}
	return merged
}

// placesOf returns where in a list the items with each key are. What is wrong with an item is reported there, or at another value.
func (d *draft) placesOf(key ListKey, list, instead *value.Value, what string) (map[string]int, bool) {
	places, ok := make(map[string]int, len(list.Items)), true
	for i, item := range list.Items {
		text, problem := key.of(item)
		first, twice := places[text]
		at := instead
		if at == nil {
			at = item
		}
		switch {
		case problem != "":
			ok = false
			d.refuseMerge(ClassMissingDocumentKey, at, "add it, or replace the list by an action replace", "%s is merged by %s, but of its item %d: %s", what, key.Name, i, problem)
		case twice:
			ok = false
			d.refuseMerge(ClassInvalidDocumentFormat, at, "remove one of the two, or replace the list by an action replace", "%s is merged by %s, but its items %d and %d both have %s", what, key.Name, first, i, text)
		default:
			places[text] = i
		}
	}
	return places, ok
}

// mergeMember merges a member of a map over the one that is there, nil if there is none. It returns nil to delete it.
func (d *draft) mergeMember(at path, keys *ListKeys, old, data *value.Value) *value.Value {
	switch {
	case !d.patches:
		return d.merge(at, keys, old, data)
	case d.object && data.Kind == value.Null:
		return nil
	}
	what, rest := patchOf(data)
	switch {
	case old == nil && what == patchDelete:
		d.refuseMerge(ClassMissingDocumentKey, data, "correct the name, or remove the member", "the document inherits nothing that could be deleted here")
		return nil
	case what == patchDelete:
		return nil
	case what == patchReplace:
		d.note(at, old, rest)
		return rest
	}
	return d.merge(at, keys, old, rest)
}

// patchOf returns what a map says about how it is merged, merge unless it says something else, and the map without that.
func patchOf(v *value.Value) (string, *value.Value) {
	i := memberOf(v, patchMember)
	if i < 0 {
		return patchMerge, v
	}
	what, _ := v.Members[i].Value.Str()
	if what != patchDelete && what != patchReplace && what != patchMerge {
		return patchMerge, v // it stays, and is refused as all that stay
	}
	rest := *v
	rest.Members = slices.Delete(slices.Clone(v.Members), i, i+1)
	return what, &rest
}

// isReplacement reports whether an item of a list is nothing but the directive that the others replace the list.
func isReplacement(item *value.Value) bool {
	what, rest := patchOf(item)
	return what == patchReplace && len(rest.Members) == 0
}

// isDirective reports whether a member is one of those by which patches say how something is merged.
func isDirective(name string) bool {
	return name == patchMember || name == "$retainKeys" || strings.HasPrefix(name, "$setElementOrder/") || strings.HasPrefix(name, "$deleteFromPrimitiveList/")
}

// directiveIn returns the first directive in a value, and its name; nil if there is none.
func directiveIn(v *value.Value) (directive *value.Value, name string) {
	search(v, nil, func(_ []string, in *value.Value) bool {
		i := slices.IndexFunc(in.Members, func(m value.Member) bool { return isDirective(m.Name) })
		if i >= 0 {
			directive, name = in.Members[i].Value, in.Members[i].Name
		}
		return i >= 0
	})
	return directive, name
}

// wayTo returns the names and indexes that lead to a value in another one, nil if it is not there.
func wayTo(in, v *value.Value) (way []string) {
	search(in, nil, func(at []string, of *value.Value) bool {
		if of == v {
			way = slices.Clone(at)
		}
		return of == v
	})
	return way
}

// search visits a value and all in it, until a visit returns true.
func search(v *value.Value, at []string, visit func([]string, *value.Value) bool) bool {
	if visit(at, v) {
		return true
	}
	for i, item := range v.Items {
		if search(item, append(at, strconv.Itoa(i)), visit) {
			return true
		}
	}
	for _, m := range v.Members {
		if search(m.Value, append(at, m.Name), visit) {
			return true
		}
	}
	return false
}

// refuseMerges reports what an action could not merge.
func (s *Site) refuseMerges(n *node, d *draft, i int) {
	a := &n.actions[i]
	for _, p := range d.problems {
		at := n.place(a.v.Get("path"), "metadata", "layeringDefinition", "actions", strconv.Itoa(i), "path")
		if way := wayTo(n.Data(), p.v); way != nil {
			at = n.place(p.v, append([]string{"data"}, way...)...)
		}
		s.refuse(n, p.class, at, p.remedy, "%s", p.message)
	}
	d.problems = nil
}

// refuseDirectives refuses what would be left in the object of how its parts are merged: there was nothing to merge with, or it
// is not known.
func (s *Site) refuseDirectives(n *node) {
	left, name := directiveIn(n.data)
	if left == nil {
		return
	}
	at := n.Position()
	if way := wayTo(n.Data(), left); way != nil {
		at = n.place(left, append([]string{"data"}, way...)...)
	}
	if name == patchMember {
		s.refuse(n, ClassMissingDocumentKey, at, "remove it, or correct what it stands in: the value is delete, replace or merge, in a map that the document inherits, or in an item of a list that is merged by a key",
			"%s has nothing to change here", name)
		return
	}
	s.refuse(n, ClassInvalidDocumentFormat, at, "use $patch: replace, or an action replace or delete", "%s is not supported", name)
}
