package gittest

import (
	"bufio"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// NewLarge makes a remote with many files, which are not written one by one. There is no clone of another user: his commits
// are those of Import.
func NewLarge(t testing.TB, files iter.Seq2[string, string]) *Remote {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on this machine")
	}
	r := &Remote{Dir: filepath.Join(t.TempDir(), "remote.git"), t: t, sound: make(map[string]string)}
	if err := os.Mkdir(r.Dir, 0o750); err != nil {
		t.Fatal(err)
	}
	r.run(r.Dir, "init", "-q", "--bare", "-b", "main")
	r.run(r.Dir, "config", "http.receivepack", "true")
	r.Import("large", files)
	return r
}

// Import commits files upon what the remote has, removing those that are Gone, and returns the hash.
func (r *Remote) Import(message string, files iter.Seq2[string, string]) string {
	r.t.Helper()
	command := exec.Command("git", "fast-import", "--quiet", "--date-format=now")
	command.Dir = r.Dir
	var said strings.Builder
	command.Stderr = &said
	pipe, err := command.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		r.t.Fatal(err)
	}
	w := bufio.NewWriter(pipe)
	fmt.Fprintf(w, "commit refs/heads/main\ncommitter Other <other@example.com> now\ndata %d\n%s\n", len(message), message)
	if _, err := Git(r.Dir, "rev-parse", "--verify", "-q", "main"); err == nil {
		fmt.Fprint(w, "from refs/heads/main^0\n")
	}
	for name, text := range files {
		if text == Gone {
			fmt.Fprintf(w, "D %s\n", name)
			continue
		}
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	_ = w.Flush() // that it could not be written, the program says better
	_ = pipe.Close()
	if err := command.Wait(); err != nil {
		r.t.Fatalf("git fast-import: %v\n%s", err, said.String())
	}
	return r.Head()
}
