package store

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// Backup has the contents of the store at one position, with the ref-schema under which its documents are valid.
type Backup struct {
	Position Cursor
	Time     time.Time       // of the last commit that is in it
	Schema   string          // hash of the ref-schema
	Sources  []schema.Source // its files
	// Documents yields the documents as they are stored, in the byte order of ids. It can be iterated more than once. The error has
	// CodeExpired if the history of the position is no longer kept.
	Documents iter.Seq2[*dovetail.Document, error]
}

// BackupOptions are the options of Backup. The zero value reads the current state, with sensitive kinds encrypted.
type BackupOptions struct {
	At string // what PositionOf reads: a time or a position; "" for now
	// Cleartext decrypts documents of sensitive kinds. Otherwise they stay encrypted, as Sealer.ListSealed returns them, and a store
	// without encryption returns CodeConflict if it has such kinds.
	Cleartext bool
}

// Backup returns all documents as of one position; of a store returned by At, as of its position. The principal needs the right to
// read everything.
//
// The ref-schema is the active one. If it was activated after the position, and documents at the position are invalid under it, the
// error has CodeSchema and lists them.
func (s *Store) Backup(ctx context.Context, o BackupOptions) (*Backup, error) {
	if err := s.mayEverywhere(ctx, dovetail.RightRead, "back up the store"); err != nil {
		return nil, err
	}
	if !s.backend.Capabilities().Versions {
		return nil, &dovetail.Error{Code: dovetail.CodeConflict, Message: "this database keeps no versions of documents, so that its documents cannot be read at one position",
			Remedy: "stop what writes, and use `dovetail export`"}
	}
	position := s.Position()
	if o.At != "" {
		var err error
		if position, err = s.PositionOf(ctx, o.At, ""); err != nil {
			return nil, err
		}
	}
	var b *Backup
	err := Transact(ctx, func() (err error) {
		b, err = s.backupAt(ctx, position, o)
		return err
	})
	return b, err
}

// backupAt returns an error of Retry if the ref-schema is replaced meanwhile.
func (s *Store) backupAt(ctx context.Context, position Cursor, o BackupOptions) (*Backup, error) {
	before, err := s.storedModel(ctx)
	if err != nil {
		return nil, err
	}
	then, err := s.At(ctx, position)
	if err != nil {
		return nil, err
	}
	after, err := s.storedModel(ctx)
	switch {
	case err != nil:
		return nil, err
	case before == nil || after == nil:
		return nil, notOpened()
	case before.ETag() != after.ETag():
		return nil, Retry(&dovetail.Error{Code: dovetail.CodeConflict, Message: "the ref-schema was replaced"})
	}
	var model storedModel
	if err := json.Unmarshal(after.Data, &model); err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "the stored ref-schema cannot be read", Remedy: "start a server with --ref-schemas, which stores it again", Err: err}
	}
	b := &Backup{Position: then.Position(), Time: s.now(), Schema: model.Hash, Sources: model.Sources}
	if commit, err := s.backend.Transaction(ctx, b.Position); err == nil {
		b.Time = commit.Time
	}
	if position != "" {
		if err := then.fits(ctx, &model, after.Updated, b.Time); err != nil {
			return nil, err
		}
	}
	sealed := false
	for _, kind := range s.Model().Kinds() {
		if !kind.Sensitive.Any() || o.Cleartext {
			continue
		}
		sealed = true
		for doc, err := range then.Documents(ctx, ListQuery{Kind: kind.Name, Complete: true, Sealed: true}) {
			if err != nil {
				return nil, err // rather than in the middle of the backup
			}
			if IsSealed(doc.Data) {
				break // so are the others; one that leaves in plaintext says nothing of the next
			}
		}
	}
	b.Documents = then.Documents(ctx, ListQuery{Complete: true, Sealed: sealed})
	return b, nil
}

// fits returns CodeSchema if documents of a past do not fit the model, which is in force since a time.
func (s *Store) fits(ctx context.Context, stored *storedModel, since, position time.Time) error {
	const apart = time.Minute // the clocks of the store and of the database
	if since.Add(apart).Before(position) {
		return nil
	}
	model, err := schema.Compile(stored.Sources)
	if err != nil {
		return err
	}
	const shown = 20
	var findings []Finding
	total := 0
	for f, err := range s.inspect(ctx, model, Query{}, (*Store).checkReferences, changedRules(model)) {
		if err != nil {
			return err
		}
		if total++; total <= shown {
			findings = append(findings, f)
		}
	}
	err = s.duplicates(ctx, nil, model, nil, func(f Finding) {
		if total++; total <= shown {
			findings = append(findings, f)
		}
	})
	if err != nil || total == 0 {
		return err
	}
	e := dovetail.AsError(impactError(findings, total))
	e.Message, e.Remedy = "the ref-schema was replaced after this position, and documents of then do not fit the one in force", "back up a later position"
	return e
}

func notOpened() *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Message: "the database holds no ref-schema", Remedy: "open it with a server first"}
}
