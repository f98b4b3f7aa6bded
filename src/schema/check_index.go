package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// maxIndex is how many indexes a kind may have beside that of its labels: each is written with every document.
const maxIndex = 16

// index checks which paths are indexed.
func (c *checker) index(r *resource) {
	x, name := &r.index, r.name.value
	if r.abstract && x.at.Line > 0 {
		c.warn(FaultNoEffect, x.at, "remove it", "%s: index has no effect on an abstract kind, which has no documents", name)
	}
	if len(x.paths) > maxIndex {
		c.add(FaultTooLarge, x.paths[maxIndex].at, "leave out those that selectors seldom use", "%s: more than %d paths in index", name, maxIndex)
		x.paths = x.paths[:maxIndex]
	}
	for _, text := range x.paths {
		path, err := ParsePath(text.value)
		if path == labelPath {
			path = labelsPath
		}
		fail := func(remedy, format string, args ...any) {
			c.add(FaultBadValue, text.at, remedy, "%s: "+format, append([]any{name}, args...)...)
		}
		inStatus := func() bool { return path.steps()[0].name == "status" }
		switch {
		case text.bad:
		case err != nil:
			fail(dovetail.AsError(err).Remedy, "index: %s", dovetail.AsError(err).Message)
		case inStatus():
			fail("name a part of spec or metadata", "index: %s is not in the data: services write the status", path)
		case strings.HasPrefix(text.value, "/"):
			fail("write it with dots, as spec.serial", "index: %s is a JSON Pointer, not a path", short(text.value))
		case path == labelsPath && x.noLabels:
			fail("leave labels: false out", "index: it names the labels, and labels: false")
		case r.sensitive.whole:
			fail("remove it, or mark only the secret parts as sensitive", "index: all of the data is sensitive, and an index would reveal which values are equal")
		case r.sensitive.meaning().covers(path):
			fail("remove it", "index: %s is sensitive, and an index would reveal which values are equal", path)
		case slices.Contains(x.meaning, path):
			c.warn(FaultNoEffect, text.at, "remove one of the two", "%s: index names %s twice", name, path)
		case path != labelsPath: // which are indexed anyway
			x.meaning = append(x.meaning, path)
		}
	}
	slices.SortFunc(x.meaning, func(a, b Path) int { return cmp.Compare(a.String(), b.String()) })
}

// covers reports whether what stands at a path is a part of what one of the sensitive paths names.
func (s Sensitive) covers(path Path) bool {
	return slices.ContainsFunc(s.Places(), func(secret string) bool {
		parts, _ := value.SplitPointer(secret)
		steps := path.steps()
		return len(parts) > 0 && len(parts) <= len(steps) && stepsMatch(steps[:len(parts)], parts)
	})
}
