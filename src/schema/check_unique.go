package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxUnique is how many constraints a kind may have, and how many paths one of them.
const maxUnique = 16

// uniques checks what a resource says of unique values.
func (c *checker) uniques(r *resource) {
	name := r.name.value
	if len(r.uniques) > 0 && r.abstract {
		c.warn(FaultNoEffect, r.uniques[0].at, "remove it", "%s: unique has no effect on an abstract kind, which has no documents", name)
	}
	if len(r.uniques) > maxUnique {
		c.add(FaultTooLarge, r.uniques[maxUnique].at, "leave out those that follow from others", "%s: more than %d entries in unique", name, maxUnique)
		r.uniques = r.uniques[:maxUnique]
	}
	for i, u := range r.uniques {
		if u.meaning = c.unique(r, u); u.meaning == nil {
			continue
		}
		same := func(other *unique) bool { return other.meaning != nil && other.meaning.String() == u.meaning.String() }
		if slices.ContainsFunc(r.uniques[:i], same) {
			c.warn(FaultNoEffect, u.at, "remove one of the two", "%s: unique names %s twice", name, u.meaning)
		}
	}
}

// unique returns the meaning of an entry, nil where something of it is wrong.
func (c *checker) unique(r *resource, u *unique) *Unique {
	meaning, right := &Unique{}, len(u.paths) > 0
	fail := func(at dovetail.Position, remedy, format string, args ...any) {
		right = false
		c.add(FaultBadValue, at, remedy, "%s: "+format, append([]any{r.name.value}, args...)...)
	}
	if len(u.paths) > maxUnique {
		fail(u.paths[maxUnique].at, "leave some out", "more than %d paths in one entry of unique", maxUnique)
	}
	element := ""
	for _, text := range u.paths {
		path, err := ParsePath(text.value)
		prefix, steps := path.element()
		switch {
		case text.bad:
			right = false
		case err != nil:
			fail(text.at, dovetail.AsError(err).Remedy, "unique: %s", dovetail.AsError(err).Message)
		case path.inStatus():
			fail(text.at, "name a part of spec or metadata", "unique: %s is not in the data: services write the status", path)
		case strings.HasPrefix(text.value, "/"):
			fail(text.at, "write it with dots, as spec.serial", "unique: %s is a JSON Pointer, not a path", short(text.value))
		case slices.Contains(meaning.Paths, path):
			fail(text.at, "remove one of the two", "unique names the path %s twice", path)
		case steps > 0 && element != "" && element != prefix:
			fail(text.at, "let the values that belong together stand in one element, or write an entry for each path",
				"unique: %s and %s are in different lists, so that no value of one belongs to one of the other", path, element)
		case steps > 0:
			element, meaning.elements = prefix, steps
		}
		meaning.Paths = append(meaning.Paths, path)
	}
	slices.SortFunc(meaning.Paths, func(a, b Path) int { return cmp.Compare(a.String(), b.String()) })
	if within := u.within; within.value != "" {
		meaning.Within = within.value[strings.LastIndexByte(within.value, '.')+1:]
		above := r.elements[:len(r.elements)-1]
		if meaning.depth = slices.Index(above, meaning.Within) + 1; meaning.depth == 0 {
			remedy := "leave within out: the kind has no parent"
			if len(above) > 0 {
				remedy = didYouMean(within.value, above, "name one of its ancestors: "+enumerate(above))
			}
			fail(within.at, remedy, "unique: %s is not above %s", short(within.value), r.name.value)
		}
	}
	if !right || u.within.bad {
		return nil
	}
	return meaning
}
