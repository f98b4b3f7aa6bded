package storetest

import (
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

var deadlineTests = []test{
	{"deadline/too-late", testTooLate},
}

// testTooLate commits transactions of all forms from the moment on before which they must: nothing of them is done, and nothing
// of them is in the way of the same ones in time.
func testTooLate(e *env) {
	if e.backend.Capabilities().Exclusive {
		e.Skip("no other process has the database open")
	}
	parent, target := newDocument("p/1"), newDocument("t/1")
	there := newDocument("p/1/c/there")
	e.put(parent, target, there)
	child := newDocument("p/1/c/new")
	second, third := next(there), next(next(there), strong("t/1"))
	cases := []struct {
		name string
		txn  store.Txn
	}{
		{"create", creation(child, "p/1")},
		{"update", store.Txn{Puts: []*dovetail.Document{second}, Require: []store.Condition{atVersion(there)}}},
		{"update with another reference", store.Txn{Puts: []*dovetail.Document{third}, Require: []store.Condition{atVersion(second), exists("t/1")}}},
		{"several documents", store.Txn{Puts: []*dovetail.Document{next(third), next(child)}, Require: []store.Condition{atVersion(third), atVersion(child)}}},
		{"delete", store.Txn{Deletes: []dovetail.ID{child.ID}, Require: []store.Condition{atVersion(next(child)), childless(child.ID), unreferenced(child.ID)}}},
	}
	for _, c := range cases {
		now, err := e.backend.Time(e.Context())
		if err != nil {
			e.Fatal(err)
		}
		before := e.list(store.Query{})
		c.txn.Before = func() time.Time { return now }
		err = e.backend.Commit(e.Context(), c.txn)
		e.wantCode(c.name, err, dovetail.CodeConflict)
		if reason := dovetail.AsError(err).Reason; reason != store.ReasonTooLate {
			e.Errorf("%s: the reason is %q", c.name, reason)
		}
		after := e.list(store.Query{})
		if len(after) != len(before) {
			e.Fatalf("%s: %d documents are there, %d were before", c.name, len(after), len(before))
		}
		for i, d := range after {
			if d.ETag() != before[i].ETag() {
				e.Errorf("%s: it left %s at %s", c.name, d.ID, d.ETag().Version())
			}
		}
		c.txn.Before = func() time.Time { return now.Add(time.Hour) }
		e.commit(c.txn)
	}
	e.wantClean()
}
