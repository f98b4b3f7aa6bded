package instrumented

import (
	"context"
	"iter"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Operation names what is done on the backend.
type Operation string

// The operations that observers are notified of. Changes is not among them, since it lasts as long as its reader
// likes.
const (
	Get       Operation = "get"
	GetAll    Operation = "get-all"
	List      Operation = "list"
	Referrers Operation = "referrers"
	Commit    Operation = "commit"
	Head      Operation = "head"
	Ping      Operation = "ping"
)

// Operations lists them.
func Operations() []Operation { return []Operation{Get, GetAll, List, Referrers, Commit, Head, Ping} }

// Observer is notified of operations. It must be safe for concurrent use, and quick.
type Observer interface {
	// Begun is called before an operation, which continues with the context that it returns.
	Begun(ctx context.Context, operation Operation) context.Context
	// Ended is called after it, with that context, how long it took and its error. The time that the
	// reader of a List spends on what it got does not count.
	Ended(ctx context.Context, operation Operation, took time.Duration, err error)
}

// New returns the backend with observers. They are notified in their order when an operation begins, and in the
// opposite one when it ends.
func New(backend store.Backend, observers ...Observer) store.Backend {
	if len(observers) == 0 {
		return backend
	}
	return &instrumented{backend, observers}
}

type instrumented struct {
	store.Backend
	observers []Observer
}

func (o *instrumented) begin(ctx context.Context, operation Operation) (context.Context, time.Time) {
	for _, one := range o.observers {
		ctx = one.Begun(ctx, operation)
	}
	return ctx, time.Now()
}

func (o *instrumented) end(ctx context.Context, operation Operation, took time.Duration, err error) {
	for i := len(o.observers) - 1; i >= 0; i-- {
		o.observers[i].Ended(ctx, operation, took, err)
	}
}

func (o *instrumented) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	ctx, began := o.begin(ctx, Get)
	doc, err := o.Backend.Get(ctx, id)
	o.end(ctx, Get, time.Since(began), err)
	return doc, err
}

func (o *instrumented) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	ctx, began := o.begin(ctx, GetAll)
	docs, err := o.Backend.GetAll(ctx, ids)
	o.end(ctx, GetAll, time.Since(began), err)
	return docs, err
}

func (o *instrumented) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		ctx, began := o.begin(ctx, List)
		var away time.Duration
		var failed error
		defer func() { o.end(ctx, List, time.Since(began)-away, failed) }()
		for doc, err := range o.Backend.List(ctx, q) {
			failed = err
			left := time.Now()
			more := yield(doc, err)
			away += time.Since(left)
			if !more {
				return
			}
		}
	}
}

func (o *instrumented) Referrers(ctx context.Context, of []dovetail.ID, after dovetail.ID, limit int) ([]dovetail.ID, error) {
	ctx, began := o.begin(ctx, Referrers)
	ids, err := o.Backend.Referrers(ctx, of, after, limit)
	o.end(ctx, Referrers, time.Since(began), err)
	return ids, err
}

// Remove is a Commit to observers.
func (o *instrumented) Remove(ctx context.Context, id dovetail.ID, by store.Provenance, plan func(*dovetail.Document) (store.Txn, bool)) (removed bool, err error) {
	inner, able := o.Backend.(store.Remover)
	if !able {
		return false, nil
	}
	ctx, began := o.begin(ctx, Commit)
	removed, err = inner.Remove(ctx, id, by, plan)
	o.end(ctx, Commit, time.Since(began), err)
	return removed, err
}

func (o *instrumented) Commit(ctx context.Context, txn store.Txn) error {
	ctx, began := o.begin(ctx, Commit)
	err := o.Backend.Commit(ctx, txn)
	o.end(ctx, Commit, time.Since(began), err)
	return err
}

func (o *instrumented) Head(ctx context.Context) (store.Cursor, error) {
	ctx, began := o.begin(ctx, Head)
	cursor, err := o.Backend.Head(ctx)
	o.end(ctx, Head, time.Since(began), err)
	return cursor, err
}

func (o *instrumented) Ping(ctx context.Context) error {
	ctx, began := o.begin(ctx, Ping)
	err := o.Backend.Ping(ctx)
	o.end(ctx, Ping, time.Since(began), err)
	return err
}
