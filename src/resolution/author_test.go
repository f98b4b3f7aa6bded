package resolution_test

import (
	"context"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestAuthor has bob do something to what ann asks for: the author is ann as long as it is what she asks for.
func TestAuthor(t *testing.T) {
	const (
		required = `{"spec":{"sources":["cat"],"approval":"required"}}`
		changed  = `{"spec":{"sources":["cat"],"approval":"required","timeoutSeconds":5}}`
		free     = `{"spec":{"sources":["cat"]}}`
		id       = dovetail.ID("activeResolution/r")
	)
	put := func(t *testing.T, s *store.Store, who, data string) *dovetail.Document {
		t.Helper()
		doc, err := s.Put(as(t, who), store.Operation{ID: id, Data: parse(t, data)})
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	last := func(t *testing.T, s *store.Store) store.Cursor {
		t.Helper()
		page, err := s.Transactions(t.Context(), store.TransactionQuery{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return page.Transactions[0].Cursor
	}
	check := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	rename := func(from, to dovetail.ID) func(*testing.T, *store.Store, context.Context) {
		return func(t *testing.T, s *store.Store, bob context.Context) {
			_, err := s.Rename(bob, from, to, store.Options{})
			check(t, err)
		}
	}
	tests := []struct {
		name string
		by   func(t *testing.T, s *store.Store, bob context.Context)
		at   dovetail.ID // of the document afterwards; "" for the same
		want string
	}{
		{name: "nothing", by: func(*testing.T, *store.Store, context.Context) {}, want: "ann"},
		{name: "another request", by: func(t *testing.T, s *store.Store, _ context.Context) { put(t, s, "bob", changed) }, want: "bob"},
		{name: "a label", by: func(t *testing.T, s *store.Store, _ context.Context) {
			put(t, s, "bob", `{"metadata":{"labels":{"a":"b"}},`+required[1:])
		}, want: "ann"},
		{name: "no approval", by: func(t *testing.T, s *store.Store, _ context.Context) { put(t, s, "bob", free) }, want: ""},
		{name: "a rename", by: rename(id, "activeResolution/q"), at: "activeResolution/q", want: "ann"},
		{name: "a rename of its source", by: rename("source/cat", "source/other"), want: "ann"},
		{name: "a rollback to her version", by: func(t *testing.T, s *store.Store, bob context.Context) {
			put(t, s, "carol", changed)
			_, err := s.Rollback(bob, id, "", store.Options{})
			check(t, err)
		}, want: "ann"},
		{name: "a revert of another's change", by: func(t *testing.T, s *store.Store, bob context.Context) {
			put(t, s, "carol", changed)
			_, err := s.Revert(bob, last(t, s), store.Options{})
			check(t, err)
		}, want: "ann"},
		{name: "a revert of its deletion", by: func(t *testing.T, s *store.Store, bob context.Context) {
			_, err := s.Delete(as(t, "carol"), store.Operation{ID: id})
			check(t, err)
			_, err = s.Revert(bob, last(t, s), store.Options{})
			check(t, err)
		}, want: "ann"},
		{name: "a merge of what she staged", by: merging("ann", "create", required), want: "ann"},
		{name: "a merge of a change that she staged", by: merging("ann", "put", changed), want: "ann"},
		{name: "a merge of a change that carol staged", by: merging("carol", "put", changed), want: "carol"},
		{name: "a status of a service", by: func(t *testing.T, s *store.Store, bob context.Context) {
			_, err := s.Apply(bob, []store.Operation{{Verb: store.PutStatus, ID: id, Data: parse(t, `{"author":"bob"}`)}}, store.Options{})
			check(t, err)
		}, want: "ann"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{Author: resolution.Authors()}, "ref-schemas/v1.yaml")
			_, err := s.Create(t.Context(), store.Operation{ID: "source/cat", Data: parse(t, `{}`)})
			check(t, err)
			put(t, s, "ann", required)
			tt.by(t, s, as(t, "bob"))
			at := tt.at
			if at == "" {
				at = id
			}
			doc, err := s.Get(t.Context(), at)
			check(t, err)
			if got := state.ReadStatus(doc).Author; got != tt.want {
				t.Errorf("the author is %q, want %q", got, tt.want)
			}
		})
	}
}

// merging has who stage something, and bob merge it.
func merging(who, verb, data string) func(*testing.T, *store.Store, context.Context) {
	const id = dovetail.ID("activeResolution/r")
	return func(t *testing.T, s *store.Store, bob context.Context) {
		if verb == "create" {
			if _, err := s.Delete(bob, store.Operation{ID: id}); err != nil {
				t.Fatal(err)
			}
		}
		var staged []store.Staged
		view, err := s.Overlay(t.Context(), "", nil, func(_ context.Context, changes []store.Staged) error {
			staged = append(staged, changes...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := view.Put(as(t, who), store.Operation{ID: id, Data: parse(t, data)}); err != nil {
			t.Fatal(err)
		}
		operations, conflicts, err := s.MergeOperations(t.Context(), staged, nil)
		if err != nil || len(conflicts) > 0 {
			t.Fatal(err, conflicts)
		}
		if _, err := s.Apply(bob, operations, store.Options{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAuthorOfSet has the author of a set be that of the resolutions that the service keeps of it.
func TestAuthorOfSet(t *testing.T) {
	s := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{Author: resolution.Authors(), Follow: []store.Follow{fleet.Follow}}, "ref-schemas/v1.yaml")
	const set = `{"spec":{"clusters":[{"name":"a"}],"template":{"spec":{"approval":"required"}}}}`
	doc, err := s.Create(as(t, "ann"), store.Operation{ID: "activeResolutionSet/s", Data: parse(t, set)})
	if err != nil {
		t.Fatal(err)
	}
	if got := fleet.ReadStatus(doc).Author; got != "ann" {
		t.Errorf("the author of the set is %q", got)
	}
	member := `{"metadata":{"annotations":{"resolution.dovetail.dev/author":"ann"}},"spec":{"set":"s","approval":"required"}}`
	for who, want := range map[string]string{dovetail.SystemPrefix + resolution.ServiceName: "ann", "bob": "bob"} {
		doc, err := s.Put(as(t, who), store.Operation{ID: dovetail.ID("activeResolution/s-" + want), Data: parse(t, member)})
		if err != nil {
			t.Fatal(err)
		}
		if got := state.ReadStatus(doc).Author; got != want {
			t.Errorf("the author of what %s writes is %q, want %q", who, got, want)
		}
	}
	if _, err := s.Rename(as(t, "bob"), "activeResolutionSet/s", "activeResolutionSet/z", store.Options{}); err != nil {
		t.Fatal(err)
	}
	doc, err = s.Get(t.Context(), "activeResolutionSet/z")
	if err != nil {
		t.Fatal(err)
	}
	if got := fleet.ReadStatus(doc).Author; got != "ann" {
		t.Errorf("the author of the renamed set is %q", got)
	}
}
