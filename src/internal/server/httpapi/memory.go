package httpapi

import (
	"fmt"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// memory counts what the bodies of the requests that are being served take, as text and as parsed values, against a bound
// for all of them and one for each principal. What is refused counts at no time, so that it takes nothing from requests
// that there is room for.
type memory struct {
	what  string // takes the memory
	fewer string // what to do about it
	limit int64
	share int64 // of one principal

	mutex sync.Mutex
	total int64
	users map[string]int64
}

func newMemory(limit int64) *memory {
	return &memory{what: "the body and what is made of it", fewer: "split it", limit: limit, share: shareOf(limit), users: make(map[string]int64)}
}

// newReadMemory counts what the documents take that requests read, and their answers until they have been taken by the clients:
// memory of its own, so that slow readers are not in the way of writes.
func newReadMemory(limit int64) *memory {
	m := newMemory(limit)
	m.what, m.fewer = "what the request reads, and its answer,", "ask for less: a page with a smaller limit, or one document after the other"
	return m
}

// smallRequest is up to how many bytes a request is accepted however much others hold: several principals together can
// hold all of the memory.
const smallRequest = 16 << 10

// shareOf is how much of the memory for bodies one principal can have: the others find a quarter of it free.
func shareOf(limit int64) int64 { return limit / 4 * 3 }

// hold counts bytes of a user's request that has so many already, if there is room for them. Without a user, only the
// bound for all counts.
func (m *memory) hold(user string, have, n int64) *dovetail.Error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	switch {
	case n <= 0:
	case have+n > m.limit, user != "" && have+n > m.share:
		return &dovetail.Error{Code: dovetail.CodeTooLarge,
			Message: fmt.Sprintf("%s take more than the %d bytes of memory that are allowed", m.what, m.shareFor(user)),
			Remedy:  m.fewer + ", or ask for a higher --max-bodies"}
	case user != "" && m.users[user]+n > m.share:
		return &dovetail.Error{Code: dovetail.CodeRateLimited, Message: user + " has reached its limit of memory for concurrent requests",
			Remedy: "wait for the duration in Retry-After, and send one request after the other"}
	case m.total+n > m.limit && have+n > smallRequest:
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the memory for concurrent requests is used up", Remedy: "try again"}
	}
	m.total += n
	if user == "" {
		return nil
	}
	if m.users[user] += n; m.users[user] <= 0 {
		delete(m.users, user)
	}
	return nil
}

func (m *memory) shareFor(user string) int64 {
	if user == "" {
		return m.limit
	}
	return m.share
}

// take counts bytes, whether there is room for them or not.
func (m *memory) take(user string, n int64) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.total += n
	if user == "" {
		return
	}
	if m.users[user] += n; m.users[user] <= 0 {
		delete(m.users, user)
	}
}

// hold counts bytes of memory for the request, until it has been served.
func (x *requestContext) hold(n int64) error {
	user := ""
	if x.principal != nil {
		user = x.principal.Name
	}
	if err := x.api.memory.hold(user, x.memory, n); err != nil {
		return err
	}
	x.memory += n
	return nil
}

// charge counts parsed values, and ends the work on a request that has ended.
func (x *requestContext) charge(values int) error {
	if err := x.ctx.Err(); err != nil {
		return dovetail.AsError(err)
	}
	return x.hold(int64(values) * value.Cost)
}

// parsing are the limits of a parser of what the request sends.
func (x *requestContext) parsing(bytes int64) value.Limits {
	limits := x.api.limits.values(bytes)
	limits.Charge = x.charge
	return limits
}
