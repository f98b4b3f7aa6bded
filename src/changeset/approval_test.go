package changeset_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// approvedSet is the open change set x, which changes the app a of the protected project p. It is approved. Before that eve staged a
// deletion of the project and dropped it, and a change set x with another content was deleted.
type approvedSet struct {
	*store.Store
	sets     *changeset.ChangeSets
	eve      context.Context
	drop     store.Cursor                  // the transaction that dropped the operation
	versions map[dovetail.ID]dovetail.ETag // the last ones of what was dropped and deleted
	empty    dovetail.ETag                 // the first version of the change set
}

func newApproved(t *testing.T) *approvedSet {
	t.Helper()
	protections := []dovetail.Protection{{On: []string{"project/p"}, Approvals: 1, By: []string{"user:boss"}}}
	s := newStore(t, store.Config{Guard: guard{
		places:      map[string][]string{"eve": {"project/p", "changeSet/x", "changeSet/y", "changeSet/z"}, "boss": {""}},
		protections: protections,
	}})
	sets := changesOf(s, protections)
	eve, boss := as(t, "eve"), as(t, "boss")
	shown := must[*changeset.Shown](t)
	shown(sets.Create(boss, "begin", "", "", store.Options{}))
	stage(boss, t, sets, "begin", store.Operation{Verb: store.Create, ID: "project/p", Data: spec(t, "{}")},
		store.Operation{Verb: store.Create, ID: "project/p/app/a", Data: spec(t, `{"size":1}`)})
	if _, err := changesOf(s, nil).Merge(boss, "begin", store.Options{}); err != nil {
		t.Fatal(err)
	}

	a := &approvedSet{Store: s, sets: sets, eve: eve, versions: make(map[dovetail.ID]dovetail.ETag)}
	evil := store.Operation{Verb: store.Put, ID: "project/p/app/a", Data: spec(t, `{"size":666}`)}
	shown(sets.Create(eve, "x", "", "", store.Options{})) // an earlier life
	stage(eve, t, sets, "x", evil)
	shown(sets.Review(eve, "x", api.Comment, "mine", store.Options{}))
	a.keep(t, "changeSet/x")
	if err := sets.Delete(eve, "x", nil, store.Options{}); err != nil {
		t.Fatal(err)
	}
	shown(sets.Create(eve, "x", "", "", store.Options{}))
	a.empty = must[*dovetail.Document](t)(s.Get(eve, "changeSet/x")).ETag()
	stage(eve, t, sets, "x", store.Operation{Verb: store.Put, ID: "project/p/app/b", Data: spec(t, `{"size":666}`)})
	a.keep(t, "changeSet/x/changeSetOperation/1")
	shown(sets.Drop(eve, "x", "project/p/app/b", store.Options{}))
	a.drop = must[store.Cursor](t)(s.Head(eve))
	stage(eve, t, sets, "x", store.Operation{Verb: store.Put, ID: "project/p/app/a", Data: spec(t, `{"size":2}`)})
	shown(sets.Review(boss, "x", api.Approve, "", store.Options{}))
	return a
}

func changesOf(s *store.Store, protections []dovetail.Protection) *changeset.ChangeSets {
	return changeset.New(s, changeset.Options{Protections: func(context.Context) []dovetail.Protection { return protections }})
}

// keep notes the versions of a document and of what is below it.
func (a *approvedSet) keep(t *testing.T, id dovetail.ID) {
	t.Helper()
	for doc, err := range a.Documents(as(t, "boss"), store.ListQuery{Under: id}) {
		if err != nil {
			t.Fatal(err)
		}
		a.versions[doc.ID] = doc.ETag()
	}
	a.versions[id] = must[*dovetail.Document](t)(a.Get(as(t, "boss"), id)).ETag()
}

