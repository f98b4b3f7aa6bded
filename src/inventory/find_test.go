package inventory_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"testing"

	refschemas "github.com/dovetail-store/dovetail/ref-schemas"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// countingBackend counts the documents that lists read.
type countingBackend struct {
	store.Backend
	read int
}

func (b *countingBackend) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	return b.counted(b.Backend.List(ctx, q))
}

func (b *countingBackend) counted(all iter.Seq2[*dovetail.Document, error]) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		for doc, err := range all {
			if b.read++; !yield(doc, err) {
				return
			}
		}
	}
}

func (b *countingBackend) At(ctx context.Context, position store.Cursor) (store.Snapshot, error) {
	then, err := b.Backend.At(ctx, position)
	return &countingSnapshot{then, b}, err
}

type countingSnapshot struct {
	store.Snapshot
	of *countingBackend
}

func (s *countingSnapshot) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	return s.of.counted(s.Snapshot.List(ctx, q))
}

// TestFindEnvironments finds a few of 10,000 environments by what people want to know of them, page by page: by the indexes, so that not many more are read than are found. By order there is no
// index, and all are read.
func TestFindEnvironments(t *testing.T) {
	const environments, found, pageSize = 10_000, 100, 30
	sources, err := schema.ReadFS(refschemas.FS)
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := bolt.Open(filepath.Join(t.TempDir(), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	backend := &countingBackend{Backend: opened}
	s, err := store.Open(t.Context(), backend, model, store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	operations := []store.Operation{{Verb: store.Put, ID: "cluster/c", Data: data(t, `{}`)}}
	flush := func() {
		if _, err := s.Apply(t.Context(), operations, store.Options{}); err != nil {
			t.Fatal(err)
		}
		operations = nil
	}
	for i := range environments {
		n := i % (environments / found)
		text := fmt.Sprintf(`{"spec": {"definition": {"metadata": {"owners": ["all", "owner-%d"], "teams": "team-%d", "labels": ["label-%d", "common"], "type": "TYPE_%d", "status": "STATUS_%d", "role": "ROLE_%d",
			"expirationDate": "20%02d-06-30"}}}}`, n, n, n, n, n, n, n)
		operations = append(operations, store.Operation{Verb: store.Put, ID: dovetail.ID(fmt.Sprintf("cluster/c/environment/e%05d", i)), Data: data(t, text)})
		if len(operations) > 1000 {
			flush()
		}
	}
	flush()
	const metadata = "spec.definition.metadata."
	for _, tt := range []struct {
		name, selector string
		most           int // documents that may be read
	}{
		{"owner", "owners[*]=owner-7", 0}, {"team", "teams[*]=team-7", 0}, {"label", "labels[*]=label-7", 0}, {"type", "type=TYPE_7", 0}, {"status", "status=STATUS_7", 0}, {"role", "role=ROLE_7", 0},
		{"the day of expiration", "expirationDate=2007-06-30", 0}, {"two of them", "owners[*]=owner-7," + metadata + "labels[*]=common", 0},
		{"expired by a day", "expirationDate<2001-01-01", 2 * environments}, {"an owner, expired", "owners[*]=owner-7," + metadata + "expirationDate<2010-01-01", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fields, err := selector.ParseFields(metadata + tt.selector)
			if err != nil {
				t.Fatal(err)
			}
			backend.read = 0
			got, pages := 0, 0
			for q := (store.ListQuery{Kind: "environment", Fields: fields, Limit: pageSize}); ; pages++ {
				page, err := s.List(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				got += len(page.Documents)
				if q.After, q.Position = page.Next, page.Position; q.After == "" {
					break
				}
			}
			most := max(tt.most, found+3*(pages+2)+pageSize) // the first page is read twice, and each page looks one ahead
			if got != found || pages < 3 || backend.read > most || tt.most > 0 && backend.read < environments {
				t.Errorf("%d environments on %d pages, %d documents read, not more than %d wanted", got, pages+1, backend.read, most)
			}
		})
	}
}

func data(t *testing.T, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
