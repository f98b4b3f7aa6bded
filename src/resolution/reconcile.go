package resolution

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/flowcontrol"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// reconciler brings the status of single ActiveResolutions up to date.
type reconciler struct {
	*Resolutions
	answers answers
	solving chan struct{} // has a place for each quick one that may be solved at the same time
	writer  *writer
}

// settledAt is what a status was made for, so that a change which changes nothing of that is known.
type settledAt struct {
	version dovetail.ETag     // with the status
	digest  string            // of the request
	status  [sha256.Size]byte // the sum of it: there may be ten thousands, and statuses are large
	inputs  []dovetail.ID
	spec    *solver.Spec
	reach   *solver.Reach // what of the sources decides it; nil for everything
	replan  bool          // it activated what the next plan begins at
	opens   time.Time     // when what waits for a window is to be activated; zero if there is nothing

	forbidden bool // the actor of the set that made it may not have it resolved
}

// holds reports whether the status would be the same with these sources.
func (at *settledAt) holds(from []*solver.Source) bool {
	return at != nil && at.reach != nil && at.reach.Same(at.spec, from)
}

// reconcile computes the status from the sources, and writes it if it differs. It returns what is stored then. Errors:
// CodeStale if the ActiveResolution has changed since the version that was seen, which the sources are not older than:
// they may be older than that change. CodeNotFound if it was deleted. errHard if it takes longer than the limit, where that is not 0.
// It also returns how long it took to solve. by is the actor of the set that made it, nil if there is none: without its rights the status says so, and what was
// selected and activated stays.
func (r *reconciler) reconcile(ctx context.Context, id dovetail.ID, seen dovetail.ETag, from []*solver.Source, limit time.Duration, by *fleet.Actor) (*settledAt, time.Duration, error) {
	doc, err := r.store.Get(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	if doc.UID != seen.UID || doc.Revision > seen.Revision {
		return nil, 0, dovetail.Errorf(dovetail.CodeStale, "%s has changed", id)
	}
	req, err := state.ReadRequest(doc)
	if err != nil {
		return nil, 0, err
	}
	of, err := r.permitted(ctx, req, id, by)
	if err != nil {
		return nil, 0, err
	}
	forbidden, took := of != nil, time.Duration(0)
	if !forbidden {
		if of, took, err = r.answer(ctx, req, from, limit); err != nil {
			return nil, took, err
		}
	}
	at, err := r.settle(ctx, doc, req, of)
	if at != nil {
		at.forbidden = forbidden
	}
	return at, took, err
}

// answer returns the answer to a request, and how long it took to find where that was needed.
func (r *reconciler) answer(ctx context.Context, req *state.Request, from []*solver.Source, limit time.Duration) (*answered, time.Duration, error) {
	if of := r.answers.get(req.Problem, from); of != nil {
		return of, 0, nil
	}
	if limit > 0 { // the hard ones are as many as may be
		select {
		case r.solving <- struct{}{}:
		case <-ctx.Done():
			return nil, 0, dovetail.AsError(ctx.Err())
		}
		defer func() { <-r.solving }()
		if of := r.answers.get(req.Problem, from); of != nil { // it was another's problem, too
			return of, 0, nil
		}
	}
	of, took, err := r.solve(ctx, req, from, limit)
	if err != nil {
		return nil, took, err
	}
	r.options.Answered(resultOf(of.Answer), took)
	r.answers.put(req.Problem, from, of)
	return of, took, nil
}

// settle writes the status of an answer, if it differs, and returns what is stored then.
func (r *reconciler) settle(ctx context.Context, doc *dovetail.Document, req *state.Request, of *answered) (at *settledAt, err error) {
	op, status, err := r.statusOf(doc, req, of.Answer)
	if err != nil {
		return nil, err
	}
	written, err := r.writer.write(ctx, op)
	if err != nil {
		return nil, err
	}
	at = &settledAt{replan: status.Replans(req, state.ReadStatus(doc)), opens: status.Opens(req, r.options.Clock()), version: written.ETag(), digest: req.Digest, status: sha256.Sum256(written.Status), inputs: written.Inputs, spec: of.spec}
	if of.Err == nil && of.Outcome.Resolved() { // else messages name what there is elsewhere
		at.reach = of.reach
	}
	return at, nil
}

// statusOf returns the operation that gives a document the status of an answer, and that status.
func (r *Resolutions) statusOf(doc *dovetail.Document, req *state.Request, a state.Answer) (store.Operation, *state.Status, error) {
	before, inputs := state.ReadStatus(doc), inputsOf(req)
	switch {
	case a.Err != nil || !a.Outcome.Resolved(): // it may keep the selections of before
		inputs = joined(doc.Inputs, inputs)
	case len(joined(inputs, doc.Inputs)) > len(inputs): // nothing of what other sources led to stays
		before = before.Counted()
	}
	status, files := state.Assess(req, a, before, state.Surroundings{Now: r.options.Clock(), PublicURL: r.options.PublicURL})
	data, err := value.FromAny(status)
	return store.Operation{Verb: store.PutStatus, ID: doc.ID, Data: data, Content: files, Inputs: inputs, IfMatch: []dovetail.ETag{doc.ETag()}}, status, err
}

// inputsOf are what a status is made from: the sources that are named, also one that does not exist, which the status
// says; or all that there are.
func inputsOf(req *state.Request) []dovetail.ID {
	if !req.Spec.Listed() {
		return []dovetail.ID{dovetail.AllOf(sourcedoc.KindSource)}
	}
	var inputs []dovetail.ID
	for _, name := range req.Spec.Sources {
		if dovetail.CheckValue(name) == "" { // no source can have another name
			inputs = joined(inputs, []dovetail.ID{sourcedoc.ID(name)})
		}
	}
	return inputs
}

// joined returns the ids of both lists, each once.
func joined(some, others []dovetail.ID) []dovetail.ID {
	all := slices.Clone(some)
	for _, id := range others {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// controllerWeight is how much more the time of the controller counts than that of a principal who waits for an answer.
const controllerWeight = 4

// errHard says that a resolution takes longer than a quick one may.
var errHard = errors.New("a hard resolution")

// solve answers a request, and says how long that took without waiting. Its own error is that of an ended context, errHard or a
// bug in the solver; errors in the request are part of the answer.
func (r *reconciler) solve(ctx context.Context, req *state.Request, from []*solver.Source, limit time.Duration) (of *answered, took time.Duration, err error) {
	var seat flowcontrol.Seat
	flow := flowcontrol.Flow{Name: dovetail.SystemPrefix + ServiceName}
	if limit == 0 { // a queue of their own, so that a quick one waits for one slice at most
		flow.Name += "/hard"
	}
	err = r.options.Hard.Enter(ctx, &seat, flowcontrol.Request{Flow: flow, Route: ServiceName, Weight: controllerWeight, Unbounded: true})
	if err != nil {
		return nil, 0, dovetail.AsError(err)
	}
	defer seat.Leave()
	began := r.options.Timer.Now()
	pause := func() (time.Duration, error) {
		waited, err := seat.Yield(ctx)
		began = began.Add(waited)
		if err != nil {
			return waited, dovetail.AsError(err)
		}
		if limit > 0 && r.options.Timer.Now().Sub(began) > limit {
			return waited, errHard
		}
		return waited, nil
	}
	a, reach, err := answer(ctx, req, from, solver.Options{Pause: pause, Now: r.options.Timer.Now})
	return &answered{a, req.Spec, reach}, r.options.Timer.Now().Sub(began), err
}

// answer answers a request. Its own error is as that of solve.
func answer(ctx context.Context, req *state.Request, from []*solver.Source, options solver.Options) (state.Answer, *solver.Reach, error) {
	problem, err := solver.NewProblemUntil(ctx.Err, req.Spec, from)
	if ctx.Err() != nil {
		return state.Answer{}, nil, dovetail.AsError(ctx.Err())
	}
	if err != nil {
		return state.Answer{Err: err}, nil, nil //nolint:nilerr // that it is wrong is the answer
	}
	outcome, err := solver.Resolve(ctx, problem, options)
	reach := problem.Reach()
	return state.Answer{Digest: reach.Digest(), Outcome: outcome}, reach, err
}

func resultOf(a state.Answer) Result {
	switch {
	case a.Err != nil:
		return Invalid
	case a.Outcome.TimedOut:
		return TimedOut
	case a.Outcome.Resolved():
		return Resolved
	}
	return Unsatisfiable
}

// same reports whether a document is as it was when its status was made.
func (at *settledAt) same(doc *dovetail.Document) bool {
	if at == nil || at.version.UID != doc.UID || at.status != sha256.Sum256(doc.Status) || !slices.Equal(at.inputs, doc.Inputs) {
		return false
	}
	req, err := state.ReadRequest(doc)
	return err == nil && req.Digest == at.digest
}
