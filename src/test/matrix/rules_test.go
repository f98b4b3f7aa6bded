package matrix

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
	_ "github.com/dovetail-store/dovetail/src/schema/cel"
)

// ruleKinds are the kinds of rules that a ref-schema can have, by the member of its compiled form, with the promise that is tried of
// each. The ref-schema of the matrix has all of them.
var ruleKinds = map[string]string{
	"Kind.Parent": "parents exist", "Kind.Children": "parents exist", "Kind.ReferencedBy": "references exist", "Kind.References": "references exist", "Kind.Managed": "managed",
	"Kind.Strict": "strict", "Kind.Defaults": "defaults", "Kind.Exclusive": "exclusive", "Kind.Unique": "unique", "Kind.Immutable": "immutable", "Kind.Rules": "rules",
	"Kind.Lifecycle": "lifecycle", "Kind.Index": "found", "Kind.IndexLabels": "found", "Kind.Sensitive": "sensitive", "Kind.Actions": "rights", "Kind.Methods": "rights",
	"Reference.To": "references exist", "Reference.At": "shape", "Reference.Max": "shape", "Reference.Exclusive": "exclusive", "Reference.Cascade": "references exist",
	"Sensitive.Paths": "sensitive", "Unique.Paths": "unique", "Unique.Within": "unique", "Rule.Expr": "rules", "Rule.Message": "rules", "Rule.OnUpdates": "rules",
	"Lifecycle.FreezePut": "lifecycle", "Lifecycle.FreezeDelete": "lifecycle", "Lifecycle.FreezeChildren": "lifecycle", "Lifecycle.Actions": "lifecycle",
	"LifecycleAction.Transitions": "lifecycle", "LifecycleAction.Work": "lifecycle",
}

// otherMembers are those of which no change is refused or looked different, with the reason.
var otherMembers = map[string][]string{
	"it is a name, a place or a text": {"Kind.Name", "Kind.Entry", "Kind.Own", "Kind.Elements", "Kind.KeyID", "Kind.Description", "Kind.Service", "Kind.Position", "Kind.Columns", "Kind.Queries",
		"Kind.Collections", "Reference.Name", "Reference.Position", "Rule.Position", "Lifecycle.Initial", "Lifecycle.States", "Lifecycle.Position", "LifecycleAction.Name", "LifecycleAction.Position"},
	"it is how the target of a reference is found": {"Reference.Type", "Reference.Map", "Reference.Field", "Reference.FixedKv", "Reference.FilterKeys", "Reference.Skip", "Reference.CommonKey", "Reference.Members"},
	"it is checked as Max is":                      {"Reference.Required", "Reference.Min"},
	"it permits more":                              {"Reference.Weak", "Kind.Abstract", "Kind.History"},
	"the tests of reads have it":                   {"Kind.Inputs", "Sensitive.Whole"},
	"files are of EMCO's kinds":                    {"Kind.Content"},
	"it is of one action, and the store has it":    {"LifecycleAction.Revision", "LifecycleAction.Restores", "LifecycleAction.References", "LifecycleAction.Needs"},
}

// TestRuleKinds has a promise for every kind of rule, and the ref-schema of the matrix have it.
func TestRuleKinds(t *testing.T) {
	text, err := os.ReadFile("testdata/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile([]schema.Source{{Name: "schema.yaml", Data: text}})
	if err != nil {
		t.Fatal(err)
	}
	known, used := make(map[string]bool), make(map[string]bool)
	for _, of := range []any{schema.Kind{}, schema.Reference{}, schema.Sensitive{}, schema.Unique{}, schema.Rule{}, schema.Lifecycle{}, schema.LifecycleAction{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
			if field.IsExported() {
				known[reflect.TypeOf(of).Name()+"."+field.Name] = true
			}
		}
	}
	note := func(of any) {
		v := reflect.Indirect(reflect.ValueOf(of))
		for name := range known {
			if typ, field, _ := strings.Cut(name, "."); typ == v.Type().Name() && !v.FieldByName(field).IsZero() {
				used[name] = true
			}
		}
	}
	for _, kind := range model.Kinds() {
		note(kind)
		note(kind.Sensitive)
		for _, of := range kind.References {
			note(of)
		}
		for _, of := range kind.Unique {
			note(of)
		}
		for _, of := range kind.Rules {
			note(of)
		}
		if kind.Lifecycle != nil {
			note(kind.Lifecycle)
			for _, of := range kind.Lifecycle.Actions {
				note(of)
			}
		}
	}
	all := promises()
	for name, promise := range ruleKinds {
		if !known[name] || !used[name] || !slices.Contains(all, promise) {
			t.Errorf("%s, of the promise %q, is one: %t, and the ref-schema of the matrix has it: %t", name, promise, known[name], used[name])
		}
		delete(known, name)
	}
	for _, names := range otherMembers {
		for _, name := range names {
			if !known[name] {
				t.Errorf("%s is not one, or twice", name)
			}
			delete(known, name)
		}
	}
	for name := range known {
		t.Errorf("no promise is tried of %s: add a trial, or a reason", name)
	}
}

// promises are the names of all, sorted.
func promises() (all []string) {
	for _, trial := range trials {
		all = append(all, trial.promise)
	}
	for _, effect := range effects {
		all = append(all, effect.promise)
	}
	for _, column := range columns {
		all = append(all, column.promise)
	}
	all = append(all, "sensitive") // keepsSecrets
	slices.Sort(all)
	return slices.Compact(all)
}
