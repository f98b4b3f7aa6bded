package mongo

import (
	"context"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// TestAnsweredCreations answers a creation and leaves its intent there, as a process that dies then. Another process must find the document
// by each way to read it, and take the intent away with that.
func TestAnsweredCreations(t *testing.T) {
	t.Parallel()
	const id = "box/1/item/1"
	const window = time.Second
	watch := func(t *testing.T, b *Backend, head store.Cursor) bool {
		for set, err := range b.Changes(t.Context(), head) {
			must(t, err)
			return set.Changes[0].ID == id && set.Changes[0].Op == store.Created
		}
		return false
	}
	for _, tt := range []struct {
		name string
		fake bool // the clock
		read func(t *testing.T, b *Backend, head store.Cursor) (found bool)
	}{
		{"get", false, func(t *testing.T, b *Backend, _ store.Cursor) bool {
			found, err := b.Get(t.Context(), id)
			must(t, err)
			return found.ID == id
		}},
		{"list", false, func(t *testing.T, b *Backend, _ store.Cursor) bool {
			for found, err := range b.List(t.Context(), store.Query{Under: "box/1"}) {
				must(t, err)
				return found.ID == id
			}
			return false
		}},
		{"referrers", false, func(t *testing.T, b *Backend, _ store.Cursor) bool {
			found, err := b.Referrers(t.Context(), []dovetail.ID{"box/2"}, "", 0)
			must(t, err)
			return len(found) == 1
		}},
		{"snapshot", false, func(t *testing.T, b *Backend, _ store.Cursor) bool {
			s, err := b.At(t.Context(), "")
			must(t, err)
			found, err := s.Get(t.Context(), id)
			must(t, err)
			return found.ID == id
		}},
		{"watch", false, watch},
		{"watch that begins later", false, func(t *testing.T, b *Backend, head store.Cursor) bool {
			elapse(3 * window) // stamps have whole seconds: now the creation lies before what is read again
			return watch(t, b, head)
		}},
		{"watch of what follows", false, func(t *testing.T, b *Backend, head store.Cursor) bool {
			must(t, b.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{doc("box/3", 1)}})) // without intent
			return watch(t, b, head)
		}},
		{"position of now", false, func(t *testing.T, b *Backend, _ store.Cursor) bool {
			now, err := b.Head(t.Context())
			must(t, err)
			s, err := b.At(t.Context(), now)
			must(t, err)
			found, err := s.GetAll(t.Context(), []dovetail.ID{id})
			must(t, err)
			for set, err := range b.ChangesUntilNow(t.Context(), now) {
				t.Errorf("after the position follow %v, %v", set.Changes, err)
			}
			return found[0] != nil
		}},
		{"position of now beside a watch", true, func(t *testing.T, b *Backend, head store.Cursor) bool {
			watching, stop := context.WithCancel(t.Context())
			defer stop()
			go func() {
				for _, err := range b.Changes(watching, head) { // to the end
					if err != nil {
						t.Error(err)
					}
				}
			}()
			b.clock.(*clocktest.Fake).AwaitWaits(2) // the watch has polled; the other wait is that of announcements
			now, err := b.Head(t.Context())
			must(t, err)
			s, err := b.At(t.Context(), now)
			must(t, err)
			found, err := s.GetAll(t.Context(), []dovetail.ID{id})
			must(t, err)
			return found[0] != nil
		}},
		{"changes until now", false, func(t *testing.T, b *Backend, head store.Cursor) bool {
			for set, err := range b.ChangesUntilNow(t.Context(), head) {
				must(t, err)
				return set.Changes[0].ID == id && set.Changes[0].Op == store.Created
			}
			return false
		}},
		{"deletion of its parent", false, func(t *testing.T, b *Backend, _ store.Cursor) bool {
			parent := doc("box/1", 1)
			err := b.Commit(t.Context(), store.Txn{Deletes: []dovetail.ID{parent.ID}, Require: []store.Condition{at(parent),
				{Test: store.Childless, ID: parent.ID}, {Test: store.Unreferenced, ID: parent.ID}}})
			return dovetail.CodeOf(err) == dovetail.CodeInUse
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			uri := freshURI(t)
			dies, err := Open(t.Context(), uri, Options{ExternalMaintenance: true, Protocol: protocol.Settings{MaxClearDelay: time.Hour}})
			must(t, err)
			t.Cleanup(func() { must(t, dies.database.Client().Disconnect(context.Background())) }) // Close would take the intent away
			settings := protocol.Settings{Lease: time.Second, VisibilityWindow: window}
			if tt.fake {
				settings.Clock = fakeClock()
			}
			lives, err := Open(t.Context(), uri, Options{ExternalMaintenance: true, Protocol: settings})
			must(t, err)
			t.Cleanup(func() { must(t, lives.Close()) })
			must(t, dies.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{doc("box/1", 1), doc("box/2", 1)}}))
			dies.runtime.Flush()
			head, err := lives.Head(t.Context())
			must(t, err)
			item := doc(id, 1)
			item.References = []dovetail.Reference{{ID: "box/2", Kind: "box"}}
			must(t, dies.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{item}, Require: []store.Condition{{Test: store.Absent, ID: id},
				{Test: store.Exists, ID: "box/1"}, {Test: store.Exists, ID: "box/2"}}}))
			left := func() bool {
				found, err := lives.server.Find(t.Context(), []dovetail.ID{id}, false)
				must(t, err)
				return found[id].Intent != nil
			}
			if !left() {
				t.Fatal("the creation was answered without an intent that is left")
			}
			if !tt.read(t, lives, head) {
				t.Error("it is not found")
			}
			if left() {
				t.Error("its intent is there still")
			}
		})
	}
}
