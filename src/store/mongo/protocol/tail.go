package protocol

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// tail has the recent commits, which are read once for all readers of an engine and kept in memory for a while. One of the waiting
// readers polls for all of them, so that nothing is read while there are none.
//
// It has every visible commit with a timestamp since start, in an order in which no document goes back to an earlier revision.
type tail struct {
	engine *Engine
	name   string        // identifies the tail in cursors
	turn   chan struct{} // has one element while a reader polls

	// Only used by the reader that polls.
	feed       *feed
	clock      serverClock
	wait       func(ctx context.Context, least, most time.Duration) error // from Env.Listen, before the last poll read
	polled     time.Time                                                  // when the last poll began
	returned   time.Time                                                  // when the last poll of the whole window began
	took       time.Duration                                              // duration of the last poll
	returnTook time.Duration                                              // duration of the last poll of the whole window
	quiet      int                                                        // polls in a row that found nothing but internal documents such as heartbeats
	busy       int                                                        // polls in a row that found more
	lookback   lookback
	open       Stamp // timestamp of the first creation that was undecided in the last poll; zero if there is none
	held       bool  // whether that poll has held back later commits

	mutex   sync.Mutex
	readers int
	recent  []*published
	first   uint64 // the number of recent[0]
	changes int    // in recent
	start   Stamp
	last    map[dovetail.ID]uint64 // the number of the last transaction in recent that changes the document
	purged  Stamp                  // what has an earlier timestamp may be deleted
	latest  Stamp                  // the last reading of the server's clock
	at      store.Cursor           // the position of the feed after the last poll

	wanted, begun, done uint64 // numbers of polls: requested by a reader, begun, ended
	interrupt           func() // ends the wait for the next poll
	news                chan struct{}
	failures            int
	err                 error // of the last poll that failed
}

// published is a transaction as readers receive it, with its commit.
type published struct {
	commit
	set       store.Transaction
	low, high Stamp // of the feed
	number    uint64
}

// serverClock estimates the server's time from its last reading and the local time that has passed since.
type serverClock struct {
	now  Stamp
	read time.Time
}

// at returns the server's timestamp at a local time.
func (c serverClock) at(local time.Time) Stamp { return c.now.Forward(local.Sub(c.read)) }

// The size from which on the tail drops old transactions, if no late commit can precede them.
const (
	maxRecent        = 10_000
	maxRecentChanges = 50_000
)

// How polls are scheduled. The interval is Env.Poll, twice that once the tail is quiet, and three times when it has been quiet for
// long; then each poll reads the whole visibility window, since there is little to read again. A notification shortens the wait to
// restPerPoll times the duration of the last poll, so that polling takes a bounded share of the server, and at least to a part of
// Env.Poll. That part is larger while all polls find something, so that waiting readers are woken less often.
//
// A poll reads back to what was seen Env.UsualDelay before, and at most maxLookback. It reads the whole window every returnEvery, or
// after restPerReturn times the duration of such a poll if that is longer, up to half of the window: under write load there is much
// to read again.
const (
	quietPolls     = 20  // five seconds
	idlePolls      = 130 // a minute
	busyPolls      = 8
	restPerPoll    = 9
	restPerReturn  = 20
	shortestRest   = 10          // Env.Poll divided by the shortest wait
	busyRest       = 3           // the same, while all polls find something
	maxLookback    = time.Second // before the latest timestamp seen
	returnEvery    = 2 * time.Second
	clockReadEvery = 2 * time.Minute
	maxBatch       = 256 // transactions that a reader takes at once
)

func newTail(e *Engine) *tail {
	return &tail{engine: e, turn: make(chan struct{}, 1), news: make(chan struct{}), first: 1}
}

// enter counts a reader until leave is called.
func (t *tail) enter() (leave func()) {
	count := func(n int) {
		t.mutex.Lock()
		defer t.mutex.Unlock()
		t.readers += n
	}
	count(1)
	return func() { count(-1) }
}

// end returns the number of the last transaction. The mutex is held.
func (t *tail) end() uint64 { return t.first + uint64(len(t.recent)) - 1 }

// isLast reports whether no transaction follows yet.
func (t *tail) isLast(number uint64) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return number >= t.end()
}

// next returns the transactions that follow a given one, and waits until there are any; nil if they are no longer kept.
func (t *tail) next(ctx context.Context, after uint64) ([]*published, error) {
	for {
		t.mutex.Lock()
		from, kept := int(int64(after+1-t.first)), after+1 >= t.first
		var batch []*published
		if kept {
			batch = slices.Clone(t.recent[from:min(from+maxBatch, len(t.recent))])
		}
		news, failures := t.news, t.failures
		t.mutex.Unlock()
		if len(batch) > 0 || !kept {
			return batch, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-news:
			if err := t.failedSince(failures); err != nil {
				return nil, err
			}
		case t.turn <- struct{}{}:
			err := t.pollUntil(ctx, func() bool { return t.first > after+1 || t.end() > after })
			<-t.turn
			if err != nil {
				return nil, err
			}
		}
	}
}

