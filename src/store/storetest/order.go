package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// testOrder has readers continue with their cursors at other connections again and again, while documents are updated alone and with others,
// deleted, and created again. No reader meets an earlier revision after a later one, or a document after its deletion, and
// in the end each knows what is there.
func testOrder(e *env) {
	const writers, readers, steps, documents = 6, 6, 60, 5
	connections := []store.Backend{e.backend}
	for e.config.Join != nil && len(connections) < 3 {
		b := e.config.Join(e.T, e.backend)
		defer b.Close()
		connections = append(connections, b)
	}
	head := e.head()
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			for range steps {
				e.step(connections[w%len(connections)], random, documents)
			}
		})
	}
	end := newDocument(marker)
	seen := make([]*order, readers)
	for r := range readers {
		seen[r] = &order{uids: make(map[string]bool), last: make(map[dovetail.ID]store.Change)}
		reading.Go(func() { e.roam(connections, uint64(r), head, end.UID, seen[r]) })
	}
	writing.Wait()
	e.put(end)
	reading.Wait()
	for r, o := range seen {
		for id, c := range o.last {
			doc, err := e.backend.Get(e.Context(), id)
			switch gone := dovetail.CodeOf(err) == dovetail.CodeNotFound; {
			case gone && c.Op != store.Deleted, !gone && (err != nil || c.Op == store.Deleted || doc.UID != c.UID || doc.Revision != c.Revision):
				e.Errorf("reader %d knows %+v last, but there is %+v (%v)", r, c, doc, err)
			}
		}
	}
}

// step writes to one document or two, as they are at the moment.
func (e *env) step(b store.Backend, random *rand.Rand, documents int) {
	var txn store.Txn
	first := random.IntN(documents)
	for i := range 1 + random.IntN(2) {
		id := dovetail.ID(fmt.Sprintf("project/p%d", (first+i)%documents))
		doc, err := b.Get(e.Context(), id)
		switch {
		case dovetail.CodeOf(err) == dovetail.CodeNotFound:
			txn.Require = append(txn.Require, store.Condition{Test: store.Absent, ID: id})
			txn.Puts = append(txn.Puts, newDocument(id))
		case err != nil:
			e.Error(err)
			return
		case random.IntN(6) == 0:
			txn.Require, txn.Deletes = append(txn.Require, atVersion(doc)), append(txn.Deletes, id)
		default:
			txn.Require, txn.Puts = append(txn.Require, atVersion(doc)), append(txn.Puts, next(doc))
		}
	}
	switch err := b.Commit(e.Context(), txn); dovetail.CodeOf(err) {
	case "", dovetail.CodeExists, dovetail.CodeStale, dovetail.CodeNotFound, dovetail.CodeConflict: // another writer was faster
	default:
		e.Error(err)
	}
}

// roam reads some transactions at one connection, the next ones at another, and so on up to the document with a uid.
func (e *env) roam(connections []store.Backend, seed uint64, cursor store.Cursor, end string, seen *order) {
	random := rand.New(rand.NewPCG(seed, 2))
	for n := int(seed); ; n++ {
		left := 1 + random.IntN(20)
		ctx, cancel := context.WithCancel(e.Context())
		for set, err := range connections[n%len(connections)].Changes(ctx, cursor) {
			if err != nil {
				e.Error(err)
				cancel()
				return
			}
			for _, c := range set.Changes {
				if c.UID == end {
					cancel()
					return
				}
				if problem := seen.add(c); problem != "" {
					e.Error(problem)
				}
			}
			cursor = set.Cursor
			if left--; left == 0 {
				break
			}
		}
		cancel()
	}
}

// order is what a reader has got.
type order struct {
	last map[dovetail.ID]store.Change
	uids map[string]bool // of documents that were created again meanwhile
}

// add says what is wrong with a change that follows.
func (o *order) add(c store.Change) string {
	before, met := o.last[c.ID]
	o.last[c.ID] = c
	switch {
	case o.uids[c.UID]:
		return fmt.Sprintf("%+v comes after %s was created again", c, c.ID)
	case !met:
	case before.UID != c.UID:
		o.uids[before.UID] = true
		if c.Op == store.Updated {
			return fmt.Sprintf("%+v comes after %+v, without its creation", c, before)
		}
	case c.Revision < before.Revision, before.Op == store.Deleted && c.Op != store.Deleted:
		return fmt.Sprintf("%+v comes after %+v", c, before)
	}
	return ""
}
