package resolution

import (
	"context"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/store"
)

const (
	// cacheIdle is after what time without a request the cache is dropped.
	cacheIdle = 15 * time.Minute
	// catchUpWithin is how long the changes since the last request may be waited for; then the sources are read again. They are there at once
	// but where the last one is of a document of the store's own, or the backend has several cursors of one position.
	catchUpWithin = 20 * time.Millisecond
)

// sourceCache keeps the parsed sources that requests used, and brings them up to the present for each of them: nothing that was written
// before a request is missing. It is safe for concurrent use.
type sourceCache struct {
	from Store
	turn chan struct{} // holds a token while the fields below are not in use

	sources *sources
	whole   bool            // all sources are there, not only
	loaded  map[string]bool // these
	at      store.Cursor

	mu    sync.Mutex
	timer *time.Timer
}

func newSourceCache(from Store) *sourceCache {
	c := &sourceCache{from: from, turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	c.drop()
	return c
}

func (c *sourceCache) drop() {
	c.sources, c.whole, c.loaded, c.at = newSources(), false, make(map[string]bool), ""
}

// get returns the sources of the names as they are now, all of them for nil, without those that the principal of the context may not read
// the whole of.
func (c *sourceCache) get(ctx context.Context, names []string) ([]*solver.Source, error) {
	select {
	case <-c.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	made, err := c.current(ctx, names)
	c.turn <- struct{}{}
	if err != nil {
		return nil, err
	}
	c.keep()
	wanted := make(map[string]bool)
	for _, name := range names {
		wanted[name] = true
	}
	covered := make(map[string]bool)
	var shown []*solver.Source
	for _, source := range made {
		if names != nil && !wanted[source.Name] {
			continue
		}
		if whole, err := covers(ctx, c.from, source.Name, covered); err != nil {
			return nil, err
		} else if whole {
			shown = append(shown, source)
		}
	}
	return shown, nil
}

// current brings the sources up to the present, and loads those of the names that are not there.
func (c *sourceCache) current(ctx context.Context, names []string) ([]*solver.Source, error) {
	// What is kept is for all principals, so the service reads it.
	reading, cancel := context.WithCancel(dovetail.WithPrincipal(context.Background(), &dovetail.Principal{Name: dovetail.SystemPrefix + ServiceName}))
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	head, err := c.from.Head(reading)
	if err != nil {
		return nil, err
	}
	if c.at != head && (c.at == "" || !c.catchUp(reading, head)) {
		c.drop()
		c.at = head
	}
	switch {
	case c.whole:
	case names == nil:
		c.sources = newSources()
		err = c.sources.load(reading, c.from, nil)
		c.whole = err == nil
	default:
		for _, name := range names {
			if err == nil && !c.loaded[name] {
				err = c.sources.load(reading, c.from, []string{name})
				if err == nil && c.sources.held[name] != nil { // else it is searched for each time
					c.loaded[name] = true
				}
			}
		}
	}
	if err != nil {
		c.drop()
		return nil, err
	}
	return c.sources.all(), nil
}

// catchUp takes in what has changed up to a position, and reports whether it got there.
func (c *sourceCache) catchUp(ctx context.Context, head store.Cursor) bool {
	ctx, cancel := context.WithTimeout(ctx, catchUpWithin)
	defer cancel()
	for event, err := range c.from.Watch(ctx, c.at, store.WatchQuery{}) {
		if err != nil {
			return false
		}
		for _, change := range event.Changes {
			if key := change.ID.Key(); len(key) == 0 || !c.whole && !c.loaded[key[0].Value] {
				continue
			}
			if _, err := c.sources.change(change); err != nil {
				return false
			}
		}
		if c.at = event.Cursor; c.at == head {
			return true
		}
	}
	return false
}

// keep drops the cache when it is not used for a while.
func (c *sourceCache) keep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.timer = time.AfterFunc(cacheIdle, func() {
		<-c.turn
		c.drop()
		c.turn <- struct{}{}
	})
}
