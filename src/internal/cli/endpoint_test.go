package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/identity/contexts"
)

const endpointContexts = `current: cur
contexts:
- {name: cur, server: https://cur, token: cur-token, certificateAuthority: ca.pem}
- {name: other, server: https://other, tokenFile: other.token}
- {name: bare, server: https://bare}
- {name: issued, server: https://issued, issuer: https://login.example.org}
`

// Which server is used, with which token: a flag goes before the environment, that before the current context, that before the
// default; and the token of a context is sent to no other server.
func TestEndpoint(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "dovetail", "contexts.yaml"), endpointContexts)
	writeFile(t, filepath.Join(dir, "dovetail", "other.token"), "other-token\n")
	writeFile(t, filepath.Join(dir, "dovetail", "ca.pem"), "certificates")
	none := filepath.Join(dir, "none.yaml")
	writeFile(t, none, "")
	for _, test := range []struct {
		name, command string
		want          cli.Server
	}{
		{"default", "DOVETAIL_CONTEXTS=" + none + " dovetail get x", cli.Server{URL: "http://127.0.0.1:8080"}},
		{"default with a token", "DOVETAIL_CONTEXTS=" + none + " DOVETAIL_TOKEN=t dovetail get x", cli.Server{URL: "http://127.0.0.1:8080", Token: "t"}},
		{"current context", "dovetail get x", cli.Server{URL: "https://cur", Token: "cur-token", Authority: []byte("certificates")}},
		{"token of the environment", "DOVETAIL_TOKEN=t dovetail get x", cli.Server{URL: "https://cur", Token: "t", Authority: []byte("certificates")}},
		{"context of the environment", "DOVETAIL_CONTEXT=other dovetail get x", cli.Server{URL: "https://other", Token: "other-token"}},
		{"server of the environment", "DOVETAIL_SERVER=http://b DOVETAIL_CONTEXT=other dovetail get x", cli.Server{URL: "http://b"}},
		{"server and token of the environment", "DOVETAIL_SERVER=http://b DOVETAIL_TOKEN=t dovetail get x", cli.Server{URL: "http://b", Token: "t"}},
		{"context of the flag", "DOVETAIL_SERVER=http://b DOVETAIL_TOKEN=t DOVETAIL_CONTEXT=cur dovetail get x --context other", cli.Server{URL: "https://other", Token: "other-token"}},
		{"flag before the verb", "dovetail --context other get x", cli.Server{URL: "https://other", Token: "other-token"}},
		{"context of the flag, without a token", "DOVETAIL_TOKEN=t dovetail get x --context bare", cli.Server{URL: "https://bare", Token: "t"}},
		{"server of the flag", "DOVETAIL_SERVER=http://b DOVETAIL_CONTEXT=other dovetail get x --server http://a", cli.Server{URL: "http://a"}},
		{"server of the flag, at that of a context", "dovetail get x --server https://cur", cli.Server{URL: "https://cur"}},
		{"a broken file is not read for the flag", "DOVETAIL_CONTEXTS=" + dir + " dovetail get x --server http://a", cli.Server{URL: "http://a"}},
		{"a verb for servers only", "dovetail auth whoami --context other", cli.Server{URL: "https://other", Token: "other-token"}},
		{"approve", "dovetail resolve approve x --context other", cli.Server{URL: "https://other", Token: "other-token"}},
		{"process", "dovetail sd process --env a/b --context other", cli.Server{URL: "https://other", Token: "other-token"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked cli.Server
			deps := cli.Deps{UserConfigDir: func() (string, error) { return dir, nil }, Connect: func(to cli.Server) (cli.Store, error) {
				asked = to
				return nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "connection refused"}
			}}
			_, errs, code := runCommand(t.Context(), t, deps, test.command)
			if !reflect.DeepEqual(asked, test.want) || code != 5 || !strings.Contains(errs, "connection refused") {
				t.Errorf("asked %s with %q, want %s with %q; got %d %s", asked.URL, asked.Token, test.want.URL, test.want.Token, code, errs)
			}
		})
	}
}

// An error for want of a token says where to set one.
func TestLoginIsExplained(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "dovetail", "contexts.yaml"), endpointContexts)
	deps := cli.Deps{UserConfigDir: func() (string, error) { return dir, nil }, Connect: func(cli.Server) (cli.Store, error) {
		return nil, &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "this server requires authentication", Remedy: "send a header"}
	}}
	for _, test := range []struct{ name, command, want string }{
		{"no context", "dovetail get x --server http://a", "  put your token into DOVETAIL_TOKEN, or keep it in a context: `dovetail config set-context NAME --server http://a --token -`, which reads it from the standard input; or log in at the server's OpenID Connect provider: `dovetail login --server http://a --issuer URL`"},
		{"context without a token", "dovetail get x --context bare", "  put your token into DOVETAIL_TOKEN, or keep it in the context: `dovetail config set-context bare --token -`, which reads it from the standard input; or log in at the server's OpenID Connect provider: `dovetail login --context bare --issuer URL`"},
		{"context with an issuer", "dovetail get x --context issued", "  run `dovetail login --context issued`"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, errs, code := runCommand(t.Context(), t, deps, test.command)
			if code != cli.ExitForbidden || !strings.Contains(errs, test.want) || strings.Contains(errs, "header") {
				t.Errorf("got %d %s", code, errs)
			}
		})
	}
}

// The file is its user's alone, is replaced as a whole, and stays where a link leads.
func TestContextsFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "link.yaml")
	writeFile(t, file, "# mine\ncontexts: []\n")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip("no links here: ", err)
	}
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, errs, code := runCommand(t.Context(), t, cli.Deps{}, "DOVETAIL_CONTEXTS="+link+" dovetail config set-context a --server http://a --token t"); code != 0 {
		t.Fatal(errs)
	}
	after, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if after.Mode().Perm() != 0o600 || os.SameFile(before, after) {
		t.Errorf("the file has the mode %v", after.Mode())
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced", err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "# mine\n") || !strings.Contains(string(text), "token: t\n") {
		t.Errorf("the file is %s (%v)", text, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.*.*")); err != nil || len(left) > 0 {
		t.Error("left over:", left, err)
	}
	made := filepath.Join(dir, "config")
	deps := cli.Deps{UserConfigDir: func() (string, error) { return made, nil }}
	if _, errs, code := runCommand(t.Context(), t, deps, "dovetail config set-context a --server http://a"); code != 0 {
		t.Fatal(errs)
	}
	if info, err := os.Stat(filepath.Join(made, "dovetail")); err != nil || info.Mode().Perm() != 0o700 {
		t.Error("the folder is", info.Mode(), err)
	}
}

// Of commands at once, each has done what it said, or was refused.
func TestContextsAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "contexts.yaml")
	var all sync.WaitGroup
	done := make([]bool, 20)
	for i := range done {
		all.Go(func() {
			_, errs, code := runCommand(t.Context(), t, cli.Deps{}, fmt.Sprintf("DOVETAIL_CONTEXTS=%s dovetail config set-context c%d --server http://a", file, i))
			if done[i] = code == 0; !done[i] && (code != cli.ExitRefused || !strings.Contains(errs, "another command is changing")) {
				t.Errorf("got %d %s", code, errs)
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := contexts.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range done {
		if _, err := stored.Find(fmt.Sprintf("c%d", i)); (err == nil) != done[i] {
			t.Errorf("c%d: done is %v, found %v", i, done[i], err)
		}
	}
}
