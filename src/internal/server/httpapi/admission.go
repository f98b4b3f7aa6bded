package httpapi

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/flowcontrol"
)

// A request holds seats while it is worked on: from when its body is there to the first byte of its answer, so that
// neither a slow sender nor a slow reader holds any, and a watch none at all. Who gets seats next is decided by package
// flowcontrol, fairly between principals.
const (
	// seatBytes is how much of a body takes a seat more.
	seatBytes = 256 << 10
	// seatTime is how long the work of a read may be expected to last for each of its seats. Reads need the processor,
	// which writes do not need while they wait for the disk.
	seatTime = 250 * time.Microsecond
	// hardTime is from when on a read is expected to last so long that it goes to the level of hard work.
	hardTime = 20 * time.Millisecond
	// bytesPerSeat is how much memory there should be for each seat.
	bytesPerSeat = 4 << 20
)

// DefaultConcurrency is how many seats a process has by default that may take so many bytes of memory.
func DefaultConcurrency(memory int64) int {
	seats := min(1024, 64*runtime.GOMAXPROCS(0))
	return int(max(16, min(int64(seats), memory/bytesPerSeat)))
}

// memoryLimit is how much memory Go takes, as GOMEMLIMIT says.
func memoryLimit() int64 { return debug.SetMemoryLimit(-1) }

// widest is how many seats one request takes at most: there is room for a few such requests for each processor.
func (l Limits) widest() int { return max(1, l.Concurrency/(4*runtime.GOMAXPROCS(0))) }

// levels makes that of ordinary requests, and that of hard ones if there is none.
func (l Limits) levels(hard *flowcontrol.Level) (ordinary, other *flowcontrol.Level) {
	ordinary = flowcontrol.NewLevel(flowcontrol.Options{Seats: l.Concurrency, Reserve: l.Concurrency / 4, QueueLength: l.QueueLength, Wait: l.QueueWait})
	if hard == nil {
		hard = HardLevel(l.QueueLength, l.QueueWait)
	}
	return ordinary, hard
}

// HardLevel returns a level for work that keeps a processor busy for long: it gets half of the processors, and what has
// begun is bounded, since it holds memory. Zero values mean the defaults of Limits.
func HardLevel(queueLength int, wait time.Duration) *flowcontrol.Level {
	l := Limits{QueueLength: queueLength, QueueWait: wait}.withDefaults()
	const begun = 32
	return flowcontrol.NewLevel(flowcontrol.Options{Seats: max(1, runtime.GOMAXPROCS(0)/2), QueueLength: max(1, l.QueueLength/10), Wait: l.QueueWait,
		Begun: begun, BegunEach: begun / 4})
}

// queue waits for the seats of the request, unless its body is to be read first, which then calls occupy.
func (x *requestContext) queue() error {
	if body := x.r.Body; body != nil && body != http.NoBody && x.method.readsBody(x.r.Method) {
		if x.api.ordinary.Full(x.flow) { // the request would be refused after its body is read
			return x.refuse(&flowcontrol.Refusal{Reason: flowcontrol.QueueFull, Queue: x.api.limits.QueueLength})
		}
		return nil
	}
	return x.occupy(0)
}

// readsBody reports whether the method has a use for a body.
func (m *method) readsBody(verb string) bool {
	if m.endpoint != nil {
		return m.endpoint.Body != nil
	}
	return !m.noBody && (verb == http.MethodPost || verb == http.MethodPut || verb == http.MethodPatch)
}

// occupy waits for the seats of a request with a body of this many bytes. If it holds some it does nothing.
func (x *requestContext) occupy(body int) error {
	if x.exempt || x.seat.Held() {
		return nil
	}
	x.classify()
	x.level = x.api.ordinary
	request := flowcontrol.Request{Flow: x.flow, Route: x.class, Width: 1 + body/seatBytes}
	switch {
	case x.method.endpoint != nil && x.method.endpoint.isHard(x), x.makesStatus(), x.method.whole:
		x.level, request.Width = x.api.hard, 1
	case x.long:
		cost := x.api.ordinary.Cost(x.flow, x.class)
		if request.Width += int(cost / seatTime); cost >= hardTime {
			x.level, request.Width = x.api.hard, 1
		}
	}
	request.Width = min(request.Width, x.api.limits.widest())
	return x.refuse(x.level.Enter(x.ctx, &x.seat, request))
}

