package embedded_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/embedded"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

func mustOpen(t *testing.T, options embedded.Options) *embedded.Store {
	t.Helper()
	s, err := embedded.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func mustApply(t *testing.T, s *embedded.Store, operations ...store.Operation) {
	t.Helper()
	if _, err := s.Apply(t.Context(), operations...); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name    string
		options embedded.Options
		want    dovetail.Code
		says    string
	}{
		{name: "a file and a backend", options: embedded.Options{Path: "x.db", Backend: &closing{}}, want: dovetail.CodeInvalid, says: "Path and a Backend"},
		{name: "two schemas", options: embedded.Options{Schema: catalog, SchemaFS: fstest.MapFS{}}, want: dovetail.CodeInvalid, says: "Schema and a SchemaFS"},
		{name: "an invalid schema", options: embedded.Options{Schema: "resources:\n  - name: a\n    parent: b\n"}, want: dovetail.CodeSchema, says: "schema.yaml:3"},
		{name: "a directory without a schema", options: embedded.Options{SchemaFS: fstest.MapFS{}}, want: dovetail.CodeSchema, says: "no file"},
		{name: "a directory in place of the file", options: embedded.Options{Path: t.TempDir()}, want: dovetail.CodeInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := embedded.Open(t.Context(), test.options)
			if s != nil || dovetail.CodeOf(err) != test.want || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, %v", s, err)
			}
		})
	}
}

// closing is a backend that remembers that it was closed.
type closing struct {
	store.Backend
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return c.Backend.Close()
}

func openBolt(t *testing.T, path string) *closing {
	t.Helper()
	backend, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &closing{Backend: backend}
}

func TestBackendOfOnesOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.db")
	backend := openBolt(t, path)
	s, err := embedded.Open(t.Context(), embedded.Options{Backend: backend, Schema: catalog})
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, s, embedded.Create("team/core", struct{}{}))
	if err := s.Close(); err != nil || !backend.closed {
		t.Errorf("closed %t, %v", backend.closed, err)
	}

	backend = openBolt(t, path)
	if _, err := embedded.Open(t.Context(), embedded.Options{Backend: backend, Schema: "resources: [{name: other}]"}); dovetail.CodeOf(err) != dovetail.CodeSchema {
		t.Errorf("a schema without the kind of a stored document: %v", err)
	}
	if !backend.closed {
		t.Error("the backend of a store that did not open is still open")
	}
}

