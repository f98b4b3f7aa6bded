package app

import (
	"maps"
	"testing"
)

// TestCountsAccess shows that the documents of each kind are counted that the caller may read, and no others.
func TestCountsAccess(t *testing.T) {
	file, tokens := accessFile(t, accessRoles, "root", "reader", "ann", "norole")
	server := start(t, map[string]string{"access": file})
	for _, cluster := range []string{"c1", "c2"} {
		server.as(t, tokens["root"], "POST", "/v2/clusters", named(cluster))
		server.as(t, tokens["root"], "POST", "/v2/clusters/"+cluster+"/environments", named("dev"))
	}
	for _, tt := range []struct {
		who    string
		status int
		want   map[string]int
	}{
		{"root", 200, map[string]int{"cluster": 2, "environment": 2}},
		{"reader", 200, map[string]int{"cluster": 2, "environment": 2}},
		{"ann", 200, map[string]int{"environment": 1}},
		{"norole", 200, map[string]int{}},
		{"nobody", 401, nil},
	} {
		t.Run(tt.who, func(t *testing.T) {
			status, _, text := server.as(t, tokens[tt.who], "GET", "/v2/counts", "")
			var got struct{ Kinds map[string]int }
			decode(t, text, &got)
			if status != tt.status || !maps.Equal(got.Kinds, tt.want) {
				t.Errorf("got %d %s, want %d %v", status, text, tt.status, tt.want)
			}
		})
	}
}
