package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

var writeTests = []test{
	{"write/put", testPut},
	{"write/delete", testDelete},
	{"write/again", testCreateAgain},
	{"write/inputs", testReplaceInputs},
	{"write/many", testManyInOne},
	{"write/cancelled", testCancelledCommit},
	{"write/cancelled-under-way", testCancelledUnderWay},
}

var integrityTests = []test{
	{"integrity/cycle", testCycle},
	{"integrity/itself", testSelfReference},
	{"integrity/weak", testWeakReference},
	{"integrity/move", testMoveReference},
	{"integrity/any-order", testAnyOrder},
}

// testPut creates and replaces without conditions.
func testPut(e *env) {
	d := newDocument("project/p", strong("cluster/absent"))
	for range 3 {
		e.put(d)
		if diff := difference(e.get(d.ID), d); diff != "" {
			e.Error(diff)
		}
		d = next(d)
	}
	e.put(newDocument("project/absent/app/a")) // that a parent exists is a condition like any other
	if got := idsOf(e.list(store.Query{})); len(got) != 2 {
		e.Errorf("the store has %v", got)
	}
}

func testDelete(e *env) {
	e.put(newDocuments("project/p", "project/p/app/a", "project/p-x")...)
	head := e.head()
	e.commit(store.Txn{Deletes: []dovetail.ID{"project/q", "project/p/app", "project"}})
	if n := len(e.list(store.Query{})); n != 3 || e.head() != head {
		e.Errorf("deleting what does not exist left %d of 3 documents, or moved the head", n)
	}
	e.commit(store.Txn{Deletes: []dovetail.ID{"project/q", "project/p"}})
	if got, want := idsOf(e.list(store.Query{})), []dovetail.ID{"project/p-x", "project/p/app/a"}; !slices.Equal(got, want) {
		e.Errorf("after the deletion there is %v, want %v", got, want)
	}
}

// testCreateAgain deletes a document and creates another one in its place.
func testCreateAgain(e *env) {
	first, second := newDocument("project/p"), newDocument("project/p")
	e.commit(creation(first, ""))
	e.wantCode("a second creation", e.backend.Commit(e.Context(), creation(second, "")), dovetail.CodeExists)
	e.commit(removal(first))
	e.wantCode("a second removal", e.backend.Commit(e.Context(), removal(first)), dovetail.CodeNotFound)
	e.commit(creation(second, ""))
	e.wantCode("removal of the first", e.backend.Commit(e.Context(), removal(first)), dovetail.CodeStale)
	if diff := difference(e.get("project/p"), second); diff != "" {
		e.Error(diff)
	}
}

// testReplaceInputs replaces a document by one with other inputs, and by one without.
func testReplaceInputs(e *env) {
	doc := newDocument("project/p")
	doc.Status, doc.Inputs = json.RawMessage(`{"n":1}`), []dovetail.ID{"source/a"}
	e.commit(creation(doc, ""))
	for _, inputs := range [][]dovetail.ID{{"source/b", "source/a"}, {"source/b"}, nil} {
		was := doc
		doc = next(was)
		doc.Inputs = inputs
		e.commit(store.Txn{Require: []store.Condition{atVersion(was)}, Puts: []*dovetail.Document{doc}})
		if diff := difference(e.get("project/p"), doc); diff != "" {
			e.Error(diff)
		}
	}
}

// testManyInOne creates, replaces and deletes thousands of documents in single transactions.
func testManyInOne(e *env) {
	const n = 3000
	ids := numbered("project/p/app/", n)
	documents := newDocuments(ids...)
	for i, d := range documents {
		d.References = []dovetail.Reference{strong("project/p"), strong(ids[(i+1)%n])}
	}
	txn := store.Txn{Puts: append(documents, newDocument("project/p"))}
	for _, id := range ids {
		txn.Require = append(txn.Require, absent(id), exists("project/p"))
	}
	e.commit(txn)
	if got := len(e.list(store.Query{Under: "project/p"})); got != n {
		e.Fatalf("%d of %d documents are there", got, n)
	}
	err := e.backend.Commit(e.Context(), txn)
	if got := len(parts(err)); got != n {
		e.Errorf("the same again gives %d errors, want %d", got, n)
	}

	replace := store.Txn{}
	for i, d := range documents {
		replace.Require = append(replace.Require, atVersion(d))
		replace.Puts = append(replace.Puts, next(d, strong(ids[(i+2)%n])))
	}
	e.commit(replace)
	if got := len(e.referrers("project/p")); got > 0 {
		e.Errorf("%d references are left", got)
	}
	remove := store.Txn{Require: []store.Condition{childless("project/p")}, Deletes: append(ids, "project/p")}
	for _, id := range ids {
		remove.Require = append(remove.Require, unreferenced(id))
	}
	e.commit(remove)
	if got := len(e.list(store.Query{})); got > 0 {
		e.Errorf("%d documents are left", got)
	}
	e.wantClean()
}

func testCancelledCommit(e *env) {
	ctx, cancel := context.WithCancel(e.Context())
	cancel()
	head := e.head()
	err := e.backend.Commit(ctx, creation(newDocument("project/p"), ""))
	e.wantCode("Commit", err, dovetail.CodeCanceled)
	if e.exists("project/p") || e.head() != head {
		e.Error("a commit that was cancelled before it began was done")
	}
}

