package protocol

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Engine does what store.Backend promises of documents, on any Server. It keeps no state of its
// own but how long it has seen intents, and what was committed lately while there are readers of that, so any number of engines may share a server. It is safe for
// concurrent use.
type Engine struct {
	server Server
	env    Env
	name   string
	tail   *tail // what all readers of changes follow
}

// Env is the environment of an engine; a simulation decides all of it.
type Env struct {
	// NewTxn returns an id for a transaction, never the same twice anywhere.
	NewTxn func() string
	// Pause waits before attempt n (from 1) of a commit that competitors stand in the way of, or says
	// that it is time to give up. Its error means that the context ended.
	Pause func(ctx context.Context, attempt int) (again bool, err error)
	// Expired says whether the key has been seen by this engine for at least the lease, counting
	// from the first call with it.
	Expired func(key string) bool
	// Parallel runs the functions, at the same time if it likes, and returns when all have.
	Parallel func(...func())
	// Heartbeat calls Engine.Heartbeat now and then until the context ends, so that others see a long
	// transaction alive. It does not wait.
	Heartbeat func(ctx context.Context, e *Engine, txn string)
	// Detached returns a context for what must be finished though the request has ended.
	Detached func(ctx context.Context) (context.Context, context.CancelFunc)
	// SubmitCreation takes a creation to where it is done, in a group with others or alone: it must call
	// Engine.CreateGroup, and return when that has.
	SubmitCreation func(ctx context.Context, e *Engine, c *Creation)
	// SubmitCreated takes a creation that has been answered to where its intent is taken away, soon, by Engine.ClearCreated. It does not
	// wait for that.
	SubmitCreated func(e *Engine, c *Created)
	// SubmitReplaced takes an update that has been made to where what it replaced is kept, soon, by Engine.KeepReplaced. It does
	// not wait for that.
	SubmitReplaced func(e *Engine, r *Replaced)
	// TakeReplaced takes back an update of the document that was submitted and is not being kept yet, unless maxRow others were
	// before it; nil for none.
	TakeReplaced func(id dovetail.ID) *Replaced
	// SubmitUnresolved takes a transaction that has been committed to where its intents are taken away, soon, by
	// Engine.Resolve. It does not wait for that.
	SubmitUnresolved func(e *Engine, c *Unresolved)
	// TakeEntry returns the transaction of an entry that Engine.Reserve has written, and no other call has returned; "" for none.
	TakeEntry func(e *Engine) (txn string)
	// Refused notes that a deletion of the document was refused after its intent was set. RefusedLately says whether that was lately.
	Refused       func(id dovetail.ID)
	RefusedLately func(id dovetail.ID) bool
	// KeepNow says that a request waits for updates and creations that were submitted.
	KeepNow func()
	// Clock is the local time, for Intent.At and for the time since the server's clock was last read.
	Clock func() time.Time
	// VisibilityWindow is how long the server may take from the stamp of a change to the moment when reads
	// see it: so far back the feed reads. UsualDelay is how much longer than changes with later stamps it usually takes at most.
	VisibilityWindow, UsualDelay time.Duration
	// Resolved is notified of intents of others that this engine took away: n of a transaction that happened, or of
	// one that did not.
	Resolved func(happened bool, n int)
	// Poll is how often the changes of other processes are read. Listen returns a function that waits for that: until there
	// is news, counting from the call of Listen on, but at least and at most so long. Its error is the context's.
	Poll   time.Duration
	Listen func() (wait func(ctx context.Context, least, most time.Duration) error)
	// CursorCommits is how many commits a cursor names, so that resuming yields nothing twice. With more, as under load, it names none, and
	// resuming yields the last change again of documents that changed lately.
	CursorCommits int
	// Level is what all processes of the store understand.
	Level func() Level
}

// New returns an engine on the server. The name is that of the store, so that cursors of another one
// are known as such.
func New(server Server, env Env, name string) *Engine {
	e := &Engine{server: server, env: env, name: name}
	e.tail = newTail(e)
	return e
}

