package simulation

import (
	"context"
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// past is a snapshot that a process has taken, and what it has read of it, each time.
type past struct {
	position store.Cursor
	begin    int // the number of the step before it was taken
	reads    []state
}

// takeSnapshot takes a snapshot of now and reads it whole, and then once more by its position. With head it begins with the position of now.
func (p *process) takeSnapshot(ctx context.Context, head bool) {
	taken := &past{begin: p.run.clock}
	if head {
		now, err := p.engine.Head(ctx)
		if err != nil {
			return
		}
		taken.position = now
	}
	s, err := p.engine.At(ctx, taken.position)
	if err != nil {
		return
	}
	taken.position = s.Position()
	p.run.pasts = append(p.run.pasts, taken)
	for range 2 {
		if seen, err := readAll(ctx, p.engine, taken.position); err == nil {
			taken.reads = append(taken.reads, seen)
		}
	}
}

// readAll reads all documents of a position.
func readAll(ctx context.Context, e *protocol.Engine, position store.Cursor) (state, error) {
	s, err := e.At(ctx, position)
	if err != nil {
		return nil, err
	}
	seen := make(state)
	for doc, err := range s.List(ctx, store.Query{}) {
		if err != nil {
			return nil, err
		}
		if !store.IsInternal(doc.ID) { // those are as they are now
			seen[doc.ID] = doc
		}
	}
	return seen, nil
}

// checkPasts reads every snapshot once more, at the end, and says what is wrong with them.
func (r *run) checkPasts() string {
	free := &process{Process: Process{Name: "reader"}, run: r}
	engine := protocol.New(r.server.Connect(nil), free.env(1), "")
	for _, taken := range r.pasts {
		last, err := readAll(context.Background(), engine, taken.position)
		switch {
		case dovetail.CodeOf(err) == dovetail.CodeExpired && !r.server.purged.IsZero():
			continue
		case err != nil:
			return "a snapshot cannot be read again: " + err.Error()
		}
		for n, seen := range append(taken.reads, last) {
			if seen.sum() != last.sum() {
				return fmt.Sprintf("reading %d of a snapshot gives %s, and the last one %s", n+1, seen, last)
			}
		}
		if problem := last.dangling(); problem != "" {
			return "in a snapshot " + problem
		}
		if problem := r.lacks(taken, last); problem != "" {
			return problem
		}
	}
	return ""
}

// lacks says what was committed before a snapshot was taken, and is not in it, or is in it and was never committed.
func (r *run) lacks(taken *past, seen state) string {
	possible := func(doc *dovetail.Document) bool {
		for _, first := range r.scenario.Documents {
			if first.ETag() == doc.ETag() {
				return true
			}
		}
		for _, op := range r.operations {
			if op.txn == nil || op.outcome == never {
				continue
			}
			for _, put := range op.txn.Puts {
				if put.ID == doc.ID && put.ETag() == doc.ETag() {
					return true
				}
			}
		}
		return false
	}
	for id, doc := range seen {
		if !possible(doc) {
			return fmt.Sprintf("a snapshot has %s@%s, which was never committed", id, doc.ETag().Version())
		}
	}
	for _, op := range r.operations {
		if op.txn == nil || op.outcome != applied || op.end > taken.begin {
			continue
		}
		for _, put := range op.txn.Puts {
			if got := seen[put.ID]; !store.IsInternal(put.ID) && (got == nil || got.UID == put.UID && got.Revision < put.Revision) && !r.mayBeDeleted(put.ID) {
				return fmt.Sprintf("a snapshot lacks %s@%s, which was committed before", put.ID, put.ETag().Version())
			}
		}
		for _, id := range op.txn.Deletes {
			if seen[id] != nil && !r.mayBePut(id) {
				return fmt.Sprintf("a snapshot has %s, which was deleted before", id)
			}
		}
	}
	return ""
}

func (r *run) mayBeDeleted(id dovetail.ID) bool {
	return r.anyTxn(func(txn *store.Txn) bool {
		for _, deleted := range txn.Deletes {
			if deleted == id {
				return true
			}
		}
		return false
	})
}

func (r *run) mayBePut(id dovetail.ID) bool {
	return r.anyTxn(func(txn *store.Txn) bool {
		for _, put := range txn.Puts {
			if put.ID == id {
				return true
			}
		}
		return false
	})
}

func (r *run) anyTxn(has func(*store.Txn) bool) bool {
	for _, op := range r.operations {
		if op.txn != nil && op.outcome != never && has(op.txn) {
			return true
		}
	}
	return false
}
