package layering

import (
	"context"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// turns lets one request at a time read what many ask for at once, so that the others find it in the cache and memory holds it
// once. The zero value is ready to use.
type turns struct {
	mu   sync.Mutex
	busy map[string]chan struct{} // by what is read; closed at the end
}

// take waits until it has the turn of a name, or until the context ends, which is the error.
func (t *turns) take(ctx context.Context, name string) (end func(), err error) {
	for {
		other, mine := t.enter(name)
		if other == nil {
			return func() { t.leave(name, mine) }, nil
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, dovetail.AsError(ctx.Err())
		}
	}
}

// enter takes the turn, or returns what is closed when the one who has it leaves.
func (t *turns) enter(name string) (other, mine chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if other := t.busy[name]; other != nil {
		return other, nil
	}
	if t.busy == nil {
		t.busy = make(map[string]chan struct{})
	}
	mine = make(chan struct{})
	t.busy[name] = mine
	return nil, mine
}

func (t *turns) leave(name string, mine chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.busy, name)
	close(mine)
}
