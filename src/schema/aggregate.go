package schema

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// Aggregate writes the sources as one: a YAML document with the resources of all of them, in the
// order of names, below a comment for each source with its name and the comment at its head. A
// segment's name becomes the `service` of its resources. The result does not depend on the order of
// the sources. Sources that do not compile together give the error of Compile.
func Aggregate(sources []Source) ([]byte, error) {
	if _, err := Compile(sources); err != nil {
		return nil, err
	}
	sources = slices.Clone(sources)
	slices.SortStableFunc(sources, func(a, b Source) int { return cmp.Compare(a.Name, b.Name) })
	out := []byte("# Aggregated by `dovetail schema aggregate`. Do not edit: edit the sources named below.\nresources:\n")
	seen := make(map[string]bool)
	for _, source := range sources {
		out = fmt.Appendf(out, "# %s\n", source.Name)
		out = append(out, head(source.Data)...)
		documents, err := yaml.Parse(source.Name, source.Data, value.Limits{Bytes: maxSource})
		if err != nil {
			return nil, err // it compiled a moment ago
		}
		for _, document := range documents {
			if name, named := document.Get("name").Str(); named {
				if seen[name] {
					continue // the same segment twice
				}
				seen[name] = true
			}
			out = appendResources(out, document)
		}
	}
	return out, nil
}

// head returns the comment lines that a file begins with: who wrote it, and under which licence.
func head(data []byte) []byte {
	var comment []byte
	for line := range bytes.Lines(data) {
		if !bytes.HasPrefix(line, []byte("#")) {
			break
		}
		comment = append(append(comment, bytes.TrimRight(line, " \t\r\n")...), '\n')
	}
	return comment
}

func appendResources(out []byte, document *value.Value) []byte {
	resources := document
	service := document.Get("name")
	if document.Kind == value.Map {
		resources = document.Get("resources")
	}
	for _, r := range resources.Items {
		if service != nil && r.Get("service") == nil {
			r.Set("service", service)
		}
		for line := range bytes.Lines(yaml.Append(nil, value.NewList(r))) {
			if len(bytes.TrimSpace(line)) > 0 {
				out = append(out, "  "...)
			}
			out = append(out, line...)
		}
	}
	return out
}
