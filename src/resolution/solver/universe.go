package solver

import (
	"cmp"
	"slices"

	"github.com/Masterminds/semver/v3"
)

// candidate is one version of one package in one source.
type candidate struct {
	rank    int // of the source
	source  *Source
	pkg     *Package
	version *Version
	best    string // channel
}

func (c *candidate) deprecated() bool { return c.pkg.Deprecated || c.version.Deprecated }

// name is how messages show the candidate.
func (c *candidate) name() string { return c.pkg.Name + " " + c.version.Text }

// universe finds the candidates of selectors.
type universe struct {
	problem *Problem
	sources []*Source
	made    map[place][]*candidate
	found   map[string][]*candidate // by the key of a selector
	within  map[pair]bool
	stop    func() bool // whether to give up; nil for never
}

// place is a package in the source of a rank.
type place struct {
	rank int
	pkg  *Package
}

// pair is a range and a version; catalogs ask the same again and again.
type pair struct {
	versions *Range
	version  *semver.Version
}

func newUniverse(p *Problem) *universe {
	return &universe{p, p.sources, map[place][]*candidate{}, map[string][]*candidate{}, map[pair]bool{}, nil}
}

// all returns the candidates of a package, in the order of its versions.
func (u *universe) all(rank int, p *Package) []*candidate {
	at := place{rank, p}
	list := u.made[at]
	if list == nil {
		made := make([]candidate, len(p.Versions))
		list = make([]*candidate, len(p.Versions))
		for i, v := range p.Versions {
			made[i] = candidate{rank, u.sources[rank], p, v, p.best[i]}
			list[i] = &made[i]
		}
		u.made[at] = list
	}
	return list
}

func (u *universe) inRange(s *selector, of *Package, v *Version) bool {
	p := pair{s.versions, v.version}
	is, known := u.within[p]
	if !known {
		is = u.problem.ranges(s.versions, v.version)
		u.within[p] = is
	}
	return is && u.problem.counts(of, v)
}

// candidates returns those of a selector, in the order of preference in which it is no dependency.
func (u *universe) candidates(s *selector) []*candidate {
	if list, ok := u.found[s.key]; ok {
		return list
	}
	var list []*candidate
	consider := func(rank int, p *Package, i int) {
		if s.ruled() && u.stop != nil && u.stop() { // which the encoding reports, as it stops too
			return
		}
		if v := p.Versions[i]; s.concerns(u.problem, u.sources[rank], p, v) && u.inRange(s, p, v) && !u.problem.leavesOut(p, v) {
			list = append(list, u.all(rank, p)[i])
		}
	}
	name := s.name
	if name == "" && s.match != nil {
		name = s.match.name()
	}
	for rank, source := range u.sources {
		switch p := source.byName[name]; {
		case name == "" && len(s.provides) > 0:
			for _, of := range source.providers[s.provides[0]] {
				consider(rank, of.pkg, of.index)
			}
		case name == "":
			for _, p := range source.Packages {
				for i := range p.Versions {
					consider(rank, p, i)
				}
			}
		case p != nil:
			for i := range p.Versions {
				consider(rank, p, i)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *candidate) int {
		c := cmp.Or(compareBools(a.deprecated(), b.deprecated()), cmp.Compare(a.rank, b.rank), cmp.Compare(a.pkg.Name, b.pkg.Name))
		if c == 0 && !s.namesChannel() {
			c = a.pkg.compareChannels(a.best, b.best)
		}
		if c == 0 && (u.problem.spec.prereleases == prereleasesLast || s.namesOnlyPackage()) {
			c = compareBools(a.version.version.Prerelease() != "", b.version.version.Prerelease() != "")
		}
		if c == 0 {
			c = compareVersions(b.version.version, a.version.version)
		}
		return c
	})
	list = slices.Compact(list) // a property may be there twice
	u.found[s.key] = list
	return list
}

// candidatesOf returns those of a selector for a dependency: candidates of the same source come
// before others, but after those that are not deprecated.
func (u *universe) candidatesOf(s *selector, owner *candidate) []*candidate {
	list := u.candidates(s)
	if owner == nil || len(u.sources) == 1 {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *candidate) int {
		return cmp.Or(compareBools(a.deprecated(), b.deprecated()), compareBools(a.rank != owner.rank, b.rank != owner.rank))
	})
	return list
}

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
