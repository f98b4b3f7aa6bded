package simulation

import (
	"context"
	"errors"
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// feed is what a process has learned of the changes.
type feed struct {
	cursor  store.Cursor
	first   state // what readers saw when it had its first cursor
	changes []store.Change
}

// errEnough ends a poll for changes.
var errEnough = errors.New("polled often enough")

// follow polls for changes so many times, each time as after a restart.
func (p *process) follow(ctx context.Context, looks int) {
	if p.feed == nil {
		cursor, err := p.engine.Head(ctx)
		if err != nil {
			return
		}
		p.feed = &feed{cursor: cursor, first: p.run.visible()}
	}
	for range looks {
		for set, err := range p.engine.Changes(ctx, p.feed.cursor) {
			if err != nil {
				break
			}
			p.feed.cursor = set.Cursor
			p.feed.changes = append(p.feed.changes, set.Changes...)
		}
	}
}

// listen lets a poll for changes be the only one: stamps tell the order in which changes happen, so
// that none can come late.
func listen() (wait func(context.Context) error) {
	return func(context.Context) error { return errEnough }
}

// check says what is wrong with the changes that the feed yielded on the way to the final state.
func (f *feed) check(final state) string {
	last := make(map[dovetail.ID]store.Change)
	for _, c := range f.changes {
		before, met := last[c.ID]
		switch {
		case !met, c == before: // a deletion may be yielded twice
		case before.UID == c.UID && (c.Revision < before.Revision || before.Op == store.Deleted):
			return fmt.Sprintf("the feed yields %v of %s at revision %d after %v at revision %d", c.Op, c.ID, c.Revision, before.Op, before.Revision)
		case before.UID != c.UID && c.Op == store.Updated:
			return fmt.Sprintf("the feed does not yield that %s was created again", c.ID)
		}
		last[c.ID] = c
	}
	for id, doc := range final {
		c, traced := last[id]
		if was := f.first[id]; !traced && was != nil && was.ETag() == doc.ETag() {
			continue
		}
		if !traced || c.Op == store.Deleted || c.UID != doc.UID || c.Revision != doc.Revision {
			return fmt.Sprintf("the feed ends %s with %v, but there is %s", id, c, doc.ETag().Version())
		}
	}
	for id, c := range last {
		if final[id] == nil && c.Op != store.Deleted {
			return fmt.Sprintf("the feed ends %s with %v, but it is gone", id, c)
		}
	}
	for id := range f.first {
		if _, traced := last[id]; !traced && final[id] == nil {
			return fmt.Sprintf("the feed does not yield the deletion of %s", id)
		}
	}
	return ""
}

// checkFeeds lets every process that follows the changes poll once more, and checks what they learned.
func (r *run) checkFeeds(final state) string {
	for _, p := range r.processes {
		if p.feed == nil {
			continue
		}
		free := &process{Process: p.Process, run: r, feed: p.feed}
		free.engine = protocol.New(p.wrap(r.server.Connect(nil)), p.env(1), "")
		free.follow(context.Background(), 1)
		if problem := p.feed.check(final); problem != "" {
			return problem
		}
	}
	return ""
}