// classify says which requests cost the same as this one, and whether it may take long by computing.
func (x *requestContext) classify() {
	x.class, x.long = x.method.name, x.method.long
	switch query := x.r.URL.RawQuery; {
	case query == "":
	case x.r.Method == http.MethodDelete && strings.Contains(query, "cascade=plan"):
		x.class, x.long = x.class+"?cascade=plan", true
	case x.r.Method == http.MethodGet && strings.Contains(query, "view="):
		x.class, x.long = x.class+"?view", true
	}
}

// resume waits for a seat for the next part of an answer that has begun.
func (x *requestContext) resume() error {
	if x.exempt || x.seat.Held() {
		return nil
	}
	return x.refuse(x.level.Enter(x.ctx, &x.seat, flowcontrol.Request{Flow: x.flow, Route: x.class, Unbounded: true}))
}

// leave gives the seats of the request back.
func (x *requestContext) leave() {
	if !x.seat.Held() {
		return
	}
	x.seat.Leave()
	if x.level == x.api.hard && x.long {
		x.api.ordinary.Learn(x.flow, x.class, x.seat.Used())
	}
}

// pause lets other requests go first that were served less; see Request.Pause.
func (x *requestContext) pause() (time.Duration, error) {
	waited, err := x.seat.Yield(x.ctx)
	if err != nil {
		return 0, dovetail.AsError(err)
	}
	return waited, nil
}

// refuse turns the error of a level into that of the request.
func (x *requestContext) refuse(err error) error {
	if err == nil {
		return nil
	}
	var refusal *flowcontrol.Refusal
	switch {
	case !errors.As(err, &refusal):
		return dovetail.AsError(err)
	case refusal.Reason == flowcontrol.QueueFull:
		return &dovetail.Error{Code: dovetail.CodeRateLimited, Message: fmt.Sprintf("%s has %d requests waiting, which is the limit", x.flow.Name, refusal.Queue),
			Remedy: "wait for the duration in Retry-After, and send fewer at the same time", Err: err}
	}
	x.w.Header().Set("Retry-After", fmt.Sprint(max(1, math.Ceil(refusal.Waited.Seconds()/2))))
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: fmt.Sprintf("the server is busy: the request waited %s in the queue", refusal.Waited),
		Remedy: "try again after the duration in Retry-After", Err: err}
}

// observeLevels shows what levels do. Their labels name no principals.
func observeLevels(registry *prometheus.Registry, levels map[string]*flowcontrol.Level) {
	for name, level := range levels {
		labels := prometheus.Labels{"level": name}
		gauge := func(name, help string, of func(flowcontrol.Stats) int) {
			registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels},
				func() float64 { return float64(of(level.Stats())) }))
		}
		gauge("dovetail_flowcontrol_seats", "Seats for requests that are being worked on, by level.", func(s flowcontrol.Stats) int { return s.Seats })
		gauge("dovetail_flowcontrol_seats_used", "Seats that are taken, by level.", func(s flowcontrol.Stats) int { return s.Taken })
		gauge("dovetail_flowcontrol_waiting", "Requests that wait for seats, by level.", func(s flowcontrol.Stats) int { return s.Waiting })
		for _, reason := range []flowcontrol.Reason{flowcontrol.QueueFull, flowcontrol.TooLong} {
			registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "dovetail_flowcontrol_rejected_total",
				Help: "Requests that got no seat, by level and reason.", ConstLabels: prometheus.Labels{"level": name, "reason": string(reason)}},
				func() float64 { return float64(level.Stats().Refused[reason]) }))
		}
	}
}
