package schema

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// slot is where a rule finds its references, and how many there must be, as it was written.
type slot struct {
	at        location
	members   []pair            // the field map where it is a mapping
	mapAt     dovetail.Position // where that mapping stands; zero if there is none
	required  bool
	min, max  number
	exclusive bool
}

// location is a Path of a ref-schema with its place. The zero location stands for an absent field.
type location struct {
	text
	path Path
}

// location reads a path into the data, and reports one that is none.
func (p *parser) location(f decode.Field) location {
	l := location{text: readText(f)}
	if l.bad || l.value == "" {
		return l
	}
	path, err := ParsePath(l.value)
	if err != nil {
		e := dovetail.AsError(err)
		p.add(FaultBadValue, l.at, e.Remedy, "%s cannot be %s: %s", f.Name(), short(l.value), e.Message)
		l.bad = true
	}
	l.path = path
	return l
}

// locations reads a list of paths into the data.
func (p *parser) locations(f decode.Field) []location {
	var all []location
	for _, item := range f.Items("a path") {
		all = append(all, p.location(item))
	}
	if len(all) == 0 && f.Kind() == value.List {
		p.add(FaultBadValue, at(f), "list the paths, or leave the field out", "%s is empty", f.Name())
	}
	return all
}

// mapOf reads the field map: a member of spec, or for each element of the target's key the member
// that holds it.
func (rule *rule) mapOf(f decode.Field) {
	if f.Kind() != value.Map {
		rule.member = readText(f)
		return
	}
	rule.slot.members, rule.slot.mapAt = readPairs(f), at(f)
}
