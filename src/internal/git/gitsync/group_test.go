package gitsync_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// newGroups attaches a repository of several environments, and counts pushes.
func newGroups(t testing.TB, environments int) (*bench, *atomic.Int64) {
	files := make(map[string]string)
	for i := range environments {
		folder := fmt.Sprintf("environments/c1/e%d/", i)
		files[folder+"Inventory/env_definition.yml"] = "envTemplate:\n  name: t\n  envSpecificParamsets:\n    cloud:\n      - own\n"
		files[folder+"Inventory/parameters/own.yaml"] = "name: own\nparameters: {}\n"
	}
	b := newRemote(t, files)
	b.openStore(nil)
	var pushes atomic.Int64
	repository, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: b.Dir, Dir: b.local, Pushed: func(error) { pushes.Add(1) }})
	if err != nil {
		t.Fatal(err)
	}
	if b.a, err = gitsync.New(t.Context(), b.store, repository, gitsync.Options{URL: b.Dir, Branch: "main"}); err != nil {
		t.Fatal(err)
	}
	return b, &pushes
}

// write is a change of the ParamSet of an environment.
func (b *bench) write(ctx context.Context, environment int, text string, by gitsync.Commit) (*gitsync.Applied, error) {
	id := dovetail.ID(fmt.Sprintf("cluster/c1/environment/e%d/environmentParamSet/own", environment))
	return b.a.Apply(ctx, []store.Operation{b.put(id, `{"name":"own","parameters":{"A":"`+text+`"}}`)}, store.Options{}, by)
}

// TestGroups: writers share pushes, and each has commits of its own, with its name and message, in the order in which it wrote.
func TestGroups(t *testing.T) {
	t.Parallel()
	const writers = 8
	writes := rounds.Of(5, 30)
	b, pushes := newGroups(t, writers)
	b.Hook("pre-receive", "sleep 0.1")
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range writes {
				text := fmt.Sprintf("%d-%d", w, i)
				applied, err := b.write(t.Context(), w, text, gitsync.Commit{Author: fmt.Sprint("writer ", w), Message: "write " + text})
				if err != nil {
					t.Error(err)
					return
				}
				if o := applied.Result.Outcomes[0]; o.Effect != store.WasUpdated || !strings.Contains(string(o.Document.Data), text) {
					t.Errorf("%s: %s %s", text, o.Effect, o.Document.Data)
				}
				if got := b.git(b.Dir, "show", "-s", "--format=%an: %s", applied.Commit); strings.TrimSpace(got) != fmt.Sprintf("writer %d: write %s", w, text) {
					t.Errorf("the commit of %s is by %s", text, got)
				}
			}
		})
	}
	all.Wait()
	next := make(map[string]int)
	for line := range strings.Lines(b.git(b.Dir, "log", "--reverse", "--format=%an", "--author=writer", "main")) {
		next[strings.TrimSpace(line)]++
	}
	for w := range writers {
		if n := next[fmt.Sprint("writer ", w)]; n != writes {
			t.Errorf("writer %d has %d commits, want %d", w, n, writes)
		}
	}
	if n := pushes.Load(); n > writers*int64(writes)/2 {
		t.Errorf("%d commits took %d pushes", writers*writes, n)
	}
	b.agree()
	b.Fsck(b.local)
}

// TestGroupOfOneDocument: changes of one document are not in one group, and none is lost.
func TestGroupOfOneDocument(t *testing.T) {
	t.Parallel()
	b, _ := newGroups(t, 1)
	b.Hook("pre-receive", "sleep 0.1")
	const writers = 6
	var all sync.WaitGroup
	revisions := make([]int64, writers)
	for w := range writers {
		all.Go(func() {
			applied, err := b.write(t.Context(), 0, fmt.Sprint(w), gitsync.Commit{Author: fmt.Sprint("writer ", w)})
			if err != nil {
				t.Error(err)
				return
			}
			revisions[w] = int64(applied.Result.Outcomes[0].Document.Revision)
		})
	}
	all.Wait()
	seen := make(map[int64]bool)
	for _, r := range revisions {
		seen[r] = true
	}
	if len(seen) != writers {
		t.Errorf("the revisions are %v", revisions)
	}
	b.agree()
}

