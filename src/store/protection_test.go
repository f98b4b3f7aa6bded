package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// protecting is a guard with protections.
type protecting struct {
	guard
	rules []dovetail.Protection
}

func (p *protecting) Protections(context.Context) []dovetail.Protection { return p.rules }

// TestProtection writes past a change set in every way there is: as the owner of everything, as one who may not read it, by a
// service, by what takes back what was done, and as a dry run.
func TestProtection(t *testing.T) {
	const everything = "read|create|update|delete|act|use"
	access := &protecting{guard: guard{
		"owner":            strings.Split(everything, "|"),
		"blind":            {"create", "update", "delete", "act"},
		"none":             {"read"},
		"system:reconcile": strings.Split(everything, "|"),
	}}
	s := openWith(t, testSchema, store.Config{Guard: access})
	owner := as(t, "owner")
	write := func(lines ...string) store.Cursor {
		t.Helper()
		if _, err := s.Apply(owner, ops(t, lines...), store.Options{}); err != nil {
			t.Fatal(err)
		}
		return head(t, s)
	}
	write("create project/p", "create project/p/app/a", `create project/p/hook/h {"spec":{"app":"a"}}`, "create project/q", "create project/q/app/a",
		`create project/q/hook/h {"spec":{"app":"a"}}`)
	created := write("create project/p/app/b")
	updated := write(`put project/p/app/b {"spec":{"n":1}}`)
	write("create project/p/app/gone")
	deleted := write("delete project/p/app/gone")
	access.rules = []dovetail.Protection{{On: []string{"project/p", "project/q/hook/*"}, Approvals: 2, By: []string{"managers"}, Message: "ask #release"},
		{On: []string{"project/q/hook/h"}, Approvals: 1}}
	written := func() (all []string) {
		t.Helper()
		for doc, err := range s.Export(owner) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, stateOf(doc))
		}
		if len(all) == 0 {
			t.Fatal("the owner sees nothing")
		}
		return all
	}
	document, err := s.Get(owner, "project/p/app/a")
	if err != nil {
		t.Fatal(err)
	}
	exported := document.Clone()
	exported.ID = "project/p/app/imported"

	one := func(line string) func(context.Context, store.Options) error {
		return func(ctx context.Context, options store.Options) error {
			_, err := s.Apply(ctx, ops(t, line), options)
			return err
		}
	}
	ways := []struct {
		name string
		do   func(context.Context, store.Options) error
		as   string      // "" is the owner
		key  dovetail.ID // that the refusal names
		code dovetail.Code
	}{
		{name: "create", do: one("create project/p/app/c"), key: "project/p/app/c"},
		{name: "create the place itself", do: one("create project/p"), key: "project/p"},
		{name: "put", do: one(`put project/p/app/a {"spec":{"n":2}}`), key: "project/p/app/a"},
		{name: "put of something new", do: one("put project/p/app/c"), key: "project/p/app/c"},
		{name: "patch", do: one(`patch project/p {"spec":{"n":2}}`), key: "project/p"},
		{name: "delete", do: one("delete project/p/hook/h"), key: "project/p/hook/h"},
		{name: "cascade from above", do: one("cascade-delete project/q"), key: "project/q/hook/h"},
		{name: "cascade of a reference", do: one("delete project/q/app/a"), key: "project/q/hook/h"},
		{name: "cascade over what may not be read", do: one("cascade-delete project/q"), as: "blind", key: "project/q"},
		{name: "status by a user", do: one(`status project/p {"a":1}`), key: "project/p"},
		{name: "status by Dovetail", do: one(`status project/p {"a":1}`), as: "system:reconcile"},
		{name: "data by Dovetail", do: one(`put project/p {"spec":{"n":2}}`), as: "system:reconcile", key: "project/p"},
		{name: "one of a batch", do: func(ctx context.Context, options store.Options) error {
			_, err := s.Apply(ctx, ops(t, "create project/r", "create project/p/app/c"), options)
			return err
		}, key: "project/p/app/c"},
		{name: "a service", do: func(ctx context.Context, options store.Options) error {
			options.Managed, options.Needs = true, []store.Need{{Right: dovetail.RightUpdate, ID: "project/q"}}
			return one("create project/p/app/c")(ctx, options)
		}, key: "project/p/app/c"},
		{name: "what a service adds", do: func(ctx context.Context, options store.Options) error {
			options.Requested = ops(t, "put project/r")
			_, err := s.Apply(ctx, ops(t, "put project/r", "create project/p/app/c"), options)
			return err
		}, key: "project/p/app/c"},
		{name: "import", do: func(ctx context.Context, options store.Options) error {
			_, err := s.Import(ctx, []*dovetail.Document{exported}, options)
			return err
		}, key: "project/p/app/imported"},
		{name: "revert of an update", do: func(ctx context.Context, options store.Options) error {
			_, err := s.Revert(ctx, updated, options)
			return err
		}, key: "project/p/app/b"},
		{name: "revert of a deletion", do: func(ctx context.Context, options store.Options) error {
			_, err := s.Revert(ctx, deleted, options)
			return err
		}, key: "project/p/app/gone"},
		{name: "rollback", do: func(ctx context.Context, options store.Options) error {
			_, err := s.Rollback(ctx, "project/p/app/b", "", options)
			return err
		}, key: "project/p/app/b"},
		{name: "rollback by another one, as Git sync", do: func(ctx context.Context, options store.Options) error {
			_, err := s.RollbackBy(ctx, applier{s}, "project/p/app/b", "", options)
			return err
		}, key: "project/p/app/b"},
		{name: "nothing new", do: one(`put project/p/app/b {"spec":{"n":1}}`)},
		{name: "beside what is protected", do: one("put project/r")},
		{name: "a place of which only what is below is protected", do: one(`put project/q {"spec":{"n":2}}`)},
		{name: "one without rights", do: one("create project/p/app/c"), as: "none", code: dovetail.CodeForbidden},
	}
	for _, way := range ways {
		for _, dryRun := range []bool{true, false} {
			if way.name == "import" && dryRun {
				continue // it has none
			}
			ctx, before := owner, written()
			if way.as != "" {
				ctx = as(t, way.as)
			}
			err := way.do(ctx, store.Options{DryRun: dryRun})
			if way.key == "" {
				if dovetail.CodeOf(err) != way.code || err != nil && dovetail.AsError(err).Reason == store.ReasonProtected {
					t.Errorf("%s: %v, want %q", way.name, err, way.code)
				}
				continue
			}
			if dovetail.CodeOf(err) != dovetail.CodeForbidden || dovetail.AsError(err).Reason != store.ReasonProtected {
				t.Errorf("%s, dry run %v: %v", way.name, dryRun, err)
				continue
			}
			part := dovetail.AsError(err)
			if len(part.Errors) > 0 {
				part = part.Errors[0]
			}
			if part.Key != way.key || !strings.Contains(part.Remedy, "--change-set") || way.as == "blind" && strings.Contains(part.Message, "hook") {
				t.Errorf("%s: the refusal is about %s: %+v", way.name, part.Key, part)
			}
			if after := written(); !slices.Equal(after, before) {
				t.Errorf("%s was refused, and made\n%q of\n%q", way.name, after, before)
			}
		}
	}

	t.Run("merge and staging", func(t *testing.T) {
		staged := staging{}
		view, err := s.Overlay(owner, "", nil, staged.add)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := view.Apply(owner, ops(t, `put project/p/app/a {"spec":{"n":2}}`, "delete project/p/app/b"), store.Options{}); err != nil {
			t.Fatalf("staging: %v", err)
		}
		operations, _, err := s.MergeOperations(owner, staged.list(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Apply(owner, operations, store.Options{}); dovetail.CodeOf(err) != dovetail.CodeForbidden || len(dovetail.AsError(err).Errors) != 2 {
			t.Errorf("a merge that is not one: %v", err)
		}
		merge := store.Options{ChangeSet: "cs", Approved: store.StagedIDs(staged.list())}
		if _, err := s.Apply(as(t, "none"), operations, merge); dovetail.CodeOf(err) != dovetail.CodeForbidden {
			t.Errorf("a merge without rights: %v", err)
		}
		if _, err := s.Apply(owner, operations, merge); err != nil {
			t.Errorf("the merge: %v", err)
		}
		if last, err := s.Transaction(owner, head(t, s)); err != nil || last.Origin != "changeSet:cs" {
			t.Errorf("its transaction is %+v, %v", last, err)
		}
	})
	t.Run("merge elsewhere", func(t *testing.T) {
		change := ops(t, `put project/p/app/a {"spec":{"n":3}}`, "cascade-delete project/q")
		approved := []dovetail.ID{"project/p/app/a"}
		_, err := s.Apply(owner, change, store.Options{Approved: approved})
		if dovetail.AsError(err).Reason != store.ReasonProtected || len(dovetail.AsError(err).Errors) > 1 || !strings.Contains(err.Error(), "project/q/hook/h") {
			t.Errorf("with one of two approved: %v", err)
		}
		if _, err := s.Apply(owner, change, store.Options{Approved: append(approved, "project/q/hook/h"), Origin: "git:c"}); err != nil {
			t.Errorf("with both approved: %v", err)
		}
		if last, err := s.Transaction(owner, head(t, s)); err != nil || last.Origin != "git:c" {
			t.Errorf("its transaction is %+v, %v", last, err)
		}
	})
	if _, err := s.Revert(owner, created, store.Options{}); err != nil && dovetail.AsError(err).Reason == store.ReasonProtected {
		t.Errorf("a revert of which nothing is left: %v", err)
	}
}

// applier stands before a store, as Git sync does.
type applier struct{ *store.Store }
