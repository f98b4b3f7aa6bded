package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/test/bench/peer"
)

// files are databases that benchmarks share, because they take long to fill. The benchmarks leave
// them as they found them.
var files struct {
	dir    string
	filled map[int]string // path by number of items
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if files.dir, err = os.MkdirTemp("", "bench"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(files.dir)
		files.filled = map[int]string{}
		return m.Run()
	}())
}

// filled returns a database file that holds the targets and that many items, from number 0 on.
func filled(b *testing.B, items int) string {
	b.Helper()
	if path := files.filled[items]; path != "" {
		return path
	}
	start := time.Now()
	path := filepath.Join(files.dir, fmt.Sprintf("%d.db", items))
	d, err := peer.OpenStore(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	if err := d.CreateTargets(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := d.CreateAll(b.Context(), 0, items); err != nil {
		b.Fatal(err)
	}
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
	b.Logf("filled %d items in %.1f s", items, time.Since(start).Seconds())
	files.filled[items] = path
	return path
}
