package krm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/krm"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

const policyFile = `apiVersion: layering.dovetail.dev/v1
kind: Layering
metadata: {name: l}
spec: {layerOrder: [base, site]}
---
`

const webFile = policyFile + `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-base
  annotations: {layering.dovetail.dev/layer: base, layering.dovetail.dev/abstract: 'true', layering.dovetail.dev/labels: '{is: base}'}
spec:
  template:
    spec:
      containers:
        - {name: web, image: 'web:1'}
        - {name: log, image: 'log:1'}
        - {name: proxy, image: 'proxy:1'}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  annotations:
    layering.dovetail.dev/layer: site
    layering.dovetail.dev/parent-selector: '{is: base}'
    layering.dovetail.dev/actions: '[{method: merge, path: .}]'
spec:
  template:
    spec:
      containers:
        - {name: proxy, image: 'proxy:2'}
        - {name: log, $patch: delete}
`

func read(t *testing.T, text string) ([]*rendering.Document, error) {
	t.Helper()
	values, err := yaml.Parse("f.yaml", []byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return krm.Read("f.yaml", values)
}

// TestOriginsOfMergedItems shows that each value of a merged list comes from the layer that wrote it, with the line there.
func TestOriginsOfMergedItems(t *testing.T) {
	documents, err := read(t, webFile)
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := rendering.Render(documents, rendering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(rendered.Documents) != 1 {
		t.Fatalf("%d documents", len(rendered.Documents))
	}
	web := rendered.Documents[0]
	const want = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:1"},{"name":"proxy","image":"proxy:2"}]}}}}`
	if got := string(web.Whole(web.Data()).JSON()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	all, err := rendered.Explain(web.ID, ".", false)
	if err != nil {
		t.Fatal(err)
	}
	var origins []string
	for _, e := range all {
		line := fmt.Sprintf("%s %s %s:%d", strings.TrimPrefix(e.Path, ".spec.template.spec.containers"), e.Value.Text, e.Origin.Document.Name, e.Origin.Line)
		for _, r := range e.Replaced {
			line += fmt.Sprintf(" over %s %s:%d", r.Value.Text, r.Origin.Document.Name, r.Origin.Line)
		}
		origins = append(origins, line)
	}
	if got := strings.Join(origins, "\n"); got != "[0].name web web-base:15\n[0].image web:1 web-base:15\n[1].name proxy shop/web:32 over proxy web-base:17\n[1].image proxy:2 shop/web:32 over proxy:1 web-base:17" {
		t.Error(got)
	}
	absence, err := rendering.Resolve(documents, rendering.Options{}).WhyNot(web.ID, ".spec.template.spec.containers[2]", false)
	if err != nil {
		t.Fatal(err)
	}
	if !absence.Sets() || absence.Reasons[0].Cause != rendering.CauseDeleted || !strings.Contains(absence.Reasons[0].Message, "containers[1] was deleted") || absence.Reasons[0].By.Line != 33 {
		t.Errorf("%+v", absence.Reasons)
	}
}

func TestReadRefuses(t *testing.T) {
	annotated := func(annotations string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  annotations:\n    " + annotations + "\n"
	}
	tests := []struct {
		name, text string
		want       string // position and a part of the message
	}{
		{"an object without annotations", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n", "2:1  has no annotation layering.dovetail.dev/layer"},
		{"an annotation", annotated("layering.dovetail.dev/layr: site"), "6:33 /metadata/annotations/layering.dovetail.dev~1layr there is no annotation"},
		{"a value in an annotation", annotated("layering.dovetail.dev/layer: site\n    layering.dovetail.dev/parent-selector: '{a: b}'\n    layering.dovetail.dev/actions: '[{method: mrge, path: .}]'"),
			"8:36 /metadata/annotations/layering.dovetail.dev~1actions/0/method there is no method"},
		{"a configuration", strings.Replace(policyFile, "layerOrder", "layerorder", 1), "4:8 /spec/layerorder "},
		{"a policy", strings.Replace(policyFile, "base, site", "site, site", 1), "4:27 /spec/layerOrder/1 duplicate layer"},
		{"what only the function can", strings.Replace(policyFile, "layerOrder", "allowMissingSources: true, layerOrder", 1), "4:29 /spec/allowMissingSources --allow-missing-sources"},
		{"a document between objects", policyFile + "schema: x\n---\n" + annotated("layering.dovetail.dev/layer: site"), "6:1  "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := read(t, test.text)
			e := dovetail.AsError(err)
			if e == nil {
				t.Fatal("accepted")
			}
			if len(e.Errors) > 0 {
				e = e.Errors[0]
			}
			at := e.Position
			if got := fmt.Sprintf("%d:%d %s ", at.Line, at.Column, at.Path); at.File != "f.yaml" || !strings.HasPrefix(test.want, got) || !strings.Contains(e.Message+e.Remedy, strings.TrimPrefix(test.want, got)) {
				t.Errorf("%s%s; want %s", got, e, test.want)
			}
		})
	}
}
