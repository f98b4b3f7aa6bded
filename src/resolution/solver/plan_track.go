package solver

import (
	"slices"

	"github.com/Masterminds/semver/v3"
)

// track is what upgrades make of an installed package.
type track struct {
	from *candidate                  // what is installed
	next map[*candidate][]*candidate // of each version that can be reached those that follow it, the higher first
}

// newTrack follows the upgrades of an installed version. One that no source has can only be left: what it needs is not
// known.
func newTrack(u *universe, of *subject) *track {
	t := &track{next: map[*candidate][]*candidate{}}
	var all []*candidate
	for rank, source := range u.sources {
		p := source.byName[of.name]
		if p == nil || of.source != "" && of.source != source.Name {
			continue
		}
		for _, c := range u.all(rank, p) {
			if t.from == nil && compareVersions(c.version.version, of.version) == 0 {
				t.from = c
			}
			if !u.problem.leavesOut(p, c.version) {
				all = append(all, c)
			}
		}
	}
	if t.from == nil {
		gone := &Version{Text: of.version.Original(), version: of.version}
		t.from = &candidate{rank: len(u.sources), source: &Source{}, pkg: &Package{Name: of.name}, version: gone}
	}
	slices.SortFunc(all, preferable)
	for waiting := []*candidate{t.from}; len(waiting) > 0; waiting = waiting[1:] {
		c := waiting[0]
		if _, known := t.next[c]; known {
			continue
		}
		follows := []*candidate{}
		for _, to := range all {
			if compareVersions(to.version.version, c.version.version) != 0 && of.leads(c.version.version, to.version) {
				follows = append(follows, to)
			}
		}
		t.next[c] = follows
		waiting = append(waiting, follows...)
	}
	return t
}

// reaches reports whether the package can become a version.
func (t *track) reaches(c *candidate) bool {
	_, known := t.next[c]
	return known
}

// distances are the fewest upgrades from each version to another; versions that do not lead there have none.
func (t *track) distances(to *candidate) map[*candidate]int {
	before := make(map[*candidate][]*candidate, len(t.next))
	for c, follows := range t.next {
		for _, next := range follows {
			before[next] = append(before[next], c)
		}
	}
	found := map[*candidate]int{to: 0}
	for waiting := []*candidate{to}; len(waiting) > 0; waiting = waiting[1:] {
		for _, c := range before[waiting[0]] {
			if _, known := found[c]; !known {
				found[c] = found[waiting[0]] + 1
				waiting = append(waiting, c)
			}
		}
	}
	return found
}

// leads reports whether a version may follow another one, by the policy of the upgrades.
func (s *subject) leads(from *semver.Version, to *Version) bool {
	switch s.policy {
	case selfCertified:
		return true
	case semverPolicy:
		compatible := s.compatible
		if from != s.version {
			compatible = compatibleWith(from)
		}
		return compatible.admits(to.version) && from.Compare(to.version) < 0
	}
	return to.succeeds(from)
}
