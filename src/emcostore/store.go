package emcostore

import (
	"context"
	"fmt"
	"iter"

	"go.mongodb.org/mongo-driver/bson"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// Documents are where a Store keeps what it is given: a *store.Store or a *client.Client.
type Documents interface {
	Ping(ctx context.Context) error
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)
	Documents(ctx context.Context, q store.ListQuery) iter.Seq2[*dovetail.Document, error]
	Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)
}

// Store is a database of EMCO's services. K is the type of keys in their interface, db.Key: an empty interface, whose values
// are structs or maps with key elements as JSON members. It is safe for concurrent use.
type Store[K any] struct{ database *database }

// Options say how a Store answers. The zero value does as EMCO's own store does.
type Options struct {
	// Alone lets Find with the complete key of a resource return that one alone, without what is below it. EMCO's services take the first and
	// never look at the others, which Find then need not read.
	Alone bool
}

// New returns a Store that keeps its documents under a ref-schema: EMCO's, with the kind that Schema adds.
func New[K any](documents Documents, model *schema.Model, options Options) (*Store[K], error) {
	d := &database{documents: documents, options: options, kinds: make(map[string]*schema.Kind)}
	for _, kind := range model.Kinds() {
		if err := checkWork(kind); err != nil {
			return nil, err
		}
		if !kind.Abstract {
			d.kinds[kind.KeyID] = kind
		}
	}
	var known bool
	if d.records, known = model.Kind(emco.RecordKind); !known {
		return nil, fmt.Errorf("the ref-schema has no kind %s, for what EMCO's services store and its ref-schema has no kind for: open the store with emcostore.Schema, "+
			"or add records.yaml of this package to the ref-schema of the server", emco.RecordKind)
	}
	return &Store[K]{d}, nil
}

// HealthCheck returns nil when the database can serve reads and writes.
func (s *Store[K]) HealthCheck(ctx context.Context) error {
	if err := s.database.documents.Ping(ctx); err != nil {
		return fmt.Errorf("Error getting server status: %w", err) //nolint:staticcheck // as EMCO's services know it
	}
	return nil
}

// Unmarshal decodes what Find gave.
func (s *Store[K]) Unmarshal(inp []byte, out any) error {
	if err := bson.Unmarshal(inp, out); err != nil {
		return fmt.Errorf("Error Unmarshalling bson data to %T: %w", out, err) //nolint:staticcheck // as EMCO's services know it
	}
	return nil
}

// Insert sets one tag of the document with exactly this key, which it creates if there is none. With the tag data the parent must
// exist, and what the data refer to. The members of query, if any, are what Find selects the document by beside its key.
//
// Errors begin with ErrParent, ErrSchema, ErrMissing or ErrInsert.
func (s *Store[K]) Insert(ctx context.Context, coll string, key K, query any, tag string, data any) error {
	if data == nil {
		return fmt.Errorf("%s: there is no data to store", ErrInsert)
	}
	a, err := addressOf(coll, key, tag)
	if err != nil {
		return fmt.Errorf("%s: %w", ErrInsert, err)
	}
	stored, err := storedForm(data)
	if err != nil {
		return fmt.Errorf("%s: the data cannot be written as BSON: %w", ErrInsert, err)
	}
	members, err := elementsOf(query)
	if err != nil {
		return fmt.Errorf("%s: the query cannot be read: %w", ErrInsert, err)
	}
	return s.database.insert(ctx, a, insertion{tag: tag, stored: stored, query: members, given: data})
}

// Find returns the value of a tag of each document that the key selects, as BSON (a text as it is): those with all of its
// elements and values, among them the document with this very key, which comes first, and all below it (but see Options.Alone). An empty value stands for all values; then
// only documents with just these elements are selected. An element of the result is nil where a document lacks the tag.
//
// Errors begin with ErrFind; that there is no such document is none.
func (s *Store[K]) Find(ctx context.Context, coll string, key K, tag string) ([][]byte, error) {
	a, err := addressOf(coll, key, tag)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ErrFind, err)
	}
	values, err := s.database.find(ctx, a, tag)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ErrFind, err)
	}
	return values, nil
}

// Remove deletes the document with exactly this key. Errors begin with ErrNotFound, ErrChildren, ErrReferenced or ErrRemove.
func (s *Store[K]) Remove(ctx context.Context, coll string, key K) error {
	a, err := addressOf(coll, key)
	if err != nil {
		return fmt.Errorf("%s: %w", ErrRemove, err)
	}
	return s.database.remove(ctx, a)
}

// RemoveAll deletes all documents that Find selects by the key, in one transaction. Errors begin with ErrChildren or ErrReferenced,
// where a document that stays is below one of them or refers to it, or ErrRemove.
func (s *Store[K]) RemoveAll(ctx context.Context, coll string, key K) error {
	a, err := addressOf(coll, key)
	if err != nil {
		return fmt.Errorf("%s: %w", ErrRemove, err)
	}
	return s.database.removeAll(ctx, a)
}

// RemoveTag takes a tag from the document with exactly this key, if it has it. The data of a resource stay: Remove deletes it.
func (s *Store[K]) RemoveTag(ctx context.Context, coll string, key K, tag string) error {
	a, err := addressOf(coll, key, tag)
	if err == nil {
		err = s.database.removeTag(ctx, a, tag)
	}
	if err != nil {
		return fmt.Errorf("Error removing tag: %w", err) //nolint:staticcheck // as EMCO's services know it
	}
	return nil
}

// database is a Store without the type of its keys.
type database struct {
	documents Documents
	options   Options
	kinds     map[string]*schema.Kind // by keyId
	records   *schema.Kind
}
