package solver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/resolution/solver/derivation"
)

// Derivation is one step of the proof that the core cannot hold: what it follows from, and what follows.
type Derivation struct {
	Constraints []int  `json:"constraints,omitempty"` // of the core
	Facts       []int  `json:"facts,omitempty"`       // indices of Unsat.Facts
	Steps       []int  `json:"steps,omitempty"`       // steps before, from 1
	Therefore   string `json:"therefore"`
	Text        string `json:"text"` // the whole step in words
}

const (
	maxDeriving = 2_000_000 // looks at facts, after which no derivation is searched for any more
	maxSteps    = 200       // a proof that has more is not shown
	maxRuns     = 4         // of versions in a row that a step names
)

// premises are the core and the facts as incompatibilities.
type premises struct {
	e        *encoding
	packages map[string]int
	subjects []subjectOfTerms
	sizes    []int
	all      []*derivation.Incompatibility
	facts    []Fact
	core     []int
}

// subjectOfTerms is what the states of a package are in a derivation: versions, or that an alternative is taken.
type subjectOfTerms struct {
	name       string
	candidates []*candidate
	place      map[*candidate]int // the state, from 1
	group      *expression        // of an alternative
}

// derive proves step by step that the core and the facts contradict each other; nil if that takes too long.
func (e *encoding) derive(u *Unsat) []Derivation {
	p := &premises{e: e, packages: map[string]int{}, facts: u.Facts, core: u.Core}
	for at, i := range u.Core {
		p.constraint(at, e.problem.spec.Constraints[i])
	}
	for i, f := range u.Facts {
		p.fact(len(u.Core)+i, f)
	}
	for _, s := range p.subjects {
		p.sizes = append(p.sizes, max(len(s.candidates), 1)+1)
	}
	p.finish()
	proof := derivation.Contradiction(p.sizes, p.all, maxDeriving)
	if proof == nil {
		return nil
	}
	steps := derivation.Steps(proof, p.link)
	if len(steps) > maxSteps {
		return nil
	}
	var out []Derivation
	for i, s := range steps {
		out = append(out, p.words(i, s))
	}
	return out
}

// link reports whether a premise is that versions of one package need one other package.
func (p *premises) link(i int) bool { return i >= len(p.core) && p.facts[i-len(p.core)].target != "" }

// subjectOf returns the number of a package.
func (p *premises) subjectOf(name string) int {
	at, known := p.packages[name]
	if !known {
		at = len(p.subjects)
		p.packages[name] = at
		s := subjectOfTerms{name: name, place: map[*candidate]int{}}
		for rank, source := range p.e.sources {
			if pkg := source.byName[name]; pkg != nil {
				s.candidates = append(s.candidates, p.e.all(rank, pkg)...)
			}
		}
		slices.SortStableFunc(s.candidates, func(a, b *candidate) int { return compareVersions(a.version.version, b.version.version) })
		for i, c := range s.candidates {
			s.place[c] = i + 1
		}
		p.subjects = append(p.subjects, s)
	}
	return at
}

// term says that one of the candidates of a package is selected, or, negated, that none of them is.
func (p *premises) term(of []*candidate, negated bool) derivation.Term {
	at := p.subjectOf(of[0].pkg.Name)
	s := p.subjects[at]
	states := make([]int, len(of))
	for i, c := range of {
		states[i] = s.place[c]
	}
	n := len(s.candidates) + 1
	set := derivation.NewStates(n, states...)
	if negated {
		set = derivation.All(n).Without(set)
	}
	return derivation.Term{Package: at, States: set}
}

// byPackage parts candidates by their packages, in the order of names.
func byPackage(all []*candidate) [][]*candidate {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *candidate) int { return strings.Compare(a.pkg.Name, b.pkg.Name) })
	var parts [][]*candidate
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].pkg.Name == all[0].pkg.Name {
			n++
		}
		parts = append(parts, all[:n])
		all = all[n:]
	}
	return parts
}

func (p *premises) add(premise int, terms ...derivation.Term) {
	p.all = append(p.all, derivation.New(premise, terms...))
}

// constraint adds what a constraint of the core says.
func (p *premises) constraint(premise int, c *Constraint) {
	switch c.kind {
	case isExpression:
		p.expression(premise, c.expression)
	case isPinned, isUpgrade:
		p.exclusion(premise, c)
	case isConflict:
		p.apart(premise, p.e.candidates(c.selectors[0]), p.e.candidates(c.selectors[1]))
	case isAtMostOne:
		for _, together := range p.alternatives(c) {
			p.apart(premise, together, together)
		}
	}
}

