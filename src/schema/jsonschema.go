package schema

import (
	"errors"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dovetail-store/dovetail/src/value"
)

// JSONSchema is a JSON Schema that users bring along in their documents. It is draft 4 unless it names
// another; formats are hints and not checked; nothing is loaded from outside. Any number of
// goroutines may use it.
type JSONSchema struct {
	compiled *jsonschema.Schema
	work     *work
	loose    []Violation
}

// Violation is one thing that is wrong with a value.
type Violation struct {
	Path    []string // of the value, from the root of what was checked
	Message string   // in words that follow the path: "must be a string, not a number"
	Remedy  string
}

// JSONSchemas compiles JSON Schemas. Of many it is much faster than compiling each alone, since what
// they have in common is prepared once. It is not for several goroutines.
type JSONSchemas struct {
	compiler *jsonschema.Compiler
	compiled int
}

// Compile compiles a JSON Schema, or returns all that is wrong with it, in the order of paths.
//
// References that lead nowhere do not make a schema wrong, as validators that follow them only when
// they get there have taught people: they allow everything, and the schema lists them as Loose.
func (c *JSONSchemas) Compile(from *value.Value) (*JSONSchema, []Violation) {
	from = withoutGeneralDraft(from)
	if c.compiler == nil {
		c.compiler = newJSONSchemaCompiler()
	}
	c.compiled++
	if s, err := compileJSONSchema(c.compiler, schemaURL+"?"+strconv.Itoa(c.compiled), from); err == nil {
		return s, nil
	}
	c.compiler = nil // it may have kept parts
	s, err := compileJSONSchema(newJSONSchemaCompiler(), schemaURL, from)
	if refs := badReferences(from); err != nil && len(refs) > 0 {
		var loose []Violation
		from = from.Clone()
		for _, ref := range refs {
			loose = append(loose, Violation{Path: ref.path, Message: short(ref.text) + " does not lead to a schema; whatever stands there is allowed",
				Remedy: `define it below "definitions"`})
			if owner, ok := from.Find(value.Pointer(ref.path[:len(ref.path)-1]...)); ok {
				owner.Delete(ref.path[len(ref.path)-1])
			}
		}
		if s, err = compileJSONSchema(newJSONSchemaCompiler(), schemaURL, from); err == nil {
			s.loose = loose
		}
	}
	if err == nil {
		return s, nil
	}
	var all []Violation
	for _, p := range schemaProblems(from, err) {
		all = append(all, Violation{Path: p.path, Message: p.message, Remedy: p.remedy})
	}
	return nil, all
}

func newJSONSchemaCompiler() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft4)
	compiler.UseLoader(noLoader{})
	for _, format := range draft4Formats {
		compiler.RegisterFormat(&jsonschema.Format{Name: format, Validate: func(any) error { return nil }})
	}
	return compiler
}

func compileJSONSchema(compiler *jsonschema.Compiler, url string, from *value.Value) (*JSONSchema, error) {
	if err := checkSize(from); err != nil {
		return nil, err
	}
	if err := compiler.AddResource(url, value.ToAny(from)); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile(url)
	if err != nil {
		return nil, err
	}
	work, err := newWork(compiled)
	if err != nil {
		return nil, err
	}
	return &JSONSchema{compiled: compiled, work: work}, nil
}

// Loose returns the references that lead nowhere.
func (s *JSONSchema) Loose() []Violation { return s.loose }

// draft4Formats are those that the library checks even where formats are hints.
var draft4Formats = []string{"date", "date-time", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uri-reference", "uri-template",
	"iri", "iri-reference", "json-pointer", "relative-json-pointer", "uuid", "duration", "period", "semver"}

// withoutGeneralDraft drops a $schema that names JSON Schema, but no draft of it.
func withoutGeneralDraft(from *value.Value) *value.Value {
	if draft, _ := from.Get("$schema").Str(); strings.TrimSuffix(draft, "#") != "http://json-schema.org/schema" {
		return from
	}
	c := *from
	c.Members = nil
	for _, m := range from.Members {
		if m.Name != "$schema" {
			c.Members = append(c.Members, m)
		}
	}
	return &c
}

// Check returns what is wrong with the data, in the order of paths, nil if there is nothing.
func (s *JSONSchema) Check(data *value.Value) []Violation {
	if reason := s.work.tooMuchFor(data); reason != "" {
		return []Violation{{Message: reason, Remedy: "use fewer alternatives (allOf, anyOf, oneOf) for the same values in the schema"}}
	}
	err := s.compiled.Validate(value.ToAny(data))
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Violation{{Message: "cannot be checked"}}
	}
	var all []Violation
	for _, v := range violations(invalid, data) {
		all = append(all, Violation{Path: v.path, Message: v.message})
	}
	return all
}
