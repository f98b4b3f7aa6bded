package peer

import (
	"math"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
)

// TestBoltWritesTheSame holds the raw peer to what it is there for: for each item it writes as many keys as Dovetail,
// into the same buckets, and as many bytes, except the few that a number's length makes: the nanoseconds of an item's
// two times are varints of up to five bytes, and of three early in a second.
func TestBoltWritesTheSame(t *testing.T) {
	const (
		items     = 500
		tolerance = 4 * items
	)
	create := func(p Peer, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for n := range items {
			if err := p.Create(t.Context(), ItemOf(n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}

	dir := t.TempDir()
	d, err := OpenDovetail(t.Context(), dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	before := contents(t, filepath.Join(dir, "dovetail.db"))
	create(OpenStore(t.Context(), filepath.Join(dir, "dovetail.db")))
	after := contents(t, filepath.Join(dir, "dovetail.db"))
	create(OpenBolt(t.Context(), dir, 1))
	raw := contents(t, filepath.Join(dir, "raw.db"))

	for _, bucket := range boltBuckets {
		name := string(bucket)
		keys, bytes := after[name].keys-before[name].keys, after[name].bytes-before[name].bytes
		if raw[name].keys != keys || math.Abs(float64(raw[name].bytes-bytes)) > tolerance {
			t.Errorf("%s: Dovetail writes %d keys and %d bytes, the raw peer %d and %d", name, keys, bytes,
				raw[name].keys, raw[name].bytes)
		}
	}
}

// size is how much a bucket holds.
type size struct{ keys, bytes int }

func contents(t *testing.T, file string) map[string]size {
	t.Helper()
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sizes := map[string]size{}
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			var s size
			defer func() { sizes[string(name)] = s }()
			return b.ForEach(func(k, v []byte) error {
				s.keys++
				s.bytes += len(k) + len(v)
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}
