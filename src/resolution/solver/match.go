package solver

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
)

// match is a condition on one candidate: a selector, or several conditions all, one or none of which hold.
type match struct {
	operator operator  // required, anyOf, allOf or noneOf
	leaf     *selector // of required
	parts    []*match
}

// holds reports whether a version of a package in a source meets the condition.
func (m *match) holds(in *Problem, source *Source, p *Package, v *Version) bool {
	met := func(part *match) bool { return part.holds(in, source, p, v) }
	switch m.operator {
	case anyOf:
		return slices.ContainsFunc(m.parts, met)
	case allOf:
		return !slices.ContainsFunc(m.parts, func(part *match) bool { return !met(part) })
	case noneOf:
		return !slices.ContainsFunc(m.parts, met)
	case required:
	}
	return in.meets(m.leaf, source, p, v)
}

// ruled reports whether rules decide.
func (m *match) ruled() bool {
	return m.leaf != nil && m.leaf.ruled() || slices.ContainsFunc(m.parts, (*match).ruled)
}

// name is that of the only package whose versions can meet the condition, "" where there may be several.
func (m *match) name() string {
	if m.operator == required {
		if m.leaf.name == "" && m.leaf.match != nil {
			return m.leaf.match.name()
		}
		return m.leaf.name
	}
	if m.operator == allOf {
		for _, part := range m.parts {
			if name := part.name(); name != "" {
				return name
			}
		}
	}
	return ""
}

// text shows the condition in a message.
func (m *match) text() string {
	var list []string
	for _, part := range m.parts {
		text := part.text()
		if part.operator != required && len(part.parts) > 1 {
			text = "(" + text + ")"
		}
		list = append(list, text)
	}
	switch m.operator {
	case anyOf:
		return strings.Join(list, " or ")
	case allOf:
		return strings.Join(list, " and ")
	case noneOf:
		return "none of " + strings.Join(list, ", ")
	case required:
	}
	return m.leaf.text
}

// key is equal for equal conditions.
func (m *match) key() string {
	if m.operator == required {
		return "(" + m.leaf.key + ")"
	}
	keys := []string{string('0' + rune(m.operator))}
	for _, part := range m.parts {
		keys = append(keys, part.key())
	}
	return "(" + strings.Join(keys, "\x01") + ")"
}

var matchMembers = []string{"all", "any", "not"}

// match reads {all: [...]}, {any: [...]}, {not: [...]} or a selector, in which a range may stand alone.
func (r *reader) match(f decode.Field, depth int) *match {
	if depth > maxDepth {
		f.Fail("write it flatter", "this nests too deep")
		return nil
	}
	if !isTextOrMap(f, matchMembers) {
		return nil
	}
	if _, is := f.Value.Str(); is || len(f.Value.Members) != 1 || !slices.Contains(matchMembers, f.Value.Members[0].Name) {
		leaf := r.leaf(f)
		if leaf == nil {
			return nil
		}
		return &match{operator: required, leaf: leaf}
	}
	for name, m := range f.As("a condition").Members(matchMembers...) {
		made := &match{operator: map[string]operator{"all": allOf, "any": anyOf, "not": noneOf}[name]}
		for _, item := range m.NonEmptyList("a condition") {
			if part := r.match(item, depth+1); part != nil {
				made.parts = append(made.parts, part)
			}
		}
		return made
	}
	return nil
}

// leaf reads a selector that is part of a condition.
func (r *reader) leaf(f decode.Field) *selector {
	if _, ok := f.Value.Str(); ok {
		return r.selectorOrCall(f)
	}
	return r.selectorOf(f, true)
}
