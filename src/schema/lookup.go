package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// KindOf returns the kind of an id by the names of its elements; abstract kinds, too. The error has
// the code CodeInvalid and says what the key should be.
func (m *Model) KindOf(id dovetail.ID) (*Kind, error) {
	if k := m.byLast[lastName(id)]; k != nil && k.owns(id) {
		return k, nil
	}
	return nil, m.noKind(id)
}

// lastName returns the name of an id's last element.
func lastName(id dovetail.ID) string {
	pairs := string(id)
	end := strings.LastIndexByte(pairs, '/')
	if end < 0 {
		return ""
	}
	return pairs[strings.LastIndexByte(pairs[:end], '/')+1 : end]
}

// owns reports whether the elements of the id are those of the kind.
func (k *Kind) owns(id dovetail.ID) bool {
	rest := string(id)
	for i, name := range k.Elements {
		after, found := strings.CutPrefix(rest, name)
		if !found || !strings.HasPrefix(after, "/") {
			return false
		}
		end := strings.IndexByte(after[1:], '/')
		if end < 0 {
			return i == len(k.Elements)-1
		}
		rest = after[end+2:]
	}
	return false
}

func (m *Model) noKind(id dovetail.ID) error {
	names := id.Key().Names()
	err := dovetail.Errorf(dovetail.CodeInvalid, "unknown kind: no kind has the key elements %s", strings.Join(names, ", "))
	err.Key = id
	err.Remedy = "write the key from the root on, as name/value pairs: project/p1/app/nginx"
	for _, name := range names {
		if m.byName[name] == nil {
			err.Remedy = didYouMean(name, m.elements(), fmt.Sprintf("no kind has an element %q", name))
			return err
		}
	}
	if len(names) > 0 {
		k := m.byName[names[len(names)-1]]
		err.Remedy = fmt.Sprintf("the key elements of %s are %s", k.Name, strings.Join(k.Elements, ", "))
	}
	return err
}

// elements returns all element names, sorted.
func (m *Model) elements() []string {
	var all []string
	for _, n := range m.names {
		all = append(all, n.Name)
	}
	return all
}

// Find returns the kind that a user means: by an element name, a dotted name, or the last segment or
// the alias of a collection, also without hyphens; upper and lower case are the same. The error has the code CodeInvalid
// and suggests the nearest name.
func (m *Model) Find(word string) (*Kind, error) {
	if k := m.byName[word]; k != nil {
		return k, nil
	}
	var found []*Kind
	for _, k := range m.kinds {
		if k.Abstract && m.byName[k.Name] != k || !k.isCalled(word) {
			continue
		}
		found = append(found, k)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("there is no kind %q", word),
			Remedy: didYouMean(word, m.elements(), "`dovetail schema show` lists the kinds")}
	}
	var names []string
	for _, k := range found {
		names = append(names, k.Name)
	}
	return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("%q may mean %s", word, enumerate(names)),
		Remedy: "use the name of one of them"}
}

func (k *Kind) isCalled(word string) bool {
	is := func(name string) bool { return strings.EqualFold(name, word) }
	return is(k.Name) || is(k.Entry) || slices.ContainsFunc(k.Collections, func(c Collection) bool {
		last := c.Path[strings.LastIndexByte(c.Path, '/')+1:]
		return c.Alias != "" && is(c.Alias) || is(c.Path) || is(last) || is(strings.ReplaceAll(last, "-", ""))
	})
}

// ID returns the id with these values of the kind's elements, from the root on. The error has the
// code CodeInvalid and names every value that no key can have.
func (k *Kind) ID(values ...string) (dovetail.ID, error) {
	if len(values) != len(k.Elements) {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: fmt.Sprintf("a key of %s has %d elements, not %d", k.Name, len(k.Elements), len(values)),
			Remedy:  "give " + enumerate(k.Elements)}
	}
	var id dovetail.ID
	var errs dovetail.Errors
	for i, name := range k.Elements {
		if why := dovetail.CheckValue(values[i]); why != "" {
			errs.Add(dovetail.Errorf(dovetail.CodeInvalid, "the value of %s %s", name, why))
		}
		id = id.Child(name, values[i])
	}
	if err := errs.Err("invalid key"); err != nil {
		return "", err
	}
	return id, nil
}

// ParentID returns the id of the document that must exist for this one: that of the nearest ancestor
// that is not abstract, "" when there is none. The id must be one of the kind.
func (k *Kind) ParentID(id dovetail.ID) dovetail.ID {
	for ; k != nil; k = k.Parent {
		id = cutElements(id, len(k.Own))
		if k.Parent != nil && !k.Parent.Abstract {
			return id
		}
	}
	return ""
}

// cutElements removes the last n elements of an id.
func cutElements(id dovetail.ID, n int) dovetail.ID {
	text := string(id)
	for range 2 * n {
		text = text[:max(0, strings.LastIndexByte(text, '/'))]
	}
	return dovetail.ID(text)
}

// Name is what the schema says of one element name. A dotted entry has two: the first half has no
// documents of its own, the second shares its parent's document with it (TrimParent).
type Name struct {
	Name         string   `json:"name"`
	Parent       string   `json:"parent"`
	TrimParent   bool     `json:"trimParent"`
	KeyID        string   `json:"keyId"`
	Key          []string `json:"key"`          // the elements of the key up to this one, sorted
	Children     []string `json:"children"`     // element names whose parent this is, sorted
	ReferencedBy []string `json:"referencedBy"` // kinds with a reference rule to it, sorted
}

// Names describes every element name, sorted.
func (m *Model) Names() []Name { return m.names }

func (c *compiler) elementNames() []Name {
	children := make(map[string][]string)
	var all []Name
	for _, r := range c.resources {
		k := c.kinds[r]
		above := r.elements[:len(r.elements)-len(r.own)]
		parent := ""
		if len(above) > 0 {
			parent = above[len(above)-1]
		}
		for i, name := range r.own {
			key := r.elements[:len(above)+i+1]
			n := Name{Name: name, Parent: parent, TrimParent: i > 0, KeyID: dovetail.KeyIDOf(key), Key: slices.Sorted(slices.Values(key)),
				ReferencedBy: []string{}}
			if name == k.Name {
				for _, by := range k.ReferencedBy {
					n.ReferencedBy = append(n.ReferencedBy, by.Name)
				}
			}
			if parent != "" {
				children[parent] = append(children[parent], name)
			}
			all = append(all, n)
			parent = name
		}
	}
	for i := range all {
		all[i].Children = slices.AppendSeq([]string{}, slices.Values(children[all[i].Name]))
		slices.Sort(all[i].Children)
	}
	slices.SortFunc(all, func(a, b Name) int { return strings.Compare(a.Name, b.Name) })
	return all
}
