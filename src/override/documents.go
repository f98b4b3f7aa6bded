package override

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// Documents is where the service reads and writes. It is safe for concurrent use.
type Documents interface {
	// Get, List and Referrers are those of store.Store.
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)
	List(ctx context.Context, q store.ListQuery) (*store.Page, error)
	Referrers(ctx context.Context, id, after dovetail.ID, limit int) ([]dovetail.ID, error)
	// Version is the version of a document that Get returned, as users see it: any text without quotes.
	// CodeStale says that the document was written since, so that it must be read again.
	Version(ctx context.Context, doc *dovetail.Document) (string, error)
	// Written is when such a document became what it says. Errors are those of Version.
	Written(ctx context.Context, doc *dovetail.Document) (time.Time, error)
	// Apply does all operations or none. Those on documents that were read carry the versions of the store.
	//
	// CodeStale, CodeExists and CodeNotFound say that the documents have changed since the change was computed: it
	// is computed again. CodeConflict with ReasonPushConflict says that another writer changed the repository
	// first, and that reads now return the new documents. All other errors end the change.
	Apply(ctx context.Context, operations []store.Operation, change Change) (*Applied, error)
}

// Change describes a change: its author, its message and its document.
type Change struct {
	Author, Email string      // who makes it; "" when not given
	Message       string      // why
	Of            dovetail.ID // the document that it is about, of those that are written
	Base          string      // the version of it that the change was computed from; "" when it did not exist
	// Options are those of the transaction, except its message. Answer, if not nil, returns the response to the change, for store.Options.Answer.
	Options store.Options
	Answer  func(*Applied) *httpapi.Response
}

// Transaction returns the options of the transaction of the change. version returns the version of Change.Of, given the result.
func (c *Change) Transaction(version func(*store.Result) (string, error)) store.Options {
	options := c.Options
	options.Message = c.Message
	if c.Answer != nil && options.Key != "" {
		options.Answer = httpapi.Kept(func(result *store.Result) (*httpapi.Response, error) {
			now, err := version(result)
			return c.Answer(&Applied{Result: result, Version: now}), err
		})
	}
	return options
}

// Outcome returns what the change made of Change.Of, nil if it is deleted, or in a dry run.
func (c *Change) Outcome(operations []store.Operation, result *store.Result) *store.Outcome {
	for i, op := range operations {
		if op.ID == c.Of && op.Verb != store.Delete && !c.Options.DryRun {
			return &result.Outcomes[i]
		}
	}
	return nil
}

// Applied is what a change did.
type Applied struct {
	Result  *store.Result
	Version string // of Change.Of afterwards; "" when it was deleted, and in a dry run
}

// Store is what Stored writes to. *store.Store is one; its methods are described there.
type Store interface {
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)
	List(ctx context.Context, q store.ListQuery) (*store.Page, error)
	Referrers(ctx context.Context, id, after dovetail.ID, limit int) ([]dovetail.ID, error)
	Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)
}

// Stored are the documents of a store alone. Their versions are those of the store.
type Stored struct{ Store }

// Version gives uid and revision.
func (s Stored) Version(_ context.Context, doc *dovetail.Document) (string, error) {
	return doc.ETag().Version(), nil
}

// Written gives the time of the last write.
func (s Stored) Written(_ context.Context, doc *dovetail.Document) (time.Time, error) {
	return doc.Updated, nil
}

// Apply is one transaction of the store, which keeps the message, and the principal in place of the author.
func (s Stored) Apply(ctx context.Context, operations []store.Operation, change Change) (*Applied, error) {
	version := func(result *store.Result) (string, error) {
		if of := change.Outcome(operations, result); of != nil {
			return of.Document.ETag().Version(), nil
		}
		return "", nil
	}
	result, err := s.Store.Apply(ctx, operations, change.Transaction(version))
	if err != nil {
		return nil, err
	}
	now, err := version(result)
	return &Applied{Result: result, Version: now}, err
}
