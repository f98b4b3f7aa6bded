package store

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// Agreement has the times by which all processes of one database write under the same ref-schema. Zero fields have defaults.
// All processes must have the same.
type Agreement struct {
	// Lease is for how long a process may write under the ref-schema that it read last; default 3 s.
	Lease time.Duration
	// Margin is how much longer a change waits for writes under the ref-schema before: more than a command of the database may
	// take and the clocks of its nodes may differ, together; default 5 s.
	Margin time.Duration
}

func (a Agreement) withDefaults() Agreement {
	if a.Lease == 0 {
		a.Lease = 3 * time.Second
	}
	if a.Margin == 0 {
		a.Margin = 5 * time.Second
	}
	return a
}

// agreement is what a process knows of the ref-schema in force, where several may have the database open.
//
// A process writes under a lease: it reads the ref-schema in force, and may commit under it for a while by the clock of the
// database, which refuses later commits (Txn.Before). Whoever changes the ref-schema announces that first. From then on no
// process gets a lease, and once the last ones are over, no write is under way: the stored documents are checked, and the next
// ref-schema takes effect, or the announcement is withdrawn. Writes wait meanwhile. No clock counts but that of the database,
// and a process that is paused, cut off or dead holds nothing up for longer than its lease.
type agreement struct {
	times    Agreement
	clock    func() time.Time // local
	database *databaseClock
	renewing lock
	changing lock // by this process
	held     atomic.Pointer[writeLease]
	failure  atomic.Pointer[dovetail.Error] // of the last renewal that failed
	observed announcement                   // of another process; guarded by renewing
	polled   time.Time                      // when it was seen last; guarded by renewing
}

// lock is a mutex that is waited for no longer than a context lasts.
type lock chan struct{}

func (l lock) acquire(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return dovetail.AsError(ctx.Err())
	}
}

func (l lock) release() { <-l }

func newAgreement(times Agreement, clock func() time.Time) *agreement {
	return &agreement{times: times.withDefaults(), clock: clock, database: newDatabaseClock(clock), renewing: make(lock, 1), changing: make(lock, 1)}
}

// younger reports whether less than a duration has passed since a moment. A clock that was set back says nothing.
func (a *agreement) younger(moment time.Time, than time.Duration) bool {
	age := a.clock().Sub(moment)
	return age >= 0 && age < than
}

// writeLease says under which ref-schema documents may be written, and until when.
type writeLease struct {
	model *schema.Model
	until time.Time // by the clock of the database
	asked time.Time // by the local clock, which only decides when to ask again
}

// announcement is a change of the ref-schema that another process has announced, and since when, by the local clock, it has
// not been seen at work.
type announcement struct {
	tag   dovetail.ETag
	beat  dovetail.ETag
	since time.Time
}

// lease returns what the process may write under; nil where it is alone. It waits while the ref-schema is being changed.
func (s *Store) lease(ctx context.Context) (*writeLease, error) {
	a := s.agreement
	if a == nil {
		return nil, nil
	}
	for {
		if held := a.held.Load(); held != nil && a.younger(held.asked, a.times.Lease*2/3) {
			return held, nil
		}
		if err := s.RenewLease(ctx); err != nil {
			return nil, err
		}
		if a.held.Load() != nil {
			continue
		}
		if err := sleep(ctx, a.times.Lease/20); err != nil {
			return nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "another ref-schema is being activated; nothing was changed", Remedy: "try again", Err: err}
		}
	}
}

// RenewLease reads which ref-schema is in force, and uses it from then on. It does nothing where only one process has the
// database open.
func (s *Store) RenewLease(ctx context.Context) error {
	a := s.agreement
	if a == nil {
		return nil
	}
	held, before := a.held.Load(), a.failure.Load()
	if err := a.renewing.acquire(ctx); err != nil {
		return err
	}
	defer a.renewing.release()
	if failed := a.failure.Load(); failed != before && a.held.Load() == held {
		return failed // a database that does not answer is not asked by each of those who wait, one after the other
	}
	err := s.renewLease(ctx)
	if err != nil && ctx.Err() == nil { // not of this caller alone
		failed := *dovetail.AsError(err)
		a.failure.Store(&failed)
	}
	return err
}

