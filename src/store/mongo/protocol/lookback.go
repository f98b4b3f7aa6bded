package protocol

import "time"

// lookback says how far back a poll for changes reads: to the latest stamp that was seen a usual delay ago. It counts in the time of
// this process, since what a stamp has beyond seconds is the server's own.
//
// A change is missed by such polls only if it became visible later, by more than the delay, than one with a later stamp: then
// a poll that goes back all the way finds it.
type lookback struct {
	delay time.Duration
	polls []polled // the oldest is one that had begun a delay before the last, if there is any
}

// polled is what a poll had seen when it ended.
type polled struct {
	began time.Time
	high  Stamp
}

// add notes a poll. What becomes visible until the next one was late, if it was, since a moment before this one began.
func (l *lookback) add(began time.Time, high Stamp) {
	l.polls = append(l.polls, polled{began, high})
	n := 0
	for n+1 < len(l.polls) && !began.Add(-l.delay).Before(l.polls[n+1].began) {
		n++
	}
	l.polls = l.polls[n:]
}

// since returns what the next poll reads from on; nothing while there was no poll long enough ago.
func (l *lookback) since() (since Stamp, known bool) {
	n := len(l.polls)
	if n == 0 || l.polls[n-1].began.Add(-l.delay).Before(l.polls[0].began) {
		return Stamp{}, false
	}
	return l.polls[0].high, true
}
