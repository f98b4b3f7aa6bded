package app

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/identity/login/logintest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/store"
)

// workplace is a folder of configuration with a user who has a browser.
type workplace struct {
	dir       string
	issuer    *logintest.Issuer
	server    *running
	authority string        // the file with the certificate of the server; "" if it has none
	ahead     time.Duration // of the clock of the commands

	mu   sync.Mutex
	seen strings.Builder // by the user: all output, and pages
}

// newWorkplace starts a server that takes the users of a provider, where alice may edit.
func newWorkplace(t *testing.T, given ...map[string]string) *workplace {
	t.Helper()
	file, _ := accessFile(t, accessRoles+"\n- {role: editor, users: ['oidc:alice']}", "root")
	issuer := logintest.NewIssuer(t)
	flags := map[string]string{"access": file, "oidc-issuer": issuer.URL, "log-level": "error"}
	for _, more := range given {
		maps.Copy(flags, more)
	}
	return &workplace{dir: t.TempDir(), issuer: issuer, server: start(t, flags)}
}

func (w *workplace) keyring() string { return filepath.Join(w.dir, "keyring.json") }

// run runs a command with an environment, and returns what it puts out.
func (w *workplace) run(t *testing.T, environment map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Run(t.Context(), cli.Deps{Out: &out, Err: &errs, Connect: Connect, Settings: Settings(),
		Now: func() time.Time { return time.Now().Add(w.ahead) },
		Env: func(name string) (string, bool) {
			if name == "DOVETAIL_CONTEXTS" {
				return filepath.Join(w.dir, "contexts.yaml"), true
			}
			text, set := environment[name]
			return text, set
		},
		OpenBrowser: func(_ context.Context, page string) error {
			go func() {
				answer, err := http.Get(page) //nolint:gosec,noctx // of this test
				if err != nil {
					t.Error(err)
					return
				}
				defer answer.Body.Close()
				text, err := io.ReadAll(answer.Body)
				if err != nil {
					t.Error(err)
				}
				w.see(string(text))
			}()
			return nil
		}}, args)
	w.see(out.String() + errs.String())
	return out.String(), errs.String(), code
}

func (w *workplace) see(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.WriteString(text)
}

// must runs a command that succeeds, and whose output has a text.
func (w *workplace) must(t *testing.T, says string, args ...string) {
	t.Helper()
	if stdout, stderr, code := w.run(t, nil, args...); code != 0 || !strings.Contains(stdout, says) {
		t.Fatalf("dovetail %s: %d, want %q\n%s%s", strings.Join(args, " "), code, says, stdout, stderr)
	}
}

// refused runs a command that fails, and whose error has a text.
func (w *workplace) refused(t *testing.T, code int, says string, args ...string) {
	t.Helper()
	if stdout, stderr, got := w.run(t, nil, args...); got != code || !strings.Contains(stderr, says) {
		t.Errorf("dovetail %s: %d, want %d and %q\n%s%s", strings.Join(args, " "), got, code, says, stdout, stderr)
	}
}

// secretsAreKept checks that only the user may read the keyring, and that nothing of it was shown.
func (w *workplace) secretsAreKept(t *testing.T) {
	t.Helper()
	info, err := os.Stat(w.keyring())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the keyring has the mode %s", info.Mode())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if seen := w.seen.String(); strings.Contains(seen, "refresh-") || strings.Contains(seen, "eyJ") {
		t.Errorf("secrets are shown:\n%s", seen)
	}
}

