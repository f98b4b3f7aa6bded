package protocol

import (
	"context"
	"time"
)

// maxUndecided is the age at which readers of the change feed resolve an implicit creation whose intent its owner has not removed.
const maxUndecided = time.Second

// decideOverdue resolves creations that have been undecided for so long that their owners seem dead; the next poll finds them.
// Polls read back to the first undecided one.
func (t *tail) decideOverdue(ctx context.Context, implicit []*Record, now Stamp) {
	t.open = Stamp{}
	if len(implicit) > 0 {
		t.open = implicit[0].Stamp
	}
	_ = t.engine.decideBefore(ctx, implicit, now.Back(min(maxUndecided, t.engine.env.VisibilityWindow/4))) // the next poll retries
}

// heldFrom returns the timestamp of the first undecided creation, zero if there is none. Later commits are held back until it is decided,
// so that readers receive acknowledged transactions before those that started afterwards. A creation that stays undecided too long
// does not hold them back.
func (t *tail) heldFrom(implicit []*Record, now Stamp) Stamp {
	for _, r := range implicit {
		if !r.Stamp.Before(now.Back(min(2*maxUndecided, t.engine.env.VisibilityWindow/2))) {
			return r.Stamp
		}
	}
	return Stamp{}
}
