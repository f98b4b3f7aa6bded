package schema

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// decoder reads the values of one source.
func (p *parser) decoder() *decode.Decoder {
	return &decode.Decoder{File: p.file, Errors: &p.errors, Complete: func(e *dovetail.Error) {
		fault := FaultYAMLType
		if errors.Is(e.Err, decode.ErrUnknownMember) {
			fault = FaultUnknownField
		}
		e.Code, e.Err, e.Position.Path = dovetail.CodeSchema, fault, ""
	}}
}

// at is the place of a field. Errors of schemas have no path.
func at(f decode.Field) dovetail.Position {
	at := f.Position()
	at.Path = ""
	return at
}

// readFields hands each member of a map to its reader, and reports those that have none.
func readFields(f decode.Field, readers map[string]func(decode.Field)) bool {
	for name, m := range f.Members(slices.Sorted(maps.Keys(readers))...) {
		readers[name](m)
	}
	return f.Kind() == value.Map
}

// readText reads a string. An empty or null one is absent.
func readText(f decode.Field) text {
	if f.IsMissing() {
		return text{at: at(f)}
	}
	read, ok := f.AnyText()
	return text{value: read, at: at(f), bad: !ok}
}

func readTexts(f decode.Field) []text {
	var all []text
	for _, item := range f.Items("an item of " + f.Name()) {
		all = append(all, readText(item))
	}
	return all
}

// pair is a name and a string below it.
type pair struct{ name, value text }

// readPairs reads a map of strings, in the order of its names.
func readPairs(f decode.Field) []pair {
	var all []pair
	for _, m := range members(f) {
		all = append(all, pair{m.name, readText(m.As(f.Name() + " " + m.name.value))})
	}
	return all
}

// member is a member of a map whose names are not known before.
type member struct {
	name text
	decode.Field
}

// members are those of a map, in the order of their names; none when it is null.
func members(f decode.Field) []member {
	if f.IsMissing() || !f.IsMap() {
		return nil
	}
	var all []member
	for _, m := range f.Value.Members {
		position := at(f)
		position.Line, position.Column = int(m.Line), int(m.Column)
		all = append(all, member{text{value: m.Name, at: position}, f.Get(m.Name)})
	}
	slices.SortFunc(all, func(a, b member) int { return strings.Compare(a.name.value, b.name.value) })
	return all
}

// number is an integer with its place; zero when none was given, or something else.
type number struct {
	value int
	at    dovetail.Position
}

func readNumber(f decode.Field) number {
	if n, err := strconv.Atoi(f.Value.Text); err == nil && f.Kind() == value.Number {
		return number{n, at(f)}
	}
	f.WrongType("an integer", "write an integer")
	return number{}
}
