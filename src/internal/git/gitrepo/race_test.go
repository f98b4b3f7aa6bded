package gitrepo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
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
		push := func() {
			_, err := gittest.Git(r.clone, "push", "-q", "origin", "main")
			pushed <- err
		}
		change := put(map[string]string{mine: mine})
		switch edit := change.Edit; i % 3 { // either may be the first
		case 0:
			go push()
		case 1:
			change.Edit = func(d *gitrepo.Draft) error {
				go push()
				return edit(d)
			}
		case 2:
			command, reached := r.Mark()
			r.Hook("pre-receive", fmt.Sprintf("[ -e mark ] || { touch mark; %s; }", command)) // at the first push
			go func() {
				reached()
				push()
			}()
		}
		_, err := repository.Change(t.Context(), change)
		switch dovetail.CodeOf(err) {
		case "":
			done[mine] = mine
		case dovetail.CodeConflict:
			refused++
		default:
			t.Fatal(err)
		}
		err = <-pushed
		if i%3 == 2 {
			r.Hook("pre-receive", "")
			if err := os.Remove(filepath.Join(r.dir, "mark")); err != nil {
				t.Fatal(err)
			}
		}
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
	tests := []struct {
		name    string
		accepts bool
		want    string
	}{
		{"the push arrives", true, "2"},
		{"the push is lost", false, "1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRemote(t, map[string]string{"a": "1"})
			dir := t.TempDir()
			begins, begun := r.Mark()
			waits, goOn := r.Gate()
			ends, ended := r.Mark()
			if test.accepts { // then Git moves the branch
				r.Hook("pre-receive", begins+"\n"+waits)
				r.Hook("reference-transaction", fmt.Sprintf("[ \"$1\" != committed ] || %s", ends))
			} else {
				r.Hook("pre-receive", begins+"\n"+waits+"\n"+ends+"\nexit 1")
			}
			child := exec.Command(os.Args[0]) //nolint:gosec // this very test
			child.Env = append(os.Environ(), "GITREPO_TEST_URL="+r.dir, "GITREPO_TEST_DIR="+dir)
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			begun()
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := child.Wait(); !errors.As(err, &exit) || exit.Exited() {
				t.Fatalf("the process ended by itself: %v", err)
			}
			goOn()
			ended()
			r.Hook("pre-receive", "")
			if test.accepts {
				r.Hook("reference-transaction", "")
			}
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
