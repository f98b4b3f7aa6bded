package instancerepo

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// OverrideChanges reports the ui-override ParamSets that came, changed or went between two states of a repository, which is
// what the generation of inventories must not do: they belong to users.
func OverrideChanges(before, after *Contents) []*dovetail.Error {
	was, is := overrides(before), overrides(after)
	var found []*dovetail.Error
	for _, name := range slices.Sorted(maps.Keys(union(was, is))) {
		old, now := was[name], is[name]
		what, p := "was changed", now
		switch {
		case old == nil:
			what = "was created"
		case now == nil:
			what, p = "was removed", old
		case value.Equal(old.Data, now.Data):
			continue
		}
		found = append(found, newDefect(ReasonOverrideChanged, dovetail.Position{File: p.File, Line: 1},
			fmt.Sprintf("the ui-override ParamSet %s %s", p.Name, what), "leave overrides to the users who made them: restore the file as it was"))
	}
	return found
}

// overrides are the ui-override ParamSets by their locations and names.
func overrides(c *Contents) map[string]*ParamSet {
	all := make(map[string]*ParamSet)
	for _, p := range c.ParamSets {
		if parameters.IsOverride(p.Name) {
			all[p.Location+"/"+p.Name] = p
		}
	}
	return all
}

func union(a, b map[string]*ParamSet) map[string]*ParamSet {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
