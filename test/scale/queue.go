package scale

import "time"

// clock runs what is to be done at its time.
type clock struct {
	now  time.Duration
	due  appointments
	made uint64
}

type appointment struct {
	at     time.Duration
	number uint64 // of two at the same time the one that was made first comes first
	do     func()
}

func (c *clock) at(t time.Duration, do func()) {
	c.made++
	c.due = append(c.due, appointment{t, c.made, do})
	for at := len(c.due) - 1; at > 0; {
		above := (at - 1) / 2
		if !c.due[at].before(c.due[above]) {
			break
		}
		c.due[at], c.due[above] = c.due[above], c.due[at]
		at = above
	}
}

func (c *clock) after(d time.Duration, do func()) { c.at(c.now+d, do) }

// run continues until a time.
func (c *clock) run(until time.Duration) {
	for len(c.due) > 0 && c.due[0].at <= until {
		next := c.first()
		c.now = next.at
		next.do()
	}
	c.now = until
}

// appointments are a heap: none comes before the one that is above it.
type appointments []appointment

func (a appointment) before(b appointment) bool {
	return a.at < b.at || a.at == b.at && a.number < b.number
}

// first takes out the appointment that comes first.
func (c *clock) first() appointment {
	all := c.due
	next, last := all[0], len(all)-1
	all[0], all[last] = all[last], appointment{}
	all = all[:last]
	for at := 0; ; {
		below := 2*at + 1
		if below >= last {
			break
		}
		if below+1 < last && all[below+1].before(all[below]) {
			below++
		}
		if !all[below].before(all[at]) {
			break
		}
		all[at], all[below] = all[below], all[at]
		at = below
	}
	c.due = all
	return next
}

// station serves what comes, in order, so many at a time.
type station struct {
	free []time.Duration // when each server is free again
	busy time.Duration   // of all servers, since it was set to zero
}

func newStation(servers int) *station { return &station{free: make([]time.Duration, servers)} }

// serve returns when what comes now and takes so long is done.
func (s *station) serve(now, takes time.Duration) time.Duration {
	soonest := 0
	for i, at := range s.free {
		if at < s.free[soonest] {
			soonest = i
		}
	}
	s.busy += takes
	s.free[soonest] = max(now, s.free[soonest]) + takes
	return s.free[soonest]
}

// use is which part of a time the servers were busy.
func (s *station) use(of time.Duration) float64 {
	return float64(s.busy) / float64(of) / float64(len(s.free))
}
