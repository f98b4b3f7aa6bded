package derivation

import (
	"cmp"
	"slices"
)

// Term holds when the state of the package is one of the states.
type Term struct {
	Package int
	States  States
}

// Incompatibility says that its terms never hold together; without any that there is a contradiction. Of each package there is one
// term at most. It is not changed once it is made.
type Incompatibility struct {
	Terms  []Term              // in the order of packages
	Fact   int                 // what it was given as, -1 for what follows from the causes
	Causes [2]*Incompatibility // of what follows
}

// New returns an incompatibility that is a fact of the number. Terms of one package become one.
func New(fact int, terms ...Term) *Incompatibility {
	return &Incompatibility{Terms: joined(terms), Fact: fact}
}

// joined sorts terms by package, and replaces those of one package by what holds when all of them do.
func joined(terms []Term) []Term {
	terms = slices.Clone(terms)
	slices.SortStableFunc(terms, func(a, b Term) int { return cmp.Compare(a.Package, b.Package) })
	out := terms[:0]
	for _, t := range terms {
		if n := len(out); n > 0 && out[n-1].Package == t.Package {
			out[n-1].States = out[n-1].States.and(t.States)
		} else {
			out = append(out, t)
		}
	}
	return out
}

// resolve returns what follows from two incompatibilities by their terms of a package: of its states one of the two terms excludes each but
// those in neither.
func resolve(a, b *Incompatibility, pkg int, all States) *Incompatibility {
	var of States
	var terms []Term
	for _, t := range slices.Concat(a.Terms, b.Terms) {
		switch {
		case t.Package != pkg:
			terms = append(terms, t)
		case of == nil:
			of = t.States
		default:
			of = of.or(t.States)
		}
	}
	if of != nil && !all.within(of) {
		terms = append(terms, Term{pkg, of})
	}
	return &Incompatibility{Terms: joined(terms), Fact: -1, Causes: [2]*Incompatibility{a, b}}
}
