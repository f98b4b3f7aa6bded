package cli_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/internal/access"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// changeSetAccess is the policy that the scripts of change sets work under.
const changeSetAccess = `bindings:
- {role: editor, users: [alice, bob, carol]}
- {role: viewer, users: [eve]}
- {role: viewer, users: [dan], on: [cluster/free, changeSet/mixed]}
protect:
- {on: [cluster/prod], approvals: 1, by: ["user:bob", "user:alice"], message: ask bob or alice}
tokens:
`

// uidText is the uid of a document of a real server.
var uidText = regexp.MustCompile(`\b[a-z0-9]{26}\b`)

// TestChangeSetScripts replays the scripts of change sets on a real server with authentication. The variable DOVETAIL_SERVER says
// who runs a command.
func TestChangeSetScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/changeset/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			s := parseScript(string(text))
			got := uidText.ReplaceAllString(s.run(t.Context(), t, withUsers(t, "alice", "bob", "carol", "eve", "dan")), "UID")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("the script puts out something else:\n%s", difference(string(text), got))
			}
		})
	}
}

// withUsers starts a server, and connects to it as the user that the server is named by, the first one where it is not.
func withUsers(t *testing.T, names ...string) cli.Deps {
	t.Helper()
	policy := changeSetAccess
	tokens := make(map[string]string)
	for i, name := range names {
		token, digest, err := access.NewToken(strings.NewReader(strings.Repeat(string(rune('a'+i)), 32)))
		if err != nil {
			t.Fatal(err)
		}
		tokens[name] = token
		policy += fmt.Sprintf("- {name: %s, sha256: %x}\n", name, digest)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "access.yaml"), policy)
	config, err := app.Load(map[string]string{"listen": "127.0.0.1:0", "store": "bolt:" + filepath.Join(dir, "dovetail.db"), "log-level": "error",
		"access": filepath.Join(dir, "access.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.Start(t.Context(), config, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return cli.Deps{Connect: func(who string) (cli.Store, error) {
		token, known := tokens[who]
		if !known {
			token = tokens[names[0]]
		}
		c, err := client.New(server.URL(), client.Options{Token: token})
		if err != nil {
			return nil, err
		}
		return app.Online(c), nil
	}}
}
