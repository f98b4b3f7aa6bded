package gitsync

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/store"
)

// maxGroup is how many commits are pushed together at most.
const maxGroup = 32

// pending is a change that a request waits for. While one group of commits is pushed, the next changes gather, and become the next
// group: each is a commit of its own, with its author and message.
type pending struct {
	ctx        context.Context
	operations []store.Operation
	options    store.Options
	by         Commit

	plan  *plan // of the attempt that is under way, once its files are edited
	later bool  // it is to be tried again, in another group

	done    chan struct{} // closed when what follows is set
	applied *Applied
	err     error
}

// finish ends the change. What it ended with first stays.
func (p *pending) finish(applied *Applied, err error) {
	if !p.isDone() {
		p.applied, p.err = applied, err
		close(p.done)
	}
}

func (p *pending) isDone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// queue holds changes in the order in which they came.
type queue struct {
	mu      sync.Mutex
	changes []*pending
}

func (q *queue) add(p *pending) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changes = append(q.changes, p)
}

// remove takes a change out, and reports whether it was still there.
func (q *queue) remove(p *pending) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.changes, p)
	if i >= 0 {
		q.changes = slices.Delete(q.changes, i, i+1)
	}
	return i >= 0
}

// take takes out the first changes.
func (q *queue) take() []*pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.changes), maxGroup)
	group := slices.Clone(q.changes[:n])
	q.changes = slices.Delete(q.changes, 0, n)
	return group
}

// putBack puts changes before all others.
func (q *queue) putBack(changes []*pending) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changes = slices.Insert(q.changes, 0, changes...)
}

// enqueue waits until a change is made, by this request or by another one that pushes a group.
func (a *Syncer) enqueue(p *pending) (*Applied, error) {
	a.queue.add(p)
	gone := p.ctx.Done()
	for {
		select {
		case <-p.done:
			return p.applied, p.err
		case <-gone:
			if a.queue.remove(p) {
				return nil, dovetail.AsError(p.ctx.Err())
			}
			gone = nil // it is under way
		case a.changing <- struct{}{}:
			a.lead(p)
		}
	}
}

// lead pushes groups until a change is made. The caller has acquired changing, which is released.
func (a *Syncer) lead(p *pending) {
	defer func() { <-a.changing }()
	for !p.isDone() {
		a.run(a.queue.take())
	}
}

// run makes the changes of a group. Those that depend on others of the group are put back, but never the first.
func (a *Syncer) run(group []*pending) {
	defer func() { // also after a panic
		group = slices.DeleteFunc(group, func(p *pending) bool { return p.isDone() })
		for _, p := range group {
			if !p.later {
				p.finish(nil, &dovetail.Error{Code: dovetail.CodeInternal, Message: "the change was not made", Remedy: "try again"})
			}
		}
		a.queue.putBack(slices.DeleteFunc(group, func(p *pending) bool { return p.isDone() }))
	}()
	ready := distinct(group)
	ctx, stop := contextOf(ready)
	defer stop()
	alone, foreign := false, 0
	err := store.Transact(ctx, func() (err error) {
		alone, err = a.attempt(ctx, ready)
		if errors.Is(err, errForeign) {
			foreign++
		}
		if errors.Is(err, errPeer) || errors.Is(err, errForeign) && foreign < maxForeign {
			return store.Retry(err)
		}
		return err
	})
	if errors.Is(err, errPeer) || errors.Is(err, errForeign) {
		err = overtaken()
	}
	for _, p := range ready {
		switch {
		case err != nil:
			p.later = false
			p.finish(nil, err)
		case alone && !p.isDone():
			a.run([]*pending{p})
		}
	}
}

// distinct are the changes of a group without those whose key one before has, which is under way.
func distinct(group []*pending) []*pending {
	keys := make(map[string]bool)
	var all []*pending
	for _, p := range group {
		key := p.options.Key
		if p.later = key != "" && !p.options.DryRun && keys[key]; p.later {
			continue
		}
		keys[key] = true
		all = append(all, p)
	}
	return all
}

