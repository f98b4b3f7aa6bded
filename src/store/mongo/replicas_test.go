package mongo

import (
	"sync"
	"testing"
)

// replicas opens one fresh database several times, as several processes do.
func replicas(t *testing.T, n int) []*Backend {
	t.Helper()
	uri := freshURI(t)
	all := make([]*Backend, n)
	var opening sync.WaitGroup
	for i := range all {
		opening.Go(func() {
			b, err := Open(t.Context(), uri, Options{})
			if err != nil {
				t.Errorf("replica %d: %v", i, err)
				return
			}
			all[i] = b
		})
	}
	opening.Wait()
	t.Cleanup(func() {
		for _, b := range all {
			if b != nil {
				_ = b.Close()
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return all
}

// TestReplicasStartTogether has processes open a fresh database at the same time: a cursor of each is one of all others.
func TestReplicasStartTogether(t *testing.T) {
	for range 6 {
		all := replicas(t, 6)
		for i, b := range all {
			head, err := b.Head(t.Context())
			must(t, err)
			for j, other := range all {
				if _, err := other.Compare(head, head); err != nil {
					t.Errorf("replica %d refuses a cursor of replica %d: %v", j, i, err)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}
