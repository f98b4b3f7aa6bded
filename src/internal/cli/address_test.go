package cli_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/schema"
)

// The short name of a document, read with what it leaves out, means the document.
func TestShortNamesAreRead(t *testing.T) {
	source, err := schema.ReadFile("testdata/schema/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile([]schema.Source{source})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(model.Kinds()).Draw(t, "kind")
		value := rapid.StringOfN(rapid.RuneFrom([]rune("ab/%. -_ä=,")), 1, 8, -1).Filter(func(s string) bool {
			return dovetail.CheckValue(s) == ""
		})
		var values []string
		for range kind.Elements {
			values = append(values, value.Draw(t, "value"))
		}
		id, err := kind.ID(values...)
		if err != nil {
			t.Fatal(err)
		}
		above := rapid.IntRange(0, len(kind.Elements)-1).Draw(t, "above")
		given := make(map[string]string)
		for _, e := range id.Key()[:above] {
			given[e.Name] = e.Value
		}
		name := cli.ShortName(id, id.Key()[:above].ID())
		if got, err := cli.Named(kind, given, name); err != nil || got != id {
			t.Fatalf("%s below %v is %s (%v), not %s", name, given, got, err, id)
		}
	})
}
