package chart_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
)

// TestInstanceRepositories: the file of --instance-repos, with the folders where the Secrets of repositories are mounted.
func TestInstanceRepositories(t *testing.T) {
	const want = `repositories:
- branch: live
  clusters:
  - eu-*
  credentialKeys: /etc/dovetail/repositories/eu/keys
  credentials: /etc/dovetail/repositories/eu/credentials.yaml
  name: eu
  url: https://git/eu.git
- clusters:
  - '*'
  name: us
  new: true
  url: https://git/us.git
`
	objects := rendered(t, everything)
	if got := find[*core.ConfigMap](t, objects, "shop-dovetail-settings").Data["repositories.yaml"]; got != want {
		t.Errorf("the file is\n%s", got)
	}
}

// TestInstanceRepositoriesOfGuide: the values of the page are those of a release whose pods have what they mount, the Secrets of the page included.
func TestInstanceRepositoriesOfGuide(t *testing.T) {
	text, err := os.ReadFile("../../../docs/several-repositories.md")
	if err != nil {
		t.Fatal(err)
	}
	values := regexp.MustCompile("(?s)```yaml\n# your-values.yaml\n(.*?)```").FindSubmatch(text)
	if values == nil {
		t.Fatal("the page has no values")
	}
	objects := rendered(t, string(values[1]))
	for _, problem := range check(objects, "git-eu", "git-us") {
		t.Error(problem)
	}
	file := find[*core.ConfigMap](t, objects, "shop-dovetail-settings").Data["repositories.yaml"]
	for _, want := range []string{"/etc/dovetail/repositories/eu/keys", "/etc/dovetail/repositories/us/credentials.yaml", "new: true"} {
		if !strings.Contains(file, want) {
			t.Errorf("%s is not in\n%s", want, file)
		}
	}
}
