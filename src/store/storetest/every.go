package storetest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

var everyTests = []test{
	{"every/commit", testEveryCommit},
	{"every/cursor-of-changes", testEveryCommitAfterChanges},
	{"every/page", testEveryPage},
	{"every/writers", testEveryCommitOfWriters},
	{"every/errors", testEveryCommitErrors},
}

// after returns the commits after a position, without those of the store's own documents, and the position of now.
func (e *env) after(b store.Backend, position store.Cursor) (sets []store.Transaction, now store.Cursor) {
	e.Helper()
	for set, err := range b.TransactionsAfter(e.Context(), position) {
		if err != nil {
			e.Fatalf("TransactionsAfter(%q): %v", position, err)
		}
		if now != "" {
			e.Fatalf("%+v comes after the position of now", set)
		}
		if len(set.Changes) == 0 {
			now = set.Cursor
		} else if !slices.ContainsFunc(set.Changes, func(c store.Change) bool { return store.IsInternal(c.ID) }) {
			sets = append(sets, set)
		}
	}
	if now == "" {
		e.Fatalf("TransactionsAfter(%q) does not end with the position of now", position)
	}
	return sets, now
}

// changesOf returns the changes of each transaction, in the order of ids.
func changesOf(sets []store.Transaction) [][]store.Change {
	all := make([][]store.Change, len(sets))
	for i, set := range sets {
		all[i] = slices.Clone(set.Changes)
		slices.SortFunc(all[i], func(a, b store.Change) int { return cmp.Compare(a.ID, b.ID) })
	}
	return all
}

// testEveryCommit commits what a later commit supersedes, in all ways, and finds each commit after each position, also after a restart.
func testEveryCommit(e *env) {
	e.needsVersions()
	start := e.at("").Position()
	old := e.head()
	d, other, brief := newDocument("project/p"), newDocument("project/p/app/a"), newDocument("project/brief")
	again := newDocument("project/brief")
	refers := next(next(d), weak("project/brief"))
	steps := []struct {
		txn  store.Txn
		want []store.Change
	}{
		{creation(d, ""), []store.Change{changeOf(store.Created, d)}},
		{creation(brief, ""), []store.Change{changeOf(store.Created, brief)}},
		{store.Txn{Puts: []*dovetail.Document{next(d)}}, []store.Change{changeOf(store.Updated, next(d))}},
		{store.Txn{Puts: []*dovetail.Document{refers}}, []store.Change{changeOf(store.Updated, refers)}},
		{store.Txn{Puts: []*dovetail.Document{next(refers), other}}, []store.Change{changeOf(store.Updated, next(refers)), changeOf(store.Created, other)}},
		{store.Txn{Puts: []*dovetail.Document{next(other)}}, []store.Change{changeOf(store.Updated, next(other))}},
		{store.Txn{Deletes: []dovetail.ID{brief.ID}}, []store.Change{changeOf(store.Deleted, brief)}},
		{creation(again, ""), []store.Change{changeOf(store.Created, again)}},
		{store.Txn{Puts: []*dovetail.Document{next(again)}}, []store.Change{changeOf(store.Updated, next(again))}},
		{store.Txn{Deletes: []dovetail.ID{brief.ID, other.ID}}, []store.Change{changeOf(store.Deleted, next(again)), changeOf(store.Deleted, next(other))}},
	}
	var want [][]store.Change
	for i, step := range steps {
		step.txn.Provenance = store.Provenance{Principal: "ann", Message: fmt.Sprint(i)}
		e.commit(step.txn)
		want = append(want, step.want)
	}
	check := func(what string, position store.Cursor, want [][]store.Change) []store.Transaction {
		e.Helper()
		got, now := e.after(e.backend, position)
		if !slices.EqualFunc(changesOf(got), want, slices.Equal[[]store.Change]) {
			e.Fatalf("%s there are\n%+v, want\n%+v", what, got, want)
		}
		if more, _ := e.after(e.backend, now); len(more) > 0 {
			e.Errorf("%s, after the position of now, there are %+v", what, more)
		}
		return got
	}
	check("after a cursor of Head", old, want)
	got := check("after the start", start, want)
	for i, set := range got {
		if set.Principal != "ann" || set.Message != fmt.Sprint(i) || set.Time.IsZero() {
			e.Errorf("transaction %d is %+v", i, set)
		}
		check(fmt.Sprintf("after transaction %d", i), set.Cursor, want[i+1:])
	}
	if e.config.Reopen != nil {
		e.restart()
		check("after a restart", got[3].Cursor, want[4:])
	}
}

