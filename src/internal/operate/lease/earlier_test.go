package lease_test

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/operate/lease"
	"github.com/dovetail-store/dovetail/src/store"
)

// earlier is a process of a version without sessions, as it uses the database: a lease and a heartbeat for each task.
type earlier struct {
	t       *testing.T
	backend store.Backend
}

// write writes a lease or a heartbeat over what there is.
func (e earlier) write(kind string, says map[string]any) {
	e.t.Helper()
	id := dovetail.ID("").Child(kind, "work")
	was, err := e.backend.Get(e.t.Context(), id)
	next := &dovetail.Document{ID: id, Kind: kind, UID: "earlier", Revision: 1, Created: time.Now(), Updated: time.Now()}
	condition := store.Condition{Test: store.Absent, ID: id}
	if err == nil {
		next.UID, next.Revision, condition = was.UID, was.Revision+1, store.Condition{Test: store.AtVersion, ID: id, Version: was.ETag()}
	}
	if next.Data, err = json.Marshal(says); err != nil {
		e.t.Fatal(err)
	}
	if err := e.backend.Commit(e.t.Context(), store.Txn{Require: []store.Condition{condition}, Puts: []*dovetail.Document{next}}); err != nil {
		e.t.Fatal(err)
	}
}

func (e earlier) take() {
	e.write("_lease", map[string]any{"holder": "old", "term": 7, "id": "old"})
	e.beat(false)
}

func (e earlier) beat(released bool) {
	e.write("_beat", map[string]any{"holder": "old", "term": 7, "id": "old", "released": released})
}

// A process of an earlier version leads as long as it writes heartbeats and does not give the lease back, also where it took the lease from
// a process of this version, which stops leading then, and leads again afterwards.
func TestEarlierVersion(t *testing.T) {
	for name, ends := range map[string]func(e earlier){
		"released": func(e earlier) { e.beat(true) },
		"died":     func(earlier) {},
	} {
		for _, stolen := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := shared{openBolt(t)}
					e := earlier{t, b}
					if !stolen {
						e.take()
					}
					leads, ended := several(t.Context(), b, "work")
					if stolen {
						<-leads
						e.take()
					}
					for range 60 {
						clocktest.Advance(2 * time.Second)
						e.beat(false)
					}
					if states, err := lease.States(t.Context(), b, "work"); err != nil || states[0].Holder != "old" {
						t.Errorf("the lease names %+v, %v", states, err)
					}
					if len(leads) > 0 {
						t.Error("both lead")
					}
					ends(e)
					clocktest.Advance(time.Minute)
					select {
					case <-leads:
					default:
						t.Error("no process leads")
					}
					if states, err := lease.States(t.Context(), b, "work"); err != nil || !states[0].Held || slices.Contains([]string{"old", ""}, states[0].Holder) {
						t.Errorf("the lease names %+v, %v", states, err)
					}
					_ = ended
				})
			})
		}
	}
}
