package sealing

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// Options configure a Backend. The zero value reads what is in plaintext, and nothing that is sealed.
type Options struct {
	// Keys are the main keys; nil if there is no key file: then nothing is sealed.
	Keys MainKeys
	// Random gives keys and nonces; default that of the operating system.
	Random io.Reader
	// Copied returns the kind of the document that one of a sensitive kind is only a copy of, "" for others. Such a copy is as secret as
	// what it was made of: see export. Default: there are none.
	Copied func(*dovetail.Document) string
	// Clock is the time of keys and of the pauses of Run; default clock.System.
	Clock clock.Clock
}

// Backend is a backend that seals documents of sensitive kinds. It is a store.Sealer.
type Backend struct {
	store.Backend
	keys     *keyring
	clock    clock.Clock
	copied   func(*dovetail.Document) string
	policies atomic.Pointer[policies]
	changed  chan struct{} // has a value after policies changed
}

// New returns a Backend on another one. UseModel says which kinds are sensitive; before it only the store's own
// documents are.
func New(inner store.Backend, options Options) *Backend {
	if options.Random == nil {
		options.Random = rand.Reader
	}
	if options.Clock == nil {
		options.Clock = clock.System
	}
	b := &Backend{Backend: inner, keys: newKeyring(inner, options), clock: options.Clock, copied: options.Copied, changed: make(chan struct{}, 1)}
	b.policies.Store(storeOnly())
	return b
}

// UseModel implements store.Sealer.
func (b *Backend) UseModel(model *schema.Model) { b.use(policiesOf(model)) }

func (b *Backend) use(p *policies) {
	b.policies.Store(p)
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// Encryption implements store.Sealer.
func (b *Backend) Encryption() store.Encryption {
	return store.Encryption{Sensitive: b.policies.Load().kinds(), Sealed: b.keys.main != nil}
}

// Verify makes the first data key if there is none, and returns the error that prevents sealing: nil when
// new documents of sensitive kinds can be sealed. Without main keys, in a database that is encrypted, its reason is ReasonKeyMissing.
func (b *Backend) Verify(ctx context.Context) error {
	if b.keys.main == nil {
		records, err := b.keys.records(ctx)
		if err == nil && len(records) > 0 {
			_, err = b.keys.unwrap(ctx, records[len(records)-1])
		}
		return cmp.Or(err, noKey())
	}
	_, err := b.keys.current(ctx, true)
	return err
}

// Get implements store.Backend.
func (b *Backend) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	doc, err := b.Backend.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return b.open(ctx, doc)
}

// GetAll implements store.Backend.
func (b *Backend) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	documents, err := b.Backend.GetAll(ctx, ids)
	for i, doc := range documents {
		if doc != nil && err == nil {
			documents[i], err = b.open(ctx, doc)
		}
	}
	if err != nil {
		return nil, err
	}
	return documents, nil
}

// List implements store.Backend. A document that cannot be opened comes in its stored form with the error, and the
// caller may continue the sequence. Data keys are left out.
func (b *Backend) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	return opened(ctx, listStored(ctx, b.Backend, q), b.open)
}

