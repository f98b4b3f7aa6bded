package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

var changeTests = []test{
	{"changes/content", testChangeContent},
	{"changes/together", testChangesTogether},
	{"changes/nothing-happened", testNoChanges},
	{"changes/waits", testChangesWait},
	{"changes/ends-with-context", testChangesEnd},
	{"changes/concurrent-writers", testChangesOfWriters},
	{"changes/until-now", testChangesUntilNow},
}

const marker = dovetail.ID("marker/m")

// changesSince puts a marker and returns all that was committed between the cursor and the marker.
func (e *env) changesSince(cursor store.Cursor) []store.Transaction {
	e.Helper()
	end := newDocument(marker)
	e.put(end)
	var sets []store.Transaction
	for set, err := range e.backend.Changes(e.Context(), cursor) {
		if err != nil {
			e.Fatalf("Changes: %v", err)
		}
		if slices.ContainsFunc(set.Changes, func(c store.Change) bool { return c.UID == end.UID }) {
			break
		}
		sets = append(sets, set)
	}
	return sets
}

func changeOf(op store.Op, d *dovetail.Document) store.Change {
	return store.Change{Op: op, ID: d.ID, Kind: d.Kind, UID: d.UID, Revision: d.Revision}
}

// testChangeContent checks the change that each operation yields. It reads the changes after each step, so that a
// backend has no reason to leave one out.
func testChangeContent(e *env) {
	d := newDocument("project/p")
	renamed := next(next(d))
	renamed.Kind = "other"
	again := newDocument("project/p")
	steps := []struct {
		txn  store.Txn
		want store.Change
	}{
		{creation(d, ""), changeOf(store.Created, d)},
		{store.Txn{Require: []store.Condition{atVersion(d)}, Puts: []*dovetail.Document{next(d)}}, changeOf(store.Updated, next(d))},
		{store.Txn{Puts: []*dovetail.Document{renamed}}, changeOf(store.Updated, renamed)},
		{store.Txn{Deletes: []dovetail.ID{d.ID}}, changeOf(store.Deleted, renamed)},
		{creation(again, ""), changeOf(store.Created, again)},
	}
	for i, step := range steps {
		cursor := e.head()
		e.commit(step.txn)
		sets := e.changesSince(cursor)
		if len(sets) != 1 || !slices.Equal(sets[0].Changes, []store.Change{step.want}) {
			e.Errorf("step %d gives %+v, want %+v", i, sets, step.want)
		} else if sets[0].Time.IsZero() || sets[0].Cursor == "" || sets[0].Cursor == cursor {
			e.Errorf("step %d: time %v, cursor %q after %q", i, sets[0].Time, sets[0].Cursor, cursor)
		}
	}
}

// testChangesTogether commits several documents at once.
func testChangesTogether(e *env) {
	p, a, gone := newDocument("project/p"), newDocument("project/p/app/a"), newDocument("project/gone")
	e.put(p, gone)
	cursor := e.head()
	e.commit(store.Txn{Puts: []*dovetail.Document{a, next(p)}, Deletes: []dovetail.ID{gone.ID, "project/absent"}})
	sets := e.changesSince(cursor)
	if len(sets) != 1 {
		e.Fatalf("one commit gives %d transactions", len(sets))
	}
	want := []store.Change{changeOf(store.Created, a), changeOf(store.Updated, next(p)), changeOf(store.Deleted, gone)}
	for _, c := range want {
		if !slices.Contains(sets[0].Changes, c) {
			e.Errorf("%+v is not among %+v", c, sets[0].Changes)
		}
	}
	if len(sets[0].Changes) != len(want) {
		e.Errorf("%d changes, want %d", len(sets[0].Changes), len(want))
	}
}

func testNoChanges(e *env) {
	e.put(newDocument("project/p"))
	cursor := e.head()
	e.wantCode("a refused creation", e.backend.Commit(e.Context(), creation(newDocument("project/p"), "")), dovetail.CodeExists)
	e.commit(store.Txn{Deletes: []dovetail.ID{"project/q"}})
	e.commit(store.Txn{Require: []store.Condition{exists("project/p")}})
	if sets := e.changesSince(cursor); len(sets) > 0 {
		e.Errorf("nothing happened, but the changes are %+v", sets)
	}
}

// testChangesWait reads at the head, and commits one by one what it then reads.
func testChangesWait(e *env) {
	ids := numbered("project/", 20)
	cursor := e.head()
	e.put(newDocument(ids[0]))
	seen := 0
	for set, err := range e.backend.Changes(e.Context(), cursor) {
		if err != nil {
			e.Fatal(err)
		}
		if len(set.Changes) != 1 || set.Changes[0].ID != ids[seen] {
			e.Fatalf("transaction %d is %+v", seen, set)
		}
		if seen++; seen == len(ids) {
			break
		}
		if seen%2 == 0 {
			e.put(newDocument(ids[seen]))
			continue
		}
		go func() { // the reader waits by then, or soon
			if err := e.backend.Commit(e.Context(), creation(newDocument(ids[seen]), "")); err != nil {
				e.Error(err)
			}
		}()
	}
}