// TestLogin follows a login from the browser to its end: the token expires, is refreshed, also by many commands at once, and is
// revoked.
func TestLogin(t *testing.T) {
	w := newWorkplace(t)
	writeFile(t, filepath.Join(w.dir, "c1.yaml"), "{kind: cluster, metadata: {name: c1}}")
	w.must(t, "created prod", "config", "set-context", "prod", "--server", w.server.URL())
	w.must(t, "switched", "config", "use-context", "prod")
	w.refused(t, cli.ExitForbidden, "`dovetail login --issuer URL`", "get", "cluster")
	w.refused(t, cli.ExitInvalid, "there is no issuer to log in at", "login")
	w.must(t, "logged in to "+w.server.URL()+" as oidc:alice", "login", "--issuer", w.issuer.URL)
	w.must(t, "login at "+w.issuer.URL, "config", "get-contexts")
	w.must(t, "oidc:alice", "whoami")
	w.must(t, "oidc:team", "whoami")
	w.must(t, "roles           editor\n", "whoami")
	w.must(t, "cluster/c1", "apply", "-f", filepath.Join(w.dir, "c1.yaml"))
	if counts := w.issuer.Counts(); counts["authorization_code"] != 1 || counts["refresh_token"] != 0 {
		t.Fatalf("%v", counts)
	}

	// It expires: the next command refreshes it, and others use what that one got.
	w.ahead = 2 * time.Hour
	w.issuer.Set(func(b *logintest.Behavior) { b.Lifetime = 4 * time.Hour })
	w.must(t, "c1", "get", "cluster", "c1")
	w.must(t, "c1", "get", "cluster", "c1")
	if counts := w.issuer.Counts(); counts["refresh_token"] != 1 {
		t.Errorf("%v", counts)
	}

	// The provider is down: the token that there is is used while it holds.
	w.ahead = 4*time.Hour - time.Minute/2
	w.issuer.Set(func(b *logintest.Behavior) { b.Down = true })
	w.must(t, "c1", "get", "cluster", "c1")
	w.ahead = 5 * time.Hour
	w.refused(t, cli.ExitUnavailable, "503", "get", "cluster", "c1")

	// Eight commands at once refresh it once.
	w.issuer.Set(func(b *logintest.Behavior) { b.Down, b.Lifetime = false, 8*time.Hour })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if stdout, stderr, code := w.run(t, nil, "get", "cluster", "c1"); code != 0 || !strings.Contains(stdout, "c1") {
				t.Errorf("%d %s%s", code, stdout, stderr)
			}
		})
	}
	all.Wait()
	if counts := w.issuer.Counts(); counts["refresh_token"] != 2 || w.issuer.Live() != 1 {
		t.Errorf("%v", counts)
	}

	w.must(t, "logged out of "+w.server.URL(), "logout")
	if counts := w.issuer.Counts(); counts["revoked"] != 1 || w.issuer.Live() != 0 {
		t.Errorf("%v", counts)
	}
	w.refused(t, cli.ExitForbidden, "run `dovetail login`", "get", "cluster", "c1")
	w.refused(t, cli.ExitNotFound, "there is no login", "logout")
	w.secretsAreKept(t)

	w.ahead = 0
	w.must(t, "logged in", "login") // the context knows where
	w.must(t, "deleted prod", "config", "delete-context", "prod")
	if text, err := os.ReadFile(w.keyring()); err != nil || strings.Contains(string(text), "refresh-") || w.issuer.Live() != 0 {
		t.Errorf("after its context was deleted: %s %v", text, err)
	}
}

// Eight processes at once refresh a login whose refresh tokens are of use once: each works, and the login lives on.
func TestLoginOfManyProcesses(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	w.issuer.Set(func(b *logintest.Behavior) { b.Lifetime = 20 * time.Second }) // less than is left to a token that is used
	w.must(t, "logged in", "login", "--server", w.server.URL(), "--issuer", w.issuer.URL)
	name, err := apptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			run := exec.CommandContext(t.Context(), name, "whoami", "--server", w.server.URL())
			run.Env = []string{"DOVETAIL_CONTEXTS=" + filepath.Join(w.dir, "contexts.yaml"), "HOME=" + w.dir}
			if text, err := run.CombinedOutput(); err != nil || !strings.Contains(string(text), "oidc:alice") {
				t.Errorf("%v %s", err, text)
			}
		})
	}
	all.Wait()
	if counts := w.issuer.Counts(); counts["refresh_token"] != 8 || w.issuer.Live() != 1 {
		t.Errorf("%v", counts)
	}
	w.secretsAreKept(t)
}

