package httpapi

import (
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// refusalsAtOnce is how many seconds' worth of refusals are answered in one burst. longestPace is how long an answer
// waits at most, and longestUnprivileged how long a request of a principal without any rights does.
const (
	refusalsAtOnce      = 5
	longestPace         = time.Second
	longestUnprivileged = 5 * time.Second
)

// unprivileged is the one user whose rate all principals without any rights have.
const unprivileged = "principals without rights"

// paceUnprivileged delays, before any work, a request of a principal that has no right on any document: there is little that it
// may ask, so all such principals together get as many answers at once as one principal gets refusals.
func (x *requestContext) paceUnprivileged() {
	if x.api.refusals == nil || x.exempt || x.principal == nil || x.api.store.HasRights(x.ctx) {
		return
	}
	x.paced = true
	x.sleep(x.api.refusals.Delay(unprivileged, longestUnprivileged))
}

// pace delays the answer to a request that was refused for lack of a right, of a token or of a rate, when its sender
// gets many of them: such requests cost little each, and only their number makes them an attack. It holds no
// seat, and a request whose body is held is not delayed, so that waiting costs no memory.
func (x *requestContext) pace(err error) {
	switch dovetail.CodeOf(err) {
	case dovetail.CodeForbidden, dovetail.CodeUnauthenticated, dovetail.CodeRateLimited:
	default:
		return
	}
	if x.held > 0 || x.w.status != 0 || x.paced {
		return
	}
	x.delay()
}

// delay waits as long as the sender of a request that is refused has to. A watch that has begun is
// refused by an event.
func (x *requestContext) delay() {
	user := "address " + x.api.options.Proxies.Source(x.r)
	if x.principal != nil {
		user = "principal " + x.principal.Name
	}
	x.sleep(x.api.refusals.Delay(user, longestPace))
}

// sleep lasts so long, or until the request or the server ends.
func (x *requestContext) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.r.Context().Done(): // that of the work has ended already
	case <-x.api.done:
	}
}