// A change set was approved. Whatever else its author does to its documents is refused, so that what is merged is what was approved.
func TestOnlyTheServiceWrites(t *testing.T) {
	const dropped = dovetail.ID("changeSet/x/changeSetOperation/1")
	status := value.NewMap(value.Member{Name: "state", Value: value.NewString("merged")})
	ways := []struct {
		name string
		do   func(t *testing.T, a *approvedSet) error
	}{
		{"revert of a drop", func(_ *testing.T, a *approvedSet) error { return errOf(a.Revert(a.eve, a.drop, store.Options{})) }},
		{"rollback of a dropped operation", func(_ *testing.T, a *approvedSet) error {
			return errOf(a.Rollback(a.eve, dropped, a.versions[dropped].Version(), store.Options{}))
		}},
		{"rollback of a change set, of which only the status changed", func(_ *testing.T, a *approvedSet) error {
			return errOf(a.Rollback(a.eve, "changeSet/x", a.empty.Version(), store.Options{}))
		}},
		{"rollback to an earlier life", func(t *testing.T, a *approvedSet) error {
			if err := a.sets.Delete(a.eve, "x", nil, store.Options{}); err != nil {
				t.Fatal(err)
			}
			return errOf(a.Rollback(a.eve, "changeSet/x", a.versions["changeSet/x"].Version(), store.Options{}))
		}},
		{"create", func(t *testing.T, a *approvedSet) error {
			return a.apply(store.Operation{Verb: store.Create, ID: dropped, Data: spec(t, "{}")})
		}},
		{"put", func(t *testing.T, a *approvedSet) error {
			return a.apply(store.Operation{Verb: store.Put, ID: dropped, Data: spec(t, "{}")})
		}},
		{"fields", func(t *testing.T, a *approvedSet) error {
			return a.apply(store.Operation{Verb: store.ApplyFields, ID: dropped, Data: spec(t, "{}"), FieldManager: "eve"})
		}},
		{"a new change set", func(t *testing.T, a *approvedSet) error {
			return a.apply(store.Operation{Verb: store.Create, ID: "changeSet/y", Data: spec(t, "{}")})
		}},
		{"status", func(_ *testing.T, a *approvedSet) error {
			return a.apply(store.Operation{Verb: store.PutStatus, ID: "changeSet/x", Data: status})
		}},
		{"delete", func(_ *testing.T, a *approvedSet) error {
			return a.apply(store.Operation{Verb: store.Delete, ID: "changeSet/x/changeSetOperation/2"})
		}},
		{"rename", func(t *testing.T, a *approvedSet) error {
			if _, err := a.sets.Create(a.eve, "y", "", "", store.Options{}); err != nil {
				t.Fatal(err)
			}
			return errOf(a.Rename(a.eve, "changeSet/y", "changeSet/z", store.Options{}))
		}},
		{"staged in another change set", func(t *testing.T, a *approvedSet) error {
			if _, err := a.sets.Create(a.eve, "y", "", "", store.Options{}); err != nil {
				t.Fatal(err)
			}
			view, err := a.sets.View(a.eve, "y", true)
			if err != nil {
				t.Fatal(err)
			}
			return errOf(view.Store.Apply(a.eve, []store.Operation{{Verb: store.Create, ID: dropped, Data: spec(t, "{}")}}, store.Options{}))
		}},
		{"import", func(_ *testing.T, a *approvedSet) error {
			doc := &dovetail.Document{ID: dropped, Kind: changeset.KindOperation, UID: "u", Revision: 1, Data: []byte(`{"spec":{}}`), Status: []byte(`{"verb":"update"}`)}
			return errOf(a.Import(a.eve, []*dovetail.Document{doc}, store.Options{}))
		}},
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			a := newApproved(t)
			before := must[store.Cursor](t)(a.Head(a.eve))
			if err := way.do(t, a); err == nil {
				if after := must[store.Cursor](t)(a.Head(a.eve)); after != before {
					t.Error("it is accepted")
				}
			} else if !strings.Contains(err.Error(), "changeSet") {
				t.Errorf("refused for another reason: %v", err)
			}
			if _, err := a.sets.Merge(a.eve, "x", store.Options{}); err != nil && dovetail.CodeOf(err) != dovetail.CodeNotFound {
				t.Error(err)
			}
			for doc, err := range a.Documents(as(t, "boss"), store.ListQuery{Kind: "app"}) {
				if err != nil || strings.Contains(string(doc.Data), "666") {
					t.Errorf("%s is %s, %v", doc.ID, doc.Data, err)
				}
			}
		})
	}
}

// Documents of an approved change set that were written past the service, as the service of another version might, void the approval.
func TestApprovalIsOfContent(t *testing.T) {
	for name, id := range map[string]dovetail.ID{"a dropped operation": "changeSet/x/changeSetOperation/1"} {
		t.Run(name, func(t *testing.T) {
			a := newApproved(t)
			must[*store.Result](t)(a.Rollback(as(t, "boss"), id, a.versions[id].Version(), store.Options{Managed: true}))
			sets := changesOf(a.Store, []dovetail.Protection{{On: []string{"project/p"}, Approvals: 1, By: []string{"user:boss"}}})
			_, err := sets.Merge(a.eve, "x", store.Options{})
			if e := dovetail.AsError(err); err == nil || e.Reason != api.ReasonApprovalsMissing {
				t.Errorf("Merge: %v", err)
			}
			if shown := must[*changeset.Shown](t)(sets.Get(a.eve, "x")); shown.Reviews[0].Current {
				t.Errorf("the review is %+v", shown.Reviews[0])
			}
		})
	}
}

func (a *approvedSet) apply(op store.Operation) error {
	return errOf(a.Apply(a.eve, []store.Operation{op}, store.Options{}))
}

func errOf[T any](_ T, err error) error { return err }
