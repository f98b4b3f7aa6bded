package flowcontrol

import (
	"container/heap"
	"time"
)

// schedule decides which request is served next. Virtual time is time of service: a request starts at that of its flow,
// which goes on by what the request costs, and the waiting flow that is least far is next. A flow that rested starts at
// the virtual time of what is being served, so that rest gives no credit.
type schedule struct {
	seats   int // that may be taken
	reserve int // of those, seats that only flows without any seat get
	length  int // of the queue of one flow
	inside  int // requests that may have begun, all and of one flow: those that gave their seat back after a slice, too
	each    int
	most    int // flows that are distinguished

	taken   int
	begun   int           // see inside
	virtual time.Duration // at which the request started that started last
	flows   map[Flow]*flow
	others  *flow // shared by all flows beyond most
	waiting [4]flowHeap
	queued  int
	numbers uint64
	swept   time.Time
}

// flow is the state of one flow.
type flow struct {
	start  time.Duration            // virtual time at which its next request starts
	taken  int                      // seats
	begun  int                      // see schedule.inside
	queue  seatHeap                 // of those that have not begun
	paused seatHeap                 // of those that gave their seat back after a slice
	costs  map[string]time.Duration // by route
	number uint64                   // of the arrival that made it wait, for flows at the same virtual time
	in     int                      // which heap of schedule.waiting it is in
	index  int                      // in that heap; -1 when it is in none
}

// The heaps of schedule.waiting: flows with requests that have begun, and after those flows without, each time flows
// without any seat first. A flow that may not begin another request is in none.
const (
	taking = 1
	fresh  = 2
)

// maxRoutes bounds how many routes of one flow have a cost of their own. There are fewer, unless schemas are reloaded.
const maxRoutes = 512

func newSchedule(seats, reserve, length, most int) *schedule {
	const unbounded = 1 << 30
	return &schedule{seats: seats, reserve: reserve, length: length, inside: unbounded, each: unbounded, most: most,
		flows: make(map[Flow]*flow), others: newFlow()}
}

func newFlow() *flow { return &flow{index: -1} }

// find returns the state of a flow. Where there are too many, it deletes those without requests whose virtual time is
// over: they are in the same state as new ones.
func (s *schedule) find(name Flow, now time.Time) *flow {
	if f := s.flows[name]; f != nil {
		return f
	}
	const again = time.Second // a scan of all flows takes a while
	if len(s.flows) >= s.most && now.Sub(s.swept) >= again {
		s.swept = now
		for name, f := range s.flows {
			if f.taken == 0 && !f.waits() && f.start <= s.virtual {
				delete(s.flows, name)
			}
		}
	}
	if len(s.flows) >= s.most {
		return s.others
	}
	f := newFlow()
	s.flows[name] = f
	return f
}

// arrive starts the request at once, or queues it; full says that it can do neither.
func (s *schedule) arrive(t *Seat, name Flow, bounded bool, now time.Time) (started, full bool) {
	f := s.find(name, now)
	t.flow = f
	if s.queued == 0 && s.room(f) && s.mayBegin(f) { // the usual case
		s.catchUp(f)
		s.begin(t, now)
		return true, false
	}
	if bounded && len(f.queue) >= s.length {
		return false, true
	}
	t.order = now
	s.enqueue(t)
	return s.dispatch(now, t), false
}

// room reports whether a request of the flow may start.
func (s *schedule) room(f *flow) bool {
	if f.taken == 0 {
		return s.taken < s.seats
	}
	return s.taken < s.seats-s.reserve
}

// mayBegin reports whether a request of the flow may begin that has not.
func (s *schedule) mayBegin(f *flow) bool { return s.begun < s.inside && f.begun < s.each }

// waits reports whether requests of the flow wait.
func (f *flow) waits() bool { return len(f.queue) > 0 || len(f.paused) > 0 }

// head returns the request of the flow that is next, nil when none may start.
func (s *schedule) head(f *flow) *Seat {
	var best *Seat
	if len(f.paused) > 0 {
		best = f.paused[0]
	}
	if len(f.queue) > 0 && s.mayBegin(f) && (best == nil || earlier(f.queue[0], best)) {
		best = f.queue[0]
	}
	return best
}

func (s *schedule) catchUp(f *flow) {
	if !f.waits() {
		f.start = max(f.start, s.virtual)
	}
}

// begin takes seats. A request starts as soon as one is free, whatever its width, so that wide ones do not wait for long:
// what is taken may exceed the seats by less than one width.
func (s *schedule) begin(t *Seat, now time.Time) {
	f := t.flow
	if !t.paused {
		s.begun++
		f.begun++
	}
	s.virtual = max(s.virtual, f.start)
	t.estimate = max(0, f.costs[t.route]-t.used)
	t.since = now
	f.start += t.estimate * time.Duration(t.weight)
	f.taken += t.width
	s.taken += t.width
}

