package simulation

import (
	"context"
	"errors"
	"fmt"
	"time"

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

// connect gives the process its engine, and those by which it follows the changes in turns.
func (p *process) connect(gate Gate, attempts int) {
	p.level = protocol.NewestLevel
	p.connection = p.run.server.Connect(gate)
	server := p.wrap(p.connection)
	env := p.env(attempts)
	if p.run.scenario.Window > 0 {
		env.Listen = p.awaitPoll
	}
	p.engine, p.levels = protocol.New(server, env, ""), server.(protocol.LevelServer)
	for _, window := range p.Windows {
		env := p.env(1)
		env.VisibilityWindow, env.CursorCommits = window, p.Named
		connection := p.run.server.Connect(gate)
		if p.Polls {
			p.polls.connection = connection
			env.Clock, env.Listen, env.UsualDelay = p.polls.clock, p.polls.listen, pollEvery
		}
		p.others = append(p.others, protocol.New(p.wrap(connection), env, ""))
	}
}

// pollEvery is how far apart polls are at one engine, and how long changes usually take to become visible: a poll looks back to what the one
// before the last has seen, and each fourth one goes back all the way.
const pollEvery = 600 * time.Millisecond

// polls are those of one engine that stays.
type polls struct {
	connection *Client
	now        time.Duration
	allowed    int  // polls
	failed     bool // a look: who follows would look again
	last       int  // polls after all other processes have ended
}

func (p *polls) clock() time.Time { return time.Unix(1000, 0).Add(p.now) }

// listen has a poll follow after a moment where one is allowed.
func (p *polls) listen() func(ctx context.Context, least, most time.Duration) error {
	return func(context.Context, time.Duration, time.Duration) error {
		if p.allowed == 0 {
			return errEnough
		}
		p.allowed--
		p.now += pollEvery
		return nil
	}
}

// follower is the engine that the process looks at changes by.
func (p *process) follower() *protocol.Engine {
	if len(p.others) == 0 {
		return p.engine
	}
	return p.others[p.looks%len(p.others)]
}

// follow polls for changes so many times, each time as after a restart.
func (p *process) follow(ctx context.Context, looks int) {
	if p.feed == nil {
		cursor, err := p.follower().Head(ctx)
		if err != nil {
			return
		}
		p.feed = &feed{cursor: cursor, first: p.run.visible()}
	}
	for range looks {
		p.polls.allowed = 1
		taken := 0
		for set, err := range p.follower().Changes(ctx, p.feed.cursor) {
			if err != nil {
				p.polls.failed = p.polls.failed || !errors.Is(err, errEnough)
				break
			}
			p.feed.cursor = set.Cursor
			p.feed.changes = append(p.feed.changes, set.Changes...)
			if taken++; taken == p.Few {
				break
			}
		}
		p.looks++
	}
}

// listen lets a poll for changes be the only one: stamps tell the order in which changes happen, so
// that none can come late.
func listen() (wait func(ctx context.Context, least, most time.Duration) error) {
	return func(context.Context, time.Duration, time.Duration) error { return errEnough }
}

// check says what is wrong with the changes that the feed yielded on the way to the final state.
func (f *feed) check(final state) string {
	last := make(map[dovetail.ID]store.Change)
	over := make(map[string]bool) // the uids after which their ids had others
	for _, c := range f.changes {
		before, met := last[c.ID]
		if met && before.UID != c.UID {
			over[before.UID] = true
		}
		switch {
		case !met, c == before: // a deletion may be yielded twice
		case over[c.UID] && !store.IsInternal(c.ID):
			return fmt.Sprintf("the feed yields %v of %s with uid %s after %v with uid %s, which came later", c.Op, c.ID, c.UID, before.Op, before.UID)
		case before.UID == c.UID && (c.Revision < before.Revision || before.Op == store.Deleted):
			return fmt.Sprintf("the feed yields %v of %s at revision %d after %v at revision %d", c.Op, c.ID, c.Revision, before.Op, before.Revision)
		case before.UID != c.UID && c.Op == store.Updated && !store.IsInternal(c.ID): // claims get another uid with each owner
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
		if r.scenario.Window > 0 {
			if problem := p.feed.check(final); p.hasFollowed() && problem != "" {
				return problem
			}
			continue
		}
		if p.Polls && p.ended {
			p.polls.connection.gate = nil
			p.polls.now += 3 * pollEvery // so that the next poll goes back all the way
			p.follow(context.Background(), 1)
			if problem := p.feed.check(final); problem != "" {
				return problem
			}
			continue
		}
		free := &process{Process: p.Process, run: r, feed: p.feed}
		free.looks, free.Few = p.looks, 0
		free.connect(nil, 1)
		free.follow(context.Background(), 1)
		if problem := p.feed.check(final); problem != "" {
			return problem
		}
	}
	return ""
}
