package app

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckpointRequests refuses what a checkpoint cannot be, and says what to use instead.
func TestCheckpointRequests(t *testing.T) {
	dir := t.TempDir()
	server := start(t, map[string]string{"store": "bolt:" + filepath.Join(dir, "store.db")})
	server.must(t, 201, "PUT", "/v2/clusters/a", "{}")
	for _, test := range []struct {
		name, query string
		status      int
		want        string
	}{
		{"of an earlier moment", "checkpoint=true&at=2026-01-01", 400, "a checkpoint cannot be made of an earlier position"},
		{"of a position", "checkpoint=true&at=POSITION", 400, "a checkpoint cannot be made of an earlier position"},
		{"in clear", "checkpoint=true&cleartext=true", 400, "leave out cleartext"},
		{"in a change set", "checkpoint=true&changeSet=x", 400, ""},
		{"neither yes nor no", "checkpoint=maybe", 400, "neither true nor false"},
		{"none", "checkpoint=false", 200, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			query := test.query
			if strings.Contains(query, "POSITION") {
				_, position, _ := strings.Cut(server.must(t, 200, "GET", "/v2/transactions?limit=1", ""), `"position":"`)
				position, _, _ = strings.Cut(position, `"`)
				query = strings.Replace(query, "POSITION", position, 1)
			}
			if text := server.must(t, test.status, "GET", "/v2/backup?"+query, ""); !strings.Contains(text, test.want) {
				t.Errorf("it says %s", text)
			}
		})
	}
}

// TestCheckpointOnMongo says what to use in place of a checkpoint.
func TestCheckpointOnMongo(t *testing.T) {
	server := start(t, map[string]string{"store": freshMongo(t).String()})
	if text := server.must(t, 409, "GET", "/v2/backup?checkpoint=true", ""); !strings.Contains(text, "this database is on MongoDB") || !strings.Contains(text, "dovetail backup") {
		t.Errorf("it says %s", text)
	}
}
