package lease

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// DefaultTTL is the default lease duration.
const DefaultTTL = 10 * time.Second

// Options configure a Lease. The zero value is ready to use.
type Options struct {
	// TTL is the lease duration: another process takes over when it sees no heartbeat for so long. 0 means DefaultTTL.
	// All processes must have the same.
	TTL time.Duration
	// Holder names this process in the lease and in logs; default a random name.
	Holder string
	// NewUID makes the uids of documents; default random.
	NewUID func() string
	// Log is notified who leads; nil for none.
	Log *slog.Logger
}

// Lease is the candidacy of this process for leadership.
type Lease struct {
	backend   store.Backend
	name      string
	options   Options
	exclusive bool // no other process has the database open
}

// New returns a lease of the name, which is that of an element of a key: letters, digits, '-' and '_'.
func New(backend store.Backend, name string, options Options) *Lease {
	if options.TTL <= 0 {
		options.TTL = DefaultTTL
	}
	if options.NewUID == nil {
		options.NewUID = func() string { return strings.ToLower(rand.Text()) }
	}
	if options.Holder == "" {
		options.Holder = options.NewUID()
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &Lease{backend: backend, name: name, options: options, exclusive: backend.Capabilities().Exclusive}
}

// Run waits until this process leads and calls lead, again and again until ctx ends; it returns when lead
// has returned and the lease is released. The context of lead ends when the process no longer leads
// or ctx ends. fence goes into store.Options.Fence of every write that only a leader may do. When lead returns
// before that, the lease is released, and the first candidate to ask leads next.
//
// A database that cannot be reached is tried again; meanwhile no process leads. Call Run once.
func (l *Lease) Run(ctx context.Context, lead func(ctx context.Context, fence store.Condition)) {
	var seen sight
	for ctx.Err() == nil {
		t, err := l.campaign(ctx, &seen)
		switch {
		case t != nil:
			l.options.Log.Info("leading", "lease", l.name, "holder", l.options.Holder, "term", t.record.Term)
			l.lead(ctx, t, lead)
			l.options.Log.Info("no longer leading", "lease", l.name, "holder", l.options.Holder, "term", t.record.Term)
			seen = sight{}
		case err != nil && ctx.Err() == nil:
			l.options.Log.Warn("cannot ask for a lease", "lease", l.name, "error", err)
		}
		sleep(ctx, l.interval())
	}
}

// interval is the time between two heartbeats, and between two reads of them by a candidate.
func (l *Lease) interval() time.Duration { return l.options.TTL / 5 }

// sight is the last heartbeat that was seen, and since when.
type sight struct {
	tag   dovetail.ETag
	since time.Time
}

// campaign tries once to lead. It returns nil without an error when another process does.
func (l *Lease) campaign(ctx context.Context, seen *sight) (*term, error) {
	asked := time.Now()
	documents, err := l.backend.GetAll(ctx, []dovetail.ID{l.termID(), l.beatID()})
	if err != nil {
		return nil, err
	}
	held, beat := documents[0], documents[1]
	if held != nil && beat != nil && !l.exclusive && !released(beat) {
		if tag := beat.ETag(); seen.tag != tag || seen.since.IsZero() {
			*seen = sight{tag: tag, since: time.Now()}
			return nil, nil
		}
		if asked.Sub(seen.since) < l.options.TTL {
			return nil, nil
		}
	}
	t, err := l.take(ctx, held, beat)
	if store.IsConflict(err) {
		return nil, nil
	}
	return t, err
}

// lead runs the work of the leader until it is done or the lease is lost, and releases the lease.
func (l *Lease) lead(ctx context.Context, t *term, lead func(context.Context, store.Condition)) {
	leading, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		lead(leading, t.fence())
	}()
	if l.exclusive {
		<-done
		stop()
		return
	}
	held := l.keep(leading, t, done)
	stop()
	<-done
	if held {
		// The work is done: other candidates need not wait for the lease to expire.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.interval())
		defer cancel()
		if err := l.beat(last, t, true); err != nil && !store.IsConflict(err) {
			l.options.Log.Warn("a lease was not given back and ends by itself", "lease", l.name, "error", err)
		}
	}
}

// keep writes heartbeats until the leader is done, the context ends or the lease is lost, and says
// whether it is still held.
func (l *Lease) keep(ctx context.Context, t *term, done <-chan struct{}) (held bool) {
	ticker := time.NewTicker(l.interval())
	defer ticker.Stop()
	ending := time.NewTimer(time.Until(t.until))
	defer ending.Stop()
	for {
		ending.Reset(time.Until(t.until))
		select {
		case <-done:
			return true
		case <-ctx.Done():
			return true
		case <-ending.C:
			l.options.Log.Warn("a lease ended, since the database does not answer", "lease", l.name)
			return false
		case <-ticker.C:
		}
		within, cancel := context.WithDeadline(ctx, t.until)
		err := l.beat(within, t, false)
		cancel()
		if ctx.Err() == nil && store.IsConflict(err) {
			l.options.Log.Warn("a lease was lost to another process", "lease", l.name)
			return false
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
