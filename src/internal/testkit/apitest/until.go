package apitest

import (
	"context"
	"testing"

	"github.com/dovetail-store/dovetail/src/store"
)

// Until returns once holds returns true. It calls holds at once, and after each change of the store. After Patience the test fails.
func Until(t testing.TB, s *store.Store, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	head, err := s.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if holds() {
		return
	}
	for _, err := range s.Watch(ctx, head, store.WatchQuery{}) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if holds() {
			return
		}
	}
	t.Fatalf("%s: the watch ended", what)
}
