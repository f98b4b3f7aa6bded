package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestReferenceCases(t *testing.T) {
	models := map[string]*schema.Model{
		"ref-schema.yaml":             compileEMCO(t, "ref-schema.yaml"),
		"reference-cases-schema.yaml": compileEMCO(t, "reference-cases-schema.yaml"),
	}
	cases := readYAML(t, "emco/reference-cases.yaml").Get("cases").Items
	if len(cases) != 46 {
		t.Fatalf("%d cases, want 46", len(cases))
	}
	for _, c := range cases {
		t.Run(str(c, "id"), func(t *testing.T) {
			kind := kindOf(t, models[str(c, "schema")], str(c, "resource"))
			var values []string
			for _, name := range kind.Elements {
				values = append(values, str(c.Get("key"), name))
			}
			id, err := kind.ID(values...)
			if err != nil {
				t.Fatal(err)
			}
			data := parseJSON(t, str(c, "data"))
			expected := c.Get("seed-refs")
			if expected == nil {
				expected = c.Get("emco-refs")
			}
			want := []string{}
			for _, ref := range expected.Items {
				// The file shows keyIds without the last comma.
				keyID := strings.TrimSuffix(str(ref, "keyId"), "}") + ",}"
				want = append(want, keyID+" "+canonical(ref.Get("key")))
			}
			got := []string{}
			for _, candidate := range kind.Extract(id, data) {
				for _, key := range candidate.Keys() {
					v, err := value.FromAny(key.Key)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, key.KeyID+" "+canonical(v))
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %v\nwant %v", got, want)
			}
		})
	}
}

// canonical writes a flat map with its members sorted.
func canonical(v *value.Value) string {
	members := slices.Clone(v.Members)
	slices.SortFunc(members, func(a, b value.Member) int { return strings.Compare(a.Name, b.Name) })
	return string(value.NewMap(members...).JSON())
}
