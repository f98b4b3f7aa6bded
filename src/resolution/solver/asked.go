package solver

import "cmp"

// asks yields the ranges of versions that an expression requires, each with the package that it is about, "" where that is open: of its
// selectors and of their conditions, but not of what is ruled out.
func (e *expression) asks(do func(name string, versions *Range)) {
	if e.operator == required {
		e.selector.asks("", do)
	}
	for _, part := range e.parts {
		part.asks(do)
	}
}

// asks is that of an expression. A range without a name is about the package that is named around it.
func (s *selector) asks(around string, do func(string, *Range)) {
	name := cmp.Or(s.name, around)
	if s.match != nil {
		name = cmp.Or(s.name, s.match.name(), around)
		s.match.asks(name, do)
	}
	do(name, s.versions)
}

func (m *match) asks(around string, do func(string, *Range)) {
	switch m.operator {
	case noneOf:
		return
	case allOf:
		around = cmp.Or(m.name(), around)
	case required:
		m.leaf.asks(around, do)
	case anyOf, optional:
	}
	for _, part := range m.parts {
		part.asks(around, do)
	}
}
