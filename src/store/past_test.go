package store_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

func head(t testing.TB, s *store.Store) store.Cursor {
	t.Helper()
	position, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return position
}

func at(t testing.TB, s *store.Store, position store.Cursor) *store.Store {
	t.Helper()
	then, err := s.At(t.Context(), position)
	if err != nil {
		t.Fatal(err)
	}
	return then
}

// TestAt reads a store of the past in every way.
func TestAt(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p", "create project/p/app/a", `create project/p/profile/f {"spec":{"app":"a"}}`)
	position, before := head(t, s), dump(t, s)
	apply(t, s, "delete project/p/profile/f")
	apply(t, s, "delete project/p/app/a", "create project/q", `put project/p {"spec":{"n":2}}`)

	then := at(t, s, position)
	if then.Position() != position || s.Position() != "" {
		t.Errorf("the positions are %q and %q", then.Position(), s.Position())
	}
	if got := dump(t, then); !slices.Equal(got, before) {
		t.Errorf("there was\n%v, want\n%v", got, before)
	}
	if doc, err := then.Get(t.Context(), "project/p"); err != nil || doc.Revision != 1 {
		t.Errorf("Get: %v, %v", doc, err)
	}
	if _, err := then.Get(t.Context(), "project/q"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("Get of what came later: %v", err)
	}
	if referrers, err := then.Referrers(t.Context(), "project/p/app/a", "", 0); err != nil || len(referrers) != 1 {
		t.Errorf("Referrers: %v, %v", referrers, err)
	}
	if tree, err := then.Tree(t.Context(), "project/p", 3, 10); err != nil || len(tree.Children) != 2 {
		t.Errorf("Tree: %+v, %v", tree, err)
	}
	if page, err := then.List(t.Context(), store.ListQuery{Kind: "app"}); err != nil || len(page.Documents) != 1 || page.Position != position {
		t.Errorf("List: %+v, %v", page, err)
	}
	if _, err := then.Apply(t.Context(), ops(t, "create project/r"), store.Options{}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("Apply: %v", err)
	}
	for _, err := range then.Watch(t.Context(), position, store.WatchQuery{}) {
		if dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("Watch: %v", err)
		}
	}
	if again := at(t, then, position); again != then {
		t.Error("the past of the same position is another one")
	}
	if _, err := then.At(t.Context(), head(t, s)); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("the future of the past: %v", err)
	}
}

// TestPagesOfOnePosition reads a list page by page while others write: it is that of the moment of its first page.
func TestPagesOfOnePosition(t *testing.T) {
	s := open(t, testSchema)
	for n := range 5 {
		apply(t, s, fmt.Sprintf("create project/p%d", n))
	}
	var got []string
	q := store.ListQuery{Kind: "project", Limit: 2}
	for n := 0; ; n++ {
		page, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range page.Documents {
			got = append(got, fmt.Sprint(doc.ID, " ", doc.Revision))
		}
		if page.Next == "" {
			break
		}
		q.After, q.Position = page.Next, page.Position
		apply(t, s, fmt.Sprintf("create project/p%d-late", 4-n), fmt.Sprintf(`put project/p%d {"spec":{"n":%d}}`, 4-n, n))
	}
	if want := []string{"project/p0 1", "project/p1 1", "project/p2 1", "project/p3 1", "project/p4 1"}; !slices.Equal(got, want) {
		t.Errorf("the pages have %v, want %v", got, want)
	}
}

func TestPositionOf(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p")
	first := get(t, s, "project/p")
	position := head(t, s)
	apply(t, s, `put project/p {"spec":{"n":2}}`)
	for _, text := range []string{string(position), first.ETag().Version(), first.ETag().String()} {
		if got, err := s.PositionOf(t.Context(), text, "project/p"); err != nil || got != position {
			t.Errorf("%s means %s, %v, want %s", text, got, err, position)
		}
	}
	if got, err := s.PositionOf(t.Context(), time.Now().Add(time.Hour).Format(time.RFC3339), ""); err != nil || got != head(t, s) {
		t.Errorf("in an hour means %s, %v", got, err)
	}
	for _, text := range []string{"yesterday", "2026-02-30", "unknown-7", "a\nb"} {
		_, err := s.PositionOf(t.Context(), text, "")
		if want := strconv.Quote(text) + " is neither a time nor a position of this store"; dovetail.CodeOf(err) != dovetail.CodeInvalid || dovetail.AsError(err).Message != want {
			t.Errorf("of no document %q means %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"yesterday", "", "unknown-7"} {
		if got, err := s.PositionOf(t.Context(), text, "project/p"); text != "" && dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%q means %s, %v", text, got, err)
		}
	}
}

// TestPastNeedsRights reads the past under the rights of now.
func TestPastNeedsRights(t *testing.T) {
	s := guarded(t, "read project/q")
	position := head(t, s)
	if _, err := s.Apply(as(t, "root"), ops(t, "delete project/q/app/a", `put project/p/app/b {"spec":{"secret":1}}`), store.Options{Message: "about b"}); err != nil {
		t.Fatal(err)
	}
	then, err := s.At(as(t, "ann"), position)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := then.Get(as(t, "ann"), "project/p/app/b"); dovetail.CodeOf(err) != dovetail.CodeForbidden {
		t.Errorf("Get: %v", err)
	}
	if doc, err := then.Get(as(t, "ann"), "project/q/app/a"); err != nil || doc == nil {
		t.Errorf("Get of what may be read: %v", err)
	}
	page, err := then.List(as(t, "ann"), store.ListQuery{Kind: "app"})
	if err != nil || len(page.Documents) != 1 {
		t.Errorf("List: %+v, %v", page, err)
	}
	for _, err := range s.History(as(t, "ann"), "project/p/app/b") {
		if dovetail.CodeOf(err) != dovetail.CodeForbidden {
			t.Errorf("History: %v", err)
		}
	}
	transactions, err := s.Transactions(as(t, "ann"), store.TransactionQuery{})
	if err != nil || len(transactions.Transactions) != 2 {
		t.Fatalf("Transactions: %+v, %v", transactions, err)
	}
	if set := transactions.Transactions[0]; len(set.Changes) != 1 || set.Changes[0].ID != "project/q/app/a" || set.Message != "" || set.Principal != "root" {
		t.Errorf("of a transaction of which a part may be read is shown %+v", set)
	}
	for version, err := range s.History(as(t, "ann"), "project/q/app/a") {
		if err != nil || version.Message != "" {
			t.Errorf("version %+v, %v", version, err)
		}
	}
	_, err = s.Revert(as(t, "ann"), transactions.Transactions[0].Cursor, store.Options{})
	if dovetail.CodeOf(err) != dovetail.CodeForbidden {
		t.Errorf("Revert of what may be read in part: %v", err)
	}
}
