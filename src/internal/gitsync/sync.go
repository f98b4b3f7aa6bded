package gitsync

import (
	"context"
	"errors"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Sync pulls the repository once, and updates the store from it.
func (a *Syncer) Sync(ctx context.Context) error { return a.sync(ctx, nil) }

func (a *Syncer) sync(ctx context.Context, fence *store.Condition) error {
	ctx = asSystem(ctx)
	done, err := a.change(ctx)
	if err != nil {
		return err
	}
	defer done()
	if _, err := a.repository.Pull(ctx); err != nil {
		a.options.Report(Report{Head: a.repository.Head(), Err: err})
		return err
	}
	r, err := a.follow(ctx, fence)
	if err != nil {
		return err
	}
	if err := a.accept(ctx, r, fence); err != nil && !isOvertaken(err) && !errors.Is(err, errEdited) {
		return err
	}
	return nil
}

// Compare compares all of the repository with all that the store has of it, and updates the store from it: it also
// reverts what was written to the store without the Git sync.
func (a *Syncer) Compare(ctx context.Context) error { return a.compareAll(ctx, nil) }

func (a *Syncer) compareAll(ctx context.Context, fence *store.Condition) error {
	ctx = asSystem(ctx)
	done, err := a.change(ctx)
	if err != nil {
		return err
	}
	defer done()
	for {
		r, err := a.follow(ctx, fence)
		if err != nil {
			return err
		}
		what := newRegion()
		what.whole = true
		if err := a.bring(ctx, r, what, "", fence); err == nil || !isOvertaken(err) && !errors.Is(err, errEdited) {
			return err
		}
	}
}

// Run compares once, and then syncs every interval, until the context ends, or the fence no longer
// holds. One process of several is enough: the one that has a lease, whose fence (package lease) it is.
func (a *Syncer) Run(ctx context.Context, interval time.Duration, fence store.Condition) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	said := ""
	note := func(err error) {
		switch {
		case ctx.Err() != nil:
		case dovetail.CodeOf(err) == dovetail.CodeConflict && dovetail.AsError(err).Reason == store.ReasonFenced:
			stop()
		case err == nil:
			said = ""
		case err.Error() != said: // once, however long it lasts
			said = err.Error()
			a.options.Log.Warn("the store does not follow the instance repository", "error", err)
		}
	}
	note(a.compareAll(ctx, &fence))
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			note(a.sync(ctx, &fence))
		}
	}
}
