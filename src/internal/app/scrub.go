package app

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// firstScrub is how long after its start a leader waits at most before it scrubs a store that is due.
const firstScrub = 10 * time.Minute

// scrub checks the store in the background, a while after the last time, until the context ends. It takes a tenth of
// one processor at most: after each part it rests nine times as long as the part took.
func (s *Server) scrub(ctx context.Context, resources *store.Store, fence *store.Condition) {
	wait := min(firstScrub, s.config.ScrubInterval)
	if last, err := resources.LastScrub(ctx); err == nil && last != nil {
		wait = max(wait, s.config.ScrubInterval-time.Since(last.Ended))
	}
	for sleep(ctx, wait) == nil {
		wait = s.config.ScrubInterval
		const share = 9
		began := time.Now()
		result, err := resources.Scrub(ctx, func(ctx context.Context) error {
			err := sleep(ctx, share*time.Since(began))
			began = time.Now()
			return err
		}, fence)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			s.log.Warn("the store was not scrubbed", "error", err, "again", wait)
		case result.Total > 0:
			for _, f := range result.Findings {
				s.log.Error("scrub finding", "problem", f.Problem, "document", f.ID, "other", f.Other, "message", f.Message)
			}
			s.log.Error("the store has defects; run dovetail fsck", "findings", result.Total, "documents", result.Documents)
		default:
			s.log.Info("the store was scrubbed, no problems found", "documents", result.Documents, "took", result.Ended.Sub(result.Started))
		}
		if err == nil {
			s.metrics.scrubFindings.Set(float64(result.Total))
			s.metrics.scrubbed.Set(float64(result.Ended.Unix()))
		}
	}
}

// sleep waits until the time is over, or the context ends; then it returns its error.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// damage counts operations of this process that met damaged data.
type damage struct {
	count atomic.Int64
	last  atomic.Int64 // when, in seconds of Unix
}

func (d *damage) met(at time.Time) {
	d.last.Store(at.Unix())
	d.count.Add(1)
}

// integrity is the check of /readyz that says what is known to be wrong with what is stored.
func (s *Server) integrity(resources *store.Store) httpapi.Check {
	return httpapi.Check{Name: "integrity", Run: func(ctx context.Context) (string, error) {
		const remedy = "; the log names them, dovetail fsck shows all"
		last, err := resources.LastScrub(ctx)
		met := s.metrics.damage.count.Load()
		switch {
		case met > 0:
			at := time.Unix(s.metrics.damage.last.Load(), 0).UTC().Format(time.RFC3339)
			return fmt.Sprintf("%d operations met damaged data, the last one at %s%s", met, at, remedy), httpapi.Degraded(dovetail.Errorf(dovetail.CodeCorrupt, "stored data is damaged"))
		case err != nil:
			return "the result of the last scrub cannot be read", httpapi.Degraded(err)
		case last == nil:
			return "not scrubbed yet", nil
		case last.Total > 0:
			return fmt.Sprintf("the scrub of %s found %d defects%s", last.Ended.Format(time.RFC3339), last.Total, remedy),
				httpapi.Degraded(dovetail.Errorf(dovetail.CodeCorrupt, "the store has defects"))
		}
		return "no problems found, scrubbed at " + last.Ended.Format(time.RFC3339), nil // without their number: /readyz needs no authentication
	}}
}
