package gitsync

import (
	"context"
	"errors"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
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
	if err := a.compareOutside(ctx, r, fence); err != nil && !isOvertaken(err) && !errors.Is(err, errEdited) {
		return err
	}
	if r, err = a.record(ctx); err != nil {
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
	const besideWriters = 2 // after so many attempts they wait
	for attempt := 1; ; attempt++ {
		done, err := a.compareOnce(ctx, fence, attempt > besideWriters)
		if done || err != nil && !isOvertaken(err) && !errors.Is(err, errEdited) {
			return err
		}
	}
}

// compareOnce compares all, and reports whether that is done: where the two differ, it is done once a comparison finds no difference, or once it
// was made while no writer changed anything. The comparison takes as long as the repository is large, and writers do not wait for it.
func (a *Syncer) compareOnce(ctx context.Context, fence *store.Condition, alone bool) (bool, error) {
	release, err := a.change(ctx)
	if err != nil {
		return false, err
	}
	defer func() { release() }()
	r, err := a.follow(ctx, fence)
	if err != nil {
		return false, err
	}
	all := wholeRegion()
	if alone {
		err := a.bring(ctx, r, all, "", fence)
		return err == nil, err
	}
	release()
	release = func() {}
	found, err := a.compared(ctx, all, r.Head)
	if err != nil {
		return false, err
	}
	again, err := a.change(ctx)
	if err != nil {
		return false, err
	}
	release = again
	now, err := a.follow(ctx, fence)
	switch {
	case err != nil:
		return false, err
	case now.Head == r.Head: // nothing of it was written meanwhile
		err := a.write(ctx, now, found, &merges{}, fence)
		return err == nil, err
	case len(found.operations) > 0:
		return false, a.bring(ctx, now, found.differing(), "", fence)
	}
	return true, nil // what is wrong with the repository as a whole was noted before
}

// differing is the region of the documents that differ.
func (c *comparison) differing() *region {
	r := newRegion()
	for _, op := range c.operations {
		r.addDocument(op.ID)
		if kindOf(op.ID) == clusterKind { // a folder, which goes and comes with what is in it
			r.clusters[op.ID.Key()[0].Value] = true
		}
	}
	return r
}

// Run compares once, unless all was brought when the repository was attached, and then syncs every interval, until the context ends, or the fence no longer
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
	if !a.attached {
		note(a.compareAll(ctx, &fence))
	}
	for clock.Sleep(ctx, a.options.Clock, interval) == nil {
		note(a.sync(ctx, &fence))
	}
}