// A login is of use for the server and context that it was made for only.
func TestLoginIsForOneServer(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	url := w.server.URL()
	w.must(t, "logged in", "login", "--server", url, "--issuer", w.issuer.URL)
	w.must(t, "oidc:alice", "whoami", "--server", url)
	w.must(t, "oidc:alice", "whoami", "--server", strings.TrimPrefix(url, "http://")+"/")
	w.must(t, "created", "config", "set-context", "prod", "--server", url, "--issuer", w.issuer.URL)
	w.refused(t, cli.ExitForbidden, "run `dovetail login --context prod`", "whoami", "--context", "prod")
	w.must(t, "logged in", "login", "--context", "prod")
	w.must(t, "oidc:alice", "whoami", "--context", "prod")
	for name, args := range map[string][]string{
		"another client": {"--client-id", "other"},
		"another server": {"--server", strings.Replace(url, "127.0.0.1", "localhost", 1)},
	} {
		contexts := filepath.Join(w.dir, "contexts.yaml")
		before, err := os.ReadFile(contexts)
		if err != nil {
			t.Fatal(err)
		}
		w.must(t, "changed", append([]string{"config", "set-context", "prod"}, args...)...)
		if _, stderr, code := w.run(t, nil, "whoami", "--context", "prod"); code != cli.ExitForbidden || !strings.Contains(stderr, "run `dovetail login --context prod`") {
			t.Errorf("%s: %d %s", name, code, stderr)
		}
		if err := os.WriteFile(contexts, before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.must(t, "oidc:alice", "whoami", "--context", "prod")
	w.must(t, "changed", "config", "set-context", "prod", "--token", "secret")
	w.refused(t, cli.ExitRefused, "has a token, which goes before a login", "login", "--context", "prod")
	w.refused(t, cli.ExitForbidden, "the token is that of the context prod", "whoami", "--context", "prod")
	w.must(t, "logged out of "+url+"\nlogged out of "+url, "logout", "--all")
	if w.issuer.Live() != 0 {
		t.Error("a login is not revoked")
	}
	w.secretsAreKept(t)
}

// What is wrong with a login is said before or after the browser, and nothing is kept of it.
func TestLoginRefusals(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	url := w.server.URL()
	w.refused(t, cli.ExitInvalid, "the issuer is no URL", "login", "--server", url, "--issuer", "login.example.org")
	w.refused(t, cli.ExitUnavailable, "cannot be reached", "login", "--server", url, "--issuer", "http://127.0.0.1:1")
	w.refused(t, cli.ExitInvalid, "invalid_client", "login", "--server", url, "--issuer", w.issuer.URL, "--client-id", "stranger", "--device")
	w.refused(t, cli.ExitInvalid, "no URL of this machine", "login", "--server", url, "--issuer", w.issuer.URL, "--redirect", "http://example.org/")
	w.refused(t, cli.ExitUsage, "none of the others can be", "login", "--server", url, "--device", "--redirect", "http://localhost")
	w.refused(t, cli.ExitUsage, "--all and --context", "logout", "--all", "--context", "x")
	w.issuer.Set(func(b *logintest.Behavior) { b.User = "" })
	w.refused(t, cli.ExitForbidden, "the user said no", "login", "--server", url, "--issuer", w.issuer.URL)
	w.issuer.Set(func(b *logintest.Behavior) { b.User = "al\u200bice" })
	w.refused(t, cli.ExitForbidden, "", "login", "--server", url, "--issuer", w.issuer.URL) // the server does not take the name
	if _, err := os.Stat(w.keyring()); err == nil {
		t.Error("a login was kept")
	}
	w.issuer.Set(func(b *logintest.Behavior) { b.User, b.NoRefresh = "alice", true })
	_, stderr, code := w.run(t, map[string]string{"DOVETAIL_TOKEN": "x", "DOVETAIL_SERVER": url}, "login", "--issuer", w.issuer.URL)
	if code != 0 || !strings.Contains(stderr, "no refresh token") || !strings.Contains(stderr, "the token in DOVETAIL_TOKEN goes before the login") {
		t.Errorf("%d %s", code, stderr)
	}
	w.ahead = 2 * time.Hour
	w.refused(t, cli.ExitForbidden, "run `dovetail login --server "+url+"`", "whoami", "--server", url)
	w.ahead = 0
	w.must(t, "logged in", "login", "--server", url) // the last login knows where
	if err := w.server.stop(); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := w.run(t, nil, "login", "--server", url); code != 0 || !strings.Contains(stderr, "not known to be accepted") {
		t.Errorf("a server that is down: %d %s", code, stderr)
	}
	writeFile(t, w.keyring(), `{"logins":[{"refreshToken":"hunter2"`)
	w.refused(t, cli.ExitInvalid, "the keyring cannot be read", "whoami", "--server", url)
	w.secretsAreKept(t)
}

// A login by the code of a device.
func TestLoginOfDevice(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	w.issuer.Approve()
	stdout, stderr, code := w.run(t, nil, "login", "--device", "--server", w.server.URL(), "--issuer", w.issuer.URL)
	if code != 0 || !strings.Contains(stdout, "as oidc:alice") || !strings.Contains(stderr, "open "+w.issuer.URL+"/enter in any browser, and enter the code ABCD-EFGH") {
		t.Errorf("%d %s%s", code, stdout, stderr)
	}
	w.must(t, "oidc:alice", "whoami", "--server", w.server.URL())
	w.secretsAreKept(t)
}

// A watch goes on when its token expires, where there is a source of others.
func TestWatchOutlivesLoginToken(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t)
	later := w.issuer.Token(t, "alice", time.Now().Add(time.Hour))
	renewed := make(chan struct{})
	once := sync.OnceFunc(func() { close(renewed) })
	var c *client.Client
	var from store.Cursor
	whileItHolds(t, func(until time.Time) (err error) {
		first := w.issuer.Token(t, "alice", until)
		c, err = client.New(w.server.URL(), client.Options{TokenSource: func(context.Context) (string, error) {
			if time.Now().Before(until) {
				return first, nil
			}
			once()
			return later, nil
		}})
		if err != nil {
			return err
		}
		from, err = c.Head(t.Context())
		return err
	})
	seen := make(chan string, 1)
	go func() {
		defer close(seen)
		for e, err := range c.Watch(t.Context(), from, store.WatchQuery{}) {
			if err != nil {
				t.Error(err)
				return
			}
			if len(e.Changes) > 0 {
				seen <- string(e.Changes[0].ID)
				return
			}
		}
	}()
	select {
	case <-renewed:
	case <-time.After(apptest.Patience):
		t.Fatal("the watch does not end with its token")
	}
	if status, _, text := w.server.as(t, later, "POST", "/v2/clusters", named("c1")); status != http.StatusCreated {
		t.Fatal(status, text)
	}
	select {
	case id := <-seen:
		if id != "cluster/c1" {
			t.Errorf("seen %q", id)
		}
	case <-time.After(apptest.Patience):
		t.Fatal("the watch sees nothing")
	}
}
