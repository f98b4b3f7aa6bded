package app

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

// plugin runs the plug-in of kubectl in a process of its own, which finds the program and has a kubeconfig.
func (w *workplace) plugin(t *testing.T, kubeconfig string, args ...string) (string, error) {
	t.Helper()
	bin := filepath.Join(w.dir, "bin")
	if err := exec.CommandContext(t.Context(), apptest.ProgramName, "kubectl-plugin", "install", "--dir", bin).Run(); err != nil { //nolint:gosec // of this test
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), filepath.Join(bin, "kubectl-dovetail"), args...) //nolint:gosec // of this test
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "DOVETAIL_SERVER=http://127.0.0.1:1")
	text, err := command.CombinedOutput()
	return string(text), err
}

// The plug-in finds its server, the authority of its certificate and its credentials by the kubeconfig, and by nothing else.
func TestKubectlPluginWithLogin(t *testing.T) {
	w := newSecureWorkplace(t)
	file := w.withKubeconfig(t)
	if text, err := w.plugin(t, file, "tree", "cluster", "c1"); err != nil || text != "cluster c1\n" {
		t.Errorf("%v %s", err, text)
	}
	if text, err := w.plugin(t, "/nonexistent", "tree", "--kubeconfig", file); err != nil || text != "cluster c1\n" {
		t.Errorf("%v %s", err, text)
	}
	if text, err := w.plugin(t, file, "history", "clusters/c1"); err != nil || !strings.Contains(text, "created") || !strings.Contains(text, "alice") {
		t.Errorf("%v %s", err, text)
	}
	if text, err := w.plugin(t, file, "tree", "--context", "other"); err == nil || !strings.Contains(text, `context "other" does not exist`) {
		t.Errorf("%v %s", err, text)
	}
	w.must(t, "logged out", "logout", "--context", "prod")
	for _, want := range []string{"run `dovetail login --context prod`", "error: getting credentials: ", "name another one with --kubeconfig or --context"} {
		if text, err := w.plugin(t, file, "tree", "cluster", "c1"); err == nil || !strings.Contains(text, want) {
			t.Errorf("without a login: %v %s", err, text)
		}
	}
}

// What a kubeconfig says is read as by kubectl; what cannot be read is refused.
func TestReadKubeconfig(t *testing.T) {
	const config = `{apiVersion: v1, kind: Config, current-context: a,
clusters: [{name: c, cluster: {server: "https://one.example:8443/base/"}}],
users: [{name: u, user: {token: secret}}, {name: broken, user: {client-certificate: absent.pem, client-key: absent.pem}}],
contexts: [{name: a, context: {cluster: c, user: u}}, {name: b, context: {cluster: c, user: u, namespace: east}}, {name: d, context: {cluster: c, user: broken}}]}`
	file := filepath.Join(t.TempDir(), "config")
	writeFile(t, file, config)
	t.Setenv("KUBECONFIG", file)
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for _, tt := range []struct{ name, file, context, namespace, refused string }{
		{name: "current", namespace: "default"},
		{name: "named", context: "b", namespace: "east"},
		{name: "named file", file: file, context: "b", namespace: "east"},
		{name: "no such context", context: "z", refused: `context "z" does not exist`},
		{name: "no such file", file: "absent", refused: "no such file"},
		{name: "no such certificate", context: "d", refused: "absent.pem"},
		{name: "empty", file: os.DevNull, refused: "no kubeconfig names a server"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadKubeconfig(tt.file, tt.context)
			if tt.refused != "" {
				e := dovetail.AsError(err)
				if e == nil || e.Code != dovetail.CodeInvalid || !strings.Contains(e.Message, tt.refused) || e.Remedy == "" {
					t.Errorf("%v, want %s", err, tt.refused)
				}
				return
			}
			if err != nil || got.Namespace != tt.namespace || strings.TrimSuffix(got.URL, "/") != "https://one.example:8443/base" || got.Token != "" {
				t.Errorf("%+v %v", got, err)
			}
		})
	}
}

// A server that is not Dovetail's is named as such.
func TestKubectlPluginElsewhere(t *testing.T) {
	w := newWorkplace(t)
	name, err := apptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(name)+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, status := range []int{http.StatusOK, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, _ *http.Request) { http.Error(to, "no JSON", status) }))
			defer server.Close()
			file := filepath.Join(w.dir, "kubeconfig")
			text, _, _ := w.run(t, nil, "kubeconfig", "--server", server.URL)
			writeFile(t, file, text)
			if text, err := w.plugin(t, file, "tree"); err == nil || !strings.Contains(text, "the server of the kubeconfig, "+server.URL) || !strings.Contains(text, "is not Dovetail's") {
				t.Errorf("%v %s", err, text)
			}
		})
	}
}
