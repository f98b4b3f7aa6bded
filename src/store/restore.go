package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// While a database is being restored it holds this document, and is opened by nothing else.
const (
	restoreID   = dovetail.ID("_restore/current")
	restoreKind = "_restore"
)

// ReasonRestoring is the reason of CodeConflict if the restore of a backup into the database is incomplete.
const ReasonRestoring = "RestoreIncomplete"

// Restoration is the input of Restore.
type Restoration struct {
	Backup  string          // a digest that identifies the backup
	Sources []schema.Source // of the ref-schema, as Store.Backup has them
	// Documents yields the documents of Store.Backup, in its order. The sequence is read once.
	Documents iter.Seq2[*dovetail.Document, error]
	// AllowFindings completes the restore although its check has findings, which Store.Check also had before the backup.
	AllowFindings bool
	// Sealed are some of the encrypted documents: if one of them cannot be decrypted, the restore fails before anything is stored.
	Sealed []*dovetail.Document
	Stored func(documents int) // is called after each batch with its number of documents; may be nil
}

// Restored is the result of a restore.
type Restored struct {
	Documents int            `json:"documents"`
	Kinds     map[string]int `json:"kinds"`   // documents by kind
	Resumed   int            `json:"resumed"` // documents that an earlier, interrupted restore had stored
	Findings  []Finding      `json:"findings"`
}

// storedRestore is the data of the document restoreID.
type storedRestore struct {
	Backup string `json:"backup"`
}

// Restore stores a backup in an empty database, in batches. A first transaction marks the database, so that Open and SetModel
// return CodeConflict with ReasonRestoring; the last one removes the mark. Before that, all documents
// are read back, compared with the backup, and checked as Store.Check does.
//
// After an interruption, restore the same backup again: documents that are already stored are kept. If two processes restore the same
// backup at the same time, the one that started later takes over and the other fails.
//
// Errors: CodeConflict if the database is not empty, with ReasonRestoring if it contains part of another backup;
// CodeCorrupt with the findings if the check finds a defect.
func Restore(ctx context.Context, backend Backend, r Restoration, config Config) (*Restored, error) {
	model, err := schema.Compile(r.Sources)
	if err != nil {
		return nil, err
	}
	s := &Store{backend: backend, config: config.withDefaults()}
	s.useModel(model)
	s.model.Store(model)
	for _, doc := range r.Sealed {
		if _, err := s.unseal(ctx, doc); err != nil {
			return nil, err
		}
	}
	w := &restoring{store: s, restoration: r, result: Restored{Kinds: map[string]int{}, Findings: []Finding{}}}
	if err := w.begin(ctx, model); err != nil {
		return nil, err
	}
	if err := w.write(ctx); err != nil {
		return nil, err
	}
	if err := w.compare(ctx); err != nil {
		return nil, err
	}
	if err := w.check(ctx); err != nil {
		return &w.result, err
	}
	return &w.result, w.end(ctx)
}

// restoring is a restore under way.
type restoring struct {
	store       *Store
	restoration Restoration
	marker      *dovetail.Document
	resuming    bool
	batches     []restoredBatch
	result      Restored
}

// restoredBatch is what identifies a batch that was stored.
type restoredBatch struct {
	first     dovetail.ID
	documents int
	sum       [sha256.Size]byte
}

// begin marks an empty database, or takes over one that holds part of the same backup.
func (w *restoring) begin(ctx context.Context, model *schema.Model) error {
	return Transact(ctx, func() error {
		stored, err := w.store.fetch(ctx, []dovetail.ID{restoreID, modelID})
		if err != nil {
			return err
		}
		text, err := json.Marshal(storedRestore{w.restoration.Backup})
		if err != nil {
			return dovetail.AsError(err)
		}
		w.marker = w.store.internal(restoreID, restoreKind, text, w.store.now())
		txn := Txn{Puts: []*dovetail.Document{w.marker}, Provenance: w.provenance()}
		if marker := stored[0]; marker != nil {
			if backupOf(marker) != w.restoration.Backup {
				return incompleteRestore(marker)
			}
			w.resuming = true
			w.marker.UID, w.marker.Revision, w.marker.Created = marker.UID, marker.Revision+1, marker.Created
			txn.Require = []Condition{{Test: AtVersion, ID: restoreID, Version: marker.ETag()}}
		} else {
			if err := w.empty(ctx, stored[1]); err != nil {
				return err
			}
			inForce, err := w.store.modelDocument(ctx, model, stored[1])
			if err != nil {
				return err
			}
			txn.Puts = append(txn.Puts, inForce)
			txn.Require = []Condition{{Test: Absent, ID: restoreID}, versionOf(modelID, stored[1])}
			if err := w.store.rebuildIndexes(ctx, model, &txn); err != nil {
				return err
			}
		}
		err = w.store.backend.Commit(ctx, txn)
		if failedConditions(err) != nil {
			return Retry(err)
		}
		return err
	})
}

// empty returns an error unless the database holds no documents. One that several processes may have open must never have
// been in use, since a server would show what is stored.
func (w *restoring) empty(ctx context.Context, model *dovetail.Document) error {
	notEmpty := func(what string) error {
		return &dovetail.Error{Code: dovetail.CodeConflict, Message: "the database is not empty: " + what,
			Remedy: "restore into a new database; to replace this one, delete it first"}
	}
	if model != nil && !w.store.backend.Capabilities().Exclusive {
		return notEmpty("a server has used it")
	}
	for doc, err := range w.store.backend.List(ctx, Query{}) {
		if err != nil {
			return err
		}
		if !isInternal(doc.ID) {
			return notEmpty("it holds " + string(doc.ID))
		}
	}
	return nil
}

// write stores the documents, batch by batch.
func (w *restoring) write(ctx context.Context) error {
	const most, mostBytes = 1000, 4 << 20
	var batch []*dovetail.Document
	var size int64
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := w.put(ctx, batch); err != nil {
			return err
		}
		if w.restoration.Stored != nil {
			w.restoration.Stored(len(batch))
		}
		batch, size = batch[:0], 0
		return nil
	}
	for doc, err := range w.restoration.Documents {
		if err != nil {
			return err
		}
		if doc, err = w.store.unseal(ctx, doc); err != nil {
			return err
		}
		own := SizeOf(doc)
		if len(batch) == most || size+own > mostBytes {
			if err := flush(); err != nil {
				return err
			}
		}
		batch, size = append(batch, doc), size+own
		w.result.Documents++
		w.result.Kinds[doc.Kind]++
	}
	return flush()
}
