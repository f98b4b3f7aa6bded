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
	start := g.running < g.settings.Groups
	if start {
		g.running++
	}
	g.mutex.Unlock()
	if start {
		go g.run(e)
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

// run commits groups until no creation waits.
func (g *groups) run(e *Engine) {
	ctx, end := g.settings.newContext()
	defer end()
	for before := 0; ; {
		group := g.next(before)
		before = len(group)
		if len(group) == 0 {
			return
		}
		creations := make([]*Creation, len(group))
		for i, w := range group {
			creations[i] = w.creation
		}
		limited, cancel := context.WithTimeout(ctx, g.settings.DetachedTimeout)
		e.CreateGroup(limited, creations)
		cancel()
		for _, w := range group {
			close(w.done)
		}
		if before > 1 {
			time.Sleep(g.settings.MaxBatchDelay)
		}
	}
}

// next takes the next group out of the queue, once the one of so many is done. Two creations of one
// document go into different groups. Groups share what there is evenly: a large one beside small ones
// would have most creations wait for the slowest.
func (g *groups) next(done int) []*waiter {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.underway -= done
	share := (len(g.waiting) + g.underway + g.settings.Groups - 1) / g.settings.Groups
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
