package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

var conditionTests = []test{
	{"conditions/one", testOneCondition},
	{"conditions/before-and-after", testBeforeAndAfter},
	{"conditions/all-reported", testAllReported},
	{"conditions/blockers", testBlockers},
	{"conditions/without-writes", testConditionsWithoutWrites},
	{"conditions/refusal-changes-nothing", testRefusalChangesNothing},
}

// testOneCondition tries each condition where it holds and where it does not.
func testOneCondition(e *env) {
	parent, child := newDocument("project/p1"), newDocument("project/p1/app/a")
	leaf, near := newDocument("project/p1-x"), newDocument("project/p10/app/a")
	target := newDocument("cluster/c1", strong("cluster/c1"))
	weakTarget := newDocument("cluster/c2")
	referrer := newDocument("dep/d1", strong("cluster/c1"), weak("cluster/c2"))
	e.put(parent, child, leaf, near, target, weakTarget, referrer)

	stale := next(parent)
	reborn := *parent
	reborn.UID = "another"
	cases := []struct {
		name      string
		condition store.Condition
		code      dovetail.Code // "" when it holds
		current   *dovetail.Document
		missing   []dovetail.ID
		blockedBy []dovetail.ID
	}{
		{name: "absent", condition: absent("project/p2")},
		{name: "absent below what exists", condition: absent("project/p1/app")},
		{name: "not absent", condition: absent("project/p1"), code: dovetail.CodeExists, current: parent},
		{name: "at version", condition: atVersion(parent)},
		{name: "at an older revision", condition: atVersion(stale), code: dovetail.CodeStale, current: parent},
		{name: "at another uid", condition: atVersion(&reborn), code: dovetail.CodeStale, current: parent},
		{name: "at a version of nothing", condition: atVersion(newDocument("project/p2")), code: dovetail.CodeNotFound},
		{name: "exists", condition: exists("project/p1/app/a")},
		{name: "does not exist", condition: exists("project/p"), code: dovetail.CodeMissing, missing: []dovetail.ID{"project/p"}},
		{name: "childless", condition: childless("project/p1/app/a")},
		{name: "childless beside near ids", condition: childless("project/p")},
		{name: "childless though absent", condition: childless("project/p1-x/app/a")},
		{name: "not childless", condition: childless("project/p1"), code: dovetail.CodeInUse, blockedBy: []dovetail.ID{"project/p1/app/a"}},
		{name: "absent with descendants", condition: childless("project/p10"), code: dovetail.CodeInUse, blockedBy: []dovetail.ID{"project/p10/app/a"}},
		{name: "unreferenced", condition: unreferenced("project/p1")},
		{name: "unreferenced beside near ids", condition: unreferenced("cluster/c")},
		{name: "unreferenced except weakly", condition: unreferenced("cluster/c2")},
		{name: "referenced", condition: unreferenced("cluster/c1"), code: dovetail.CodeInUse, blockedBy: []dovetail.ID{"dep/d1"}},
	}
	for i, c := range cases {
		written := dovetail.ID(fmt.Sprintf("result/%d", i))
		err := e.backend.Commit(e.Context(), store.Txn{Require: []store.Condition{c.condition},
			Puts: []*dovetail.Document{newDocument(written)}})
		if done := e.exists(written); done != (c.code == "") {
			e.Errorf("%s: the write was done: %v", c.name, done)
		}
		if c.code == "" {
			if err != nil {
				e.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		e.wantCode(c.name, err, c.code)
		var failure *dovetail.Error
		if !errors.As(err, &failure) {
			continue
		}
		var blockedBy []dovetail.ID
		if failure.BlockedBy != nil {
			blockedBy = failure.BlockedBy.IDs
		}
		if failure.Key != c.condition.ID || len(failure.Errors) > 0 {
			e.Errorf("%s: the error is about %q, with %d parts", c.name, failure.Key, len(failure.Errors))
		}
		if diff := difference(failure.Current, c.current); diff != "" {
			e.Errorf("%s: Current: %s", c.name, diff)
		}
		if !slices.Equal(failure.Missing, c.missing) || !slices.Equal(blockedBy, c.blockedBy) {
			e.Errorf("%s: Missing %v, BlockedBy %v, want %v, %v", c.name, failure.Missing, blockedBy, c.missing, c.blockedBy)
		}
	}
}

// testBeforeAndAfter gives transactions whose own writes decide conditions.
func testBeforeAndAfter(e *env) {
	p, a := newDocument("project/p"), newDocument("project/p/app/a")
	c1, c2 := newDocument("cluster/c1"), newDocument("cluster/c2")
	d := newDocument("dep/d", strong("cluster/c1"))
	fresh, below := newDocument("project/new"), newDocument("project/new/app/a")
	puts := func(documents ...*dovetail.Document) []*dovetail.Document { return documents }
	cases := []struct {
		name string
		txn  store.Txn
		code dovetail.Code
	}{
		{"absent speaks of before: deleted by the transaction", store.Txn{Require: []store.Condition{absent(a.ID)}, Deletes: []dovetail.ID{a.ID}}, dovetail.CodeExists},
		{"absent speaks of before: put by the transaction", store.Txn{Require: []store.Condition{absent(fresh.ID)}, Puts: puts(fresh)}, ""},
		{"version speaks of before: put by the transaction", store.Txn{Require: []store.Condition{atVersion(a)}, Puts: puts(next(a))}, ""},
		{"version speaks of before: the new one", store.Txn{Require: []store.Condition{atVersion(next(a))}, Puts: puts(next(a))}, dovetail.CodeStale},
		{"version speaks of before: deleted by the transaction", store.Txn{Require: []store.Condition{atVersion(a)}, Deletes: []dovetail.ID{a.ID}}, ""},
		{"exists speaks of after: put by the transaction", store.Txn{Require: []store.Condition{exists(fresh.ID)}, Puts: puts(below, fresh)}, ""},
		{"exists speaks of after: deleted by the transaction", store.Txn{Require: []store.Condition{exists(c1.ID)}, Deletes: []dovetail.ID{c1.ID}}, dovetail.CodeMissing},
		{"childless speaks of after: the child is deleted too", store.Txn{Require: []store.Condition{childless(p.ID)}, Deletes: []dovetail.ID{p.ID, a.ID}}, ""},
		{"childless speaks of after: a child is put", store.Txn{Require: []store.Condition{childless(c1.ID)}, Deletes: []dovetail.ID{c1.ID}, Puts: puts(newDocument("cluster/c1/label/l"))}, dovetail.CodeInUse},
		{"childless speaks of after: the child is put again", store.Txn{Require: []store.Condition{childless(p.ID)}, Puts: puts(next(a))}, dovetail.CodeInUse},
		{"childless speaks of after: one deleted, one put", store.Txn{Require: []store.Condition{childless(p.ID)}, Deletes: []dovetail.ID{a.ID}, Puts: puts(newDocument("project/p/app/b"))}, dovetail.CodeInUse},
		{"unreferenced speaks of after: the referrer is deleted too", store.Txn{Require: []store.Condition{unreferenced(c1.ID)}, Deletes: []dovetail.ID{d.ID, c1.ID}}, ""},
		{"unreferenced speaks of after: the reference moves", store.Txn{Require: []store.Condition{unreferenced(c1.ID), exists(c2.ID)}, Puts: puts(next(d, strong(c2.ID))), Deletes: []dovetail.ID{c1.ID}}, ""},
		{"unreferenced speaks of after: the reference turns weak", store.Txn{Require: []store.Condition{unreferenced(c1.ID)}, Puts: puts(next(d, weak(c1.ID))), Deletes: []dovetail.ID{c1.ID}}, ""},
		{"unreferenced speaks of after: the referrer is put again", store.Txn{Require: []store.Condition{unreferenced(c1.ID)}, Puts: puts(next(d, strong(c1.ID))), Deletes: []dovetail.ID{c1.ID}}, dovetail.CodeInUse},
		{"unreferenced speaks of after: a referrer is put", store.Txn{Require: []store.Condition{unreferenced(c2.ID)}, Puts: puts(newDocument("dep/e", strong(c2.ID))), Deletes: []dovetail.ID{c2.ID}}, dovetail.CodeInUse},
		{"unreferenced speaks of after: weak and strong at once", store.Txn{Require: []store.Condition{unreferenced(c2.ID)}, Puts: puts(newDocument("dep/e", weak(c2.ID), strong(c2.ID)))}, dovetail.CodeInUse},
		{"unreferenced: its own reference", store.Txn{Require: []store.Condition{unreferenced(c2.ID)}, Puts: puts(next(c2, strong(c2.ID)))}, ""},
		{"unreferenced speaks of after: from document to document", store.Txn{Require: []store.Condition{unreferenced(c1.ID)}, Puts: puts(next(d), newDocument("dep/e", strong(c1.ID)))}, dovetail.CodeInUse},
	}
	for _, c := range cases {
		e.commit(store.Txn{Deletes: idsOf(e.list(store.Query{}))})
		e.put(p, a, c1, c2, d)
		err := e.backend.Commit(e.Context(), c.txn)
		if c.code == "" && err != nil {
			e.Errorf("%s: %v", c.name, err)
		}
		if c.code != "" {
			e.wantCode(c.name, err, c.code)
		}
	}
}

// testAllReported fails many conditions at once: each is reported, in order, about its For.
func testAllReported(e *env) {
	p := newDocument("project/p")
	e.put(p, newDocument("project/p/app/a"), newDocument("dep/d", strong("project/p")))
	conditions := []struct {
		condition store.Condition
		code      dovetail.Code // "" when it holds
	}{
		{unreferenced("project/p"), dovetail.CodeInUse},
		{exists("project/p"), ""},
		{exists("project/x"), dovetail.CodeMissing},
		{absent("project/p"), dovetail.CodeExists},
		{childless("project/p"), dovetail.CodeInUse},
		{atVersion(next(p)), dovetail.CodeStale},
		{absent("project/x"), ""},
		{exists("project/x"), dovetail.CodeMissing},
		{atVersion(newDocument("project/y")), dovetail.CodeNotFound},
	}
	var txn store.Txn
	var want []string
	for i, c := range conditions {
		about := c.condition.ID
		if i%2 == 0 {
			about = dovetail.ID(fmt.Sprintf("for/%d", i))
			c.condition.For = about
		}
		txn.Require = append(txn.Require, c.condition)
		if c.code != "" {
			want = append(want, fmt.Sprintf("%s %s", c.code, about))
		}
	}
	txn.Puts = newDocuments("project/q")
	err := e.backend.Commit(e.Context(), txn)
	e.wantCode("many failures", err, dovetail.CodeInUse)
	var got []string
	for _, part := range parts(err) {
		got = append(got, fmt.Sprintf("%s %s", part.Code, part.Key))
	}
	if !slices.Equal(got, want) {
		e.Errorf("errors:\n got %s\nwant %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
	if e.exists("project/q") {
		e.Error("the refused creation was done")
	}
}

// parts returns the errors that were reported together.
func parts(err error) []*dovetail.Error {
	var e *dovetail.Error
	switch {
	case !errors.As(err, &e):
		return nil
	case len(e.Errors) > 0:
		return e.Errors
	}
	return []*dovetail.Error{e}
}

// testBlockers has more blockers than an error lists.
func testBlockers(e *env) {
	children, referrers := numbered("project/p/app/", 33), numbered("dep/", 27)
	e.put(newDocument("project/p"))
	e.put(newDocuments(children...)...)
	for _, id := range referrers {
		e.put(newDocument(id, strong("project/p"), weak("cluster/c")))
	}
	// Of the children one goes and one comes, in the middle; of the referrers one turns weak.
	extra := newDocument("project/p/app/000003-x")
	err := e.backend.Commit(e.Context(), store.Txn{
		Require: []store.Condition{childless("project/p"), unreferenced("project/p")},
		Deletes: []dovetail.ID{"project/p", children[5]},
		Puts:    []*dovetail.Document{extra, newDocument(referrers[2], weak("project/p"))},
	})
	children = slices.Insert(slices.Delete(children, 5, 6), 4, extra.ID)
	referrers = slices.Delete(referrers, 2, 3)
	all := parts(err)
	if len(all) != 2 {
		e.Fatalf("%d errors: %v", len(all), err)
	}
	for i, want := range [][]dovetail.ID{children, referrers} {
		blockers := all[i].BlockedBy
		if blockers == nil || blockers.Total != len(want) || !slices.Equal(blockers.IDs, want[:dovetail.MaxBlockers]) {
			e.Errorf("blockers are %+v, want the first %d of %v, total %d", blockers, dovetail.MaxBlockers, want, len(want))
		}
	}
}

func testConditionsWithoutWrites(e *env) {
	e.put(newDocument("project/p"))
	head := e.head()
	e.commit(store.Txn{})
	e.commit(store.Txn{Require: []store.Condition{exists("project/p"), absent("project/q")}})
	err := e.backend.Commit(e.Context(), store.Txn{Require: []store.Condition{exists("project/q")}})
	e.wantCode("a condition alone", err, dovetail.CodeMissing)
	if e.head() != head {
		e.Error("transactions without writes moved the head")
	}
}

// testRefusalChangesNothing refuses transactions that would write much, and compares everything.
func testRefusalChangesNothing(e *env) {
	kept := newDocument("project/p", strong("cluster/c"))
	child := newDocument("project/p/app/a", weak("cluster/c"))
	e.put(kept, child, newDocument("cluster/c"))
	before, head := e.list(store.Query{}), e.head()
	moved := next(kept, strong("cluster/d"))
	moved.Kind = "other"
	for _, failing := range []store.Condition{absent("project/p"), atVersion(next(kept)), exists("cluster/x"), childless("project/p"), unreferenced("cluster/e")} {
		err := e.backend.Commit(e.Context(), store.Txn{
			Require: []store.Condition{exists("cluster/e"), failing},
			Puts:    []*dovetail.Document{newDocument("cluster/e"), moved, newDocument("dep/d", strong("cluster/e"))},
			Deletes: []dovetail.ID{"cluster/c"},
		})
		if err == nil {
			e.Fatalf("the transaction that requires %+v was done", failing)
		}
	}
	after := e.list(store.Query{})
	if !slices.EqualFunc(before, after, func(a, b *dovetail.Document) bool { return difference(a, b) == "" }) {
		e.Errorf("documents were %v, are %v", idsOf(before), idsOf(after))
	}
	if got := e.referrers("cluster/c"); !slices.Equal(got, idsOf([]*dovetail.Document{kept, child})) {
		e.Errorf("referrers are %v", got)
	}
	if got := len(e.referrers("cluster/d")) + len(e.referrers("cluster/e")) + len(e.list(store.Query{Kind: "other"})); got > 0 {
		e.Error("indexes have entries of refused writes")
	}
	if e.head() != head {
		e.Error("refused transactions moved the head")
	}
	e.wantClean()
}
