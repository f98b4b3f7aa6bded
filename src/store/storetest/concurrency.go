package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

var concurrencyTests = []test{
	{"concurrency/counters", testCounters},
	{"concurrency/one-creator", testOneCreator},
	{"concurrency/all-or-nothing", testAllOrNothing},
	{"concurrency/read-your-writes", testReadYourWrites},
	{"concurrency/lists", testListsAmongWriters},
}

// commitWithRetry commits, again while the backend says that competing writers made it back off.
func (e *env) commitWithRetry(txn store.Txn) error { return e.commitOn(e.backend, txn) }

// commitOn is commitWithRetry on another connection.
func (e *env) commitOn(b store.Backend, txn store.Txn) error {
	for {
		err := b.Commit(e.Context(), txn)
		if dovetail.CodeOf(err) != dovetail.CodeConflict {
			return err
		}
	}
}

// testCounters increments counters by compare-and-set from many goroutines; no increment is lost.
// Each that is refused continues from the current document in the refusal.
func testCounters(e *env) {
	const workers, increments, counters = 8, 30, 3
	count := func(d *dovetail.Document) int {
		n, err := strconv.Atoi(string(d.Data))
		if err != nil {
			e.Error(err)
		}
		return n
	}
	ids := numbered("counter/", counters)
	for _, id := range ids {
		d := newDocument(id)
		d.Data = json.RawMessage("0")
		e.put(d)
	}
	var busy sync.WaitGroup
	for worker := range workers {
		busy.Go(func() {
			for i := range increments {
				current, err := e.backend.Get(e.Context(), ids[(worker+i)%counters])
				for err == nil {
					n := next(current)
					n.Data = json.RawMessage(strconv.Itoa(count(current) + 1))
					err = e.commitWithRetry(store.Txn{Require: []store.Condition{atVersion(current)}, Puts: []*dovetail.Document{n}})
					if err == nil {
						break
					}
					var stale *dovetail.Error
					if errors.As(err, &stale) && stale.Code == dovetail.CodeStale {
						current, err = stale.Current, nil
					}
				}
				if err != nil {
					e.Error(err)
				}
			}
		})
	}
	busy.Wait()
	total := 0
	for _, id := range ids {
		d := e.get(id)
		total += count(d)
		if int(d.Revision) != count(d)+1 {
			e.Errorf("%s counts %d at revision %d", id, count(d), d.Revision)
		}
	}
	if want := workers * increments; total != want {
		e.Errorf("the counters have %d increments of %d", total, want)
	}
}

// testOneCreator lets many create one document: one wins, the others are shown what it created.
func testOneCreator(e *env) {
	const creators = 8
	for round := range rounds.Of(60, 300) {
		id := dovetail.ID(fmt.Sprintf("project/p%d", round))
		results := make([]error, creators)
		documents := make([]*dovetail.Document, creators)
		together(creators, func(i int) {
			documents[i] = newDocument(id)
			results[i] = e.commitWithRetry(creation(documents[i], ""))
		})
		winner := slices.Index(results, nil)
		if winner < 0 {
			e.Fatalf("round %d: no writer created it: %v", round, results)
		}
		for i, err := range results {
			var refusal *dovetail.Error
			switch {
			case i == winner:
			case err == nil:
				e.Fatalf("round %d: both %d and %d created it", round, winner, i)
			case !errors.As(err, &refusal) || refusal.Code != dovetail.CodeExists:
				e.Fatalf("round %d: %v", round, err)
			default:
				if diff := difference(refusal.Current, documents[winner]); diff != "" {
					e.Fatalf("round %d: the refusal shows something else than the winner: %s", round, diff)
				}
			}
		}
	}
}

// together runs n functions at the same time and waits for all.
func together(n int, run func(i int)) {
	var group sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		group.Go(func() {
			<-start
			run(i)
		})
	}
	close(start)
	group.Wait()
}

