package lease_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/operate/lease"
)

// TestStates reads a lease before, while and after a process has it.
func TestStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend := shared{openBolt(t)}
		read := func() lease.State {
			t.Helper()
			states, err := lease.States(t.Context(), backend, "work", "other")
			if err != nil || len(states) != 2 || states[1] != (lease.State{Task: "other"}) {
				t.Fatalf("%v %v", states, err)
			}
			return states[0]
		}
		if got := read(); got != (lease.State{Task: "work"}) {
			t.Errorf("before: %+v", got)
		}
		var leading atomic.Int32
		p := start(t, backend, &leading)
		leader(t, p)
		first := read()
		if !first.Held || first.Holder == "" || first.Term != 1 || first.Since.IsZero() || first.Heartbeat.IsZero() {
			t.Errorf("while one leads: %+v", first)
		}
		clocktest.Advance(4 * ttl)
		if later := read(); !later.Held || !later.Since.Equal(first.Since) || !later.Heartbeat.After(first.Heartbeat) {
			t.Errorf("later: %+v, at first %+v", later, first)
		}
		p.end()
		<-p.ended
		if got := read(); got.Held || got.Holder != first.Holder || !got.Heartbeat.IsZero() {
			t.Errorf("after: %+v", got)
		}
	})
}
