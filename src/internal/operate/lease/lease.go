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
const DefaultTTL = 15 * time.Second

// Options configure a Candidate. The zero value is ready to use.
type Options struct {
	// TTL is the lease duration: another process takes over when it sees no heartbeat for so long. 0 means DefaultTTL.
	// All processes must have the same.
	TTL time.Duration
	// Holder names this process in the lease and in logs; default a random name.
	Holder string
	// NewUID makes the uids of documents; default random.
	NewUID func() string
	// Log receives changes of leadership; nil if there is none.
	Log *slog.Logger
}

// Task is work that only one process at a time does: the holder of the lease with its name. The name consists of letters, digits, '-'
// and '_'.
type Task struct {
	Name string
	// Lead does the work. Its context ends when the process loses the lease or Run ends. Pass the fence as store.Options.Fence
	// to every write that only the leader may do.
	Lead func(ctx context.Context, fence store.Condition)
}

// Candidate acquires leases for this process.
type Candidate struct {
	backend   store.Backend
	options   Options
	exclusive bool // no other process has the database open
}

// New returns a candidate.
func New(backend store.Backend, options Options) *Candidate {
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
	return &Candidate{backend: backend, options: options, exclusive: backend.Capabilities().Exclusive}
}

// Run calls Lead of each task whenever this process acquires the lease of the task, until ctx ends. It returns when all calls of Lead
// have returned and their leases are released. When Lead returns earlier, the lease is released, and the next
// candidate may acquire it.
//
// If the database is unreachable, Run retries; meanwhile no process leads. Call Run once.
func (c *Candidate) Run(ctx context.Context, tasks ...Task) {
	l := &leadership{Candidate: c, tasks: tasks, terms: make(map[string]*term), seen: make(map[dovetail.ID]sight),
		ended: make(chan *term, len(tasks)), look: time.Now()}
	for {
		timer := time.NewTimer(time.Until(l.next()))
		select {
		case <-ctx.Done():
			timer.Stop()
			l.end(ctx)
			return
		case t := <-l.ended:
			l.finish(ctx, t)
		case <-timer.C:
			l.proceed(ctx)
		}
		timer.Stop()
	}
}

// What times are made of. Looks are frequent so that a lease that is given back is not free for long, heartbeats leave some
// time for those that fail.
const (
	maxGlance = 2 * time.Second
	beatSlack = 3500 * time.Millisecond
	maxMargin = time.Second
)

// glance is the time between two looks of a candidate.
func (c *Candidate) glance() time.Duration { return min(c.options.TTL/5, maxGlance) }

// interval is the time between two heartbeats.
func (c *Candidate) interval() time.Duration {
	return max(c.options.TTL/5, c.options.TTL-beatSlack)
}

// margin is how much earlier than others a leader takes its lease for ended, and the time after which a heartbeat that failed is
// repeated.
func (c *Candidate) margin() time.Duration { return min(c.options.TTL/5, maxMargin) }