// decision is what an attempt to commit came to.
type decision uint8

const (
	done   decision = iota
	failed          // a condition does not hold, or did not a moment ago
	busy            // the intents of others are in the way
)

// outcome is a decision with the views whose intents are in the way, or an error, which says that
// nothing was changed unless its code is CodeUnknown.
type outcome struct {
	decision  decision
	conflicts []view
	unmet     []*dovetail.Error // of a failed attempt: the conditions that fail, where they are known
	err       error
}

func failure(err error) outcome { return outcome{err: err} }

// retries is how often a step is repeated when the server cannot be reached.
const retries = 3

// Commit does all of the transaction's writes if all of its conditions hold; see store.Backend.
func (e *Engine) Commit(ctx context.Context, txn store.Txn) error {
	p := newPlan(txn)
	retried := 0
	for attempt := 1; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return dovetail.AsError(err)
		}
		result := e.attempt(ctx, p)
		switch {
		case result.err != nil && retried < retries && worthRetrying(result.err):
			retried++
		case result.err != nil:
			return result.err
		case result.decision == done:
			return nil
		case result.decision == failed:
			errs, err := result.unmet, error(nil)
			if errs == nil {
				errs, err = e.unmet(ctx, p)
			}
			if err != nil {
				return err
			}
			if len(errs) > 0 {
				return store.Unmet(errs)
			}
		case e.resolveConflicts(ctx, result.conflicts):
			continue
		}
		again, err := e.env.Pause(ctx, attempt)
		switch {
		case err != nil && result.err != nil:
			return result.err
		case err != nil:
			return dovetail.AsError(err)
		case !again && result.err != nil:
			return result.err
		case !again:
			return &dovetail.Error{Code: dovetail.CodeConflict, Remedy: "try again",
				Message: "competing writers kept holding documents that the transaction needs"}
		}
	}
}

// attempt tries to commit once. Each attempt is a transaction of its own to the server.
func (e *Engine) attempt(ctx context.Context, p *plan) outcome {
	switch {
	case p.unsatisfiable:
		return outcome{decision: failed}
	case len(p.slots) == 0:
		return e.readOnly(ctx, p)
	case !p.single:
		return e.multi(ctx, p)
	}
	s := p.slots[0]
	version, there, result := e.expect(ctx, s)
	switch {
	case result != nil:
		return *result
	case !there && s.put == nil:
		return e.readOnly(ctx, p)
	case !there:
		return e.create(ctx, p)
	case s.put == nil:
		return e.remove(ctx, p, version)
	case len(p.targets) == 0 && store.IsInternal(s.id):
		return e.replaceInternal(ctx, p, version)
	case len(p.targets) == 0:
		if result, possible := e.replace(ctx, p, version); possible {
			return result
		}
	}
	return e.update(ctx, p, version)
}

// expect says which state of the document the transaction is to meet: what its conditions say, or,
// if they say nothing, what is there.
func (e *Engine) expect(ctx context.Context, s *slot) (version dovetail.ETag, there bool, result *outcome) {
	switch {
	case s.version != nil:
		return *s.version, true, nil
	case s.absent:
		return version, false, nil
	}
	views, err := e.find(ctx, []dovetail.ID{s.id}, false)
	if err != nil {
		return version, false, &outcome{err: err}
	}
	v := views[s.id]
	if v.status != noIntent {
		return version, false, &outcome{decision: busy, conflicts: []view{v}}
	}
	if doc := v.document(); doc != nil {
		return doc.ETag(), true, nil
	}
	return version, false, nil
}

// readOnly answers a transaction that writes nothing and has at most one condition.
func (e *Engine) readOnly(ctx context.Context, p *plan) outcome {
	errs, err := e.unmet(ctx, p)
	switch {
	case err != nil:
		return failure(err)
	case len(errs) > 0:
		return outcome{decision: failed}
	}
	return outcome{decision: done}
}
