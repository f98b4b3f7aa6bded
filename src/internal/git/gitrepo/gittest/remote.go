package gittest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http/cgi" //nolint:gosec // the tests serve Git's own program on this machine
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Remote is a bare repository with a branch main, and a clone in which another user works.
type Remote struct {
	Dir   string
	Clone string

	t     testing.TB
	sound map[string]string // by folder the state of it that Fsck found sound
}

// New makes one with some files. It skips the test if there is no git.
func New(t testing.TB, files map[string]string) *Remote {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on this machine")
	}
	root := t.TempDir()
	r := &Remote{Dir: filepath.Join(root, "remote.git"), Clone: filepath.Join(root, "clone"), t: t, sound: make(map[string]string)}
	if err := templateOf(t, files).write(root); err != nil {
		t.Fatal(err)
	}
	return r
}

// Gone is the text of a file that is to be removed.
const Gone = "\x00"

// Commit commits files in the other clone, removing those that are Gone, and returns the hash.
func (r *Remote) Commit(message string, files map[string]string) string {
	r.t.Helper()
	for name, text := range files {
		file := filepath.Join(r.Clone, name)
		if text == Gone {
			if err := os.RemoveAll(file); err != nil {
				r.t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	r.run(r.Clone, "add", "-A")
	r.run(r.Clone, "commit", "-q", "--allow-empty", "-m", message)
	return head(r.t, r.Clone, ".git")
}

// Push commits files upon what the remote has, as Commit does, and pushes.
func (r *Remote) Push(message string, files map[string]string) string {
	r.t.Helper()
	r.Pull()
	hash := r.Commit(message, files)
	r.run(r.Clone, "push", "-q", "origin", "main")
	return hash
}

// Pull brings the other clone to what the remote has, with its own commits upon it.
func (r *Remote) Pull() {
	r.t.Helper()
	if r.Head() != head(r.t, r.Clone, ".git") {
		r.run(r.Clone, "pull", "-q", "--rebase", "--autostash", "origin", "main")
	}
}

// Show returns a file as the remote has it, and whether it does.
func (r *Remote) Show(path string) (string, bool) {
	command := exec.Command("git", "show", "main:"+path)
	command.Dir = r.Dir
	out, err := command.Output()
	return string(out), err == nil
}

// Head is the last commit of the remote.
func (r *Remote) Head() string {
	r.t.Helper()
	return head(r.t, r.Dir, "")
}

// head reads the last commit of branch main of a repository from its file, which costs no process, and asks
// Git when there is no such file.
func head(t testing.TB, dir, gitDir string) string {
	t.Helper()
	if data, err := os.ReadFile(filepath.Join(dir, gitDir, "refs/heads/main")); err == nil { //nolint:gosec // it is the test's own folder
		return strings.TrimSpace(string(data))
	}
	return run(t, dir, "rev-parse", "main")
}

// Checkout writes the files of branch main of the remote to a folder, which it makes.
func (r *Remote) Checkout(dir string) {
	r.t.Helper()
	command := exec.Command("git", "archive", "main")
	command.Dir = r.Dir
	archive, err := command.Output()
	if err != nil {
		r.t.Fatal(err)
	}
	for files := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := files.Next()
		if err == io.EOF {
			return
		}
		if err == nil && header.Typeflag == tar.TypeReg {
			err = writeFile(filepath.Join(dir, filepath.FromSlash(header.Name)), files) //nolint:gosec // the test made the archive
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

func writeFile(name string, text io.Reader) error {
	data, err := io.ReadAll(text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

// Fsck lets Git check the remote and other repositories, except those that are as they were when it found them sound.
func (r *Remote) Fsck(others ...string) {
	r.t.Helper()
	for _, dir := range append(others, r.Dir) {
		state, err := stateOf(dir)
		if err != nil {
			r.t.Fatal(err)
		}
		if r.sound[dir] == state {
			continue
		}
		// There is no commit graph and no index of several packs, for which Git would start programs.
		out, err := Git(dir, "-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false", "fsck", "--full", "--strict", "--no-dangling")
		if err != nil || out != "" {
			r.t.Errorf("git fsck of %s: %v\n%s", dir, err, out)
			continue
		}
		r.sound[dir] = state
	}
}

// stateOf tells states of a folder apart by the sizes and times of its files.
func stateOf(dir string) (string, error) {
	var state strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&state, name, info.Size(), info.Mode(), info.ModTime().UnixNano())
		}
		return err
	})
	return state.String(), err
}

// Hook makes Git run a shell script at a moment of each push, as "pre-receive"; "" ends that.
func (r *Remote) Hook(name, script string) {
	r.t.Helper()
	file := filepath.Join(r.Dir, "hooks", name)
	if script == "" {
		if err := os.Remove(file); err != nil {
			r.t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\ncat >/dev/null\n"+script+"\n"), 0o700); err != nil { //nolint:gosec // Git runs it
		r.t.Fatal(err)
	}
}

// Mark returns a command for hooks, and a function that returns once a hook has run it. Each run waits for one call of the function.
func (r *Remote) Mark() (command string, reached func()) {
	r.t.Helper()
	pipe := r.pipe()
	return fmt.Sprintf("echo >'%s'", pipe), func() {
		if _, err := os.ReadFile(pipe); err != nil {
			r.t.Error(err)
		}
	}
}

// Gate returns a command for hooks that waits, and a function that lets one run of it go on.
func (r *Remote) Gate() (command string, open func()) {
	r.t.Helper()
	pipe := r.pipe()
	return fmt.Sprintf("cat <'%s' >/dev/null", pipe), func() {
		if err := os.WriteFile(pipe, nil, 0); err != nil {
			r.t.Error(err)
		}
	}
}

func (r *Remote) pipe() string {
	r.t.Helper()
	pipe := filepath.Join(r.t.TempDir(), "pipe")
	if text, err := exec.Command("mkfifo", "-m", "600", pipe).CombinedOutput(); err != nil {
		r.t.Fatalf("%v: %s", err, text)
	}
	return pipe
}

// Serve puts the remote behind HTTP and returns its URL. It skips the test where Git cannot do that.
func (r *Remote) Serve() string {
	r.t.Helper()
	path, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		r.t.Fatal(err)
	}
	backend := filepath.Join(strings.TrimSpace(string(path)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		r.t.Skip("there is no git-http-backend on this machine")
	}
	server := httptest.NewServer(&cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(r.Dir), "GIT_HTTP_EXPORT_ALL=1"}})
	r.t.Cleanup(server.Close)
	return server.URL + "/" + filepath.Base(r.Dir)
}

func (r *Remote) run(dir string, args ...string) string {
	r.t.Helper()
	return run(r.t, dir, args...)
}

func run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := Git(dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

// Git runs git in a folder, as an author called Other, and returns its output.
func Git(dir string, args ...string) (string, error) {
	command := exec.Command("git", args...) //nolint:gosec // the tests say what
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=gc.auto", "GIT_CONFIG_VALUE_0=0", // which would go on when the test has ended
		"GIT_AUTHOR_NAME=Other", "GIT_AUTHOR_EMAIL=other@example.com", "GIT_COMMITTER_NAME=Other", "GIT_COMMITTER_EMAIL=other@example.com")
	out, err := command.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
