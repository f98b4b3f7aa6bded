package httpapi

import (
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// refusalsAtOnce is how many seconds' worth of refusals are answered at once after a rest, and longestPace how long
// an answer waits at most.
const (
	refusalsAtOnce = 5
	longestPace    = time.Second
)

// pace delays the answer to a request that was refused for lack of a right, of a token or of a rate, when its sender
// gets many of them: such requests cost little each, and nothing but their number makes them an attack. It holds no
// seat, and a request whose body is held is not delayed, so that waiting costs no memory.
func (x *exchange) pace(err error) {
	switch dovetail.CodeOf(err) {
	case dovetail.CodeForbidden, dovetail.CodeUnauthenticated, dovetail.CodeRateLimited:
	default:
		return
	}
	if x.held > 0 || x.w.status != 0 {
		return
	}
	x.delay()
}

// delay waits as long as the sender of a request that is refused has to. A watch that begins at a place that there is not
// is refused by an event.
func (x *exchange) delay() {
	user := "address " + x.api.options.Proxies.Source(x.r)
	if x.principal != nil {
		user = "principal " + x.principal.Name
	}
	wait := x.api.refusals.Delay(user, longestPace)
	if wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.r.Context().Done(): // that of the work has ended already
	case <-x.api.done:
	}
}
