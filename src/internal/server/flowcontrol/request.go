package flowcontrol

import "time"

// Flow is whose requests share one queue: a principal, or an address if there is none.
type Flow struct {
	Anonymous bool // Name is an address
	Name      string
}

// Request is what asks for seats.
type Request struct {
	Flow  Flow
	Route string // requests of one flow and route are taken to cost the same
	// Width is how many seats it takes, at least 1.
	Width int
	// Weight divides the share of the flow: one of weight 4 gets a quarter of what others get. Default 1.
	Weight int
	// Unbounded requests wait as long as their context lets them, and are not refused for the length of the queue:
	// those that were admitted before, and the work of the process itself.
	Unbounded bool
}

// Seat is the place of one request. The zero value holds none. It is not for concurrent use.
type Seat struct {
	level    *Level // nil while it holds none
	flow     *flow
	route    string
	width    int
	weight   int
	estimate time.Duration // charged in advance for the present slice
	used     time.Duration // in the slices before
	since    time.Time     // the present slice began
	paused   bool          // it gave its seats back after a slice

	// The rest only while it waits.
	order   time.Time // see ticketHeap
	number  uint64    // of arrival
	index   int       // in the queue of its flow; -1 when it is not in it
	started chan struct{}
}
