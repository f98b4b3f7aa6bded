package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// While the documents of a database are migrated in batches it holds this document, and is opened by nothing else.
const (
	migrationID   = dovetail.ID("_migration/current")
	migrationKind = "_migration"
)

// ReasonMigrating is the reason of the error when a database holds part of a migration only.
const ReasonMigrating = "MigrationIncomplete"

// storedMigration is the data of the document migrationID.
type storedMigration struct {
	Steps   json.RawMessage `json:"steps"`
	Sources []schema.Source `json:"sources"` // of the next ref-schema
	Hash    string          `json:"hash"`    // of the next ref-schema
	// At is the time of all documents that the migration writes. No other document of the next ref-schema has it.
	At      time.Time    `json:"at"`
	Message string       `json:"message,omitempty"`
	Plan    Migrated     `json:"plan"`
	Record  *AuditRecord `json:"record"`
}

// MigrateOffline is Migrate of a database that nothing else uses, from the ref-schema that is stored there. What is too large for one
// transaction is written in batches, between a first transaction that keeps every Open and SetModel from the database, with CodeConflict
// and ReasonMigrating, and a last one that puts the next ref-schema in force. Everything is checked before the first one.
//
// If it is interrupted, do the same migration again: what is written already is kept.
//
// Errors besides those of Migrate: CodeConflict with ReasonMigrating where the database holds part of another migration. On backends that
// several processes may have open it is Migrate.
func MigrateOffline(ctx context.Context, backend Backend, file MigrationFile, options MigrateOptions, config Config) (*Migrated, error) {
	marked, err := backend.GetAll(ctx, []dovetail.ID{migrationID})
	if err != nil {
		return nil, err
	}
	if marker := marked[0]; marker != nil {
		s := &Store{backend: backend, config: config.withDefaults(), indexes: new(indexCache)}
		return s.resumeMigration(ctx, marker, file, options)
	}
	s, err := Open(ctx, backend, nil, config)
	if err != nil {
		return nil, err
	}
	m, err := ParseMigration(file, s.Model())
	if err != nil {
		return nil, err
	}
	m.offline = backend.Capabilities().Exclusive
	return s.Migrate(ctx, m, options)
}

// resumeMigration continues with a migration that was interrupted.
func (s *Store) resumeMigration(ctx context.Context, marker *dovetail.Document, file MigrationFile, options MigrateOptions) (*Migrated, error) {
	documents, err := s.fetch(ctx, []dovetail.ID{modelID})
	if err != nil {
		return nil, err
	}
	from := previousModel(documents[0])
	if from == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeSchema, Message: "the ref-schema from before the migration does not compile any more",
			Remedy: "use the version of Dovetail that began it"}
	}
	state := migrationOf(marker)
	m, err := ParseMigration(file, from)
	if err != nil || state.Hash != file.Next.Hash() || !bytes.Equal(state.Steps, m.Text()) || options.DryRun {
		return nil, incompleteMigration(marker)
	}
	s.model.Store(from)
	run := newMigrating(ctx, s, m, s.backend, options)
	run.marker, run.state, run.result, run.record = marker, state, state.Plan, state.Record
	if run.options.Message = state.Message; options.Planned != nil {
		options.Planned(run.result)
	}
	// Whoever else works on it loses the database.
	next := *marker
	next.Revision++
	if err := s.backend.Commit(ctx, Txn{Puts: []*dovetail.Document{&next}, Require: []Condition{versionOf(migrationID, marker)}}); err != nil {
		return nil, err
	}
	run.marker = &next
	if err := run.readIDs(ctx); err != nil {
		return nil, err
	}
	return run.finishBatches(ctx)
}

// inBatches begins to write a migration that is checked, and writes it.
func (r *migrating) inBatches(ctx context.Context, stored *dovetail.Document) (*Migrated, error) {
	if r.swapped != "" {
		return nil, &dovetail.Error{Code: dovetail.CodeTooLarge, Key: r.swapped, Message: r.tooLarge().Error() + "; and in batches " + string(r.swapped) + " cannot go from one document to another",
			Remedy: "migrate twice: first give the documents ids that no other one has"}
	}
	state := &storedMigration{Steps: r.migration.Text(), Sources: r.change.Next.Sources(), Hash: r.change.Next.Hash(), At: r.store.now(), Message: r.options.Message,
		Plan: r.result, Record: r.record}
	if !state.At.After(r.latest) {
		state.At = r.latest.Add(time.Millisecond)
	}
	text, err := json.Marshal(state)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	r.marker, r.state = r.store.internal(migrationID, migrationKind, text, r.store.now()), state
	if err := r.store.backend.Commit(ctx, Txn{Puts: []*dovetail.Document{r.marker}, Require: []Condition{{Test: Absent, ID: migrationID}, versionOf(modelID, stored)}}); err != nil {
		return nil, err
	}
	return r.finishBatches(ctx)
}

