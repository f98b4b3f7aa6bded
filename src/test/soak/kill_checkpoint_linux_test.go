package soak_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestKilledInCheckpoint kills, by SIGKILL, the command that writes a checkpoint, and then the server that sends one, while each is in the
// middle of it: no file is left that looks complete, and a later checkpoint is the store.
func TestKilledInCheckpoint(t *testing.T) {
	rounds.Soak(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	location := "bolt:" + in("store.db")
	all := make([]string, 3000)
	for n := range all {
		all[n] = fmt.Sprintf(`{"kind":"cluster","metadata":{"name":"c%05d"},"spec":{"text":%q}}`, n, strings.Repeat("word ", 1500))
	}
	command(t, 0, "["+strings.Join(all, ",")+"]", "apply", "-f", "-", "--store", location)
	want := command(t, 0, "", "export", "--store", location)
	server := apptest.StartProcess(t, "--store", location)

	// begun starts a command whose file is a pipe, and reads some of what it writes.
	begun := func(name string) (backup *exec.Cmd, pipe *os.File, stderr *strings.Builder) {
		t.Helper()
		if err := syscall.Mkfifo(in(name+".part"), 0o600); err != nil {
			t.Fatal(err)
		}
		backup, stderr = apptest.Command(t, "backup", in(name), "--checkpoint", "--server", server.URL()), new(strings.Builder)
		backup.Stderr = stderr
		if err := backup.Start(); err != nil {
			t.Fatal(err)
		}
		pipe, err := os.Open(in(name + ".part"))
		if err == nil {
			_, err = io.ReadFull(pipe, make([]byte, 100_000))
		}
		if err != nil {
			_ = backup.Wait()
			t.Fatalf("%v: %s", err, stderr)
		}
		return backup, pipe, stderr
	}
	absent := func(name string) {
		t.Helper()
		if _, err := os.Stat(in(name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}

	backup, pipe, _ := begun("killed.db")
	if err := backup.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = backup.Wait()
	pipe.Close()
	absent("killed.db")

	backup, pipe, stderr := begun("orphan.db")
	server.Kill()
	_, _ = io.Copy(io.Discard, pipe)
	pipe.Close()
	if err := backup.Wait(); err == nil || !strings.Contains(stderr.String(), "before its end") {
		t.Errorf("the server was killed: %v, %s", err, stderr)
	}
	absent("orphan.db")

	server.Start(t)
	command(t, 0, "", "backup", in("copy.db"), "--checkpoint", "--server", server.URL())
	file, err := os.ReadFile(in("copy.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("cut.db"), file[:len(file)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := app.OpenDatabase(t.Context(), "bolt:"+in("cut.db"), "", store.Config{}); dovetail.CodeOf(err) != dovetail.CodeCorrupt {
		t.Errorf("a checkpoint that is cut off: %v", err)
	}
	if got := command(t, 0, "", "export", "--store", "bolt:"+in("copy.db")); got != want {
		t.Errorf("the checkpoint has %d bytes of documents, or others, of %d", len(got), len(want))
	}
	requireWhole(t, "bolt:"+in("copy.db"))
}
