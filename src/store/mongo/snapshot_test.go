package mongo

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

// TestSnapshotReadsManyDocumentsInFewCommands reads documents of a snapshot that have all changed since.
func TestSnapshotReadsManyDocumentsInFewCommands(t *testing.T) {
	const documents = 200
	ctx := t.Context()
	var commands atomic.Int64
	b, err := Open(ctx, freshURI(t), Options{ExternalMaintenance: true,
		Command: func(context.Context, string, time.Duration, error) { commands.Add(1) }})
	must(t, err)
	defer b.Close()
	created, updated := store.Txn{Puts: storetest.Foundation()}, store.Txn{}
	var ids []dovetail.ID
	for _, creation := range storetest.Creations(0, documents) {
		doc := creation.Puts[0]
		next := *doc
		next.Revision++
		created.Puts, updated.Puts = append(created.Puts, doc), append(updated.Puts, &next)
		ids = append(ids, doc.ID)
	}
	must(t, b.Commit(ctx, created))
	past, err := b.At(ctx, "")
	must(t, err)
	must(t, b.Commit(ctx, updated))
	commands.Store(0)
	found, err := past.GetAll(ctx, append(ids, "project/none"))
	must(t, err)
	if n := commands.Load(); n > documents/lastVersions+5 {
		t.Errorf("%d commands read %d documents", n, documents)
	}
	for i, id := range ids {
		if doc := found[i]; doc == nil || doc.ID != id || doc.Revision != created.Puts[0].Revision {
			t.Errorf("%s is %v in the snapshot", id, doc)
		}
	}
	if found[documents] != nil {
		t.Errorf("there is %v", found[documents])
	}
}