// end gives the seats back and charges for the slice what it took. done says that the request was served, so that all
// of its time tells what the next one costs.
func (s *schedule) end(t *Seat, now time.Time, done bool) {
	f := t.flow
	slice := max(0, now.Sub(t.since))
	t.used += slice
	f.start += (slice - t.estimate) * time.Duration(t.weight)
	f.taken -= t.width
	s.taken -= t.width
	if t.paused = !done; done {
		s.leave(t)
		f.learn(t.route, t.used)
	}
	s.place(f)
}

// leave notes that a request which had begun is over.
func (s *schedule) leave(t *Seat) {
	s.begun--
	t.flow.begun--
}

// learn moves the cost of a route towards what a request took: fast upwards, so that a flow whose requests become
// expensive does not profit from cheap ones before.
func (f *flow) learn(route string, took time.Duration) {
	cost, known := f.costs[route]
	switch {
	case !known && len(f.costs) >= maxRoutes:
		return
	case !known:
		if f.costs == nil {
			f.costs = make(map[string]time.Duration)
		}
		cost = took
	case took > cost:
		cost += (took - cost) / 2
	default:
		cost -= (cost - took) / 8
	}
	f.costs[route] = cost
}

func (s *schedule) enqueue(t *Seat) {
	s.catchUp(t.flow)
	s.numbers++
	t.number = s.numbers
	if !t.flow.waits() {
		t.flow.number = t.number
	}
	heap.Push(t.flow.queueOf(t), t)
	s.queued++
	s.place(t.flow)
}

func (f *flow) queueOf(t *Seat) *seatHeap {
	if t.paused {
		return &f.paused
	}
	return &f.queue
}

// leaveQueue takes away what no longer waits.
func (s *schedule) leaveQueue(t *Seat) {
	heap.Remove(t.flow.queueOf(t), t.index)
	s.queued--
	if t.paused {
		s.leave(t)
	}
	s.place(t.flow)
}

// place puts a flow where it belongs among those that wait, after its queue, its seats or its start has changed.
func (s *schedule) place(f *flow) {
	in := 0
	if f.taken > 0 {
		in += taking
	}
	if len(f.paused) == 0 {
		in += fresh
	}
	waits := len(f.paused) > 0 || len(f.queue) > 0 && f.begun < s.each
	if f.index >= 0 && (in != f.in || !waits) {
		heap.Remove(&s.waiting[f.in], f.index)
	}
	switch {
	case !waits:
	case f.index >= 0:
		heap.Fix(&s.waiting[f.in], f.index)
	default:
		f.in = in
		heap.Push(&s.waiting[in], f)
	}
}

// next returns the flow whose request starts next, nil when none may start.
func (s *schedule) next() *flow {
	var best *flow
	for in, waiting := range s.waiting {
		if in >= fresh && s.begun >= s.inside {
			break
		}
		if len(waiting) > 0 && s.room(waiting[0]) && (best == nil || before(waiting[0], best)) {
			best = waiting[0]
		}
	}
	return best
}

// dispatch starts the requests that may start, and reports whether own is one of them. It notifies the others by their
// channels.
func (s *schedule) dispatch(now time.Time, own *Seat) (started bool) {
	for f := s.next(); f != nil; f = s.next() {
		t := s.head(f)
		heap.Pop(f.queueOf(t))
		s.queued--
		s.begin(t, now)
		s.place(f)
		if t == own {
			started = true
		} else {
			close(t.started)
		}
	}
	return started
}

// before reports whether a flow is next rather than another.
func before(a, b *flow) bool {
	if a.start != b.start {
		return a.start < b.start
	}
	return a.number < b.number
}

// flowHeap has the flow that is next first.
type flowHeap []*flow

func (h flowHeap) Len() int           { return len(h) }
func (h flowHeap) Less(i, j int) bool { return before(h[i], h[j]) }

// Swap implements heap.Interface.
func (h flowHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *flowHeap) Push(x any) {
	f := x.(*flow)
	f.index = len(*h)
	*h = append(*h, f)
}

// Pop implements heap.Interface.
func (h *flowHeap) Pop() any {
	last := len(*h) - 1
	f := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	f.index = -1
	return f
}

// seatHeap is a queue of one flow, by the time of arrival plus the time used so far: short requests come before those
// that gave their seat back after a slice, but these do not wait for longer than what they used.
type seatHeap []*Seat

func (h seatHeap) Len() int { return len(h) }

// Less implements heap.Interface.
func (h seatHeap) Less(i, j int) bool { return earlier(h[i], h[j]) }

func earlier(s, t *Seat) bool {
	a, b := s.order.Add(s.used), t.order.Add(t.used)
	if !a.Equal(b) {
		return a.Before(b)
	}
	return s.number < t.number
}

// Swap implements heap.Interface.
func (h seatHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *seatHeap) Push(x any) {
	t := x.(*Seat)
	t.index = len(*h)
	*h = append(*h, t)
}

// Pop implements heap.Interface.
func (h *seatHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.index = -1
	return t
}
