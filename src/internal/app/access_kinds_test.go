package app

import (
	"slices"
	"strings"
	"testing"
)

// TestAccessKinds shows which kinds the server says a client has rights on.
func TestAccessKinds(t *testing.T) {
	file, tokens := accessFile(t, accessRoles, "root", "reader", "ann", "norole")
	server := start(t, map[string]string{"access": file})
	open := start(t, nil)
	for _, tt := range []struct {
		name         string
		server       *running
		who          string
		read, create []string // of cluster and environment
	}{
		{name: "an editor", server: server, who: "root", read: []string{"cluster", "environment"}, create: []string{"cluster", "environment"}},
		{name: "a reader", server: server, who: "reader", read: []string{"cluster", "environment"}},
		{name: "one of some documents", server: server, who: "ann", read: []string{"environment"}, create: []string{"environment"}},
		{name: "one without rights", server: server, who: "norole"},
		{name: "any user, without an access policy", server: open, read: []string{"cluster", "environment"}, create: []string{"cluster", "environment"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _, text := tt.server.as(t, tokens[tt.who], "GET", "/v2/access?view=kinds", "")
			var got struct{ Kinds map[string][]string }
			decode(t, text, &got)
			for right, want := range map[string][]string{"read": tt.read, "create": tt.create} {
				some := slices.DeleteFunc(slices.Clone(got.Kinds[right]), func(kind string) bool { return kind != "cluster" && kind != "environment" })
				if status != 200 || !slices.Equal(some, want) {
					t.Errorf("%s: got %d %v, want %v", right, status, some, want)
				}
			}
		})
	}
	for query, says := range map[string]string{"?view=kinds&right=read": "leave right and id out", "?view=kind": "view=kinds"} {
		if status, _, text := server.as(t, tokens["ann"], "GET", "/v2/access"+query, ""); status != 400 || !strings.Contains(text, says) {
			t.Errorf("%s: %d %s", query, status, text)
		}
	}
}
