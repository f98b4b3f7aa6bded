package gitsync_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	refschemas "github.com/dovetail-store/dovetail/ref-schemas"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// small is an instance repository with one environment.
var small = map[string]string{
	"environments/c1/dev/Inventory/env_definition.yml":  "# dev\nenvTemplate:\n  name: t\n  envSpecificParamsets:\n    core:\n      - own   # ours\n      - shared\n",
	"environments/c1/dev/Inventory/parameters/own.yaml": "# own\nname: own\nparameters:\n  A: \"1\"  # one\n  B: 2\n",
	"environments/c1/dev/Namespaces/core/namespace.yml": "name: dev-core\n",
	"environments/parameters/shared.yml":                "name: shared\nparameters: {S: 1}\n",
	"README.md":                                         "none of our business\n",
}

const (
	env    = dovetail.ID("cluster/c1/environment/dev")
	own    = env + "/environmentParamSet/own"
	ownYML = "environments/c1/dev/Inventory/parameters/own.yaml"
)

// bench is a store attached to a remote.
type bench struct {
	*gittest.Remote
	t     testing.TB
	local string // the clone
	store *store.Store
	a     *gitsync.Syncer

	read       string // the commit that all and files are of
	all, files map[dovetail.ID]string
}

// newBench attaches a repository with some files to an empty store.
func newBench(t testing.TB, files map[string]string) *bench {
	t.Helper()
	b := newRemote(t, files)
	b.openStore(nil)
	if err := b.attach(gitsync.Options{}); err != nil {
		t.Fatal(err)
	}
	return b
}

func newRemote(t testing.TB, files map[string]string) *bench {
	t.Helper()
	return &bench{Remote: gittest.New(t, files), t: t, local: filepath.Join(t.TempDir(), "local.git")}
}

// shipped are the ref-schemas that ship.
var shipped = sync.OnceValues(func() (*schema.Model, error) {
	sources, err := schema.ReadFS(refschemas.FS)
	if err != nil {
		return nil, err
	}
	return schema.Compile(sources)
})

// openStore opens an empty store, on a backend within others where that is given.
func (b *bench) openStore(within func(store.Backend) store.Backend) {
	b.t.Helper()
	opened, err := bolt.Open(filepath.Join(memdir.New(b.t), "store.db"), bolt.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = opened.Close() })
	var backend store.Backend = opened
	if within != nil {
		backend = within(backend)
	}
	model, err := shipped()
	if err != nil {
		b.t.Fatal(err)
	}
	if b.store, err = store.Open(b.t.Context(), backend, model, store.Config{}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) attach(options gitsync.Options) error {
	repository, err := gitrepo.Open(b.t.Context(), gitrepo.Options{URL: b.Dir, Dir: b.local})
	if err != nil {
		return err
	}
	options.URL, options.Branch = b.Dir, "main"
	b.a, err = gitsync.New(b.t.Context(), b.store, repository, options)
	return err
}

// push is a commit of another writer.
func (b *bench) push(files map[string]string) string {
	b.t.Helper()
	return b.Push("foreign", files)
}

// show is a file as the remote has it, "(none)" when it has not.
func (b *bench) show(path string) string {
	text, ok := b.Show(path)
	if !ok {
		return "(none)"
	}
	return text
}

func (b *bench) git(dir string, args ...string) string {
	b.t.Helper()
	out, err := gittest.Git(dir, args...)
	if err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (b *bench) get(id dovetail.ID) *dovetail.Document {
	b.t.Helper()
	doc, err := b.store.Get(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return doc
}

// agree checks that the store says what the remote's files say, that it knows so, and that neither is damaged.
func (b *bench) agree() {
	b.t.Helper()
	status := string(b.get("instanceRepository/attached").Status)
	if !strings.Contains(status, b.Head()) {
		b.t.Errorf("the store follows %s, the head is %s", status, b.Head())
	}
	want, files := b.documents()
	got := make(map[dovetail.ID]string)
	kinds := instancerepo.Kinds()
	for doc, err := range b.store.Export(b.t.Context()) {
		if err != nil {
			b.t.Fatal(err)
		}
		if slices.Contains(kinds, doc.Kind) {
			got[doc.ID] = string(doc.Data)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		text, ok := got[id]
		if !ok && strings.Contains(status, `"missing","file":"`+files[id]) {
			continue // the store cannot hold it, and says so
		}
		if !ok || !equal(b.t, text, want[id]) {
			b.t.Errorf("%s is %s in the store, and in the repository %s", id, text, want[id])
		}
		delete(got, id)
	}
	for id := range got {
		b.t.Errorf("%s is in the store only", id)
	}
	b.Fsck(b.local)
	for finding, err := range b.store.Check(b.t.Context(), false) {
		b.t.Errorf("dovetail fsck: %v, %v", finding, err)
	}
}

// documents are what the remote's files say, and their files. Of one commit they are read once.
func (b *bench) documents() (all, files map[dovetail.ID]string) {
	b.t.Helper()
	if b.read == b.Head() {
		return b.all, b.files
	}
	b.read, b.all, b.files = b.Head(), make(map[dovetail.ID]string), make(map[dovetail.ID]string)
	dir := b.t.TempDir()
	b.Checkout(dir)
	repository, err := instancerepo.Open(dir)
	if err != nil {
		b.t.Fatal(err)
	}
	contents, err := instancerepo.Survey(repository.Files(b.t.Context()))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, d := range contents.Documents() {
		b.all[d.ID], b.files[d.ID] = string(d.Data.JSON()), d.Position.File
	}
	return b.all, b.files
}

// equal compares a document of the store with one of files, which do not say when something was generated.
func equal(t testing.TB, stored, read string) bool {
	v := parse(t, stored)
	v.Get("spec").Delete("generated")
	return value.Equal(v, parse(t, read))
}

func parse(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (b *bench) put(id dovetail.ID, spec string) store.Operation {
	name := id.Key()[len(id.Key())-1].Value
	return store.Operation{Verb: store.Put, ID: id, Data: parse(b.t, fmt.Sprintf(`{"metadata":{"name":%q},"spec":%s}`, name, spec))}
}

// apply does operations through the syncer.
func (b *bench) apply(ctx context.Context, operations ...store.Operation) (*gitsync.Applied, error) {
	return b.a.Apply(ctx, operations, store.Options{}, gitsync.Commit{})
}

func (b *bench) must(operations ...store.Operation) *gitsync.Applied {
	b.t.Helper()
	applied, err := b.apply(b.t.Context(), operations...)
	if err != nil {
		b.t.Fatal(err)
	}
	return applied
}

func wantCode(t testing.TB, err error, want dovetail.Code) {
	t.Helper()
	if dovetail.CodeOf(err) != want {
		t.Errorf("error %v, %q, want %q", err, dovetail.CodeOf(err), want)
	}
}

// sample are the files of the whole sample repository.
func sample(t testing.TB) map[string]string {
	t.Helper()
	root := "../instancerepo/testdata/sample"
	files := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, root+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
