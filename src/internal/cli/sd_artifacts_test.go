package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
)

// The job of a pipeline finds artifacts where the repository says, the environment's own definitions first, and opens
// credentials with the keys that it is given.
func TestArtifactsOfRepository(t *testing.T) {
	const key = "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="
	keys, err := ciphertext.ParseKeys("keys", []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	asked := ""
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "reader" || password != "sesame" {
			asked += user + " " + password
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.URL.Path != "/own/org/solution/1.0/solution-1.0.json" && r.URL.Path != "/site/org/own/1.0/own-1.0.json" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `{"applications":[{"version":"a:1","deployPostfix":"x"}]}`)
	}))
	t.Cleanup(registry.Close)
	maven := func(repository string) string {
		return "credentialsId: cred\nmavenConfig: {fullRepositoryUrl: '" + registry.URL + "', targetRelease: " + repository + "}\n"
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"environments/c/e/Inventory/env_definition.yml": "{}\n",
		"environments/c/e/AppDefs/solution.yml":         "name: solution\nregistryName: main\ngroupId: org\nartifactId: solution\n",
		"environments/c/e/RegDefs/main.yml":             maven("own"),
		"appdefs/solution.yml":                          "name: solution\nregistryName: gone\ngroupId: org\nartifactId: solution\n",
		"regdefs/main.yml":                              maven("site"),
		"configuration/artifact_definitions/own.yaml":   "name: own\ngroupId: org\nartifactId: own\nregistry:\n  " + strings.ReplaceAll(strings.TrimSpace(maven("site")), "\n", "\n  ") + "\n",
		"configuration/credentials/credentials.yml":     "cred:\n  type: usernamePassword\n  data: {username: reader, password: '" + keys.Seal("sesame") + "'}\n",
		"keys": key + "\n",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	process := func(code int, artifact string, more ...string) string {
		t.Helper()
		return must(t, newDeps(t, false), code, append([]string{"sd", "process", "--repo", dir, "--env", "c/e", "--param", "SD_VERSION=" + artifact, "-o", "json"}, more...)...)
	}
	hosts := "--artifact-hosts=" + registry.URL
	for name, test := range map[string]struct {
		artifact string
		flags    []string
		reason   string
	}{
		"of the environment":        {artifact: "solution:1.0", flags: []string{hosts, "--credential-keys=" + dir + "/keys"}},
		"of an artifact definition": {artifact: "own:1.0", flags: []string{hosts, "--credential-keys=" + dir + "/keys"}},
		"without the key":           {artifact: "solution:1.0", flags: []string{hosts}, reason: "SD_CREDENTIAL_ENCRYPTED"},
		"without TLS":               {artifact: "solution:1.0", flags: []string{"--credential-keys=" + dir + "/keys"}, reason: "SD_ARTIFACT_HOST_REFUSED"},
		"not defined":               {artifact: "other:1.0", flags: []string{hosts}, reason: "SD_ARTIFACT_DEFINITION_MISSING"},
	} {
		code := 0
		if test.reason != "" {
			code = 1
		}
		if out := process(code, test.artifact, test.flags...); !strings.Contains(out, test.reason) || strings.Contains(out, "sesame") {
			t.Errorf("%s: %s", name, out)
		}
	}
	if asked != "" {
		t.Errorf("the registry was asked as %q", asked)
	}
}

// A server processes solution descriptors with a message, which is kept with what it writes.
func TestProcessOnServer(t *testing.T) {
	t.Chdir(t.TempDir())
	db, err := app.OpenDatabase(t.Context(), "bolt:"+memdir.New(t)+"/test.db", "", store.Config{Clock: clock(), NewUID: counter()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	api := httpapi.New(db.Store, httpapi.Options{Services: []httpapi.Service{descriptor.New(db.Store, descriptor.Options{}).Service()}})
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	t.Cleanup(api.Close)
	deps := newDeps(t, false)
	deps.Connect = app.Connect
	run := func(code int, args ...string) string {
		t.Helper()
		return must(t, deps, code, append(args, "--server", server.URL)...)
	}
	process := func(code int, artifact string, more ...string) string {
		t.Helper()
		return run(code, append([]string{"sd", "process", "--env", "c/e", "--param", `SD_DATA={"applications":[{"version":"` + artifact + `","deployPostfix":"x"}]}`}, more...)...)
	}
	process(3, "a:1")
	writeFile(t, "documents.yaml", "kind: cluster\nmetadata: {name: c}\n---\nkind: environment\nkey: {cluster: c}\nmetadata: {name: e}\n")
	run(0, "apply", "-f", "documents.yaml")
	if got := process(0, "a:1", "-m", "deploy a"); !strings.Contains(got, "cluster/c/environment/e/solutionDescriptor/full") || !strings.Contains(got, "created") {
		t.Error(got)
	}
	if got := run(0, "history", "cluster/c/environment/e/solutionDescriptor/full"); !strings.Contains(got, "deploy a") {
		t.Error(got)
	}
	if got := process(1, "a", "-o", "json"); !strings.Contains(got, "SD_INVALID_APPLICATION") {
		t.Error(got)
	}
	process(2, "a:1", "--artifact-dir", "x")
}
