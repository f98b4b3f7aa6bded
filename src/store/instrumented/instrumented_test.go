package instrumented_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/store/instrumented"
)

// note is an observer that records its calls.
type note struct {
	name string
	to   *[]string
	mu   *sync.Mutex
}

type mark struct{ name string }

func (n note) Begun(ctx context.Context, op instrumented.Operation) context.Context {
	n.mu.Lock()
	defer n.mu.Unlock()
	*n.to = append(*n.to, fmt.Sprintf("%s begins %s", n.name, op))
	return context.WithValue(ctx, mark{n.name}, true)
}

func (n note) Ended(ctx context.Context, op instrumented.Operation, took time.Duration, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if ctx.Value(mark{n.name}) == nil {
		*n.to = append(*n.to, "the context is another one")
	}
	if took < 0 || took > time.Hour {
		*n.to = append(*n.to, "it took "+took.String())
	}
	*n.to = append(*n.to, fmt.Sprintf("%s ends %s %s", n.name, op, dovetail.CodeOf(err)))
}

func newBolt(tb testing.TB, path string) store.Backend {
	tb.Helper()
	b, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestObserved(t *testing.T) {
	var told []string
	var mu sync.Mutex
	inner := newBolt(t, filepath.Join(t.TempDir(), "db"))
	b := instrumented.New(inner, note{"a", &told, &mu}, note{"b", &told, &mu})
	defer b.Close()
	ctx := t.Context()
	doc := &dovetail.Document{ID: "x/1", Kind: "x", Data: []byte("{}"), UID: "u", Revision: 1}
	tests := []struct {
		name string
		do   func() error
		op   instrumented.Operation
	}{
		{"commit", func() error { return b.Commit(ctx, store.Txn{Puts: []*dovetail.Document{doc}}) }, instrumented.Commit},
		{"commit that conflicts", func() error {
			return b.Commit(ctx, store.Txn{Require: []store.Condition{{Test: store.Absent, ID: "x/1"}}, Puts: []*dovetail.Document{doc}})
		}, instrumented.Commit},
		{"get", func() error { _, err := b.Get(ctx, "x/1"); return err }, instrumented.Get},
		{"get of nothing", func() error { _, err := b.Get(ctx, "x/2"); return err }, instrumented.Get},
		{"get of several", func() error { _, err := b.GetAll(ctx, []dovetail.ID{"x/1", "x/2"}); return err }, instrumented.GetAll},
		{"referrers", func() error { _, err := b.Referrers(ctx, []dovetail.ID{"x/1"}, "", 0); return err }, instrumented.Referrers},
		{"head", func() error { _, err := b.Head(ctx); return err }, instrumented.Head},
		{"ping", func() error { return b.Ping(ctx) }, instrumented.Ping},
		{"list", func() error {
			for _, err := range b.List(ctx, store.Query{}) {
				return err
			}
			return nil
		}, instrumented.List},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			told = nil
			code := dovetail.CodeOf(tt.do())
			want := []string{"a begins " + string(tt.op), "b begins " + string(tt.op),
				fmt.Sprintf("b ends %s %s", tt.op, code), fmt.Sprintf("a ends %s %s", tt.op, code)}
			if !slices.Equal(told, want) {
				t.Errorf("got %q, want %q", told, want)
			}
		})
	}
	if instrumented.New(inner) != inner {
		t.Error("without observers there is something around the backend")
	}
}
