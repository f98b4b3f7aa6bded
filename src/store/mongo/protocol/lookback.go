package protocol

import "time"

// lookback determines how far back a poll for changes reads: to the latest timestamp that was seen a usual delay ago. It measures
// by the local clock, since the part of a timestamp below a second has no unit.
//
// Such polls only miss a change that becomes visible later than one with a later timestamp, by more than the delay. A poll of the
// whole visibility window finds it.
type lookback struct {
	delay time.Duration
	polls []polled // the first one began at least a delay before the last one, if any did
}

// polled is what a poll had seen when it ended.
type polled struct {
	began time.Time
	high  Stamp
}

// add adds a poll. The delay of what becomes visible before the next poll counts from the start of this one.
func (l *lookback) add(began time.Time, high Stamp) {
	l.polls = append(l.polls, polled{began, high})
	n := 0
	for n+1 < len(l.polls) && !began.Add(-l.delay).Before(l.polls[n+1].began) {
		n++
	}
	l.polls = l.polls[n:]
}

// since returns the timestamp from which the next poll reads, or false if no poll was long enough ago.
func (l *lookback) since() (since Stamp, known bool) {
	n := len(l.polls)
	if n == 0 || l.polls[n-1].began.Add(-l.delay).Before(l.polls[0].began) {
		return Stamp{}, false
	}
	return l.polls[0].high, true
}
