package bolt

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

func TestSpillFile(t *testing.T) {
	cases := []struct {
		name   string
		pairs  int
		size   int // of a value
		inFile bool
	}{
		{"empty", 0, 0, false},
		{"empty values", 3, 0, false},
		{"in memory", 100, 1000, false},
		{"in a file", 3000, 1000, true},
		{"one large", 1, 3 << 20, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := spillFile{folder: t.TempDir()}
			defer s.close()
			value := bytes.Repeat([]byte("v"), c.size)
			for i := range c.pairs {
				if err := s.add([]byte(fmt.Sprint("key", i)), value); err != nil {
					t.Fatal(err)
				}
			}
			if (s.file != nil) != c.inFile {
				t.Errorf("in a file: %v, want %v", s.file != nil, c.inFile)
			}
			if entries, err := os.ReadDir(s.folder); err != nil || len(entries) > 0 {
				t.Errorf("the folder shows %v, %v", entries, err)
			}
			i := 0
			for key, got := range s.all() {
				if string(key) != fmt.Sprint("key", i) || !bytes.Equal(got, value) {
					t.Fatalf("pair %d is %q with %d bytes", i, key, len(got))
				}
				i++
			}
			if i != c.pairs || s.err != nil {
				t.Errorf("%d of %d pairs came back, %v", i, c.pairs, s.err)
			}
		})
	}
}

// TestListHoldsNothing lets the file grow far beyond its mapping from inside a loop over a list that
// is too long for memory. If a view stayed open, the flusher would wait for it to map the file
// again, the writer for the flusher, and the loop for the writer.
func TestListHoldsNothing(t *testing.T) {
	b := mustOpen(t, filepath.Join(t.TempDir(), "store.db"), Options{mapSize: 1, tableSize: 1 << 10})
	defer b.Close()
	large := make([]byte, 100<<10)
	ids := make([]dovetail.ID, 20)
	for i := range ids {
		ids[i] = dovetail.ID(fmt.Sprintf("project/p%02d", i))
		d := document(ids[i])
		d.Data = large
		commit(t, b, store.Txn{Puts: []*dovetail.Document{d}})
	}
	before, seen := fileSize(t, b), 0
	for d, err := range b.List(t.Context(), store.Query{Kind: "kind"}) {
		if err != nil {
			t.Fatal(err)
		}
		if d.ID != ids[seen] {
			t.Errorf("document %d is %s", seen, d.ID)
		}
		seen++
		for range 5 {
			d.ID += "x"
			commit(t, b, store.Txn{Puts: []*dovetail.Document{d}})
		}
	}
	if seen != len(ids) {
		t.Errorf("the list shows %d of %d documents", seen, len(ids))
	}
	// bbolt maps less than twice of what there is.
	if after := fileSize(t, b); after < 2*before {
		t.Errorf("the file had %d bytes and has %d: the test proves nothing", before, after)
	}
}

func fileSize(t *testing.T, b *Backend) int64 {
	t.Helper()
	info, err := os.Stat(b.path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
