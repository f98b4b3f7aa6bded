package mongo

import (
	"context"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// As long as no position was taken there is no clock, also where the time was asked for already: an update whose stamp cannot be
// held against it would stay locked for half a lease.
func TestClockBeforeAnyPosition(t *testing.T) {
	s := mustOpen(t, freshURI(t)).server
	for _, asked := range []bool{false, true} {
		if asked {
			if _, err := s.Time(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if clock := s.clock(t); clock != nil {
			t.Errorf("the time was asked for %t: %+v", asked, clock)
		}
	}
	now, err := s.Now(t.Context())
	must(t, err)
	if clock := s.clock(t); clock == nil || clock.Stamp != now {
		t.Errorf("%+v, want %v", clock, now)
	}
}

// The clock stands among the records, and is none of them.
func TestClockIsNoDocument(t *testing.T) {
	backend := mustOpen(t, freshURI(t))
	must(t, backend.Commit(t.Context(), store.Txn{Puts: documents(parent, target)}))
	_, err := backend.server.Now(t.Context())
	must(t, err)
	scanned, err := collect(backend.server.Scan(t.Context(), store.Query{}))
	must(t, err)
	children, err := collect(backend.server.Children(t.Context(), []dovetail.ID{""}))
	must(t, err)
	if len(scanned) != 2 || len(children) != 2 {
		t.Errorf("a scan has %d records, and all below nothing are %d, want the two documents", len(scanned), len(children))
	}
	for finding, err := range backend.Check(t.Context(), false) {
		t.Errorf("%+v %v", finding, err)
	}
	found, err := backend.server.Find(t.Context(), []dovetail.ID{parent.ID, protocol.ClockID, target.ID}, false)
	if err != nil || len(found) != 3 || found[protocol.ClockID].Doc != nil {
		t.Errorf("%+v %v", found, err)
	}
	if _, err := backend.Get(t.Context(), "0"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("a document 0: %v", err)
	}
}

func (s *server) clock(t *testing.T) *protocol.Record {
	t.Helper()
	found, err := s.Find(context.Background(), []dovetail.ID{protocol.ClockID}, false)
	must(t, err)
	return found[protocol.ClockID]
}

// While processes may run that know no levels, a snapshot is seen by the clock of both.
func TestClocksOfTwoVersions(t *testing.T) {
	uri := freshURI(t)
	later, raised := mustOpen(t, uri).server, mustOpen(t, uri).server
	later.level.Store(int64(protocol.ThreeSteps)) // as before it knows that the level was raised
	if raised.protocolLevel() != protocol.NewestLevel {
		t.Fatalf("a new store is at level %d", raised.protocolLevel())
	}
	tests := []struct {
		name       string
		now        func() (protocol.Stamp, error)
		seen, also *server
	}{
		{name: "by an earlier version", seen: later,
			now: func() (protocol.Stamp, error) {
				return later.writeClock(t.Context(), later.log.alone, clockID, clockNow)
			}},
		{name: "at the level before", now: func() (protocol.Stamp, error) { return later.Now(t.Context()) }, seen: later, also: raised},
		{name: "at the newest level", now: func() (protocol.Stamp, error) { return raised.Now(t.Context()) }, seen: later, also: raised},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			taken, err := test.now()
			must(t, err)
			for _, s := range []*server{test.seen, test.also} {
				if s == nil {
					continue
				}
				if clock := s.clock(t); clock == nil || clock.Stamp.Before(taken) {
					t.Errorf("at level %d the clock shows %+v after a snapshot at %v", s.protocolLevel(), clock, taken)
				}
			}
		})
	}
	if earlier, err := later.earlierClock(t.Context()); err != nil || earlier.IsZero() {
		t.Errorf("earlier versions find %v, %v", earlier, err)
	}
}
