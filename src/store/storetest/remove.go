package storetest

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// removeTests test what a store.Remover promises, where the backend is one.
var removeTests = []test{
	{"remove/alone", removeAlone},
	{"remove/changes", removeChanges},
	{"remove/races", removeRaces},
}

// remover returns the backend as a store.Remover, or skips the test.
func (e *env) remover() store.Remover {
	e.Helper()
	r, able := e.backend.(store.Remover)
	if !able {
		e.Skip("the backend is no store.Remover")
	}
	return r
}

// removeAlone removes what nothing holds, as its plan says, and nothing else.
func removeAlone(e *env) {
	r := e.remover()
	parent, child, target, holder := newDocument("box/1"), newDocument("box/1/item/1"), newDocument("item/t"), newDocument("item/h", strong("item/t"), weak("item/w"))
	own, lax, kept := newDocument("item/own", strong("item/own")), newDocument("item/w"), newDocument("item/k")
	for _, d := range []*dovetail.Document{parent, child, target, lax, holder, own, kept, newDocument("box/2")} {
		e.put(d) // one by one, which leaves nothing to be done after the answer that may stand in the way
	}
	deletion := func(d *dovetail.Document) (store.Txn, bool) { return removal(d), true }
	tests := []struct {
		name string
		id   dovetail.ID
		plan func(*dovetail.Document) (store.Txn, bool)
		want bool
	}{
		{name: "what is not there", id: "box/9", plan: deletion},
		{name: "what the plan does not want", id: "item/k", plan: func(*dovetail.Document) (store.Txn, bool) { return store.Txn{}, false }},
		{name: "another document", id: "item/k", plan: func(*dovetail.Document) (store.Txn, bool) { return removal(lax), true }},
		{name: "two documents", id: "item/k", plan: func(d *dovetail.Document) (store.Txn, bool) {
			two := removal(d)
			two.Deletes = append(two.Deletes, own.ID)
			return two, true
		}},
		{name: "with a condition on another document", id: "item/k", plan: func(d *dovetail.Document) (store.Txn, bool) {
			txn := removal(d)
			txn.Require = append(txn.Require, exists("item/9"))
			return txn, true
		}},
		{name: "another version", id: "item/k", plan: func(d *dovetail.Document) (store.Txn, bool) { return removal(next(d)), true }},
		{name: "a parent", id: "box/1", plan: deletion},
		{name: "a target", id: "item/t", plan: deletion},
		{name: "a child", id: "box/1/item/1", plan: deletion, want: true},
		{name: "a parent without children", id: "box/2", plan: deletion, want: true},
		{name: "a referrer", id: "item/h", plan: deletion, want: true},
		{name: "what has been weakly referred to", id: "item/w", plan: deletion, want: true},
		{name: "what refers to itself", id: "item/own", plan: deletion, want: true},
	}
	for _, test := range tests {
		before := e.exists(test.id)
		got, err := r.Remove(e.Context(), test.id, store.Provenance{Principal: "ann"}, test.plan)
		if err != nil || got != test.want {
			e.Errorf("%s: %v, %v; want %v", test.name, got, err, test.want)
		}
		if there := e.exists(test.id); there != (before && !test.want) {
			e.Errorf("%s: there afterwards: %v", test.name, there)
		}
	}
	for _, d := range []*dovetail.Document{target, kept} { // a removal that was refused a moment ago may be left to Commit
		removed, err := r.Remove(e.Context(), d.ID, store.Provenance{}, deletion)
		if err != nil {
			e.Error(err)
		}
		if !removed {
			e.commit(removal(d))
		}
	}
}

// removeChanges: Changes shows a removal as any deletion, with its principal.
func removeChanges(e *env) {
	r := e.remover()
	d := newDocument("item/1")
	e.put(d)
	head, err := e.backend.Head(e.Context())
	if err != nil {
		e.Fatal(err)
	}
	removed, err := r.Remove(e.Context(), d.ID, store.Provenance{Principal: "ann"}, func(d *dovetail.Document) (store.Txn, bool) {
		txn := removal(d)
		txn.Provenance = store.Provenance{Principal: "ann"}
		return txn, true
	})
	if err != nil || !removed {
		e.Fatal(removed, err)
	}
	for set, err := range e.backend.Changes(e.Context(), head) {
		if err != nil {
			e.Fatal(err)
		}
		if len(set.Changes) != 1 || set.Changes[0].Op != store.Deleted || set.Changes[0].UID != d.UID || set.Principal != "ann" {
			e.Errorf("the change is %+v", set)
		}
		break
	}
}

// removeRaces removes parents and targets while children and referrers of them are created: each time either comes to be, at most.
func removeRaces(e *env) {
	r := e.remover()
	const rounds = 30
	removed := 0
	for n := range rounds {
		id := dovetail.ID(fmt.Sprintf("box/%d", n))
		e.put(newDocument(id))
		held := newDocument(id + "/item/1")
		if n%2 == 1 {
			held = newDocument(dovetail.ID(fmt.Sprintf("item/%d", n)), strong(id))
		}
		var both sync.WaitGroup
		var gone, created atomic.Bool
		both.Go(func() {
			for range 100 * n { // so that it meets the creation at another moment each time
				runtime.Gosched()
			}
			done, err := r.Remove(e.Context(), id, store.Provenance{}, func(d *dovetail.Document) (store.Txn, bool) { return removal(d), true })
			if err != nil {
				e.Error(err)
			}
			gone.Store(done)
		})
		both.Go(func() {
			err := e.backend.Commit(e.Context(), creation(held, id))
			created.Store(err == nil)
		})
		both.Wait()
		if gone.Load() && (created.Load() || e.exists(held.ID)) || gone.Load() == e.exists(id) || created.Load() != e.exists(held.ID) {
			e.Errorf("%s: removed %v, its holder %s created %v", id, gone.Load(), held.ID, created.Load())
		}
		if gone.Load() {
			removed++
		}
	}
	if removed == 0 {
		e.Log("nothing was removed: creations were always first")
	}
}
