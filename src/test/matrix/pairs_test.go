package matrix

// A pair is a way and a promise, as patterns, of which there is nothing to test.
type pair struct{ way, promise, why string }

// pairs are those for which no rule of empty has the reason.
var pairs = []pair{
	{"import", "managed", "an import brings them where no document is protected; with protections it is tested"},
	{"import", "defaults|spelling", "an import stores what was exported as it was"},
	{"rename to|migration", "unique/|exclusive/", "the document itself has it, where it was"},
	{"rename to|migration", "references exist/|rights/use", "the reference is no new one, and holds its target"},
	{"rename to|migration|(rollback|revert) of a deletion", "managed/beside protections", "no such document can be made past its service"},
	{"rename to", "found", "its labels are those that it had under its former name"},
	{"rename from", "claims|references", "the document keeps them under its new name"},
	{"rename of the target", "managed", "only things refer to something"},
	{"cascade (through|by the rule of) a reference", "managed|(parents|references) exist", "only things refer to something"},
	{"cascade from the parent", "found|claims", "the whole site is deleted"},
	{"migration", "managed/|lifecycle/freezes children", "a migration gives all documents another shape, whatever they are"},
	{"finish of work|lifecycle action", "managed", "a managed document of the matrix has no lifecycle"},
	{"finish of work", "protection", "work on a protected document cannot be requested"},
	{"revert of (a merge|an update)|early merge of an update", "immutable|rules/of the former values", "it brings a difference, and no such value is in one"},
}

// empty returns why a way cannot be tried with a promise, or "".
func empty(way way, trial trial) string {
	switch {
	case trial.never && way.historic:
		return "history has only what was valid"
	case way.can&writesAll == 0 && trial.verb == update && !trial.any:
		return "the way does not write what the promise is about"
	case way.can&trial.needs != trial.needs:
		return "the way does not take it"
	}
	for _, p := range pairs {
		if matches(p.way, way.name) && (matches(p.promise, trial.promise) || matches(p.promise, trial.promise+"/"+trial.name)) {
			return p.why
		}
	}
	return ""
}
