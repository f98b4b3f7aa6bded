package gitops

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestKustomizeGuide shows that kustomize builds of the base and the patch of the guide, without the annotations of layering, what
// the guide shows as rendered.
func TestKustomizeGuide(t *testing.T) {
	page, err := os.ReadFile(repository + "/docs/kustomize.md")
	if err != nil {
		t.Fatal(err)
	}
	saved := func(name string) string {
		block := regexp.MustCompile("(?s)`shop/" + name + ".yaml`:\n\n```yaml\n(.*?)```").FindStringSubmatch(string(page))
		if block == nil {
			t.Fatalf("the guide does not save %s", name)
		}
		return regexp.MustCompile(`(?m)^ +(annotations:|layering\.dovetail\.dev/.*|namespace: .*)\n`).ReplaceAllString(block[1], "")
	}
	built, err := build(t, map[string]string{"base.yaml": saved("base"), "patch.yaml": saved("production"),
		"kustomization.yaml": "namespace: production\nresources: [base.yaml]\npatches: [{path: patch.yaml}]\n"})
	if err != nil {
		t.Fatal(err)
	}
	_, rendered, _ := strings.Cut(string(page), "--document production/shop\n")
	rendered, _, _ = strings.Cut(rendered, "```")
	var want, got any
	if err := yaml.Unmarshal([]byte(built), &want); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(rendered), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(byKeys(got), byKeys(want)) {
		t.Errorf("kustomize builds\n%s\nthe guide shows\n%s", built, rendered)
	}
}
