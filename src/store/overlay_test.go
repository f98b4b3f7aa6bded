package store_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
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
			"model/random-transactions": "it follows the feed of changes",
		},
		Open: func(t *testing.T) store.Backend {
			inner, err := bolt.Open(filepath.Join(t.TempDir(), "test.db"), bolt.Options{})
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
	stored, err := s.Get(t.Context(), "project/q")
	if err != nil {
		t.Fatal(err)
	}
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
