package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// firstSecond is that of the first stamps.
const firstSecond = 1000

func (s *Server) tick() protocol.Stamp {
	s.clock++
	first := uint32(firstSecond)
	switch {
	case s.now != nil:
		first = uint32(s.now().Unix())
	case s.over:
		first = uint32(timeLimit.Unix())
	}
	return protocol.Stamp{Seconds: first + s.passed + s.clock/1000, Count: s.clock % 1000}
}

// longestWrite is how many seconds pass at most from when a write takes its stamp, or is compared with the time, until it is visible.
const longestWrite = 2

// pass has seconds pass.
func (p *process) pass(seconds uint32) {
	s := p.run.server
	_ = p.Step(Step{
		Text:    func() string { return fmt.Sprintf("%d s pass", seconds) },
		Learned: func() uint64 { return 0 },
		Blocked: func() bool {
			for _, began := range s.underway {
				if s.passed+seconds-began > longestWrite {
					return true
				}
			}
			return false
		},
	}, func() { s.passed += seconds })
}

// localClock is the time of a process, whose clock runs as fast as that of the server.
func (p *process) localClock() time.Time {
	if p.run.scenario.Window == 0 {
		return time.Time{}
	}
	p.learned = mix(p.learned, uint64(p.run.server.passed))
	return time.Unix(0, 0).Add(time.Duration(p.run.server.passed) * time.Second)
}

// compare compares the time with that of a change as a step of its own, where time passes, and returns the change as the server then makes it. A
// request that arrives later than a write takes is compared then.
func (c *Client) compare(ctx context.Context, change protocol.Change) (made func() protocol.Change, err error) {
	made = func() protocol.Change { return change }
	if change.Before.IsZero() || c.server.underway == nil {
		return made, nil
	}
	compared := change
	var began uint32
	err = c.step(ctx, false, func() string { return "look at the time" }, func() {
		began = c.server.passed
		c.server.underway[c] = began
		if compared.Before = (time.Time{}); c.server.isLate(change.Before) {
			compared.Before = time.Unix(1, 0)
		}
		c.server.learn(mix(sumBool(compared.Before.IsZero()), uint64(began)))
	})
	return func() protocol.Change {
		if c.server.passed-began > longestWrite {
			return change
		}
		return compared
	}, err
}

// stamp takes the stamp of a write that commits as a step of its own, where writes become visible late; else nil.
func (c *Client) stamp(ctx context.Context, commits bool) (at *protocol.Stamp, err error) {
	if !commits || !c.server.late {
		return nil, nil
	}
	err = c.step(ctx, false, func() string { return "take a stamp" }, func() {
		now := c.server.tick()
		at = &now
		c.server.learn(sumStamp(now))
		if c.server.underway != nil {
			c.server.underway[c] = c.server.passed
		}
	})
	return at, err
}

// stampOf is the stamp that was taken before, or that of now, also of a request that arrives later than a write takes.
func (s *Server) stampOf(taken *protocol.Stamp) protocol.Stamp {
	if taken != nil && (s.underway == nil || s.time().Unix()-int64(taken.Seconds) <= longestWrite) {
		return *taken
	}
	return s.tick()
}

// timeLimit is the moment before which transactions of scenarios must commit that have one.
var timeLimit = time.Unix(2*firstSecond, 0)

// time is what the clock shows that Change.Before is compared with.
func (s *Server) time() time.Time {
	switch {
	case s.now != nil:
		return s.now()
	case s.over:
		return timeLimit
	}
	return time.Unix(firstSecond+int64(s.passed), 0)
}

func (s *Server) isLate(before time.Time) bool { return !before.IsZero() && !s.time().Before(before) }

// Time implements protocol.Server.
func (c *Client) Time(ctx context.Context) (now time.Time, err error) {
	err = c.step(ctx, false, func() string { return "read the time" }, func() {
		now = c.server.time()
		c.server.learn(mix(sumBool(c.server.over), uint64(c.server.passed)))
	})
	return now, err
}

// lastPolls is how many polls follow once all other processes have ended, and whenOverdue after how many seconds: then what they have left is to be
// decided.
const (
	lastPolls   = 2
	whenOverdue = 3
)

// awaitPoll has a poll follow as a step of its own, where time passes, and some at the end.
func (p *process) awaitPoll() func(ctx context.Context, least, most time.Duration) error {
	return func(context.Context, time.Duration, time.Duration) error {
		wait := Step{Text: func() string { return "wait for the next poll" }, Learned: func() uint64 { return 0 }}
		switch {
		case p.polls.allowed > 0:
			p.polls.allowed--
			return p.Step(wait, func() {})
		case p.polls.last < lastPolls:
			p.polls.last++
			wait.Blocked = func() bool {
				return len(p.run.late) > 0 || slices.ContainsFunc(p.run.processes, func(other *process) bool { return other != p && other.alive })
			}
			return p.Step(wait, func() { p.run.server.passed += whenOverdue })
		}
		return errEnough
	}
}

// hasFollowed reports whether the process has got what there was when all others had ended.
func (p *process) hasFollowed() bool {
	return p.feed != nil && p.ended && !p.polls.failed && len(p.run.late) == 0
}

// undecided says what stays though those who follow the changes have polled long after all others have ended: a creation whose process has died after
// its answer would not be shown.
func (r *run) undecided() string {
	followed := slices.ContainsFunc(r.processes, (*process).hasFollowed)
	if r.scenario.Window == 0 || !followed {
		return ""
	}
	for _, record := range r.server.records {
		if record.Intent != nil && record.Intent.Implicit {
			return "though the changes were read there is still " + describe(record)
		}
	}
	return ""
}