// refresh returns when a poll that began after the call has read the whole window.
func (t *tail) refresh(ctx context.Context) error {
	t.mutex.Lock()
	number := t.begun + 1
	t.wanted = max(t.wanted, number)
	if t.interrupt != nil {
		t.interrupt()
	}
	t.mutex.Unlock()
	for {
		t.mutex.Lock()
		done, news, failures := t.done >= number, t.news, t.failures
		t.mutex.Unlock()
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-news:
			if err := t.failedSince(failures); err != nil {
				return err
			}
		case t.turn <- struct{}{}:
			err := t.pollUntil(ctx, func() bool { return t.done >= number })
			<-t.turn
			if err != nil {
				return err
			}
		}
	}
}

func (t *tail) failedSince(failures int) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.failures > failures {
		return t.err
	}
	return nil
}

// pollUntil polls until enough returns true, which is called with the mutex held. It waits before each poll that no reader has
// requested.
func (t *tail) pollUntil(ctx context.Context, enough func() bool) error {
	for {
		pause, interrupt := context.WithCancel(ctx)
		t.mutex.Lock()
		over, wanted := enough(), t.wanted > t.begun
		t.interrupt = interrupt
		t.mutex.Unlock()
		if over {
			interrupt()
			return nil
		}
		var err error
		if !wanted && t.wait != nil {
			least, most := t.spacing()
			err = t.wait(pause, least, most)
		}
		interrupted := pause.Err() != nil && ctx.Err() == nil
		interrupt()
		if err != nil && !interrupted {
			return err
		}
		if err := t.poll(ctx); err != nil {
			return t.fail(ctx, err)
		}
	}
}

// spacing returns how long to wait before the next poll: after a notification (least), and without one (most). While an undecided
// creation holds back commits, the tail does not wait for a notification.
func (t *tail) spacing() (least, most time.Duration) {
	poll := t.engine.env.Poll
	most, least = poll, poll/shortestRest
	switch {
	case t.busy >= busyPolls:
		least = poll / busyRest
	case t.quiet >= idlePolls:
		most *= 3
	case t.quiet >= quietPolls:
		most *= 2
	}
	if t.held {
		most = least
	}
	return min(max(restPerPoll*t.took, least), most), most
}

// fail reports the error of a poll to all waiting readers, unless the context of its own reader has ended.
func (t *tail) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.failures, t.err = t.failures+1, err
	t.tell()
	return err
}

// tell wakes all waiting readers. The mutex is held.
func (t *tail) tell() {
	close(t.news)
	t.news = make(chan struct{})
}

