// Package clocktest moves time in tests: that of a [Fake] clock, or that of a bubble of testing/synctest by [Advance].
package clocktest

import (
	"sync"
	"time"
)

// Advance returns once the duration has passed in the bubble of testing/synctest that it is called in. Outside of a
// bubble, where it would wait for a real clock, it panics.
func Advance(d time.Duration) {
	if time.Now().Year() > 2020 { // bubbles begin in 2000
		panic("clocktest.Advance is called outside of a bubble of testing/synctest")
	}
	time.Sleep(d) // which waits for nothing in a bubble
}

// Fake is a clock.Clock whose time passes by [Fake.Advance], and by waits that [NewFake] declares instant. It is safe for
// concurrent use.
type Fake struct {
	instant time.Duration

	mutex   sync.Mutex
	changed sync.Cond
	now     time.Time
	waits   map[*wait]bool
}

type wait struct {
	due     time.Time
	reached chan time.Time
}

// NewFake returns a clock that starts at the current time of the operating system. Waits up to the duration instant end
// immediately and move the clock: pauses of retries and delays of batches, which a test has no reason to control.
func NewFake(instant time.Duration) *Fake {
	f := &Fake{instant: instant, now: time.Now(), waits: make(map[*wait]bool)}
	f.changed.L = &f.mutex
	return f
}

// Now implements clock.Clock.
func (f *Fake) Now() time.Time {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.now
}

// After implements clock.Clock.
func (f *Fake) After(d time.Duration) (reached <-chan time.Time, stop func()) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	w := &wait{due: f.now.Add(d), reached: make(chan time.Time, 1)}
	f.waits[w] = true
	if d <= f.instant {
		f.advance(max(0, d))
	}
	f.changed.Broadcast()
	return w.reached, func() {
		f.mutex.Lock()
		defer f.mutex.Unlock()
		delete(f.waits, w)
		f.changed.Broadcast()
	}
}

// Advance moves the clock forward, and ends the waits that are over.
func (f *Fake) Advance(d time.Duration) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.advance(d)
}

func (f *Fake) advance(d time.Duration) {
	f.now = f.now.Add(d)
	for w := range f.waits {
		if !w.due.After(f.now) {
			w.reached <- f.now
			delete(f.waits, w)
		}
	}
	f.changed.Broadcast()
}

// AwaitWaits returns once n goroutines, or more, wait for the clock.
func (f *Fake) AwaitWaits(n int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for len(f.waits) < n {
		f.changed.Wait()
	}
}
