package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// guard gives the principals of a test their rights: "read project/p" is on that document and all below
// it, "read" is everywhere.
type guard map[string][]string

func (g guard) Permissions(ctx context.Context) dovetail.Permissions {
	who := dovetail.PrincipalOf(ctx)
	if who == nil {
		return rights{}
	}
	return rights(g[who.Name])
}

func (guard) Protections(context.Context) []dovetail.Protection { return nil }

type rights []string

func (r rights) Allows(right dovetail.Right, _ string, id dovetail.ID) bool {
	return slices.ContainsFunc(r, func(text string) bool {
		has, place, _ := strings.Cut(text, " ")
		return has == string(right) && (place == "" || place == string(id) || id.IsDescendantOf(dovetail.ID(place)))
	})
}

func (r rights) Below(right dovetail.Right, _ []string, id dovetail.ID) bool {
	return slices.ContainsFunc(r, func(text string) bool {
		has, place, _ := strings.Cut(text, " ")
		return has == string(right) && (place == "" || dovetail.ID(place) == id || id.IsDescendantOf(dovetail.ID(place)))
	})
}

func (r rights) Anywhere(right dovetail.Right, _ []string, id dovetail.ID) bool {
	return slices.ContainsFunc(r, func(text string) bool {
		has, place, _ := strings.Cut(text, " ")
		at := dovetail.ID(place)
		return has == string(right) && (place == "" || id == "" || at == id || at.IsDescendantOf(id) || id.IsDescendantOf(at))
	})
}

func (r rights) NeedsUse(_ string, sensitive bool) bool { return sensitive }

func (r rights) Everywhere(right dovetail.Right) bool { return slices.Contains(r, string(right)) }

func as(t *testing.T, who string) context.Context {
	return dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: who})
}