// renewLease is RenewLease; the caller holds renewing.
func (s *Store) renewLease(ctx context.Context) error {
	a := s.agreement
	held := a.held.Load()
	if held != nil && a.younger(held.asked, a.times.Lease/3) || held == nil && a.younger(a.polled, a.times.Lease/20) {
		return nil // another request has just read it
	}
	asked := a.clock()
	at, err := a.database.read(ctx, s.backend)
	if err != nil {
		return err
	}
	stored, err := s.storedModel(ctx)
	if err != nil {
		return err
	}
	state := stateOf(stored)
	if state.Next != "" {
		a.held.Store(nil)
		a.polled = asked
		return s.observe(ctx, stored)
	}
	model := s.model.Load()
	if model == nil || model.Hash() != state.Hash {
		if model = previousModel(stored); model == nil {
			a.held.Store(nil)
			return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "this version of Dovetail cannot compile the ref-schema that another process has activated",
				Remedy: "upgrade this process, or put the former ref-schema in force again"}
		}
		s.useModel(model)
		s.model.Store(model)
	}
	a.held.Store(&writeLease{model: model, until: at.Add(a.times.Lease), asked: asked})
	return nil
}

// FollowModel uses the ref-schema in force from then on, where another process has put one in force: for a process that only
// reads, since writes do so by themselves. It reads one document as long as nothing changes, and reports whether a change is
// announced, so that it should be called again soon.
func (s *Store) FollowModel(ctx context.Context) (changing bool, err error) {
	if s.agreement == nil {
		return false, nil
	}
	stored, err := s.storedModel(ctx)
	if err != nil {
		return false, err
	}
	state := stateOf(stored)
	if state.Next == "" && state.Hash == s.Model().Hash() {
		return false, nil
	}
	return state.Next != "", s.RenewLease(ctx)
}

// commitUnder commits what was planned under a lease, nil if there is none. If the ref-schema may have changed since, nothing is
// committed, and the error is one of Retry with ReasonTooLate.
func (s *Store) commitUnder(ctx context.Context, l *writeLease, txn Txn) error {
	if l == nil {
		return s.backend.Commit(ctx, txn)
	}
	now, err := s.lease(ctx) // planning may have taken longer than the lease
	if err != nil {
		return err
	}
	if now.model != l.model {
		return Retry(TooLate())
	}
	txn.Before = s.agreement.before(l)
	defer s.keepLease(ctx, l)()
	err = s.backend.Commit(ctx, txn)
	if err != nil && dovetail.AsError(err).Reason == ReasonTooLate {
		s.agreement.lost(now)
		return Retry(err)
	}
	return err
}

// before returns the moment before which a transaction that was planned under the lease must commit. A lease that was renewed
// since counts, if the ref-schema is the same.
func (a *agreement) before(l *writeLease) func() time.Time {
	return func() time.Time {
		if held := a.held.Load(); held != nil && held.model == l.model {
			return held.until
		}
		return l.until
	}
}

// keepLease renews the lease, nil if there is none, while a commit takes long.
func (s *Store) keepLease(ctx context.Context, l *writeLease) (stop func()) {
	if l == nil {
		return func() {}
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	every := s.agreement.times.Lease / 2
	var timer *time.Timer
	var arming sync.Mutex
	arming.Lock()
	defer arming.Unlock()
	timer = time.AfterFunc(every, func() {
		_ = s.RenewLease(own) // without it the transaction is too late, and tried again
		arming.Lock()
		defer arming.Unlock()
		if own.Err() == nil {
			timer.Reset(every)
		}
	})
	return func() {
		cancel()
		timer.Stop()
	}
}

// lost has the next write ask again which ref-schema is in force: the database refused one.
func (a *agreement) lost(l *writeLease) { a.held.CompareAndSwap(l, nil) }

// stateOf reads the document modelID.
func stateOf(stored *dovetail.Document) (state storedModel) {
	if stored != nil {
		_ = json.Unmarshal(stored.Data, &state) // what cannot be read has no hash, and no model then
	}
	return state
}

// sleep returns after the duration, or with the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return dovetail.AsError(ctx.Err())
	case <-timer.C:
		return nil
	}
}
