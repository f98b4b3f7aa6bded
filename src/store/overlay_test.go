package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

// staging keeps what an overlay stages, the latest of each document, as a change set does.
type staging map[dovetail.ID]store.Staged

func (s staging) add(_ context.Context, changes []store.Staged) error {
	for _, c := range changes {
		if s[c.ID] = c; c.Base == nil && c.Document == nil {
			delete(s, c.ID)
		}
	}
	return nil
}

func (s staging) list() (all []store.Staged) {
	for _, c := range s {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b store.Staged) int { return slices.Compare([]byte(a.ID), []byte(b.ID)) })
	return all
}

// overlayOf returns a view of now that stages into staged.
func overlayOf(t testing.TB, s *store.Store, staged staging) *store.Store {
	t.Helper()
	return overlayAt(t, s, "", staged)
}

func overlayAt(t testing.TB, s *store.Store, position store.Cursor, staged staging) *store.Store {
	t.Helper()
	view, err := s.Overlay(t.Context(), position, staged.list(), staged.add)
	if err != nil {
		t.Fatal(err)
	}
	return view
}

// TestOverlayConformance runs what the suite says of documents and transactions on a view: everything but what is about
// the feed of changes and about the history, which a view does not have.
func TestOverlayConformance(t *testing.T) {
	storetest.Run(t, storetest.Config{
		Subjects: []string{"read", "list", "referrers", "conditions", "write", "integrity", "model", "concurrency", "races", "history"},
		Exclude: map[string]string{
			"read/cancelled":            "Head and Check of a view read nothing that could take long",
			"model/random-transactions": "it follows the feed of changes; TestOverlayLikeStore does the rest",
		},
		Open: func(t *testing.T) store.Backend {
			inner, err := bolt.Open(filepath.Join(memdir.New(t), "test.db"), bolt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { inner.Close() })
			view, err := store.On(inner).Overlay(t.Context(), "", nil, func(context.Context, []store.Staged) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			return view.Backend()
		},
	})
}

// TestOverlay stages operations one after the other: each sees those before, and the store sees none.
func TestOverlay(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p", "create project/p/app/a", "create project/q")
	before, staged := dump(t, s), staging{}
	view := overlayOf(t, s, staged)
	apply(t, view, "create project/p/app/b", `create project/p/profile/f {"spec":{"app":"b"}}`)
	apply(t, view, "delete project/p/app/a", `put project/q {"spec":{"n":2}}`)
	for _, refused := range []struct {
		op   string
		code dovetail.Code
	}{
		{"delete project/p/app/b", dovetail.CodeInUse},
		{"create project/p/app/b", dovetail.CodeExists},
		{"delete project/p/app/a", dovetail.CodeNotFound},
		{`create project/p/profile/g {"spec":{"app":"a"}}`, dovetail.CodeMissing},
	} {
		if _, err := view.Apply(t.Context(), ops(t, refused.op), store.Options{}); dovetail.CodeOf(err) != refused.code {
			t.Errorf("%s: %v, want %s", refused.op, err, refused.code)
		}
	}
	if got := dump(t, s); !slices.Equal(got, before) {
		t.Errorf("the store has\n%v, want\n%v", got, before)
	}
	if referrers, err := view.Referrers(t.Context(), "project/p/app/b", "", 0); err != nil || !slices.Equal(referrers, []dovetail.ID{"project/p/profile/f"}) {
		t.Errorf("Referrers: %v, %v", referrers, err)
	}
	if got, want := dump(t, overlayOf(t, s, staged)), dump(t, view); !slices.Equal(got, want) {
		t.Errorf("what was staged reads\n%v, want\n%v", got, want)
	}
	stored := get(t, s, "project/q")
	shown, err := view.Get(t.Context(), "project/q")
	if err != nil || shown.UID == stored.UID || shown.UID == "" {
		t.Errorf("the staged version is %v, %v, beside %v", shown.ETag(), err, stored.ETag())
	}
	result, err := view.Apply(t.Context(), ops(t, `put project/q {"spec":{"n":3}}`), store.Options{})
	if err != nil || result.Outcomes[0].Document.UID != shown.UID || result.Outcomes[0].Document.Revision != shown.Revision+1 {
		t.Errorf("staged again: %+v, %v", result, err)
	}
	if one := staged["project/q"]; one.Base.ETag() != stored.ETag() || one.Document.Revision != shown.Revision+1 {
		t.Errorf("staged is %+v", one)
	}
	if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: "project/q", IfMatch: []dovetail.ETag{shown.ETag()}}}, store.Options{}); dovetail.CodeOf(err) != dovetail.CodeStale {
		t.Errorf("a version of the view in the store: %v", err)
	}
	apply(t, view, "cascade-delete project/p")
	if _, kept := staged["project/p/app/b"]; kept || staged["project/p/app/a"].Base == nil {
		t.Errorf("after the deletion of everything staged is %v", staged)
	}
	readOnly, err := s.Overlay(t.Context(), "", staged.list(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readOnly.Apply(t.Context(), ops(t, "create project/r"), store.Options{}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a view without staging: %v", err)
	}
	if _, err := view.Overlay(t.Context(), "", nil, nil); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a view of a view: %v", err)
	}
}

