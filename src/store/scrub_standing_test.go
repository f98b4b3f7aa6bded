package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

const standingSchema = `
resources:
  - name: site
    schema: {properties: {spec: {properties: {size: {type: integer}}}}}
  - name: vault
    parent: site
    sensitive: [/spec/key]
    schema: {properties: {spec: {properties: {key: {pattern: "^k"}}}}}
`

// TestStanding damages three documents behind the store's back, scrubs, and repairs one.
func TestStanding(t *testing.T) {
	s := openWith(t, standingSchema, store.Config{Guard: guard{"root": {"read", "create", "update"}, "ann": {"read site/a"}, "eve": nil}})
	root := as(t, "root")
	if standing, err := s.Standing(root); standing != nil || err != nil {
		t.Errorf("before the first scrub it is %+v, %v", standing, err)
	}
	applyAs(root, t, s, "create site/a", "create site/b", "create site/c", `create site/a/vault/v {"spec":{"key":"k1"}}`)
	var damage store.Txn
	for id, data := range map[dovetail.ID]string{"site/a": `{"spec":{"size":"x"}}`, "site/b": `{"spec":{"size":true}}`, "site/a/vault/v": `{"spec":{"key":"hunter2"}}`} {
		doc, err := s.Get(root, id)
		if err != nil {
			t.Fatal(err)
		}
		doc.Data = []byte(data)
		damage.Puts = append(damage.Puts, doc)
	}
	if err := s.Backend().Commit(t.Context(), damage); err != nil {
		t.Fatal(err)
	}
	result, err := s.Scrub(t.Context(), func(context.Context) error { return nil }, nil)
	if err != nil || result.Total != 3 {
		t.Fatalf("the scrub found %+v, %v", result, err)
	}
	tests := []struct {
		name, who string
		repaired  bool // site/a, which stays so
		want      []string
	}{
		{name: "all for who may read all", who: "root", want: []string{"site/a invalid-data", "site/a/vault/v invalid-data", "site/b invalid-data"}},
		{name: "what one may read", who: "ann", want: []string{"site/a invalid-data", "site/a/vault/v invalid-data"}},
		{name: "nothing without rights", who: "eve"},
		{name: "what was repaired since is gone", who: "root", repaired: true, want: []string{"site/a/vault/v invalid-data", "site/b invalid-data"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.repaired {
				applyAs(root, t, s, `put site/a {"spec":{"size":1}}`)
			}
			standing, err := s.Standing(as(t, tt.who))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range standing.Findings {
				got = append(got, string(f.ID)+" "+f.Problem)
				if strings.Contains(f.Message, "hunter2") || f.ID == "site/a/vault/v" && !strings.Contains(f.Message, "secret") {
					t.Errorf("a finding quotes a secret: %s", f.Message)
				}
			}
			if !slices.Equal(got, tt.want) || standing.Partial || !standing.Scrubbed.Equal(result.Ended) {
				t.Errorf("got %q of %+v, want %q", got, standing, tt.want)
			}
		})
	}
}
