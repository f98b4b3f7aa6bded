package protocol

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	random "math/rand/v2"
)

// Settings are the times and numbers by which engines work for real. Zero fields have defaults.
type Settings struct {
	// Lease is how long the intent of a dead process may stand in the way; default 10 s. An engine
	// takes an intent away when it has seen it unchanged for half of that.
	Lease time.Duration
	// Step is how long may be waited for what must be finished though its request has ended; default 10 s.
	Step time.Duration
	// Overlap is how late a committed change may become visible; default 10 s. Near is how late it
	// usually is; default 1 s.
	Overlap, Near time.Duration
	// Poll is how often the feed reads the changes of other processes; default 250 ms.
	Poll time.Duration
	// Context returns a separate context for groups of creations and for heartbeats, which belong to
	// no request. It is set where contexts carry sessions, which must not be shared: then nothing is done
	// at the same time within a transaction. Nil means plain contexts, shared at will.
	Context func(context.Context) (context.Context, context.CancelFunc)
	// Groups is how many groups of creations may be under way at once; default 2. GroupSize is how
	// many creations a group may have; default 500.
	Groups, GroupSize int
	// Resolved is notified how many intents were resolved that others left, of transactions that happened and of
	// those that did not; nil for none.
	Resolved func(happened bool, n int)
	// MaxBatchDelay is how long a group waits for creations of the clients whose creations were in the group before; default
	// 200 µs.
	MaxBatchDelay time.Duration
}

// WithDefaults returns the settings with every zero field replaced by its default.
func (s Settings) WithDefaults() Settings {
	setDefault(&s.Lease, 10*time.Second)
	setDefault(&s.Step, 10*time.Second)
	setDefault(&s.Overlap, 10*time.Second)
	setDefault(&s.Near, time.Second)
	setDefault(&s.Poll, 250*time.Millisecond)
	setDefault(&s.Groups, 2)
	setDefault(&s.GroupSize, 500)
	setDefault(&s.MaxBatchDelay, 200*time.Microsecond)
	if s.Resolved == nil {
		s.Resolved = func(bool, int) {}
	}
	return s
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Live is the surroundings of an engine that works for real. It is safe for concurrent use.
type Live struct {
	settings Settings
	failures failureDetector
	groups   groups
	bell     bell
}

// NewLive returns surroundings by the settings.
func NewLive(settings Settings) *Live {
	l := &Live{settings: settings.WithDefaults()}
	l.failures.expiry = l.settings.Lease / 2
	l.groups.settings = l.settings
	l.bell.every = l.settings.Poll
	return l
}

// Env returns what an engine takes from the surroundings.
func (l *Live) Env() Env {
	return Env{
		NewTxn:   func() string { return strings.ToLower(rand.Text()) },
		Pause:    pause,
		Expired:  l.failures.expired,
		Together: l.together,
		Beat: func(ctx context.Context, e *Engine, txn string) {
			go l.beat(ctx, e, txn)
		},
		Lasting: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.WithoutCancel(ctx), l.settings.Step)
		},
		Creates:  l.groups.create,
		Clock:    time.Now,
		Overlap:  l.settings.Overlap,
		Near:     l.settings.Near,
		Resolved: l.settings.Resolved,
		Listen:   l.bell.listen,
	}
}

// Ring has the feeds look for changes now.
func (l *Live) Ring() { l.bell.ring() }

// How long Pause waits: in between a half and the whole of what doubles from shortest to longest.
const (
	shortest = 2 * time.Millisecond
	longest  = 200 * time.Millisecond
	tries    = 100 // about 15 seconds, longer than any lease
)

func pause(ctx context.Context, attempt int) (bool, error) {
	if attempt >= tries {
		return false, nil
	}
	wait := min(longest, shortest<<min(attempt-1, 10))
	return true, sleep(ctx, wait/2+random.N(wait/2))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (l *Live) together(functions ...func()) {
	var group sync.WaitGroup
	for _, f := range functions {
		if l.settings.Context != nil {
			f()
		} else {
			group.Go(f)
		}
	}
	group.Wait()
}

// beat sends heartbeats until the context ends.
func (l *Live) beat(ctx context.Context, e *Engine, txn string) {
	own, end := l.settings.fresh()
	defer end()
	for count := 1; sleep(ctx, l.settings.Lease/8) == nil; count++ {
		_ = e.Beat(own, txn, count) // one that is lost is made good by the next
	}
}

// fresh returns a context that belongs to no request.
func (s Settings) fresh() (context.Context, context.CancelFunc) {
	if s.Context != nil {
		return s.Context(context.Background())
	}
	return context.Background(), func() {}
}

// bell wakes the feeds: on time, or earlier when it is rung.
type bell struct {
	every time.Duration
	mutex sync.Mutex
	rung  chan struct{} // closed by the next ring
}

func (b *bell) ring() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.rung != nil {
		close(b.rung)
		b.rung = nil
	}
}

func (b *bell) listen() (wait func(context.Context) error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.rung == nil {
		b.rung = make(chan struct{})
	}
	rung := b.rung
	return func(ctx context.Context) error {
		timer := time.NewTimer(b.every)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		case <-rung: // where one commit follows the other, their readers look for many at a time
			return sleep(ctx, b.every/10)
		}
	}
}
