package gitrepo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
)

func TestPushConflict(t *testing.T) {
	over(t, map[string]string{"a": "1"}, func(t *testing.T, r remote, url string) {
		dir := t.TempDir()
		repository := openRepository(t, url, dir)
		var foreign string
		change := put(map[string]string{"a": "mine"})
		edit := change.Edit
		change.Edit = func(d *gitrepo.Draft) error {
			foreign = r.Push("foreign", map[string]string{"a": "theirs"})
			return edit(d)
		}
		_, err := repository.Change(t.Context(), change)
		wantCode(t, err, dovetail.CodeConflict)
		file, version, err := repository.Read(t.Context(), "a")
		if err != nil || string(file.Data) != "theirs" || version != foreign || repository.Head() != foreign {
			t.Errorf("%q of %s, head %s: %v", file.Data, version, repository.Head(), err)
		}
		change.Edit = edit
		if _, err := repository.Change(t.Context(), change); err != nil || r.show("a") != "mine" {
			t.Errorf("the second attempt: %v", err)
		}
		r.Fsck(dir)
	})
}

// TestRaceWithPushes lets changes and pushes of another clone meet: what was answered as done is in
// the repository, all of it.
func TestRaceWithPushes(t *testing.T) {
	t.Parallel()
	races := rounds.Of(10, 200)
	r := newRemote(t, map[string]string{"shared": ""})
	dir := t.TempDir()
	repository := openRepository(t, r.dir, dir)
	done, refused := map[string]string{}, 0
	for i := range races {
		if _, err := repository.Pull(t.Context()); err != nil {
			t.Fatal(err)
		}
		theirs, mine := fmt.Sprintf("theirs/%d", i), fmt.Sprintf("mine/%d", i)
		r.Commit(theirs, map[string]string{theirs: theirs})
		pushed := make(chan error, 1)
		go func() {
			time.Sleep(time.Duration(i%10) * 5 * time.Millisecond) // so that either may be the first
			_, err := gittest.Git(r.clone, "push", "-q", "origin", "main")
			pushed <- err
		}()
		_, err := repository.Change(t.Context(), put(map[string]string{mine: mine}))
		switch dovetail.CodeOf(err) {
		case "":
			done[mine] = mine
		case dovetail.CodeConflict:
			refused++
		default:
			t.Fatal(err)
		}
		err = <-pushed
		r.Pull()
		if err != nil {
			runGit(t, r.clone, "push", "-q", "origin", "main")
		}
		done[theirs] = theirs
	}
	if _, err := repository.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := 0
	for file, err := range repository.Files(t.Context(), gitrepo.Part{}) {
		if err != nil {
			t.Fatal(err)
		}
		if file.Path == "shared" {
			continue
		}
		found++
		if done[file.Path] != string(file.Data) {
			t.Errorf("%s holds %q, want %q", file.Path, file.Data, done[file.Path])
		}
	}
	if found != len(done) {
		t.Errorf("there are %d files, %d were answered as done, %d refused", found, len(done), refused)
	}
	t.Logf("%d of %d changes were refused", refused, races)
	r.Fsck(dir)
}

func TestRefusedByARule(t *testing.T) {
	over(t, map[string]string{"a": "1"}, func(t *testing.T, r remote, url string) {
		dir := t.TempDir()
		repository := openRepository(t, url, dir)
		before := repository.Head()
		r.Hook("pre-receive", "exit 1")
		_, err := repository.Change(t.Context(), put(map[string]string{"a": "2"}))
		wantCode(t, err, dovetail.CodeForbidden)
		file, version, err := repository.Read(t.Context(), "a")
		if err != nil || string(file.Data) != "1" || version != before {
			t.Errorf("%q of %s: %v", file.Data, version, err)
		}
		r.Fsck(dir)
	})
}

// TestPushThatIsInDoubt breaks the connection when the remote has taken the commit already.
func TestPushThatIsInDoubt(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	repository := openRepository(t, r.dir, t.TempDir())
	if err := os.WriteFile(filepath.Join(r.dir, "hooks/post-receive"), []byte("#!/bin/sh\nkill -9 $PPID\n"), 0o700); err != nil { //nolint:gosec // Git runs it
		t.Fatal(err)
	}
	hash, err := repository.Change(t.Context(), put(map[string]string{"a": "2"}))
	if err != nil || repository.Head() != hash || runGit(t, r.dir, "rev-parse", "main") != hash {
		t.Errorf("%s, %v", hash, err)
	}
}

func TestCancelledChange(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	repository := openRepository(t, r.dir, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := repository.Change(ctx, put(map[string]string{"a": "2"}))
	wantCode(t, err, dovetail.CodeCanceled)
	if r.show("a") != "1" {
		t.Error("it was changed")
	}
}

// TestMain lets the test run itself as the process that dies.
func TestMain(m *testing.M) {
	if url := os.Getenv("GITREPO_TEST_URL"); url != "" {
		repository, err := gitrepo.Open(context.Background(), options(url, os.Getenv("GITREPO_TEST_DIR")))
		if err == nil {
			_, err = repository.Change(context.Background(), put(map[string]string{"a": "2"}))
		}
		fmt.Println(err)
		os.Exit(1) // it should have been killed
	}
	os.Exit(m.Run())
}

// TestKilledWithinAPush kills the process when the commit is made and the remote has not answered.
// Whatever the remote decides then, a new process agrees with it.
func TestKilledWithinAPush(t *testing.T) {
	tests := []struct{ name, verdict, want string }{
		{"the push arrives", "exit 0", "2"},
		{"the push is lost", "exit 1", "1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRemote(t, map[string]string{"a": "1"})
			dir, marks := t.TempDir(), t.TempDir()
			r.Hook("pre-receive", fmt.Sprintf("touch %[1]s/waits\nwhile [ ! -e %[1]s/go ]; do sleep 0.01; done\ntouch %[1]s/ended; %[2]s", marks, test.verdict))
			child := exec.Command(os.Args[0]) //nolint:gosec // this very test
			child.Env = append(os.Environ(), "GITREPO_TEST_URL="+r.dir, "GITREPO_TEST_DIR="+dir)
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, filepath.Join(marks, "waits"))
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := child.Wait(); !errors.As(err, &exit) || exit.Exited() {
				t.Fatalf("the process ended by itself: %v", err)
			}
			if err := os.WriteFile(filepath.Join(marks, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			await(t, filepath.Join(marks, "ended"))
			for range 12000 { // until Git has done as the hook said
				if r.show("a") == test.want {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			r.Hook("pre-receive", "")
			repository := openRepository(t, r.dir, dir)
			file, version, err := repository.Read(t.Context(), "a")
			if err != nil || string(file.Data) != test.want || version != runGit(t, r.dir, "log", "-1", "--format=%H", "main", "--", "a") {
				t.Errorf("%q of %s: %v", file.Data, version, err)
			}
			if _, err := repository.Change(t.Context(), put(map[string]string{"a": "3"})); err != nil || r.show("a") != "3" {
				t.Errorf("a change afterwards: %v", err)
			}
			r.Fsck(dir)
		})
	}
}

func await(t *testing.T, file string) {
	t.Helper()
	for range 12000 {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s did not appear", file)
}
