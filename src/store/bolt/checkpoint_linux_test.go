package bolt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
)

// TestCheckpointOnFullDisk opens a checkpoint on a full disk: it is read, and becomes a store of its own when there is space.
func TestCheckpointOnFullDisk(t *testing.T) {
	memdir.Small(t, func(t *testing.T, folder string) {
		b := openTemporary(t, Options{})
		commit(t, b, create("project/a"))
		from, _ := checkpoint(t, b)
		file, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "copy.db")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		rest := filepath.Join(folder, "rest")
		fill(t, rest)
		full := mustOpen(t, path, Options{})
		wantDocuments(t, full, []dovetail.ID{"project/a"})
		wantCode(t, "a write on a full disk", full.Commit(t.Context(), create("project/b")), dovetail.CodeUnavailable)
		if err := full.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(rest); err != nil {
			t.Fatal(err)
		}
		later := mustOpen(t, path, Options{})
		defer later.Close()
		wantDocuments(t, later, []dovetail.ID{"project/a"})
	})
}
