package changeset_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// effects are two change sets and direct writers on the same few documents. Each document has a mark from its creation on, which tells it under
// whatever id.
type effects struct {
	t     *rapid.T
	store *store.Store
	sets  *changeset.ChangeSets
	marks int
	names int
	done  []string // change sets that were merged
}

// TestEffects merges, rebases and reverts at random beside writers, who create, change, delete and rename what the change sets do. A merge changes what
// its change set shows, and nothing else; check foretells it; a rebased view is what the merge makes; a document never exists
// twice, and comes back only by a revert.
func TestEffects(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}, "testdata/effects.yaml", "ref-schemas/v1.yaml")
		e := &effects{t: rt, store: s, sets: changeset.New(s, changeset.Options{})}
		for _, id := range []dovetail.ID{"site/a", "site/a/dev/x", "site/b", "own/x"} {
			e.marks++
			op := store.Operation{Verb: store.Create, ID: id, Data: e.spec(fmt.Sprintf(`{"mark":%d,"site":"a"}`, e.marks))}
			if _, err := s.Apply(t.Context(), []store.Operation{op}, store.Options{}); err != nil {
				rt.Fatal(err)
			}
		}
		open := []string{e.open(), e.open()}
		for range rapid.IntRange(4, 25).Draw(rt, "steps") {
			which := rapid.IntRange(0, len(open)-1).Draw(rt, "change set")
			switch do := rapid.SampledFrom([]string{"write", "write", "stage", "stage", "stage", "merge", "rebase", "revert", "revert merge"}).Draw(rt, "do"); do {
			case "write":
				e.write(s)
			case "stage":
				view, err := e.sets.View(t.Context(), open[which], true)
				if err != nil {
					rt.Fatal(err)
				}
				e.write(view.Store)
			case "merge", "rebase":
				if e.merge(open[which], do == "rebase") {
					open[which] = e.open()
				}
			case "revert":
				e.revert()
			case "revert merge":
				if len(e.done) > 0 {
					e.names++
					name := "revert" + strconv.Itoa(e.names)
					if _, err := e.sets.Revert(t.Context(), rapid.SampledFrom(e.done).Draw(rt, "merged"), name, "", store.Options{}); err == nil {
						open = append(open, name)
					}
				}
			}
			e.look()
		}
		for f, err := range s.Check(t.Context(), false) {
			rt.Errorf("%+v, %v", f, err)
		}
	})
}

func (e *effects) open() string {
	e.names++
	name := "set" + strconv.Itoa(e.names)
	if _, err := e.sets.Create(e.t.Context(), name, "", "", store.Options{}); err != nil {
		e.t.Fatal(err)
	}
	return name
}

// write does something to the store or to a view of it. What is refused changes nothing.
func (e *effects) write(to *store.Store) {
	ctx, site := e.t.Context(), rapid.SampledFrom([]string{"a", "b"}).Draw(e.t, "site")
	verb := rapid.SampledFrom([]store.Verb{store.Create, store.Patch, store.Delete, "rename"}).Draw(e.t, "verb")
	var id dovetail.ID
	if have := slices.Sorted(maps.Keys(documentsOf(e.t, to))); verb != store.Create && len(have) > 0 {
		id = rapid.SampledFrom(have).Draw(e.t, "id")
	} else {
		id = rapid.SampledFrom([]dovetail.ID{"site/a", "site/b", "site/c", dovetail.ID("site/" + site + "/dev/x"), "own/x", "own/y", "pin/x"}).Draw(e.t, "new")
	}
	fields := ""
	if kind := id.Key()[0].Name; kind != "site" {
		fields = `,"site":"` + site + `"`
	}
	op := store.Operation{ID: id, Verb: verb}
	switch verb {
	case "rename":
		next := slices.Clone(id.Key())
		next[len(next)-1].Value = rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(e.t, "new name")
		_, _ = to.Rename(ctx, id, next.ID(), store.Options{})
		return
	case store.Create:
		e.marks++
		op.Data = e.spec(fmt.Sprintf(`{"mark":%d%s}`, e.marks, fields))
	case store.Patch:
		op.Data = e.spec(fmt.Sprintf(`{"size":%d%s}`, rapid.IntRange(1, 3).Draw(e.t, "size"), fields))
	case store.Delete:
		op.Cascade = rapid.Bool().Draw(e.t, "cascade")
	}
	_, _ = to.Apply(ctx, []store.Operation{op}, store.Options{})
}

