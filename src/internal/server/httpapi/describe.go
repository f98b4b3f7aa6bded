package httpapi

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/value"
)

// Describe returns the schemas of types of package api by their names. Where a type contains another one that has a name, its
// schema refers to the other's.
func Describe(types map[string]any) map[string]Schema {
	d := make(describer, len(types))
	for name, zero := range types {
		d[reflect.TypeOf(zero)] = name
	}
	all := make(map[string]Schema, len(types))
	for name, zero := range types {
		t := reflect.TypeOf(zero)
		delete(d, t) // it is described, not referred to
		all[name] = d.describe(t)
		d[t] = name
	}
	return all
}

// DescribeType returns the schema of a type of package api.
func DescribeType(zero any) Schema { return describer{}.describe(reflect.TypeOf(zero)) }

// describer has the names of types.
type describer map[reflect.Type]string

var (
	moment  = reflect.TypeFor[time.Time]()
	anyJSON = []reflect.Type{reflect.TypeFor[json.RawMessage](), reflect.TypeFor[value.Value](), reflect.TypeFor[any]()}
	enum    = reflect.TypeFor[api.Enum]()
)

func (d describer) describe(t reflect.Type) Schema {
	if name, named := d[t]; named {
		return SchemaRef(name)
	}
	for _, free := range anyJSON {
		if t == free {
			return Schema{}
		}
	}
	switch {
	case t == moment:
		return Schema{"type": "string", "format": "date-time"}
	case t.Implements(enum):
		return Schema{"type": "string", "enum": reflect.Zero(t).Interface().(api.Enum).Values()}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.describe(t.Elem())
	case reflect.Struct:
		return d.structure(t)
	case reflect.Slice:
		return Schema{"type": "array", "items": d.describe(t.Elem())}
	case reflect.Map:
		return Schema{"type": "object", "additionalProperties": d.describe(t.Elem())}
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return Schema{"type": "integer"}
	case reflect.String:
		return Schema{"type": "string"}
	}
	panic("httpapi: no schema for " + t.String())
}

// structure describes an object with the fields of a struct.
func (d describer) structure(t reflect.Type) Schema {
	properties := Schema{}
	required := d.fields(t, properties)
	schema := Schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// fields adds the fields of a struct to the properties, those of embedded structs too, and returns the names of those that are
// always there.
func (d describer) fields(t reflect.Type, properties Schema) (required []string) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			embedded := field.Type
			if embedded.Kind() == reflect.Pointer {
				d.fields(embedded.Elem(), properties)
				continue
			}
			required = append(required, d.fields(embedded, properties)...)
			continue
		case !field.IsExported() || name == "-":
			continue
		}
		schema := d.describe(field.Type)
		optional := strings.Contains(options, "omit")
		if !optional {
			required = append(required, name)
			if kind, ok := schema["type"].(string); ok && field.Type.Kind() == reflect.Pointer {
				schema["type"] = []string{kind, "null"}
			}
		}
		if kind := field.Tag.Get("type"); kind != "" {
			schema["type"] = kind
		}
		if values := field.Tag.Get("enum"); values != "" {
			schema["enum"] = strings.Split(values, ",")
		}
		if text := field.Tag.Get("doc"); text != "" {
			schema["description"] = text
		}
		properties[name] = schema
	}
	return required
}