// opened yields documents in plaintext.
func opened(ctx context.Context, stored iter.Seq2[*dovetail.Document, error],
	open func(context.Context, *dovetail.Document) (*dovetail.Document, error),
) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		for doc, err := range stored {
			if err == nil && isSealed(doc) {
				var opened *dovetail.Document
				if opened, err = open(ctx, doc); err == nil {
					doc = opened
				}
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// listStored lists documents as they are stored, without data keys.
func listStored(ctx context.Context, of store.Reader, q store.Query) iter.Seq2[*dovetail.Document, error] {
	if q.Kind != "" || q.Under != "" {
		return of.List(ctx, q)
	}
	const usual = 8 // data keys that one query finds at most, unless rotations were broken off again and again
	return func(yield func(*dovetail.Document, error) bool) {
		for left := q.Limit; ; {
			if left > 0 {
				q.Limit = left + usual
			}
			n := 0
			for doc, err := range of.List(ctx, q) {
				n++
				if err == nil {
					if q.After = doc.ID; doc.Kind == keyKind {
						continue
					}
				}
				if !yield(doc, err) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
			if q.Limit == 0 || n < q.Limit {
				return
			}
		}
	}
}

// Changes implements store.Backend. Those of data keys are left out.
func (b *Backend) Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return withoutKeys(b.Backend.Changes(ctx, after))
}

// ChangesUntilNow implements store.Backend. Those of data keys are left out.
func (b *Backend) ChangesUntilNow(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return withoutKeys(b.Backend.ChangesUntilNow(ctx, after))
}

// Commit implements store.Backend.
func (b *Backend) Commit(ctx context.Context, txn store.Txn) error {
	const attempts = 10 // each after another rotation
	for attempt := 1; ; attempt++ {
		sealed, key, err := b.seal(ctx, txn, attempt > 1)
		if err != nil {
			return err
		}
		err = b.Backend.Commit(ctx, sealed)
		if key != nil && attempt < attempts && concerns(err, keyID(key.ID)) {
			continue // the key was retired meanwhile
		}
		if err == nil {
			return nil
		}
		return b.openCurrent(ctx, err)
	}
}

// Remove implements store.Remover, where the backend does.
func (b *Backend) Remove(ctx context.Context, id dovetail.ID, by store.Provenance, plan func(*dovetail.Document) (store.Txn, bool)) (removed bool, err error) {
	inner, able := b.Backend.(store.Remover)
	if !able {
		return false, nil
	}
	return inner.Remove(ctx, id, by, func(doc *dovetail.Document) (store.Txn, bool) {
		opened, err := b.open(ctx, doc)
		if err != nil {
			return store.Txn{}, false
		}
		return plan(opened)
	})
}

// seal returns the transaction as it is stored, and the key that seals some of it, nil where nothing is to be sealed.
// again looks for a newer key first.
func (b *Backend) seal(ctx context.Context, txn store.Txn, again bool) (store.Txn, *envelope.Key, error) {
	var key *envelope.Key
	copied := false
	policies := b.policies.Load()
	for i, doc := range txn.Puts {
		p, sensitive := policies.of(doc.Kind)
		if sensitive && b.keys.main == nil {
			sensitive = false
			if err := b.mayStayClear(ctx, doc); err != nil {
				return txn, nil, err
			}
		}
		if !sensitive && !isSealed(doc) {
			continue
		}
		if !copied {
			txn.Puts, copied = slices.Clone(txn.Puts), true
		}
		var err error
		if !sensitive {
			if txn.Puts[i], err = escaped(doc); err != nil {
				return txn, nil, err
			}
			continue
		}
		if key == nil {
			if key, err = b.keys.current(ctx, again); err != nil {
				return txn, nil, err
			}
			txn.Require = append(slices.Clip(txn.Require), store.Condition{Test: store.Exists, ID: keyID(key.ID)})
		}
		if txn.Puts[i], err = seal(doc, p, key); err != nil {
			return txn, nil, err
		}
	}
	return txn, key, nil
}

// mayStayClear returns an error for a document that would be stored in plaintext, if there is no key file, in a database that
// is encrypted: a process without the key file must not undo what others do. The store's own records pass: a transaction
// that they tell of was refused, or says nothing that is sealed.
func (b *Backend) mayStayClear(ctx context.Context, doc *dovetail.Document) error {
	if doc.Kind == store.IdempotencyKind {
		return nil
	}
	encrypted, err := b.keys.exist(ctx)
	if err == nil && encrypted {
		err = about(doc.ID, "must be encrypted", noKey())
	}
	return err
}

// leavesInClear reports whether a document of a sensitive kind leaves the database as it is stored there: a copy of a document that
// has no secrets, where nothing is encrypted. Otherwise a store without a key could not be exported once a service had copied any document.
func (b *Backend) leavesInClear(ctx context.Context, policies *policies, doc *dovetail.Document) (bool, error) {
	if b.keys.main != nil || b.copied == nil || !policies.isPublic(b.copied(doc)) {
		return false, nil
	}
	encrypted, err := b.keys.exist(ctx)
	return err == nil && !encrypted, err
}

// open returns a document in plaintext.
func (b *Backend) open(ctx context.Context, doc *dovetail.Document) (*dovetail.Document, error) {
	if !isSealed(doc) {
		return doc, nil
	}
	return open(doc, func(h *header) (*envelope.Key, error) {
		key, err := b.keys.of(ctx, h)
		return key, about(doc.ID, "is encrypted", err)
	})
}

// openCurrent opens the documents that an error shows. One that cannot be opened shows its version only.
func (b *Backend) openCurrent(ctx context.Context, err error) error {
	var e *dovetail.Error
	if !errors.As(err, &e) {
		return err
	}
	for _, part := range append(slices.Clip(e.Errors), e) {
		if part.Current == nil || !isSealed(part.Current) {
			continue
		}
		opened, unreadable := b.open(ctx, part.Current)
		if unreadable != nil {
			bare := *part.Current
			bare.Data, bare.Status, bare.Content, bare.References = []byte("{}"), nil, nil, withoutKey(bare.References)
			opened = &bare
		}
		part.Current = opened
	}
	return err
}

// concerns reports whether a commit failed by a condition on a document.
func concerns(err error, id dovetail.ID) bool {
	var e *dovetail.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Key == id || slices.ContainsFunc(e.Errors, func(part *dovetail.Error) bool { return part.Key == id })
}

// about names the document in an error that concerns a key; what says what is to be done with it.
func about(id dovetail.ID, what string, err error) error {
	if err == nil {
		return nil
	}
	e := *dovetail.AsError(err)
	e.Key, e.Message = id, string(id)+" "+what+": "+e.Message
	return &e
}

// ListSealed implements store.Sealer.
func (b *Backend) ListSealed(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	return b.listSealed(ctx, b.Backend, q)
}

func (b *Backend) listSealed(ctx context.Context, of store.Reader, q store.Query) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		for doc, err := range listStored(ctx, of, q) {
			if err == nil && !store.IsInternal(doc.ID) { // of which the store shows none
				doc, err = b.export(ctx, doc)
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// export returns a document as it may leave the database: one of a sensitive kind sealed, with its key.
func (b *Backend) export(ctx context.Context, doc *dovetail.Document) (*dovetail.Document, error) {
	if !isSealed(doc) {
		policies := b.policies.Load()
		p, sensitive := policies.of(doc.Kind)
		if !sensitive {
			return doc, nil
		}
		if inClear, err := b.leavesInClear(ctx, policies, doc); inClear || err != nil {
			return doc, err
		}
		key, err := b.keys.current(ctx, false)
		if err != nil {
			return nil, about(doc.ID, "must be encrypted", err)
		}
		if doc, err = seal(doc, p, key); err != nil {
			return nil, err
		}
	}
	s, err := parse(doc)
	if err != nil || s.Header.Key == "" {
		return doc, err
	}
	r, err := b.keys.record(ctx, s.Header.Key)
	if err == nil && r == nil {
		err = missing(s.Header.Key, "", nil)
	}
	if err != nil {
		return nil, about(doc.ID, "is encrypted", err)
	}
	return exported(doc, r.Wrapped, r.Recipient)
}

// Unseal implements store.Sealer.
func (b *Backend) Unseal(ctx context.Context, doc *dovetail.Document) (*dovetail.Document, error) {
	return b.open(ctx, doc)
}
