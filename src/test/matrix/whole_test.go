package matrix

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// command runs the command line.
func command(t *testing.T, arguments ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	deps := app.CommandLine()
	deps.In, deps.Out, deps.Err, deps.Env = strings.NewReader(""), &out, &errs, os.LookupEnv
	deps.Serve, deps.Gateway, deps.Kubeconfig = nil, nil, nil
	if code := cli.Run(t.Context(), deps, arguments); code != 0 {
		t.Errorf("dovetail %s: code %d\n%s%s", strings.Join(arguments, " "), code, out.String(), errs.String())
	}
	return out.String()
}

// whole checks the store of a server, which it stops: it is consistent, and a restored backup of it is the same.
func (w *world) whole(t *testing.T) {
	t.Helper()
	backup := filepath.Join(w.dir, "backup")
	t.Setenv("DOVETAIL_TOKEN", w.tokens["root"])
	command(t, "backup", backup, "--server", w.server.URL())
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	here := []string{"--ref-schemas", filepath.Join(w.dir, "schemas"), "--encryption-key-file", filepath.Join(w.dir, "main.key"), "--store"}
	command(t, append([]string{"fsck"}, append(here, w.store)...)...)
	restored := "bolt:" + filepath.Join(w.dir, "restored.db")
	command(t, append([]string{"restore", backup}, append(here[2:], restored)...)...)
	command(t, append([]string{"fsck"}, append(here, restored)...)...)
	w.filesHaveNoSecret(t, w.dir)
	if one, other := command(t, append([]string{"export", "--cleartext"}, append(here, w.store)...)...), command(t, append([]string{"export", "--cleartext"}, append(here, restored)...)...); one != other {
		t.Errorf("a restored backup has %d bytes, the store %d", len(other), len(one))
	}
}

// keepsSecrets looks for secrets of cells in the files of the store, in the log, in lists of what was done, and in webhooks.
func (w *world) keepsSecrets(t *testing.T) {
	t.Helper()
	for _, path := range []string{"/v2/audit?limit=1000", "/v2/transactions?limit=1000"} {
		hasNoSecret(t, path, w.must(t, "GET", path, nil).text)
	}
	hasNoSecret(t, "the log", w.logs.String())
	hasNoSecret(t, "a webhook", w.webhooks.texts())
	w.filesHaveNoSecret(t, filepath.Dir(strings.TrimPrefix(w.store, "bolt:")))
}

func hasNoSecret(t *testing.T, place, text string) {
	t.Helper()
	if at := strings.Index(text, canary); at >= 0 {
		t.Errorf("%s has a secret: %q", place, text[max(0, at-100):min(len(text), at+60)])
	}
}

func (w *world) filesHaveNoSecret(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		hasNoSecret(t, path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
