package solver

import "github.com/dovetail-store/dovetail/src/resolution/solver/sat"

// factKind is what a source says.
type factKind uint8

const (
	factNeeds      factKind = iota // a version depends on something
	factConflicts                  // a version conflicts with something
	factOneVersion                 // of a package, at most one version is selected
)

// fact is one thing that sources say.
type fact struct {
	kind      factKind
	candidate *candidate // of factNeeds and factConflicts
	index     int        // of the dependency or conflict
	name      string     // of factOneVersion: the package
}

// pkg is the package whose fact it is.
func (f fact) pkg() string {
	if f.candidate != nil {
		return f.candidate.pkg.Name
	}
	return f.name
}

// factory makes facts optional, so that it can be asked which of them matter. A nil factory makes
// all facts hold.
type factory struct {
	solver solver
	// packages limits the facts to those of some packages; the others do not hold.
	packages map[string]bool
	// whole makes all facts of a package hold, or not, together.
	whole  bool
	names  []string           // with whole: the packages
	facts  []fact             // otherwise
	lits   []sat.Lit          // of each of them: it holds
	byName map[string]sat.Lit // with whole
}

// guard returns the literals, beside which a clause says what the fact says, and whether it does at all.
func (f *factory) guard(of fact) ([]sat.Lit, bool) {
	if f == nil {
		return nil, true
	}
	name := of.pkg()
	if f.packages != nil && !f.packages[name] {
		return nil, false
	}
	if f.whole && f.byName[name] != 0 {
		return []sat.Lit{f.byName[name].Not()}, true
	}
	lit := f.solver.New()
	f.lits = append(f.lits, lit)
	if f.whole {
		f.byName[name] = lit
		f.names = append(f.names, name)
	} else {
		f.facts = append(f.facts, of)
	}
	return []sat.Lit{lit.Not()}, true
}