// TestGroupWithRefusals: where the repository refuses a group because of one commit, the others are pushed; what the store refuses is refused;
// and callers that have gone delay no others.
func TestGroupWithRefusals(t *testing.T) {
	t.Parallel()
	b, _ := newGroups(t, 8)
	command, begun := b.Mark()
	waits, goOn := b.Gate()
	b.Hook("pre-receive", fmt.Sprintf("[ -e begun ] || { touch begun; %s; %s; }", command, waits)) // at the first push
	b.Hook("update", `if git log --format=%s "$2..$3" | grep -q forbidden; then exit 1; fi`)
	tests := []struct {
		name   string
		write  func(ctx context.Context, w int) error
		cancel bool
		want   dovetail.Code
	}{
		{name: "taken", write: func(ctx context.Context, w int) error {
			_, err := b.write(ctx, w, "taken", gitsync.Commit{})
			return err
		}},
		{name: "refused by the repository", want: dovetail.CodeForbidden, write: func(ctx context.Context, w int) error {
			_, err := b.write(ctx, w, "forbidden", gitsync.Commit{Message: "forbidden"})
			return err
		}},
		{name: "refused by the store", want: dovetail.CodeMissing, write: func(ctx context.Context, w int) error {
			id := dovetail.ID(fmt.Sprintf("cluster/c1/environment/none-%d/environmentParamSet/own", w))
			_, err := b.apply(ctx, b.put(id, `{"name":"own"}`))
			return err
		}},
		{name: "a dry run", write: func(ctx context.Context, w int) error {
			id := dovetail.ID(fmt.Sprintf("cluster/c1/environment/e%d/environmentParamSet/own", w))
			applied, err := b.a.Apply(ctx, []store.Operation{b.put(id, `{"name":"own","parameters":{"A":"dry"}}`)}, store.Options{DryRun: true}, gitsync.Commit{})
			if err == nil && (applied.Commit != "" || applied.Result.Outcomes[0].Effect != store.WasUpdated) {
				return fmt.Errorf("the dry run is %+v", applied)
			}
			return err
		}},
		{name: "deleted", write: func(ctx context.Context, w int) error {
			id := dovetail.ID(fmt.Sprintf("cluster/c1/environment/e%d", w))
			_, err := b.apply(ctx, store.Operation{Verb: store.Delete, ID: id, Cascade: true})
			return err
		}},
		{name: "gone", cancel: true, want: dovetail.CodeCanceled, write: func(ctx context.Context, w int) error {
			_, err := b.write(ctx, w, "gone", gitsync.Commit{})
			return err
		}},
		{name: "also taken", write: func(ctx context.Context, w int) error {
			_, err := b.write(ctx, w, "also taken", gitsync.Commit{})
			return err
		}},
	}
	var all sync.WaitGroup
	all.Go(func() { // while this one is pushed, the others gather
		if _, err := b.write(t.Context(), 7, "first", gitsync.Commit{}); err != nil {
			t.Error(err)
		}
	})
	begun()
	leave := make(chan struct{})
	for w, tt := range tests {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.cancel {
				go func() {
					<-leave
					cancel()
				}()
			}
			err := tt.write(ctx, w)
			if dovetail.CodeOf(err) != tt.want {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
			}
		})
	}
	queued := len(tests)
	b.a.AwaitQueued(queued)
	close(leave)
	b.a.AwaitQueued(queued - 1)
	goOn()
	all.Wait()
	for w, want := range []string{"taken", "{}", "{}", "{}", "(none)", "", "also taken", "first"} {
		if got := b.show(fmt.Sprintf("environments/c1/e%d/Inventory/parameters/own.yaml", w)); !strings.Contains(got, want) {
			t.Errorf("the file of %d is %s, want %s", w, got, want)
		}
	}
	b.agree()
}

// TestCompareBesideWriters: comparisons of all, which find what was written without Git, and writers do not disturb each other.
func TestCompareBesideWriters(t *testing.T) {
	t.Parallel()
	const writers = 4
	writes := rounds.Of(6, 40)
	b, _ := newGroups(t, writers+1)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range writes {
				if _, err := b.write(t.Context(), w, fmt.Sprint(i), gitsync.Commit{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	stray := dovetail.ID(fmt.Sprintf("cluster/c1/environment/e%d/environmentParamSet/own", writers))
	for i := range writes {
		if _, err := b.store.Apply(t.Context(), []store.Operation{b.put(stray, fmt.Sprintf(`{"name":"own","parameters":{"stray":%d}}`, i))}, store.Options{}); err != nil {
			t.Error(err)
		}
		if err := b.a.Compare(t.Context()); err != nil {
			t.Error(err)
		}
		if data := string(b.get(stray).Data); strings.Contains(data, "stray") {
			t.Errorf("it is still %s", data)
		}
	}
	all.Wait()
	b.agree()
	for w := range writers {
		if got := b.show(fmt.Sprintf("environments/c1/e%d/Inventory/parameters/own.yaml", w)); !strings.Contains(got, fmt.Sprint(writes-1)) {
			t.Errorf("the file of %d is %s", w, got)
		}
	}
}