// alternatives returns the lists of candidates of each of which a constraint lets one at most be selected.
func (p *premises) alternatives(c *Constraint) [][]*candidate {
	if c.property == "" {
		var all []*candidate
		for _, s := range c.selectors {
			all = append(all, p.e.candidates(s)...)
		}
		return [][]*candidate{all}
	}
	var order []property
	having := map[property][]*candidate{}
	for _, n := range p.e.nodes {
		for _, of := range n.version.properties {
			if of.kind != c.property {
				continue
			}
			if having[of] == nil {
				order = append(order, of)
			}
			having[of] = append(having[of], n.candidate)
		}
	}
	var lists [][]*candidate
	for _, of := range order {
		lists = append(lists, having[of])
	}
	return lists
}

func (p *premises) exclusion(premise int, c *Constraint) {
	var excluded []*candidate
	for rank, source := range p.e.sources {
		pkg := source.byName[c.subject.name]
		if pkg == nil {
			continue
		}
		for _, of := range p.e.all(rank, pkg) {
			if c.excludes(source, pkg, of.version) {
				excluded = append(excluded, of)
			}
		}
	}
	if len(excluded) > 0 {
		p.add(premise, p.term(excluded, false))
	}
}

// apart adds that no two candidates of different packages, one of each list, are selected together.
func (p *premises) apart(premise int, left, right []*candidate) {
	for _, a := range byPackage(left) {
		for _, b := range byPackage(right) {
			if a[0].pkg.Name != b[0].pkg.Name {
				p.add(premise, p.term(a, false), p.term(b, false))
			}
		}
	}
}

// fact adds what a fact says.
func (p *premises) fact(premise int, f Fact) {
	if len(f.of) == 0 {
		return // that one version is selected is in the states of a package
	}
	owners := p.term(f.of, false)
	version := f.of[0].version
	if f.conflict {
		for _, others := range byPackage(p.e.candidates(version.conflicts[f.index])) {
			if others[0].pkg.Name != f.Package {
				p.add(premise, owners, p.term(others, false))
			}
		}
		return
	}
	p.expression(premise, version.dependencies[f.index], owners)
}

// expression adds what an expression asks for while all of the terms hold.
func (p *premises) expression(premise int, x *expression, when ...derivation.Term) {
	switch x.operator {
	case noneOf:
		for _, s := range x.selectors {
			for _, of := range byPackage(p.e.candidates(s)) {
				p.add(premise, append(slices.Clone(when), p.term(of, false))...)
			}
		}
	case allOf:
		for _, part := range x.parts {
			p.expression(premise, part, when...)
		}
	case optional:
	case required, anyOf:
		var wanted []*candidate
		terms := slices.Clone(when)
		for _, part := range flattened(x) {
			if part.operator == required {
				wanted = append(wanted, p.e.candidates(part.selector)...)
				continue
			}
			terms = append(terms, p.group(premise, part))
		}
		for _, of := range byPackage(wanted) {
			terms = append(terms, p.term(of, true))
		}
		p.add(premise, terms...)
	}
}

// flattened returns the alternatives of an expression.
func flattened(x *expression) []*expression {
	if x.operator != anyOf {
		return []*expression{x}
	}
	var all []*expression
	for _, part := range x.parts {
		all = append(all, flattened(part)...)
	}
	return all
}

// group adds an alternative that is taken whole, and returns the term that it is not.
func (p *premises) group(premise int, x *expression) derivation.Term {
	at := len(p.subjects)
	p.subjects = append(p.subjects, subjectOfTerms{group: x})
	p.expression(premise, x, derivation.Term{Package: at, States: derivation.NewStates(2, 1)})
	return derivation.Term{Package: at, States: derivation.NewStates(2, 0)}
}

// finish brings together the premises of each constraint and fact, in their order.
func (p *premises) finish() {
	slices.SortStableFunc(p.all, func(a, b *derivation.Incompatibility) int { return a.Fact - b.Fact })
}

