package protocol

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	random "math/rand/v2"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
)

// Settings are the times and limits of engines in production. Zero fields have defaults.
type Settings struct {
	// Clock is the local clock; default that of the operating system. Time limits of commands do not depend on it.
	Clock clock.Clock
	// Lease is how long the intent of a dead process may block others; default 10 s. An engine removes an intent that it has seen
	// unchanged for half of that.
	Lease time.Duration
	// DetachedTimeout is the time limit for work that must be completed after its request has ended; default 10 s.
	DetachedTimeout time.Duration
	// VisibilityWindow and UsualDelay are those of Env; default 10 s and 100 ms.
	VisibilityWindow, UsualDelay time.Duration
	// Poll is the interval at which the feed reads the changes of other processes, while there are readers; default 250 ms. It is
	// longer when nothing has changed for a while.
	Poll time.Duration
	// CursorCommits is the maximum number of commits that a cursor lists; default 40.
	CursorCommits int
	// Context returns a separate context for groups of creations, heartbeats and background work, which belong to no request. It is
	// needed if contexts have sessions, which must not be shared: then a transaction does nothing concurrently. Nil means plain
	// contexts.
	Context func(context.Context) (context.Context, context.CancelFunc)
	// InSession reports whether a context has a session. It is needed with Context.
	InSession func(context.Context) bool
	// Groups is the maximum number of groups of creations in progress, under high load; default 4. GroupSize is the maximum number
	// of creations in a group, and of writes whose remaining work is done together; default 500.
	Groups, GroupSize int
	// Resolved is Env.Resolved; nil if there is none.
	Resolved func(happened bool, n int)
	// MaxBatchDelay is how long a group waits for further creations of the clients of the group before; default 200 µs.
	MaxBatchDelay time.Duration
	// MaxKeepDelay is how long a replaced version waits to be stored in a batch with others; default 10 ms, less if a request needs
	// it.
	MaxKeepDelay time.Duration
	// MaxClearDelay is how long the intent of an acknowledged creation waits to be removed in a batch with others; default 20 ms,
	// less if a request needs it.
	MaxClearDelay time.Duration
}

// WithDefaults returns the settings with every zero field replaced by its default.
func (s Settings) WithDefaults() Settings {
	setDefault(&s.Clock, clock.System)
	setDefault(&s.Lease, 10*time.Second)
	setDefault(&s.DetachedTimeout, 10*time.Second)
	setDefault(&s.VisibilityWindow, 10*time.Second)
	setDefault(&s.UsualDelay, 100*time.Millisecond)
	setDefault(&s.Poll, 250*time.Millisecond)
	setDefault(&s.CursorCommits, 40)
	setDefault(&s.Groups, 4)
	setDefault(&s.GroupSize, 500)
	setDefault(&s.MaxBatchDelay, 200*time.Microsecond)
	setDefault(&s.MaxKeepDelay, 10*time.Millisecond)
	setDefault(&s.MaxClearDelay, 20*time.Millisecond)
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

// Runtime is the environment of an engine in production. It is safe for concurrent use.
type Runtime struct {
	settings Settings
	failures failureDetector
	groups   groups
	keeper   background[*Replaced]
	clearer  background[*Created]
	resolver background[*Unresolved]
	reserve  reserve
	refusals refusals
	notifier notifier
	level    atomic.Int64
}

// NewRuntime returns a runtime with the settings, at the newest level.
func NewRuntime(settings Settings) *Runtime {
	l := &Runtime{settings: settings.WithDefaults()}
	l.SetLevel(NewestLevel)
	l.failures.expiry, l.failures.clock = l.settings.Lease/2, l.settings.Clock
	l.refusals.clock, l.notifier.clock = l.settings.Clock, l.settings.Clock
	l.groups.settings = l.settings
	l.keeper.start(l.settings, l.settings.MaxKeepDelay, func(ctx context.Context, e *Engine, group []*Replaced) error {
		return e.KeepReplaced(ctx, group)
	})
	l.clearer.start(l.settings, l.settings.MaxClearDelay, func(ctx context.Context, e *Engine, group []*Created) error {
		return e.ClearCreated(ctx, group)
	})
	l.reserve.start(l.settings)
	l.resolver.start(l.settings, 0, func(ctx context.Context, e *Engine, group []*Unresolved) error {
		return e.Resolve(ctx, group)
	})
	return l
}

// Env returns the environment of an engine.
func (l *Runtime) Env() Env {
	return Env{
		NewTxn:   func() string { return strings.ToLower(rand.Text()) },
		Pause:    l.settings.pause,
		Expired:  l.failures.expired,
		Parallel: l.parallel,
		Heartbeat: func(ctx context.Context, e *Engine, txn string) {
			go l.sendHeartbeats(ctx, e, txn)
		},
		Detached: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.WithoutCancel(ctx), l.settings.DetachedTimeout)
		},
		Consistent:       l.consistent,
		SubmitCreation:   l.groups.create,
		SubmitCreated:    l.clearer.submit,
		SubmitReplaced:   l.keeper.submit,
		TakeReplaced:     l.takeReplaced,
		SubmitUnresolved: l.resolver.submit,
		TakeEntry:        l.reserve.take,
		Refused:          l.refusals.add,
		RefusedLately:    l.refusals.has,
		KeepNow:          l.hurry,
		Clock:            l.settings.Clock.Now,
		VisibilityWindow: l.settings.VisibilityWindow,
		UsualDelay:       l.settings.UsualDelay,
		Resolved:         l.settings.Resolved,
		Poll:             l.settings.Poll,
		Listen:           l.notifier.listen,
		CursorCommits:    l.settings.CursorCommits,
		Level:            l.Level,
	}
}

