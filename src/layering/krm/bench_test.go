package krm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/krm"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// BenchmarkOverlays reads and renders 500 objects that are each a patch of one of 20 bases.
func BenchmarkOverlays(b *testing.B) {
	const meta = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: %s\n  annotations:\n    layering.dovetail.dev/layer: %s\n"
	var text strings.Builder
	text.WriteString(policyFile)
	for i := range 20 {
		fmt.Fprintf(&text, meta+"    layering.dovetail.dev/abstract: 'true'\n    layering.dovetail.dev/labels: '{base: b%d}'\nspec:\n  template:\n    spec:\n      containers:\n", fmt.Sprint("base-", i), "base", i)
		for c := range 3 {
			fmt.Fprintf(&text, "        - {name: c%d, image: 'c:1', env: [{name: A, value: x}, {name: B, value: y}], ports: [{containerPort: %d}]}\n", c, 8000+c)
		}
	}
	for i := range 500 {
		fmt.Fprintf(&text, meta+"    layering.dovetail.dev/parent-selector: '{base: b%d}'\n    layering.dovetail.dev/actions: '[{method: merge, path: .}]'\n"+
			"spec:\n  template:\n    spec:\n      containers:\n        - {name: c1, env: [{name: B, value: z}, {name: D, value: d}]}\n        - {name: c2, $patch: delete}\n", fmt.Sprint("o-", i), "site", i%20)
	}
	input := []byte(text.String())
	for b.Loop() {
		values, err := yaml.Parse("f.yaml", input, value.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		documents, err := krm.Read("f.yaml", values)
		if err != nil {
			b.Fatal(err)
		}
		rendered, err := rendering.Render(documents, rendering.Options{})
		if err != nil || len(rendered.Documents) != 500 {
			b.Fatal(err)
		}
	}
}