func TestTemporaryStoreIsRemoved(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	left := func() []os.DirEntry {
		entries, err := os.ReadDir(temporary)
		if err != nil {
			t.Fatal(err)
		}
		return entries
	}
	s, err := embedded.Open(t.Context(), embedded.Options{Schema: catalog})
	if err != nil || len(left()) != 1 {
		t.Fatalf("%v, with %v", err, left())
	}
	if err := s.Close(); err != nil || len(left()) != 0 {
		t.Errorf("%v, left are %v", err, left())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := embedded.Open(ended, embedded.Options{Schema: catalog}); dovetail.CodeOf(err) != dovetail.CodeCanceled || len(left()) != 0 {
		t.Errorf("%v, left are %v", err, left())
	}
}

// Without a schema a database keeps its own, and a new one has the kinds that ship.
func TestSchemaOfTheDatabase(t *testing.T) {
	kinds := func(s *embedded.Store) []string {
		var names []string
		for _, kind := range s.Engine().Model().Kinds() {
			names = append(names, kind.Name)
		}
		return names
	}
	path := filepath.Join(t.TempDir(), "catalog.db")
	for _, schema := range []string{catalog, "", catalog + "  - name: region\n", ""} {
		s, err := embedded.Open(t.Context(), embedded.Options{Path: path, Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		got := kinds(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(got, "team") || slices.Contains(got, "solutionDescriptor") || schema != "" && slices.Contains(got, "region") != strings.Contains(schema, "region") {
			t.Errorf("under %q the kinds are %v", schema, got)
		}
	}
	if got := kinds(mustOpen(t, embedded.Options{})); !slices.Contains(got, "solutionDescriptor") {
		t.Errorf("the kinds that ship are %v", got)
	}
}

func TestDataOfOperations(t *testing.T) {
	parsed, err := value.ParseJSON([]byte(`{"a":1.50}`), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		data any
		want string // JSON; "" for a refusal
	}{
		{name: "a struct", data: Service{Spec: ServiceSpec{Team: "core", Port: 1}}, want: `{"metadata":{},"spec":{"team":"core","port":1}}`},
		{name: "a map", data: map[string]any{"b": []int{1}, "a": "<&>"}, want: `{"a":"<&>","b":[1]}`},
		{name: "JSON, whose numbers and order stay", data: json.RawMessage(`{ "z": 1.50, "a": 12345678901234567890 }`), want: `{"z":1.50,"a":12345678901234567890}`},
		{name: "a value", data: parsed, want: `{"a":1.50}`},
		{name: "nothing", data: nil},
		{name: "a list", data: []string{"a"}},
		{name: "text that is not JSON", data: json.RawMessage(`{"a":`)},
		{name: "a number that JSON does not have", data: map[string]any{"a": math.NaN()}},
		{name: "a function", data: func() {}},
	}
	s := mustOpen(t, embedded.Options{Schema: catalog})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result, err := s.DryRun(t.Context(), embedded.Put("team/core", struct{}{}), embedded.Put("service/a", test.data))
			switch {
			case test.want == "":
				if e := dovetail.AsError(err); e == nil || e.Code != dovetail.CodeInvalid || e.Key != "service/a" || e.Index != 2 {
					t.Errorf("got %+v", e)
				}
			case err != nil:
				t.Error(err)
			case string(result.Outcomes[1].Document.Data) != test.want:
				t.Errorf("got %s, want %s", result.Outcomes[1].Document.Data, test.want)
			}
		})
	}
}

func TestList(t *testing.T) {
	s := mustOpen(t, embedded.Options{Schema: "resources: [{name: project}, {name: app, parent: project}]"})
	label := func(tier string) any {
		return map[string]any{"metadata": map[string]any{"labels": map[string]string{"tier": tier}}, "spec": map[string]any{"tier": tier}}
	}
	mustApply(t, s, embedded.Create("project/p1", label("a")), embedded.Create("project/p2", label("b")),
		embedded.Create("project/p1/app/x", label("a")), embedded.Create("project/p1/app/y", label("b")), embedded.Create("project/p2/app/z", label("b")))
	tests := []struct {
		name  string
		query embedded.Query
		want  []dovetail.ID
		code  dovetail.Code
	}{
		{name: "all", want: []dovetail.ID{"project/p1", "project/p1/app/x", "project/p1/app/y", "project/p2", "project/p2/app/z"}},
		{name: "a kind", query: embedded.Query{Kind: "project"}, want: []dovetail.ID{"project/p1", "project/p2"}},
		{name: "below", query: embedded.Query{Under: "project/p1"}, want: []dovetail.ID{"project/p1/app/x", "project/p1/app/y"}},
		{name: "labels", query: embedded.Query{Labels: "tier in (a, c)"}, want: []dovetail.ID{"project/p1", "project/p1/app/x"}},
		{name: "fields", query: embedded.Query{Kind: "app", Fields: "spec.tier=b"}, want: []dovetail.ID{"project/p1/app/y", "project/p2/app/z"}},
		{name: "limit", query: embedded.Query{Limit: 2}, want: []dovetail.ID{"project/p1", "project/p1/app/x"}},
		{name: "limit with labels", query: embedded.Query{Labels: "tier=b", Limit: 2}, want: []dovetail.ID{"project/p1/app/y", "project/p2"}},
		{name: "after", query: embedded.Query{After: "project/p1/app/y", Limit: 1}, want: []dovetail.ID{"project/p2"}},
		{name: "labels that cannot be read", query: embedded.Query{Labels: "a in"}, code: dovetail.CodeInvalid},
		{name: "fields that cannot be read", query: embedded.Query{Fields: "a"}, code: dovetail.CodeInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []dovetail.ID
			var failed error
			for doc, err := range s.List(t.Context(), test.query) {
				if failed = err; err == nil {
					got = append(got, doc.ID)
				}
			}
			if !slices.Equal(got, test.want) || dovetail.CodeOf(failed) != test.code {
				t.Errorf("got %v, %v; want %v, %s", got, failed, test.want, test.code)
			}
		})
	}
}

func TestReferencesOfWhatDoesNotExist(t *testing.T) {
	s := mustOpen(t, embedded.Options{Schema: catalog})
	if _, err := s.References(t.Context(), "team/core"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("got %v", err)
	}
}

// A watch resumes after a restart where it was.
func TestWatchResumes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	watch := func(s *embedded.Store, after store.Cursor) (seen []dovetail.ID, last store.Cursor) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for event, err := range s.Watch(ctx, after, store.WatchQuery{Kind: "team"}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, change := range event.Changes {
				seen = append(seen, change.ID)
			}
			last = event.Cursor
			cancel()
		}
		return seen, last
	}
	s, err := embedded.Open(t.Context(), embedded.Options{Path: path, Schema: catalog})
	if err != nil {
		t.Fatal(err)
	}
	head, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, s, embedded.Create("team/a", struct{}{}))
	mustApply(t, s, embedded.Create("team/b", struct{}{}))
	seen, cursor := watch(s, head)
	if err := s.Close(); err != nil || !slices.Equal(seen, []dovetail.ID{"team/a"}) {
		t.Fatalf("saw %v, %v", seen, err)
	}
	s = mustOpen(t, embedded.Options{Path: path})
	if seen, _ := watch(s, cursor); !slices.Equal(seen, []dovetail.ID{"team/b"}) {
		t.Errorf("saw %v", seen)
	}
}

// A watch without a cursor begins with what is written once it runs.
func TestWatchFromNow(t *testing.T) {
	s := mustOpen(t, embedded.Options{Schema: catalog})
	mustApply(t, s, embedded.Create("team/before", struct{}{}))
	ctx, cancel := context.WithCancel(t.Context())
	seen := make(chan store.Event)
	go func() {
		defer close(seen)
		for event, err := range s.Watch(ctx, "", store.WatchQuery{}) {
			if err != nil {
				t.Error(err)
				return
			}
			seen <- event
		}
	}()
	for n := 0; ; n++ { // until one is written after the watch began
		mustApply(t, s, embedded.Put("team/after", map[string]int{"n": n}))
		select {
		case event := <-seen:
			if event.Changes[0].ID != "team/after" || len(event.Changes) != 1 {
				t.Errorf("saw %+v", event)
			}
			cancel()
			for range seen { // until it has ended
			}
			return
		default:
		}
	}
}
