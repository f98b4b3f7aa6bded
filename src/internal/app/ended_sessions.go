package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/store"
)

// endedKind is the kind of the internal document with the sessions that were ended.
const endedKind = "_session"

// The document is read whole whenever it changes, so it is bounded: in all, and in what one principal may put into it who
// may only end its own sessions.
const (
	maxEnded    = 2000
	maxEndedOwn = 100
)

// ending is what is kept of a session that was ended.
type ending struct {
	Principal  string    `json:"principal,omitempty"` // whose it was; "" where the process that ended it did not know
	By         string    `json:"by"`
	At         time.Time `json:"at"`
	Until      time.Time `json:"until,omitzero"` // when the token expires; zero for never
	Everywhere bool      `json:"-"`              // ended by a principal that may end all
}

// endedSessions keeps the sessions that were ended in the database, for this process and all others on it.
type endedSessions struct {
	backend  store.Backend
	sessions *access.Sessions
	log      *slog.Logger
}

func newEndedSessions(backend store.Backend, sessions *access.Sessions, log *slog.Logger) *endedSessions {
	return &endedSessions{backend: backend, sessions: sessions, log: log}
}

func endedID() dovetail.ID { return dovetail.ID("").Child(endedKind, "ended") }

// load puts in force what the database says.
func (e *endedSessions) load(ctx context.Context) error {
	_, endings, err := e.read(ctx)
	if err == nil {
		e.enforce(endings)
	}
	return err
}

// read returns the document, nil if there is none, with those endings that still matter.
func (e *endedSessions) read(ctx context.Context) (*dovetail.Document, map[string]ending, error) {
	endings := make(map[string]ending)
	documents, err := e.backend.GetAll(ctx, []dovetail.ID{endedID()})
	if err != nil || documents[0] == nil {
		return nil, endings, err
	}
	if err := json.Unmarshal(documents[0].Data, &endings); err != nil {
		return nil, nil, &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "the list of ended sessions cannot be read", Err: err}
	}
	for id, one := range endings {
		if !one.Until.IsZero() && time.Now().After(one.Until) {
			delete(endings, id)
		}
	}
	return documents[0], endings, nil
}

func (e *endedSessions) enforce(endings map[string]ending) {
	ended := make(map[access.SessionID]time.Time, len(endings))
	for text, one := range endings {
		if id, err := access.ParseSessionID(text); err == nil {
			ended[id] = one.Until
		}
	}
	e.sessions.SetEnded(ended)
}

// end adds a session, and puts that in force here. The others see the document change.
func (e *endedSessions) end(ctx context.Context, id access.SessionID, one ending) error {
	return store.Transact(ctx, func() error {
		was, endings, err := e.read(ctx)
		if err != nil {
			return err
		}
		if _, done := endings[id.String()]; done {
			e.enforce(endings)
			return nil
		}
		if err := room(endings, one); err != nil {
			return err
		}
		one.At = time.Now().UTC().Truncate(time.Millisecond)
		endings[id.String()] = one
		if err := e.write(ctx, was, endings); store.IsConflict(err) || dovetail.CodeOf(err) == dovetail.CodeUnknown {
			return store.Retry(err) // another process was faster, or the outcome is not known: read again
		} else if err != nil {
			return err
		}
		e.enforce(endings)
		return nil
	})
}

// room refuses to keep too much.
func room(endings map[string]ending, next ending) error {
	own := 0
	for _, one := range endings {
		if one.By == next.By {
			own++
		}
	}
	if len(endings) < maxEnded && (next.Everywhere || own < maxEndedOwn) {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Message: "too many sessions are ended whose tokens have not expired",
		Remedy: "remove tokens from the access policy file, or let tokens expire sooner"}
}

func (e *endedSessions) write(ctx context.Context, was *dovetail.Document, endings map[string]ending) error {
	data, err := json.Marshal(endings)
	if err != nil {
		return dovetail.AsError(err)
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	doc := &dovetail.Document{ID: endedID(), Kind: endedKind, Data: data, UID: strings.ToLower(rand.Text()), Revision: 1, Created: now, Updated: now}
	condition := store.Condition{Test: store.Absent, ID: doc.ID}
	if was != nil {
		doc.UID, doc.Revision, doc.Created = was.UID, was.Revision+1, was.Created
		condition = store.Condition{Test: store.AtVersion, ID: doc.ID, Version: was.ETag()}
	}
	return e.backend.Commit(ctx, store.Txn{Require: []store.Condition{condition}, Puts: []*dovetail.Document{doc}})
}

// run puts in force what other processes end, until the context ends.
func (e *endedSessions) run(ctx context.Context) {
	if e.backend.Capabilities().Exclusive {
		return // there are no others
	}
	const again = 500 * time.Millisecond
	for ctx.Err() == nil {
		if err := e.follow(ctx); err != nil && ctx.Err() == nil {
			e.log.Warn("ended sessions of other processes are not seen", "again", again, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// follow loads the document whenever it changes, until the changes end.
func (e *endedSessions) follow(ctx context.Context) error {
	cursor, err := e.backend.Head(ctx)
	if err != nil {
		return err
	}
	if err := e.load(ctx); err != nil { // after the head, so that nothing slips between
		return err
	}
	for set, err := range e.backend.Changes(ctx, cursor) {
		if err != nil {
			return err
		}
		for _, change := range set.Changes {
			if change.ID != endedID() {
				continue
			}
			if err := e.load(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
