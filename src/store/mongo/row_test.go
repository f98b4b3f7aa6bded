package mongo

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/store"
)

// TestUpdatesInRow updates a document again before what the last update replaced is kept: all versions are there afterwards, the
// latest first, and the document has no intent.
func TestUpdatesInRow(t *testing.T) {
	const updates = 6
	b := mustOpen(t, freshURI(t))
	defer b.Close()
	must(t, b.Commit(t.Context(), creating(doc("h/1", 1))))
	for revision := range uint64(updates) {
		must(t, b.Commit(t.Context(), store.Txn{Require: []store.Condition{at(doc("h/1", revision+1))}, Puts: documents(doc("h/1", revision+2))}))
	}
	b.runtime.Flush()
	versions, err := collect(b.Versions(t.Context(), "h/1"))
	must(t, err)
	if len(versions) != updates+1 {
		t.Fatalf("there are %d versions: %+v", len(versions), versions)
	}
	for i, v := range versions {
		if want := uint64(updates + 1 - i); v.Revision != want || v.Document == nil || v.Document.Revision != want {
			t.Errorf("version %d is %+v, want revision %d", i, v, want)
		}
	}
	for r, err := range b.server.WithIntent(t.Context(), "") {
		t.Errorf("%v is left: %v", r, err)
	}
	for f, err := range b.Check(t.Context(), false) {
		t.Errorf("%+v %v", f, err)
	}
}