// testCancelledUnderWay cancels commits while others run: what was acknowledged is there, what was
// cancelled is not, and only of what is not known either may be.
func testCancelledUnderWay(e *env) {
	var workers sync.WaitGroup
	for worker := range 8 {
		workers.Go(func() {
			for i := range 40 {
				id := dovetail.ID(fmt.Sprintf("project/p%d-%d", worker, i))
				ctx, cancel := context.WithCancel(e.Context())
				if i%2 == 0 {
					go cancel()
				}
				err := e.backend.Commit(ctx, creation(newDocument(id), ""))
				cancel()
				_, missing := e.backend.Get(e.Context(), id)
				switch code := dovetail.CodeOf(err); {
				case code == "" && missing != nil:
					e.Errorf("%s was acknowledged, but Get gives %v", id, missing)
				case code == dovetail.CodeCanceled && dovetail.CodeOf(missing) != dovetail.CodeNotFound:
					e.Errorf("%s was cancelled, but it is there (%v)", id, missing)
				case code != "" && code != dovetail.CodeCanceled && code != dovetail.CodeUnknown:
					e.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	workers.Wait()
	e.wantClean()
}

// testCycle creates documents that refer to one another in a circle, and deletes them together.
func testCycle(e *env) {
	a, b, c := newDocument("a/1", strong("b/1")), newDocument("b/1", strong("c/1")), newDocument("c/1", strong("a/1"))
	child := newDocument("a/1/d/1", strong("a/1"))
	create := store.Txn{Puts: []*dovetail.Document{child, c, a, b}}
	for _, d := range create.Puts {
		create.Require = append(create.Require, absent(d.ID))
		for _, r := range d.References {
			create.Require = append(create.Require, exists(r.ID))
		}
	}
	open := create
	open.Puts = create.Puts[:3]
	e.wantCode("a circle with a gap", e.backend.Commit(e.Context(), open), dovetail.CodeMissing)
	e.commit(create)

	for _, d := range []*dovetail.Document{a, b, c} {
		e.wantCode("deletion of "+string(d.ID), e.backend.Commit(e.Context(), removal(d)), dovetail.CodeInUse)
	}
	var remove store.Txn
	for _, d := range []*dovetail.Document{a, b, c, child} {
		remove.Require = append(remove.Require, removal(d).Require...)
		remove.Deletes = append(remove.Deletes, d.ID)
	}
	without := remove
	without.Deletes = remove.Deletes[:3]
	err := e.backend.Commit(e.Context(), without)
	e.wantCode("deletion without the child", err, dovetail.CodeInUse)
	e.commit(remove)
	if n := len(e.list(store.Query{})); n > 0 {
		e.Errorf("%d documents are left", n)
	}
}

func testSelfReference(e *env) {
	d := newDocument("project/p", strong("project/p"), weak("project/p"))
	e.commit(creation(d, ""))
	if got := e.referrers("project/p"); len(got) > 0 {
		e.Errorf("it is its own referrer: %v", got)
	}
	e.commit(removal(d))
}

func testWeakReference(e *env) {
	target, referrer := newDocument("cluster/c"), newDocument("app/a", weak("cluster/c"), weak("cluster/absent"))
	e.commit(creation(target, ""))
	e.commit(creation(referrer, ""))
	e.commit(removal(target))
	if got, want := e.referrers("cluster/c"), []dovetail.ID{"app/a"}; !slices.Equal(got, want) {
		e.Errorf("referrers of the deleted target are %v, want %v", got, want)
	}
	both := next(referrer, weak("cluster/c"), strong("cluster/c"))
	e.commit(store.Txn{Puts: []*dovetail.Document{target, both}})
	e.wantCode("deletion of a target with a weak and a strong reference", e.backend.Commit(e.Context(), removal(target)), dovetail.CodeInUse)
}

func testMoveReference(e *env) {
	old, target := newDocument("cluster/old"), newDocument("cluster/new")
	referrer := newDocument("app/a", strong(old.ID))
	e.put(old, referrer)
	moved := next(referrer, strong(target.ID))
	txn := removal(old)
	txn.Require = append(txn.Require, atVersion(referrer), absent(target.ID), exists(target.ID))
	txn.Puts = []*dovetail.Document{moved, target}
	e.commit(txn)
	if got := e.referrers(target.ID); e.exists(old.ID) || !slices.Equal(got, []dovetail.ID{"app/a"}) {
		e.Errorf("after the move the new target's referrers are %v", got)
	}
	e.wantCode("deletion of the new target", e.backend.Commit(e.Context(), removal(target)), dovetail.CodeInUse)
}

// testAnyOrder creates a hierarchy from the leaves up, in one transaction.
func testAnyOrder(e *env) {
	path := []dovetail.ID{"project/p", "project/p/app/a", "project/p/app/a/intent/i", "project/p/app/a/intent/i/rule/r"}
	for range 2 {
		var txn store.Txn
		for i, id := range path {
			if i > 0 {
				txn.Require = append(txn.Require, exists(path[i-1]))
			}
			txn.Puts = append(txn.Puts, newDocument(id))
		}
		e.commit(txn)
		slices.Reverse(txn.Puts)
		slices.Reverse(txn.Require)
		e.commit(txn)
		txn = store.Txn{Require: []store.Condition{childless(path[0]), childless(path[2])}, Deletes: slices.Clone(path)}
		slices.Reverse(path)
		e.commit(txn)
		slices.Sort(path)
	}
	e.wantClean()
}
