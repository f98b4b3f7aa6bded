package storetest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

var snapshotTests = []test{
	{"snapshots/random-history", testRandomHistory},
	{"snapshots/restart", testSnapshotAfterRestart},
	{"snapshots/expired", testExpiredSnapshot},
	{"snapshots/invalid", testInvalidPosition},
	{"snapshots/under-writers", testSnapshotUnderWriters},
	{"snapshots/time", testPositionAtTime},
	{"snapshots/own-documents", testOwnDocuments},
	{"versions/of-a-life", testVersionsOfALife},
	{"versions/unknown", testVersionsOfNothing},
	{"versions/rewritten", testRewrittenVersions},
	{"versions/current", testCurrentVersions},
	{"transactions/newest-first", testTransactions},
}

// needsVersions skips the test where the backend keeps no versions; such a backend must say so.
func (e *env) needsVersions() {
	e.Helper()
	if e.backend.Capabilities().Versions {
		return
	}
	_, err := e.backend.At(e.Context(), "")
	e.wantCode("At without versions", err, dovetail.CodeExpired)
	e.Skip("the backend keeps no earlier versions")
}

// at returns the snapshot of a position.
func (e *env) at(position store.Cursor) store.Snapshot {
	e.Helper()
	s, err := e.backend.At(e.Context(), position)
	if err != nil {
		e.Fatalf("At(%q): %v", position, err)
	}
	return s
}

// moment is a position, with what the store held there.
type moment struct {
	position store.Cursor
	model    model
}

// testRandomHistory commits random transactions, and reads all positions back.
func testRandomHistory(e *env) {
	e.needsVersions()
	rounds.Checks(e.T, 10, 100)
	rapid.Check(e.T, func(t *rapid.T) {
		m := newMachine(t, e)
		past := []moment{{m.position, maps.Clone(m.model)}}
		for range rapid.IntRange(1, 12).Draw(t, "commits") {
			m.validTransaction(t)
			past = append(past, moment{e.head(), maps.Clone(m.model)})
		}
		for _, then := range past {
			e.compareMoment(t, then)
		}
	})
	e.wantClean()
}

// compareMoment reads a position in every way.
func (e *env) compareMoment(t *rapid.T, then moment) {
	s := e.at(then.position)
	if s.Position() != then.position {
		t.Fatalf("the snapshot of %s says that it is of %s", then.position, s.Position())
	}
	same := func(a, b *dovetail.Document) bool { return difference(a, b) == "" }
	for _, q := range []store.Query{{}, drawQuery.Draw(t, "query"), {Kind: rapid.SampledFrom(poolKinds).Draw(t, "kind")}} {
		var got []*dovetail.Document
		for d, err := range s.List(e.Context(), q) {
			if err != nil {
				t.Fatalf("List(%+v) at %s: %v", q, then.position, err)
			}
			got = append(got, d)
		}
		if want := selectFrom(q, then.model); !slices.EqualFunc(got, want, same) {
			t.Fatalf("List(%+v) at %s: %v, want %v", q, then.position, idsOf(got), idsOf(want))
		}
	}
	all, err := s.GetAll(e.Context(), poolIDs)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range poolIDs {
		want := then.model[id]
		one, err := s.Get(e.Context(), id)
		if code := dovetail.CodeOf(err); code != "" && (code != dovetail.CodeNotFound || want != nil) {
			t.Fatalf("Get(%s) at %s: %v", id, then.position, err)
		}
		if !same(one, want) || !same(all[i], want) {
			t.Fatalf("%s at %s is %v, of all %v, want %v", id, then.position, one, all[i], want)
		}
		referrers, err := s.Referrers(e.Context(), []dovetail.ID{id}, "", 0)
		if want := then.model.referrers(id, false); err != nil || !slices.Equal(referrers, want) {
			t.Fatalf("Referrers(%s) at %s: %v, %v, want %v", id, then.position, referrers, err, want)
		}
		if after := rapid.SampledFrom(poolIDs).Draw(t, "after"); len(referrers) > 0 {
			some, err := s.Referrers(e.Context(), []dovetail.ID{id}, after, 1)
			later := slices.DeleteFunc(referrers, func(r dovetail.ID) bool { return r <= after })
			if want := later[:min(1, len(later))]; err != nil || !slices.Equal(some, want) {
				t.Fatalf("Referrers(%s) after %s at %s: %v, %v, want %v", id, after, then.position, some, err, want)
			}
		}
	}
}

