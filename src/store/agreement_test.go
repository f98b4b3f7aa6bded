package store_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/store"
)

// Writers in three processes, of which each is delayed for longer than its lease at times, and whose clocks jump, never
// write what the ref-schema forbids that is in force when they commit, and no claim is missing.
func TestProcessesAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, members := newCluster(t, 4)
		stores := make([]*store.Store, len(members))
		for i, m := range members {
			stores[i] = m.open(t, anyItem, quick)
		}
		var w workload
		w.play(t, members, stores, 1, 30*time.Second)
		if len(c.forbidden) > 0 {
			t.Errorf("the ref-schema in force forbids, %d times: %q", len(c.forbidden), c.forbidden[:min(len(c.forbidden), 10)])
		}
		t.Logf("%d writes, %d forbidden ones refused, %d too late, %d changes", w.wrote.Load(), w.forbidden.Load(), c.refused.Load(), w.swapped.Load())
		if w.wrote.Load() == 0 || w.forbidden.Load() == 0 || c.refused.Load() == 0 || w.swapped.Load() < 2 {
			t.Error("the test did not do what it is for")
		}
	})
}

// Without any one of the rules documents slip in, and the test before would notice.
func TestDisagreement(t *testing.T) {
	cases := []struct {
		name   string
		times  store.Agreement // of the process that changes the ref-schema
		defect func(*cluster, []*member)
	}{
		{name: "the database does not compare commits with its clock", times: quick, defect: func(c *cluster, _ []*member) { c.comparesNothing = true }},
		{name: "a process takes its own clock for that of the database", times: quick, defect: func(_ *cluster, members []*member) {
			for _, m := range members[:3] {
				m.ownTime = true
			}
		}},
		{name: "a change does not wait for the leases", times: store.Agreement{Lease: time.Millisecond, Margin: time.Millisecond}},
		{name: "a command takes longer than the margin", times: quick, defect: func(c *cluster, members []*member) {
			c.takes = members[0].delay
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				found := 0
				synctest.Test(t, func(t *testing.T) {
					shared, members := newCluster(t, 4)
					stores := make([]*store.Store, len(members))
					for i, m := range members {
						times := quick
						if i == len(members)-1 {
							times = c.times
						}
						stores[i] = m.open(t, anyItem, times)
					}
					if c.defect != nil {
						c.defect(shared, members)
					}
					new(workload).play(t, members, stores, seed, 10*time.Second)
					found = len(shared.forbidden)
				})
				if found > 0 {
					t.Logf("noticed with seed %d", seed)
					return
				}
			}
			t.Error("nothing was noticed")
		})
	}
}

// A write that was planned under the ref-schema before, and reaches the database after the change, is refused by the database
// and checked again.
func TestPausedWriteIsTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, members := newCluster(t, 2)
		changer, s := members[0].open(t, anyItem, quick), members[1].open(t, anyItem, quick)
		if _, err := s.Put(t.Context(), op(t, "put item/a "+strictItem)); err != nil {
			t.Fatal(err)
		}
		resume := members[1].pauseAt(func(txn store.Txn) bool { return txn.Before != nil })
		answer := make(chan error, 1)
		go func() {
			_, err := s.Put(t.Context(), op(t, "put item/a "+plainItem))
			answer <- err
		}()
		synctest.Wait() // until the write is on its way
		setModel(t, changer, compile(t, colorItem))
		close(resume)
		if err := <-answer; dovetail.CodeOf(err) != dovetail.CodeUnprocessable {
			t.Errorf("the paused write: %v", err)
		}
		if c.refused.Load() != 1 || len(c.forbidden) > 0 {
			t.Errorf("%d writes were too late, forbidden are %q", c.refused.Load(), c.forbidden)
		}
	})
}

// Writes that wait for the ref-schema while the database does not answer are all refused when the first one is: they do not ask one after the other.
func TestWritesOfACutProcessFailTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, members := newCluster(t, 1)
		s := members[0].open(t, anyItem, quick)
		clocktest.Advance(time.Minute) // until the lease is over
		const patience = 9 * time.Second
		members[0].patience = patience
		members[0].cut.Store(true)
		began := time.Now()
		var writers sync.WaitGroup
		for range 10 {
			writers.Go(func() {
				_, err := s.Put(t.Context(), op(t, "put item/a "+plainItem))
				if took := time.Since(began); dovetail.CodeOf(err) != dovetail.CodeUnavailable || took > patience {
					t.Errorf("after %s: %v", took, err)
				}
			})
		}
		writers.Wait()
		members[0].cut.Store(false)
		if _, err := s.Put(t.Context(), op(t, "put item/a "+plainItem)); err != nil {
			t.Error(err)
		}
	})
}