// testEveryCommitAfterChanges reads the history after cursors of Changes: no commit that follows is missing.
func testEveryCommitAfterChanges(e *env) {
	e.needsVersions()
	start := e.head()
	a, b := newDocument("project/a"), newDocument("project/b")
	for range 6 {
		e.put(a)
		e.put(b)
		e.put(next(a), next(b))
		a, b = next(next(a)), next(next(b))
	}
	all, _ := e.after(e.backend, start)
	if len(all) != 18 {
		e.Fatalf("18 commits give %d transactions", len(all))
	}
	for set, err := range e.backend.ChangesUntilNow(e.Context(), start) {
		if err != nil {
			e.Fatal(err)
		}
		last := slices.IndexFunc(all, func(one store.Transaction) bool {
			return slices.ContainsFunc(one.Changes, func(c store.Change) bool {
				return c.UID == set.Changes[0].UID && c.Revision == set.Changes[0].Revision
			})
		})
		got, _ := e.after(e.backend, set.Cursor)
		want := changesOf(all[last+1:])
		if have := changesOf(got); len(have) < len(want) || !slices.EqualFunc(have[len(have)-len(want):], want, slices.Equal[[]store.Change]) {
			e.Errorf("after the cursor of %+v there are %+v, want %+v", set, have, want)
		}
	}
}

// testEveryPage commits more than a backend reads at a time.
func testEveryPage(e *env) {
	e.needsVersions()
	const writers, each = 8, 100
	start := e.at("").Position()
	together(writers, func(writer int) {
		d := newDocument(dovetail.ID(fmt.Sprintf("project/p%d", writer)))
		for range each {
			if err := e.backend.Commit(e.Context(), store.Txn{Puts: []*dovetail.Document{d}}); err != nil {
				e.Error(err)
				return
			}
			d = next(d)
		}
	})
	sets, _ := e.after(e.backend, start)
	reader := newEveryReader()
	reader.add(e, sets)
	if len(sets) != writers*each {
		e.Errorf("%d commits give %d transactions", writers*each, len(sets))
	}
}

// everyReader fails a test if the commits that it reads are not all, each in its place.
type everyReader struct {
	last map[dovetail.ID]store.Change
}

func newEveryReader() *everyReader { return &everyReader{last: make(map[dovetail.ID]store.Change)} }

func (r *everyReader) add(e *env, sets []store.Transaction) {
	e.Helper()
	for _, set := range sets {
		for _, c := range set.Changes {
			before, met := r.last[c.ID]
			there := met && before.Op != store.Deleted
			switch {
			case c.Op == store.Created && !there && c.Revision == 1:
			case c.Op == store.Updated && there && c.UID == before.UID && c.Revision == before.Revision+1:
			case c.Op == store.Deleted && there && c.UID == before.UID && c.Revision == before.Revision:
			default:
				e.Errorf("%+v comes after %+v", c, before)
			}
			r.last[c.ID] = c
		}
	}
}

// testEveryCommitOfWriters reads from one position of now to the next at several connections while documents are updated alone and
// with others, deleted, and created again: what is read is a history without holes.
func testEveryCommitOfWriters(e *env) {
	e.needsVersions()
	const writers, steps, documents = 6, 60, 5
	connections := []store.Backend{e.backend}
	for e.config.Join != nil && len(connections) < 3 {
		b := e.config.Join(e.T, e.backend)
		defer b.Close()
		connections = append(connections, b)
	}
	position := e.at("").Position()
	var writing sync.WaitGroup
	ctx, stop := context.WithCancel(e.Context())
	defer stop()
	for w := range writers {
		writing.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 3))
			for range steps {
				e.step(connections[w%len(connections)], random, documents)
			}
		})
	}
	go func() {
		writing.Wait()
		stop()
	}()
	reader := newEveryReader()
	for n := 0; ; n++ {
		ended := ctx.Err() != nil
		var sets []store.Transaction
		sets, position = e.after(connections[n%len(connections)], position)
		reader.add(e, sets)
		if ended {
			break
		}
	}
	for id, c := range reader.last {
		doc, err := e.backend.Get(e.Context(), id)
		if gone := dovetail.CodeOf(err) == dovetail.CodeNotFound; gone != (c.Op == store.Deleted) || !gone && doc.Revision != c.Revision {
			e.Errorf("the last change is %+v, but there is %+v (%v)", c, doc, err)
		}
	}
}

func testEveryCommitErrors(e *env) {
	e.needsVersions()
	position := e.at("").Position()
	e.put(newDocument("project/p"))
	for _, err := range e.backend.TransactionsAfter(e.Context(), "no cursor") {
		e.wantCode("what is no cursor", err, dovetail.CodeInvalid)
	}
	ctx, cancel := context.WithCancel(e.Context())
	cancel()
	for set, err := range e.backend.TransactionsAfter(ctx, position) {
		if err == nil {
			e.Errorf("a context that ended before gives %+v", set)
		}
	}
	if e.config.Expire == nil {
		return
	}
	e.config.Expire(e.T, e.backend)
	n := 0
	for _, err := range e.backend.TransactionsAfter(e.Context(), position) {
		n++
		e.wantCode("after what has expired", err, dovetail.CodeExpired)
	}
	if n != 1 {
		e.Errorf("what has expired yields %d times, want one error", n)
	}
}
