package store

import (
	"context"
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/migration"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Migration is a change of the ref-schema together with what becomes of the stored documents.
type Migration struct {
	change  *migration.Change
	from    *schema.Model
	offline bool // nothing else uses the database, which may be written in batches
}

// MigrationFile is the text of a migration, and the ref-schema that it leads to.
type MigrationFile struct {
	Name string // for positions in errors
	Text []byte
	Next *schema.Model
}

// ParseMigration reads the file of a migration from the ref-schema in force to the next one. The errors, all that there are, have
// positions in the file of this name.
func ParseMigration(file MigrationFile, from *schema.Model) (*Migration, error) {
	next, err := file.Next.Completed(from)
	if err != nil {
		return nil, err
	}
	change, err := migration.Parse(file.Name, file.Text, from, next)
	if err != nil {
		return nil, err
	}
	return &Migration{change: change, from: from}, nil
}

// ReadMigration is ParseMigration of what a file says, as a value that has "steps".
func ReadMigration(root *value.Value, next, from *schema.Model) (*Migration, error) {
	next, err := next.Completed(from)
	if err != nil {
		return nil, err
	}
	change, err := migration.Read("", root, from, next)
	if err != nil {
		return nil, err
	}
	return &Migration{change: change, from: from}, nil
}

// Text is what the file says, as JSON.
func (m *Migration) Text() []byte { return m.change.Text }

// Next is the ref-schema that the migration leads to.
func (m *Migration) Next() *schema.Model { return m.change.Next }

// MigrateOptions say how to migrate. The zero value is ready to use.
type MigrateOptions struct {
	DryRun  bool
	Message string // kept with the transaction; default one that names the ref-schema
	// Planned is called with what the migration does once all was checked, before anything is written, where set. It is called again where
	// other processes made that necessary.
	Planned func(plan Migrated)
	// Checked is called while documents are checked, and Written after each batch of them that MigrateOffline writes, where set.
	Checked, Written func(documents int)
}

// Migrated is what a migration does or did.
type Migrated struct {
	Kinds      []MigratedKind `json:"kinds"`      // in the order of names; those of which no document changes are left out
	Documents  int            `json:"documents"`  // that change
	References int            `json:"references"` // that have another target
	Lost       int            `json:"lost"`       // references that the new data no longer have
	// ChangeSets are those that are not merged, in the order of ids: what they stage is rewritten as documents are, so that their
	// approvals no longer count.
	ChangeSets []MigratedChangeSet `json:"changeSets,omitempty"`
	DryRun     bool                `json:"dryRun,omitempty"`
}

// MigratedKind is what a migration does to the documents of a kind.
type MigratedKind struct {
	Kind      string `json:"kind"`      // under the ref-schema before
	To        string `json:"to"`        // under the next one
	Renamed   int    `json:"renamed"`   // documents that get another id
	Rewritten int    `json:"rewritten"` // documents that change under their id
}

// maxMigration is how many bytes of documents, before and after, one transaction of a migration may have.
const maxMigration = 64 << 20

// Migrate changes the stored documents and the ref-schema in one transaction: it is checked that every document fits the next
// ref-schema, that all parents and references exist, and that unique values are. Where anything is wrong, all of it up to a limit
// is reported, by document, and nothing changes. It reads every document, and keeps those that change in memory: CodeTooLarge means that
// these are too many. Writes wait meanwhile, where several processes have the database open in all of them, as for SetModel; those of a dry run
// do not.
//
// The principal needs the rights to read, create, update and delete everything.
func (s *Store) Migrate(ctx context.Context, m *Migration, options MigrateOptions) (*Migrated, error) {
	for _, right := range []dovetail.Right{dovetail.RightRead, dovetail.RightCreate, dovetail.RightUpdate, dovetail.RightDelete} {
		if err := s.mayEverywhere(ctx, right, "migrate what is stored"); err != nil {
			return nil, err
		}
	}
	written := options.write()
	if err := written.checkMessage(); err != nil {
		return nil, err
	}
	var done *Migrated
	attempt := func(stored *dovetail.Document) error {
		done = nil
		run, err := s.planMigration(ctx, m, stored, s.backend, options)
		switch {
		case err != nil:
			return err
		case run.large:
			done, err = run.inBatches(ctx, stored)
			return err
		}
		if err = run.commit(ctx, stored); err == nil {
			done = &run.result
		}
		return err
	}
	switch {
	case options.DryRun:
		run, err := s.previewMigration(ctx, m, options)
		if err != nil {
			return nil, err
		}
		run.result.DryRun = true
		return &run.result, nil
	case s.agreement != nil:
		if err := s.agreement.changing.acquire(ctx); err != nil {
			return nil, err
		}
		defer s.agreement.changing.release()
		err := Transact(ctx, func() error {
			stored, err := s.awaitOthers(ctx)
			if err != nil {
				return err
			}
			// Most of what stands in the way is found here, while others write.
			if _, err := s.previewMigration(ctx, m, MigrateOptions{}); err != nil {
				return err
			}
			return s.whileNobodyWrites(ctx, stored, m.change.Next, attempt)
		})
		return done, err
	}
	s.swapping.Lock()
	defer s.swapping.Unlock()
	err := Transact(ctx, func() error {
		stored, err := s.storedModel(ctx)
		if err != nil {
			return err
		}
		return attempt(stored)
	})
	return done, err
}

// write are the options of the transaction.
func (o *MigrateOptions) write() Options { return Options{DryRun: o.DryRun, Message: o.Message} }

// previewMigration plans a migration of what is stored now, while others write.
func (s *Store) previewMigration(ctx context.Context, m *Migration, options MigrateOptions) (*migrating, error) {
	stored, err := s.storedModel(ctx)
	if err != nil {
		return nil, err
	}
	var reader Reader = s.backend
	if s.backend.Capabilities().Versions {
		if reader, err = s.backend.At(ctx, ""); err != nil {
			return nil, err
		}
	}
	options.DryRun = true
	return s.planMigration(ctx, m, stored, reader, options)
}

// planMigration checks a migration, and computes what it does to what a reader reads.
func (s *Store) planMigration(ctx context.Context, m *Migration, stored *dovetail.Document, reader Reader, options MigrateOptions) (*migrating, error) {
	if stateOf(stored).Hash != m.from.Hash() {
		return nil, &dovetail.Error{Code: dovetail.CodeConflict, Message: "the ref-schema in force is no longer the one that the migration starts from",
			Remedy: "plan the migration again"}
	}
	run := newMigrating(ctx, s, m, reader, options)
	if err := run.plan(ctx); err != nil {
		return nil, err
	}
	if run.large && !m.offline {
		return nil, run.tooLarge()
	}
	if options.Planned != nil {
		options.Planned(run.result)
	}
	return run, nil
}

// tooLarge is the error of a migration that one transaction does not take.
func (r *migrating) tooLarge() error {
	err := &dovetail.Error{Code: dovetail.CodeTooLarge, Remedy: "stop the server, and run `dovetail schema migrate` with --store, which then writes in batches",
		Message: fmt.Sprintf("the migration changes %d documents, whose %d MiB are more than the %d MiB that one transaction takes", r.result.Documents, r.bytes>>20, r.limit>>20)}
	if !r.store.backend.Capabilities().Exclusive {
		err.Remedy = "migrate in several steps, of which each changes fewer kinds"
	}
	return err
}