// words puts a step in words: constraints come before facts, and those before steps.
func (p *premises) words(at int, s derivation.Step) Derivation {
	var d Derivation
	var facts, steps []string
	reasons := slices.Clone(s.Because)
	slices.SortStableFunc(reasons, func(a, b derivation.Reason) int { return cmp.Compare(first(a), first(b)) })
	for _, r := range reasons {
		switch {
		case r.Step >= 0:
			d.Steps = append(d.Steps, r.Step+1)
			steps = append(steps, fmt.Sprintf("(%d)", r.Step+1))
		case r.Fact >= 0 && r.Fact < len(p.core):
			d.Constraints = append(d.Constraints, p.core[r.Fact])
		case r.Fact >= 0:
			d.Facts = append(d.Facts, r.Fact-len(p.core))
			facts = append(facts, p.facts[r.Fact-len(p.core)].Text)
		default:
			var chain []Fact
			for _, i := range r.Chain {
				d.Facts = append(d.Facts, i-len(p.core))
				chain = append(chain, p.facts[i-len(p.core)])
			}
			facts = append(facts, p.e.chainOf(chain))
		}
	}
	slices.Sort(d.Constraints)
	d.Constraints = slices.Compact(d.Constraints) // one may say several things
	slices.Sort(d.Facts)
	d.Facts = slices.Compact(d.Facts)
	var because []string
	for _, i := range d.Constraints {
		because = append(because, p.labelOf(i))
	}
	d.Therefore = p.therefore(s.Therefore.Terms)
	d.Text = fmt.Sprintf("%d. because %s: %s", at+1, strings.Join(slices.Concat(because, slices.Compact(facts), steps), "; "), d.Therefore)
	return d
}

// first is the place of a reason among others.
func first(r derivation.Reason) int {
	switch {
	case r.Step >= 0:
		return 1<<40 + r.Step
	case r.Chain != nil:
		return slices.Min(r.Chain)
	}
	return r.Fact
}

// labelOf is a constraint with what is missing where nothing fulfils it.
func (p *premises) labelOf(i int) string {
	c := p.e.problem.spec.Constraints[i]
	label := fmt.Sprintf("[%d] %s", i, c.Label())
	switch c.kind {
	case isExpression:
		if missing := p.e.noMatch(i, c.expression); len(missing) > 0 {
			return label + ", but " + p.e.describeStage(missing[0])
		}
	case isUpgrade:
		return label + " (" + p.e.upgrades(c) + ")"
	case isConflict, isAtMostOne, isPinned:
	}
	return label
}

// therefore says that terms do not hold together.
func (p *premises) therefore(terms []derivation.Term) string {
	var are, wanted []string
	for _, t := range terms {
		if t.States.Has(0) {
			wanted = append(wanted, p.states(t.Package, derivation.All(p.sizes[t.Package]).Without(t.States), " or "))
		} else {
			are = append(are, p.states(t.Package, t.States, " and "))
		}
	}
	single := len(are) == 1
	switch {
	case len(terms) == 0 && len(p.core) == 1:
		return fmt.Sprintf("[%d] cannot hold", p.core[0])
	case len(terms) == 0:
		var labels []string
		for _, i := range p.core {
			labels = append(labels, fmt.Sprintf("[%d]", i))
		}
		return shortened(labels) + " cannot hold together"
	case len(wanted) == 0 && single:
		return are[0] + " cannot be selected"
	case len(wanted) == 0:
		return join(are) + " cannot be selected together"
	case len(are) == 0:
		return strings.Join(wanted, " or ") + " has to be selected"
	case single:
		return "with " + are[0] + ", " + strings.Join(wanted, " or ") + " has to be selected"
	}
	return "with " + join(are) + " together, " + strings.Join(wanted, " or ") + " has to be selected"
}

// states names some versions of a package.
func (p *premises) states(at int, states derivation.States, word string) string {
	s := p.subjects[at]
	if s.group != nil {
		return "(" + s.group.text() + ")"
	}
	is := map[string]bool{}
	for i, c := range s.candidates {
		if states.Has(i + 1) {
			is[c.version.Text] = true
		}
	}
	runs, whole := p.e.runs(s.name, is)
	switch {
	case whole:
		return "any version of " + s.name
	case len(runs) > maxRuns:
		runs = append(runs[:maxRuns:maxRuns], fmt.Sprintf("%d more", len(runs)-maxRuns))
	}
	if len(runs) == 1 {
		return s.name + " " + runs[0]
	}
	return s.name + " " + strings.Join(runs[:len(runs)-1], ", ") + word + runs[len(runs)-1]
}
