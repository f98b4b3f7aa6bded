package httpapi

import (
	"time"

	"github.com/dovetail-store/dovetail/src/value"
)

// Limits bound what one request may cost, and how many there may be. A zero field means its default.
type Limits struct {
	Body   int64 // bytes of a request body; default 16 MiB
	Batch  int64 // bytes of the body of a batch; default 64 MiB
	Action int64 // bytes of the body of an action, which is kept in the status; default 64 KiB
	Depth  int   // nesting of a body; default as value.Limits
	Values int   // values in a body; default as value.Limits, at most what Bodies has room for
	Header int   // bytes of a request's header; default 64 KiB
	// Bodies is how many bytes all bodies that are held at the same time may take, as text and as parsed values
	// (value.Cost); one principal may have three quarters of it. Default 512 MiB, at least Batch.
	Bodies int64

	// PerSecond is how many requests one principal may send in a second, in the long run, and Burst how many in
	// one burst; AtOnce is how many may be served at the same time, watches included. Where authentication is
	// disabled, an address is a principal, and so it is for requests with a token that is refused.
	// Default no bound, and for Burst PerSecond.
	PerSecond     float64
	Burst, AtOnce int
	// Watches is how many watches of one principal there may be at the same time, where authentication is enabled. Default no bound.
	Watches int

	// Concurrency is how many seats there are for requests that are being worked on: see admission.go. QueueLength is how
	// many requests of one principal may wait for seats, and QueueWait how long. Defaults: DefaultConcurrency, 1000, 10 s.
	Concurrency, QueueLength int
	QueueWait                time.Duration

	// Refusals is how many requests of one principal, or address, that are refused for lack of a right or a token are
	// answered at once in a second; answers to more of them are delayed by up to a second. 0 delays none.
	Refusals float64

	ReadHeader time.Duration // for the header of a request; default 10 s
	Read       time.Duration // for a whole request; default 60 s
	Idle       time.Duration // for an unused connection; default 2 min
	Request    time.Duration // for the work on a request, watches and whole lists aside; default 30 s
	Write      time.Duration // for one write of a stream, after which its reader is cut off; default 10 s
	Heartbeat  time.Duration // between heartbeats of a watch without changes; default 15 s
}

func (l Limits) withDefaults() Limits {
	defaultTo(&l.Body, 16<<20)
	defaultTo(&l.Batch, 64<<20)
	defaultTo(&l.Action, 64<<10)
	defaultTo(&l.Header, 64<<10)
	defaultTo(&l.Bodies, 512<<20)
	l.Bodies = max(l.Bodies, l.Batch)
	defaultTo(&l.Concurrency, DefaultConcurrency(memoryLimit()))
	defaultTo(&l.QueueLength, 1000)
	defaultTo(&l.QueueWait, 10*time.Second)
	defaultTo(&l.Values, int(min(value.DefaultValues, l.Bodies/value.Cost)))
	defaultTo(&l.ReadHeader, 10*time.Second)
	defaultTo(&l.Read, time.Minute)
	defaultTo(&l.Idle, 2*time.Minute)
	defaultTo(&l.Request, 30*time.Second)
	defaultTo(&l.Write, 10*time.Second)
	defaultTo(&l.Heartbeat, 15*time.Second)
	return l
}

func defaultTo[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// values gives the limits of a parser for an input of at most this many bytes.
func (l Limits) values(bytes int64) value.Limits {
	return value.Limits{Bytes: int(bytes), Depth: l.Depth, Values: l.Values}
}