// testChangesUntilNow reads, after each few commits, all that was committed since it read last, while another writer goes on.
func testChangesUntilNow(e *env) {
	const rounds, perRound = 12, 3
	cursor := e.head()
	ctx, stop := context.WithCancel(e.Context())
	var busy sync.WaitGroup
	defer busy.Wait()
	defer stop()
	busy.Go(func() {
		for d := newDocument("busy/b"); ctx.Err() == nil; d = next(d) {
			if err := e.backend.Commit(ctx, store.Txn{Puts: []*dovetail.Document{d}}); err != nil && ctx.Err() == nil {
				e.Error(err)
				return
			}
		}
	})
	ids := numbered("project/", rounds*perRound)
	for round := range rounds {
		missing := make(map[dovetail.ID]bool)
		for _, id := range ids[round*perRound:][:perRound] {
			e.put(newDocument(id))
			missing[id] = true
		}
		for set, err := range e.backend.ChangesUntilNow(e.Context(), cursor) {
			if err != nil {
				e.Fatal(err)
			}
			for _, c := range set.Changes {
				delete(missing, c.ID)
			}
			cursor = set.Cursor
		}
		if len(missing) > 0 {
			e.Fatalf("round %d: %v was committed before the call and is not among the changes", round, missing)
		}
	}
	stop()
	busy.Wait()
	for range 2 { // of which the second has nothing to yield
		for set, err := range e.backend.ChangesUntilNow(e.Context(), cursor) {
			if err != nil {
				e.Fatal(err)
			}
			cursor = set.Cursor
		}
	}
	for set, err := range e.backend.ChangesUntilNow(e.Context(), cursor) {
		e.Errorf("nothing was committed, but there is %+v, %v", set, err)
	}
	for _, err := range e.backend.ChangesUntilNow(e.Context(), "no cursor") {
		e.wantCode("what is no cursor", err, dovetail.CodeInvalid)
	}
}

func testChangesEnd(e *env) {
	cursor := e.head()
	e.put(newDocument("project/p"))
	for _, ended := range []bool{true, false} {
		for _, makeContext := range []func() (context.Context, context.CancelFunc){
			func() (context.Context, context.CancelFunc) { return context.WithCancel(e.Context()) },
			func() (context.Context, context.CancelFunc) {
				return context.WithTimeout(e.Context(), 20*time.Millisecond)
			},
		} {
			ctx, cancel := makeContext()
			if ended {
				cancel()
			}
			for set, err := range e.backend.Changes(ctx, cursor) {
				if err != nil {
					e.Errorf("the end of the context gives %v", err)
				}
				if ended {
					e.Errorf("a context that ended before gives %+v", set)
				}
				time.AfterFunc(time.Millisecond, cancel) // while it waits for more
			}
			cancel()
		}
	}
}

// testChangesOfWriters follows many writers: everything comes, in the order of revisions.
func testChangesOfWriters(e *env) {
	const writers, rounds = 8, 25
	cursor := e.head()
	var busy sync.WaitGroup
	for writer := range writers {
		busy.Go(func() {
			d := newDocument(dovetail.ID(fmt.Sprintf("project/p%d", writer)))
			twin := newDocument(dovetail.ID(fmt.Sprintf("twin/p%d", writer)))
			for range rounds {
				if err := e.backend.Commit(e.Context(), store.Txn{Puts: []*dovetail.Document{d, twin}}); err != nil {
					e.Error(err)
				}
				d, twin = next(d), next(twin)
			}
		})
	}
	busy.Wait()
	last := make(map[dovetail.ID]uint64)
	for _, set := range e.changesSince(cursor) {
		if len(set.Changes) != 2 || set.Changes[0].Revision != set.Changes[1].Revision {
			e.Fatalf("documents of one commit come as %+v", set.Changes)
		}
		for _, c := range set.Changes {
			before := last[c.ID]
			skipped := c.Revision != before+1 && e.backend.Capabilities().EveryChange
			if c.Revision < before || skipped {
				e.Errorf("%s: revision %d comes after %d", c.ID, c.Revision, before)
			}
			last[c.ID] = c.Revision
		}
	}
	for id, revision := range last {
		if revision != rounds {
			e.Errorf("%s: the last revision that came is %d, want %d", id, revision, rounds)
		}
	}
	if len(last) != 2*writers {
		e.Errorf("changes of %d documents came, want %d", len(last), 2*writers)
	}
}
