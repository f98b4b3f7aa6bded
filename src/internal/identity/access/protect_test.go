package access_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

func TestProtections(t *testing.T) {
	policy := parse(t, `protect:
  - {on: [cluster/prod, cluster/edge/*], approvals: 2, by: [release-managers, user:alice], message: ask the release managers}
  - on: [region/eu]
`).Policy
	want := []dovetail.Protection{
		{On: []string{"cluster/prod", "cluster/edge/*"}, Approvals: 2, By: []string{"release-managers", "user:alice"}, Message: "ask the release managers"},
		{On: []string{"region/eu"}, Approvals: 1},
	}
	if got := policy.Protections(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := parse(t, "roles: []").Policy.Protections(); len(got) > 0 {
		t.Errorf("without any: %+v", got)
	}
}

func TestProtectionErrors(t *testing.T) {
	tests := []struct {
		name, text string
		want       string
	}{
		{name: "no list", text: "protect: {on: [cluster/c1]}", want: "access.yaml:1:10: protect must be a list, not a map"},
		{name: "an unknown member", text: "protect: [{on: [cluster/c1], aprovals: 2}]", want: `access.yaml:1:30: a protection has the unknown member "aprovals"; did you mean approvals? The members are approvals, by, message, on`},
		{name: "covers nothing", text: "protect: [{approvals: 2}]", want: "access.yaml:1:11: on is missing"},
		{name: "an empty list", text: "protect: [{on: []}]", want: "access.yaml:1:16: on is empty; add an id"},
		{name: "no id", text: "protect: [{on: [cluster]}]", want: "access.yaml:1:11: a protection covers cluster: invalid id"},
		{name: "the parent of everything", text: "protect: [{on: ['*']}]", want: "access.yaml:1:11: a protection covers *: "},
		{name: "no approval", text: "protect: [{on: [cluster/c1], approvals: 0}]", want: "access.yaml:1:41: approvals must be an integer from 1, not the number 0"},
		{name: "approvals in words", text: "protect: [{on: [cluster/c1], approvals: two}]", want: "approvals must be an integer from 1, not a string"},
		{name: "approved by no one", text: "protect: [{on: [cluster/c1], by: []}]", want: "access.yaml:1:34: by is empty; add a group or user"},
		{name: "approved by null", text: "protect: [{on: [cluster/c1], by: null}]", want: "by must be a list, not null"},
		{name: "a user without a name", text: "protect: [{on: [cluster/c1], by: ['user:']}]", want: `access.yaml:1:35: the name "user:" of a group or user is empty`},
		{name: "every user", text: "protect: [{on: [cluster/c1], by: ['user:*']}]", want: `the name "user:*" of a group or user is *`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := access.Parse("access.yaml", []byte(tt.text))
			if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestProtectionOfUnknownKind(t *testing.T) {
	policy := parse(t, "protect:\n- {on: [cluster/c1]}\n- {on: [cluster/c1, clutser/c2/*]}\n").Policy
	err := policy.CheckKinds(access.Kinds{KindOf: func(id dovetail.ID) error {
		if strings.HasPrefix(string(id), "cluster/") {
			return nil
		}
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "unknown kind of " + string(id), Remedy: "did you mean cluster?"}
	}})
	const want = "access.yaml:3:3: a protection covers clutser/c2/*: unknown kind of clutser/c2; did you mean cluster?"
	if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestProtectionsFor(t *testing.T) {
	policy := parse(t, `roles:
  - name: maker
    rules: [{kinds: [environment], verbs: [create]}]
bindings:
  - {role: viewer, users: [ann], on: [cluster/prod/environment/a]}
  - {role: viewer, users: [bob], on: [cluster/dev]}
  - {role: viewer, users: [all]}
  - {role: maker, users: [eve], on: [cluster/prod/*]}
protect:
  - {on: [cluster/prod, region/eu]}
  - {on: [region/us]}
`).Policy
	tests := []struct {
		name, who string
		want      string
	}{
		{name: "reads a document that is protected", who: "ann", want: "[[cluster/prod]]"},
		{name: "has no right there", who: "bob", want: "[]"},
		{name: "reads everything", who: "all", want: "[[cluster/prod region/eu] [region/us]]"},
		{name: "writes what it may not read", who: "eve", want: "[[cluster/prod]]"},
		{name: "has no right at all", who: "fay", want: "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			places := [][]string{}
			for _, p := range policy.ProtectionsFor(&dovetail.Principal{Name: tt.who}) {
				places = append(places, p.On)
			}
			if got := fmt.Sprint(places); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	if got := policy.Protections()[0].On; len(got) != 2 {
		t.Errorf("the policy was changed: %s", got)
	}
}
