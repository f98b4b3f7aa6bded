package mongo

import (
	"fmt"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
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

// TestReplicasRace has one replica delete a parent while another creates a child and a third one a
// referrer: nothing dangles, and every answer is right.
func TestReplicasRace(t *testing.T) {
	const rounds = 40
	all := replicas(t, 3)
	for round := range rounds {
		parent := doc(dovetail.ID(fmt.Sprintf("p/%d", round)), 1)
		child := doc(parent.ID+"/c/1", 1)
		referrer := doc(dovetail.ID(fmt.Sprintf("h/%d", round)), 1, parent.ID)
		must(t, all[round%3].Commit(t.Context(), store.Txn{Puts: documents(parent)}))
		txns := []store.Txn{deleting(parent), creating(child, parent.ID), creating(referrer, parent.ID)}
		errs := make([]error, len(txns))
		var racing sync.WaitGroup
		for i, txn := range txns {
			racing.Go(func() { errs[i] = all[(round+i)%3].Commit(t.Context(), txn) })
		}
		racing.Wait()
		found, err := all[round%3].GetAll(t.Context(), []dovetail.ID{parent.ID, child.ID, referrer.ID})
		must(t, err)
		there := [3]bool{found[0] != nil, found[1] != nil, found[2] != nil}
		codes := [3]dovetail.Code{dovetail.CodeOf(errs[0]), dovetail.CodeOf(errs[1]), dovetail.CodeOf(errs[2])}
		deleted := there == [3]bool{} && codes == [3]dovetail.Code{"", dovetail.CodeMissing, dovetail.CodeMissing}
		kept := there == [3]bool{true, true, true} && codes == [3]dovetail.Code{dovetail.CodeInUse, "", ""}
		if !deleted && !kept {
			t.Fatalf("round %d: parent, child and referrer are there: %v; the answers are %v", round, there, codes)
		}
	}
}

// TestReplicasSeeChanges has each of several replicas follow what the others write.
func TestReplicasSeeChanges(t *testing.T) {
	const each = 20
	all := replicas(t, 3)
	var following, writing sync.WaitGroup
	for i, b := range all {
		cursor, err := b.Head(t.Context())
		must(t, err)
		following.Go(func() {
			seen := make(map[dovetail.ID]bool)
			for set, err := range b.Changes(t.Context(), cursor) {
				if err != nil {
					t.Error(err)
					return
				}
				for _, c := range set.Changes {
					if seen[c.ID] {
						t.Errorf("replica %d saw %s twice", i, c.ID)
					}
					seen[c.ID] = true
				}
				if len(seen) == each*len(all) {
					return
				}
			}
		})
	}
	for i, b := range all {
		writing.Go(func() {
			for n := range each {
				d := doc(dovetail.ID(fmt.Sprintf("w/%d-%d", i, n)), 1)
				if err := b.Commit(t.Context(), creating(d)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	following.Wait()
}
