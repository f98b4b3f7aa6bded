package mongo

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestCascadeTakesFewCommands plans and does a cascade of a tree and of two levels of referrers.
func TestCascadeTakesFewCommands(t *testing.T) {
	const leaves = 600
	var commands commandCount
	backend, err := Open(t.Context(), freshURI(t), Options{ExternalMaintenance: true, Command: commands.note})
	must(t, err)
	defer backend.Close()
	model, err := schema.Compile([]schema.Source{{Name: "schema.yaml", Data: []byte(anyItem + "  - name: box\n  - name: part\n    parent: box\n    references:\n      - name: item\n")}})
	must(t, err)
	s, err := store.Open(t.Context(), backend, model, store.Config{})
	must(t, err)
	operations := []store.Operation{{Verb: store.Create, ID: "box/root", Data: item("", "root", "")}}
	for i := range leaves {
		operations = append(operations,
			store.Operation{Verb: store.Create, ID: dovetail.ID(fmt.Sprintf("box/root/part/%d", i)), Data: item("", "x", "first")},
			store.Operation{Verb: store.Create, ID: dovetail.ID(fmt.Sprintf("item/middle-%d", i)), Data: item("", "x", "first")},
			store.Operation{Verb: store.Create, ID: dovetail.ID(fmt.Sprintf("item/last-%d", i)), Data: item("", "x", fmt.Sprintf("middle-%d", i))})
	}
	operations = append(operations, store.Operation{Verb: store.Create, ID: "item/first", Data: item("", "first", "")})
	_, err = s.Apply(t.Context(), operations, store.Options{})
	must(t, err)
	for _, dryRun := range []bool{true, false} {
		commands.take()
		result, err := s.Apply(t.Context(), []store.Operation{
			{Verb: store.Delete, ID: "box/root", Cascade: true}, {Verb: store.Delete, ID: "item/first", Cascade: true}}, store.Options{DryRun: dryRun})
		must(t, err)
		if n := len(result.Cascaded); n != 3*leaves {
			t.Errorf("%d documents go along, not %d", n, 3*leaves)
		}
		if n, what := commands.take(); n > leaves/2 { // one for each would be several times as many; a slow server makes some again
			t.Errorf("dry run %t: %d commands: %s", dryRun, n, what)
		}
	}
}

// TestCascadeOfManyParentsTakesFewCommands plans and does a cascade over referrers that have children of their own.
func TestCascadeOfManyParentsTakesFewCommands(t *testing.T) {
	const parents, children = 1000, 10
	var commands commandCount
	backend, err := Open(t.Context(), freshURI(t), Options{ExternalMaintenance: true, Command: commands.note})
	must(t, err)
	defer backend.Close()
	s, err := store.Open(t.Context(), backend, compileModel(t, anyItem+"  - name: box\n    references:\n      - name: item\n  - name: part\n    parent: box\n"), store.Config{})
	must(t, err)
	operations := []store.Operation{{Verb: store.Create, ID: "item/first", Data: item("", "first", "")}}
	for p := range parents {
		box := dovetail.ID(fmt.Sprintf("box/%d", p))
		operations = append(operations, store.Operation{Verb: store.Create, ID: box, Data: item("", "x", "first")})
		for c := range children {
			operations = append(operations, store.Operation{Verb: store.Create, ID: box.Child("part", fmt.Sprint(c)), Data: item("", "x", "")})
		}
	}
	_, err = s.Apply(t.Context(), operations, store.Options{})
	must(t, err)
	tests := []struct {
		name   string
		dryRun bool
		most   int // commands: one for each parent would be more; a slow server makes some again
	}{
		{name: "plan", dryRun: true, most: 200},
		{name: "done", most: 500},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			commands.take()
			result, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: "item/first", Cascade: true}}, store.Options{DryRun: test.dryRun})
			must(t, err)
			if n := len(result.Cascaded); n != parents*(1+children) {
				t.Errorf("%d documents go along, not %d", n, parents*(1+children))
			}
			n, what := commands.take()
			if n > test.most {
				t.Errorf("%d commands: %s", n, what)
			}
		})
	}
}
