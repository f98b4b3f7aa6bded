package effectiveset

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Step is the assignment of a value at one level.
type Step struct {
	Level Level
	// Calculated says that no user has set it at this level.
	Calculated bool
	Position   dovetail.Position // unknown for what is calculated
	// Path is that of the assignment if it assigns not the value itself, but one that contains it: a text with macros.
	Path string
	// Value is the value at the level, with unresolved macros. It is nil for credentials, which are not shown.
	Value *value.Value
	// Effective says that this assignment makes the value. Of lists and maps, which are merged, it is the last assignment.
	Effective bool
	// Macros are those of the effective value.
	Macros []Macro
}

// Macro is a reference in a text, and what is known of what it refers to.
type Macro struct {
	Text  string
	Steps []Step
}

// deepestMacro is how far macros are followed.
const deepestMacro = 16

// Explain returns what each level says about a value of a file, by its path in the form of JSON Pointer, later levels after earlier ones; none for
// a file that comes from no levels, and when the set was calculated without Input.Origins.
func (s *Set) Explain(file, pointer string) []Step {
	names, ok := value.SplitPointer(pointer)
	p := s.provenance(file)
	if !ok || len(names) == 0 || p == nil {
		return nil
	}
	for _, whole := range []bool{true, false} {
		for _, names := range tries(names) {
			if steps := p.steps(names, whole, 0); len(steps) > 0 {
				return steps
			}
		}
	}
	return []Step{{Level: LevelCalculated, Calculated: true, Effective: true}} // after all levels
}

// steps are those of a value by its names. Unless it is to be there as a whole, a level may have a text with macros above it.
func (p *provenance) steps(names []string, whole bool, depth int) []Step {
	var steps []Step
	for _, l := range p.levels {
		given, set := l.parameters[names[0]]
		if !set {
			continue
		}
		v, found := given.value.Find(value.Pointer(names[1:]...))
		if !found && whole {
			continue
		}
		if !found {
			v = given.value
		}
		step := p.of.step(l.level, given, v)
		if !found {
			step.Path = value.Pointer(names[0])
		}
		if before, has := p.of.replaced[given.value]; has {
			if v, found := before.value.Find(value.Pointer(names[1:]...)); found {
				steps = append(steps, p.of.step(l.level, before, v))
			}
		}
		steps = append(steps, step)
	}
	if isSecretLeaf("", value.Pointer(names...)) {
		for i := range steps {
			steps[i].Value = nil
		}
	}
	if len(steps) > 0 {
		last := &steps[len(steps)-1]
		last.Effective = true
		last.Macros = p.macros(last.Value, depth)
	}
	return steps
}

// step is what a level says.
func (c *calculation) step(level Level, given parameter, v *value.Value) Step {
	s := Step{Level: level, Position: v.In(given.file), Value: v, Calculated: given.file == ""}
	switch file := c.sboms[given.value]; {
	case file != "":
		s.Level, s.Position, s.Calculated = LevelSBOM, dovetail.Position{File: file}, false
	case s.Calculated:
		s.Position = dovetail.Position{}
	}
	if c.isSecret(v) {
		s.Value = nil
	}
	return s
}

// macros are the references of a text, or of the texts in a map or list.
func (p *provenance) macros(v *value.Value, depth int) []Macro {
	if v == nil || p.paths == nil || p.of.literal[v] || depth >= deepestMacro {
		return nil
	}
	var found []Macro
	for _, item := range v.Items {
		found = append(found, p.macros(item, depth)...)
	}
	for _, m := range v.Members {
		found = append(found, p.macros(m.Value, depth)...)
	}
	if v.Kind == value.String {
		for _, expression := range expressions(v) {
			found = append(found, Macro{"${" + expression + "}", p.referred(expression, depth+1)})
		}
	}
	return found
}

// expressions are those of the macros of a text.
func expressions(v *value.Value) []string {
	var found []string
	for rest := v.Text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, `\$`), strings.HasPrefix(rest, `\\`), strings.HasPrefix(rest, "$$"):
			rest = rest[2:]
			continue
		case strings.HasPrefix(rest, "$"):
			expression, length, err := macroAt(rest, v, "")
			if err == nil && length > 0 {
				found = append(found, expression)
				rest = rest[length:]
				continue
			}
		}
		rest = rest[1:]
	}
	return found
}

// referred is what levels say about what an expression refers to.
func (p *provenance) referred(expression string, depth int) []Step {
	if m := credsCall.FindStringSubmatch(expression); m != nil {
		cred := p.of.repo.credentials[m[1]+m[2]]
		if cred == nil {
			return nil
		}
		return []Step{{Level: LevelCredential, Position: cred.at, Effective: true}}
	}
	names := strings.Split(expression, ".")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	for end := min(3, len(names)-1); end > 0; end-- {
		level, is := p.paths[strings.Join(names[:end], ".")]
		if !is {
			continue
		}
		if _, is := level[names[end]]; !is {
			break
		}
		of := &provenance{levels: []given{{levelNamed(names[end-1]), level}}, paths: p.paths, of: p.of}
		return of.steps(names[end:], false, depth)
	}
	for at := p; at != nil; at = at.beside {
		if steps := at.steps(names, false, depth); len(steps) > 0 {
			return steps
		}
	}
	return nil
}

// levelNamed is the level that macros call by a name.
func levelNamed(name string) Level { return Level(name) } // both say tenant, cloud, namespace, application
