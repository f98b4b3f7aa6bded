package protocol

import (
	"context"
	"slices"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
)

// groups batches waiting creations, so that under load many creations share the round trips of one. A creation does not wait for
// others to arrive: a group consists of those that arrived while earlier groups were in progress. Only after a group of several
// creations the next group waits for MaxBatchDelay, for further requests of the same clients.
//
// If fewer groups are in progress than allowed, the calling goroutine commits the first group itself, which saves a goroutine
// switch.
type groups struct {
	settings Settings
	mutex    sync.Mutex
	waiting  []*waiter
	running  int // groups
	underway int // creations in running groups
}

type waiter struct {
	creation *Creation
	done     chan struct{}
}

// create returns when the creation has been in a group. If its context ends first, it cancels the creation.
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

// dequeue removes a waiter from the queue, and reports whether it was still there.
func (g *groups) dequeue(w *waiter) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	at := slices.Index(g.waiting, w)
	if at >= 0 {
		g.waiting = slices.Delete(g.waiting, at, at+1)
	}
	return at >= 0
}

// parallel returns how many groups may be in progress. Each keeps the server busy with one command at a time; more groups are
// smaller groups, which cost more for each creation. The mutex is held.
func (g *groups) parallel() int {
	const enough = 16 // creations that justify another group
	return min(g.settings.Groups, max(usualGroups, (len(g.waiting)+g.underway)/enough))
}

// usualGroups is the number of groups under low load: while one waits for the server, the other is prepared.
const usualGroups = 2

// lead commits one group, and leaves the following ones to another goroutine.
func (g *groups) lead(e *Engine) {
	if done := g.commit(e, g.next(0)); done > 0 {
		go g.run(e, done)
	}
}

// run commits groups until no creation waits; done is the size of the group that was committed before.
func (g *groups) run(e *Engine, done int) {
	for done > 0 {
		if done > 1 {
			_ = clock.Sleep(context.Background(), g.settings.Clock, g.settings.MaxBatchDelay)
		}
		done = g.commit(e, g.next(done))
	}
}

// commit commits a group and returns its size.
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

// next removes the next group from the queue, after a group of the size done. Two creations with the same id are put into different
// groups. The waiting creations are distributed evenly: with a large group beside small ones most creations would wait for the
// slowest.
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
