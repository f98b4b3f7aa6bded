package solver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
)

// Fact is what sources say of some versions of a package.
type Fact struct {
	Package string `json:"package"`
	// Candidates are the versions, as source:name:version; empty when the fact is about all.
	Candidates []string `json:"candidates,omitempty"`
	Text       string   `json:"text"`

	of       []*candidate
	target   string // the package that they need, if it is one by name
	conflict bool   // it is one of the conflicts of the versions, not of the dependencies
	index    int    // of that of the first version
}

// selectors returns what the fact is about besides its package.
func (f fact) selectors() []*selector {
	switch f.kind {
	case factNeeds:
		var list []*selector
		f.candidate.version.dependencies[f.index].each(func(s *selector) { list = append(list, s) })
		return list
	case factConflicts:
		return []*selector{f.candidate.version.conflicts[f.index]}
	}
	return nil
}

// target is the name of the package that a version needs, empty if it needs something else.
func (f fact) target() string {
	if f.kind != factNeeds {
		return ""
	}
	if need := f.candidate.version.dependencies[f.index]; need.operator == required {
		return need.selector.name
	}
	return ""
}

// says is the fact as a sentence about its versions.
func (e *encoding) says(f fact) string {
	if f.kind == factConflicts {
		return "conflicts with " + f.selectors()[0].text
	}
	need := f.candidate.version.dependencies[f.index]
	text := "needs " + need.text()
	if need.operator == noneOf {
		text = "allows " + need.text()
	}
	return text + e.unfulfilled(need)
}

// unfulfilled says why nothing fulfils a need, after the need; "" where something does, by itself.
func (e *encoding) unfulfilled(need *expression) string {
	missing := e.noMatch(-1, need)
	switch {
	case len(missing) == 0:
		return ""
	case missing[0].Stage == StagePackage && missing[0].selector.name != "":
		return ", which no source has" + e.similar(missing[0].selector.name)
	}
	var reasons []string
	for _, m := range missing {
		reasons = append(reasons, e.describeStage(m))
	}
	slices.Sort(reasons)
	if text := ", but " + strings.Join(slices.Compact(reasons), " and "); len(text) <= maxReasons {
		return text
	}
	return ", which no version fulfils"
}

// describe makes sentences of facts. Those that say the same of versions of a package are one.
func (e *encoding) describe(facts []fact) []Fact {
	type about struct{ pkg, says string }
	groups := map[about][]*candidate{}
	targets, firsts := map[about]string{}, map[about]fact{}
	var order []about
	for _, f := range facts {
		of := about{pkg: f.pkg()}
		if f.kind != factOneVersion {
			of.says = e.says(f)
			targets[of] = f.target()
		}
		if groups[of] == nil {
			order = append(order, of)
			firsts[of] = f
		}
		groups[of] = append(groups[of], f.candidate)
	}
	out := []Fact{}
	for _, of := range order {
		described := Fact{Package: of.pkg, Text: "only one version of " + of.pkg + " can be selected"}
		if of.says != "" {
			described.of = groups[of]
			described.target = targets[of]
			described.conflict, described.index = firsts[of].kind == factConflicts, firsts[of].index
			described.Text = e.versions(of.pkg, groups[of], of.says)
			for _, c := range groups[of] {
				described.Candidates = append(described.Candidates, c.source.Name+":"+c.pkg.Name+":"+c.version.Text)
			}
		}
		out = append(out, described)
	}
	return out
}

// manyRanges is from how many on facts of a package that differ in a range only are one in a message.
const manyRanges = 3

// reasons puts facts in words for a message.
func (e *encoding) reasons(facts []Fact) []string {
	type pair struct{ pkg, target string }
	groups := map[pair][]Fact{}
	for _, f := range facts {
		groups[pair{f.Package, f.target}] = append(groups[pair{f.Package, f.target}], f)
	}
	var out []string
	for _, f := range facts {
		group := groups[pair{f.Package, f.target}]
		if f.target == "" || len(group) < manyRanges {
			out = append(out, f.Text)
			continue
		}
		if group[0].Text != f.Text {
			continue // said by the first
		}
		var of []*candidate
		for _, one := range group {
			of = append(of, one.of...)
		}
		out = append(out, e.versions(f.Package, of, "needs "+f.target+" in a range of its own"))
	}
	return out
}

