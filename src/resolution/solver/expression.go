package solver

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// operator says what an expression asks for.
type operator uint8

const (
	required operator = iota // a candidate of the selector
	anyOf                    // one of the parts
	allOf                    // all parts
	noneOf                   // no candidate of any of the selectors
)

// expression is what a constraint or a dependency asks for.
type expression struct {
	operator  operator
	selector  *selector     // of required
	parts     []*expression // of anyOf and allOf
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

// expression reads an expression in string or map form. bare says that a selector alone is one too.
func (r *reader) expression(v *value.Value, path string, bare bool, depth int) *expression {
	if depth > maxDepth {
		r.faults.add(v, path, "write it flatter", "this nests too deep")
		return nil
	}
	if text, ok := v.Str(); ok {
		return r.callExpression(v, path, text)
	}
	if kindOf(v) != value.Map {
		r.faults.add(v, path, "write required, any, all or not", "this must be a map or a text, not a %s", kindOf(v))
		return nil
	}
	if len(v.Members) == 1 {
		m := v.Members[0]
		at := path + value.Pointer(m.Name)
		switch m.Name {
		case "required":
			if s := r.selectorOrCall(m.Value, at); s != nil {
				return &expression{operator: required, selector: s}
			}
			return nil
		case "any", "all":
			e := &expression{operator: anyOf}
			if m.Name == "all" {
				e.operator = allOf
			}
			for i, item := range r.list(m.Value, at) {
				if part := r.expression(item, at+index(i), bare, depth+1); part != nil {
					e.parts = append(e.parts, part)
				}
			}
			return e
		case "not", "prohibited":
			if m.Value.Kind == value.List {
				return &expression{operator: noneOf, selectors: r.selectors(m.Value, at)}
			}
			if s := r.selectorOrCall(m.Value, at); s != nil {
				return &expression{operator: noneOf, selectors: []*selector{s}}
			}
			return nil
		}
	}
	if bare {
		if s := r.selector(v, path); s != nil {
			return &expression{operator: required, selector: s}
		}
		return nil
	}
	r.oneOf(v, path, "required, any, all, not or prohibited")
	return nil
}

// oneOf refuses a map that has not exactly one of the known members.
func (r *reader) oneOf(v *value.Value, path, known string) {
	switch len(v.Members) {
	case 0:
		r.faults.add(v, path, "use "+known, "this is empty")
	case 1:
		r.unknown(v, v.Members[0], path, known)
	default:
		r.faults.add(v, path, "use one of "+known, "this has %d members instead of one", len(v.Members))
	}
}

// selectorOrCall reads a selector, which may be written as required(...).
func (r *reader) selectorOrCall(v *value.Value, path string) *selector {
	text, ok := v.Str()
	if !ok {
		return r.selector(v, path)
	}
	if !strings.Contains(text, "(") {
		r.faults.add(v, path, "write {name: "+text+"}", "a selector is a map, not the text %s", quote(text))
		return nil
	}
	if e := r.callExpression(v, path, text); e != nil && e.operator == required {
		return e.selector
	} else if e != nil {
		r.faults.add(v, path, `write required("name") or a map`, "this is not a selector")
	}
	return nil
}