func (e *effects) spec(text string) *value.Value {
	v, err := value.ParseJSON([]byte(`{"spec":`+text+`}`), value.Limits{})
	if err != nil {
		e.t.Fatal(err)
	}
	return v
}

// merge merges a change set, after a rebase where that is asked for, and reports whether it was merged.
func (e *effects) merge(name string, rebase bool) bool {
	ctx := e.t.Context()
	if rebase {
		if _, err := e.sets.Rebase(ctx, name, nil, store.Options{}); err != nil {
			rebase = false
		}
	}
	view, err := e.sets.View(ctx, name, false)
	if err != nil {
		e.t.Fatal(err)
	}
	before, shown := documentsOf(e.t, e.store), map[dovetail.ID]bool{dovetail.ID("changeSet/" + name): true}
	staged, diff := documentsOf(e.t, view.Store), mustDraw(e.t, func() (*api.ChangeSetDiff, error) { return e.sets.Diff(ctx, name) })
	for _, op := range diff.Operations {
		shown[op.ID] = true
	}
	check := mustDraw(e.t, func() (*api.ChangeSetCheck, error) { return e.sets.Check(ctx, name) })
	_, err = e.sets.Merge(ctx, name, store.Options{})
	after := documentsOf(e.t, e.store)
	if err != nil {
		if check.Mergeable || !maps.Equal(before, after) {
			e.t.Fatalf("check says mergeable %v: %v", check.Mergeable, err)
		}
		return false
	}
	if !check.Mergeable {
		e.t.Fatalf("it was merged, against %+v", check)
	}
	last := mustDraw(e.t, func() (store.Cursor, error) { return e.store.Head(ctx) })
	for _, c := range mustDraw(e.t, func() (store.Transaction, error) { return e.store.Transaction(ctx, last) }).Changes {
		if !shown[c.ID] {
			e.t.Fatalf("the merge %s %s, which was not shown", c.Op, c.ID)
		}
	}
	if rebase && !maps.Equal(staged, after) {
		e.t.Fatalf("the view was\n%v\nand the store is\n%v", staged, after)
	}
	e.done = append(e.done, name)
	return true
}

// revert reverts one of the last transactions.
func (e *effects) revert() {
	page := mustDraw(e.t, func() (*store.TransactionPage, error) {
		return e.store.Transactions(e.t.Context(), store.TransactionQuery{Limit: 5})
	})
	_, _ = e.store.Revert(e.t.Context(), rapid.SampledFrom(page.Transactions).Draw(e.t, "transaction").Cursor, store.Options{})
}

// look finds documents that exist twice.
func (e *effects) look() {
	marks := make(map[string]dovetail.ID)
	for id, text := range documentsOf(e.t, e.store) {
		v, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			e.t.Fatal(err)
		}
		mark := string(v.Get("spec").Get("mark").JSON())
		if twice, is := marks[mark]; is {
			e.t.Fatalf("%s and %s are the same document", id, twice)
		}
		marks[mark] = id
	}
}

// documentsOf are the data of the documents of a store or view, without change sets.
func documentsOf(t *rapid.T, s *store.Store) map[dovetail.ID]string {
	all := make(map[dovetail.ID]string)
	for doc, err := range s.Documents(t.Context(), store.ListQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains([]string{changeset.Kind, changeset.KindOperation}, doc.Kind) {
			all[doc.ID] = string(doc.Data)
		}
	}
	return all
}

func mustDraw[T any](t *rapid.T, do func() (T, error)) T {
	v, err := do()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