// TestOverlayLikeStore: random transactions in a view and the same ones in a store of its own end in the same way, and every
// read of the one is that of the other, versions and times aside. Now and then the view is opened again from what was staged.
func TestOverlayLikeStore(t *testing.T) {
	rounds.Checks(t, 30, 100)
	rapid.Check(t, func(rt *rapid.T) {
		s, like, staged := openOnce(t, rt, testSchema), openOnce(t, rt, testSchema), staging{}
		drawTransactions(t, rt, 6, s, like)
		before, position := statesOf(t, s), head(t, s)
		if rapid.Bool().Draw(rt, "the store moves on") {
			drawTransactions(t, rt, 3, s)
			before = statesOf(t, s)
		}
		view := overlayAt(t, s, position, staged)
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			drawTransactions(t, rt, 2, like, view)
			compareReads(t, rt, view, like)
			if rapid.Bool().Draw(rt, "again") {
				view = overlayAt(t, s, position, staged)
				compareReads(t, rt, view, like)
			}
		}
		if got := statesOf(t, s); !slices.Equal(got, before) {
			rt.Fatalf("the store has\n%q, want\n%q", got, before)
		}
		for id, one := range staged {
			for v, err := range s.History(t.Context(), id) {
				if err == nil && one.Document != nil && v.UID == one.Document.UID {
					rt.Fatalf("the staged version %s of %s has the uid of a stored one", one.Document.ETag(), id)
				}
			}
		}
	})
}

// compareReads fails unless every read of two stores answers the same.
func compareReads(t *testing.T, rt *rapid.T, got, want *store.Store) {
	rt.Helper()
	ctx := t.Context()
	ids := []dovetail.ID{"project/none"}
	for _, project := range []dovetail.ID{"project/a", "project/b"} {
		ids = append(ids, project)
		for _, name := range []string{"a", "b"} {
			app := project.Child("app", name)
			ids = append(ids, app, app.Child("version", "a"), app.Child("version", "b"))
			for _, kind := range []string{"profile", "link", "hook"} {
				ids = append(ids, project.Child(kind, name))
			}
		}
	}
	same := func(what string, read func(*store.Store) (any, error)) {
		rt.Helper()
		a, errA := read(got)
		b, errB := read(want)
		if fmt.Sprint(a) != fmt.Sprint(b) || dovetail.CodeOf(errA) != dovetail.CodeOf(errB) {
			rt.Fatalf("%s: the view says\n%v, %v; want\n%v, %v", what, a, errA, b, errB)
		}
	}
	shown := func(doc *dovetail.Document) string {
		if doc == nil {
			return "none"
		}
		return fmt.Sprint(stateOf(doc), doc.Kind, doc.References, doc.Inputs)
	}
	all := func(documents []*dovetail.Document) (lines []string) {
		for _, doc := range documents {
			lines = append(lines, shown(doc))
		}
		return lines
	}
	same("GetAll", func(s *store.Store) (any, error) {
		documents, err := s.GetAll(ctx, ids)
		return all(documents), err
	})
	for _, id := range ids {
		same("Get of "+string(id), func(s *store.Store) (any, error) {
			doc, err := s.Get(ctx, id)
			return shown(doc), err
		})
	}
	limit := rapid.IntRange(0, 4).Draw(rt, "limit")
	after := rapid.SampledFrom(ids).Draw(rt, "after")
	for _, id := range []dovetail.ID{"project/a/app/a", "project/a/app/b", "project/b/link/a"} {
		same("Referrers of "+string(id), func(s *store.Store) (any, error) { return s.Referrers(ctx, id, after, limit) })
		same("all Referrers of "+string(id), func(s *store.Store) (any, error) { return s.Referrers(ctx, id, "", 0) })
	}
	for _, q := range []store.Query{{}, {After: after, Limit: limit}, {Under: "project/a", Limit: limit}, {Kind: "app", After: after, Limit: limit}, {Under: "project/b", Kind: "link"},
		{Limit: limit, Keep: func(id dovetail.ID) bool { return id.IsDescendantOf("project/b") }}} {
		same(fmt.Sprintf("List of %+v", q), func(s *store.Store) (any, error) {
			var documents []*dovetail.Document
			for doc, err := range s.Backend().List(ctx, q) {
				if err != nil {
					return nil, err
				}
				if !store.IsInternal(doc.ID) && (q.Keep == nil || q.Keep(doc.ID)) {
					documents = append(documents, doc)
				}
			}
			return all(documents), nil
		})
	}
	same("Tree", func(s *store.Store) (any, error) {
		tree, err := s.Tree(ctx, "", 3, 2)
		return outline(tree), err
	})
	for f, err := range got.Check(ctx, false) {
		rt.Fatalf("fsck of the view: %v %v", f, err)
	}
}

