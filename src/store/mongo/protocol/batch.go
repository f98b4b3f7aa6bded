package protocol

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// groups collects creations that wait, so that under load many share the round trips of one. A
// creation never waits for others to come: a group has those that came while earlier groups were under
// way. Only after a group of several the next one waits MaxBatchDelay for further requests of the same clients.
//
// The client that finds fewer groups under way than there may be does the first one itself: alone it waits for no other goroutine.
type groups struct {
	settings Settings
	mutex    sync.Mutex
	waiting  []*waiter
	running  int // groups
	underway int // creations in them
}

type waiter struct {
	creation *Creation
	done     chan struct{}
}

// create returns when the creation has been in a group, or, if its context ends before, cancels it.
func (g *groups) create(ctx context.Context, e *Engine, c *Creation) {
	w := &waiter{creation: c, done: make(chan struct{})}
	g.mutex.Lock()
	g.waiting = append(g.waiting, w)
	start := g.running < g.parallel()
	if start {
		g.running++
	}
	g.mutex.Unlock()
	if start {
		g.lead(e)
	}
	select {
	case <-w.done:
		return
	case <-ctx.Done():
	}
	if g.dequeue(w) {
		c.Cancel(ctx.Err())
		return
	}
	<-w.done
}

// dequeue takes a waiter out of the queue, if it is still there.
func (g *groups) dequeue(w *waiter) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	at := slices.Index(g.waiting, w)
	if at >= 0 {
		g.waiting = slices.Delete(g.waiting, at, at+1)
	}
	return at >= 0
}

// parallel is how many groups may be under way. Each of them keeps the server busy with one command at a time, and more groups are
// smaller ones, which cost more for each creation. The mutex is held.
func (g *groups) parallel() int {
	const enough = 16 // creations of a group that another one is worth
	return min(g.settings.Groups, max(usualGroups, (len(g.waiting)+g.underway)/enough))
}

// usualGroups is how many groups there are under way where they are small: while one waits for the server the other one is prepared.
const usualGroups = 2

// lead commits one group, and leaves those that follow to another goroutine.
func (g *groups) lead(e *Engine) {
	if done := g.commit(e, g.next(0)); done > 0 {
		go g.run(e, done)
	}
}

// run commits groups until no creation waits, after one of so many.
func (g *groups) run(e *Engine, done int) {
	for done > 0 {
		if done > 1 {
			time.Sleep(g.settings.MaxBatchDelay)
		}
		done = g.commit(e, g.next(done))
	}
}

// commit commits a group, and returns how many creations it had.
func (g *groups) commit(e *Engine, group []*waiter) int {
	if len(group) == 0 {
		return 0
	}
	ctx, end := g.settings.newContext()
	defer end()
	limited, cancel := context.WithTimeout(ctx, g.settings.DetachedTimeout)
	defer cancel()
	creations := make([]*Creation, len(group))
	for i, w := range group {
		creations[i] = w.creation
	}
	e.CreateGroup(limited, creations)
	for _, w := range group {
		close(w.done)
	}
	return len(group)
}

// next takes the next group out of the queue, once the one of so many is done. Two creations of one
// document go into different groups. Groups share what there is evenly: a large one beside small ones
// would have most creations wait for the slowest.
func (g *groups) next(done int) []*waiter {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.underway -= done
	groups := g.parallel()
	share := (len(g.waiting) + g.underway + groups - 1) / groups
	size := min(g.settings.GroupSize, share)
	taken := make(map[dovetail.ID]bool, len(g.waiting))
	var group []*waiter
	left := g.waiting[:0]
	for _, w := range g.waiting {
		if id := w.creation.ID(); len(group) < size && !taken[id] {
			taken[id] = true
			group = append(group, w)
		} else {
			left = append(left, w)
		}
	}
	clear(g.waiting[len(left):])
	g.waiting = left
	g.underway += len(group)
	if len(group) == 0 {
		g.running--
	}
	return group
}
