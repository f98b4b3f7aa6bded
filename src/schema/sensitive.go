package schema

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// sensitive is the field of a resource as it was written: true, or a list of JSON Pointers.
type sensitive struct {
	at    dovetail.Position // zero when it was not given
	whole bool
	paths []text
}

// sensitive reads true, false or a list of paths.
func (p *parser) sensitive(f decode.Field) sensitive {
	s := sensitive{at: at(f)}
	switch f.Kind() {
	case value.Bool:
		s.whole = f.Bool()
	case value.List:
		if s.paths = readTexts(f); len(s.paths) == 0 {
			p.add(FaultBadValue, s.at, "list the paths, or leave the field out", "sensitive is empty")
		}
	default:
		f.WrongType("true, false or a list of paths", "write one of them")
	}
	return s
}

// meaning is the field without its positions.
func (s sensitive) meaning() Sensitive {
	return Sensitive{Whole: s.whole, Paths: slices.Sorted(slices.Values(values(s.paths)))}
}

// copies are where programs keep what they like, which may be copies of all data: kubectl apply keeps the whole document in the annotation
// kubectl.kubernetes.io/last-applied-configuration, and managedFields have values of lists in their keys.
var copies = []string{"/metadata/annotations", "/metadata/managedFields", "/metadata/userData1", "/metadata/userData2"}

// Places returns JSON Pointers to all that may hold secrets, sorted: the paths, and the parts of metadata that may have copies of what is there. Whoever
// stores, searches or shows a part of the data asks it. None is for a kind without secrets, and for one that is sensitive as a whole.
func (s Sensitive) Places() []string {
	if len(s.Paths) == 0 {
		return nil
	}
	return slices.Sorted(slices.Values(append(slices.Clip(s.Paths), copies...)))
}

// sensitive checks the paths: JSON Pointers into the data, none of them inside another, and none into
// metadata, which names a document and is searched.
func (c *checker) sensitive(r *resource) {
	for i, path := range r.sensitive.paths {
		if path.bad {
			continue
		}
		within := func(other text) bool {
			return path.value == other.value || strings.HasPrefix(path.value, other.value+"/")
		}
		parts, valid := value.SplitPointer(path.value)
		switch {
		case !valid || len(parts) == 0:
			c.add(FaultBadValue, path.at, "write a JSON Pointer into the data, such as /spec/data, or sensitive: true for all of it",
				"%s: %s is not a path into the data", r.name.value, short(path.value))
		case parts[0] == "metadata" || parts[0] == "status":
			c.add(FaultBadValue, path.at, "mark a part of spec",
				"%s: %s cannot be sensitive: documents are found by their metadata, and services write the status", r.name.value, short(path.value))
		case slices.ContainsFunc(r.sensitive.paths[:i], within), slices.ContainsFunc(r.sensitive.paths[i+1:], func(other text) bool {
			return other.value != path.value && within(other)
		}):
			c.add(FaultBadValue, path.at, "remove it", "%s: the sensitive path %s lies inside another one", r.name.value, short(path.value))
		}
	}
}

// String says in words what is sensitive: "all", "nothing" or the paths.
func (s Sensitive) String() string {
	switch {
	case s.Whole:
		return "all"
	case len(s.Paths) == 0:
		return "nothing"
	}
	return enumerate(s.Paths)
}
