package storetest_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

// limited is a backend of one's own: it does at most so many commits at a time.
type limited struct {
	store.Backend
	slots chan struct{}
}

// Commit waits for a slot.
func (l *limited) Commit(ctx context.Context, txn store.Txn) error {
	l.slots <- struct{}{}
	defer func() { <-l.slots }()
	return l.Backend.Commit(ctx, txn)
}

func openLimited(tb testing.TB) store.Backend {
	inner, err := bolt.Open(filepath.Join(tb.TempDir(), "store.db"), bolt.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return &limited{Backend: inner, slots: make(chan struct{}, 2)}
}

// The functions belong into a file conformance_test.go beside the backend, as TestConformance and BenchmarkBackend.
func Example() {
	_ = func(t *testing.T) {
		storetest.Run(t, storetest.Config{
			Open: func(t *testing.T) store.Backend { return openLimited(t) },
			Exclude: map[string]string{
				"resume/expired": "the history of this backend does not end",
			},
		})
	}
	_ = func(b *testing.B) {
		storetest.Benchmarks(b, func(b *testing.B) store.Backend { return openLimited(b) })
	}
}
