package instancerepo_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

// TestDirFS follows links inside of the folder, and neither those that lead out nor pipes.
func TestDirFS(t *testing.T) {
	outside, dir := filepath.Join(t.TempDir(), "secret"), t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(outside, []byte("secret"), 0o600))
	must(os.MkdirAll(filepath.Join(dir, "a"), 0o700))
	must(os.WriteFile(filepath.Join(dir, "a", "file"), []byte("text"), 0o600))
	files := instancerepo.DirFS(dir)
	must(fstest.TestFS(files, "a/file"))
	must(os.Symlink("a/file", filepath.Join(dir, "inside")))
	must(os.Symlink(outside, filepath.Join(dir, "out")))
	must(os.Symlink(filepath.Dir(outside), filepath.Join(dir, "outer")))
	must(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	if text, err := fs.ReadFile(files, "inside"); string(text) != "text" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	for _, name := range []string{"out", "outer/secret", "../secret", "pipe"} {
		if text, err := fs.ReadFile(files, name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is read: %q %v", name, text, err)
		}
	}
	repository, err := instancerepo.Open(dir)
	must(err)
	contents, err := instancerepo.Survey(repository.Files(t.Context()))
	must(err)
	var found []string
	for _, d := range contents.Defects {
		if d.Reason == instancerepo.ReasonFileIrregular {
			found = append(found, d.Position.File)
		}
	}
	if got := strings.Join(found, " "); got != "inside out outer pipe" {
		t.Errorf("the survey names %q", got)
	}
}
