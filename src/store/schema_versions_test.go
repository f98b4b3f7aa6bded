package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// Every ref-schema that took effect is known afterwards: since when, by whom, and what it changed.
func TestSchemaVersions(t *testing.T) {
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	backend, err := bolt.Open(filepath.Join(memdir.New(t), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	s := openOn(t, backend, compile(t, anyItem), store.Config{Clock: func() time.Time { return now }})
	set := func(ctx context.Context, text string) {
		t.Helper()
		now = now.Add(time.Hour)
		if err := s.SetModel(ctx, compile(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	ada := dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: "ada"})
	set(ada, anyItem+"  - name: other\n")
	set(ada, anyItem+"  - name: other\n") // the same one is no version
	set(t.Context(), anyItem)
	versions, err := s.SchemaVersions(t.Context())
	if err != nil || len(versions) != 3 {
		t.Fatalf("%+v %v", versions, err)
	}
	for i, want := range []struct {
		number    int
		principal string
		changes   int
		hash      string
	}{{3, "", 1, compile(t, anyItem).Hash()}, {2, "ada", 1, compile(t, anyItem+"  - name: other\n").Hash()}, {1, "", 0, compile(t, anyItem).Hash()}} {
		if got := versions[i]; got.Version != want.number || got.Principal != want.principal || len(got.Changes) != want.changes || got.Hash != want.hash {
			t.Errorf("version %d is %+v", want.number, got)
		}
	}
	cases := []struct {
		name   string
		number int
		at     string
		want   int
		code   dovetail.Code
	}{
		{name: "a number", number: 2, want: 2},
		{name: "a time between two", at: "2026-03-01T13:30:00Z", want: 2},
		{name: "the time when it came in force", at: "2026-03-01T15:00:00Z", want: 3},
		{name: "a day", at: "2026-03-02", want: 3},
		{name: "a number that there is not", number: 4, code: dovetail.CodeNotFound},
		{name: "before the first", at: "2026-03-01", code: dovetail.CodeNotFound},
		{name: "no moment", at: "yesterday", code: dovetail.CodeInvalid},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v, err := s.SchemaVersion(t.Context(), c.number, c.at)
			if dovetail.CodeOf(err) != c.code || err == nil && (v.Version != c.want || len(v.Sources) != 1) {
				t.Errorf("%+v %v", v, err)
			}
		})
	}
}