// testAllOrNothing creates overlapping batches at once: each is there whole or not at all.
func testAllOrNothing(e *env) {
	const writers, size = 6, 5
	for round := range rounds.Of(20, 60) {
		results := make([]error, writers)
		batches := make([][]*dovetail.Document, writers)
		together(writers, func(i int) {
			var txn store.Txn
			for n := range size { // each shares documents with its neighbours
				d := newDocument(dovetail.ID(fmt.Sprintf("round/%d/d/%d", round, i*size/2+n)))
				txn.Require = append(txn.Require, absent(d.ID))
				txn.Puts = append(txn.Puts, d)
			}
			batches[i] = txn.Puts
			results[i] = e.commitWithRetry(txn)
		})
		want := make(map[dovetail.ID]*dovetail.Document)
		for i, err := range results {
			if err != nil {
				e.wantCode("an overlapping batch", err, dovetail.CodeExists)
				continue
			}
			for _, d := range batches[i] {
				if want[d.ID] != nil {
					e.Fatalf("round %d: %s was created twice", round, d.ID)
				}
				want[d.ID] = d
			}
		}
		under := dovetail.ID(fmt.Sprintf("round/%d", round))
		expected := selectFrom(store.Query{Under: under}, want)
		got := e.list(store.Query{Under: under})
		if len(expected) == 0 || !slices.EqualFunc(got, expected, func(a, b *dovetail.Document) bool { return difference(a, b) == "" }) {
			e.Fatalf("round %d: there is %v, want %v", round, idsOf(got), idsOf(expected))
		}
	}
}

// testReadYourWrites reads after each own write, in every way, while others write too.
func testReadYourWrites(e *env) {
	together(8, func(worker int) {
		target := dovetail.ID(fmt.Sprintf("target/t%d", worker))
		parent := dovetail.ID(fmt.Sprintf("project/p%d", worker))
		for i := range 25 {
			d := newDocument(parent.Child("app", strconv.Itoa(i)), strong(target))
			if err := e.commitWithRetry(store.Txn{Puts: []*dovetail.Document{d}}); err != nil {
				e.Error(err)
				return
			}
			got, err := e.backend.Get(e.Context(), d.ID)
			if diff := difference(got, d); err != nil || diff != "" {
				e.Errorf("Get after Commit: %v, %s", err, diff)
			}
			all, err := e.backend.GetAll(e.Context(), []dovetail.ID{d.ID, parent})
			if err != nil || all[0] == nil {
				e.Errorf("GetAll after Commit: %v, %v", all, err)
			}
			listed, err := list(e.Context(), e.backend, store.Query{Under: parent, Kind: "app"})
			if err != nil || len(listed) != i+1 {
				e.Errorf("List after commit %d: %d documents, %v", i+1, len(listed), err)
			}
			referrers, err := e.backend.Referrers(e.Context(), []dovetail.ID{target}, "", 0)
			if err != nil || len(referrers) != i+1 {
				e.Errorf("Referrers after commit %d: %d, %v", i+1, len(referrers), err)
			}
		}
	})
}

// testListsAmongWriters lists while documents come and go: in order, none twice, and those that are
// there all the time always.
func testListsAmongWriters(e *env) {
	const staying = 40
	for _, id := range numbered("project/", staying) {
		e.put(newDocument(id))
	}
	done := make(chan struct{})
	var busy sync.WaitGroup
	for worker := range 3 {
		busy.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				d := newDocument(dovetail.ID(fmt.Sprintf("project/%06d-%d", i%staying, worker)))
				if err := e.commitWithRetry(store.Txn{Puts: []*dovetail.Document{d}}); err != nil {
					e.Error(err)
				}
				if err := e.commitWithRetry(removal(d)); err != nil {
					e.Error(err)
				}
			}
		})
	}
	for round := range rounds.Of(40, 200) {
		kind := []string{"", "project"}[round%2]
		var last dovetail.ID
		stayed := 0
		for d, err := range e.backend.List(e.Context(), store.Query{Kind: kind}) {
			if err != nil {
				e.Fatal(err)
			}
			if d.ID <= last {
				e.Fatalf("%s comes after %s", d.ID, last)
			}
			last = d.ID
			if len(d.ID) == len("project/000000") {
				stayed++
			}
		}
		if stayed != staying {
			e.Fatalf("a list shows %d of the %d documents that were there all the time", stayed, staying)
		}
	}
	close(done)
	busy.Wait()
}
