package storetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

var resumeTests = []test{
	{"resume/every-cursor", testEveryCursor},
	{"resume/restart", testResumeAfterRestart},
	{"resume/invalid", testInvalidCursor},
	{"resume/other-store", testCursorOfOtherStore},
	{"resume/expired", testExpiredCursor},
	{"resume/slow-reader", testSlowReader},
	{"resume/many-readers", testManyReaders},
	{"resume/order", testOrder},
}

// someChanges commits n transactions on documents of their own and returns them as the feed has them.
func (e *env) someChanges(n int) []store.Transaction {
	e.Helper()
	cursor := e.head()
	for _, id := range numbered("project/", n) {
		e.put(newDocument(id), newDocument(id+"/app/a"))
	}
	sets := e.changesSince(cursor)
	if len(sets) != n {
		e.Fatalf("%d commits give %d transactions", n, len(sets))
	}
	return sets
}

// testEveryCursor resumes after each transaction, and gets what follows it; also from a cursor that was got by resuming.
func testEveryCursor(e *env) {
	sets := e.someChanges(12)
	for i, set := range sets {
		rest := e.changesSince(set.Cursor)
		e.wantFirst(rest, sets[i+1:])
		if len(rest) > 0 && i+2 <= len(sets) {
			e.wantFirst(e.changesSince(rest[0].Cursor), sets[i+2:])
		}
	}
}

// wantFirst fails unless got begins with want. A transaction may come with another cursor each time it is read: a backend
// keeps in it what else it had seen by then.
func (e *env) wantFirst(got, want []store.Transaction) {
	e.Helper()
	equal := func(a, b store.Transaction) bool {
		b.Cursor = a.Cursor
		return reflect.DeepEqual(a, b)
	}
	if len(got) < len(want) || !slices.EqualFunc(got[:len(want)], want, equal) {
		e.Errorf("transactions are\n%+v, want first\n%+v", got, want)
	}
}

func testResumeAfterRestart(e *env) {
	sets := e.someChanges(6)
	e.restart()
	e.wantFirst(e.changesSince(sets[1].Cursor), sets[2:])
	head := e.head()
	e.restart()
	if got := e.head(); got != head {
		e.Errorf("the head was %q, and is %q after a restart", head, got)
	}
	late := newDocument("project/late")
	e.put(late)
	if got := e.changesSince(head); len(got) != 1 || got[0].Changes[0] != changeOf(store.Created, late) {
		e.Errorf("after the old head come %+v", got)
	}
}

// wantEnd fails unless the changes after the cursor are one error of the code.
func (e *env) wantEnd(cursor store.Cursor, want dovetail.Code) {
	e.Helper()
	n := 0
	for set, err := range e.backend.Changes(e.Context(), cursor) {
		n++
		e.wantCode(fmt.Sprintf("Changes(%q) with %+v", cursor, set), err, want)
	}
	if n != 1 {
		e.Errorf("Changes(%q) yields %d times, want one error", cursor, n)
	}
}

func testInvalidCursor(e *env) {
	e.someChanges(2)
	head := e.head()
	for _, cursor := range []store.Cursor{"", "0", "x", head + "0", head + " ", "0" + head, head + "\x00", "-1", store.Cursor(make([]byte, 10_000))} {
		e.wantEnd(cursor, dovetail.CodeInvalid)
	}
}

func testCursorOfOtherStore(e *env) {
	other := e.config.Open(e.T)
	defer other.Close()
	if err := other.Commit(e.Context(), creation(newDocument("project/p"), "")); err != nil {
		e.Fatal(err)
	}
	cursor, err := other.Head(e.Context())
	if err != nil {
		e.Fatal(err)
	}
	e.someChanges(3)
	e.wantEnd(cursor, dovetail.CodeInvalid)
}

func testExpiredCursor(e *env) {
	if e.config.Expire == nil {
		e.Skip("the backend does not say how history expires")
	}
	fresh := e.head()
	sets := e.someChanges(3)
	e.config.Expire(e.T, e.backend)
	for _, cursor := range []store.Cursor{fresh, sets[0].Cursor, sets[2].Cursor} {
		e.wantEnd(cursor, dovetail.CodeExpired)
	}
	head := e.head()
	e.put(newDocument("project/more"))
	if got := e.changesSince(head); len(got) != 1 {
		e.Errorf("from the head on come %+v", got)
	}
}

// testSlowReader writes much while a reader has stopped in the middle; the writes go on, and the
// reader still gets all of it.
func testSlowReader(e *env) {
	const n = 600
	cursor := e.head()
	e.put(newDocument("project/first"))
	seen := 0
	for set, err := range e.backend.Changes(e.Context(), cursor) {
		if err != nil {
			e.Fatal(err)
		}
		if seen == 0 {
			for _, id := range numbered("project/", n) {
				e.put(newDocument(id))
			}
		}
		if seen += len(set.Changes); seen == n+1 {
			break
		}
	}
}

// testManyReaders shows that all readers get the same changes, wherever they start.
func testManyReaders(e *env) {
	const readers, n = 16, 100
	cursor := e.head()
	ctx, cancel := context.WithCancel(e.Context())
	defer cancel()
	var reading sync.WaitGroup
	seen := make([][]store.Change, readers)
	for reader := range readers {
		reading.Go(func() {
			for set, err := range e.backend.Changes(ctx, cursor) {
				if err != nil {
					e.Error(err)
					return
				}
				seen[reader] = append(seen[reader], set.Changes...)
				if len(seen[reader]) == n {
					return
				}
			}
		})
	}
	for _, id := range numbered("project/", n) {
		e.put(newDocument(id))
	}
	reading.Wait()
	for reader := range seen {
		if !slices.Equal(seen[reader], seen[0]) {
			e.Errorf("reader %d saw something else than reader 0", reader)
		}
	}
}
