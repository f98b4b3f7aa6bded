package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// said is what a command that ends with an exit code says on both outputs.
func said(t *testing.T, deps cli.Deps, code int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	deps.Out, deps.Err = &out, &out
	if got := cli.Run(t.Context(), deps, args); got != code {
		t.Fatalf("%v ends with %d: %s", args, got, out.String())
	}
	return out.String()
}

// TestApplyURL applies what a web server has, and names what is wrong with it by the URL, without its password.
func TestApplyURL(t *testing.T) {
	for _, overHTTP := range []bool{false, true} {
		deps := newDeps(t, overHTTP)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/project.yaml":
				_, _ = io.WriteString(w, "kind: project\nmetadata: {name: p1}\n")
			case "/project.json":
				_, _ = io.WriteString(w, `{"kind":"project","metadata":{"name":"p2"}}`)
			case "/wrong.yaml":
				_, _ = io.WriteString(w, "kind: projcet\nmetadata: {name: p1}\n")
			default:
				http.NotFound(w, r)
			}
		}))
		t.Cleanup(server.Close)
		if got := must(t, deps, 0, "apply", "-f", server.URL+"/project.yaml", "-f", server.URL+"/project.json"); !strings.Contains(got, "2 created") {
			t.Error(got)
		}
		secret := strings.Replace(server.URL, "//", "//ann:secret@", 1)
		for path, want := range map[string]string{"/wrong.yaml": `there is no kind "projcet"`, "/none.yaml": "404"} {
			got := said(t, deps, 6, "apply", "-f", secret+path)
			if !strings.Contains(got, want) || !strings.Contains(got, path) || strings.Contains(got, "secret") {
				t.Errorf("%s: %s", path, got)
			}
		}
	}
}

// TestApplyKustomization applies and compares a folder of kustomize, with an overlay.
func TestApplyKustomization(t *testing.T) {
	_, noKubectl := exec.LookPath("kubectl")
	if _, err := exec.LookPath("kustomize"); err != nil && noKubectl != nil {
		t.Skip("needs kustomize or kubectl")
	}
	for _, overHTTP := range []bool{false, true} {
		deps := newDeps(t, overHTTP)
		t.Chdir(t.TempDir())
		for name, text := range map[string]string{
			"base/all.yaml":           "kind: cloud\nkey: {project: p1}\nmetadata: {name: c1}\nspec: {size: 1}\n---\nkind: project\nmetadata: {name: p1}\n",
			"base/kustomization.yaml": "resources: [all.yaml]\n",
			"over/kustomization.yaml": "resources: [../base]\npatches:\n  - target: {kind: cloud, name: c1}\n    patch: |-\n      - {op: replace, path: /spec/size, value: 3}\n",
			"bad/kustomization.yaml":  "resources: [none.yaml]\n",
		} {
			writeFile(t, name, text)
		}
		must(t, deps, 1, "diff", "-k", "over")
		if got := must(t, deps, 0, "apply", "-k", "over"); !strings.Contains(got, "2 created") {
			t.Error(got)
		}
		if got := must(t, deps, 0, "get", "cloud", "p1/c1", "-o", "jsonpath={.spec.size}"); got != "3" {
			t.Errorf("size %q", got)
		}
		said(t, deps, 0, "diff", "-k", "over")
		if got := said(t, deps, 6, "apply", "-k", "bad"); !strings.Contains(got, "none.yaml") {
			t.Error(got)
		}
	}
}

// TestApplyWithoutKustomize says what to type where nothing builds a folder.
func TestApplyWithoutKustomize(t *testing.T) {
	deps := newDeps(t, false)
	t.Setenv("PATH", "")
	if got := said(t, deps, 6, "apply", "-k", "over"); !strings.Contains(got, "kustomize build over | dovetail apply -f -") {
		t.Error(got)
	}
}