// open are the changes of a group that are still to be made: not done, not given up by who waits for it, and not made by an earlier request with the
// same key.
func (a *Syncer) open(group []*pending) []*pending {
	var all []*pending
	for _, p := range group {
		if err := p.ctx.Err(); err != nil {
			p.finish(nil, dovetail.AsError(err))
		}
		if key := p.options.Key; key != "" && !p.options.DryRun && !p.isDone() {
			if done, err := a.store.Replay(p.ctx, p.operations, p.options); done != nil || err != nil {
				p.finish(&Applied{Result: done}, err)
			}
		}
		if !p.isDone() {
			p.later = false
			all = append(all, p)
		}
	}
	return all
}

// contextOf is the context of a group, which ends when no caller waits for any of its changes. The caller calls stop in the end.
func contextOf(group []*pending) (ctx context.Context, stop context.CancelFunc) {
	if len(group) == 1 {
		return group[0].ctx, func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(group[0].ctx))
	var waiting atomic.Int64
	waiting.Store(int64(len(group)))
	var stops []func() bool
	for _, p := range group {
		stops = append(stops, context.AfterFunc(p.ctx, func() {
			if waiting.Add(-1) == 0 {
				cancel()
			}
		}))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// attempt makes the changes of a group once that are still to be made, as commits that are pushed together. It is errPeer when another process was
// faster, which the store shows, and errForeign when another writer was. Where the repository refused the commits, alone says that each is to be
// tried by itself: it refuses all for one.
func (a *Syncer) attempt(ctx context.Context, group []*pending) (alone bool, err error) {
	if group = a.open(group); len(group) == 0 {
		return false, nil
	}
	r, err := a.follow(asSystem(ctx), nil)
	if err != nil {
		for _, p := range group {
			p.finish(nil, a.concealed(p.ctx, err))
		}
		return false, nil
	}
	edited := make(map[string]bool) // files, by the changes before
	changes := make([]gitrepo.Change, len(group))
	for i, p := range group {
		changes[i] = gitrepo.Change{Name: p.by.Author, Email: p.by.Email, Message: p.by.Message, Edit: func(draft *gitrepo.Draft) error {
			if p.plan = nil; draft.Head() != r.Head {
				return errPeer
			}
			err := a.prepare(p, draft, edited, i == 0)
			if err != nil && !errors.Is(err, errDryRun) && i > 0 {
				return errLater // when the others are done, it may be another error, or none
			}
			return err
		}}
	}
	commits, refused, err := a.repository.Changes(ctx, changes)
	var made []int
	for i, p := range group {
		switch e := refused[i]; {
		case e == nil:
			made = append(made, i)
		case errors.Is(e, errPeer):
			return false, errPeer
		case errors.Is(e, errDryRun):
			p.finish(&Applied{Result: a.store.Filter(p.ctx, p.plan.dry)}, nil)
		case errors.Is(e, errLater), p.plan != nil && i > 0:
			p.later = true
		case p.plan != nil:
			p.finish(nil, unusable(e))
		default:
			p.finish(nil, e)
		}
	}
	switch code := dovetail.CodeOf(err); {
	case err == nil:
		before := r.Head
		for _, i := range made {
			p := group[i]
			result, err := a.settle(p.ctx, p.plan, before, commits[i], p.options, p.by)
			before = commits[i]
			if err != nil {
				p.finish(nil, err)
				continue
			}
			p.finish(&Applied{Result: result, Commit: commits[i]}, nil)
		}
		return false, nil
	case code == dovetail.CodeConflict:
		lost := make([]*pending, len(made))
		for at, i := range made {
			lost[at] = group[i]
		}
		return false, a.lost(ctx, r.Head, lost)
	case code == dovetail.CodeForbidden && len(made) > 1:
		return true, nil
	}
	for _, i := range made {
		group[i].finish(nil, unusable(err))
	}
	return false, nil
}

// prepare plans a change on a draft, and adds the files that it edits. It is errLater for one that is not the first, and reads files
// that are edited already, which the store does not follow yet, or deletes what others may refer to.
func (a *Syncer) prepare(p *pending, draft *gitrepo.Draft, edited map[string]bool, first bool) error {
	if err := p.by.current(draft); err != nil {
		return err
	}
	made, err := a.plan(p.ctx, p.operations, p.options, draft)
	if err != nil {
		return err
	}
	switch p.plan = made; {
	case p.options.DryRun:
		return errDryRun
	case !first && (made.deletes() || made.region.reads(edited)):
		return errLater
	}
	for path := range made.edits {
		edited[path] = true
	}
	return nil
}