func testSnapshotAfterRestart(e *env) {
	e.needsVersions()
	a, b := newDocument("project/a"), newDocument("project/b")
	e.put(a, b)
	position := e.head()
	e.put(next(a, strong("project/b")))
	e.commit(store.Txn{Deletes: []dovetail.ID{"project/a"}})
	e.commit(store.Txn{Deletes: []dovetail.ID{"project/b"}})
	e.restart()
	documents, err := list(e.Context(), e.at(position), store.Query{})
	if err != nil || !slices.Equal(idsOf(documents), []dovetail.ID{"project/a", "project/b"}) || documents[0].Revision != 1 {
		e.Errorf("after a restart the snapshot has %v, %v", documents, err)
	}
	if documents := e.list(store.Query{}); len(documents) > 0 {
		e.Errorf("there are %v", idsOf(documents))
	}
}

func testExpiredSnapshot(e *env) {
	e.needsVersions()
	if e.config.Expire == nil {
		e.Skip("the backend does not say how to end the history")
	}
	e.put(newDocument("project/p"))
	position := e.head()
	s := e.at(position)
	e.put(next(e.get("project/p")))
	e.config.Expire(e.T, e.backend)
	_, err := e.backend.At(e.Context(), position)
	e.wantCode("At of an expired position", err, dovetail.CodeExpired)
	_, err = s.Get(e.Context(), "project/p")
	e.wantCode("Get of an expired snapshot", err, dovetail.CodeExpired)
	_, err = list(e.Context(), s, store.Query{})
	e.wantCode("List of an expired snapshot", err, dovetail.CodeExpired)
	_, err = e.backend.PositionAt(e.Context(), time.Unix(0, 0))
	e.wantCode("PositionAt of long ago", err, dovetail.CodeExpired)
	for v, err := range e.backend.Versions(e.Context(), "project/p") {
		if err != nil || v.Revision != 2 || v.Op != store.Updated {
			e.Errorf("of the expired versions there is %+v, %v", v, err)
		}
	}
	e.wantClean()
}

func testInvalidPosition(e *env) {
	e.needsVersions()
	for _, position := range []store.Cursor{"x", e.head() + "0000000", "-1"} {
		_, err := e.backend.At(e.Context(), position)
		e.wantCode(fmt.Sprintf("At(%q)", position), err, dovetail.CodeInvalid)
		for _, err := range e.backend.Transactions(e.Context(), position) {
			e.wantCode(fmt.Sprintf("Transactions(%q)", position), err, dovetail.CodeInvalid)
		}
	}
}

// testSnapshotUnderWriters reads pages at one position while a writer creates a node, points the link at it, and deletes the
// node before it: in no snapshot is the link left hanging.
func testSnapshotUnderWriters(e *env) {
	e.needsVersions()
	node := func(n int) dovetail.ID { return dovetail.ID(fmt.Sprintf("node/%04d", n)) }
	e.put(newDocument(node(0)), newDocument("link/l", strong(node(0))))
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		link := e.get("link/l")
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			link = next(link, strong(node(n)))
			for _, txn := range []store.Txn{{Puts: newDocuments(node(n))}, {Puts: []*dovetail.Document{link}}, {Deletes: []dovetail.ID{node(n - 1)}}} {
				if err := e.commitWithRetry(txn); err != nil {
					e.Error(err)
					return
				}
			}
		}
	})
	for range 20 {
		s := e.at("")
		var all []*dovetail.Document
		for after := dovetail.ID(""); ; {
			page, err := list(e.Context(), s, store.Query{After: after, Limit: 1})
			if err != nil {
				e.Error(err)
				break
			}
			if len(page) == 0 {
				break
			}
			all, after = append(all, page...), page[0].ID
			if s = e.at(s.Position()); e.Failed() {
				break
			}
		}
		if len(all) == 0 || all[0].ID != "link/l" || !slices.Contains(idsOf(all), all[0].References[0].ID) || len(all) > 3 {
			e.Errorf("a snapshot has %v", all)
		}
	}
	close(done)
	writer.Wait()
}

