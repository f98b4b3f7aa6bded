package protocol

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Engine implements the documents of store.Backend on any Server. It keeps no state that is not on the server, except the recent
// commits for readers of changes, so any number of engines may share a server. It is safe for concurrent use.
type Engine struct {
	server Server
	env    Env
	name   string
	tail   *tail // shared by all readers of changes
}

// Env is the environment of an engine. A simulation controls all of it.
type Env struct {
	// NewTxn returns a globally unique id for a transaction.
	NewTxn func() string
	// Pause waits after attempt n (from 1), which other transactions have blocked or the server has not answered. It returns false
	// when the caller should give up, and an error if the context ends.
	Pause func(ctx context.Context, attempt int) (again bool, err error)
	// Expired reports whether half a lease has passed since its first call with the key, which identifies an intent, or a
	// transaction record and its last heartbeat. Then the owner seems dead.
	Expired func(key string) bool
	// Parallel runs the functions, concurrently if possible, and returns when all have returned.
	Parallel func(...func())
	// Heartbeat calls Engine.Heartbeat periodically until the context ends, so that other processes see that a long transaction is
	// alive. It does not wait.
	Heartbeat func(ctx context.Context, e *Engine, txn string)
	// Detached returns a context for work that must be completed after the request has ended.
	Detached func(ctx context.Context) (context.Context, context.CancelFunc)
	// Consistent returns a context in which no read returns less than the reads before it, and whether it is another one than the
	// given: then what was read before must be read again. It is for reads outside of transactions that have to write.
	Consistent func(ctx context.Context) (own context.Context, end context.CancelFunc, fresh bool)
	// SubmitCreation passes a creation on to be committed, alone or in a group: it must call Engine.CreateGroup, and return after
	// that has returned, or call Creation.Cancel.
	SubmitCreation func(ctx context.Context, e *Engine, c *Creation)
	// SubmitCreated schedules Engine.ClearCreated, which removes the intent of an acknowledged creation. It does not wait for it.
	SubmitCreated func(e *Engine, c *Created)
	// SubmitReplaced schedules Engine.KeepReplaced, which stores the version that an update has replaced and removes its intent. It
	// does not wait for it.
	SubmitReplaced func(e *Engine, r *Replaced)
	// TakeReplaced takes back a submitted update of the document that is not being processed yet, nil if there is none. It leaves one that
	// has reached maxRow.
	TakeReplaced func(id dovetail.ID) *Replaced
	// SubmitUnresolved schedules Engine.Resolve, which removes the intents of a committed transaction. It does not wait for it.
	SubmitUnresolved func(e *Engine, c *Unresolved)
	// TakeEntry returns the transaction of a record that Engine.Reserve has written, at most once each; "" if there is none.
	TakeEntry func(e *Engine) (txn string)
	// Refused records that a deletion of the document was refused after its intent was set. RefusedLately reports whether that was
	// recent.
	Refused       func(id dovetail.ID)
	RefusedLately func(id dovetail.ID) bool
	// KeepNow processes submitted updates and creations without delay, since a request waits for them.
	KeepNow func()
	// Clock returns the local time, for Intent.At, the intervals between polls, and the time since the server's clock was read.
	Clock func() time.Time
	// VisibilityWindow is the maximum time from the commit timestamp of a change until reads see it: the feed reads this far back.
	// UsualDelay is how long changes with later timestamps have usually been visible, at most, when a change becomes visible.
	VisibilityWindow, UsualDelay time.Duration
	// Resolved is notified when this engine has removed n intents of other processes, of a transaction that was committed or not.
	Resolved func(happened bool, n int)
	// Poll is the interval at which the changes of other processes are read. Listen returns a function that waits for the longest
	// time (most), or, once there is a notification after the call of Listen, for the shortest (least) from then on. Its error is
	// that of the context.
	Poll   time.Duration
	Listen func() (wait func(ctx context.Context, least, most time.Duration) error)
	// CursorCommits is the maximum number of commits that a cursor lists, so that resuming yields nothing twice. With more of them,
	// as under load, the cursor lists none, and resuming yields the last changes of recently changed documents again.
	CursorCommits int
	// Level returns the level that all processes of the store support.
	Level func() Level
}

// New returns an engine on the server. The name identifies the store, so that cursors of other stores are rejected.
func New(server Server, env Env, name string) *Engine {
	e := &Engine{server: server, env: env, name: name}
	e.tail = newTail(e)
	return e
}

// decision is the result of an attempt to commit.
type decision uint8

const (
	done   decision = iota
	failed          // a condition is false, or was a moment ago
	busy            // blocked by the intents of other transactions
)

// outcome is a decision with the views whose intents block it, or an error, after which nothing was changed unless its code is
// CodeUnknown.
type outcome struct {
	decision  decision
	conflicts []view
	unmet     []*dovetail.Error // after failed: the conditions that are false, if known
	err       error
}

func failure(err error) outcome { return outcome{err: err} }

// retries limits how often a write is tried, and a transaction repeated, while the server does not answer.
const retries = 3

// Commit executes all writes of the transaction if all of its conditions hold; see store.Backend.
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

// attempt tries to commit once. To the server each attempt is a separate transaction.
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

// expect returns whether the document must exist before the transaction, and at which version: as the conditions say or, if there
// are none, as it is now.
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

// readOnly evaluates a transaction that has nothing to write: one that has at most one condition and no write, or that deletes a
// document that does not exist.
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
