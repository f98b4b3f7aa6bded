package gittest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// template is the content of a folder with a remote and a clone, to be written as often as tests need one: that costs
// no process, whereas making it costs three.
type template []entry

type entry struct {
	path string
	mode fs.FileMode
	data []byte
}

var (
	templatesMu sync.Mutex
	templates   = make(map[string]template) // by the date and the files of the first commit
)

// templateOf returns the template whose first commit has some files, and makes it the first time.
func templateOf(t testing.TB, files map[string]string) template {
	t.Helper()
	var key strings.Builder
	key.WriteString(os.Getenv("GIT_AUTHOR_DATE") + "\x00" + os.Getenv("GIT_COMMITTER_DATE") + "\x00")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		key.WriteString(name + "\x00" + files[name] + "\x00")
	}
	templatesMu.Lock()
	defer templatesMu.Unlock()
	made, ok := templates[key.String()]
	if !ok {
		made = newTemplate(t, files)
		templates[key.String()] = made
	}
	return made
}

// newTemplate makes a template: the commit in a clone, as a push would leave it, except that the objects are those of
// the remote.
func newTemplate(t testing.TB, files map[string]string) template {
	t.Helper()
	root := t.TempDir()
	r := &Remote{Dir: filepath.Join(root, "remote.git"), Clone: filepath.Join(root, "clone"), t: t}
	r.run(root, "init", "-q", "--bare", "-b", "main", "--template=", r.Dir)
	within := filepath.Join(r.Clone, ".git")
	fail := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	fail(os.CopyFS(within, os.DirFS(r.Dir)))
	// The remote and the clone take no care to survive a loss of power, and do not clean up.
	fail(appendTo(filepath.Join(r.Dir, "config"), "[http]\n\treceivepack = true\n[core]\n\tfsync = none\n[gc]\n\tauto = 0\n[receive]\n\tautogc = false\n"))
	fail(appendTo(filepath.Join(within, "config"), "[remote \"origin\"]\n\turl = ../remote.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"+
		"[core]\n\tbare = false\n\tfsync = none\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"))
	fail(os.Mkdir(filepath.Join(r.Dir, "hooks"), 0o755))
	hash := r.Commit("first", files) + "\n"
	fail(os.RemoveAll(filepath.Join(r.Dir, "objects")))
	fail(os.Rename(filepath.Join(within, "objects"), filepath.Join(r.Dir, "objects")))
	fail(os.MkdirAll(filepath.Join(within, "objects/info"), 0o755))
	fail(os.WriteFile(filepath.Join(within, "objects/info/alternates"), []byte("../../../remote.git/objects\n"), 0o600))
	fail(os.WriteFile(filepath.Join(r.Dir, "refs/heads/main"), []byte(hash), 0o600))
	fail(os.MkdirAll(filepath.Join(within, "refs/remotes/origin"), 0o755))
	fail(os.WriteFile(filepath.Join(within, "refs/remotes/origin/main"), []byte(hash), 0o600))
	made, err := read(root)
	fail(err)
	return made
}

func appendTo(file, text string) error {
	data, err := os.ReadFile(file) //nolint:gosec // it is the test's own folder
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, text...), 0o600)
}

// read takes a folder into memory.
func read(root string) (template, error) {
	var made template
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := entry{path: strings.TrimPrefix(name, root), mode: info.Mode()}
		if !d.IsDir() {
			if e.data, err = os.ReadFile(name); err != nil { //nolint:gosec // it is the test's own folder
				return err
			}
		}
		made = append(made, e)
		return nil
	})
	return made, err
}

// write writes the folder, which exists and is empty.
func (t template) write(root string) error {
	for _, e := range t {
		name := filepath.Join(root, e.path)
		if e.mode.IsDir() {
			if err := os.Mkdir(name, e.mode.Perm()); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(name, e.data, e.mode.Perm()); err != nil {
			return err
		}
	}
	return nil
}
