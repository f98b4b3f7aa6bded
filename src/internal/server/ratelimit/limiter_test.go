package ratelimit_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/server/ratelimit"
)

// clock is a time that tests set.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) time() time.Time { return c.now }

func TestRate(t *testing.T) {
	c := newClock()
	q := ratelimit.New(ratelimit.Options{PerSecond: 2, Burst: 3, Now: c.time})
	enter := func(name string) *ratelimit.Refusal {
		leave, refused := q.Enter(name)
		if leave != nil {
			leave()
		}
		return refused
	}
	for n := range 3 {
		if r := enter("ann"); r != nil {
			t.Fatalf("the burst is refused at %d: %v", n, r)
		}
	}
	if r := enter("ann"); r == nil || r.Bound != ratelimit.Often || r.Wait != 500*time.Millisecond {
		t.Errorf("over the burst: %v", r)
	}
	if r := enter("bob"); r != nil {
		t.Errorf("another user: %v", r)
	}
	c.now = c.now.Add(499 * time.Millisecond)
	if r := enter("ann"); r == nil {
		t.Error("accepted too early")
	}
	c.now = c.now.Add(time.Millisecond)
	if r := enter("ann"); r != nil {
		t.Errorf("after the wait: %v", r)
	}
}

func TestDelay(t *testing.T) {
	c := newClock()
	q := ratelimit.New(ratelimit.Options{PerSecond: 2, Burst: 3, Now: c.time})
	var got []time.Duration
	for range 6 {
		got = append(got, q.Delay("ann", time.Second))
	}
	if want := []time.Duration{0, 0, 0, 500 * time.Millisecond, time.Second, time.Second}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("delays of %v, want %v", got, want)
	}
	if d := q.Delay("bob", time.Second); d != 0 {
		t.Errorf("another user waits %v", d)
	}
	c.now = c.now.Add(3 * time.Second)
	if d := q.Delay("ann", time.Second); d != 0 {
		t.Errorf("after a rest: %v", d)
	}
	var none *ratelimit.Limiter
	if d := none.Delay("ann", time.Second); d != 0 {
		t.Errorf("without a limiter: %v", d)
	}
}

func TestAtOnce(t *testing.T) {
	q := ratelimit.New(ratelimit.Options{AtOnce: 2})
	first, _ := q.Enter("ann")
	_, refused := q.Enter("ann")
	if refused != nil {
		t.Fatal(refused)
	}
	if _, refused = q.Enter("ann"); refused == nil || refused.Bound != ratelimit.AtOnce {
		t.Errorf("a third one: %v", refused)
	}
	if _, refused := q.Enter("bob"); refused != nil {
		t.Errorf("another user: %v", refused)
	}
	first()
	if _, refused := q.Enter("ann"); refused != nil {
		t.Errorf("after one left: %v", refused)
	}
}

func TestNothingIsBounded(t *testing.T) {
	q := ratelimit.New(ratelimit.Options{})
	if q != nil {
		t.Error("there is a limiter")
	}
	leave, refused := q.Enter("ann")
	if refused != nil {
		t.Error(refused)
	}
	leave()
}

// Unknown users take no more entries than Options.Users, and users at rest make room for others.
func TestStrangers(t *testing.T) {
	c := newClock()
	q := ratelimit.New(ratelimit.Options{PerSecond: 1, Burst: 2, Users: 10, Now: c.time})
	for n := range 1000 {
		if leave, refused := q.Enter(fmt.Sprintf("stranger-%d", n)); refused == nil {
			leave()
		}
	}
	if n := q.Known(); n != 10 {
		t.Fatalf("%d are remembered", n)
	}
	if _, refused := q.Enter("stranger-1000"); refused == nil {
		t.Error("the users beyond Options.Users share no limiter")
	}
	c.now = c.now.Add(2 * time.Second)
	if _, refused := q.Enter("ann"); refused != nil {
		t.Errorf("when they rest: %v", refused)
	}
	if n := q.Known(); n != 1 {
		t.Errorf("%d are remembered", n)
	}
}

// In any time no user enters more often than the rate and the burst allow, and none that keeps to the
// rate is refused.
func TestRateHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		perSecond, burst := rapid.IntRange(1, 50).Draw(t, "rate"), rapid.IntRange(1, 20).Draw(t, "burst")
		q := ratelimit.New(ratelimit.Options{PerSecond: float64(perSecond), Burst: burst, Now: c.time})
		began, entered := c.now, 0
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			c.now = c.now.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "pause")) * time.Millisecond)
			leave, refused := q.Enter("ann")
			if refused == nil {
				leave()
				entered++
			}
			if most := float64(burst) + float64(perSecond)*c.now.Sub(began).Seconds() + 1e-6; float64(entered) > most {
				t.Fatalf("entered %d times where %f are allowed", entered, most)
			}
			if refused != nil {
				c.now = c.now.Add(refused.Wait)
				if leave, refused := q.Enter("ann"); refused != nil {
					t.Fatalf("refused after the wait of the refusal: %v", refused)
				} else {
					leave()
					entered++
				}
			}
		}
	})
}

func TestConcurrently(t *testing.T) {
	q := ratelimit.New(ratelimit.Options{AtOnce: 4, Users: 3})
	var group sync.WaitGroup
	for n := range 64 {
		group.Go(func() {
			for range 1000 {
				if leave, refused := q.Enter(fmt.Sprint(n % 8)); refused == nil {
					leave()
				}
			}
		})
	}
	group.Wait()
	for n := range 8 {
		if _, refused := q.Enter(fmt.Sprint(n)); refused != nil && n < 4 {
			t.Errorf("a user did not leave: %v", refused)
		}
	}
}

func BenchmarkEnter(b *testing.B) {
	q := ratelimit.New(ratelimit.Options{PerSecond: 1e9, AtOnce: 100})
	for b.Loop() {
		leave, refused := q.Enter("ann")
		if refused != nil {
			b.Fatal(refused)
		}
		leave()
	}
}

func ExampleLimiter_Enter() {
	q := ratelimit.New(ratelimit.Options{PerSecond: 1, Burst: 1})
	for range 2 {
		leave, refused := q.Enter("ann")
		if refused != nil {
			fmt.Println("too", refused.Bound)
			continue
		}
		fmt.Println("welcome")
		leave()
	}
	// Output:
	// welcome
	// too often
}
