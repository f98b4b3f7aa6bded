package emco

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestSchemasKnowFields replaces each field of each kind of EMCO by a value of a type that it does not have: the kind's JSON Schema refuses
// that there, so it knows all fields by their names and types.
func TestSchemasKnowFields(t *testing.T) {
	t.Parallel()
	model := emcoModel(t)
	for name, members := range table() {
		if members[memberData] == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			kind, known := model.Kind(name[strings.LastIndexByte(name, '.')+1:])
			if !known {
				t.Fatal("the ref-schema has no such kind")
			}
			for _, field := range members[memberData] {
				if field.json != "metadata" {
					probeField(t, kind, field, nil)
					continue
				}
				for _, below := range field.fields {
					if below.json != "name" { // the key's name, which the schema does not describe
						probeField(t, kind, below, []string{"metadata"})
					}
				}
			}
		})
	}
}

// probeField expects errors at the place of a field, and at the places of those in it, for values of other types.
func probeField(t *testing.T, kind *schema.Kind, f field, above []string) {
	t.Helper()
	path := slices.Concat(above, []string{f.json})
	if f.inline {
		path = above
	} else {
		var wrong *value.Value
		switch f.types[0] {
		case "any", "bytes":
			return
		case "list", "map", "object":
			wrong = value.NewString("no " + f.types[0])
		case "string", "time":
			wrong = value.NewNumber(7)
		default: // numbers and booleans
			wrong = value.NewString("7")
		}
		if !refusedAt(kind, path, wrong) {
			t.Errorf("%v: %s is accepted instead of %v", path, wrong.JSON(), f.types)
		}
		// what a list or map holds
		for i, holder := range f.types[:len(f.types)-1] {
			path = append(path, map[string]string{"list": "0", "map": "key"}[holder])
			if held := f.types[i+1]; held != "any" && !refusedAt(kind, path, value.NewBool(true)) {
				t.Errorf("%v: true is accepted in %v", path, f.types)
			}
		}
	}
	for _, below := range f.fields {
		probeField(t, kind, below, path)
	}
}

// refusedAt reports whether a kind refuses data that has only one value, where the path leads to.
func refusedAt(kind *schema.Kind, path []string, v *value.Value) bool {
	for _, name := range slices.Backward(path) {
		if _, err := strconv.Atoi(name); err == nil {
			v = value.NewList(v)
		} else {
			v = value.NewMap(value.Member{Name: name, Value: v})
		}
	}
	errs := kind.Validate(v)
	return slices.ContainsFunc(errs.Kept(), func(e *dovetail.Error) bool { return e.Position.Path == "/"+strings.Join(path, "/") })
}