func testPositionAtTime(e *env) {
	e.needsVersions()
	cursor := e.head()
	for _, id := range numbered("project/", 5) {
		e.put(newDocument(id))
	}
	for i, set := range e.changesSince(cursor)[:5] {
		position, err := e.backend.PositionAt(e.Context(), set.Time)
		if err != nil {
			e.Fatalf("PositionAt(%s): %v", set.Time, err)
		}
		// Later commits may have the same time.
		documents, err := list(e.Context(), e.at(position), store.Query{Kind: "project"})
		if err != nil || len(documents) < i+1 {
			e.Errorf("at the time of commit %d there are %v, %v", i, idsOf(documents), err)
		}
	}
	position, err := e.backend.PositionAt(e.Context(), time.Now().Add(time.Hour))
	if err != nil {
		e.Fatal(err)
	}
	if documents, err := list(e.Context(), e.at(position), store.Query{Kind: "project"}); err != nil || len(documents) != 5 {
		e.Errorf("in an hour there are %v, %v", idsOf(documents), err)
	}
}

// testOwnDocuments: the store's own documents are always those of now.
func testOwnDocuments(e *env) {
	e.needsVersions()
	e.put(newDocument("_own/a"), newDocument("project/p"))
	position := e.head()
	e.put(next(e.get("_own/a")))
	s := e.at(position)
	if d, err := s.Get(e.Context(), "_own/a"); err != nil || d.Revision != 2 {
		e.Errorf("Get: %v, %v", d, err)
	}
	e.commit(store.Txn{Deletes: []dovetail.ID{"_own/a"}})
	_, err := s.Get(e.Context(), "_own/a")
	e.wantCode("Get of a deleted document of the store's own", err, dovetail.CodeNotFound)
}

// versions returns what happened to a document, the oldest first.
func (e *env) versions(id dovetail.ID) []store.Version {
	e.Helper()
	var all []store.Version
	for v, err := range e.backend.Versions(e.Context(), id) {
		if err != nil {
			e.Fatalf("Versions(%s): %v", id, err)
		}
		all = append(all, v)
	}
	slices.Reverse(all)
	return all
}

func testVersionsOfALife(e *env) {
	e.needsVersions()
	const id = dovetail.ID("project/p")
	first, again := newDocument(id), newDocument(id)
	second := next(first, strong("project/q"))
	writes := []struct {
		op       store.Op
		document *dovetail.Document // nil for a deletion
		message  string
	}{
		{store.Created, first, "begin"}, {store.Updated, second, "point at q"}, {store.Updated, next(second), ""},
		{store.Deleted, nil, "clean up"}, {store.Created, again, ""}, {store.Updated, next(again), "go on"}, {store.Deleted, nil, ""},
	}
	e.put(newDocument("project/p-x")) // its neighbours are not taken for it
	var want []store.Version
	for n, w := range writes {
		txn := store.Txn{Provenance: store.Provenance{Principal: "ann", Message: w.message, Origin: fmt.Sprint("test:", n)}}
		v := store.Version{Change: store.Change{Op: w.op, ID: id}, Document: w.document}
		if w.document != nil {
			txn.Puts = []*dovetail.Document{w.document}
			v.Change = changeOf(w.op, w.document)
		} else {
			txn.Deletes = []dovetail.ID{id}
			v.Change = changeOf(w.op, want[n-1].Document)
		}
		e.commit(txn)
		v.Provenance = txn.Provenance
		want = append(want, v)
		e.put(newDocument(dovetail.ID(fmt.Sprintf("project/p-%d", n))))

		got := e.versions(id)
		if len(got) != len(want) {
			e.Fatalf("after %d writes there are versions %+v", n+1, got)
		}
		for i := range got {
			if got[i].Cursor == "" || got[i].Time.IsZero() || got[i].Changes != nil {
				e.Errorf("version %d has the commit %+v", i, got[i].Transaction)
			}
			same := difference(got[i].Document, want[i].Document) == ""
			if d, err := e.at(got[i].Cursor).Get(e.Context(), id); got[i].Op != store.Deleted && (err != nil || difference(d, want[i].Document) != "") {
				e.Errorf("at the commit of version %d it is %v, %v", i, d, err)
			}
			if !same || got[i].Change != want[i].Change || got[i].Provenance != want[i].Provenance {
				e.Errorf("after %d writes version %d is\n%+v, want\n%+v", n+1, i, got[i], want[i])
			}
		}
	}
}

