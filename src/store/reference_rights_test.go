package store_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// useSchema has a sensitive kind that others refer to.
const useSchema = `
resources:
  - name: project
  - name: secret
    sensitive: [/spec/data]
  - name: site
  - name: consumer
    parent: project
    references: [secret]
  - name: visitor
    parent: project
    references: [site]
  - name: hint
    parent: project
    references: [{name: site, enforce: warn}]
  - name: either
    parent: project
    references: [{oneOf: [site, secret], field: target}]
`

// using is a guarded store in which project/p/consumer/old refers to secret/s, and project/p/visitor/old to site/s.
func using(t *testing.T, have ...string) *store.Store {
	t.Helper()
	s := openWith(t, useSchema, store.Config{Guard: guard{"root": {"read", "create", "update", "delete", "act", "use"}, "ann": have}})
	if _, err := s.Apply(as(t, "root"), ops(t, "create project/p", "create secret/s", "create secret/both", "create site/s", "create site/both",
		`create project/p/consumer/old {"spec":{"secret":"s"}}`, `create project/p/visitor/old {"spec":{"site":"s"}}`), store.Options{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// Who adds a reference needs the right to use its target, or, where the kind is not sensitive, to read it. What is
// refused does not show whether the target exists.
func TestReferencesNeedRights(t *testing.T) {
	const writes = "create project/p,update project/p"
	tests := []struct {
		name string
		have string // beside writes
		op   string // with TARGET for s, which exists, and none, which does not
		want string // the refusal; "" for allowed
	}{
		{name: "no right on a secret", op: `create project/p/consumer/c {"spec":{"secret":"TARGET"}}`, want: "ann may not refer from project/p/consumer/c to secret/TARGET"},
		{name: "to read a secret is not enough", have: "read", op: `create project/p/consumer/c {"spec":{"secret":"TARGET"}}`, want: "ann may not refer from project/p/consumer/c to secret/TARGET"},
		{name: "to use a secret", have: "use secret/s,use secret/none", op: `create project/p/consumer/c {"spec":{"secret":"TARGET"}}`},
		{name: "no right on a site", op: `create project/p/visitor/v {"spec":{"site":"TARGET"}}`, want: "ann may not refer from project/p/visitor/v to site/TARGET"},
		{name: "to read a site", have: "read site/s,read site/none", op: `create project/p/visitor/v {"spec":{"site":"TARGET"}}`},
		{name: "to use a site", have: "use site/s,use site/none", op: `put project/p/visitor/v {"spec":{"site":"TARGET"}}`},
		{name: "a weak reference", op: `create project/p/hint/h {"spec":{"site":"TARGET"}}`, want: "ann may not refer from project/p/hint/h to site/TARGET"},
		{name: "by a put", have: "read project/p", op: `put project/p/visitor/new {"spec":{"site":"TARGET"}}`, want: "ann may not refer from project/p/visitor/new to site/TARGET"},
		{name: "one of several, none of which may be used", op: `create project/p/either/e {"spec":{"target":"TARGET"}}`, want: "ann may not refer from project/p/either/e to site/TARGET or secret/TARGET"},
	}
	for _, tt := range tests {
		for _, target := range []string{"s", "none"} {
			for _, dryRun := range []bool{true, false} {
				t.Run(tt.name+"/"+target, func(t *testing.T) {
					s := using(t, strings.Split(writes+","+tt.have, ",")...)
					line, want := strings.ReplaceAll(tt.op, "TARGET", target), strings.ReplaceAll(tt.want, "TARGET", target)
					_, err := s.Apply(as(t, "ann"), ops(t, line), store.Options{DryRun: dryRun})
					switch {
					case want != "":
						if dovetail.CodeOf(err) != dovetail.CodeForbidden || !strings.HasPrefix(err.Error(), want) {
							t.Errorf("got %v, want %s", err, want)
						}
					case target == "none":
						if dovetail.CodeOf(err) != dovetail.CodeMissing {
							t.Errorf("got %v, want that it is missing", err)
						}
					case err != nil:
						t.Error(err)
					}
				})
			}
		}
	}
}

// A reference that the document has already may stay if the principal may read the document; any other principal would
// learn of it. If the target needs the right to use it, only the metadata of a document that keeps the reference may change.
func TestReferencesThatStay(t *testing.T) {
	tests := []struct {
		name    string
		have    []string
		op      string
		refused bool
	}{
		{name: "put with it", have: []string{"read project/p", "update project/p"}, op: `put project/p/consumer/old {"spec":{"secret":"s"},"metadata":{"description":"x"}}`},
		{name: "patch", have: []string{"read project/p", "update project/p"}, op: `patch project/p/consumer/old {"metadata":{"description":"x"}}`},
		{name: "put that directs it elsewhere", have: []string{"read project/p", "update project/p", "read secret/s"}, op: `put project/p/consumer/old {"spec":{"secret":"s","url":"https://evil.example"}}`, refused: true},
		{name: "patch that directs it elsewhere", have: []string{"read project/p", "update project/p"}, op: `patch project/p/consumer/old {"spec":{"url":"https://evil.example"}}`, refused: true},
		{name: "patch that directs it elsewhere, with the right to use it", have: []string{"read project/p", "update project/p", "use secret/s"}, op: `patch project/p/consumer/old {"spec":{"url":"https://evil.example"}}`},
		{name: "patch that takes it away", have: []string{"read project/p", "update project/p"}, op: `patch project/p/consumer/old {"spec":null}`},
		{name: "what need not be used may stay whatever else changes", have: []string{"read project/p", "update project/p"}, op: `patch project/p/visitor/old {"spec":{"url":"https://other.example"}}`},
		{name: "another one", have: []string{"read project/p", "update project/p"}, op: `put project/p/consumer/old {"spec":{"secret":"t"}}`, refused: true},
		{name: "put unseen", have: []string{"update project/p"}, op: `put project/p/consumer/old {"spec":{"secret":"s"}}`, refused: true},
		{name: "put unseen without it", have: []string{"update project/p"}, op: `put project/p/consumer/old {}`},
		{name: "a part of Dovetail", op: `put project/p/consumer/old {"spec":{"secret":"both"}}`, have: []string{"update", "read", "use"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := using(t, tt.have...)
			_, err := s.Apply(as(t, "ann"), ops(t, tt.op), store.Options{})
			if (dovetail.CodeOf(err) == dovetail.CodeForbidden) != tt.refused || !tt.refused && err != nil {
				t.Errorf("got %v, want a refusal: %v", err, tt.refused)
			}
		})
	}
}

// Where a name may mean one of several documents, those that the writer may not refer to count as if they did not exist.
func TestReferencesToOneOfSeveral(t *testing.T) {
	s := using(t, "create project/p", "read site")
	doc, err := s.Create(as(t, "ann"), op(t, `create project/p/either/e {"spec":{"target":"both"}}`))
	if err != nil || len(doc.References) != 1 || doc.References[0].ID != "site/both" {
		t.Errorf("got %+v, %v, want a reference to site/both", doc, err)
	}
	if _, err := s.Create(as(t, "root"), op(t, `create project/p/either/f {"spec":{"target":"both"}}`)); dovetail.CodeOf(err) != dovetail.CodeUnprocessable {
		t.Errorf("got %v, want that it refers to more than one document", err)
	}
}

// What a service adds to a request needs no right, but what was requested does.
func TestReferencesOfServices(t *testing.T) {
	s := using(t, "create project/p")
	asked := ops(t, `create project/p/consumer/c {"spec":{"secret":"s"}}`)
	if _, err := s.Apply(as(t, "ann"), asked, store.Options{Requested: asked}); dovetail.CodeOf(err) != dovetail.CodeForbidden {
		t.Errorf("got %v, want that ann may not use the secret", err)
	}
	asked = ops(t, `create project/p/consumer/c {}`)
	if _, err := s.Apply(as(t, "ann"), append(asked, ops(t, `create project/p/consumer/d {"spec":{"secret":"s"}}`)...), store.Options{Requested: asked}); err != nil {
		t.Error(err)
	}
}
