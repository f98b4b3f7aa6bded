package protocol

import (
	"context"
	"time"
)

// maxUndecided is how old a creation may be that its process has not shown to be committed, until those decide it that follow the changes.
const maxUndecided = time.Second

// decideOverdue decides creations that have not been for so long that their processes seem dead, which the next poll finds then. Polls go
// back to the first of the others.
func (t *tail) decideOverdue(ctx context.Context, implicit []*Record, now Stamp) {
	t.open = Stamp{}
	if len(implicit) > 0 {
		t.open = implicit[0].Stamp
	}
	_ = t.engine.decideBefore(ctx, implicit, now.Back(min(maxUndecided, t.engine.env.VisibilityWindow/4))) // what fails is done after the next poll
}

// heldFrom is the stamp of the first creation that is about to be decided, zero where there is none. Commits with later stamps wait until it is, so that
// readers get what was answered first before what was begun after that; what was not decided in time does not hold them up.
func (t *tail) heldFrom(implicit []*Record, now Stamp) Stamp {
	for _, r := range implicit {
		if !r.Stamp.Before(now.Back(min(2*maxUndecided, t.engine.env.VisibilityWindow/2))) {
			return r.Stamp
		}
	}
	return Stamp{}
}
