package sd

import (
	"fmt"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Check reports all errors of the SD that prevent a merge in the mode with any other SD. In
// Replace these are only the errors that no mode accepts. The error has a part for each finding.
func (d *Descriptor) Check(mode Mode) error {
	var f faults
	x := d.check(&f, mode, modelNone)
	if mode == ExtendedMerge {
		if g := readGraph(&f, d); g != nil {
			g.requireAll(&f, d, x)
		}
	}
	return f.err()
}

// index finds the applications of an SD. Entries that are not applications, and duplicates, are
// not in its maps.
type index struct {
	byIdentity map[identity]int
	// Only in ExtendedMerge:
	byAlias map[string]int
	aliases []string // the effective ones, by entry
	model   model    // that all applications should have
	uniform bool     // all have it
}

// check reports what is wrong with the applications. In ExtendedMerge they must have one model, the
// wanted one unless it is modelNone.
func (d *Descriptor) check(f *faults, mode Mode, want model) *index {
	x := &index{byIdentity: make(map[identity]int, len(d.entries)), model: want, uniform: true}
	if mode == ExtendedMerge {
		x.byAlias, x.aliases = make(map[string]int, len(d.entries)), make([]string, len(d.entries))
	}
	for i := range d.entries {
		e := &d.entries[i]
		if e.model == modelNone {
			f.Join(e.fault)
			continue
		}
		if mode.isBasic() && e.model == modelText {
			f.add(ReasonInvalidApplication, e.at.position(), "write it as a map with version and deployPostfix",
				"the application %s is written as a text, which %s does not take", e.Application, mode)
			continue
		}
		if first, ok := x.byIdentity[e.identity()]; ok {
			f.duplicate(e, &d.entries[first], "a duplicate")
			continue
		}
		x.byIdentity[e.identity()] = i
		if mode == ExtendedMerge {
			d.checkExtended(f, x, i)
		}
	}
	return x
}

// checkExtended reports an entry of another model, or with the alias of another one.
func (d *Descriptor) checkExtended(f *faults, x *index, i int) {
	e := &d.entries[i]
	if x.model == modelNone {
		x.model = e.model
	}
	if e.model != x.model {
		x.uniform = false
		f.add(ReasonModelMismatch, e.at.position(), "write all applications of both SDs in one form",
			"the application %s is written as %s, others as %s", e.Application, e.model, x.model)
	}
	x.aliases[i] = e.EffectiveAlias()
	if first, ok := x.byAlias[x.aliases[i]]; ok {
		f.duplicateAlias(e, &d.entries[first])
		return
	}
	x.byAlias[x.aliases[i]] = i
}

func (f *faults) duplicate(e, first *entry, how string) {
	f.add(ReasonDuplicateApplication, e.at.position(), "remove one of the two",
		"the application %s is %s, first %s", e.Name+e.details(), how, where(first.at.position(), e.at.position()))
}

func (f *faults) duplicateAlias(e, first *entry) {
	f.add(ReasonDuplicateAlias, e.at.position(), "give it an alias of its own",
		"the alias %s of %s is that of %s %s", strconv.Quote(e.EffectiveAlias()), e.Application, first.Application, where(first.at.position(), e.at.position()))
}

// where tells a place within a message about something at another place.
func where(at, other dovetail.Position) string {
	if at.Line == 0 {
		return "at " + at.String()
	}
	at.Path = ""
	if at.File == other.File {
		return fmt.Sprintf("in line %d column %d", at.Line, at.Column)
	}
	return "at " + at.String()
}

// checkSlots reports entries of a delta that the basic modes cannot tell apart: those of one name
// and deploy postfix. What check reports is left out.
func (d *Descriptor) checkSlots(f *faults) {
	seen := make(map[slot]int, len(d.entries))
	for i := range d.entries {
		e := &d.entries[i]
		if e.model == modelNone || e.model == modelText {
			continue
		}
		if first, ok := seen[e.slot()]; !ok {
			seen[e.slot()] = i
		} else if d.entries[first].identity() != e.identity() {
			f.duplicate(e, &d.entries[first], "a duplicate in the delta, where the alias does not count")
		}
	}
}

// headerMembers are what must be alike in both SDs of an extended merge.
var headerMembers = []string{"version", "type", "deployMode"}

// checkHeader reports the members of the header that are not alike.
func checkHeader(f *faults, full, delta *Descriptor) {
	for _, name := range headerMembers {
		was, is := full.value.Get(name), delta.value.Get(name)
		if headerText(was) != headerText(is) {
			f.add(ReasonHeaderMismatch, delta.position(name), "make it alike in both",
				"%s is %s in the delta and %s in the full SD", name, orAbsent(is), orAbsent(was))
		}
	}
}

// headerText is by what values of the header are compared: 2.1 and "2.1" are alike.
func headerText(v *value.Value) string {
	switch kindOf(v) {
	case value.Null:
		return ""
	case value.List, value.Map:
		return string(v.JSON())
	}
	return v.Text
}

func orAbsent(v *value.Value) string {
	if headerText(v) == "" {
		return "absent"
	}
	return shorten(v)
}
