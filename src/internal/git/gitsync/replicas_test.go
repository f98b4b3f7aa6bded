package gitsync_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// hooked is a backend that something happens to before a commit.
type hooked struct {
	store.Backend
	before func() error // once; an error is what comes of the commit
}

func (h *hooked) Commit(ctx context.Context, txn store.Txn) error {
	if before := h.before; before != nil {
		h.before = nil
		if err := before(); err != nil {
			return err
		}
	}
	return h.Backend.Commit(ctx, txn)
}

func newHooked(t *testing.T) (*bench, *hooked) {
	t.Helper()
	b := newRemote(t, small)
	h := &hooked{}
	b.openStore(func(backend store.Backend) store.Backend { h.Backend = backend; return h })
	if err := b.attach(gitsync.Options{}); err != nil {
		t.Fatal(err)
	}
	return b, h
}

// another is a second process on the same database, with a clone of its own.
func (b *bench) another() *gitsync.Syncer {
	b.t.Helper()
	repository, err := gitrepo.Open(b.t.Context(), gitrepo.Options{URL: b.Dir, Dir: b.t.TempDir()})
	if err != nil {
		b.t.Fatal(err)
	}
	a, err := gitsync.New(b.t.Context(), b.store, repository, gitsync.Options{URL: b.Dir, Branch: "main"})
	if err != nil {
		b.t.Fatal(err)
	}
	return a
}

// A pushed commit that the store refuses, since another writer bypassed the Git sync, is reverted.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	b, h := newHooked(t)
	op := b.put(own, `{"name":"own","parameters":{"A":"mine"}}`)
	op.IfMatch = []dovetail.ETag{b.get(own).ETag()}
	before := b.show(ownYML)
	h.before = func() error {
		past := b.put(own, `{"name":"own","parameters":{"A":"past"}}`)
		_, err := b.store.Put(t.Context(), past)
		return err
	}
	_, err := b.apply(t.Context(), op)
	wantCode(t, err, dovetail.CodeStale)
	if got := b.git(b.Dir, "log", "--format=%s", "-2", "main"); got != "Revert \"update "+string(own)+"\"\nupdate "+string(own) || b.show(ownYML) != before {
		t.Errorf("the log is\n%s\nthe file\n%s", got, b.show(ownYML))
	}
	if err := b.a.Compare(t.Context()); err != nil { // which repairs what was written past it
		t.Error(err)
	}
	b.agree()
}

// When the database cannot be written after the push, the answer says so, and the store follows later.
func TestBehind(t *testing.T) {
	t.Parallel()
	b, h := newHooked(t)
	h.before = func() error { return dovetail.Errorf(dovetail.CodeUnavailable, "no database") }
	_, err := b.apply(t.Context(), b.put(own, `{"name":"own","parameters":{"A":"late"}}`))
	wantCode(t, err, dovetail.CodeUnknown)
	if err == nil || !strings.Contains(err.Error(), b.Head()) {
		t.Errorf("the error does not name the commit: %v", err)
	}
	version, err := b.a.Version(t.Context(), b.get(own))
	if err != nil || version == b.Head() {
		t.Errorf("what is stored has the version %s of what is not, %v", version, err)
	}
	if err := b.a.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.agree()
}

// When another process brings the commit into the store first, the write is done all the same.
func TestBroughtByAnother(t *testing.T) {
	t.Parallel()
	b, h := newHooked(t)
	other := b.another()
	h.before = func() error { return other.Sync(t.Context()) }
	applied := b.must(b.put(own, `{"name":"own","parameters":{"A":"mine"}}`))
	if o := applied.Result.Outcomes[0]; o.Effect != store.WasUpdated || o.Document.Revision != 2 || applied.Commit != b.Head() {
		t.Errorf("%+v", applied)
	}
	b.agree()
}

// A version speaks of the document as it was read.
func TestVersionOfWhatMovedOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, small)
	read := b.get(own)
	b.must(b.put(own, `{"name":"own","parameters":{"A":"2"}}`))
	_, err := b.a.Version(t.Context(), read)
	wantCode(t, err, dovetail.CodeStale)
	other := b.another()
	head := b.must(b.put("siteParamSet/shared", `{"name":"shared"}`)).Commit
	for id, want := range map[dovetail.ID]string{"siteParamSet/shared": head, "cluster/c1": b.get("cluster/c1").ETag().Version()} {
		if got, err := other.Version(t.Context(), b.get(id)); err != nil || got != want {
			t.Errorf("%s has version %s, want %s: %v", id, got, want, err)
		}
	}
}

// A change that was computed from an older version of the file is refused, though the document is the same.
func TestBase(t *testing.T) {
	t.Parallel()
	b := newBench(t, small)
	base := b.Head()
	apply := func(base string) error {
		_, err := b.a.Apply(t.Context(), []store.Operation{b.put(own, `{"name":"own","parameters":{"A":"`+base+`"}}`)}, store.Options{}, gitsync.Commit{Of: own, Base: base})
		return err
	}
	b.push(map[string]string{ownYML: small[ownYML] + "# only a comment\n"})
	if err := b.a.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantCode(t, apply(base), dovetail.CodeStale)
	if err := apply(b.Head()); err != nil {
		t.Error(err)
	}
	b.agree()
}

// Two processes write at the same time, while another writer pushes. What was answered as done is there.
func TestReplicas(t *testing.T) {
	t.Parallel()
	writes := rounds.Of(4, 12)
	b := newBench(t, small)
	processes := []*gitsync.Syncer{b.a, b.another()}
	var mu sync.Mutex
	done, conflicts := make(map[dovetail.ID]string), 0
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := 0; i < writes; {
				id := dovetail.ID(fmt.Sprintf("siteParamSet/w%d-%d", w, i))
				op := b.put(id, fmt.Sprintf(`{"name":"w%d-%d","parameters":{"N":%d}}`, w, i, i))
				applied, err := processes[w%2].Apply(t.Context(), []store.Operation{op}, store.Options{}, gitsync.Commit{})
				mu.Lock()
				switch dovetail.CodeOf(err) {
				case "":
					done[id] = applied.Commit
					i++
				case dovetail.CodeConflict:
					conflicts++
				default:
					t.Error(err)
					i = writes
				}
				mu.Unlock()
			}
		})
	}
	writers.Wait()
	for id, commit := range done {
		b.get(id)
		b.git(b.Dir, "merge-base", "--is-ancestor", commit, "main")
	}
	if len(done) != 4*writes {
		t.Errorf("%d of %d", len(done), 4*writes)
	}
	t.Logf("%d conflicts", conflicts)
	b.agree()
}
