package flowcontrol

import (
	"context"
	"sync"
	"time"
)

// Options say how much a level lets through. Zero fields mean their defaults.
type Options struct {
	Seats       int           // default 1
	QueueLength int           // requests of one flow that may wait; default 100
	Wait        time.Duration // for how long; default 10 s
	Slice       time.Duration // after which Yield lets others go first; default 20 ms
	// Reserve is how many of the seats only flows get that have none, so that no flow can take all of them.
	Reserve int
	// Begun is how many requests may have begun, those that wait again after a slice included, which hold memory, and
	// BegunEach how many of one flow. Default any number.
	Begun, BegunEach int
	Flows            int              // that are distinguished, default 10000; more of them at the same time share one queue
	Now              func() time.Time // default time.Now
}

// Level is a bounded number of seats with a queue for each flow. It is safe for concurrent use. A nil Level lets
// everything through.
type Level struct {
	options Options

	mu       sync.Mutex
	schedule *schedule
	refused  map[Reason]uint64
}

// NewLevel returns a level.
func NewLevel(o Options) *Level {
	o.Seats = max(1, o.Seats)
	if o.QueueLength <= 0 {
		o.QueueLength = 100
	}
	if o.Wait <= 0 {
		o.Wait = 10 * time.Second
	}
	if o.Slice <= 0 {
		o.Slice = 20 * time.Millisecond
	}
	if o.Flows <= 0 {
		o.Flows = 10000
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Reserve = max(0, min(o.Reserve, o.Seats-1))
	l := &Level{options: o, schedule: newSchedule(o.Seats, o.Reserve, o.QueueLength, o.Flows), refused: make(map[Reason]uint64)}
	if o.Begun > 0 {
		l.schedule.inside = o.Begun
	}
	if o.BegunEach > 0 {
		l.schedule.each = o.BegunEach
	}
	return l
}

// Reason is why a request is refused.
type Reason string

// The reasons.
const (
	QueueFull Reason = "queue-full" // as many of its flow wait as may
	TooLong   Reason = "too-long"   // it waited as long as it may
)

// Refusal is the error of a request that gets no seat.
type Refusal struct {
	Reason Reason
	Queue  int           // how many of its flow may wait
	Waited time.Duration // with TooLong
}

// Error gives the reason.
func (r *Refusal) Error() string { return "no seat: " + string(r.Reason) }

// Enter waits until the request has its seats, which Leave gives back. Its errors are *Refusal and those of an ended
// context; the seat holds nothing then.
func (l *Level) Enter(ctx context.Context, seat *Seat, request Request) error {
	if l == nil {
		return nil
	}
	*seat = Seat{route: request.Route, width: max(1, min(request.Width, l.options.Seats)), weight: max(1, request.Weight), index: -1}
	l.mu.Lock()
	started, full := l.schedule.arrive(seat, request.Flow, !request.Unbounded, l.options.Now())
	if full {
		l.refused[QueueFull]++
		l.mu.Unlock()
		return &Refusal{Reason: QueueFull, Queue: l.options.QueueLength}
	}
	if started {
		seat.level = l
		l.mu.Unlock()
		return nil
	}
	seat.started = make(chan struct{})
	l.mu.Unlock()
	return l.await(ctx, seat, !request.Unbounded)
}

// await waits for a seat that is queued.
func (l *Level) await(ctx context.Context, seat *Seat, bounded bool) error {
	var over <-chan time.Time
	if bounded {
		timer := time.NewTimer(l.options.Wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-seat.started:
		seat.level = l
		return nil
	case <-ctx.Done():
	case <-over:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if seat.index < 0 { // it was started at the same time
		seat.level = l
		return nil
	}
	l.schedule.leaveQueue(seat)
	l.schedule.dispatch(l.options.Now(), nil) // one that had begun makes room for another to begin
	if err := ctx.Err(); err != nil {
		return err
	}
	l.refused[TooLong]++
	return &Refusal{Reason: TooLong, Queue: l.options.QueueLength, Waited: l.options.Wait}
}

// Held reports whether the seat is held.
func (s *Seat) Held() bool { return s.level != nil }

// Leave gives the seats back. On a seat that holds none it does nothing.
func (s *Seat) Leave() {
	l := s.level
	if l == nil {
		return
	}
	s.level = nil
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.options.Now()
	l.schedule.end(s, now, true)
	if l.schedule.queued > 0 {
		l.schedule.dispatch(now, nil)
	}
}

// Yield lets requests go first that were served less, once a slice of time is over, and returns how long that took. Call
// it often: before that it costs no more than reading the clock. Its error is that of the context; the seat holds
// nothing then.
func (s *Seat) Yield(ctx context.Context) (waited time.Duration, err error) {
	l := s.level
	if l == nil {
		return 0, nil
	}
	now := l.options.Now()
	if now.Sub(s.since) < l.options.Slice {
		return 0, nil
	}
	l.mu.Lock()
	l.schedule.end(s, now, false)
	s.order = now
	s.started = make(chan struct{})
	l.schedule.enqueue(s)
	if l.schedule.dispatch(now, s) {
		l.mu.Unlock()
		return 0, nil
	}
	s.level = nil
	l.mu.Unlock()
	if err := l.await(ctx, s, false); err != nil {
		return 0, err
	}
	return l.options.Now().Sub(now), nil
}

// Full reports whether one more request of the flow would be refused now.
func (l *Level) Full(flow Flow) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.schedule.queued == 0 {
		return false
	}
	f := l.schedule.flows[flow]
	if f == nil {
		f = l.schedule.others
	}
	if len(f.queue) < l.options.QueueLength {
		return false
	}
	l.refused[QueueFull]++
	return true
}

// Cost is how long requests of the flow and route take, 0 where that is not known.
func (l *Level) Cost(flow Flow, route string) time.Duration {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.schedule.flows[flow]; f != nil {
		return f.costs[route]
	}
	return l.schedule.others.costs[route]
}

// Learn tells what a request took that another level served.
func (l *Level) Learn(flow Flow, route string, took time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.schedule.find(flow, l.options.Now()).learn(route, took)
}

// Used is how long the request was served, until it left.
func (s *Seat) Used() time.Duration { return s.used }

// Stats are what a level does now, and what it refused so far.
type Stats struct {
	Seats, Taken, Waiting int
	Refused               map[Reason]uint64
}

// Stats returns them.
func (l *Level) Stats() Stats {
	if l == nil {
		return Stats{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	refused := make(map[Reason]uint64, 2)
	for _, reason := range []Reason{QueueFull, TooLong} {
		refused[reason] = l.refused[reason]
	}
	return Stats{Seats: l.options.Seats, Taken: l.schedule.taken, Waiting: l.schedule.queued, Refused: refused}
}
