package store

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Config configures a Store. Its zero value is ready to use.
type Config struct {
	// Clock gives the time of a write; default that of the database where several processes may have it open, otherwise time.Now.
	Clock func() time.Time
	// NewUID gives the uid of a new document; default 26 random letters and digits.
	NewUID func() string
	// WeakReferences treats all references as `enforce: warn` does: a missing target is a warning. Use it for data from systems
	// without referential integrity. Parents are still enforced.
	WeakReferences bool
	// DanglingImports allows references of imported documents to documents that do not exist: such a reference is weak until the
	// referring document is written again. All other references are enforced.
	DanglingImports bool
	// MaxDocument is the maximum size of a document in bytes, data and files together; default DefaultMaxDocument.
	MaxDocument int
	// MaxMigration is the maximum size in bytes of all documents in one transaction of a migration, before and after; default 64 MiB.
	MaxMigration int64
	// Guard makes the access control decisions; nil allows everything.
	Guard Guard
	// OnBehalf has, by kind, the rights for what a service reads and makes because of what a document asks for. Who writes the document needs them, and
	// becomes the actor of the document (ActorOf), whose rights the service checks (Store.MayAct) whenever it acts.
	OnBehalf map[string]OnBehalf
	// Holders say, by kind, what becomes in a migration of documents of services that hold states of others, as change sets do.
	Holders map[string]Holder
	// Author finds, by kind, the author of what a document asks for, which its status then has.
	Author map[string]AuthorOf
	// Follow has the services whose documents follow a document that gets another id.
	Follow []Follow
	// Verify has the services that check their documents; see Service.
	Verify []Verify
	// Agreement has the timeouts by which processes that share a database agree on the ref-schema.
	Agreement Agreement
	// Audit configures audit records; the zero value disables them.
	Audit Audit
}

// OnBehalf returns the rights for what a service does because a document asks for after, and did not ask for before, which is nil for a document that is
// new or may not be read. A need may be of all documents of a kind (dovetail.AllOf). What it returns depends on its arguments only.
type OnBehalf func(id dovetail.ID, before, after *value.Value) []Need

func (c Config) withDefaults() Config {
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.NewUID == nil {
		c.NewUID = func() string { return strings.ToLower(rand.Text()) }
	}
	if c.MaxDocument == 0 {
		c.MaxDocument = DefaultMaxDocument
	}
	return c
}

// Store enforces referential integrity on a backend. It is safe for concurrent use.
type Store struct {
	backend Backend
	config  Config

	// swapping is held by writes for reading, and by SetModel while it checks and swaps, so that
	// every write is checked under the model that is in force when it commits.
	swapping sync.RWMutex
	model    atomic.Pointer[schema.Model]
	// agreement is nil where no other process can have the database open.
	agreement *agreement

	indexes *indexCache // what was read of indexesID

	watchReads watchReads

	secret atomic.Pointer[[]byte] // claimKey, once read

	keysPurged atomic.Pointer[time.Time] // up to when this process has forgotten idempotency keys
}

// Open returns a Store on the backend with a model; nil means the model that is active in the database. If the active model is a
// different one, Open activates the given model as SetModel does, with the same errors. Open returns CodeConflict with
// ReasonRestoring if the restore of a backup is incomplete (see Restore), and with ReasonMigrating if a migration is incomplete
// (see MigrateOffline). The caller closes the backend after the last use of the Store.
func Open(ctx context.Context, backend Backend, model *schema.Model, config Config) (*Store, error) {
	s := &Store{backend: backend, config: config.withDefaults(), indexes: new(indexCache)}
	if !backend.Capabilities().Exclusive {
		if err := s.shareDatabase(ctx, config.Clock != nil); err != nil {
			return nil, err
		}
	}
	if model != nil {
		if err := s.SetModel(ctx, model); err != nil {
			return nil, err
		}
		return s, nil
	}
	model, err := StoredModel(ctx, backend)
	if err == nil && model == nil {
		err = &dovetail.Error{Code: dovetail.CodeSchema, Message: "the database was never written under a ref-schema", Remedy: "name one"}
	}
	if err != nil {
		return nil, err
	}
	s.useModel(model)
	s.model.Store(model)
	return s, nil
}

// shareDatabase prepares for other processes that have the database open, and has the store tell the time of the database unless
// another clock is configured.
func (s *Store) shareDatabase(ctx context.Context, ownClock bool) error {
	s.agreement = newAgreement(s.config.Agreement, s.config.Clock)
	if ownClock {
		return nil
	}
	s.config.Clock = s.agreement.database.now
	_, err := s.agreement.database.read(ctx, s.backend)
	return err
}

// GetAll returns the documents with the ids, in that order; nil for documents that do not exist or that the
// principal of the context may not read.
func (s *Store) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	documents, err := s.fetch(ctx, ids)
	if err != nil {
		return nil, err
	}
	v, record := s.view(ctx), s.reading(ctx)
	for i, doc := range documents {
		switch {
		case doc == nil:
		case isInternal(doc.ID) || !v.reads(doc.Kind, doc.ID):
			documents[i] = nil
		default:
			documents[i] = v.show(doc)
			record.add(ctx, doc)
		}
	}
	return documents, record.keep(ctx)
}

// Model returns the active ref-schema.
func (s *Store) Model() *schema.Model { return s.model.Load() }

// Backend returns the backend of the store.
func (s *Store) Backend() Backend { return s.backend }

// Get returns a document. Errors: CodeNotFound if it does not exist, CodeForbidden if the principal of the context may not read it.
func (s *Store) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	if isInternal(id) {
		return nil, notFound(id)
	}
	v := s.view(ctx)
	if err := v.mayRead(ctx, id); err != nil {
		return nil, err
	}
	doc, err := s.backend.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := s.recordRead(ctx, doc); err != nil || v == nil {
		return doc, err
	}
	return v.show(doc), nil
}

// Ping returns nil if the store can serve reads and writes; see Backend.Ping.
func (s *Store) Ping(ctx context.Context) error { return s.backend.Ping(ctx) }

// Now returns the current time with the precision of the times in documents: UTC, in milliseconds, which every backend keeps exactly.
func (s *Store) Now() time.Time { return s.now() }

func (s *Store) now() time.Time { return s.config.Clock().UTC().Truncate(time.Millisecond) }

func notFound(id dovetail.ID) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " does not exist"}
}

// Internal documents are the store's own. Their ids begin with an underscore, which no element name
// of a ref-schema may, and no user sees them.
const internalPrefix = "_"

// IsInternal reports whether the document with the id is internal to the store and hidden from users.
func IsInternal(id dovetail.ID) bool { return isInternal(id) }

func isInternal(id dovetail.ID) bool { return strings.HasPrefix(string(id), internalPrefix) }