// Flush returns when all replaced versions are stored and the intents of all committed transactions are removed, or given up.
func (l *Runtime) Flush() {
	l.keeper.flush()
	l.clearer.flush()
	l.resolver.flush()
	l.reserve.writer.flush()
}

// Close flushes, and deletes transaction records that were written in advance.
func (l *Runtime) Close(ctx context.Context, e *Engine) {
	l.Flush()
	l.reserve.close(ctx, e)
}

func (l *Runtime) hurry() {
	l.keeper.hurry()
	l.clearer.hurry()
}

func (l *Runtime) consistent(ctx context.Context) (own context.Context, end context.CancelFunc, fresh bool) {
	if l.settings.Context == nil || l.settings.InSession(ctx) {
		return ctx, func() {}, false
	}
	own, end = l.settings.Context(ctx)
	return own, end, true
}

func (l *Runtime) takeReplaced(id dovetail.ID) *Replaced {
	return l.keeper.take(func(r *Replaced) bool { return r.id == id && r.row < maxRow })
}

// Level returns the level that all processes of the store support, as far as this process knows.
func (l *Runtime) Level() Level { return Level(l.level.Load()) }

// SetLevel sets the level that all processes of the store support.
func (l *Runtime) SetLevel(level Level) { l.level.Store(int64(level)) }

// Notify makes the feed poll for changes now.
func (l *Runtime) Notify() { l.notifier.notify() }

// How long Pause waits: between half and all of a duration that doubles from minPause to maxPause.
const (
	minPause    = 2 * time.Millisecond
	maxPause    = 200 * time.Millisecond
	maxAttempts = 100 // about 14 seconds, longer than the default lease
)

func (s Settings) pause(ctx context.Context, attempt int) (bool, error) {
	if attempt >= maxAttempts {
		return false, nil
	}
	wait := min(maxPause, minPause<<min(attempt-1, 10))
	return true, clock.Sleep(ctx, s.Clock, wait/2+random.N(wait/2))
}

func (l *Runtime) parallel(functions ...func()) {
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

// sendHeartbeats sends heartbeats until the context ends.
func (l *Runtime) sendHeartbeats(ctx context.Context, e *Engine, txn string) {
	own, end := l.settings.newContext()
	defer end()
	for count := 1; clock.Sleep(ctx, l.settings.Clock, l.settings.Lease/8) == nil; count++ {
		_ = e.Heartbeat(own, txn, count) // the next one makes up for a lost one
	}
}

// newContext returns a context that belongs to no request.
func (s Settings) newContext() (context.Context, context.CancelFunc) {
	if s.Context != nil {
		return s.Context(context.Background())
	}
	return context.Background(), func() {}
}

// notifier wakes the feed after some time, or earlier if it is notified.
type notifier struct {
	clock    clock.Clock
	mutex    sync.Mutex
	notified chan struct{} // closed by the next notification
}

func (b *notifier) notify() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.notified != nil {
		close(b.notified)
		b.notified = nil
	}
}

func (b *notifier) listen() (wait func(ctx context.Context, least, most time.Duration) error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.notified == nil {
		b.notified = make(chan struct{})
	}
	notified := b.notified
	return func(ctx context.Context, least, most time.Duration) error {
		reached, stop := b.clock.After(most)
		defer stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-reached:
			return nil
		case <-notified: // under load readers poll for many commits at a time
			return clock.Sleep(ctx, b.clock, least)
		}
	}
}
