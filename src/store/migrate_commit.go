package store

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// commit writes all of it in one transaction, in place of the ref-schema that is stored.
func (r *migrating) commit(ctx context.Context, stored *dovetail.Document) error {
	now := r.store.now()
	txn := Txn{}
	put := make(map[dovetail.ID]bool, len(r.changed))
	for _, m := range r.changed {
		r.complete(&m, now)
		txn.Puts = append(txn.Puts, m.next)
		put[m.next.ID] = true
	}
	for _, m := range r.changed {
		if !put[m.was.ID] {
			txn.Deletes = append(txn.Deletes, m.was.ID)
		}
	}
	if err := r.writeClaims(ctx, &txn); err != nil {
		return err
	}
	return r.putInForce(ctx, stored, txn)
}

// complete gives a document what makes it a version of its own.
func (r *migrating) complete(m *migrated, now time.Time) {
	next, version := m.next, r.identity(m.was, m.next)
	if next.ID != m.was.ID {
		next.Created = now
	}
	next.UID, next.Revision = version.UID, version.Revision
	next.Updated, next.Schema, next.Terms = now, r.change.Next.Hash(), nil
}

// putInForce commits a transaction that also puts the next ref-schema in force in place of the stored one.
func (r *migrating) putInForce(ctx context.Context, stored *dovetail.Document, txn Txn) error {
	s, next := r.store, r.change.Next
	models, err := s.modelDocuments(ctx, next, stored)
	if err != nil {
		return err
	}
	txn.Puts = append(models, txn.Puts...)
	txn.Require = append(txn.Require, versionOf(modelID, stored))
	txn.Provenance = r.provenance(ctx)
	if err := s.rebuildIndexes(ctx, next, &txn); err != nil {
		return err
	}
	if s.config.Audit.Keep {
		doc, err := s.stored(r.record)
		if err != nil {
			return err
		}
		txn.Puts = append(txn.Puts, doc)
	}
	s.useModel(next)
	if err := s.backend.Commit(ctx, txn); err != nil {
		s.useModel(s.Model())
		if failedConditions(err) != nil {
			err = Retry(err) // another process wrote first
		}
		return err
	}
	s.model.Store(next)
	if s.agreement != nil {
		s.agreement.held.Store(nil)
	}
	s.report(ctx, r.record)
	return nil
}

// provenance is that of all transactions of the migration.
func (r *migrating) provenance(ctx context.Context) Provenance {
	options := r.options.write()
	if options.Message == "" {
		options.Message = "Migrate to the ref-schema " + r.change.Next.Hash()
	}
	options.Origin = r.change.Origin()
	return provenance(ctx, options)
}
