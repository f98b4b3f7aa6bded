package bolt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/memdir"
)

// TestCheckpointOnFullDisk opens a checkpoint on a full disk: that is refused, and does not spoil it.
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
		_, err = Open(path, Options{})
		wantCode(t, "opening on a full disk", err, dovetail.CodeUnavailable)
		if err := os.Remove(rest); err != nil {
			t.Fatal(err)
		}
		later := mustOpen(t, path, Options{})
		defer later.Close()
		wantDocuments(t, later, []dovetail.ID{"project/a"})
	})
}
