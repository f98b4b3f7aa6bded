package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// changeID is the document that a process writes now and then while it changes the ref-schema, so that others see it at work.
const changeID = dovetail.ID("_schema/change")

// agree puts another ref-schema in force in all processes of the database, as agreement says.
func (s *Store) agree(ctx context.Context, next *schema.Model) error {
	if err := s.agreement.changing.acquire(ctx); err != nil {
		return err
	}
	defer s.agreement.changing.release()
	return Transact(ctx, func() error {
		stored, err := s.awaitOthers(ctx)
		if err != nil {
			return err
		}
		previous := previousModel(stored)
		switch {
		case stored == nil: // nothing can have been written yet
			return s.putInForce(ctx, nil, next)
		case previous != nil && previous.Hash() == next.Hash():
			s.agreement.held.Store(nil)
			s.model.Store(next)
			s.useModel(next)
			return s.RenewLease(ctx)
		}
		// Most of what stands in the way is found here, while others write.
		if _, err := s.activate(ctx, stored, next); err != nil {
			return err
		}
		return s.whileNobodyWrites(ctx, stored, next, func(announced *dovetail.Document) error { return s.putInForce(ctx, announced, next) })
	})
}

// whileNobodyWrites announces a change of the ref-schema, and makes it once every lease is over. The change is conditional on what was
// announced; where it fails, that is withdrawn.
func (s *Store) whileNobodyWrites(ctx context.Context, stored *dovetail.Document, next *schema.Model, change func(announced *dovetail.Document) error) error {
	announced, err := s.announce(ctx, stored, next)
	if err != nil {
		return err
	}
	s.agreement.held.Store(nil)
	stop := s.beat(ctx, next)
	if err = s.awaitLeases(ctx); err == nil {
		err = change(announced)
	}
	stop()
	if err != nil {
		s.withdraw(ctx, announced)
	}
	return err
}

// announce writes that the ref-schema is about to change: no process gets a lease from then on.
func (s *Store) announce(ctx context.Context, stored *dovetail.Document, next *schema.Model) (*dovetail.Document, error) {
	state := stateOf(stored)
	state.Next = next.Hash()
	return s.putState(ctx, stored, state)
}

// withdraw takes an announcement back, unless that was done, or the change is in force. What it cannot reach other processes do.
func (s *Store) withdraw(ctx context.Context, announced *dovetail.Document) {
	const patience = 10 * time.Second
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	state := stateOf(announced)
	state.Next = ""
	_, _ = s.putState(detached, announced, state)
}

// putState replaces the document modelID, if it is what is given.
func (s *Store) putState(ctx context.Context, stored *dovetail.Document, state storedModel) (*dovetail.Document, error) {
	data, err := json.Marshal(state)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	doc := *stored
	doc.Data, doc.Revision, doc.Updated = data, stored.Revision+1, s.now()
	err = s.backend.Commit(ctx, Txn{Puts: []*dovetail.Document{&doc}, Require: []Condition{versionOf(modelID, stored)}})
	if failedConditions(err) != nil {
		err = Retry(err)
	}
	return &doc, err
}

// awaitLeases returns when every lease from before is over.
func (s *Store) awaitLeases(ctx context.Context) error {
	now, err := s.backend.Time(ctx)
	if err != nil {
		return err
	}
	over := now.Add(s.agreement.times.Lease + s.agreement.times.Margin)
	for !now.After(over) {
		if err := sleep(ctx, over.Sub(now)+time.Millisecond); err != nil {
			return err
		}
		if now, err = s.backend.Time(ctx); err != nil {
			return err
		}
	}
	return nil
}

// awaitOthers returns the document modelID once no other process changes it; nil in a database that was never written.
func (s *Store) awaitOthers(ctx context.Context) (*dovetail.Document, error) {
	a := s.agreement
	for {
		stored, err := s.storedModel(ctx)
		if err != nil || stateOf(stored).Next == "" {
			return stored, err
		}
		if err := a.renewing.acquire(ctx); err != nil {
			return nil, err
		}
		err = s.observe(ctx, stored)
		a.renewing.release()
		if err != nil {
			return nil, err
		}
		if err := sleep(ctx, a.times.Lease/20); err != nil {
			return nil, err
		}
	}
}

// observe withdraws the announcement of a process that has not been seen at work for two leases and the margin: it has died.
// Should it be alive after all, its change fails, since it is conditional on the announcement.
func (s *Store) observe(ctx context.Context, announced *dovetail.Document) error {
	a := s.agreement
	documents, err := s.fetch(ctx, []dovetail.ID{changeID})
	if err != nil {
		return err
	}
	now := announcement{tag: announced.ETag(), since: a.clock()}
	if documents[0] != nil {
		now.beat = documents[0].ETag()
	}
	if now.tag != a.observed.tag || now.beat != a.observed.beat {
		a.observed = now
		return nil
	}
	if !a.younger(a.observed.since, 2*a.times.Lease+a.times.Margin) {
		s.withdraw(ctx, announced)
	}
	return nil
}

// beat shows other processes that this one is at work, until stop.
func (s *Store) beat(ctx context.Context, next *schema.Model) (stop func()) {
	own, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for sleep(own, s.agreement.times.Lease/3) == nil {
			sign := &dovetail.Document{ID: changeID, Kind: modelKind, Data: []byte("{}"), UID: s.config.NewUID(), Revision: 1, Created: s.now(), Updated: s.now(), Schema: next.Hash()}
			_ = s.backend.Commit(own, Txn{Puts: []*dovetail.Document{sign}}) // the next one makes it good
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
