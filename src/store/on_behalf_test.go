package store_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// A service reads and makes documents of others for a document with all: true in its spec, and makes one for a document with makes in it. Who writes such
// a document needs the rights for that, however it is written, and others do not.
func TestOnBehalf(t *testing.T) {
	asks := func(id dovetail.ID, before, after *value.Value) []store.Need {
		if before != nil && value.Equal(before.Get("spec"), after.Get("spec")) {
			return nil
		}
		if all := after.At("spec", "all"); all != nil {
			return []store.Need{{Right: dovetail.RightRead, ID: dovetail.AllOf("profile")}, {Right: dovetail.RightCreate, ID: dovetail.AllOf("hook")}}
		}
		if one := after.At("spec", "makes"); one != nil {
			return []store.Need{{Right: dovetail.RightCreate, ID: dovetail.ID(one.Text)}}
		}
		return nil
	}
	const (
		all = ` {"spec":{"all":true}}`
		one = ` {"spec":{"makes":"project/q/hook/x"}}`
	)
	apps := []string{"create project/p", "update project/p", "read project/p"}
	with := func(more ...string) []string { return append(more, apps...) }
	tests := []struct {
		name   string
		have   []string
		before string // what root writes first
		ops    []string
		want   string // of the refusal; "" for allowed
	}{
		{name: "create", have: apps, ops: []string{"create project/p/app/c" + all}, want: "ann may not read every profile, which project/p/app/c asks for"},
		{name: "put", have: apps, ops: []string{"put project/p/app/c" + all}, want: "ann may not read every profile"},
		{name: "put of one that is there", have: apps, ops: []string{"put project/p/app/a" + all}, want: "ann may not read every profile"},
		{name: "patch", have: apps, ops: []string{"patch project/p/app/a" + all}, want: "ann may not read every profile"},
		{name: "apply", have: apps, ops: []string{"apply project/p/app/a" + all}, want: "ann may not read every profile"},
		{name: "beside others", have: apps, ops: []string{"create project/p/app/d", "create project/p/app/c" + all}, want: "ann may not read every profile"},
		{name: "who reads all and may not make", have: with("read"), ops: []string{"create project/p/app/c" + all}, want: "ann may not create every hook"},
		{name: "who may make some", have: with("read", "create project/q"), ops: []string{"create project/p/app/c" + all}, want: "ann may not create every hook"},
		{name: "who may", have: with("read", "create"), ops: []string{"create project/p/app/c" + all}},
		{name: "one elsewhere", have: apps, ops: []string{"create project/p/app/c" + one}, want: "ann may not create project/q/hook/x, which project/p/app/c asks for"},
		{name: "one by who may", have: with("create project/q"), ops: []string{"create project/p/app/c" + one}},
		{name: "nothing", have: apps, ops: []string{`create project/p/app/c {"spec":{"other":true}}`}},
		{name: "what another asked for, unchanged", have: apps, before: "put project/p/app/a" + all, ops: []string{`patch project/p/app/a {"note":1}`}},
		{name: "what another asked for, changed", have: apps, before: "put project/p/app/a" + all, ops: []string{`patch project/p/app/a {"spec":{"more":1}}`}, want: "ann may not read every profile"},
		{name: "what another asked for, unread", have: []string{"update project/p"}, before: "put project/p/app/a" + all, ops: []string{"put project/p/app/a" + all}, want: "ann may not read every profile"},
		{name: "what another asked for, taken back", have: apps, before: "put project/p/app/a" + all, ops: []string{"put project/p/app/a {}"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := openWith(t, testSchema, store.Config{Guard: guard{"root": {"read", "create", "update", "delete", "act"}, "ann": test.have}, OnBehalf: map[string]store.OnBehalf{"app": asks}})
			before := []string{"create project/p", "create project/p/app/a", "create project/q"}
			if test.before != "" {
				before = append(before[:1:1], strings.Replace(test.before, "put", "create", 1), before[2])
			}
			if _, err := s.Apply(as(t, "root"), ops(t, before...), store.Options{}); err != nil {
				t.Fatal(err)
			}
			for _, dry := range []bool{true, false} {
				_, err := s.Apply(as(t, "ann"), ops(t, test.ops...), store.Options{DryRun: dry})
				if test.want == "" && err != nil || test.want != "" && (dovetail.CodeOf(err) != dovetail.CodeForbidden || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("dry run %v: got %v, want %q", dry, err, test.want)
				}
			}
		})
	}
}

