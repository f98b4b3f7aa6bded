package changeset_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// guard gives principals their rights: "ann": {"project/p"} is everything on that document and below it.
type guard struct {
	places      map[string][]string
	protections []dovetail.Protection
}

func (g guard) Permissions(ctx context.Context) dovetail.Permissions {
	who := dovetail.PrincipalOf(ctx)
	switch {
	case who == nil:
		return places{}
	case strings.HasPrefix(who.Name, dovetail.SystemPrefix):
		return places{""}
	}
	return places(g.places[who.Name])
}

func (g guard) Protections(context.Context) []dovetail.Protection { return g.protections }

// places are where everything may be done; "" is everywhere.
type places []string

func (p places) Allows(_ dovetail.Right, _ string, id dovetail.ID) bool {
	return slices.ContainsFunc(p, func(place string) bool {
		return place == "" || dovetail.ID(place) == id || id.IsDescendantOf(dovetail.ID(place))
	})
}

func (p places) Below(right dovetail.Right, _ []string, id dovetail.ID) bool {
	return id != "" && p.Allows(right, "", id) || slices.Contains(p, "")
}

func (p places) Anywhere(dovetail.Right, []string, dovetail.ID) bool { return len(p) > 0 }

func (p places) Everywhere(dovetail.Right) bool { return slices.Contains(p, "") }

func (p places) NeedsUse(string, bool) bool { return false }

func as(t testing.TB, name string, groups ...string) context.Context {
	return dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: name, Groups: groups})
}

