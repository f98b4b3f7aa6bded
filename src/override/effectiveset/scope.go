package effectiveset

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/value"
)

// scope is what macros see: parameters by their names, those of single levels by their paths, and credentials.
type scope struct {
	c *calculation
	// names are looked up in turn: the first that has one counts.
	names []parameters
	// levels are those that ${tenant.NAME} and such paths name.
	levels map[string]parameters

	done   map[*value.Value]*value.Value
	active map[*value.Value]bool
}

func (c *calculation) newScope(levels map[string]parameters, names ...parameters) *scope {
	return &scope{c: c, names: names, levels: levels, done: make(map[*value.Value]*value.Value), active: make(map[*value.Value]bool)}
}

// resolve returns a value with its macros resolved; what a credential takes part in is marked.
func (s *scope) resolve(v *value.Value, file string) (*value.Value, error) {
	if made, known := s.done[v]; known {
		return made, nil
	}
	if err := s.c.budget.over(); err != nil {
		return nil, err
	}
	if s.active[v] {
		return nil, invalid(v.In(file), "the parameter refers to itself")
	}
	s.active[v] = true
	made, err := s.make(v, file)
	delete(s.active, v)
	if err == nil {
		s.done[v] = made
	} else {
		s.c.budget.fail(v.In(file))
	}
	return made, err
}

func (s *scope) make(v *value.Value, file string) (*value.Value, error) {
	if s.c.external[v] != nil || s.c.secrets[v] || s.c.literal[v] {
		return v, nil
	}
	switch v.Kind {
	case value.String:
		return s.expand(v, file)
	case value.Map:
		ref, err := s.c.referenceOf(v, file)
		if err != nil || ref != nil {
			return ref, err
		}
		made := *v
		made.Members = make([]value.Member, len(v.Members))
		var errs dovetail.Errors
		for i, m := range v.Members {
			var err error
			made.Members[i] = m
			made.Members[i].Value, err = s.resolve(m.Value, file)
			tellOnce(&errs, err)
		}
		return &made, errs.Err("macros cannot be resolved")
	case value.List:
		made := *v
		made.Items = make([]*value.Value, len(v.Items))
		var errs dovetail.Errors
		for i, item := range v.Items {
			var err error
			made.Items[i], err = s.resolve(item, file)
			tellOnce(&errs, err)
		}
		return &made, errs.Err("macros cannot be resolved")
	case value.Null, value.Bool, value.Number:
	}
	return v, nil
}

// all resolves parameters.
func (s *scope) all(p parameters) (map[string]*value.Value, error) {
	made := make(map[string]*value.Value, len(p))
	var errs dovetail.Errors
	for _, name := range sortedNames(p) {
		v, err := s.resolve(p[name].value, p[name].file)
		if err != nil {
			tellOnce(&errs, named(err, name, p[name]))
			continue
		}
		made[name] = v
	}
	return made, errs.Err("macros cannot be resolved")
}

// named says in an error which parameter it is about.
func named(err error, name string, p parameter) error {
	e := *dovetail.AsError(err)
	if len(e.Errors) > 0 {
		var errs dovetail.Errors
		for _, part := range e.Errors {
			tellOnce(&errs, named(part, name, p))
		}
		return errs.Err(e.Message)
	}
	e.Message = "the parameter " + name + ": " + e.Message
	if e.Position.File == "" {
		e.Position = p.at()
	}
	return &e
}

// lookUp finds the parameter that names begin with, and returns it resolved with the rest of the names.
func (s *scope) lookUp(names []string, v *value.Value, file string) (found *value.Value, rest []string, err error) {
	for end := min(3, len(names)-1); end > 0; end-- {
		level, is := s.levels[strings.Join(names[:end], ".")]
		if !is {
			continue
		}
		p, is := level[names[end]]
		if !is {
			break
		}
		found, err := s.resolve(p.value, p.file)
		return found, names[end+1:], err
	}
	for _, all := range s.names {
		if p, is := all[names[0]]; is {
			found, err := s.resolve(p.value, p.file)
			return found, names[1:], err
		}
	}
	unknown := s.c.absence("parameter "+shortened(strings.Join(names, ".")), v.In(file))
	var known []string
	for _, all := range s.names {
		known = append(known, sortedNames(all)...)
	}
	if near := suggest.Nearest(names[0], known); near != "" {
		unknown.Remedy = "did you mean " + near + "?"
	}
	return nil, nil, unknown
}

// copied is a value of its own with the same marks.
func (c *calculation) copied(v *value.Value, at dovetail.Position) (*value.Value, error) {
	if err := c.budget.take(len(v.Text), 1, at); err != nil {
		return nil, err
	}
	made := *v
	if c.secrets[v] {
		c.secrets[&made] = true
	}
	if ref := c.external[v]; ref != nil {
		c.external[&made] = ref
		return &made, nil
	}
	made.Items, made.Members = nil, nil
	for _, item := range v.Items {
		one, err := c.copied(item, at)
		if err != nil {
			return nil, err
		}
		made.Items = append(made.Items, one)
	}
	for _, m := range v.Members {
		one, err := c.copied(m.Value, at)
		if err != nil {
			return nil, err
		}
		made.Members = append(made.Members, value.Member{Name: m.Name, Value: one, Place: m.Place})
	}
	return &made, nil
}

// isSecret reports whether a credential takes part in a value.
func (c *calculation) isSecret(v *value.Value) bool {
	if c.secrets[v] {
		return true
	}
	for _, item := range v.Items {
		if c.isSecret(item) {
			return true
		}
	}
	for _, m := range v.Members {
		if c.isSecret(m.Value) {
			return true
		}
	}
	return false
}