// pauseAt stops the process before the next commit that fits, until the channel is closed.
func (m *member) pauseAt(fits func(store.Txn) bool) (resume chan struct{}) {
	resume = make(chan struct{})
	m.hold.Store(&hold{fits, resume})
	return resume
}

// A process that stops while it deletes the claims of the ref-schema before, and continues after another one has put that in
// force again, deletes none that count.
func TestPausedChangerKeepsClaims(t *testing.T) {
	deletes := func(txn store.Txn) bool { return len(txn.Deletes) > 0 }
	builds := func(txn store.Txn) bool { return len(txn.Puts) > 0 && txn.Puts[0].Kind == "_claim" }
	cases := []struct {
		name        string
		first, then string // the ref-schemas of the process that stops and of the other one
		at          func(store.Txn) bool
		want        dovetail.Code // of the process that stops
	}{
		{name: "while it deletes them", first: anyItem, then: colorItem, at: deletes},
		{name: "while it writes them", first: colorItem, then: anyItem + "  - name: other\n", at: builds},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shared, members := newCluster(t, 2)
				start := anyItem
				if c.first == anyItem {
					start = colorItem
				}
				paused, other := members[0].open(t, start, quick), members[1].open(t, start, quick)
				if _, err := other.Put(t.Context(), op(t, `put item/a {"spec":{"color":"red","serial":"1"}}`)); err != nil {
					t.Fatal(err)
				}
				resume := members[0].pauseAt(c.at)
				ended := make(chan error, 1)
				go func() { ended <- paused.SetModel(t.Context(), compile(t, c.first)) }()
				clocktest.Advance(2 * (quick.Lease + quick.Margin)) // it waits for the leases, and stops
				if members[0].hold.Load() != nil {
					t.Fatal("it did not stop")
				}
				setModel(t, other, compile(t, c.then))
				close(resume)
				if err := <-ended; dovetail.CodeOf(err) != c.want {
					t.Errorf("the process that stopped: %v", err)
				}
				// What counts is what is in force now; see cluster.inspect.
				if _, err := other.Put(t.Context(), op(t, `put item/b {"spec":{"color":"red","serial":"2"}}`)); err != nil {
					t.Error(err)
				}
				if len(shared.forbidden) > 0 {
					t.Errorf("the ref-schema in force forbids %q", shared.forbidden)
				}
				requireClean(t, other)
			})
		})
	}
}

// A transaction whose planning takes longer than a lease commits under another one.
func TestLongPlanning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, members := newCluster(t, 1)
		s := (&slow{members[0], 4 * quick.Lease}).open(t)
		if _, err := s.Put(t.Context(), op(t, "put item/a "+plainItem)); err != nil {
			t.Fatal(err)
		}
		if n := c.refused.Load(); n > 0 {
			t.Errorf("the database refused %d commits", n)
		}
	})
}

// slow is a process whose reads of documents take long.
type slow struct {
	*member
	takes time.Duration
}

func (s *slow) open(t *testing.T) *store.Store {
	opened := openOn(t, s, compile(t, anyItem), store.Config{Agreement: quick})
	return opened
}

func (s *slow) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	if strings.HasPrefix(string(ids[0]), "item/") {
		clocktest.Advance(s.takes)
	}
	return s.member.GetAll(ctx, ids)
}

// A process that dies after it has announced a change holds the others up for a while only: one withdraws it.
func TestDeadChangerIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, members := newCluster(t, 3)
		stores := make([]*store.Store, len(members))
		for i, m := range members {
			stores[i] = m.open(t, anyItem, quick)
		}
		dying, die := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- stores[0].SetModel(dying, compile(t, colorItem)) }()
		synctest.Wait() // until it waits for the leases of the others
		members[0].cut.Store(true)
		die()
		if err := <-ended; err == nil {
			t.Fatal("the change went through")
		}
		clocktest.Advance(quick.Lease) // the lease of the other is over, and it has to wait
		began := time.Now()
		if _, err := stores[1].Put(t.Context(), op(t, "put item/a "+plainItem)); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited == 0 || waited > 4*quick.Lease+2*quick.Margin {
			t.Errorf("a write waited for %v", waited)
		}
		if err := stores[2].SetModel(t.Context(), compile(t, "resources: [{name: item}, {name: other}]")); err != nil {
			t.Fatal(err)
		}
		if _, err := stores[1].Put(t.Context(), op(t, "put other/a {}")); err != nil {
			t.Errorf("a process did not learn of the change: %v", err)
		}
		members[0].cut.Store(false)
		if _, err := stores[0].Put(t.Context(), op(t, "put other/b {}")); err != nil {
			t.Errorf("the process that came back: %v", err)
		}
	})
}
