package emco

import (
	"cmp"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// inMemory is a spool for tests.
type inMemory [][]byte

func (m *inMemory) Write(text []byte) (int64, error) {
	*m = append(*m, slices.Clone(text))
	return int64(len(*m) - 1), nil
}

func (m *inMemory) Read(at int64) ([]byte, error) { return (*m)[at], nil }

// migrated is what becomes of a database.
type migrated struct {
	Documents    []*dovetail.Document // in the order of ids
	Findings     []store.Finding
	Left, Merged int
}

func read(t testing.TB, model *schema.Model, stored []*value.Value, options Options) *Migration {
	t.Helper()
	m := New(model, new(inMemory), options)
	for _, s := range stored {
		if err := m.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Finish(); err != nil {
		t.Fatal(err)
	}
	return m
}

func migrate(t testing.TB, model *schema.Model, stored []*value.Value, options Options) *migrated {
	t.Helper()
	m := read(t, model, stored, options)
	is := &migrated{Findings: m.Findings, Left: m.Left, Merged: m.Merged}
	for batch, err := range m.Batches(7, 1<<20) {
		if err != nil {
			t.Fatal(err)
		}
		is.Documents = append(is.Documents, batch...)
	}
	if len(is.Documents) != m.Documents {
		t.Errorf("%d documents in batches, %d said", len(is.Documents), m.Documents)
	}
	slices.SortFunc(is.Documents, func(a, b *dovetail.Document) int { return cmp.Compare(a.ID, b.ID) })
	return is
}
