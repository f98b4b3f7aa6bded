package app

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/operate/lease"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// upkeepWork names the lease of the process that does the upkeep.
const upkeepWork = "upkeep"

// inOne has work run until the background work ends, in one of all processes on the database at a time, once lead is called. Its
// writes must carry the fence, so that a process which no longer leads and does not know yet writes nothing.
func (s *Server) inOne(name string, work func(ctx context.Context, fence store.Condition)) {
	leading := s.metrics.leading.WithLabelValues(name)
	s.works = append(s.works, lease.Task{Name: name, Lead: func(ctx context.Context, fence store.Condition) {
		leading.Set(1)
		defer leading.Set(0)
		work(ctx, fence)
	}})
}

// onlyKeepsUp says that upkeep, which needs no ref-schema, is the only task with a leader.
func (s *Server) onlyKeepsUp() bool { return len(s.works) == 1 }

// lead asks for the leases of all works of inOne until the background work ends.
func (s *Server) lead(background context.Context) {
	candidate := lease.New(s.backend, lease.Options{TTL: s.config.LeaseTime, Holder: s.holder(), Log: s.log})
	s.background.Go(func() { candidate.Run(background, s.works...) })
}

// system reads who does what one of all processes does.
func (s *Server) system(ctx context.Context) (httpapi.System, error) {
	works := make([]string, len(s.works))
	for i, work := range s.works {
		works[i] = work.Name
	}
	states, err := lease.States(ctx, s.backend, works...)
	if err != nil {
		return httpapi.System{}, err
	}
	technology, _, _ := strings.Cut(s.config.Store, ":")
	system := httpapi.System{Process: s.holder(), Store: technology, Leases: make([]httpapi.Lease, len(states))}
	if s.announced != nil {
		level, newest := s.announced.Level()
		system.Protocol = &httpapi.Protocol{Level: int(level), Newest: int(newest)}
	}
	for i, state := range states {
		system.Leases[i] = httpapi.Lease{Work: state.Task, Term: state.Term}
		if state.Held {
			system.Leases[i].Holder, system.Leases[i].Since = state.Holder, &state.Since
		}
		if !state.Heartbeat.IsZero() {
			system.Leases[i].Heartbeat = &state.Heartbeat
		}
	}
	return system, nil
}

// keepUp clears up what dead processes left and what is old. maintain is what the backend has of that, nil for
// nothing; each of its writes is conditional on what it saw, which is a fence of its own.
func (s *Server) keepUp(resources *store.Store, maintain func(context.Context)) {
	s.inOne(upkeepWork, func(ctx context.Context, fence store.Condition) {
		var both sync.WaitGroup
		if maintain != nil {
			both.Go(func() { maintain(ctx) })
		}
		both.Go(func() { s.forgetOld(ctx, resources, &fence) })
		if s.config.ScrubInterval > 0 {
			both.Go(func() { s.scrub(ctx, resources, &fence) })
		}
		if s.config.Audit == "keep" {
			both.Go(func() { s.seal(ctx, resources, &fence) })
		}
		both.Go(func() { s.buildIndexes(ctx, resources, &fence) })
		both.Go(func() { s.sealed.Run(ctx, time.Hour, &fence, s.log) })
		both.Wait()
	})
}

// historyTime is how long the history is kept; 0 is forever.
func (s *Server) historyTime() time.Duration {
	switch {
	case s.config.HistoryTime >= 0:
		return s.config.HistoryTime
	case isMongo(s.config.Store):
		return 24 * time.Hour
	}
	return 0
}

// keysKnown is how long idempotency keys are known.
const keysKnown = 24 * time.Hour

// forgetOld forgets idempotency keys a day after their requests, and who did what, and the history, after the times that the
// configuration and the ref-schema say: now, and every hour, or more often where the history is short. What is forgotten of
// the history is the same whichever process does it, so that needs no fence. The time is that of the database: a process whose
// clock is ahead forgets nothing too early.
func (s *Server) forgetOld(ctx context.Context, resources *store.Store, fence *store.Condition) {
	const every = time.Hour
	history, interval := s.historyTime(), every
	if history > 0 {
		interval = min(every, max(history/24, time.Minute))
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		now, err := s.backend.Time(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Warn("nothing old was forgotten: the database does not tell its time", "error", err)
		}
		if err == nil {
			s.forgetBefore(ctx, resources, now, history, fence)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *Server) forgetBefore(ctx context.Context, resources *store.Store, now time.Time, history time.Duration, fence *store.Condition) {
	if err := resources.PurgeIdempotencyRecords(ctx, now.Add(-keysKnown), fence); err != nil && ctx.Err() == nil {
		s.log.Warn("idempotency keys were not forgotten", "error", err)
	}
	if err := resources.PurgeAuditRecords(ctx, now.Add(-s.config.AuditRetention), fence); err != nil && ctx.Err() == nil {
		s.log.Warn("records of the audit were not forgotten", "error", err)
	}
	if err := resources.ExpireHistory(ctx, now, history); err != nil && ctx.Err() == nil {
		s.log.Warn("the history was not shortened", "error", err)
	}
}
