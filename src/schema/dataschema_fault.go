package schema

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dovetail-store/dovetail/src/value"
)

const compareWithSpecification = "compare it with the JSON Schema specification, https://json-schema.org"

// badSchema reports why the data schema of a resource does not compile.
func (c *compiler) badSchema(r *resource, err error) {
	for _, p := range schemaProblems(r.schema, err) {
		place, ok := r.schema.Find(value.Pointer(p.path...))
		if !ok {
			place = r.schema
		}
		c.add(FaultBadDataSchema, place.In(r.at.File), p.remedy, "%s: schema: %s", r.name.value, p.message)
	}
}

// schemaProblem is a reason why a JSON Schema does not compile.
type schemaProblem struct {
	violation
	remedy string
}

// schemaProblems says why a JSON Schema does not compile. The library stops at the first reference it
// cannot follow, and which one that is changes from run to run; so references are examined here, all
// of them, and in the order of the document.
func schemaProblems(schema *value.Value, err error) []schemaProblem {
	var problems []schemaProblem
	report := func(path []string, remedy, format string, args ...any) {
		problems = append(problems, schemaProblem{violation{path: path, message: fmt.Sprintf(format, args...)}, remedy})
	}
	var wrapped *jsonschema.SchemaValidationError
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var (
		invalid *jsonschema.ValidationError
		outside *jsonschema.LoadURLError
		regex   *jsonschema.InvalidRegexError
		id      *jsonschema.DuplicateIDError
		anchor  *jsonschema.DuplicateAnchorError
		tooMuch *tooMuchWork
	)
	refs := badReferences(schema)
	switch {
	case errors.As(err, &invalid):
		for _, v := range violations(invalid, schema) {
			report(v.path, compareWithSpecification, "%s", v.message)
		}
	case errors.As(err, &outside) && isDraft(schema, outside.URL):
		report([]string{"$schema"}, "leave it out, or write https://json-schema.org/draft/2020-12/schema", "%s is not a known draft", short(outside.URL))
	case errors.As(err, &regex):
		report(fragmentOf(regex.URL), "write it in the syntax of RE2, without look-around and back-references", "%s is not a regular expression", short(regex.Regex))
	case errors.As(err, &id):
		report(later(id.Ptr1, id.Ptr2), "give one of the two another", "duplicate $id %s", short(id.ID))
	case errors.As(err, &anchor):
		report(later(anchor.Ptr1, anchor.Ptr2), "give one of the two another", "duplicate anchor %s", short(anchor.Anchor))
	case errors.As(err, &tooMuch):
		report(fragmentOf(tooMuch.location), tooMuch.remedy, "%s", tooMuch)
	case len(refs) > 0:
		for _, ref := range refs {
			if ref.outside {
				report(ref.path, `put it below "$defs" and refer to it as "#/$defs/name"`, "%s is outside this schema, and nothing is loaded", short(ref.text))
			} else {
				report(ref.path, `define it, as below "$defs"`, "%s does not exist", short(ref.text))
			}
		}
	default:
		report(nil, compareWithSpecification, "%s", strings.ReplaceAll(err.Error(), schemaURL, ""))
	}
	return problems
}

// isDraft reports whether the schema says of itself that it is written in the draft at the URL.
func isDraft(schema *value.Value, location string) bool {
	draft, _ := schema.Get("$schema").Str()
	return strings.TrimSuffix(draft, "#") == location
}

// fragmentOf returns the way to the place in the schema that a URL of the library means.
func fragmentOf(location string) []string {
	_, fragment, _ := strings.Cut(location, "#")
	if unescaped, err := url.PathUnescape(fragment); err == nil {
		fragment = unescaped
	}
	parts, _ := value.SplitPointer(fragment)
	return parts
}

// later returns the second of two pointers in the order of texts.
func later(a, b string) []string {
	parts, _ := value.SplitPointer(max(a, b))
	return parts
}

// badReference is a reference in a data schema that leads nowhere.
type badReference struct {
	path    []string
	text    string
	outside bool
}

// references walks a data schema for what refers and what can be referred to.
type references struct {
	resources map[string]*value.Value // the root and what has an $id, by URL
	anchors   []string
	found     []foundReference
}

type foundReference struct {
	path []string
	base *url.URL
	text string
}

// badReferences returns the references of a data schema that lead nowhere, in the order of the
// document.
func badReferences(schema *value.Value) []badReference {
	base, err := url.Parse(schemaURL)
	if err != nil {
		return nil
	}
	w := &references{resources: map[string]*value.Value{schemaURL: schema}}
	w.walk(schema, nil, base)
	var bad []badReference
	for _, ref := range w.found {
		if exists, outside := w.lookUp(ref); !exists {
			bad = append(bad, badReference{ref.path, ref.text, outside})
		}
	}
	return bad
}

func (w *references) walk(v *value.Value, path []string, base *url.URL) {
	if id, ok := v.Get("$id").Str(); ok {
		if own, err := base.Parse(id); err == nil {
			w.anchors = append(w.anchors, own.Fragment) // older drafts name anchors so
			own.Fragment = ""
			base = own
			w.resources[base.String()] = v
		}
	}
	for i, item := range v.Items {
		w.walk(item, append(slices.Clip(path), fmt.Sprint(i)), base)
	}
	for _, m := range v.Members {
		here := append(slices.Clip(path), m.Name)
		switch m.Name {
		case "const", "enum", "default", "examples": // data, not schemas
		case "$anchor", "$dynamicAnchor":
			w.anchors = append(w.anchors, m.Value.Text)
		case "$ref", "$dynamicRef":
			if text, ok := m.Value.Str(); ok {
				w.found = append(w.found, foundReference{here, base, text})
			}
		default:
			w.walk(m.Value, here, base)
		}
	}
}

// lookUp reports whether a reference leads somewhere, and if not, whether it leads outside.
func (w *references) lookUp(ref foundReference) (exists, outside bool) {
	to, err := ref.base.Parse(ref.text)
	if err != nil {
		return false, false
	}
	fragment := to.Fragment
	to.Fragment = ""
	location := to.String()
	if strings.HasPrefix(location, "https://json-schema.org/") || strings.HasPrefix(location, "http://json-schema.org/") {
		return true, false // the drafts themselves are known
	}
	resource := w.resources[location]
	switch {
	case resource == nil:
		return false, true
	case fragment == "" || strings.HasPrefix(fragment, "/"):
		_, exists = resource.Find(fragment)
	default:
		exists = slices.Contains(w.anchors, fragment)
	}
	return exists, false
}
