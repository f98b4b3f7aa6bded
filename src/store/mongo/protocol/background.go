package protocol

import (
	"context"
	"slices"
	"sync"
	"time"
)

// background executes the remaining work of acknowledged writes, in batches.
type background[T any] struct {
	settings Settings
	delay    time.Duration // how long an item waits for more to arrive
	do       func(ctx context.Context, e *Engine, group []T) error

	mutex   sync.Mutex
	waiting []T
	busy    bool
	running sync.WaitGroup
	urgent  chan struct{}
}

// start initializes the background. It must be called before any other method.
func (b *background[T]) start(settings Settings, delay time.Duration, do func(context.Context, *Engine, []T) error) {
	b.settings, b.delay, b.do, b.urgent = settings, delay, do, make(chan struct{})
}

// hurry ends the current delay, so that the waiting items are processed immediately.
func (b *background[T]) hurry() {
	select {
	case b.urgent <- struct{}{}:
	default: // nothing waits, or it is being processed
	}
}

// flush returns when all items have been processed, or given up.
func (b *background[T]) flush() {
	b.hurry()
	b.running.Wait()
}

func (b *background[T]) submit(e *Engine, item T) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.waiting = append(b.waiting, item)
	if !b.busy {
		b.busy = true
		b.running.Go(func() { b.run(e) })
	}
}

// take removes and returns a waiting item that fits, or the zero T if there is none.
func (b *background[T]) take(fits func(T) bool) (taken T) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if at := slices.IndexFunc(b.waiting, fits); at >= 0 {
		taken = b.waiting[at]
		b.waiting = slices.Delete(b.waiting, at, at+1)
	}
	return taken
}

// run processes groups until no item waits.
func (b *background[T]) run(e *Engine) {
	ctx, end := b.settings.newContext()
	defer end()
	for {
		if b.delay > 0 {
			reached, stop := b.settings.Clock.After(b.delay)
			select {
			case <-reached:
			case <-b.urgent:
			}
			stop()
		}
		group := b.next()
		if len(group) == 0 {
			return
		}
		for attempt := 1; ; attempt++ {
			limited, cancel := context.WithTimeout(ctx, b.settings.DetachedTimeout)
			err := b.do(limited, e, group)
			cancel()
			if err == nil || attempt == retries { // then other processes do it
				break
			}
			if again, err := b.settings.pause(ctx, attempt); err != nil || !again {
				break
			}
		}
	}
}

// next removes a group from the queue.
func (b *background[T]) next() []T {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	n := min(len(b.waiting), b.settings.GroupSize)
	group := b.waiting[:n:n]
	b.waiting = b.waiting[n:]
	b.busy = n > 0
	return group
}
