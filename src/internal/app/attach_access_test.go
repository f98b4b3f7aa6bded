package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

const repositoryRoles = `roles:
- {name: blind, rules: [{kinds: [siteParamSet], verbs: [create, update, delete]}, {kinds: [instanceRepository], verbs: [read]}]}
bindings:
- {role: editor, users: [root]}
- {role: blind, users: [ann]}`

// A principal that may change a document of the repository but not read it does not learn its content, and the file
// holds what the principal wrote.
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

// A plain secret in the repository may stay when the rest of its document changes. A principal that may not read a
// credential is refused whether it guesses the secret or not.
func TestRepositorySecretIsNotGuessed(t *testing.T) {
	const credentials = "configuration/credentials/credentials.yml"
	file, tokens := accessFile(t, strings.ReplaceAll(repositoryRoles, "siteParamSet", "credential"), "root", "ann")
	keys := filepath.Join(t.TempDir(), "main.key")
	if err := os.WriteFile(keys, []byte(command(t, 0, "", "secrets", "keygen")), 0o600); err != nil {
		t.Fatal(err)
	}
	remote := gittest.New(t, map[string]string{credentials: "db:\n  type: secret\n  data: {secret: marker}\n"})
	server := withGit(t, remote, map[string]string{"access": file, "encryption-key-file": keys})
	body := func(kind, secret string) string {
		return `{"metadata":{"name":"db"},"spec":{"type":"` + kind + `","data":{"secret":"` + secret + `"}}}`
	}
	var answers []string
	for _, step := range []struct {
		name, who, body string
		status          int
	}{
		{"a right guess, of all of it", "ann", body("secret", "marker"), 422},
		{"a right guess of the secret", "ann", body("other", "marker"), 422},
		{"a wrong guess", "ann", body("secret", "guess"), 422},
		{"another secret", "root", body("secret", "mine"), 422},
		{"the same secret, which root can read", "root", body("other", "marker"), 200},
	} {
		for _, query := range []string{"?dryRun=true", ""} {
			request := server.request(t, "PUT", "/v2/credentials/db"+query, step.body)
			request.Header.Set("Authorization", "Bearer "+tokens[step.who])
			status, _, text := roundTrip(t, request)
			if status != step.status {
				t.Errorf("%s%s: %d %s", step.name, query, status, text)
			}
			if step.who == "ann" {
				answers = append(answers, text)
			}
		}
	}
	if slices.Sort(answers); len(slices.Compact(answers)) != 1 {
		t.Errorf("the answers differ: %q", answers)
	}
	if text, ok := remote.Show(credentials); !ok || !strings.Contains(text, "type: other") || !strings.Contains(text, "marker") {
		t.Errorf("the file is %q", text)
	}
}
