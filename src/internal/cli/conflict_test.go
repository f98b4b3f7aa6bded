package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/store"
)

// Of users who edit the same version of a document at the same time, one changes it. The others receive a conflict, and the
// document is what the one wrote.
func TestConcurrentApply(t *testing.T) {
	const users = 8
	for _, way := range []string{"database", "server"} {
		t.Run(way, func(t *testing.T) {
			t.Chdir(t.TempDir())
			deps := newDeps(t, way == "server")
			writeFile(t, "p.yaml", "{kind: project, metadata: {name: p1}, spec: {by: first}}")
			runCommand(t.Context(), t, deps, "dovetail apply -f p.yaml")
			read, _, _ := runCommand(t.Context(), t, deps, "dovetail get project p1 -o yaml")
			codes, errs := make([]int, users), make([]string, users)
			var all sync.WaitGroup
			for i := range users {
				writeFile(t, fmt.Sprintf("%d.yaml", i), strings.Replace(read, "first", fmt.Sprint("user", i), 1))
				all.Go(func() {
					_, errs[i], codes[i] = runCommand(t.Context(), t, deps, fmt.Sprintf("XDG_STATE_HOME=user%d dovetail apply -f %d.yaml", i, i))
				})
			}
			all.Wait()
			stored, _, _ := runCommand(t.Context(), t, deps, "dovetail get project p1 -o yaml")
			won := 0
			for i, code := range codes {
				switch code {
				case cli.ExitOK:
					won++
					if !strings.Contains(stored, fmt.Sprint("user", i)) {
						t.Errorf("user %d won, but stored is\n%s", i, stored)
					}
				case cli.ExitRefused:
					if !strings.Contains(errs[i], "/spec/by\n    base:   \"first\"\n    theirs: ") {
						t.Errorf("user %d gets %s", i, errs[i])
					}
				default:
					t.Errorf("user %d gets %d %s", i, code, errs[i])
				}
			}
			if won != 1 {
				t.Errorf("%d users won", won)
			}
		})
	}
}

// A conflict of a sensitive document says where, but not what: it may end up in the log of a pipeline.
func TestConflictOfSecrets(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "schemas/s.yaml", "resources:\n  - name: login\n    sensitive: true\n")
	db, err := app.OpenDatabase(t.Context(), "bolt:test.db", "schemas", store.Config{Clock: clock(), NewUID: counter()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	deps := cli.Deps{Connect: func(cli.Server) (cli.Store, error) { return kept{app.Offline(db)}, nil }}
	writeFile(t, "old.yaml", "{kind: login, metadata: {name: a}, spec: {password: owl}}")
	runCommand(t.Context(), t, deps, "dovetail apply -f old.yaml")
	read, _, _ := runCommand(t.Context(), t, deps, "dovetail get login a -o yaml")
	writeFile(t, "theirs.yaml", strings.Replace(read, "owl", "crow", 1))
	writeFile(t, "yours.yaml", strings.Replace(read, "owl", "wren", 1))
	if _, errs, code := runCommand(t.Context(), t, deps, "XDG_STATE_HOME=state dovetail apply -f theirs.yaml"); code != 0 {
		t.Fatal(errs)
	}
	for _, command := range []string{"dovetail apply -f yours.yaml", "dovetail apply -f yours.yaml -o json"} {
		_, errs, code := runCommand(t.Context(), t, deps, command)
		if code != cli.ExitRefused || !strings.Contains(errs, "/spec/password") || strings.Contains(errs, "crow") || strings.Contains(errs, "wren") {
			t.Errorf("%s: %d %s", command, code, errs)
		}
	}
	remembered, err := filepath.Glob("state/dovetail/applied/*.json")
	if err != nil || len(remembered) != 1 {
		t.Fatal(remembered, err)
	}
	if text, err := os.ReadFile(remembered[0]); err != nil || strings.Contains(string(text), "crow") {
		t.Error(string(text), err)
	}
}
