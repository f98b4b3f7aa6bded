// Package memdir gives tests folders in memory for their databases: a commit waits for the disk, and most tests ask for
// many commits and for nothing of the disk. The tests of the embedded store itself, and benchmarks, use
// the disk, except those of full and read-only ones, for which Small is there.
//
// It imports nothing of Dovetail, and only tests import it.
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