// outline is a tree without versions.
func outline(node *store.Node) string {
	text := fmt.Sprintf("%s %v [", node.ID, node.More)
	for _, child := range node.Children {
		text += outline(child)
	}
	return text + "]"
}

// TestOverlayRecords: what the store notes about a transaction of a view goes to the database, and says that nothing is done yet.
func TestOverlayRecords(t *testing.T) {
	s, reported := audited(t)
	root, staged := as(t, "root"), staging{}
	stage := func() (*store.Result, error) {
		view, err := s.Overlay(root, "", staged.list(), staged.add)
		if err != nil {
			t.Fatal(err)
		}
		return view.Apply(root, ops(t, "create project/p"), store.Options{Key: "k"})
	}
	first, err := stage()
	if err != nil || first.Repeated || len(staged) != 1 {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, err := stage(); err != nil || !again.Repeated || again.Outcomes[0].Document.ETag() != first.Outcomes[0].Document.ETag() {
		t.Errorf("the request again: %+v, %v", again, err)
	}
	if _, err := s.Apply(root, ops(t, "create project/p"), store.Options{Key: "k"}); dovetail.CodeOf(err) != dovetail.CodeUnprocessable {
		t.Errorf("the same key for the store itself: %v", err)
	}
	want := "root, dry run, created project/p >1"
	if lines, _ := records(t, s, store.AuditQuery{}); !slices.Equal(lines, []string{want}) || len(*reported) != 1 || line((*reported)[0]) != want {
		t.Errorf("kept is %q, reported %d, want %s", lines, len(*reported), want)
	}
}

// TestOverlayRefusals: where staging fails, the view stays as it was, and what is refused is never staged.
func TestOverlayRefusals(t *testing.T) {
	s := guarded(t, "read", "update project/p")
	refusal := &dovetail.Error{Code: dovetail.CodeStale, Key: "changeSet/c", Message: "it was edited by another user"}
	asked := 0
	view, err := s.Overlay(t.Context(), "", nil, func(context.Context, []store.Staged) error { asked++; return refusal })
	if err != nil {
		t.Fatal(err)
	}
	ann := as(t, "ann")
	for _, tt := range []struct {
		name, op string
		dryRun   bool
		code     dovetail.Code
		asked    int
	}{
		{"no right", "delete project/p/app/a", false, dovetail.CodeForbidden, 0},
		{"wrong data", `put project/p/hook/h {"spec":{"app":"none"}}`, false, dovetail.CodeMissing, 0},
		{"a dry run", `put project/p {"spec":{"n":1}}`, true, "", 0},
		{"nothing new", "put project/p", false, "", 0},
		{"not staged", `put project/p {"spec":{"n":1}}`, false, dovetail.CodeStale, 1},
	} {
		asked = 0
		if _, err := view.Apply(ann, ops(t, tt.op), store.Options{DryRun: tt.dryRun}); dovetail.CodeOf(err) != tt.code || asked != tt.asked || asked > 0 && !errors.Is(err, refusal) {
			t.Errorf("%s: %v, want %q; staging was asked %d times", tt.name, err, tt.code, asked)
		}
	}
	if doc, err := view.Get(ann, "project/p"); err != nil || string(doc.Data) != "{}" {
		t.Errorf("the view has %+v, %v", doc, err)
	}
}
