package cli_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
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

// commitText is the hash of a commit.
var commitText = regexp.MustCompile(`\b[0-9a-f]{40}\b`)

// positionText is what scripts show of a position.
var positionText = regexp.MustCompile(`POSITION-\d+`)

// proposeFlags attach a Git repository to the server of the script that proposes branches.
func proposeFlags(t *testing.T, script string) map[string]string {
	t.Helper()
	if !strings.HasPrefix(script, "propose") {
		return nil
	}
	remote := gittest.New(t, map[string]string{"environments/parameters/shared.yaml": "name: shared\nparameters:\n  size: 3\napplications: []\n"})
	return map[string]string{"instance-repo": remote.Dir, "instance-repo-clone": filepath.Join(t.TempDir(), "clone.git")}
}

// uidText is the uid of a document of a real server.
var uidText = regexp.MustCompile(`\b[a-z0-9]{26}\b`)

// TestChangeSetScripts replays the scripts of change sets.
func TestChangeSetScripts(t *testing.T) { replayAsUsers(t, "changeset") }

// TestApprovalScripts replays the scripts of approvals of plans.
func TestApprovalScripts(t *testing.T) { replayAsUsers(t, "resolution") }

// replayAsUsers replays the scripts of a folder on a real server with authentication. The variable DOVETAIL_SERVER says who runs a
// command.
func replayAsUsers(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.txt")
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
			flags := proposeFlags(t, filepath.Base(file))
			got := uidText.ReplaceAllString(s.run(t.Context(), t, withUsers(t, flags, "alice", "bob", "carol", "eve", "dan")), "UID")
			if flags != nil { // positions depend on when the repository is polled
				got = positionText.ReplaceAllString(commitText.ReplaceAllString(got, "COMMIT"), "POSITION")
			}
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

// withUsers starts a server, and connects to it with the token of a context or the environment, otherwise as the user that the server
// is named by, the first one where it is not.
func withUsers(t *testing.T, flags map[string]string, names ...string) cli.Deps {
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
	given := map[string]string{"listen": "127.0.0.1:0", "store": "bolt:" + filepath.Join(dir, "dovetail.db"), "log-level": "error",
		"access": filepath.Join(dir, "access.yaml")}
	maps.Copy(given, flags)
	config, err := app.Load(given, nil)
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
	return cli.Deps{Connect: func(who cli.Server) (cli.Store, error) {
		token, known := tokens[who.URL]
		if !known {
			token = tokens[names[0]]
		}
		c, err := client.New(server.URL(), client.Options{Token: cmp.Or(who.Token, token)})
		if err != nil {
			return nil, err
		}
		return app.Online(c), nil
	}}
}
