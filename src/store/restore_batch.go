package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"iter"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// put stores a batch, as long as this restore has the database.
func (w *restoring) put(ctx context.Context, batch []*dovetail.Document) error {
	sum := sha256.New()
	for _, doc := range batch {
		sumDocument(sum, doc)
	}
	w.batches = append(w.batches, restoredBatch{batch[0].ID, len(batch), [sha256.Size]byte(sum.Sum(nil))})
	left, err := w.left(ctx, batch)
	if err != nil || len(left) == 0 {
		return err
	}
	return w.commit(ctx, Txn{Puts: left, Provenance: w.provenance()})
}

// left returns the documents of a batch that an interrupted restore did not store.
func (w *restoring) left(ctx context.Context, batch []*dovetail.Document) ([]*dovetail.Document, error) {
	if !w.resuming {
		return batch, nil
	}
	ids := make([]dovetail.ID, len(batch))
	for i, doc := range batch {
		ids[i] = doc.ID
	}
	stored, err := w.store.fetch(ctx, ids)
	if err != nil {
		return nil, err
	}
	var left []*dovetail.Document
	for i, doc := range batch {
		if stored[i] == nil || stored[i].ETag() != doc.ETag() {
			left = append(left, doc)
		}
	}
	w.result.Resumed += len(batch) - len(left)
	return left, nil
}

// commit commits a transaction under the condition that the database is marked by this restore.
func (w *restoring) commit(ctx context.Context, txn Txn) error {
	return w.store.commitFenced(ctx, Condition{Test: AtVersion, ID: restoreID, Version: w.marker.ETag()}, txn, "restore of the same backup")
}

// commitFenced commits a transaction as long as a fence holds, which keeps everything but its owner from the database.
func (s *Store) commitFenced(ctx context.Context, fence Condition, txn Txn, owner string) error {
	txn.Require = []Condition{fence}
	return Transact(ctx, func() error {
		err := s.backend.Commit(ctx, txn)
		switch failed := failedConditions(err); {
		case failed == nil && dovetail.CodeOf(err) == dovetail.CodeConflict:
			return Retry(err)
		case failed == nil:
			return err
		case fenced(failed, &fence) != nil:
			return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonFenced, Message: "another " + owner + " has taken over this database",
				Remedy: "leave it to that one, or begin again", Err: err}
		}
		return Retry(err)
	})
}

// compare reads back what was stored, batch by batch.
func (w *restoring) compare(ctx context.Context) error {
	next, stop := iter.Pull2(w.store.backend.List(ctx, Query{}))
	defer stop()
	sum := sha256.New()
	for _, b := range w.batches {
		sum.Reset()
		n, last := 0, dovetail.ID("")
		for n < b.documents {
			doc, err, more := next()
			switch {
			case !more:
				return w.differs(fmt.Sprintf("documents after %s are missing", last))
			case err != nil:
				return err
			case isInternal(doc.ID):
				continue
			case n == 0 && doc.ID != b.first:
				return w.differs("it holds " + string(doc.ID) + " where the backup has " + string(b.first))
			}
			sumDocument(sum, doc)
			n, last = n+1, doc.ID
		}
		if [sha256.Size]byte(sum.Sum(nil)) != b.sum {
			return w.differs(fmt.Sprintf("one of the documents from %s to %s is another one", b.first, last))
		}
	}
	for {
		doc, err, more := next()
		switch {
		case !more:
			return nil
		case err != nil:
			return err
		case !isInternal(doc.ID):
			return w.differs("it holds " + string(doc.ID) + ", which the backup does not have")
		}
	}
}

func (w *restoring) differs(how string) error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "the restored documents differ from the backup: " + how,
		Remedy: "nothing reads the database until it is restored: check its disk, delete it, and restore again"}
}

// check does what Store.Check does before anything else reads the database.
func (w *restoring) check(ctx context.Context) error {
	const shown = 20
	if _, err := w.store.buildClaims(ctx, nil, w.store.Model(), nil, nil); err != nil {
		return err
	}
	for f, err := range w.store.Check(ctx, false) {
		if err != nil {
			return err
		}
		if f.Allowed {
			continue
		}
		w.result.Findings = append(w.result.Findings, f)
	}
	if len(w.result.Findings) == 0 || w.restoration.AllowFindings {
		return nil
	}
	e := &dovetail.Error{Code: dovetail.CodeCorrupt, Message: fmt.Sprintf("the check of the restored documents found %d problems", len(w.result.Findings)),
		Remedy: "the backed up store had them too: see `dovetail fsck` there; to use the documents all the same, restore again with --allow-findings"}
	for _, f := range w.result.Findings[:min(shown, len(w.result.Findings))] {
		e.Errors = append(e.Errors, &dovetail.Error{Code: dovetail.CodeCorrupt, Key: f.ID, Message: f.Message})
	}
	return e
}

// end puts the database in service. The terms of its documents are yet to be made.
func (w *restoring) end(ctx context.Context) error {
	return w.commit(ctx, Txn{Deletes: []dovetail.ID{restoreID, indexesID}, Provenance: w.provenance()})
}

func (w *restoring) provenance() Provenance {
	return Provenance{Message: "restore of a backup", Origin: "backup:" + w.restoration.Backup}
}

// sumDocument adds everything of a document to a digest.
func sumDocument(to hash.Hash, doc *dovetail.Document) {
	part := func(text []byte) {
		var size [8]byte
		binary.LittleEndian.PutUint64(size[:], uint64(len(text)))
		_, _ = to.Write(size[:]) // never fails
		_, _ = to.Write(text)
	}
	number := func(n int64) { part(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	for _, text := range []string{string(doc.ID), doc.Kind, doc.UID, doc.Schema} {
		part([]byte(text))
	}
	number(int64(doc.Revision))
	number(doc.Created.UnixMilli())
	number(doc.Updated.UnixMilli())
	part(doc.Data)
	part(doc.Status)
	number(int64(len(doc.Content)))
	for _, f := range doc.Content {
		part([]byte(f.Name))
		part([]byte(f.Filename))
		part([]byte(f.MediaType))
		part(f.Data)
	}
	number(int64(len(doc.Inputs)))
	for _, id := range doc.Inputs {
		part([]byte(id))
	}
	number(int64(len(doc.References)))
	for _, r := range doc.References {
		part(fmt.Appendf(nil, "%s %s %t %t", r.ID, r.Kind, r.Weak, r.Cascade))
	}
}

// backupOf is the backup that a database holds a part of.
func backupOf(marker *dovetail.Document) string {
	var was storedRestore
	if json.Unmarshal(marker.Data, &was) != nil {
		return ""
	}
	return was.Backup
}

// incompleteRestore is the error of everything but its restore that opens a database which is being restored.
func incompleteRestore(marker *dovetail.Document) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonRestoring,
		Message: fmt.Sprintf("the database holds part of the backup %.12s, whose restore began at %s and is not complete", backupOf(marker), marker.Created.UTC().Format(time.RFC3339)),
		Remedy:  "run `dovetail restore` with that backup again, which continues it; or delete the database"}
}

// versionOf is the condition that a document is as it was read, nil for absent.
func versionOf(id dovetail.ID, doc *dovetail.Document) Condition {
	if doc == nil {
		return Condition{Test: Absent, ID: id}
	}
	return Condition{Test: AtVersion, ID: id, Version: doc.ETag()}
}
