package storetest

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

var raceTests = []test{
	{"races/delete-parent-insert-child", testParentRace},
	{"races/delete-target-insert-referrer", testTargetRace},
	{"races/delete-target-update-referrer", testUpdateRace},
	{"races/delete-each-other", testMutualRace},
	{"races/take-once", testTakeRace},
}

// race runs two transactions at the same time, of which exactly one can be done, and returns which. In odd rounds each
// has a connection of its own.
// The loser must get its code, and the one id that it is about.
func (e *env) race(round int, first, second store.Txn, firstLoses, secondLoses loss) (winner int) {
	e.Helper()
	results := make([]error, 2)
	connections := []store.Backend{e.backend, e.other()}
	together(2, func(i int) { results[i] = e.commitOn(connections[i*round%2], []store.Txn{first, second}[i]) })
	switch {
	case results[0] == nil && results[1] == nil:
		e.Fatalf("round %d: both were done", round)
	case results[0] == nil:
		secondLoses.check(e, round, results[1])
		return 0
	case results[1] == nil:
		firstLoses.check(e, round, results[0])
		return 1
	default:
		e.Fatalf("round %d: neither was done: %v; %v", round, results[0], results[1])
	}
	return 0
}

// loss is the refusal that the loser of a race must get.
type loss struct {
	code dovetail.Code
	id   dovetail.ID // what is missing or in the way
}

func (l loss) check(e *env, round int, err error) {
	e.Helper()
	for _, part := range parts(err) {
		ids := part.Missing
		if part.BlockedBy != nil {
			ids = part.BlockedBy.IDs
		}
		if part.Code == l.code && len(ids) == 1 && ids[0] == l.id {
			return
		}
	}
	e.Fatalf("round %d: the loser got %v, want code %s about %s", round, err, l.code, l.id)
}

func testParentRace(e *env) {
	for round := range rounds.Of(50, 500) {
		parent := newDocument(dovetail.ID(fmt.Sprintf("project/p%d", round)))
		child := newDocument(parent.ID + "/app/a")
		e.put(parent)
		winner := e.race(round, removal(parent), creation(child, parent.ID),
			loss{dovetail.CodeInUse, child.ID}, loss{dovetail.CodeMissing, parent.ID})
		if e.exists(parent.ID) != (winner == 1) || e.exists(child.ID) != (winner == 1) {
			e.Fatalf("round %d: parent is there: %v, child is there: %v", round, e.exists(parent.ID), e.exists(child.ID))
		}
	}
	e.wantClean()
}

func testTargetRace(e *env) {
	for round := range rounds.Of(50, 500) {
		target := newDocument(dovetail.ID(fmt.Sprintf("cluster/c%d", round)))
		referrer := newDocument(dovetail.ID(fmt.Sprintf("app/a%d", round)), strong(target.ID))
		e.put(target)
		winner := e.race(round, removal(target), creation(referrer, ""),
			loss{dovetail.CodeInUse, referrer.ID}, loss{dovetail.CodeMissing, target.ID})
		if e.exists(target.ID) != (winner == 1) || e.exists(referrer.ID) != (winner == 1) {
			e.Fatalf("round %d: target is there: %v, referrer is there: %v", round, e.exists(target.ID), e.exists(referrer.ID))
		}
	}
	e.wantClean()
}

// testUpdateRace adds a reference to a document that is there already.
func testUpdateRace(e *env) {
	referrer := newDocument("app/a")
	e.put(referrer)
	for round := range rounds.Of(30, 300) {
		target := newDocument(dovetail.ID(fmt.Sprintf("cluster/c%d", round)))
		e.put(target)
		changed := next(referrer, strong(target.ID))
		update := store.Txn{Require: []store.Condition{atVersion(referrer), exists(target.ID)}, Puts: []*dovetail.Document{changed}}
		winner := e.race(round, removal(target), update,
			loss{dovetail.CodeInUse, referrer.ID}, loss{dovetail.CodeMissing, target.ID})
		if winner == 1 {
			referrer = changed
		}
		if diff := difference(e.get(referrer.ID), referrer); diff != "" || e.exists(target.ID) != (winner == 1) {
			e.Fatalf("round %d: %s; target is there: %v", round, diff, e.exists(target.ID))
		}
	}
	e.wantClean()
}

// testMutualRace deletes each of two documents on the condition that the other one stays.
func testMutualRace(e *env) {
	for round := range rounds.Of(30, 300) {
		a := newDocument(dovetail.ID(fmt.Sprintf("a/%d", round)))
		b := newDocument(dovetail.ID(fmt.Sprintf("b/%d", round)))
		e.put(a, b)
		swap := func(gone, kept *dovetail.Document) store.Txn {
			txn := removal(gone)
			txn.Require = append(txn.Require, atVersion(kept), exists(kept.ID))
			txn.Puts = []*dovetail.Document{next(kept)}
			return txn
		}
		results := make([]error, 2)
		together(2, func(i int) {
			results[i] = e.commitWithRetry([]store.Txn{swap(a, b), swap(b, a)}[i])
		})
		if (results[0] == nil) == (results[1] == nil) || e.exists(a.ID) == e.exists(b.ID) {
			e.Fatalf("round %d: %v; %v; a is there: %v, b is there: %v", round, results[0], results[1], e.exists(a.ID), e.exists(b.ID))
		}
	}
}

// testTakeRace has writers put a document of their own together with an internal one that all want, which they pass on to the
// next round: exactly one of them has it.
func testTakeRace(e *env) {
	const writers = 8
	var holder *dovetail.Document
	for round := range rounds.Of(10, 2000) {
		taken := newDocument(dovetail.ID(fmt.Sprintf("_taken/%d", round)))
		own := make([]*dovetail.Document, writers)
		results := make([]error, writers)
		for i := range own {
			own[i] = newDocument(dovetail.ID(fmt.Sprintf("app/a%d-%d", round, i)))
		}
		together(writers, func(i int) {
			txn := store.Txn{Require: []store.Condition{absent(own[i].ID), {Test: store.Absent, ID: taken.ID, For: own[i].ID}}, Puts: []*dovetail.Document{own[i], taken}}
			if holder != nil { // one winner gives up what the last one had
				txn.Require = append(txn.Require, atVersion(holder))
				txn.Deletes = []dovetail.ID{holder.ID, dovetail.ID(fmt.Sprintf("_taken/%d", round-1))}
			}
			results[i] = e.commitWithRetry(txn)
		})
		won := -1
		for i, err := range results {
			if (err == nil) != e.exists(own[i].ID) {
				e.Fatalf("round %d: writer %d got %v, its document is there: %v", round, i, err, e.exists(own[i].ID))
			}
			if err == nil && won >= 0 {
				e.Fatalf("round %d: writers %d and %d both won", round, won, i)
			}
			if err == nil {
				won = i
			}
		}
		if won < 0 || !e.exists(taken.ID) || holder != nil && e.exists(holder.ID) {
			e.Fatalf("round %d: writer %d won: %v", round, won, results)
		}
		holder = own[won]
	}
	e.wantClean()
}