// versions says something of versions of a package, with ranges where they follow each other.
func (e *encoding) versions(name string, of []*candidate, says string) string {
	is := map[string]bool{}
	for _, c := range of {
		is[c.version.Text] = true
	}
	runs, whole := e.runs(name, is)
	if whole {
		return "every version of " + name + " " + says
	}
	if verb, rest, _ := strings.Cut(says, " "); len(is) > 1 {
		says = strings.TrimSuffix(verb, "s") + " " + rest
	}
	return name + " " + join(runs) + " " + says
}

// runs returns versions of a package as texts, those that follow each other as one, or says that they are all of several.
func (e *encoding) runs(name string, is map[string]bool) (runs []string, whole bool) {
	var known []string // all versions, ascending
	for _, c := range e.ascending(name) {
		known = append(known, c.Text)
	}
	if len(is) == len(known) && len(known) > 1 {
		return nil, true
	}
	for i := 0; i < len(known); i++ {
		if !is[known[i]] {
			continue
		}
		last := i
		for last+1 < len(known) && is[known[last+1]] {
			last++
		}
		if last-i >= 2 {
			runs = append(runs, known[i]+" to "+known[last])
			i = last
		} else {
			runs = append(runs, known[i])
		}
	}
	return runs, false
}

// ascending returns the versions of a package in all sources, each once.
func (e *encoding) ascending(name string) []*Version {
	var all []*Version
	for _, source := range e.sources {
		if p := source.byName[name]; p != nil {
			all = append(all, p.Versions...)
		}
	}
	slices.SortStableFunc(all, func(a, b *Version) int { return compareVersions(a.version, b.version) })
	return slices.CompactFunc(all, func(a, b *Version) bool { return a.Text == b.Text })
}

// describeStage says in words why nothing fulfils a requirement.
func (e *encoding) describeStage(m NoMatch) string {
	s := m.selector
	switch m.Stage {
	case StagePackage:
		if s.name == "" {
			return "there are no packages"
		}
		return "no source has a package " + s.name + e.similar(s.name)
	case StageSource:
		return fmt.Sprintf("source %s does not have %s", s.source, orAnything(s.name)) + e.elsewhere(s.name)
	case StageChannel:
		if s.channels != nil {
			return fmt.Sprintf("no version of %s is in one of the channels %s", orAnything(s.name), strings.Join(s.channels, ", "))
		}
		return fmt.Sprintf("no version of %s is in channel %s", orAnything(s.name), s.channel) + e.otherChannels(s)
	case StageProvides:
		var list []string
		for _, p := range s.provides {
			list = append(list, p.text())
		}
		for _, c := range s.versioned {
			list = append(list, c.text())
		}
		if s.match != nil {
			list = append(list, s.match.text())
		}
		switch {
		case s.rule != nil && len(list) > 0:
			return fmt.Sprintf("no version of %s is %s and meets the rule %s", orAnything(s.name), strings.Join(list, " and "), s.rule.text)
		case s.rule != nil:
			return fmt.Sprintf("no version of %s meets the rule %s", orAnything(s.name), s.rule.text)
		case s.match != nil:
			return fmt.Sprintf("no version of %s is %s", orAnything(s.name), strings.Join(list, " and "))
		}
		return fmt.Sprintf("nothing provides %s", strings.Join(list, " and "))
	case StagePrerelease:
		if e.problem.spec.prereleases == prereleasesIfNecessary {
			return fmt.Sprintf("only pre-releases of %s would do, which do not count as it has other versions", orAnything(s.name))
		}
		return fmt.Sprintf("only pre-releases of %s are in %s, which does not name one", orAnything(s.name), s.versions)
	}
	return fmt.Sprintf("no version of %s is in %s", orAnything(s.name), s.versions) + e.versionsThere(s)
}