// TestActor has bob, or someone without the rights, do something to what ann asks for: ann is its actor as long as it is what she asks for, and she may
// have it.
func TestActor(t *testing.T) {
	const (
		id     = "project/p/app/a"
		all    = ` {"spec":{"all":true}}`
		forged = `{"x":1,"actor":{"user":"root"}}`
	)
	asks := func(_ dovetail.ID, before, after *value.Value) []store.Need {
		if before != nil && value.Equal(before.Get("spec"), after.Get("spec")) || after.At("spec", "all") == nil {
			return nil
		}
		return []store.Need{{Right: dovetail.RightRead, ID: dovetail.AllOf("profile")}}
	}
	tests := []struct {
		name string
		by   func(t *testing.T, s *store.Store, g guard)
		at   dovetail.ID // "" for id
		want string
	}{
		{name: "nothing", by: func(*testing.T, *store.Store, guard) {}, want: "ann"},
		{name: "the same", by: func(t *testing.T, s *store.Store, _ guard) { applyAs(as(t, "bob"), t, s, "put "+id+all) }, want: "ann"},
		{name: "a note", by: func(t *testing.T, s *store.Store, _ guard) { applyAs(as(t, "bob"), t, s, "patch "+id+` {"note":1}`) }, want: "ann"},
		{name: "something else", by: func(t *testing.T, s *store.Store, _ guard) {
			applyAs(as(t, "bob"), t, s, "patch "+id+` {"spec":{"more":1}}`)
		}, want: "bob"},
		{name: "the same, where she may not", by: func(t *testing.T, s *store.Store, g guard) {
			g["ann"] = nil
			applyAs(as(t, "bob"), t, s, "put "+id+all)
		}, want: "bob"},
		{name: "the same by who may not either", by: func(t *testing.T, s *store.Store, g guard) {
			g["ann"] = nil
			applyAs(as(t, "eve"), t, s, "patch "+id+` {"note":1}`)
		}, want: "ann"},
		{name: "a status", by: func(t *testing.T, s *store.Store, _ guard) {
			applyAs(as(t, "bob"), t, s, string(store.PutStatus)+" "+id+" "+forged)
		}, want: "ann"},
		{name: "a put with a status", by: func(t *testing.T, s *store.Store, _ guard) {
			put := op(t, "put "+id+` {"spec":{"all":true},"note":1}`)
			put.Status = parse(t, forged)
			if _, err := s.Apply(as(t, "bob"), []store.Operation{put}, store.Options{}); err != nil {
				t.Fatal(err)
			}
		}, want: "ann"},
		{name: "an import", by: func(t *testing.T, s *store.Store, _ guard) {
			doc, err := s.Get(as(t, "root"), id)
			if err != nil {
				t.Fatal(err)
			}
			forgery := *doc
			forgery.Status = []byte(forged)
			applyAs(as(t, "bob"), t, s, "delete "+id)
			if _, err := s.Import(as(t, "bob"), []*dovetail.Document{&forgery}, store.Options{}); err != nil {
				t.Fatal(err)
			}
		}, want: "bob"},
		{name: "a rename", by: func(t *testing.T, s *store.Store, _ guard) {
			if _, err := s.Rename(as(t, "bob"), id, "project/p/app/b", store.Options{}); err != nil {
				t.Fatal(err)
			}
		}, at: "project/p/app/b", want: "ann"},
		{name: "a rollback", by: func(t *testing.T, s *store.Store, _ guard) {
			applyAs(as(t, "root"), t, s, "put "+id+` {"spec":{"other":1}}`)
			if _, err := s.Rollback(as(t, "bob"), id, "", store.Options{}); err != nil {
				t.Fatal(err)
			}
		}, want: "bob"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			every := []string{"read", "create", "update", "delete", "act"}
			g := guard{"root": every, "ann": every, "bob": every, "eve": {"read project", "update project/p"}}
			s := openWith(t, testSchema, store.Config{Guard: g, OnBehalf: map[string]store.OnBehalf{"app": asks}})
			applyAs(as(t, "root"), t, s, "create project/p")
			ann := dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: "ann", Groups: []string{"ops"}})
			applyAs(ann, t, s, "create "+id+all)
			test.by(t, s, g)
			doc, err := s.Get(as(t, "root"), cmp.Or(test.at, id))
			if err != nil {
				t.Fatal(err)
			}
			who := store.ActorOf(doc)
			if who == nil || who.Name != test.want || test.want == "ann" && !slices.Equal(who.Groups, []string{"ops"}) {
				t.Errorf("the actor is %+v, want %s", who, test.want)
			}
		})
	}
}
