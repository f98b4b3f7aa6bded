package schema

import (
	"cmp"
	"errors"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// segment is one YAML document of a source.
type segment struct {
	name      text // "" when it has none
	resources []*resource
	value     *value.Value
}

// text is a string of a ref-schema with its place. The zero text stands for an absent field.
type text struct {
	value string
	at    dovetail.Position
	bad   bool // something else than a string stands there, and was reported
}

// parser reads the values of one source, whose faults it collects.
type parser struct {
	*faults
	file string
}

// parse reads all sources, in the order of names.
func parse(sources []Source, f *faults) []*segment {
	sources = slices.Clone(sources)
	slices.SortStableFunc(sources, func(a, b Source) int { return cmp.Compare(a.Name, b.Name) })
	if len(sources) == 0 {
		f.add(FaultNoResources, dovetail.Position{}, "give at least one ref-schema", "there is no ref-schema")
	}
	var segments []*segment
	for _, source := range sources {
		p := &parser{faults: f, file: source.Name}
		segments = append(segments, p.source(source.Data)...)
	}
	return segments
}

func (p *parser) source(data []byte) []*segment {
	documents, err := yaml.Parse(p.file, data, value.Limits{Bytes: maxSource, Values: 200_000})
	if err != nil {
		p.unparsable(err)
		return nil
	}
	var segments []*segment
	for _, document := range documents {
		if document.Kind != value.Null {
			segments = append(segments, p.segment(p.decoder().Root(document, "the ref-schema", "")))
		}
	}
	if len(segments) == 0 {
		p.add(FaultNoResources, dovetail.Position{File: p.file, Line: 1, Column: 1},
			`write "resources:" and below it at least one "- name: ..."`, "the file is empty")
	}
	return segments
}

// unparsable takes over what package yaml found.
func (p *parser) unparsable(err error) {
	var found *dovetail.Error
	if !errors.As(err, &found) {
		p.add(FaultYAMLSyntax, dovetail.Position{File: p.file}, "", "it is not YAML")
		return
	}
	parts := found.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{found}
	}
	for _, part := range parts {
		fault := FaultYAMLSyntax
		if part.Code == dovetail.CodeTooLarge {
			fault = FaultTooLarge
		}
		at := part.Position
		at.File = p.file
		p.add(fault, at, part.Remedy, "%s", part.Message)
	}
}

// segment reads one document: a mapping with resources, or the list of resources alone.
func (p *parser) segment(document decode.Field) *segment {
	s := &segment{value: document.Value}
	resources := document.As("resources")
	if document.Kind() == value.Map {
		resources = document.Get("resources")
		readFields(document, map[string]func(decode.Field){
			"name":      func(f decode.Field) { s.name = readText(f) },
			"resources": func(decode.Field) {},
		})
	}
	switch {
	case resources.IsMissing() || resources.Kind() == value.List && len(resources.Value.Items) == 0:
		p.add(FaultNoResources, at(resources),
			`write "resources:" and below it at least one "- name: ..."`, "the ref-schema has no resources")
	default:
		for _, item := range resources.Items("a resource") {
			if r := p.resource(item); r != nil {
				r.service = cmp.Or(r.service, s.name.value)
				s.resources = append(s.resources, r)
			}
		}
	}
	return s
}