// versionsThere tells which versions of its package a selector leaves except its range, and what keeps it from the latest one that is in
// its range.
func (e *encoding) versionsThere(s *selector) string {
	var there []*Version
	var latest *Version
	elsewhere := ""
	for _, source := range e.sources {
		p := source.byName[s.name]
		if p == nil {
			continue
		}
		for _, v := range p.Versions {
			why := e.keptFrom(s, source, p, v)
			if why == "" {
				there = append(there, v)
			} else if e.problem.within(s.versions, p, v) && (latest == nil || compareVersions(v.version, latest.version) > 0) {
				latest, elsewhere = v, "; "+v.Text+" "+why
			}
		}
	}
	slices.SortStableFunc(there, func(a, b *Version) int { return compareVersions(a.version, b.version) })
	there = slices.CompactFunc(there, func(a, b *Version) bool { return a.Text == b.Text })
	where := ""
	switch {
	case s.channel != "":
		where = " in channel " + s.channel
	case s.channels != nil:
		where = " in the channels " + strings.Join(s.channels, ", ")
	}
	switch len(there) {
	case 0:
		return elsewhere
	case 1:
		return ", there is " + there[0].Text + where + elsewhere
	}
	return ", there are " + there[0].Text + " to " + there[len(there)-1].Text + where + elsewhere
}

// keptFrom says what keeps a selector from a version but its range; "" if there is nothing.
func (e *encoding) keptFrom(s *selector, source *Source, p *Package, v *Version) string {
	switch {
	case e.problem.unfit(v) != "":
		return e.problem.unfit(v)
	case e.problem.withdraws(p, v):
		return "is withdrawn"
	case s.source != "" && s.source != source.Name:
		return "is in source " + source.Name
	case s.channel != "" && !slices.Contains(v.Channels, s.channel), !s.inChannels(v):
		if len(v.Channels) == 0 {
			return "is in no channel"
		}
		return "is in " + shortened(v.Channels)
	case !s.concerns(e.problem, source, p, v):
		return "does not provide what is wanted"
	}
	return ""
}

// similar offers the package that has nearly the name.
func (e *encoding) similar(name string) string {
	var names []string
	for _, source := range e.sources {
		for _, p := range source.Packages {
			names = append(names, p.Name)
		}
	}
	if near := suggest.Nearest(name, names); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// elsewhere tells which sources have a package.
func (e *encoding) elsewhere(name string) string {
	var have []string
	for _, source := range e.sources {
		if source.byName[name] != nil {
			have = append(have, source.Name)
		}
	}
	if len(have) == 0 {
		return ""
	}
	return ", which is in " + shortened(have)
}

// otherChannels tells in which channels the package of a selector is.
func (e *encoding) otherChannels(s *selector) string {
	var names []string
	for _, source := range e.sources {
		if p := source.byName[s.name]; p != nil && (s.source == "" || s.source == source.Name) {
			for _, v := range p.Versions {
				names = append(names, v.Channels...)
			}
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return ""
	}
	return ", it is in " + shortened(names)
}

// maxNamed is how many names of a kind a sentence has.
const maxNamed = 5

// shortened joins the first of the names.
func shortened(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		names = append(slices.Clone(names[:maxNamed]), fmt.Sprintf("%d more", more))
	}
	return join(names)
}

// upgrades says which other versions a constraint on upgrades admits.
func (e *encoding) upgrades(c *Constraint) string {
	var admitted []string
	for _, source := range e.sources {
		if p := source.byName[c.subject.name]; p != nil {
			for _, v := range slices.Backward(p.Versions) {
				if !c.excludes(source, p, v) && !isVersion(c.subject.version, v.version) && !slices.Contains(admitted, v.Text) {
					admitted = append(admitted, v.Text)
				}
			}
		}
	}
	of := c.subject.name + " " + c.subject.version.Original()
	if len(admitted) == 0 {
		return of + " has no successor"
	}
	return of + " can become " + shortened(admitted) + " only"
}

func orAnything(name string) string {
	if name == "" {
		return "what is asked for"
	}
	return name
}
