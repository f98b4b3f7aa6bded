package flowcontrol

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
)

// simulation runs a schedule with a clock of its own.
type simulation struct {
	t       rapid.TB
	s       *schedule
	now     time.Time
	running []*job
	jobs    map[*Seat]*job // that wait or run
	served  map[Flow]time.Duration
}

type job struct {
	seat *Seat
	flow Flow
	left time.Duration
}

func newSimulation(t rapid.TB, s *schedule) *simulation {
	return &simulation{t: t, s: s, now: time.Unix(0, 0), jobs: make(map[*Seat]*job), served: make(map[Flow]time.Duration)}
}

func flowOf(i int) Flow { return Flow{Name: fmt.Sprint("f", i)} }

// arrive sends a request that takes so long.
func (w *simulation) arrive(flow Flow, width, weight int, takes time.Duration) (full bool) {
	j := &job{seat: &Seat{route: "r", width: width, weight: weight, index: -1, started: make(chan struct{})}, flow: flow, left: takes}
	w.jobs[j.seat] = j
	started, full := w.s.arrive(j.seat, flow, true, w.now)
	switch {
	case full:
		delete(w.jobs, j.seat)
	case started:
		w.running = append(w.running, j)
	}
	w.collect()
	return full
}

// collect moves what was started to what runs.
func (w *simulation) collect() {
	for _, j := range w.jobs {
		select {
		case <-j.seat.started:
			w.running = append(w.running, j)
			j.seat.started = make(chan struct{})
		default:
		}
	}
	w.check()
}

// check is what holds at all times.
func (w *simulation) check() {
	taken, widest := 0, 1
	for _, j := range w.running {
		taken += j.seat.width
		widest = max(widest, j.seat.width)
	}
	if taken != w.s.taken || taken >= w.s.seats+widest {
		w.t.Fatalf("%d seats are taken, %d by the schedule, of %d", taken, w.s.taken, w.s.seats)
	}
	waiting, begun := 0, 0
	flows := maps.Clone(w.s.flows)
	flows[Flow{Name: "others"}] = w.s.others
	for name, f := range flows {
		if len(f.queue) > w.s.length {
			w.t.Fatalf("%d requests of %v wait", len(f.queue), name)
		}
		if f.begun > w.s.each {
			w.t.Fatalf("%d requests of %v have begun", f.begun, name)
		}
		begun += f.begun
		if waiting += len(f.queue) + len(f.paused); w.s.head(f) != nil && w.s.room(f) {
			w.t.Fatalf("%v waits with %d of %d seats taken, %d by itself", name, w.s.taken, w.s.seats, f.taken)
		}
	}
	if begun != w.s.begun || begun > w.s.inside {
		w.t.Fatalf("%d requests have begun, %d by the schedule", begun, w.s.begun)
	}
	if waiting != w.s.queued || len(w.jobs) != waiting+len(w.running) {
		w.t.Fatalf("%d wait, %d by the schedule, %d run of %d", waiting, w.s.queued, len(w.running), len(w.jobs))
	}
}

// advance lets time continue until the next request is served, and says whose it was.
func (w *simulation) advance() *job {
	next := w.running[0]
	for _, j := range w.running {
		if j.left < next.left {
			next = j
		}
	}
	step := next.left
	w.now = w.now.Add(step)
	kept := w.running[:0]
	for _, j := range w.running {
		j.left -= step
		w.served[j.flow] += step
		if j != next {
			kept = append(kept, j)
		}
	}
	w.running = kept
	delete(w.jobs, next.seat)
	w.s.end(next.seat, w.now, true)
	w.s.dispatch(w.now, nil)
	w.collect()
	return next
}

// TestShares: flows that always want more get the same time of service, whatever their requests cost, and however many
// they send at once.
func TestShares(t *testing.T) {
	rounds.Checks(t, 30, 100)
	rapid.Check(t, func(t *rapid.T) {
		seats := rapid.IntRange(1, 4).Draw(t, "seats")
		flows := rapid.IntRange(seats, 2*seats+4).Draw(t, "flows")
		w := newSimulation(t, newSchedule(seats, 0, 1000, 1000))
		most := time.Duration(0)
		cost := make(map[Flow]time.Duration)
		parallel := make(map[Flow]int)
		for i := range flows {
			f := flowOf(i)
			cost[f] = time.Duration(rapid.IntRange(1, 100).Draw(t, "cost")) * time.Millisecond
			parallel[f] = seats + 1 + rapid.IntRange(1, 4).Draw(t, "parallel") // so that some wait at all times
			most = max(most, cost[f])
		}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		takes := func(f Flow) time.Duration { return cost[f] * time.Duration(50+random.IntN(101)) / 100 }
		for i := range flows {
			for range parallel[flowOf(i)] {
				w.arrive(flowOf(i), 1, 1, takes(flowOf(i)))
			}
		}
		end := w.now.Add(50 * most * time.Duration(flows) / time.Duration(seats))
		for w.now.Before(end) {
			f := w.advance().flow
			w.arrive(f, 1, 1, takes(f))
		}
		share := end.Sub(time.Unix(0, 0)) * time.Duration(seats) / time.Duration(flows)
		slack := 3 * most * time.Duration(seats+1)
		for i := range flows {
			if got := w.served[flowOf(i)]; got < share-slack {
				t.Fatalf("%v got %v of service, its share is %v", flowOf(i), got, share)
			}
		}
	})
}

