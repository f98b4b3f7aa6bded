package app

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/store"
)

// buildIndexes completes indexes that a new ref-schema has, or that a database from before lacks, until the context ends. It takes a
// half of one processor at most. Where all are complete it looks again when another ref-schema is in force here, or after idleLook.
func (s *Server) buildIndexes(ctx context.Context, resources *store.Store, fence *store.Condition) {
	const every, often = 10 * time.Second, 30 * time.Second
	complete, looked := "", time.Time{} // the ref-schema of which nothing was left to be built
	for err := error(nil); err == nil; err = sleep(ctx, every) {
		hash := resources.Model().Hash()
		if hash == complete && time.Since(looked) < idleLook {
			continue
		}
		complete, looked = "", time.Now()
		began, told, done := time.Now(), time.Now(), 0
		err := resources.BuildIndexes(ctx, func(ctx context.Context, p store.IndexProgress) error {
			if done = p.Documents; time.Since(told) > often {
				told = time.Now()
				s.log.Info("indexes are being built", "kind", p.Kind, "documents", p.Documents)
			}
			err := sleep(ctx, time.Since(began))
			began = time.Now()
			return err
		}, fence)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			s.log.Warn("indexes were not built", "error", err, "again", every)
		case done > 0:
			s.log.Info("indexes are complete", "documents", done)
		default:
			complete = hash
		}
	}
}
