package app

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/gitrepo/gittest"
)

const repositoryRoles = `roles:
- {name: blind, rules: [{kinds: [siteParamSet], verbs: [create, update, delete]}, {kinds: [instanceRepository], verbs: [read]}]}
bindings:
- {role: editor, users: [root]}
- {role: blind, users: [ann]}`

// A principal who may change a document of the repository and not read it neither learns what it holds, and the file holds what they
// wrote.
func TestRepositoryIsNotShown(t *testing.T) {
	file, tokens := accessFile(t, repositoryRoles, "root", "ann")
	remote := gittest.New(t, map[string]string{
		"environments/parameters/hidden.yaml":          "name: hidden\nparameters:\n  secret: marker\napplications: []\n",
		"environments/c/hidden-env/Inventory/odd.yaml": "inventory: [",
		"environments/parameters/broken-marker.yaml":   "name: [",
	})
	server := withGit(t, remote, map[string]string{"access": file})
	for _, step := range []struct {
		method, path, body string
		status             int
	}{
		{"PATCH", "/v2/param-sets/hidden", `{"spec":{"parameters":{"mine":1}}}`, 403},
		{"PUT", "/v2/param-sets/hidden?dryRun=true", `{"metadata":{"name":"hidden"},"spec":{"name":"hidden","parameters":{"mine":2},"applications":[]}}`, 200},
		{"PUT", "/v2/param-sets/hidden", `{"metadata":{"name":"hidden"},"spec":{"name":"hidden","parameters":{"mine":3},"applications":[]}}`, 200},
		{"GET", "/v2/param-sets/hidden", "", 403},
		{"GET", "/v2/instance-repositories/attached", "", 200},
		{"GET", "/readyz", "", 200},
	} {
		request := server.request(t, step.method, step.path, step.body)
		request.Header.Set("Authorization", "Bearer "+tokens["ann"])
		if step.method == "PATCH" {
			request.Header.Set("Content-Type", "application/merge-patch+json")
		}
		status, _, text := roundTrip(t, request)
		if status != step.status || strings.Contains(text, "marker") || strings.Contains(text, "defects") {
			t.Errorf("%s %s: %d %s", step.method, step.path, status, text)
		}
	}
	if text, ok := remote.Show("environments/parameters/hidden.yaml"); !ok || !strings.Contains(text, "mine: 3") {
		t.Errorf("the file is %q", text)
	}
	if _, _, text := server.as(t, tokens["root"], "GET", "/v2/instance-repositories/attached", ""); !strings.Contains(text, "broken-marker") {
		t.Errorf("root does not see what is wrong: %s", text)
	}
}