// TestSchedule: whatever comes and goes, no seat is left free while a request waits that may have it, no queue grows
// beyond its bound, and everything that is queued is served.
func TestSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seats := rapid.IntRange(1, 10).Draw(t, "seats")
		w := newSimulation(t, newSchedule(seats, rapid.IntRange(0, seats-1).Draw(t, "reserve"), 3, rapid.IntRange(1, 6).Draw(t, "flows")))
		w.s.inside, w.s.each = rapid.IntRange(1, 2*seats).Draw(t, "inside"), rapid.IntRange(1, seats).Draw(t, "each")
		t.Repeat(map[string]func(*rapid.T){
			"arrive": func(t *rapid.T) {
				f := flowOf(rapid.IntRange(0, 5).Draw(t, "flow"))
				w.arrive(f, rapid.IntRange(1, 3).Draw(t, "width"), rapid.IntRange(1, 4).Draw(t, "weight"), time.Duration(rapid.IntRange(1, 50).Draw(t, "takes"))*time.Millisecond)
			},
			"finish": func(t *rapid.T) {
				if len(w.running) == 0 {
					t.Skip("nothing runs")
				}
				w.advance()
			},
			"give up": func(t *rapid.T) {
				var last *Seat // of those that wait
				for seat := range w.jobs {
					if seat.index >= 0 && (last == nil || seat.number > last.number) {
						last = seat
					}
				}
				if last == nil {
					t.Skip("nothing waits")
				}
				w.s.leaveQueue(last)
				delete(w.jobs, last)
				w.s.dispatch(w.now, nil)
				w.collect()
			},
			"yield": func(t *rapid.T) {
				if len(w.running) == 0 {
					t.Skip("nothing runs")
				}
				j := w.running[0]
				w.running = w.running[1:]
				w.s.end(j.seat, w.now, false)
				j.seat.order = w.now
				w.s.enqueue(j.seat)
				if w.s.dispatch(w.now, j.seat) {
					w.running = append(w.running, j)
				}
				w.collect()
			},
			"": func(t *rapid.T) {},
		})
		for len(w.running) > 0 {
			w.advance()
		}
		if len(w.jobs) > 0 {
			t.Fatalf("%d requests starve", len(w.jobs))
		}
	})
}

// TestHog: one flow with sixteen long requests at once does not keep another one, which sends one short request after
// the other, from being next.
func TestHog(t *testing.T) {
	w := newSimulation(t, newSchedule(2, 0, 100, 100))
	hog, other := Flow{Name: "hog"}, Flow{Name: "other"}
	for range 16 {
		w.arrive(hog, 1, 1, time.Second)
	}
	for range 20 {
		w.arrive(other, 1, 1, time.Millisecond)
		came := w.now
		for w.advance().flow != other {
			w.arrive(hog, 1, 1, time.Second)
		}
		if waited := w.now.Sub(came); waited > time.Second+time.Millisecond {
			t.Fatalf("the short request took %v, more than what was being served", waited)
		}
	}
}

func TestReserve(t *testing.T) {
	w := newSimulation(t, newSchedule(4, 1, 100, 100))
	for range 10 {
		w.arrive(flowOf(0), 1, 1, time.Second)
	}
	if len(w.running) != 3 {
		t.Fatalf("one flow has %d of 4 seats, of which one is for others", len(w.running))
	}
	w.arrive(flowOf(1), 1, 1, time.Second)
	if len(w.running) != 4 || w.running[3].flow != flowOf(1) {
		t.Error("the flow without a seat did not get the one that is kept")
	}
}

// TestWeight: a flow of weight 4 gets a quarter of the time of another.
func TestWeight(t *testing.T) {
	w := newSimulation(t, newSchedule(1, 0, 100, 100))
	weights := map[Flow]int{flowOf(0): 1, flowOf(1): 4}
	for f, weight := range weights {
		for range 3 {
			w.arrive(f, 1, weight, 10*time.Millisecond)
		}
	}
	for range 1000 {
		f := w.advance().flow
		w.arrive(f, 1, weights[f], 10*time.Millisecond)
	}
	if ratio := float64(w.served[flowOf(0)]) / float64(w.served[flowOf(1)]); ratio < 3.8 || ratio > 4.2 {
		t.Errorf("the heavier one got 1/%.2f", ratio)
	}
}

// TestShortFirst: of one flow, short requests come before those that used a slice, which do not wait for ever.
func TestShortFirst(t *testing.T) {
	s := newSchedule(1, 0, 100, 100)
	now := time.Unix(0, 0)
	seat := func() *Seat {
		return &Seat{route: "r", width: 1, weight: 1, index: -1, started: make(chan struct{})}
	}
	running := func(t *Seat) bool {
		select {
		case <-t.started:
			return true
		default:
			return false
		}
	}
	hard, short := seat(), seat()
	s.arrive(hard, flowOf(0), true, now)
	now = now.Add(time.Second)
	s.arrive(short, flowOf(0), true, now)
	yield := func() bool {
		s.end(hard, now, false)
		hard.order = now
		s.enqueue(hard)
		return s.dispatch(now, hard)
	}
	if yield() || !running(short) {
		t.Fatal("the short request waits")
	}
	now = now.Add(2 * time.Second)
	late := seat()
	s.arrive(late, flowOf(0), true, now)
	s.end(short, now, true)
	s.dispatch(now, nil)
	if !running(hard) {
		t.Error("the hard request, which waited for longer than it was served, waits on")
	}
}

func TestForget(t *testing.T) {
	s := newSchedule(1, 0, 10, 2)
	now := time.Unix(100, 0)
	for i := range 10 {
		now = now.Add(2 * time.Second)
		seat := &Seat{width: 1, weight: 1, index: -1}
		s.arrive(seat, flowOf(i), true, now)
		if i > 1 && seat.flow == s.others {
			t.Errorf("flow %d shares a queue while others rest", i)
		}
		s.end(seat, now, true)
		if len(s.flows) > 2 {
			t.Fatalf("%d flows are known", len(s.flows))
		}
	}
}
