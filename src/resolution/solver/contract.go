package solver

import "fmt"

// shortChain is up to how many steps of a chain are said one by one.
const shortChain = 4

// contracted puts facts in words, and says of long chains of needs only where they begin and end: a package in the middle of a chain has no
// other facts, and no other package needs it.
func (e *encoding) contracted(facts []Fact) []string {
	targets, needed := map[string]map[string]bool{}, map[string]map[string]bool{} // of each package: what it needs, and what needs it
	ends := map[string]bool{}                                                     // packages with a fact that is no such need
	for _, f := range facts {
		if f.target == "" {
			ends[f.Package] = true
			continue
		}
		add(targets, f.Package, f.target)
		add(needed, f.target, f.Package)
	}
	inner := func(name string) bool { return !ends[name] && len(targets[name]) == 1 && len(needed[name]) == 1 }
	var kept []Fact
	steps := map[int][]string{} // what is said before a kept fact, by its place
	seen := map[string]bool{}
	for _, f := range facts {
		switch {
		case f.target == "" || !inner(f.Package) || !inner(f.target):
			kept = append(kept, f)
		case !seen[f.Package]:
			first, last, length := f.Package, f.target, 1
			for inner(one(needed[first])) && one(needed[first]) != f.Package {
				first, length = one(needed[first]), length+1
			}
			for inner(one(targets[last])) && one(targets[last]) != f.Package {
				last, length = one(targets[last]), length+1
			}
			if length < shortChain {
				kept = append(kept, f)
				continue
			}
			for name := first; ; name = one(targets[name]) {
				seen[name] = true
				if name == last {
					break
				}
			}
			steps[len(kept)] = append(steps[len(kept)], fmt.Sprintf("%s needs %s, in %d steps", first, last, length))
		}
	}
	var out []string
	from := 0
	for at := range len(kept) + 1 {
		if texts := steps[at]; texts != nil {
			out = append(append(out, e.reasons(kept[from:at])...), texts...)
			from = at
		}
	}
	return append(out, e.reasons(kept[from:])...)
}

// chainOf says of a chain of needs, from its beginning or from its end, where it begins and ends.
func (e *encoding) chainOf(facts []Fact) string {
	first, last := facts[0], facts[len(facts)-1]
	if first.target != facts[1].Package {
		first, last = last, first
	}
	return fmt.Sprintf("%s needs %s, in %d steps", first.Package, last.target, len(facts))
}

func add(sets map[string]map[string]bool, name, member string) {
	if sets[name] == nil {
		sets[name] = map[string]bool{}
	}
	sets[name][member] = true
}

// one is the only member of a set.
func one(set map[string]bool) string {
	for name := range set {
		return name
	}
	return ""
}
