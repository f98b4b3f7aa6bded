package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// at is the place of a value.
func (p *parser) at(v *value.Value) dovetail.Position {
	at := v.Position()
	at.File = p.file
	return at
}

// wrongType reports a value that should be something else.
func (p *parser) wrongType(v *value.Value, what, wanted string) {
	p.add(FaultYAMLType, p.at(v), "see docs/schema.md for the format", "%s must be %s, not %s", what, wanted, typeName(v.Kind))
}

func typeName(kind value.Kind) string {
	switch kind {
	case value.Null:
		return "empty"
	case value.List:
		return "a list"
	case value.Map:
		return "a mapping"
	}
	return "a " + kind.String()
}

// fields hands each member of a mapping to its reader, and reports those that have none.
func (p *parser) fields(v *value.Value, what string, readers map[string]func(*value.Value)) bool {
	if v.Kind != value.Map {
		p.wrongType(v, what, "a mapping")
		return false
	}
	for _, m := range v.Members {
		if read, known := readers[m.Name]; known {
			read(m.Value)
			continue
		}
		known := slices.Sorted(maps.Keys(readers))
		p.add(FaultUnknownField, p.nameOf(m).at, didYouMean(m.Name, known, "the fields are "+enumerate(known)), "%s has no field %q", what, m.Name)
	}
	return true
}

// text reads a string. An empty or null one is absent.
func (p *parser) text(v *value.Value, what string) text {
	switch v.Kind {
	case value.String:
		return text{value: v.Text, at: p.at(v)}
	case value.Null:
		return text{at: p.at(v)}
	case value.Number, value.Bool:
		p.add(FaultYAMLType, p.at(v), "write "+strconv.Quote(v.Text)+" in quotes", "%s must be a string, not a %s", what, v.Kind)
	default:
		p.wrongType(v, what, "a string")
	}
	return text{at: p.at(v), bad: true}
}

func (p *parser) list(v *value.Value, what string) []*value.Value {
	switch v.Kind {
	case value.List:
		return v.Items
	case value.Null:
	default:
		p.wrongType(v, what, "a list")
	}
	return nil
}

func (p *parser) texts(v *value.Value, what string) []text {
	var all []text
	for _, item := range p.list(v, what) {
		all = append(all, p.text(item, "an item of "+what))
	}
	return all
}

// pair is a name and a string below it.
type pair struct{ name, value text }

// pairs reads a mapping of strings, in the order of its names.
func (p *parser) pairs(v *value.Value, what string) []pair {
	var all []pair
	for _, m := range p.members(v, what) {
		all = append(all, pair{p.nameOf(m), p.text(m.Value, what+" "+m.Name)})
	}
	return all
}

// nameOf is the name of a member with its place.
func (p *parser) nameOf(m value.Member) text {
	return text{value: m.Name, at: m.In(p.file)}
}

func (p *parser) members(v *value.Value, what string) []value.Member {
	switch v.Kind {
	case value.Map:
		return slices.SortedFunc(slices.Values(v.Members), func(a, b value.Member) int { return strings.Compare(a.Name, b.Name) })
	case value.Null:
	default:
		p.wrongType(v, what, "a mapping")
	}
	return nil
}

func (p *parser) boolean(v *value.Value, what string) bool {
	if v.Kind != value.Bool {
		p.wrongType(v, what, "true or false")
	}
	return v.Kind == value.Bool && v.Text == "true"
}

// number is an integer with its place; zero when none was given, or something else.
type number struct {
	value int
	at    dovetail.Position
}

func (p *parser) number(v *value.Value, what string) number {
	n, err := strconv.Atoi(v.Text)
	if v.Kind != value.Number || err != nil {
		p.wrongType(v, what, "an integer")
		return number{}
	}
	return number{n, p.at(v)}
}
