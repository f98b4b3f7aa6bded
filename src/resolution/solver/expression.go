package solver

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// operator says what an expression asks for.
type operator uint8

const (
	required operator = iota // a candidate of the selector
	anyOf                    // one of the parts
	allOf                    // all parts
	noneOf                   // no candidate of any of the selectors
	optional                 // its only part, where that is possible
)

// expression is what a constraint or a dependency asks for.
type expression struct {
	operator  operator
	selector  *selector     // of required
	parts     []*expression // of anyOf, allOf and optional
	selectors []*selector   // of noneOf
}

// text shows the expression in a message.
func (e *expression) text() string {
	switch e.operator {
	case required:
		return e.selector.text
	case anyOf:
		return joinParts(e.parts, " or ")
	case allOf:
		return joinParts(e.parts, " and ")
	case optional:
		return e.parts[0].text() + " if possible"
	case noneOf:
	}
	var list []string
	for _, s := range e.selectors {
		list = append(list, "no "+s.text)
	}
	return strings.Join(list, " and ")
}

func joinParts(parts []*expression, word string) string {
	var list []string
	for _, p := range parts {
		text := p.text()
		if (p.operator == anyOf || p.operator == allOf) && len(p.parts) > 1 {
			text = "(" + text + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, word)
}

// each yields the selectors of the expression.
func (e *expression) each(do func(*selector)) {
	if e.selector != nil {
		do(e.selector)
	}
	for _, p := range e.parts {
		p.each(do)
	}
	for _, s := range e.selectors {
		do(s)
	}
}

// maxDepth is how deep expressions may nest.
const maxDepth = 20

// expressionMembers are those of an expression in map form, of which it has one.
var expressionMembers = []string{"required", "any", "all", "not", "prohibited", "optional"}

// expression reads an expression in string or map form. bare says that a selector alone is one too.
func (r *reader) expression(f decode.Field, bare bool, depth int) *expression {
	if depth > maxDepth {
		f.Fail("write it flatter", "this nests too deep")
		return nil
	}
	if text, ok := f.Value.Str(); ok {
		return r.callExpression(f, text)
	}
	if !isTextOrMap(f, expressionMembers) {
		return nil
	}
	if bare && (len(f.Value.Members) != 1 || !slices.Contains(expressionMembers, f.Value.Members[0].Name)) {
		return asExpression(required, r.selector(f))
	}
	if !oneOf(f, expressionMembers) {
		return nil
	}
	for name, m := range f.As("an expression").Members(expressionMembers...) {
		switch name {
		case "required":
			return asExpression(required, r.selectorOrCall(m))
		case "any", "all":
			e := &expression{operator: anyOf}
			if name == "all" {
				e.operator = allOf
			}
			for _, item := range m.NonEmptyList("an expression") {
				if part := r.expression(item, bare, depth+1); part != nil {
					e.parts = append(e.parts, part)
				}
			}
			return e
		case "optional":
			if part := r.expression(m, bare, depth+1); part != nil {
				return &expression{operator: optional, parts: []*expression{part}}
			}
			return nil
		case "not", "prohibited":
			if m.Kind() == value.List {
				return &expression{operator: noneOf, selectors: r.selectors(m)}
			}
			return asExpression(noneOf, r.selectorOrCall(m))
		}
	}
	return nil
}

// asExpression is an expression of one selector, nil without it.
func asExpression(o operator, s *selector) *expression {
	switch {
	case s == nil:
		return nil
	case o == required:
		return &expression{operator: o, selector: s}
	}
	return &expression{operator: o, selectors: []*selector{s}}
}

// selectorOrCall reads a selector, which may be written as required(...).
func (r *reader) selectorOrCall(f decode.Field) *selector {
	text, ok := f.Value.Str()
	if !ok {
		return r.selector(f)
	}
	if !strings.Contains(text, "(") {
		f.Fail("write {name: "+text+"}", "a selector is a map, not the text %s", decode.Quote(text))
		return nil
	}
	if e := r.callExpression(f, text); e != nil && e.operator == required {
		return e.selector
	} else if e != nil {
		f.Fail(`write required("name") or a map`, "this is not a selector")
	}
	return nil
}
