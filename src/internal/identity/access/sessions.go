package access

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

const (
	maxSessions = 10000          // without open streams that are kept
	maxUnused   = 24 * time.Hour // after which one without open streams is deleted
	renewEvery  = 5 * time.Second
	renewWithin = time.Minute // an open stream ends when nothing vouched for its identity for so long
)

// Sessions are the uses of tokens and certificates: who used the server lately, and the streams that are open. It ends
// streams whose identity holds no longer. It is safe for concurrent use.
type Sessions struct {
	authenticator *Authenticator

	mu    sync.RWMutex
	known map[SessionID]*session
	ended map[SessionID]time.Time // those that are refused, until when; the zero value is for good
	swept time.Time
}

type session struct {
	identity atomic.Pointer[Identity] // of the last request
	since    time.Time
	used     atomic.Int64           // the time of the last request, in nanoseconds
	address  atomic.Pointer[string] // of the last request
	streams  map[*stream]bool
}

// stream is an answer that lasts.
type stream struct {
	identity *Identity
	end      context.CancelCauseFunc
	renewed  time.Time // when others vouched for the identity last
	renewing bool
}

// NewSessions returns sessions of what the authenticator accepts.
func NewSessions(authenticator *Authenticator) *Sessions {
	return &Sessions{authenticator: authenticator, known: make(map[SessionID]*session), ended: make(map[SessionID]time.Time)}
}

// Request is one that was authenticated.
type Request struct {
	*Identity
	sessions *Sessions
	session  *session
}

// Use notes a request of an identity from an address. It is refused, CodeUnauthenticated, when the session was ended.
func (s *Sessions) Use(who *Identity, address string) (*Request, error) {
	id, now := who.Digest.Session(), s.authenticator.Now()
	s.mu.RLock()
	_, ended := s.ended[id]
	found := s.known[id]
	s.mu.RUnlock()
	if ended {
		return nil, errEnded()
	}
	if found == nil {
		found = s.begin(id, now)
	}
	found.identity.Store(who)
	found.used.Store(now.UnixNano())
	if last := found.address.Load(); last == nil || *last != address {
		kept := address // so that only this case allocates
		found.address.Store(&kept)
	}
	return &Request{Identity: who, sessions: s, session: found}, nil
}

func errEnded() *dovetail.Error {
	return unauthenticated("the session was ended", "authenticate again, with a new token or certificate")
}

// begin makes a session, and room for it.
func (s *Sessions) begin(id SessionID, now time.Time) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.known[id]; found != nil {
		return found
	}
	if len(s.known) >= maxSessions {
		s.forget()
	}
	made := &session{since: now, streams: make(map[*stream]bool)}
	made.used.Store(now.UnixNano())
	s.known[id] = made
	return made
}

// forget removes the tenth of the sessions without streams that is unused for longest.
func (s *Sessions) forget() {
	type idle struct {
		id   SessionID
		used int64
	}
	var all []idle
	for id, one := range s.known {
		if len(one.streams) == 0 {
			all = append(all, idle{id, one.used.Load()})
		}
	}
	slices.SortFunc(all, func(a, b idle) int { return cmp.Compare(a.used, b.used) })
	for _, one := range all[:min(len(all), maxSessions/10)] {
		delete(s.known, one.id)
	}
}

// Stream returns a context for an answer that lasts. It ends when the identity of the request holds no longer: when the
// token left the access policy file, expired or changed, or the session was ended. Its cause is then a *dovetail.Error. done must be
// called when the answer has ended.
func (r *Request) Stream(ctx context.Context) (streaming context.Context, done func()) {
	s := r.sessions
	streaming, end := context.WithCancelCause(ctx)
	id, own := r.Digest.Session(), &stream{identity: r.Identity, end: end, renewed: s.authenticator.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	// What changed since the request was authenticated is seen now, and what changes from here on by Recheck.
	if _, ended := s.ended[id]; ended {
		end(errEnded())
	} else if err := s.authenticator.Valid(r.Identity); err != nil {
		end(err)
	}
	if s.known[id] == nil { // deleted while the request was served
		s.known[id] = r.session
	}
	home := s.known[id]
	home.streams[own] = true
	return streaming, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(home.streams, own)
		end(nil)
	}
}

// Recheck ends the open streams whose identity holds no longer. Call it when the access policy or the CA certificates of
// clients changed, and a few times a second besides, for what expires. It waits for no other system.
func (s *Sessions) Recheck(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.authenticator.Now()
	for _, one := range s.known {
		for stream := range one.streams {
			if err := s.authenticator.Valid(stream.identity); err != nil {
				stream.end(err)
				continue
			}
			s.renew(ctx, stream, now)
		}
	}
	if now.Sub(s.swept) < time.Minute {
		return
	}
	s.swept = now
	for id, one := range s.known {
		if len(one.streams) == 0 && now.Sub(time.Unix(0, one.used.Load())) > maxUnused {
			delete(s.known, id)
		}
	}
	for id, until := range s.ended {
		if !until.IsZero() && now.After(until) {
			delete(s.ended, id)
		}
	}
}

// renew asks others again, without waiting, whether the identity of a stream holds.
func (s *Sessions) renew(ctx context.Context, one *stream, now time.Time) {
	if !one.identity.Renews() || one.renewing || now.Sub(one.renewed) < renewEvery {
		return
	}
	if now.Sub(one.renewed) >= renewWithin {
		one.end(&dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the token could not be checked again", Remedy: "connect again"})
		return
	}
	one.renewing = true
	go func() {
		err := s.authenticator.Renew(ctx, one.identity)
		s.mu.Lock()
		defer s.mu.Unlock()
		one.renewing = false
		switch dovetail.CodeOf(err) {
		case "":
			one.renewed = now
		case dovetail.CodeUnauthenticated:
			one.end(err)
		}
	}()
}

// SetEnded replaces the sessions that were ended, with the time until which each is refused, the zero value for good.
// Their streams end.
func (s *Sessions) SetEnded(ended map[SessionID]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = ended
	for id := range ended {
		if one := s.known[id]; one != nil {
			for stream := range one.streams {
				stream.end(errEnded())
			}
			delete(s.known, id)
		}
	}
}

// Find returns the identity that last used a session, nil where that is not known here.
func (s *Sessions) Find(id SessionID) *Identity {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if one := s.known[id]; one != nil {
		return one.identity.Load()
	}
	return nil
}

// List returns the sessions of a principal, "" for all, in the order of principals and beginnings.
func (s *Sessions) List(principal string) []dovetail.Session {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := []dovetail.Session{}
	for id, one := range s.known {
		who := one.identity.Load()
		if who == nil || principal != "" && who.Principal.Name != principal {
			continue
		}
		view := dovetail.Session{ID: id.String(), Principal: who.Principal.Name, Groups: who.Principal.Groups, Authenticated: string(who.Method),
			Since: one.since.UTC(), LastUsed: time.Unix(0, one.used.Load()).UTC(), Streams: len(one.streams), Expires: who.Expires.UTC()}
		if who.Expires.IsZero() {
			view.Expires = time.Time{}
		}
		if address := one.address.Load(); address != nil {
			view.Address = *address
		}
		all = append(all, view)
	}
	slices.SortFunc(all, func(a, b dovetail.Session) int {
		return cmp.Or(cmp.Compare(a.Principal, b.Principal), a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	return all
}