// spec is a document with a spec.
func spec(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(`{"spec":`+text+`}`), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// stage writes a document in the view of a change set.
func stage(ctx context.Context, t testing.TB, sets *changeset.ChangeSets, name string, operations ...store.Operation) {
	t.Helper()
	view, err := sets.View(ctx, name, true)
	if err == nil {
		_, err = view.Store.Apply(ctx, operations, store.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestUnreadable asks for everything about a change set that stages documents which the principal may not read.
func TestUnreadable(t *testing.T) {
	s := newStore(t, store.Config{Guard: guard{places: map[string][]string{"root": {""}, "ann": {"project/mine", "changeSet/one", "changeSet/two"}, "bob": {"project/mine"}}}})
	root, ann := as(t, "root"), as(t, "ann")
	must[*store.Result](t)(s.Apply(root, []store.Operation{
		{Verb: store.Create, ID: "project/mine", Data: spec(t, "{}")}, {Verb: store.Create, ID: "project/hidden", Data: spec(t, "{}")},
		{Verb: store.Create, ID: "project/hidden/app/enigma", Data: spec(t, `{"marker":1}`)}}, store.Options{}))
	sets := changeset.New(s, changeset.Options{})
	must[*changeset.Shown](t)(sets.Create(root, "one", "", "", store.Options{}))
	stage(root, t, sets, "one",
		store.Operation{Verb: store.Put, ID: "project/mine/app/a", Data: spec(t, `{"open":1}`)},
		store.Operation{Verb: store.Put, ID: "project/hidden/app/enigma", Data: spec(t, `{"marker":2}`)},
		store.Operation{Verb: store.Put, ID: "project/hidden/app/new", Data: spec(t, `{"marker":3}`)})
	must[*store.Result](t)(s.Apply(root, []store.Operation{{Verb: store.Put, ID: "project/hidden/app/enigma", Data: spec(t, `{"marker":4}`)}}, store.Options{})) // a conflict

	calls := []struct {
		name string
		call func() (any, error)
		code dovetail.Code
		want string
	}{
		{name: "get", call: func() (any, error) { return sets.Get(ann, "one") }, want: `"unreadable":2`},
		{name: "list", call: func() (any, error) { return sets.List(ann, changeset.Query{Limit: 10}) }, want: `"name":"one"`},
		{name: "diff", call: func() (any, error) { return sets.Diff(ann, "one") }, want: `project/mine/app/a`},
		{name: "check", call: func() (any, error) { return sets.Check(ann, "one") }, want: `"mergeable":false`},
		{name: "impact", call: func() (any, error) { return sets.Impact(ann, "one") }, code: dovetail.CodeForbidden},
		{name: "merge", call: func() (any, error) { return sets.Merge(ann, "one", store.Options{}) }, code: dovetail.CodeForbidden},
		{name: "merge, dry run", call: func() (any, error) { return sets.Merge(ann, "one", store.Options{DryRun: true}) }, code: dovetail.CodeForbidden},
		{name: "rebase", call: func() (any, error) { return sets.Rebase(ann, "one", nil, store.Options{}) }, code: dovetail.CodeForbidden},
		{name: "drop", call: func() (any, error) { return sets.Drop(ann, "one", "project/hidden/app/other", store.Options{}) }, code: dovetail.CodeNotFound},
		{name: "review", call: func() (any, error) { return sets.Review(ann, "one", api.Approve, "", store.Options{}) }, want: `"approve"`},
		{name: "update", call: func() (any, error) { title := "x"; return sets.Update(ann, "one", &title, nil, nil, store.Options{}) }, want: `"x"`},
		{name: "close", call: func() (any, error) { return sets.Close(ann, "one", store.Options{}) }, want: `"closed"`},
		{name: "reopen", call: func() (any, error) { return sets.Reopen(ann, "one", store.Options{}) }, want: `"open"`},
		{name: "operations as documents", call: func() (any, error) {
			return s.List(ann, store.ListQuery{Kind: changeset.KindOperation, Under: "changeSet/one"})
		}, want: `withheld`},
		{name: "the view", call: func() (any, error) {
			view, err := sets.View(ann, "one", false)
			if err != nil {
				return nil, err
			}
			return view.Store.List(ann, store.ListQuery{Kind: "app"})
		}, want: "project/mine/app/a"},
	}
	for _, test := range calls {
		t.Run(test.name, func(t *testing.T) {
			result, err := test.call()
			text, marshal := json.Marshal(result)
			if dovetail.CodeOf(err) != test.code || marshal != nil || !strings.Contains(string(text), test.want) {
				t.Fatalf("%s %v, want %q %s", text, err, test.code, test.want)
			}
			shown := string(text)
			if err != nil {
				shown += err.Error()
			}
			shown = strings.ReplaceAll(shown, "project/hidden/app/other", "") // as they said themselves
			for _, secret := range []string{"hidden", "enigma", "marker"} {
				if strings.Contains(shown, secret) {
					t.Errorf("%s is in %s", secret, shown)
				}
			}
		})
	}
	t.Run("no right on the change set", func(t *testing.T) {
		bob := as(t, "bob")
		for name, call := range map[string]func() error{
			"get":    func() error { _, err := sets.Get(bob, "one"); return err },
			"view":   func() error { _, err := sets.View(bob, "one", true); return err },
			"merge":  func() error { _, err := sets.Merge(bob, "one", store.Options{}); return err },
			"delete": func() error { return sets.Delete(bob, "one", nil, store.Options{}) },
			"create": func() error { _, err := sets.Create(bob, "three", "", "", store.Options{}); return err },
		} {
			if err := call(); dovetail.CodeOf(err) != dovetail.CodeForbidden {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("staging needs the rights of the write", func(t *testing.T) {
		v, err := sets.View(ann, "one", true)
		if err == nil {
			_, err = v.Store.Apply(ann, []store.Operation{{Verb: store.Put, ID: "project/hidden/app/x", Data: spec(t, "{}")}}, store.Options{})
		}
		if dovetail.CodeOf(err) != dovetail.CodeForbidden {
			t.Error(err)
		}
	})
}

// TestApprovals merges a change set of a protected document.
func TestApprovals(t *testing.T) {
	approve := func(name string, groups ...string) func(t *testing.T, sets *changeset.ChangeSets) {
		return func(t *testing.T, sets *changeset.ChangeSets) {
			must[*changeset.Shown](t)(sets.Review(as(t, name, groups...), "one", api.Approve, "", store.Options{}))
		}
	}
	edit := func(t *testing.T, sets *changeset.ChangeSets) {
		stage(as(t, "ann"), t, sets, "one", store.Operation{Verb: store.Put, ID: "project/p/app/a", Data: spec(t, `{"size":3}`)})
	}
	type step = func(t *testing.T, sets *changeset.ChangeSets)
	tests := []struct {
		name    string
		steps   []step
		missing int
		by      []string
	}{
		{name: "none", missing: 2, by: []string{}},
		{name: "the author", steps: []step{approve("root", "managers")}, missing: 2, by: []string{}},
		{name: "one who staged", steps: []step{edit, approve("ann", "managers")}, missing: 2, by: []string{}},
		{name: "another group", steps: []step{approve("bob", "others")}, missing: 2, by: []string{}},
		{name: "one", steps: []step{approve("bob", "managers")}, missing: 1, by: []string{"bob"}},
		{name: "twice the same", steps: []step{approve("bob", "managers"), approve("bob", "managers")}, missing: 1, by: []string{"bob"}},
		{name: "two", steps: []step{approve("bob", "managers"), approve("eve")}, by: []string{"bob", "eve"}},
		{name: "an edit voids them", steps: []step{approve("bob", "managers"), approve("eve"), edit}, missing: 2, by: []string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			protection := dovetail.Protection{On: []string{"project/p"}, Approvals: 2, By: []string{"managers", "user:eve"}}
			g := guard{places: map[string][]string{"root": {""}, "ann": {""}, "bob": {""}, "eve": {""}}}
			s := newStore(t, store.Config{Guard: &g})
			root := as(t, "root")
			must[*store.Result](t)(s.Apply(root, []store.Operation{{Verb: store.Create, ID: "project/p", Data: spec(t, "{}")},
				{Verb: store.Create, ID: "project/p/app/a", Data: spec(t, `{"size":1}`)}}, store.Options{}))
			g.protections = []dovetail.Protection{protection}
			sets := changeset.New(s, changeset.Options{Protections: g.Protections})
			must[*changeset.Shown](t)(sets.Create(root, "one", "", "", store.Options{}))
			stage(root, t, sets, "one", store.Operation{Verb: store.Put, ID: "project/p/app/a", Data: spec(t, `{"size":2}`)})
			for _, step := range test.steps {
				step(t, sets)
			}
			check := must[*api.ChangeSetCheck](t)(sets.Check(root, "one"))
			if p := check.Protections; len(p) != 1 || p[0].Missing != test.missing || !slices.Equal(p[0].ApprovedBy, test.by) || check.Mergeable != (test.missing == 0) {
				t.Errorf("%+v", check)
			}
			_, err := s.Apply(root, []store.Operation{{Verb: store.Put, ID: "project/p/app/a", Data: spec(t, `{}`)}}, store.Options{})
			if dovetail.CodeOf(err) != dovetail.CodeForbidden {
				t.Error("written past the change set:", err)
			}
			_, err = sets.Merge(root, "one", store.Options{})
			if test.missing > 0 && dovetail.AsError(err).Reason != api.ReasonApprovalsMissing || test.missing == 0 && err != nil {
				t.Error(err)
			}
		})
	}
}

// TestReviewer lists what waits for the review of each of several users.
func TestReviewer(t *testing.T) {
	everywhere := []string{""}
	protections := []dovetail.Protection{{On: []string{"project/guarded"}, Approvals: 1, By: []string{"user:bob", "managers"}}}
	s := newStore(t, store.Config{Guard: guard{protections: protections, places: map[string][]string{"root": everywhere, "ann": everywhere, "bob": everywhere, "eve": everywhere,
		"dan": {"project/free"}, "": everywhere, "carol": {"changeSet/guarded", "project/free"}}}})
	root := as(t, "root")
	sets := changeset.New(s, changeset.Options{Protections: func(context.Context) []dovetail.Protection { return protections }})
	for name, project := range map[string]string{"guarded": "guarded", "free": "free", "decided": "free", "closed": "free"} {
		must[*changeset.Shown](t)(sets.Create(root, name, "", "", store.Options{}))
		stage(root, t, sets, name, store.Operation{Verb: store.Put, ID: dovetail.ID("project/" + project), Data: spec(t, "{}")})
	}
	must[*changeset.Shown](t)(sets.Create(root, "empty", "", "", store.Options{}))
	stage(as(t, "ann"), t, sets, "free", store.Operation{Verb: store.Put, ID: "project/free/app/a", Data: spec(t, "{}")})
	must[*changeset.Shown](t)(sets.Close(root, "closed", store.Options{}))
	must[*changeset.Shown](t)(sets.Review(as(t, "eve"), "decided", api.Reject, "no", store.Options{}))
	must[*changeset.Shown](t)(sets.Review(as(t, "bob"), "decided", api.Comment, "hm", store.Options{}))
	waiting := func(who context.Context) []string {
		t.Helper()
		names := []string{}
		for _, item := range must[*api.ChangeSets](t)(sets.List(who, changeset.Query{Mine: true, Limit: 10})).Items {
			names = append(names, item.Name)
		}
		return names
	}

	tests := []struct {
		name string
		who  context.Context
		want []string
	}{
		{name: "an author", who: root, want: []string{}},
		{name: "one who staged in one of them", who: as(t, "ann"), want: []string{"decided"}},
		{name: "an approver by name", who: as(t, "bob"), want: []string{"decided", "free", "guarded"}},
		{name: "an approver by group, who has decided on one", who: as(t, "eve", "managers"), want: []string{"free", "guarded"}},
		{name: "one whose approval does not count", who: as(t, "eve"), want: []string{"free"}},
		{name: "one who may not change change sets", who: as(t, "dan"), want: []string{}},
		{name: "one who may read nothing that is staged", who: as(t, "carol"), want: []string{}},
		{name: "a user that the server does not know", who: as(t, ""), want: []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := waiting(tt.who); !slices.Equal(got, tt.want) {
				t.Errorf("%v wait for the review, want %v", got, tt.want)
			}
		})
	}
	bob := as(t, "bob")
	must[*changeset.Shown](t)(sets.Review(bob, "guarded", api.Approve, "", store.Options{}))
	if got := waiting(as(t, "eve", "managers")); !slices.Equal(got, []string{"free"}) {
		t.Errorf("%v wait for the review, although no approval is missing", got)
	}
	stage(root, t, sets, "guarded", store.Operation{Verb: store.Put, ID: "project/guarded/app/a", Data: spec(t, "{}")})
	if got := waiting(bob); !slices.Contains(got, "guarded") {
		t.Errorf("%v wait for the review, although an edit voided the approval", got)
	}
}

// A merge needs approvals for all that it deletes: what came to depend on a deleted document since, or was dropped from the change set, stays.
func TestProtectedReferrers(t *testing.T) {
	for name, drop := range map[string]bool{"created since": false, "dropped": true} {
		t.Run(name, func(t *testing.T) {
			g := guard{places: map[string][]string{"ann": {""}}}
			s := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{Guard: &g}, "testdata/effects.yaml", "ref-schemas/v1.yaml")
			ann, own := as(t, "ann"), store.Operation{Verb: store.Create, ID: "own/x", Data: spec(t, `{"site":"a"}`)}
			apply := func(op store.Operation) { must[*store.Result](t)(s.Apply(ann, []store.Operation{op}, store.Options{})) }
			apply(store.Operation{Verb: store.Create, ID: "site/a", Data: spec(t, "{}")})
			if drop {
				apply(own)
			}
			sets := changeset.New(s, changeset.Options{Protections: g.Protections})
			must[*changeset.Shown](t)(sets.Create(ann, "one", "", "", store.Options{}))
			stage(ann, t, sets, "one", store.Operation{Verb: store.Delete, ID: "site/a"})
			if drop {
				must[*changeset.Shown](t)(sets.Drop(ann, "one", "own/x", store.Options{}))
			} else {
				apply(own)
			}
			g.protections = []dovetail.Protection{{On: []string{"own/x"}, Approvals: 1}}
			if check := must[*api.ChangeSetCheck](t)(sets.Check(ann, "one")); check.Mergeable {
				t.Errorf("check: %+v", check)
			}
			if _, err := sets.Merge(ann, "one", store.Options{}); dovetail.CodeOf(err) != dovetail.CodeInUse {
				t.Errorf("merge: %v", err)
			}
			must[*dovetail.Document](t)(s.Get(ann, "own/x"))
		})
	}
}
