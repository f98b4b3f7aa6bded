package ratelimit

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Options are the limits. The zero value limits nothing.
type Options struct {
	PerSecond float64 // how often a user may enter, in the long run; 0 if there is no bound
	Burst     int     // how often in one burst; default PerSecond, at least 1
	AtOnce    int     // how many of a user may be inside; 0 if there is no bound
	// Users is how many are distinguished, default 10000. More of them at the same time share one limiter.
	Users int
	Now   func() time.Time // default time.Now
}

// Limiter counts by user. It is safe for concurrent use.
type Limiter struct {
	options Options

	mu     sync.Mutex
	users  map[string]*user
	others user      // shared by all users beyond Options.Users
	swept  time.Time // when users at rest were last deleted
}

// user is the state of one user.
type user struct {
	rate   *rate.Limiter
	inside int
}

// New returns a limiter, nil when the options bound nothing: a nil Limiter refuses no request.
func New(options Options) *Limiter {
	if options.PerSecond <= 0 && options.AtOnce <= 0 {
		return nil
	}
	if options.Burst <= 0 {
		options.Burst = max(1, int(options.PerSecond))
	}
	if options.Users <= 0 {
		options.Users = 10000
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	q := &Limiter{options: options, users: make(map[string]*user)}
	q.others.rate = q.rate()
	return q
}

func (q *Limiter) rate() *rate.Limiter {
	if q.options.PerSecond <= 0 {
		return rate.NewLimiter(rate.Inf, 0)
	}
	return rate.NewLimiter(rate.Limit(q.options.PerSecond), q.options.Burst)
}

// Bound is the limit that refuses a user.
type Bound string

// The bounds.
const (
	Often  Bound = "often"   // too often: see Refusal.Wait
	AtOnce Bound = "at-once" // too many at once
)

// Refusal says why a user is refused now.
type Refusal struct {
	Bound Bound
	Wait  time.Duration // until it is worth trying again; 0 when that is not known
}

// Enter lets a user in, or says why not. leave, which is not nil then, must be called once when what the user
// entered for is done.
func (q *Limiter) Enter(name string) (leave func(), refused *Refusal) {
	if q == nil {
		return func() {}, nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.options.Now()
	u := q.find(name, now)
	if q.options.AtOnce > 0 && u.inside >= q.options.AtOnce {
		return nil, &Refusal{Bound: AtOnce}
	}
	turn := u.rate.ReserveN(now, 1)
	const early = time.Microsecond // for a user that waits for exactly the given delay: delays come from floats, and are cut off
	if wait := turn.DelayFrom(now); wait > early {
		turn.CancelAt(now)
		return nil, &Refusal{Bound: Often, Wait: wait}
	}
	u.inside++
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		u.inside--
	}, nil
}

// Delay counts an action of a user, and returns how long to wait before it is answered, at most so long: nothing within
// PerSecond and Burst, and longer the more often it happens. A nil Limiter delays no user.
func (q *Limiter) Delay(name string, most time.Duration) time.Duration {
	if q == nil {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.options.Now()
	turn := q.find(name, now).rate.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait > most {
		turn.CancelAt(now)
	}
	return min(wait, most)
}

// find returns the state of a user. Where there are too many, it deletes those at rest: they are in the same state
// as new ones.
func (q *Limiter) find(name string, now time.Time) *user {
	if u := q.users[name]; u != nil {
		return u
	}
	const again = time.Second // looking through all of them is dear
	if len(q.users) >= q.options.Users && now.Sub(q.swept) >= again {
		q.swept = now
		for name, u := range q.users {
			if q.rests(u, now) {
				delete(q.users, name)
			}
		}
	}
	if len(q.users) >= q.options.Users {
		return &q.others
	}
	u := &user{rate: q.rate()}
	q.users[name] = u
	return u
}

func (q *Limiter) rests(u *user, now time.Time) bool {
	return u.inside == 0 && (q.options.PerSecond <= 0 || u.rate.TokensAt(now) >= float64(q.options.Burst))
}
