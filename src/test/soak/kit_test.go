// Package soak_test kills, races and cuts off whole servers and commands: what was answered is kept, and nothing dangles.
//
// Its tests take long, and mean something only in many rounds, so that they run at night, and with few rounds if
// DOVETAIL_TEST_SOAK is "short".
package soak_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/store"
)

func TestMain(m *testing.M) {
	apptest.Main(m, func(ctx context.Context, name string, arguments []string) int {
		return cli.RunAs(ctx, app.Program(), name, arguments)
	})
}

// command runs the program, requires its exit code, and returns its output.
func command(t testing.TB, code int, in string, arguments ...string) string {
	t.Helper()
	cmd := apptest.Command(t, arguments...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("dovetail %s: code %d, want %d\n%s%s", strings.Join(arguments, " "), got, code, out.String(), errs.String())
	}
	return out.String()
}

// requireWhole checks a database that no process has open.
func requireWhole(t testing.TB, location string, more ...string) {
	t.Helper()
	command(t, 0, "", append([]string{"fsck", "--store", location}, more...)...)
}

// requireAgreement checks that a database, which no process has open, has exactly the documents of a remote that is attached to it.
func requireAgreement(t testing.TB, location string, remote *gittest.Remote) {
	t.Helper()
	db, err := app.OpenDatabase(t.Context(), location, "", store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	apptest.RequireOnly(t, db.Store, remote)
}

// twoKinds is a ref-schema of parents and children.
const twoKinds = "resources:\n  - name: project\n  - name: app\n    parent: project\n"

// fourKinds has children and referrers of apps, too.
const fourKinds = twoKinds + "  - name: version\n    parent: app\n  - name: profile\n    parent: project\n    references:\n      - name: app\n"

// schemas writes the files of a ref-schema to a folder.
func schemas(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	return dir
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// awaitFile waits until a process has made a file.
func awaitFile(t testing.TB, path string) {
	t.Helper()
	apptest.Eventually(t, path+" appears", func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

func named(name string) string { return `{"metadata":{"name":"` + name + `"}}` }
