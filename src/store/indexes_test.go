package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// termBackend notes whether the last list was answered from indexes.
type termBackend struct {
	store.Backend
	used bool
}

func (b *termBackend) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	b.used = len(q.Terms) > 0
	return b.Backend.List(ctx, q)
}

func (b *termBackend) At(ctx context.Context, position store.Cursor) (store.Snapshot, error) {
	then, err := b.Backend.At(ctx, position)
	return &termSnapshot{then, b}, err
}

type termSnapshot struct {
	store.Snapshot
	of *termBackend
}

func (s *termSnapshot) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	s.of.used = len(q.Terms) > 0
	return s.Snapshot.List(ctx, q)
}

func indexModel(t testing.TB, index string) *schema.Model {
	t.Helper()
	m, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte("resources:\n- name: site\n- name: app\n  parent: site\n" + index)}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestIndexesSelectAsFiltersDo lists by random selectors, page by page, while indexes are complete, are being built, are new, and are gone, now
// and at earlier positions: the answer is always what looking at all documents gives.
func TestIndexesSelectAsFiltersDo(t *testing.T) {
	const indexed = "  index: [spec.n, spec.text, spec.l, 'spec.l[*]', spec.m.*]\n"
	with, without := indexModel(t, indexed), indexModel(t, "  index: {labels: false}\n")
	folder, opened := memdir.New(t), 0
	rapid.Check(t, func(r *rapid.T) {
		opened++
		inner, err := bolt.Open(filepath.Join(folder, fmt.Sprint(opened, ".db")), bolt.Options{})
		if err != nil {
			r.Fatal(err)
		}
		defer func() { _ = inner.Close() }()
		backend := &termBackend{Backend: inner}
		first := rapid.SampledFrom([]*schema.Model{with, without}).Draw(r, "first")
		s, err := store.Open(t.Context(), backend, first, store.Config{})
		if err != nil {
			r.Fatal(err)
		}
		apply := func(op store.Operation) {
			if _, err := s.Apply(t.Context(), []store.Operation{op}, store.Options{}); err != nil {
				r.Fatal(err)
			}
		}
		some := rapid.SampledFrom([]string{`"a"`, `"b"`, "1", "1.0", "true", `""`, "null", "{}"})
		write := func(n int) {
			for range n {
				id := dovetail.ID(fmt.Sprintf("site/s%d/app/a%d", rapid.IntRange(0, 1).Draw(r, "site"), rapid.IntRange(0, 30).Draw(r, "app")))
				if rapid.IntRange(0, 5).Draw(r, "delete") == 0 {
					if _, err := s.Get(t.Context(), id); err == nil {
						apply(store.Operation{Verb: store.Delete, ID: id})
					}
					continue
				}
				list := "[]"
				switch rapid.IntRange(0, 3).Draw(r, "items") {
				case 0:
					list = some.Draw(r, "l")
				case 1, 2:
					list = "[" + some.Draw(r, "l") + "," + some.Draw(r, "l") + "]"
				}
				text := fmt.Sprintf(`{"metadata":{"labels":{"x":%s,"y":%s}},"spec":{"n":%s,"text":%s,"l":%s,"m":{"k":%s}}}`, some.Draw(r, "x"), some.Draw(r, "y"),
					some.Draw(r, "n"), some.Draw(r, "text"), list, some.Draw(r, "k"))
				data, err := value.ParseJSON([]byte(text), value.Limits{})
				if err != nil {
					r.Fatal(err)
				}
				apply(store.Operation{Verb: store.Put, ID: id, Data: data})
			}
		}
		labels := []string{"x=a", "x in (a,b)", "y", "!x", "x=a,y in (b,)", "y!=a", "x,y"}
		fields := []string{"spec.n=1", "spec.n=1.0", "spec.text=a", "spec.text=", "spec.l.0=b", "spec.l[*]=b", "spec.l[*]=1", "spec.l[*]=", "spec.l[*]!=a", "spec.l[*]=a,spec.l[*]=b", "spec.m.k[*]=a", "spec.text[*]=a", "spec.m.k=true", "spec.n!=1", "spec.text=a,spec.n=1", "metadata.labels.x=1"}
		compare := func(position store.Cursor) {
			q := store.ListQuery{Kind: "app", Position: position, Limit: rapid.IntRange(1, 7).Draw(r, "limit")}
			q.Under = rapid.SampledFrom([]dovetail.ID{"", "site/s1"}).Draw(r, "under")
			if rapid.Bool().Draw(r, "labels") {
				q.Labels, _ = selector.ParseLabels(rapid.SampledFrom(labels).Draw(r, "label"))
			} else {
				q.Fields, _ = selector.ParseFields(rapid.SampledFrom(fields).Draw(r, "field"))
			}
			var want, got []dovetail.ID
			for doc, err := range s.Documents(t.Context(), store.ListQuery{Kind: "app", Under: q.Under, Position: position}) {
				if err != nil {
					r.Fatal(err)
				}
				if data, err := value.DataOf(doc, nil); err != nil {
					r.Fatal(err)
				} else if q.Labels.Matches(data) && q.Fields.Matches(data) {
					want = append(want, doc.ID)
				}
			}
			for {
				page, err := s.List(t.Context(), q)
				if err != nil {
					r.Fatal(err)
				}
				for _, doc := range page.Documents {
					got = append(got, doc.ID)
				}
				if q.After, q.Position = page.Next, page.Position; q.After == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				r.Fatalf("%s%s at %q: %v, want %v", q.Labels, q.Fields, position, got, want)
			}
		}
		apply(store.Operation{Verb: store.Put, ID: "site/s0", Data: value.NewMap()})
		apply(store.Operation{Verb: store.Put, ID: "site/s1", Data: value.NewMap()})
		var positions []store.Cursor
		models := []*schema.Model{with, without}
		stop := errors.New("stop")
		r.Repeat(map[string]func(*rapid.T){
			"write": func(*rapid.T) { write(rapid.IntRange(1, 8).Draw(r, "writes")) },
			"model": func(*rapid.T) {
				if err := s.SetModel(t.Context(), rapid.SampledFrom(models).Draw(r, "model")); err != nil {
					r.Fatal(err)
				}
			},
			"build": func(*rapid.T) {
				if err := s.BuildIndexes(t.Context(), nil, nil); err != nil {
					r.Fatal(err)
				}
			},
			"begin to build": func(*rapid.T) {
				err := s.BuildIndexes(t.Context(), func(context.Context, store.IndexProgress) error { return stop }, nil)
				if err != nil && !errors.Is(err, stop) {
					r.Fatal(err)
				}
			},
			"remember": func(*rapid.T) {
				then, err := s.At(t.Context(), "")
				if err != nil {
					r.Fatal(err)
				}
				positions = append(positions, then.Position())
			},
			"": func(*rapid.T) {
				compare("")
				if len(positions) > 0 {
					compare(rapid.SampledFrom(positions).Draw(r, "position"))
				}
			},
		})
	})
}