func guarded(t *testing.T, have ...string) *store.Store {
	t.Helper()
	s := openWith(t, testSchema, store.Config{Guard: guard{
		"root": {"read", "create", "update", "delete", "act"},
		"ann":  have,
	}})
	if _, err := s.Apply(as(t, "root"), ops(t, "create project/p", "create project/p/app/a", "create project/p/app/b",
		`create project/p/hook/h {"spec":{"app":"a"}}`, `create project/p/profile/f {"spec":{"app":"b"}}`, "create project/q", "create project/q/app/a"), store.Options{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// everything is what root sees: the documents with their versions.
func everything(t *testing.T, s *store.Store) (all []string) {
	for doc, err := range s.Export(as(t, "root")) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(doc.ID)+" "+doc.ETag().Version())
	}
	if len(all) == 0 {
		t.Fatal("root sees nothing")
	}
	return all
}

func TestGuardedWrites(t *testing.T) {
	tests := []struct {
		name string
		have []string
		ops  []string
		want string // the first line of the refusal; "" for allowed
	}{
		{name: "nothing is allowed", ops: []string{"create project/x"}, want: "ann may not create project/x"},
		{name: "create", have: []string{"create project/p"}, ops: []string{"create project/p/app/c"}},
		{name: "create elsewhere", have: []string{"create project/p"}, ops: []string{"create project/q/app/c"}, want: "ann may not create project/q/app/c"},
		{name: "put of a new document", have: []string{"create project/p"}, ops: []string{"put project/p/app/c"}},
		{name: "put of a new document without the right to create", have: []string{"update project/p"}, ops: []string{"put project/p/app/c"}, want: "ann may not create project/p/app/c"},
		{name: "put of an old one", have: []string{"update project/p"}, ops: []string{`put project/p/app/a {"x":1}`}},
		{name: "put of an old one without the right to update", have: []string{"create project/p"}, ops: []string{`put project/p/app/a {"x":1}`}, want: "ann may not update project/p/app/a"},
		{name: "put without either", ops: []string{"put project/p/app/a"}, want: "ann may not update project/p/app/a"},
		{name: "patch", have: []string{"update project/p", "read project/p"}, ops: []string{`patch project/p/app/a {"x":1}`}},
		{name: "patch of what may not be read", have: []string{"update project/p"}, ops: []string{`patch project/p/app/a {"x":1}`}, want: "ann may not read project/p/app/a"},
		{name: "apply", have: []string{"update project/p", "read project/p"}, ops: []string{`apply project/p/app/a {"x":1}`}},
		{name: "apply to what may not be read", have: []string{"update project/p", "create project/p"}, ops: []string{`apply project/p/app/a {"x":1}`}, want: "ann may not read project/p/app/a"},
		{name: "apply to what may not be changed", have: []string{"read project/p", "create project/p"}, ops: []string{`apply project/p/app/a {"x":1}`}, want: "ann may not update project/p/app/a"},
		{name: "apply what may not be created", have: []string{"read project/p", "update project/p"}, ops: []string{`apply project/p/app/none {"x":1}`}, want: "ann may not create project/p/app/none"},
		{name: "patch of what does not exist and may not be read", have: []string{"update project/p"}, ops: []string{"patch project/p/app/none"}, want: "ann may not read project/p/app/none"},
		{name: "status is for those who act", have: []string{"update project/p"}, ops: []string{`status project/p/app/a {"x":1}`}, want: "ann may not act project/p/app/a"},
		{name: "status", have: []string{"act project/p"}, ops: []string{`status project/p/app/a {"x":1}`}},
		{name: "delete", have: []string{"delete project/q"}, ops: []string{"delete project/q/app/a"}},
		{name: "cascade", have: []string{"delete project/p"}, ops: []string{"cascade-delete project/p"}},
		{name: "cascade over what may not be deleted", have: []string{"delete project/p/app/a"}, ops: []string{"cascade-delete project/p/app/a"}, want: "ann may not delete everything that is deleted with project/p/app/a"},
		{name: "cascade over what may be read, but not be deleted", have: []string{"delete project/p/app/a", "read project/p"}, ops: []string{"cascade-delete project/p/app/a"}, want: "ann may not delete project/p/hook/h"},
		{name: "what goes along by a rule", have: []string{"delete project/p/app/a"}, ops: []string{"delete project/p/app/a"}, want: "ann may not delete everything that is deleted with project/p/app/a"},
		{name: "one of several", have: []string{"create project/p"}, ops: []string{"create project/p/app/c", "create project/q/app/c"}, want: "ann may not create project/q/app/c"},
		{name: "one of several that has mistakes before it", have: []string{"create project/p"}, ops: []string{"create project/p/app/a", "create project/q/app/c"}, want: "ann may not create project/q/app/c"},
		{name: "forbidden, whether it exists or not", ops: []string{"delete project/none"}, want: "ann may not delete project/none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := guarded(t, tt.have...)
			before := everything(t, s)
			for _, dryRun := range []bool{true, false} {
				_, err := s.Apply(as(t, "ann"), ops(t, tt.ops...), store.Options{DryRun: dryRun})
				if (err == nil) != (tt.want == "") {
					t.Fatalf("dry run %v: got %v, want %q", dryRun, err, tt.want)
				}
				if err == nil {
					continue
				}
				if dovetail.CodeOf(err) != dovetail.CodeForbidden || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("dry run %v: got %v, want that %s", dryRun, err, tt.want)
				}
				if after := everything(t, s); !slices.Equal(before, after) {
					t.Errorf("a refusal changed something: %v, then %v", before, after)
				}
			}
		})
	}
}

// TestRefusalShowsNoMore shows that a refusal contains the current document only for a principal that may read it.
func TestRefusalShowsNoMore(t *testing.T) {
	tests := []struct {
		name  string
		have  []string
		op    string
		shown bool
	}{
		{name: "create only", have: []string{"create project/p"}, op: "create project/p/app/a"},
		{name: "create and read elsewhere", have: []string{"create project/p", "read project/q"}, op: "create project/p/app/a"},
		{name: "create and read", have: []string{"create project/p", "read project/p"}, op: "create project/p/app/a", shown: true},
		{name: "create and update", have: []string{"create project/p", "update project/p"}, op: "create project/p/app/a"},
		{name: "delete of another version", have: []string{"delete project/p"}, op: "delete project/p/app/b"},
		{name: "delete of another version that may be read", have: []string{"delete project/p", "read project/p"}, op: "delete project/p/app/b", shown: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := guarded(t, tt.have...)
			operations := ops(t, tt.op)
			if operations[0].Verb == store.Delete {
				operations[0].IfMatch = []dovetail.ETag{{UID: "other", Revision: 7}}
			}
			for _, dryRun := range []bool{true, false} {
				_, err := s.Apply(as(t, "ann"), operations, store.Options{DryRun: dryRun})
				if code := dovetail.CodeOf(err); code != dovetail.CodeExists && code != dovetail.CodeStale {
					t.Fatalf("dry run %v: got %v", dryRun, err)
				}
				if shown := dovetail.AsError(err).Current != nil; shown != tt.shown {
					t.Errorf("dry run %v: the document is shown: %v, want %v", dryRun, shown, tt.shown)
				}
			}
		})
	}
}

