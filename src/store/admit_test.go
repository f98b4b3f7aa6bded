package store_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

func TestAdmit(t *testing.T) {
	create, update, read := dovetail.RightCreate, dovetail.RightUpdate, dovetail.RightRead
	tests := []struct {
		name   string
		have   []string
		scopes []store.Scope
		want   string // the message of the refusal; "" for admitted
		record bool
	}{
		{name: "nothing is needed"},
		{name: "no right", scopes: []store.Scope{{Right: create, ID: "project/p/app/a"}, {Right: update, ID: "project/p/app/a"}}, want: "ann may not update project/p/app/a", record: true},
		{name: "one of two", have: []string{"create project/p"}, scopes: []store.Scope{{Right: create, ID: "project/p/app/a"}, {Right: update, ID: "project/p/app/a"}}},
		{name: "another place", have: []string{"create project/q"}, scopes: []store.Scope{{Right: create, ID: "project/p/app/a"}}, want: "ann may not create project/p/app/a", record: true},
		{name: "below a place", have: []string{"create project/p"}, scopes: []store.Scope{{Right: create, Kinds: []string{"app"}, ID: "project/p"}}},
		{name: "below another", have: []string{"create project/q"}, scopes: []store.Scope{{Right: create, Kinds: []string{"app"}, ID: "project/p"}}, want: "ann may not create any app below project/p", record: true},
		{name: "anything", have: []string{"create project/q"}, scopes: []store.Scope{{Right: create, AnyKind: true}}},
		{name: "not anything", have: []string{"read"}, scopes: []store.Scope{{Right: create, AnyKind: true}}, want: "ann may not create any document", record: true},
		{name: "reading is not recorded", scopes: []store.Scope{{Right: read, Kinds: []string{"app"}}}, want: "ann may not read any app"},
		{name: "reading all", have: []string{"read"}, scopes: []store.Scope{{Right: read, Everywhere: true}}},
		{name: "reading a part is not reading all", have: []string{"read project/p"}, scopes: []store.Scope{{Right: read, Everywhere: true}}, want: "ann may not read every kind of document, everywhere"},
		{name: "an id of no kind", scopes: []store.Scope{{Right: create, ID: "nothing/x"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var records []store.AuditRecord
			s := openWith(t, testSchema, store.Config{Guard: guard{"ann": test.have},
				Audit: store.Audit{Report: func(_ context.Context, r store.AuditRecord) { records = append(records, r) }}})
			err := s.Admit(as(t, "ann"), test.scopes...)
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if dovetail.CodeOf(err) != dovetail.CodeForbidden || !strings.HasPrefix(err.Error(), test.want+"; ") {
				t.Errorf("%v", err)
			}
			if got := len(records) == 1 && records[0].Principal == "ann" && strings.HasPrefix(records[0].Refused, test.want); got != test.record || len(records) > 1 {
				t.Errorf("on record: %+v", records)
			}
		})
	}
}

func TestHasRights(t *testing.T) {
	s := openWith(t, testSchema, store.Config{Guard: guard{"ann": {"delete project/p"}}})
	for _, test := range []struct {
		principal string
		want      bool
	}{{"ann", true}, {"bob", false}} {
		if got := s.HasRights(as(t, test.principal)); got != test.want {
			t.Errorf("%s has rights: %t, want %t", test.principal, got, test.want)
		}
	}
	if unguarded := openWith(t, testSchema, store.Config{}); !unguarded.HasRights(t.Context()) {
		t.Error("without an access policy someone has no rights")
	}
}