// finishBatches writes what is not written yet, and puts the next ref-schema in force.
func (r *migrating) finishBatches(ctx context.Context) (*Migrated, error) {
	s, next := r.store, r.change.Next
	s.useModel(next)
	if err := r.writeBatches(ctx); err != nil {
		return nil, err
	}
	if r.done != r.result.Documents {
		return nil, dovetail.Errorf(dovetail.CodeCorrupt, "the migration has changed %d documents, and its plan said %d", r.done, r.result.Documents)
	}
	fence := r.fence()
	if len(constraintSet(r.migration.from, next)) > 0 {
		const shown = 20
		if err := s.dropClaims(ctx, nil, &fence); err != nil {
			return nil, err
		}
		found, err := s.buildClaims(ctx, nil, next, nil, &fence)
		if err == nil && len(found) > 0 {
			err = impactError(found[:min(len(found), shown)], len(found))
		}
		if err != nil {
			return nil, err
		}
	}
	err := Transact(ctx, func() error {
		stored, err := s.fetch(ctx, []dovetail.ID{modelID})
		if err != nil {
			return err
		}
		return r.putInForce(ctx, stored[0], Txn{Deletes: []dovetail.ID{migrationID}, Require: []Condition{fence}})
	})
	return &r.result, err
}

// writeBatches rewrites the documents that are not rewritten yet, in the order of their ids.
func (r *migrating) writeBatches(ctx context.Context) error {
	const most, mostBytes = 1000, 4 << 20
	for q, seen := (Query{Limit: most}), 1; seen > 0; {
		var txn Txn
		var size int64
		seen = 0
		for doc, err := range r.reader.List(ctx, q) {
			if err != nil {
				return err
			}
			if q.After, seen = doc.ID, seen+1; isInternal(doc.ID) || r.isRewritten(doc) {
				continue
			}
			next, err := r.rewrite(ctx, doc)
			if err != nil {
				return err
			}
			if next == nil || !next.changes(doc) {
				continue
			}
			m := migrated{doc, next.Document}
			r.complete(&m, r.state.At)
			if txn.Puts = append(txn.Puts, m.next); m.next.ID != doc.ID {
				txn.Deletes = append(txn.Deletes, doc.ID)
			}
			if size += SizeOf(m.next); size > mostBytes {
				break
			}
		}
		if err := r.errs.Err("the migration cannot go on"); err != nil {
			return err
		}
		if err := r.writeBatch(ctx, txn); err != nil {
			return err
		}
	}
	return nil
}

func (r *migrating) writeBatch(ctx context.Context, txn Txn) error {
	if len(txn.Puts) == 0 {
		return nil
	}
	txn.Provenance = r.provenance(ctx)
	if err := r.store.commitFenced(ctx, r.fence(), txn, "migration"); err != nil {
		return err
	}
	r.written(len(txn.Puts))
	return nil
}

// written counts documents that are rewritten.
func (r *migrating) written(documents int) {
	if r.done += documents; r.options.Written != nil && documents > 0 {
		r.options.Written(documents)
	}
}

// isRewritten reports whether a batch has rewritten a document.
func (r *migrating) isRewritten(doc *dovetail.Document) bool {
	return r.state != nil && doc.Schema == r.state.Hash && doc.Updated.Equal(r.state.At)
}

// fence is the condition that this migration has the database.
func (r *migrating) fence() Condition {
	return Condition{Test: AtVersion, ID: migrationID, Version: r.marker.ETag()}
}

// migrationOf reads the document migrationID.
func migrationOf(marker *dovetail.Document) *storedMigration {
	state := new(storedMigration)
	if json.Unmarshal(marker.Data, state) != nil {
		return new(storedMigration) // which no migration is the same as
	}
	return state
}

// incompleteMigration is the error of everything but its migration that opens a database which is being migrated.
func incompleteMigration(marker *dovetail.Document) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonMigrating,
		Message: fmt.Sprintf("the database holds part of a migration to the ref-schema %.12s, which began at %s and is not complete", migrationOf(marker).Hash, marker.Created.UTC().Format(time.RFC3339)),
		Remedy:  "run `dovetail schema migrate` with that file, --schema and --store again, which continues it"}
}
