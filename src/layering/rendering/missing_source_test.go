package rendering_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

func TestAllowMissingSources(t *testing.T) {
	const head = `
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [site]}
---
schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: template, layeringDefinition: {layer: site, abstract: true}}
data: {x: 1}
---
schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: source, layeringDefinition: {layer: site}}
data: {x: 1}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: user
  layeringDefinition: {layer: site}
  substitutions:
  - {src: {schema: example/Kind/v1, name: source, path: .x}, dest: {path: .there}}
  - {src: {schema: example/Kind/v1, name: NAME, path: PATH}, dest: {path: .a.b}}
data: {a: {b: before}}
`
	tests := []struct {
		name, source, path, class, cause string
	}{
		{"no such document", "absent", ".x", rendering.ClassSubstitutionSourceNotFound, "no-source"},
		{"abstract", "template", ".x", rendering.ClassSubstitutionSourceNotFound, "no-source"},
		{"no such value", "source", ".y", rendering.ClassSubstitutionSourceDataNotFound, "no-source"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			documents, err := rendering.Parse("site.yaml", []byte(strings.NewReplacer("NAME", test.source, "PATH", test.path).Replace(head)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rendering.Render(documents, rendering.Options{}); err == nil || parts(err)[0].Reason != test.class {
				t.Errorf("without the option: %v, want %s", err, test.class)
			}
			site := rendering.Resolve(documents, rendering.Options{AllowMissingSources: true})
			rendered, err := site.Render()
			if err != nil {
				t.Fatal(err)
			}
			if got := string(dataOf(t, rendered, "user").JSON()); got != `{"a":{"b":"before"},"there":1}` {
				t.Errorf("rendered %s", got)
			}
			if w := rendered.Warnings.Kept(); len(w) != 1 || w[0].Reason != test.class || !strings.HasSuffix(w[0].Message, "; the substitution is skipped") || w[0].Position.Line == 0 {
				t.Errorf("warnings %v", w)
			}
			id := rendering.ID{Schema: "example/Kind/v1", Name: "user", Layer: "site"}
			if explained, err := rendered.Explain(id, ".a.b", true); err != nil || len(explained) != 1 || explained[0].Origin.How != "data" {
				t.Errorf("explained %v, %v", explained, err)
			}
			absence, err := site.WhyNot(id, ".a.b", true)
			if err != nil || len(absence.Reasons) != 1 || string(absence.Reasons[0].Cause) != test.cause {
				t.Errorf("why not: %+v, %v", absence, err)
			}
			if again, err := site.Render(); err != nil || again != rendered {
				t.Errorf("after explaining: %v", err)
			}
		})
	}
}
