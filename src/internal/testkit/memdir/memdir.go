// Package memdir gives tests folders in memory for their databases: a commit waits for the disk, and most tests ask for
// many commits and for nothing of the disk. Tests of crashes, of damaged files and of the log of the embedded store, and
// benchmarks, use the disk. Small makes full and read-only disks.
package memdir

import (
	"os"
	"testing"
)

// New returns a folder that is removed when the test ends: in memory where there is room, else on disk. Programs in it
// cannot always be run.
func New(t testing.TB) string {
	t.Helper()
	if _, isBenchmark := t.(*testing.B); isBenchmark || !hasRoom() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "dovetail-test-") //nolint:usetesting // t.TempDir is on disk
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("removing the folder in memory: %v", err)
		}
	})
	return dir
}
