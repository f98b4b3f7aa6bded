package protocol

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// keeper keeps what updates have replaced, many at a time, after they were acknowledged.
type keeper struct {
	settings Settings
	mutex    sync.Mutex
	waiting  []*Replaced
	busy     bool
	running  sync.WaitGroup
	urgent   chan struct{}
}

// hurry has what waits kept without delay.
func (k *keeper) hurry() {
	select {
	case k.urgent <- struct{}{}:
	default: // nothing waits, or it is being kept
	}
}

func (k *keeper) submit(e *Engine, r *Replaced) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.waiting = append(k.waiting, r)
	if !k.busy {
		k.busy = true
		k.running.Go(func() { k.run(e) })
	}
}

// take takes an update out of the queue that waits and may be followed by another one.
func (k *keeper) take(id dovetail.ID) *Replaced {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	at := slices.IndexFunc(k.waiting, func(r *Replaced) bool { return r.id == id })
	if at < 0 || k.waiting[at].row >= maxRow {
		return nil
	}
	taken := k.waiting[at]
	k.waiting = slices.Delete(k.waiting, at, at+1)
	return taken
}

// run keeps groups until no update waits.
func (k *keeper) run(e *Engine) {
	ctx, end := k.settings.newContext()
	defer end()
	for {
		select {
		case <-time.After(k.settings.MaxKeepDelay):
		case <-k.urgent:
		}
		group := k.next()
		if len(group) == 0 {
			return
		}
		for attempt := 1; ; attempt++ {
			limited, cancel := context.WithTimeout(ctx, k.settings.DetachedTimeout)
			err := e.KeepReplaced(limited, group)
			cancel()
			if err == nil || attempt == retries { // then others do it
				break
			}
			if again, err := pause(ctx, attempt); err != nil || !again {
				break
			}
		}
	}
}

// next takes a group out of the queue.
func (k *keeper) next() []*Replaced {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	n := min(len(k.waiting), k.settings.GroupSize)
	group := k.waiting[:n:n]
	k.waiting = k.waiting[n:]
	k.busy = n > 0
	return group
}
