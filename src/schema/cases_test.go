package schema_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// choices pins what happens in the cases that cases.yaml leaves open ("either"): the fault that
// refuses the schema, or the fault of the warning with which it loads, or "" for neither.
// docs/schema.md gives the reasons.
var choices = map[string]struct {
	loads bool
	fault schema.Fault
}{
	"extra/dotted-parent-dotted.yaml":       {true, ""},
	"extra/dotted-reference-dotted.yaml":    {true, ""},
	"extra/map-without-map.yaml":            {true, schema.FaultNoEffect},
	"extra/map-attribute-without-type.yaml": {true, schema.FaultNoEffect},
	"extra/fixedkv-foreign-key.yaml":        {true, schema.FaultNoEffect},
	"extra/commonkey-unknown.yaml":          {true, schema.FaultNoEffect},
	"extra/duplicate-reference.yaml":        {true, schema.FaultDuplicateReference},
	"extra/unknown-field.yaml":              {false, schema.FaultUnknownField},
	"extra/unknown-top-level-field.yaml":    {false, schema.FaultUnknownField},
	"extra/name-reserved.yaml":              {false, schema.FaultReservedName},
	"extra/name-number.yaml":                {false, schema.FaultYAMLType},
	"extra/two-documents.yaml":              {true, ""},
}

func TestSchemaCases(t *testing.T) {
	cases := readYAML(t, "emco/schema-cases/cases.yaml").Get("cases").Items
	if len(cases) != 56 {
		t.Fatalf("%d cases, want 56", len(cases))
	}
	chosen := 0
	for _, c := range cases {
		files := strs(c.Get("load"))
		t.Run(strings.Join(files, "+"), func(t *testing.T) {
			model, err := schema.Compile(readSources(t, filepath.Join(emco, "schema-cases"), files...))
			loads, fault := str(c, "expect") == "load", schema.Fault(str(c, "class"))
			if fault == "missing-name" {
				fault = schema.FaultMissingParent // segments need no name here, see the case's `why`
			}
			var warning schema.Fault
			if str(c, "expect") == "either" {
				choice, ok := choices[files[0]]
				if !ok {
					t.Fatal("no choice made")
				}
				chosen++
				loads, fault, warning = choice.loads, choice.fault, choice.fault
			}
			if loads {
				checkLoads(t, model, err, c.Get("names"), warning)
				return
			}
			if dovetail.CodeOf(err) != dovetail.CodeSchema || !errors.Is(err, fault) {
				t.Fatalf("error %v, want fault %s", err, fault)
			}
			for _, part := range parts(err) {
				if part.Position.File == "" || part.Position.Line == 0 || part.Position.Column == 0 || part.Remedy == "" || schema.FaultOf(part) == "" {
					t.Errorf("incomplete error %+v", part)
				}
			}
		})
	}
	if chosen != len(choices) {
		t.Errorf("%d of %d choices are used", chosen, len(choices))
	}
}

func checkLoads(t *testing.T, model *schema.Model, err error, names *value.Value, warning schema.Fault) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if names != nil && names.Text != strconv.Itoa(len(model.Names())) {
		t.Errorf("%d names, want %s", len(model.Names()), names.Text)
	}
	has := slices.ContainsFunc(model.Warnings(), func(e *dovetail.Error) bool { return schema.FaultOf(e) == warning })
	if warning != "" && !has {
		t.Errorf("warnings %v, want %s", model.Warnings(), warning)
	}
}

func TestNamesOfEMCO(t *testing.T) {
	want := readYAML(t, "emco/expected-schema.yaml").Get("names").Items
	names := compileEMCO(t, "ref-schema.yaml").Names()
	if len(names) != len(want) {
		t.Fatalf("%d names, want %d", len(names), len(want))
	}
	for i, n := range names {
		w := want[i]
		t.Run(n.Name, func(t *testing.T) {
			// The file shows keyIds as the older code has them, without the last comma.
			keyID := strings.TrimSuffix(str(w, "keyId"), "}") + ",}"
			if n.Name != str(w, "name") || n.Parent != str(w, "parent") || n.TrimParent != (w.Get("trimParent").Text == "true") || n.KeyID != keyID {
				t.Errorf("got %+v, want %s", n, w.JSON())
			}
			for what, lists := range map[string][2][]string{
				"key":          {n.Key, strs(w.Get("key"))},
				"children":     {n.Children, strs(w.Get("children"))},
				"referencedBy": {n.ReferencedBy, strs(w.Get("referencedBy"))},
			} {
				if !slices.Equal(lists[0], lists[1]) {
					t.Errorf("%s: got %v, want %v", what, lists[0], lists[1])
				}
			}
		})
	}
}

// The fragments of 2021, lists without `resources:`, make the same schema as their concatenation.
func TestFragments(t *testing.T) {
	fragments, err := schema.ReadDir(filepath.Join(emco, "fragments-2021-09"))
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile(fragments)
	if err != nil {
		t.Fatal(err)
	}
	if whole := compileEMCO(t, "ref-schema-2021-09.yaml"); model.Hash() != whole.Hash() {
		t.Errorf("the fragments mean something else: %v", schema.Diff(whole, model))
	}
}
