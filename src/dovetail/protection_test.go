package dovetail_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func ExampleProtection() {
	p := dovetail.Protection{On: []string{"cluster/prod"}, Approvals: 2, By: []string{"release-managers", "user:alice"}}
	fmt.Println(p.Covers("cluster/prod/environment/a"), p.Covers("cluster/dev"))
	fmt.Println(p.Counts(&dovetail.Principal{Name: "alice"}), p.Counts(&dovetail.Principal{Name: "bob"}))
	// Output:
	// true false
	// true false
}

func TestProtection(t *testing.T) {
	tests := []struct {
		name          string
		on            string
		id            dovetail.ID
		covers, meets bool
	}{
		{name: "the document", on: "cluster/c1", id: "cluster/c1", covers: true, meets: true},
		{name: "below the document", on: "cluster/c1", id: "cluster/c1/environment/e", covers: true, meets: true},
		{name: "a similar name", on: "cluster/c1", id: "cluster/c11"},
		{name: "above the document", on: "cluster/c1/environment/e", id: "cluster/c1", meets: true},
		{name: "what is below only", on: "cluster/c1/*", id: "cluster/c1", meets: true},
		{name: "below what is below only", on: "cluster/c1/*", id: "cluster/c1/environment/e", covers: true, meets: true},
		{name: "a similar name with what is below only", on: "cluster/c1/*", id: "cluster/c11/environment/e"},
		{name: "everywhere", on: "cluster/c1", meets: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := dovetail.Protection{On: []string{"other/x", tt.on}}
			if covers, meets := p.Covers(tt.id), p.Meets(tt.id); covers != tt.covers || meets != tt.meets {
				t.Errorf("covers %v, meets %v", covers, meets)
			}
		})
	}
}

func TestProtectionCounts(t *testing.T) {
	tests := []struct {
		name string
		by   []string
		who  dovetail.Principal
		want bool
	}{
		{name: "everyone", who: dovetail.Principal{Name: "bob"}, want: true},
		{name: "a group", by: []string{"team"}, who: dovetail.Principal{Name: "bob", Groups: []string{"team"}}, want: true},
		{name: "a user", by: []string{"team", "user:bob"}, who: dovetail.Principal{Name: "bob"}, want: true},
		{name: "a user named as the group", by: []string{"team"}, who: dovetail.Principal{Name: "team"}},
		{name: "a group named as the user", by: []string{"user:bob"}, who: dovetail.Principal{Name: "eve", Groups: []string{"bob", "user:bob"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (&dovetail.Protection{By: tt.by}).Counts(&tt.who); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