func TestGuardedReads(t *testing.T) {
	s := guarded(t, "read project/p/app", "read project/p/app/a", "read project/p/app/b")
	ann := as(t, "ann")
	list := func(ctx context.Context, q store.ListQuery) (ids []string) {
		page, err := s.List(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range page.Documents {
			ids = append(ids, string(doc.ID))
		}
		return append(ids, "next "+string(page.Next))
	}
	tests := []struct {
		name string
		got  func() []string
		want []string
	}{
		{name: "all", got: func() []string { return list(ann, store.ListQuery{}) }, want: []string{"project/p/app/a", "project/p/app/b", "next "}},
		{name: "a page", got: func() []string { return list(ann, store.ListQuery{Kind: "app", Limit: 1}) }, want: []string{"project/p/app/a", "next project/p/app/a"}},
		{name: "the last page", got: func() []string { return list(ann, store.ListQuery{Kind: "app", Limit: 2}) }, want: []string{"project/p/app/a", "project/p/app/b", "next "}},
		{name: "no principal", got: func() []string { return list(t.Context(), store.ListQuery{}) }, want: []string{"next "}},
		{name: "children", got: func() (ids []string) {
			children, next, err := s.Children(ann, "project/p", "", 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, doc := range children {
				ids = append(ids, string(doc.ID))
			}
			return append(ids, "next "+string(next))
		}, want: []string{"project/p/app/a", "next project/p/app/a"}},
		{name: "referrers", got: func() (ids []string) {
			referrers, err := s.Referrers(ann, "project/p/app/a", "", 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range referrers {
				ids = append(ids, string(id))
			}
			return ids
		}, want: nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.got(); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	for _, id := range []dovetail.ID{"project/p", "project/q/app/a", "project/q/app/none"} {
		if _, err := s.Get(ann, id); dovetail.CodeOf(err) != dovetail.CodeForbidden {
			t.Errorf("get of %s: %v, want that it is forbidden", id, err)
		}
	}
	if _, err := s.Get(ann, "project/p/app/a"); err != nil {
		t.Error(err)
	}
	if _, _, err := s.Impact(ann, s.Model(), 0); dovetail.CodeOf(err) != dovetail.CodeForbidden {
		t.Errorf("impact: %v", err)
	}
}

func TestGuardedWatch(t *testing.T) {
	s := guarded(t, "read project/p/app/a", "read project/p/app/c")
	ctx, cancel := context.WithCancel(as(t, "ann"))
	defer cancel()
	cursor, err := s.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []string{`put project/q/app/a {"x":1}`, `put project/p/app/b {"x":1}`, "create project/p/app/c"} {
		applyAs(as(t, "root"), t, s, op)
	}
	for event, err := range s.Watch(ctx, cursor, store.WatchQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(event.Changes) != 1 || event.Changes[0].ID != "project/p/app/c" {
			t.Fatalf("got %+v, want the one change that ann may see", event)
		}
		break
	}
}

// An idempotency key belongs to one principal: requests of others under the same key are neither shown nor conflicts.
func TestKeysOfOthers(t *testing.T) {
	s := openWith(t, testSchema, store.Config{Guard: guard{"root": {"create"}, "ann": {"create"}}})
	if _, err := s.Apply(as(t, "root"), ops(t, "create project/x"), store.Options{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(as(t, "ann"), ops(t, "create project/x"), store.Options{Key: "k"}); dovetail.CodeOf(err) != dovetail.CodeExists {
		t.Errorf("got %v, want what any other key gives", err)
	}
	if done, err := s.ResultByIdempotencyKey(as(t, "ann"), "k"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("the outcome of another principal's transaction: %v, %v", done, err)
	}
	if done, err := s.Abort(as(t, "bob"), "k"); done != nil || err != nil {
		t.Errorf("the outcome of another principal's transaction: %v, %v", done, err)
	}
	if done, err := s.Apply(as(t, "ann"), ops(t, "create project/y"), store.Options{Key: "k"}); err != nil || done.Repeated {
		t.Errorf("got %v and %v, want another transaction", done, err)
	}
	if _, err := s.Apply(as(t, "ann"), ops(t, "create project/z"), store.Options{Key: "k"}); dovetail.CodeOf(err) != dovetail.CodeUnprocessable {
		t.Errorf("got %v, want that the key was used", err)
	}
	if again, err := s.Apply(as(t, "root"), ops(t, "create project/x"), store.Options{Key: "k"}); err != nil || !again.Repeated {
		t.Errorf("got %v and %v, want the first result again", again, err)
	}
}

// One forbidden operation decides the code, however many errors come before it.
func TestForbiddenAmongManyErrors(t *testing.T) {
	tests := []struct {
		name string
		last string
		want dovetail.Code
	}{
		{name: "forbidden", last: "create project/q/app/c", want: dovetail.CodeForbidden},
		{name: "forbidden once the document is read", last: "put project/p/app/a", want: dovetail.CodeForbidden},
		{name: "forbidden by a cascade", last: "cascade-delete project/p/app/b", want: dovetail.CodeForbidden},
		{name: "allowed", last: "create project/p/app/c", want: dovetail.CodeInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := guarded(t, "create project/p", "delete project/p/app/b")
			var operations []store.Operation
			for range 300 {
				operations = append(operations, store.Operation{Verb: store.Create, Faults: []*dovetail.Error{dovetail.Errorf(dovetail.CodeInvalid, "faulty")}})
			}
			operations[299].MoreFaults = 1000
			_, err := s.Apply(as(t, "ann"), append(operations, ops(t, test.last)...), store.Options{})
			e := dovetail.AsError(err)
			if e == nil || e.Code != test.want || len(e.Errors) != dovetail.MaxErrors || e.Total < 1300 {
				t.Fatalf("%s, %d errors of %d", dovetail.CodeOf(err), len(e.Errors), e.Total)
			}
			if test.want == dovetail.CodeForbidden && !slices.ContainsFunc(e.Errors, func(part *dovetail.Error) bool { return part.Code == dovetail.CodeForbidden }) {
				t.Error("the errors do not show what is forbidden")
			}
		})
	}
}

// Who imports a document says what its status, uid, version and times are: the right to create it alone does not allow that.
func TestImportNeedsTheRightToAct(t *testing.T) {
	tests := []struct {
		name string
		have []string
		want string // the refusal; "" for allowed
	}{
		{name: "create", have: []string{"create project/p", "update project/p", "read project/p"}, want: "ann may not act project/p/app/forged"},
		{name: "act", have: []string{"act project/p"}, want: "ann may not create project/p/app/forged"},
		{name: "both", have: []string{"create project/p", "act project/p"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := guarded(t, tt.have...)
			at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
			_, err := s.Import(as(t, "ann"), []*dovetail.Document{{ID: "project/p/app/forged", Kind: "app", UID: "forged", Revision: 7, Created: at, Updated: at,
				Data: []byte(`{"metadata":{"name":"forged"}}`), Status: []byte(`{"ready":true}`)}}, store.Options{})
			if tt.want == "" && err != nil || tt.want != "" && (dovetail.CodeOf(err) != dovetail.CodeForbidden || !strings.HasPrefix(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// Rollback and Revert bring back the status of a deleted document only to who may set it.
func TestStatusComesBackWithAct(t *testing.T) {
	all := []string{"read", "create", "update", "delete"}
	for name, back := range map[string]func(s *store.Store, who context.Context, version string, deleted store.Cursor) (*store.Result, error){
		"rollback": func(s *store.Store, who context.Context, version string, _ store.Cursor) (*store.Result, error) {
			return s.Rollback(who, "cluster/c", version, store.Options{})
		},
		"revert": func(s *store.Store, who context.Context, _ string, deleted store.Cursor) (*store.Result, error) {
			return s.Revert(who, deleted, store.Options{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openWith(t, lifecycleSchema, store.Config{Guard: guard{"ann": all, "root": append(all, "act")}})
			created := applyAs(as(t, "root"), t, s, "create cluster/c {}")
			for _, action := range []string{"apply", "terminate"} {
				if _, err := s.Apply(as(t, "root"), []store.Operation{step(t, "do cluster/c "+action)}, store.Options{}); err != nil {
					t.Fatal(err)
				}
			}
			applyAs(as(t, "ann"), t, s, "delete cluster/c")
			deleted, err := s.Head(as(t, "root"))
			if err != nil {
				t.Fatal(err)
			}
			version := created.Outcomes[0].Document.ETag().Version()
			if _, err := back(s, as(t, "ann"), version, deleted); dovetail.CodeOf(err) != dovetail.CodeForbidden {
				t.Errorf("without act: %v", err)
			}
			if _, err := back(s, as(t, "root"), version, deleted); err != nil {
				t.Errorf("with act: %v", err)
			}
		})
	}
}
