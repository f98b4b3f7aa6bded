package rendering_test

import (
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering/layeringtest"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestSeed renders the three layers of the documentation as they are printed there, and what is left
// when the region goes.
func TestSeed(t *testing.T) {
	tests := []struct {
		name    string
		without string
		want    string
	}{
		{name: "three layers", want: "rendered.yaml"},
		{name: "without the region", without: "region-1234", want: "rendered-without-region.yaml"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			values := slices.DeleteFunc(readYAML(t, "testdata/seed/documents.yaml"), func(v *value.Value) bool {
				return v.At("metadata", "name").Text == test.without
			})
			want := readYAML(t, "testdata/seed/"+test.want)
			if len(want) != 1 {
				t.Fatalf("%d documents are printed, not one", len(want))
			}
			for documents := range layeringtest.Orders(read(t, values)) {
				rendered, err := rendering.Render(documents, rendering.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got := slices.DeleteFunc(slices.Clone(rendered.Documents), func(r *rendering.Rendered) bool { return r.Control })
				if len(got) != 1 || got[0].Schema != want[0].Get("schema").Text || got[0].Name != want[0].At("metadata", "name").Text ||
					!value.Equal(got[0].Data(), want[0].Get("data")) {
					t.Errorf("rendered %v", got)
				}
			}
		})
	}
}
