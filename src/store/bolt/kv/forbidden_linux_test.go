package kv

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/memdir"
)

// TestForbidden opens a store on a file system that is read-only.
func TestForbidden(t *testing.T) {
	memdir.Small(t, func(t *testing.T, folder string) {
		path := filepath.Join(folder, "store.db")
		b := mustOpen(t, path, options())
		write(t, b, "a=1")
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{path, filepath.Join(folder, "new", "store.db")} {
			_, err := Open(path, options())
			wantCode(t, "Open", err, dovetail.CodeUnavailable)
			if err != nil && !strings.Contains(err.Error(), "read-only file system") {
				t.Errorf("Open says %q", err)
			}
		}
		ro := options()
		ro.ReadOnly = true
		b = mustOpen(t, path, ro)
		defer b.Close()
		wantContents(t, b, "a=1")
	})
}
