package app

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

// TestMigrateEMCOToServer migrates more than a server takes in one request.
func TestMigrateEMCOToServer(t *testing.T) {
	const documents = 1600
	s := start(t, map[string]string{"store": "bolt:" + filepath.Join(t.TempDir(), "server.db"), "ref-schemas": emcoSchema, "max-body": "5MiB", "max-batch": "5MiB"})
	arguments := []string{"migrate", "emco", apptest.EMCOProjects(t, documents, 4000), "--server", s.URL()}
	for _, want := range []string{"1600 stored documents read, 1600 documents migrated\n", "1600 stored documents read, 1600 documents migrated (1600 of them by an earlier run)\n"} {
		if got := command(t, 0, "", arguments...); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := strings.Count(command(t, 0, "", "get", "project", "--server", s.URL(), "-o", "name"), "\n"); got != documents {
		t.Errorf("the server has %d projects", got)
	}
}
