package schema

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dovetail-store/dovetail/src/value"
)

// dataSchema is the JSON Schema of a kind's data, draft 2020-12 unless it names another. Formats are
// checked. Nothing is loaded from outside.
type dataSchema struct {
	text       []byte
	compiled   *jsonschema.Schema
	work       *work
	looks      *scope
	properties map[string]bool // the names of members anywhere in it
}

// DataSchema returns the JSON Schema of the kind's data as JSON, nil when there is none. It must not
// be changed.
func (k *Kind) DataSchema() []byte {
	if k.schema == nil {
		return nil
	}
	return k.schema.text
}

// schemaURL is what a data schema is called while it is compiled.
const schemaURL = "dovetail:///data.json"

// dataSchema compiles the JSON Schema of a resource; nil when it is broken.
func (c *compiler) dataSchema(r *resource) *dataSchema {
	if err := checkSize(r.schema); err != nil {
		c.badSchema(r, err)
		return nil
	}
	if c.stop != nil {
		if c.stopped = c.stop(); c.stopped != nil {
			return nil
		}
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseLoader(noLoader{})
	err := compiler.AddResource(schemaURL, value.ToAny(r.schema))
	if err == nil {
		var compiled *jsonschema.Schema
		if compiled, err = compiler.Compile(schemaURL); err == nil {
			var work *work
			if work, err = newWork(compiled); err == nil {
				return &dataSchema{text: r.schema.JSON(), compiled: compiled, work: work, looks: scopeOf(r.schema), properties: propertyNames(r.schema)}
			}
		}
	}
	c.badSchema(r, err)
	return nil
}

// noLoader loads nothing: the meaning of a schema must not depend on what stands on some server.
type noLoader struct{}

var errOutside = errors.New("schemas outside are not loaded")

func (noLoader) Load(string) (any, error) { return nil, errOutside }
