package matrix

// A pair is a way and a promise, as patterns, of which there is nothing to test.
type pair struct{ way, promise, why string }

// pairs are those for which no rule of empty has the reason.
var pairs = []pair{
	{"import", "managed", "an import brings them where no document is protected; with protections it is tested"},
	{"import", "defaults", "an import stores what was exported as it was"},
	{"rename to", "references exist", "what the document refers to is held by it under its former name"},
	{"rename to", "unique/", "the document has the value under its former name"},
	{"rename to", "exclusive", "the document has the target under its former name"},
	{"rename to", "rights/use", "the reference is no new one"},
	{"cascade (through|by the rule of) a reference", "managed", "a managed document of the matrix refers to nothing"},
	{"cascade (through|by the rule of) a reference", "parents exist", "a site refers to nothing"},
	{"cascade (through|by the rule of) a reference", "references exist", "a device refers to nothing"},
	{"migration", "references exist", "what the document refers to is held by it where it was"},
	{"migration", "unique/", "the document has the value where it was"},
	{"migration", "exclusive", "the document has the target where it was"},
	{"migration", "rights/use", "the reference is no new one"},
	{"migration", "managed/beside protections", "there is no document to move, as none can be made past the service"},
	{"migration", "lifecycle/freezes children", "a migration gives all documents another shape, frozen ones too"},
	{"finish of work", "managed", "a managed document has no work"},
	{"finish of work", "protection", "work on a protected document cannot be requested"},
	{"lifecycle action", "managed", "a managed document of the matrix has no lifecycle"},
	{"migration", "managed", "a migration gives all documents another shape, those of services too"},
	{"revert of a merge", "immutable", "a revert brings back what its transaction changed, and none changes that"},
	{"revert of a merge", "rules/of the former values", "as above"},
	{"rename of the target", "managed", "a managed document of the matrix refers to nothing"},
	{"revert of an update", "immutable", "a revert brings back what its transaction changed, and none changes that"},
	{"revert of an update", "rules/of the former values", "as above"},
	{"early merge of an update", "immutable", "a merge brings what was staged as a difference, and none is in that"},
	{"early merge of an update", "rules/of the former values", "as above"},
	{"rename to", "managed/beside protections", "there is no document to rename, as none can be made past the service"},
	{"rollback of a deletion", "managed/beside protections", "as above"},
	{"revert of a deletion", "managed/beside protections", "as above"},
	{"rename from", "claims", "the document keeps the value under its new name"},
	{"rename from", "references", "the document keeps the target under its new name"},
	{"rename to", "found", "its labels are those that it had under its former name"},
	{"cascade from the parent", "found", "the collection went, too"},
	{"cascade from the parent", "claims", "there is no place for another document"},
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
