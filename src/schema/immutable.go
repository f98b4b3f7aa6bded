package schema

import (
	"cmp"
	"slices"
	"strings"
)

// maxImmutable is how many immutable paths a kind may have.
const maxImmutable = 64

// immutable checks the paths whose values cannot change.
func (c *checker) immutable(r *resource) {
	name := r.name.value
	if len(r.immutable) > 0 && r.abstract {
		c.warn(FaultNoEffect, r.immutable[0].at, "remove it", "%s: immutable has no effect on an abstract kind, which has no documents", name)
	}
	if len(r.immutable) > maxImmutable {
		c.add(FaultTooLarge, r.immutable[maxImmutable].at, "name the object that holds them", "%s: more than %d immutable paths", name, maxImmutable)
		r.immutable = r.immutable[:maxImmutable]
	}
	for i, one := range r.immutable {
		same := func(other location) bool { return other.path == one.path }
		switch {
		case one.bad:
		case one.path.inStatus():
			c.add(FaultBadValue, one.at, "name a part of spec or metadata", "%s: immutable: %s is not in the data: services write the status", name, one.path)
		case slices.ContainsFunc(r.immutable[:i], same):
			c.add(FaultBadValue, one.at, "remove one of the two", "%s: immutable names the path %s twice", name, one.path)
		}
	}
}

// inStatus reports whether the path leads into the status, which is not part of the data.
func (p Path) inStatus() bool {
	steps := p.steps()
	return len(steps) > 0 && steps[0].name == "status"
}

// immutablePaths are the paths of a resource in an order that does not depend on how it was written.
func immutablePaths(r *resource) []Path {
	var all []Path
	for _, one := range r.immutable {
		all = append(all, one.path)
	}
	slices.SortFunc(all, func(a, b Path) int { return cmp.Compare(a.text, b.text) })
	return all
}

func pathNames(paths []Path) []string {
	var names []string
	for _, path := range paths {
		names = append(names, path.String())
	}
	return names
}

// JoinPaths names paths in a sentence, "nothing" for none.
func JoinPaths(paths []Path) string {
	if len(paths) == 0 {
		return "nothing"
	}
	return strings.Join(pathNames(paths), ", ")
}
