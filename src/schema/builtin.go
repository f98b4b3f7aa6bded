package schema

import (
	"slices"
	"strings"
)

// builtIn begins the names of sources that come with a program rather than from the files of its operator.
const builtIn = "dovetail:"

// BuiltIn returns a source that comes with a program, for kinds that it needs beside those of its operator.
func BuiltIn(name string, data []byte) Source { return Source{Name: builtIn + name, Data: data} }

// BuiltInName returns the name of a source that comes with a program, "" for others.
func (s Source) BuiltInName() string {
	name, _ := strings.CutPrefix(s.Name, builtIn)
	if name == s.Name {
		return ""
	}
	return name
}

// Names returns the names of the kinds that sources define, whether or not they compile.
func Names(sources []Source) []string {
	var names []string
	for _, segment := range parse(sources, &faults{}) {
		for _, r := range segment.resources {
			names = append(names, r.name.value[strings.LastIndexByte(r.name.value, '.')+1:])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Complete returns sources with those that come with a program and that a model in force has besides, unless the sources
// themselves define a kind of theirs. A nil model has none. So the kinds that a service brought stay when the operator's files
// change, whichever process reads them.
func Complete(sources []Source, inForce *Model) []Source {
	if inForce == nil {
		return sources
	}
	return WithBuiltIn(sources, slices.DeleteFunc(slices.Clone(inForce.Sources()), func(s Source) bool { return s.BuiltInName() == "" }))
}

// Completed returns the model with the kinds that Complete adds to its sources. The error is Compile's.
func (m *Model) Completed(inForce *Model) (*Model, error) {
	sources := Complete(m.sources, inForce)
	if len(sources) == len(m.sources) {
		return m, nil
	}
	return Compile(sources)
}

// WithBuiltIn returns sources with those of parts of which they define no kind.
func WithBuiltIn(sources, parts []Source) []Source {
	defined := Names(sources)
	all := slices.Clone(sources)
	for _, part := range parts {
		isDefined := func(name string) bool { _, found := slices.BinarySearch(defined, name); return found }
		if !slices.ContainsFunc(Names([]Source{part}), isDefined) {
			all = append(all, part)
		}
	}
	return all
}
