package app

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/identity/login/logintest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

// newSecureWorkplace is newWorkplace with a server at https: clients of Kubernetes send no token to others.
func newSecureWorkplace(t *testing.T) *workplace {
	t.Helper()
	dir := t.TempDir()
	certify(t, dir, "server")
	w := newWorkplace(t, map[string]string{"tls-cert": filepath.Join(dir, "cert.pem"), "tls-key": filepath.Join(dir, "key.pem")})
	w.authority = filepath.Join(dir, "cert.pem")
	return w
}

// withKubeconfig logs in, makes a cluster, and returns the name of a kubeconfig that has no token, for programs that find dovetail.
func (w *workplace) withKubeconfig(t *testing.T) string {
	t.Helper()
	name, err := apptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(name)+string(os.PathListSeparator)+os.Getenv("PATH"))
	writeFile(t, filepath.Join(w.dir, "c1.yaml"), "{kind: cluster, metadata: {name: c1}}")
	w.must(t, "created", "config", "set-context", "prod", "--server", w.server.URL(), "--issuer", w.issuer.URL, "--certificate-authority", w.authority)
	before, _, code := w.run(t, nil, "kubeconfig", "--context", "prod")
	if code != 0 {
		t.Fatal(code)
	}
	w.must(t, "logged in", "login", "--context", "prod")
	w.must(t, "cluster/c1", "apply", "--context", "prod", "-f", filepath.Join(w.dir, "c1.yaml"))
	text, _, code := w.run(t, nil, "kubeconfig", "--context", "prod")
	if code != 0 || text != before {
		t.Fatalf("%d; before the login\n%s\nand after it\n%s", code, before, text)
	}
	file := filepath.Join(w.dir, "kubeconfig")
	writeFile(t, file, text)
	return file
}

// asked returns how often the provider was asked for the next token.
func (w *workplace) asked() int { return w.issuer.Counts()["refresh_token"] }

// client-go has the credential plug-in give it tokens, and asks again when one expires.
func TestExecCredentialOfClientGo(t *testing.T) {
	w := newSecureWorkplace(t)
	config, err := clientcmd.BuildConfigFromFlags("", w.withKubeconfig(t))
	if err != nil {
		t.Fatal(err)
	}
	if config.BearerToken != "" || config.ExecProvider == nil {
		t.Fatalf("the kubeconfig has a token: %v", config)
	}
	get := func(config *rest.Config) (int, string) {
		t.Helper()
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Get(w.server.URL() + "/apis/inventory.dovetail.dev/v1/clusters/c1")
		if err != nil {
			return 0, err.Error()
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	for range 3 {
		if status, text := get(config); status != http.StatusOK || !strings.Contains(text, `"c1"`) {
			t.Fatalf("%d %s", status, text)
		}
	}
	if got := w.asked(); got != 0 {
		t.Errorf("a token that holds is refreshed %d times", got)
	}

	// Tokens end at once: client-go asks for each request. It keeps what a plug-in gave for a configuration; this one is another.
	w.issuer.Set(func(b *logintest.Behavior) { b.Lifetime = 20 * time.Second })
	w.must(t, "logged in", "login", "--context", "prod")
	other := rest.CopyConfig(config)
	other.ExecProvider.Args = append(other.ExecProvider.Args, "--output", "json")
	for n := range 3 {
		if status, text := get(other); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
		if got := w.asked(); got < n+1 {
			t.Errorf("after %d requests with tokens that expire, %d were refreshed", n+1, got)
		}
	}

	// Without a login, it says what to do.
	w.must(t, "logged out", "logout", "--context", "prod")
	if status, text := get(other); status != 0 || !strings.Contains(text, "exit code 7") {
		t.Errorf("without a login: %d %s", status, text)
	}
	w.secretsAreKept(t)
}

// kubectl works with a login, and shows which command to run when there is none.
func TestExecCredentialOfKubectl(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("kubectl is not there")
	}
	w := newSecureWorkplace(t)
	file := w.withKubeconfig(t)
	run := func() (string, error) {
		t.Helper()
		command := exec.CommandContext(t.Context(), kubectl, "--kubeconfig", file, "--cache-dir", filepath.Join(w.dir, "cache"), "get", "clusters.inventory.dovetail.dev", "-o", "name") //nolint:gosec // of this test
		text, err := command.CombinedOutput()
		return string(text), err
	}
	if text, err := run(); err != nil || text != "cluster.inventory.dovetail.dev/c1\n" {
		t.Errorf("%v %s", err, text)
	}
	w.must(t, "logged out", "logout", "--context", "prod")
	if text, err := run(); err == nil || !strings.Contains(text, "run `dovetail login --context prod`") {
		t.Errorf("without a login: %v %s", err, text)
	}
}

// A token that is in no login is given as it is.
func TestExecCredentialOfToken(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	w.must(t, "created", "config", "set-context", "prod", "--server", w.server.URL(), "--token", "secret")
	w.must(t, "token: secret", "kubeconfig", "--context", "prod")
	text, stderr, code := w.run(t, nil, "kubeconfig", "--context", "prod", "--exec")
	if code != 0 || strings.Contains(text, "secret") || !strings.Contains(text, "exec-credential") || !strings.Contains(stderr, "no token to a server at http") {
		t.Errorf("%d %s%s", code, text, stderr)
	}
	w.must(t, `"token": "secret"`, "auth", "exec-credential", "--context", "prod")
	w.refused(t, cli.ExitForbidden, "there is no token for "+w.server.URL(), "auth", "exec-credential", "--server", w.server.URL())
}