// TestIndexesAreUsed wants selectors answered from the indexes of a new database, and of an existing one once they are built: also on
// later pages, in change sets, and at positions since.
func TestIndexesAreUsed(t *testing.T) {
	inner, err := bolt.Open(filepath.Join(memdir.New(t), "x.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inner.Close() })
	backend := &termBackend{Backend: inner}
	s, err := store.Open(t.Context(), backend, indexModel(t, ""), store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	put := func(id dovetail.ID, text string) {
		t.Helper()
		data, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(t.Context(), store.Operation{ID: id, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	put("site/s", "{}")
	for n := range 10 {
		put(dovetail.ID(fmt.Sprintf("site/s/app/a%d", n)), fmt.Sprintf(`{"metadata":{"labels":{"odd":"%v"}},"spec":{"n":%d}}`, n%2 == 1, n%3))
	}
	list := func(what string, of *store.Store, label, field string, position store.Cursor, want int, used bool) {
		t.Helper()
		q := store.ListQuery{Kind: "app", Position: position, Limit: 100}
		if q.Labels, err = selector.ParseLabels(label); err != nil {
			t.Fatal(err)
		}
		if q.Fields, err = selector.ParseFields(field); err != nil {
			t.Fatal(err)
		}
		backend.used = false
		page, err := of.List(t.Context(), q)
		if err != nil || len(page.Documents) != want || backend.used != used {
			t.Errorf("%s: %v %v, index used: %v, want %v", what, page, err, backend.used, used)
		}
	}
	list("labels of a new database", s, "odd=true", "", "", 5, true)
	list("any label", s, "odd", "", "", 10, true)
	list("no label", s, "!odd", "", "", 0, false)
	list("a field without an index", s, "", "spec.n=1", "", 3, false)
	before, err := s.At(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetModel(t.Context(), indexModel(t, "  index: [spec.n]\n")); err != nil {
		t.Fatal(err)
	}
	list("labels under another model", s, "odd=true", "", "", 5, true)
	list("an index that is not built", s, "", "spec.n=1", "", 3, false)
	calls := 0
	if err := s.BuildIndexes(t.Context(), func(_ context.Context, p store.IndexProgress) error {
		if calls++; p.Kind == "app" && p.Documents != 10 {
			t.Errorf("%+v", p)
		}
		return nil
	}, nil); err != nil || calls == 0 {
		t.Fatal(calls, err)
	}
	list("an index that is built", s, "", "spec.n=1", "", 3, true)
	list("before it was built", s, "", "spec.n=1", before.Position(), 3, false)
	then, err := s.At(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	list("since it was built", s, "", "spec.n=1", then.Position(), 3, true)
	data, err := value.ParseJSON([]byte(`{"spec":{"n":1}}`), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	view, err := s.Overlay(t.Context(), "", []store.Staged{{ID: "site/s/app/new", Document: &dovetail.Document{ID: "site/s/app/new", Kind: "app",
		Data: data.JSON(), UID: "u", Revision: 1}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list("a view", view, "", "spec.n=1", "", 4, true)
}

// TestIndexesFollowOtherWrites lists by an index that was complete, after a migration and after a restore, which write documents
// without their terms: all documents are found before the index is built again, and by the index then.
func TestIndexesFollowOtherWrites(t *testing.T) {
	const indexed = "resources:\n- name: site\n  index: [spec.zone]\n"
	tests := []struct {
		name string
		path string // of the zone afterwards
		do   func(t *testing.T, s *store.Store) *store.Store
	}{
		{"migration", "spec.area", func(t *testing.T, s *store.Store) *store.Store {
			m, err := store.ParseMigration(store.MigrationFile{Name: "m.yaml", Text: []byte("steps:\n- move: {kind: site, member: spec.zone, to: spec.area}\n"), Next: compile(t, "resources:\n- name: site\n  index: [spec.area]\n")}, s.Model())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Migrate(t.Context(), m, store.MigrateOptions{}); err != nil {
				t.Fatal(allOf(err))
			}
			return s
		}},
		{"restore", "spec.zone", func(t *testing.T, s *store.Store) *store.Store {
			backend := &termBackend{Backend: newBackend(t)}
			if _, err := store.Restore(t.Context(), backend, restoration(backupOf(t, s, "")), store.Config{}); err != nil {
				t.Fatal(err)
			}
			restored := openOn(t, backend, s.Model(), store.Config{})
			return restored
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := openOn(t, &termBackend{Backend: newBackend(t)}, compile(t, indexed), store.Config{})
			for n := range 10 {
				apply(t, s, fmt.Sprintf(`create site/s%d {"metadata":{"labels":{"odd":"%v"}},"spec":{"zone":"z%d"}}`, n, n%2 == 1, n%3))
			}
			s = test.do(t, s)
			backend := s.Backend().(*termBackend)
			list := func(what, labels, fields string, want int, used bool) {
				t.Helper()
				q := store.ListQuery{Kind: "site", Limit: 100}
				var err error
				if q.Labels, err = selector.ParseLabels(labels); err != nil {
					t.Fatal(err)
				}
				if q.Fields, err = selector.ParseFields(fields); err != nil {
					t.Fatal(err)
				}
				page, err := s.List(t.Context(), q)
				if err != nil || len(page.Documents) != want || backend.used != used {
					t.Errorf("%s: %v %v, index used: %v, want %d, %v", what, page, err, backend.used, want, used)
				}
			}
			list("before", "odd=true", "", 5, false)
			list("before", "", test.path+"=z1", 3, false)
			if err := s.BuildIndexes(t.Context(), nil, nil); err != nil {
				t.Fatal(err)
			}
			list("afterwards", "odd=true", "", 5, true)
			list("afterwards", "", test.path+"=z1", 3, true)
			requireClean(t, s)
		})
	}
}

// earlierBackend is a database on which a process may write that gives documents no terms.
type earlierBackend struct {
	termBackend
	earlier bool
}

func (b *earlierBackend) Capabilities() store.Capabilities {
	can := b.Backend.Capabilities()
	can.EveryTerm = !b.earlier
	return can
}

// TestIndexesBesideEarlierProcesses writes documents without terms, as versions do that know none: selectors find them while such a process may
// run, and when none does any more, once their terms were added.
func TestIndexesBesideEarlierProcesses(t *testing.T) {
	inner, err := bolt.Open(filepath.Join(memdir.New(t), "store.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = inner.Close() }()
	backend := &earlierBackend{termBackend: termBackend{Backend: inner}}
	s, err := store.Open(t.Context(), backend, indexModel(t, ""), store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	found := func(when string, indexed bool) {
		t.Helper()
		labels, err := selector.ParseLabels("x=a")
		if err != nil {
			t.Fatal(err)
		}
		var ids []dovetail.ID
		page, err := s.List(t.Context(), store.ListQuery{Kind: "site", Labels: labels})
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range page.Documents {
			ids = append(ids, doc.ID)
		}
		if !slices.Equal(ids, []dovetail.ID{"site/new", "site/old"}) || backend.used != indexed {
			t.Errorf("%s there are %v, by an index: %t", when, ids, backend.used)
		}
	}
	write := func(id dovetail.ID, uid string) *dovetail.Document {
		return &dovetail.Document{ID: id, Kind: "site", UID: uid, Revision: 1, Data: []byte(`{"metadata":{"labels":{"x":"a"}}}`)}
	}
	data, err := value.ParseJSON(write("", "").Data, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: "site/new", Data: data}}, store.Options{}); err != nil {
		t.Fatal(err)
	}
	backend.earlier = true
	if err := inner.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{write("site/old", "u")}}); err != nil {
		t.Fatal(err)
	}
	found("beside an earlier process", false)
	if err := s.BuildIndexes(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	found("after a build beside an earlier process", false)

	if err := store.ForgetIndexes(t.Context(), backend); err != nil {
		t.Fatal(err)
	}
	backend.earlier = false
	found("after the last earlier process", false)
	if err := s.BuildIndexes(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	found("once terms were added", true)
	if err := store.ForgetIndexes(t.Context(), backend); err != nil {
		t.Fatal(err)
	}
	if err := store.ForgetIndexes(t.Context(), backend); err != nil {
		t.Errorf("forgetting again: %v", err)
	}
}