// poll reads once and publishes what is new.
func (t *tail) poll(ctx context.Context) error {
	env := &t.engine.env
	began := env.Clock()
	t.mutex.Lock()
	t.begun++
	number := t.begun
	whole := number <= t.wanted
	t.mutex.Unlock()
	if err := t.prepare(ctx, began); err != nil {
		return err
	}
	f := t.feed
	whole = whole || t.quiet >= idlePolls || t.returned.IsZero() || began.Sub(t.returned) >= max(returnEvery, min(restPerReturn*t.returnTook, env.VisibilityWindow/2))
	since := f.low
	if seen, known := t.lookback.since(); known && !whole {
		since = later(since, later(seen, f.high.Back(maxLookback)))
	}
	if !t.open.IsZero() {
		since = earlier(since, later(t.open, f.low))
	}
	t.polled, t.wait = began, env.Listen()
	now := t.clock.at(began)
	watermark := now.Back(env.VisibilityWindow)
	all, err := t.engine.read(ctx, since, Stamp{})
	if err != nil {
		return err
	}
	t.decideOverdue(ctx, all.implicit, now)
	if held := t.heldFrom(all.implicit, now); !held.IsZero() {
		kept := len(all.commits)
		all.commits = slices.DeleteFunc(all.commits, func(c commit) bool { return held.Before(c.stamp) })
		t.held = len(all.commits) < kept
	} else {
		t.held = false
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	end, eventful := t.end(), false
	for _, c := range all.commits {
		eventful = t.publish(c) || eventful
	}
	if whole {
		f.advance(later(watermark, f.high.Back(env.VisibilityWindow)))
		t.returned, t.returnTook = began, env.Clock().Sub(began)
	}
	t.lookback.add(began, f.high)
	t.purged = later(t.purged, all.purged)
	t.trim()
	t.at, t.done, t.took = f.cursor(), number, env.Clock().Sub(began)
	if eventful {
		t.quiet, t.busy = 0, t.busy+1
	} else {
		t.quiet, t.busy = t.quiet+1, 0
	}
	if t.end() > end || number <= t.wanted {
		t.tell()
	}
	return nil
}

// prepare starts at a timestamp before which nothing new can appear, if the tail is new or was not polled for so long that a
// restart is cheaper. It reads the server's clock periodically.
func (t *tail) prepare(ctx context.Context, local time.Time) error {
	window := t.engine.env.VisibilityWindow
	begin := t.feed == nil || local.Sub(t.polled) > window
	if !begin && local.Sub(t.clock.read) < clockReadEvery {
		return nil
	}
	if begin { // so that acknowledged creations keep their timestamps: those that are committed after Now get later ones
		if err := t.engine.decideAnswered(ctx); err != nil {
			return err
		}
	}
	now, err := t.engine.server.Now(ctx)
	if err != nil {
		return err
	}
	t.clock = serverClock{now, local}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.latest = now
	if begin {
		if t.name == "" {
			t.name = t.engine.env.NewTxn()
		}
		low := now.Back(window)
		t.feed = t.engine.newFeed(position{low: low, high: low})
		t.lookback = lookback{delay: t.engine.env.UsualDelay}
		t.first = t.end() + 2 // a reader that has received everything so far notices the gap
		t.recent, t.changes, t.start, t.last, t.returned = nil, 0, low, make(map[dovetail.ID]uint64), time.Time{}
	}
	return nil
}

// publish adds what is new in a commit, and reports whether that includes more than the store's own documents, such as heartbeats.
// The mutex is held.
func (t *tail) publish(c commit) (eventful bool) {
	number := t.end() + 1
	t.feed.entry = t.entry(number)
	set := t.feed.emit(c, nil)
	t.feed.entry = 0
	if len(set.Changes) == 0 {
		return false
	}
	if c.origin == 0 {
		c.changes = set.Changes // which say what was created if its creation was skipped
	}
	p := &published{c, set, t.feed.low, t.feed.high, number}
	t.recent = append(t.recent, p)
	t.changes += len(c.changes)
	for _, change := range c.changes {
		t.last[change.ID] = p.number
		eventful = eventful || !store.IsInternal(change.ID)
	}
	return eventful
}

// entry identifies a transaction in the cursors that are returned with it.
func (t *tail) entry(number uint64) uint32 {
	return uint32(hash(t.name, dovetail.ID(strconv.FormatUint(number, 10)))) | 1
}

// trim drops the oldest transactions if there are many, except those that a late commit may still precede. The mutex is held.
func (t *tail) trim() {
	n := 0
	for ; n < len(t.recent) && (len(t.recent)-n > maxRecent || t.changes > maxRecentChanges) && t.recent[n].stamp.Before(t.feed.low); n++ {
		p := t.recent[n]
		t.start = later(t.start, p.stamp.next())
		t.changes -= len(p.changes)
		for _, change := range p.changes {
			if t.last[change.ID] == p.number {
				delete(t.last, change.ID)
			}
		}
	}
	clear(t.recent[:n])
	t.recent, t.first = t.recent[n:], t.first+uint64(n)
}

// find returns the number of the transaction with which a cursor was returned.
func (t *tail) find(cursor store.Cursor, p position) (number uint64, known bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if p.low.Before(t.purged) {
		return 0, false
	}
	at, _ := slices.BinarySearchFunc(t.recent, p.high, func(entry *published, high Stamp) int { return entry.high.Compare(high) })
	for ; at < len(t.recent) && t.recent[at].high == p.high; at++ {
		if t.recent[at].set.Cursor == cursor {
			return t.recent[at].number, true
		}
	}
	return 0, false
}

// covers returns an error if a position is before a purge, or so far in the future that no server has returned it.
func (t *tail) covers(p position) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	switch {
	case t.latest.Forward(time.Hour + clockReadEvery).Before(p.high):
		return invalidCursor()
	case p.low.Before(t.purged):
		return expired()
	}
	return nil
}

// purge records that what has an earlier timestamp may be deleted.
func (t *tail) purge(before Stamp) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.purged = later(t.purged, before)
}

// recent is what the tail has since a timestamp.
type recent struct {
	whole   bool  // complete
	start   Stamp // from which on it is complete
	entries []*published
	last    map[dovetail.ID]uint64 // the number of the last transaction of each document changed up to another timestamp
	end     uint64
}

// since returns what the tail has since low, and the last transaction of each document that was changed up to uncertain.
func (t *tail) since(low, uncertain Stamp) recent {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	r := recent{whole: !low.Before(t.start), start: t.start, last: make(map[dovetail.ID]uint64), end: t.end()}
	if !r.whole {
		return r
	}
	for _, p := range t.recent {
		if p.stamp.Before(low) {
			continue
		}
		r.entries = append(r.entries, p)
		if uncertain.Before(p.stamp) {
			continue
		}
		for _, change := range p.changes {
			r.last[change.ID] = t.last[change.ID]
		}
	}
	return r
}

// isRead reports whether there are readers.
func (t *tail) isRead() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.readers > 0
}

// head returns the current cursor.
func (t *tail) head(ctx context.Context) (store.Cursor, error) {
	if err := t.refresh(ctx); err != nil {
		return "", err
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if n := len(t.recent); n > 0 && t.recent[n-1].high == t.feed.high && !t.recent[n-1].low.Before(t.purged) {
		return t.recent[n-1].set.Cursor, nil
	}
	return t.at, nil
}
