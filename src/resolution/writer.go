package resolution

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// writer writes statuses, those that come at the same time in one transaction: a commit takes much longer than what is in it.
type writer struct {
	store Store
	fence store.Condition
	queue chan written
}

// written is a status that is to be written, and where its outcome goes.
type written struct {
	operation store.Operation
	outcome   chan<- outcomeOf
}

type outcomeOf struct {
	document *dovetail.Document
	err      error
}

// maxWritten and maxWrittenBytes bound one transaction: how many statuses, and about how large their files.
const (
	maxWritten      = 64
	maxWrittenBytes = 4 << 20
)

func newWriter(s Store, fence store.Condition) *writer {
	return &writer{store: s, fence: fence, queue: make(chan written)}
}

// write writes a status, and returns the document with it.
func (w *writer) write(ctx context.Context, operation store.Operation) (*dovetail.Document, error) {
	outcome := make(chan outcomeOf, 1)
	select {
	case w.queue <- written{operation, outcome}:
	case <-ctx.Done():
		return nil, dovetail.AsError(ctx.Err())
	}
	of := <-outcome // it comes in any case, and says what is stored
	return of.document, of.err
}

// run writes until the context ends. What it has taken on by then has an outcome.
func (w *writer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case first := <-w.queue:
			w.apply(ctx, w.gather(first))
		}
	}
}

// gather takes those that wait beside the first.
func (w *writer) gather(first written) []written {
	all, size := []written{first}, sizeOf(first)
	for len(all) < maxWritten && size < maxWrittenBytes {
		select {
		case next := <-w.queue:
			all, size = append(all, next), size+sizeOf(next)
		default:
			return all
		}
	}
	return all
}

func sizeOf(one written) int {
	n := 0
	for _, file := range one.operation.Content {
		n += len(file.Data)
	}
	return n
}

// apply writes them together, or, where one is refused, each by itself.
func (w *writer) apply(ctx context.Context, all []written) {
	operations := make([]store.Operation, len(all))
	for i, one := range all {
		operations[i] = one.operation
	}
	result, err := w.store.Apply(ctx, operations, store.Options{Fence: &w.fence})
	switch {
	case err == nil:
		for i, one := range all {
			one.outcome <- outcomeOf{document: result.Outcomes[i].Document}
		}
	case len(all) == 1:
		all[0].outcome <- outcomeOf{err: err}
	default:
		for _, one := range all {
			w.apply(ctx, []written{one})
		}
	}
}