func testVersionsOfNothing(e *env) {
	e.needsVersions()
	e.put(newDocument("project/p/app/a"))
	for _, err := range e.backend.Versions(e.Context(), "project/p") {
		e.wantCode("Versions of nothing", err, dovetail.CodeNotFound)
	}
}

// testCurrentVersions asks for the versions that documents have, which Versions yields first of those that exist.
func testCurrentVersions(e *env) {
	e.needsVersions()
	by := func(principal string) store.Provenance { return store.Provenance{Principal: principal} }
	first, gone := newDocument("project/p"), newDocument("project/gone")
	e.commit(store.Txn{Puts: []*dovetail.Document{first, gone, newDocument("project/q")}, Provenance: by("ann")})
	e.commit(store.Txn{Puts: []*dovetail.Document{next(first)}, Provenance: by("bob")})
	e.commit(store.Txn{Deletes: []dovetail.ID{gone.ID}, Provenance: by("bob")})
	e.put(newDocument("project/r/app/a")) // below one that does not exist
	ids := []dovetail.ID{"project/q", "project/gone", "project/p", "project/r", "project/q"}
	got, err := e.backend.CurrentVersions(e.Context(), ids)
	if err != nil || len(got) != len(ids) {
		e.Fatalf("%v, %v", got, err)
	}
	for i, id := range ids {
		if id == "project/gone" || id == "project/r" {
			if got[i] != nil {
				e.Errorf("%s does not exist, and has the version %+v", id, got[i])
			}
			continue
		}
		all := e.versions(id)
		want := all[len(all)-1]
		want.Document = nil
		if got[i] == nil || !reflect.DeepEqual(*got[i], want) {
			e.Errorf("%s has the version\n%+v, want\n%+v", id, got[i], want)
		}
	}
	if none, err := e.backend.CurrentVersions(e.Context(), nil); err != nil || len(none) != 0 {
		e.Errorf("of no ids: %v, %v", none, err)
	}
}

func testTransactions(e *env) {
	e.needsVersions()
	cursor := e.head()
	for n, id := range numbered("project/", 5) {
		e.commit(store.Txn{Puts: newDocuments(id, id+"/app/a"), Provenance: store.Provenance{Principal: "ann", Message: fmt.Sprint("step ", n)}})
	}
	want := e.changesSince(cursor)
	var got []store.Transaction
	for set, err := range e.backend.Transactions(e.Context(), "") {
		if err != nil {
			e.Fatal(err)
		}
		got = append(got, set)
	}
	slices.Reverse(got)
	// A backend may give one position more than one text.
	same := func(a, b store.Transaction) bool {
		a.Cursor = b.Cursor
		return reflect.DeepEqual(a, b)
	}
	if len(got) != len(want)+1 || !slices.EqualFunc(got[:len(want)], want, same) { // the marker came after them
		e.Fatalf("transactions\n%+v, want\n%+v", got, want)
	}
	for n, set := range want {
		if one, err := e.backend.Transaction(e.Context(), set.Cursor); err != nil || !reflect.DeepEqual(one, got[n]) {
			e.Errorf("transaction %d is %+v, %v", n, one, err)
		}
		for _, position := range []store.Cursor{set.Cursor, got[n].Cursor} {
			if documents, err := list(e.Context(), e.at(position), store.Query{Kind: "project"}); err != nil || len(documents) != n+1 {
				e.Errorf("at transaction %d there are %v, %v", n, idsOf(documents), err)
			}
		}
	}
	for n, set := range got[:5] {
		if set.Message != fmt.Sprint("step ", n) || set.Principal != "ann" || len(set.Changes) != 2 {
			e.Errorf("transaction %d is %+v", n, set)
		}
	}
	for set, err := range e.backend.Transactions(e.Context(), got[3].Cursor) {
		if err != nil || !reflect.DeepEqual(set, got[2]) {
			e.Errorf("before the fourth is %+v, %v", set, err)
		}
		break
	}
}
