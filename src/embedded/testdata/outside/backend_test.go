package main

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/embedded"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

// counted is a backend of another module: it counts the commits of the one that it wraps.
type counted struct {
	store.Backend
	commits int
}

func (c *counted) Commit(ctx context.Context, txn store.Txn) error {
	c.commits++
	return c.Backend.Commit(ctx, txn)
}

func open(t *testing.T) store.Backend {
	inner, err := bolt.Open(filepath.Join(t.TempDir(), "store.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &counted{Backend: inner}
}

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Config{
		Open:    open,
		Exclude: map[string]string{"life/restart": "an example of a subtest that is left out"},
	})
}

func TestEmbedded(t *testing.T) {
	backend := open(t)
	s, err := embedded.Open(t.Context(), embedded.Options{Backend: backend, Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := backend.(*counted).commits
	if _, err := s.Apply(t.Context(), embedded.Create("service/api", map[string]any{"spec": map[string]any{"team": "none"}})); dovetail.CodeOf(err) != dovetail.CodeMissing {
		t.Errorf("got %v", err)
	}
	if _, err := s.Apply(t.Context(), embedded.Create("team/core", map[string]any{})); err != nil {
		t.Error(err)
	}
	if n := backend.(*counted).commits - before; n == 0 {
		t.Error("the store does not commit to the backend")
	}
}
