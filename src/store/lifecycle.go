package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReasonState is the reason of CodeConflict where the state of a document, or of one that it belongs to, does not allow the
// action or the change. InState has the state, and the actions that it allows.
const ReasonState = "STATE"

// LifecycleMember is the member of a status that holds the state of a document of a kind with a lifecycle. Only actions
// change it.
const LifecycleMember = "lifecycle"

// StateOf returns the state of a document of a kind with a lifecycle: the initial one where the document was stored before
// the kind had one.
func StateOf(kind *schema.Kind, doc *dovetail.Document) string {
	if state := storedState(doc); state != "" {
		return state
	}
	return kind.Lifecycle.Initial
}

// StandingOf is StateOf with how far a worker is with the action that led there.
func StandingOf(kind *schema.Kind, doc *dovetail.Document) schema.Standing {
	is := standingOf(doc)
	return schema.Standing{State: cmp.Or(is.State, kind.Lifecycle.Initial), Progress: is.Progress}
}

// storedState is the state that the status names, "" if there is none.
func storedState(doc *dovetail.Document) string { return standingOf(doc).State }

// standing is what a status says of the state of a document.
type standing struct {
	State  string `json:"state,omitempty"`
	Since  string `json:"since,omitempty"`  // when it came into the state
	Action string `json:"action,omitempty"` // the last action; "" if there is none
	By     string `json:"by,omitempty"`     // who created the document or did the last action; "" for an anonymous user

	Revision int             `json:"revision,omitempty"` // of the deployment: those from 1 to it can be restored
	Progress schema.Progress `json:"progress,omitempty"` // of the last action, where a worker carries it out
	Message  string          `json:"message,omitempty"`  // what the worker said of it
	Number   int             `json:"number,omitempty"`   // of the last action, counted where a worker carries some out
	Led      int             `json:"led,omitempty"`      // the number of the action that led to the state
	Work     []work          `json:"work,omitempty"`     // the actions that are not finished, in their order
}

// standingOf is what the status of a document says of its state; zero if there is nothing.
func standingOf(doc *dovetail.Document) standing {
	var status struct{ Lifecycle standing }
	if doc == nil || len(doc.Status) == 0 || json.Unmarshal(doc.Status, &status) != nil {
		return standing{}
	}
	return status.Lifecycle
}

func (s standing) set(status *value.Value) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	v, err := value.ParseJSON(text, value.Limits{Bytes: len(text)})
	if err != nil {
		return err
	}
	status.Set(LifecycleMember, v.Unplaced())
	return nil
}

// transition returns the state that an action of the lifecycle leads to.
func (p *plan) transition(i int, st *step) standing {
	if p.store.overlay() != nil {
		p.fail(i, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the action " + st.op.Action + " changes a state, which cannot be staged in a change set",
			Remedy: "do it without the change set, before or after the merge"})
		return standing{}
	}
	at := StandingOf(st.kind, st.current)
	to := st.action.Next(at)
	if to == nil {
		p.fail(i, p.stateError(st.kind, st.current, "the action "+st.op.Action+" is not possible"))
		return standing{}
	}
	st.unreferenced = to.Unreferenced
	was := standingOf(st.current)
	next := standing{State: cmp.Or(to.To, at.State), Since: p.now.UTC().Format(time.RFC3339Nano), Action: st.op.Action, By: p.author,
		Revision: was.Revision, Number: was.Number, Led: was.Led, Work: was.Work}
	p.countRevision(i, st, &next)
	if slices.ContainsFunc(st.kind.Lifecycle.Actions, func(a *schema.LifecycleAction) bool { return a.Work }) {
		next.Number++
	}
	if st.action.Work {
		p.request(i, st, to, &next)
	}
	if next.State == at.State {
		next.Since = since(st.current)
	} else if next.Number > 0 {
		next.Led = next.Number
	}
	return next
}

// countRevision gives the deployment its next revision, where the action makes one, and checks the one that it leads back to.
func (p *plan) countRevision(i int, st *step, next *standing) {
	if st.action.Restores != nil {
		var named *value.Value
		if st.op.Data != nil {
			named = st.op.Data.At(st.action.Restores...)
		}
		n := 0
		if named != nil && (named.Kind == value.String || named.Kind == value.Number) {
			n, _ = strconv.Atoi(named.Text)
		}
		if n < 1 || n > next.Revision {
			e := &dovetail.Error{Code: dovetail.CodeUnprocessable, Message: "the action " + st.op.Action + " restores a revision, and " + strings.Join(st.action.Restores, ".") + " of the request names no existing one",
				Remedy: "there is none yet", Position: dovetail.Position{Path: "/" + strings.Join(st.action.Restores, "/")}}
			if next.Revision > 0 {
				e.Remedy = "name one from 1 to " + strconv.Itoa(next.Revision)
			}
			p.fail(i, e)
		}
	}
	switch counts := st.action.Revision; {
	case next.State == st.kind.Lifecycle.Initial: // nothing is deployed
	case counts == schema.RevisionFirst:
		next.Revision = 1
	case counts == schema.RevisionNext:
		next.Revision++
	}
}

// since is when a document came into its state.
func since(doc *dovetail.Document) string {
	return cmp.Or(standingOf(doc).Since, doc.Created.UTC().Format(time.RFC3339Nano))
}

// stateError refuses what the state of a document does not allow. Who may not read the document does not learn its state.
func (p *plan) stateError(kind *schema.Kind, doc *dovetail.Document, what string) *dovetail.Error {
	e := &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonState, Key: doc.ID}
	if !p.view.reads(kind.Name, doc.ID) {
		e.Message = "in the state of " + string(doc.ID) + " " + what
		return e
	}
	at := StandingOf(kind, doc)
	e.InState = &dovetail.InState{State: at.State, Allowed: kind.Lifecycle.Allowed(at)}
	e.Message = string(doc.ID) + " is in the state " + at.State + carriedOut(doc) + ", in which " + what
	if len(e.InState.Allowed) > 0 {
		e.Remedy = "the actions that are possible now: " + strings.Join(e.InState.Allowed, ", ")
	} else {
		e.Remedy = "no action leads out of this state"
	}
	return e
}

// carriedOut says in a message how far a worker is; "" where nothing is known of that, or it is done.
func carriedOut(doc *dovetail.Document) string {
	switch is := standingOf(doc); {
	case is.Progress.Pending():
		return " (the action " + is.Action + " is " + string(is.Progress) + ")"
	case is.Progress == schema.Failed:
		return " (the action " + is.Action + " failed)"
	}
	return ""
}

// standingStatus returns the status that a step writes beside its data, or instead of another: only actions change the state,
// and a new document has the initial one, except one that is restored with the state that it had.
func (p *plan) standingStatus(i int, st *step, written json.RawMessage) json.RawMessage {
	l := st.kind.Lifecycle
	if l == nil {
		return written
	}
	given := &dovetail.Document{ID: st.op.ID, Status: written}
	status, err := statusFor(given)
	if err != nil {
		p.fail(i, dovetail.AsError(err))
		return written
	}
	if st.current == nil {
		state := storedState(given)
		switch {
		case state == "":
			if err := (standing{State: l.Initial, Since: p.now.UTC().Format(time.RFC3339Nano), By: p.author}).set(status); err != nil {
				p.fail(i, dovetail.AsError(err))
			}
			return status.JSON()
		case !l.Has(state):
			p.fail(i, unknownState(st.kind, st.op.ID, state))
		}
		return written
	}
	before, err := statusFor(st.current)
	if err != nil {
		p.fail(i, dovetail.AsError(err))
		return written
	}
	is, was := status.Get(LifecycleMember), before.Get(LifecycleMember)
	switch {
	case was == nil && is == nil, is != nil && was != nil && value.Equal(is, was):
		return written
	case was == nil:
		status.Delete(LifecycleMember)
	default:
		status.Set(LifecycleMember, was)
	}
	return status.JSON()
}

func unknownState(kind *schema.Kind, id dovetail.ID, state string) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Key: id, Message: string(id) + " is in the state " + state + ", which a " + kind.Name + " does not have",
		Remedy: "its states are " + strings.Join(kind.Lifecycle.States, ", ")}
}

// restoredState checks the state that an import brings along.
func (p *plan) restoredState(i int, st *step) {
	was := st.op.restore
	if st.kind.Lifecycle == nil || was == nil {
		return
	}
	if state := storedState(was); state != "" && !st.kind.Lifecycle.Has(state) {
		p.fail(i, unknownState(st.kind, st.op.ID, state))
	}
}

// stateCheck is a document whose state must be one of some, or none of them.
type stateCheck struct {
	step   int
	id     dovetail.ID
	states []string
	frozen string // what must not be done in the states; "" where the step needs one of them
}

// states checks what needs the states of other documents than those that are written, and what is frozen. The versions that
// were looked at are conditions of the commit.
func (p *plan) states(ctx context.Context) error {
	var checks []stateCheck
	targets := make(map[int][]schema.Candidate)
	var unchecked []dovetail.ID
	for i := range p.steps {
		st := &p.steps[i]
		if st.kind == nil || st.invalid {
			continue
		}
		p.freeze(i, st)
		if found := p.actionTargets(i, st); len(found) > 0 {
			targets[i] = found
			for _, c := range found {
				for _, target := range c.Targets {
					unchecked = append(unchecked, target.ID)
				}
			}
		}
		checks = append(checks, p.needs(i, st)...)
		if st.unreferenced {
			p.txn.Require = append(p.txn.Require, Condition{Test: Unreferenced, ID: st.op.ID})
		}
		if st.effect != WasUnchanged && st.op.Verb != PutStatus && (st.current == nil || p.changes(i)) {
			checks = append(checks, p.frozenBelow(i, st.kind, st.op.ID, verbNames[st.op.Verb])...)
		}
	}
	for _, o := range p.cascaded {
		if kind, known := p.model.Kind(o.Document.Kind); known {
			root := p.stepOf[o.Document.ID]
			below := p.frozenBelow(root, kind, o.Document.ID, verbNames[Delete])
			if len(below) > 0 && !p.view.reads(kind.Name, o.Document.ID) {
				p.failCascade(root, o.Document)
				continue
			}
			checks = append(checks, below...)
		}
	}
	if len(targets) > 0 {
		exists, err := p.existing(ctx, unchecked)
		if err != nil {
			return err
		}
		for i, candidates := range targets {
			p.requireTargets(i, candidates, exists)
		}
	}
	return p.checkStates(ctx, checks)
}

// verbNames say in a refusal what was to be done with a child.
var verbNames = map[Verb]string{Create: "be created", Put: "be created or changed", ApplyFields: "be created or changed", Patch: "be changed", Delete: "be deleted"}

// changes reports whether the step deletes its document, or gives it other data or files.
func (st *step) changes() bool {
	next := st.document
	return st.op.Verb == Delete || next != nil && (!bytes.Equal(next.Data, st.current.Data) || !sameFiles(next, st.current))
}

// freeze refuses to change or delete a document whose state forbids it. What changes nothing may be written.
func (p *plan) freeze(i int, st *step) {
	l := st.kind.Lifecycle
	if l == nil || st.current == nil || st.op.Verb == PutStatus {
		return
	}
	frozen, what := l.FreezePut, "it cannot be changed"
	if st.op.Verb == Delete {
		frozen, what = l.FreezeDelete, "it cannot be deleted"
	}
	if StandingOf(st.kind, st.current).IsIn(frozen) && st.changes() {
		p.fail(i, p.stateError(st.kind, st.current, what))
	}
}

// frozenCascade refuses a deletion that would take along a document whose state forbids it, or may forbid it and may not be
// read, and reports whether it did.
func (p *plan) frozenCascade(root int, doc *dovetail.Document) bool {
	kind, known := p.model.Kind(doc.Kind)
	switch {
	case !known || kind.Lifecycle == nil || len(kind.Lifecycle.FreezeDelete) == 0:
		return false
	case !p.view.reads(doc.Kind, doc.ID): // whatever its state is
		p.failCascade(root, doc)
	case !StandingOf(kind, doc).IsIn(kind.Lifecycle.FreezeDelete):
		return false
	default:
		p.fail(root, p.stateError(kind, doc, "it cannot be deleted"))
	}
	return true
}

// needs returns the documents whose states an action depends on.
func (p *plan) needs(i int, st *step) []stateCheck {
	if st.action == nil || len(st.action.Needs) == 0 {
		return nil
	}
	var checks []stateCheck
	for _, ref := range st.current.References {
		if states, needed := st.action.Needs[ref.Kind]; needed {
			checks = append(checks, stateCheck{step: i, id: ref.ID, states: states})
		}
	}
	id := st.op.ID
	for kind := st.kind; kind.Parent != nil; kind = kind.Parent {
		id = kind.ParentID(id)
		if states, needed := st.action.Needs[kind.Parent.Name]; needed {
			checks = append(checks, stateCheck{step: i, id: id, states: states})
		}
	}
	return checks
}

// frozenBelow returns the parent of a document that is written, where its state may forbid that.
func (p *plan) frozenBelow(i int, kind *schema.Kind, id dovetail.ID, what string) []stateCheck {
	if kind.Parent == nil || kind.Parent.Lifecycle == nil {
		return nil
	}
	states := kind.Parent.Lifecycle.FreezeChildren[kind.Name]
	parent := kind.ParentID(id)
	if len(states) == 0 || p.deleting[parent] || p.restoredTogether(i, parent) {
		return nil
	}
	return []stateCheck{{i, parent, states, "no " + kind.Name + " below it can " + what}}
}

// restoredTogether reports whether an import brings a document and its parent, which were so when they were exported.
func (p *plan) restoredTogether(i int, parent dovetail.ID) bool {
	step, ours := p.stepOf[parent]
	return ours && p.steps[i].op.restore != nil && p.steps[step].op.restore != nil && p.steps[step].current == nil
}

// checkStates looks at the documents, as the transaction leaves those that it writes itself.
func (p *plan) checkStates(ctx context.Context, checks []stateCheck) error {
	checks = slices.DeleteFunc(checks, func(c stateCheck) bool {
		return !p.mayDependOn(c.step, c.id, ", whose state decides about "+string(p.steps[c.step].op.ID))
	})
	if len(checks) == 0 {
		return nil
	}
	var ids []dovetail.ID
	for _, c := range checks {
		ids = append(ids, c.id)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	stored, err := p.store.fetch(ctx, ids)
	if err != nil {
		return err
	}
	for _, c := range checks {
		n, _ := slices.BinarySearch(ids, c.id)
		doc := stored[n]
		if ours := p.putting[c.id]; ours != nil {
			doc = ours
		} else if doc != nil {
			p.txn.Require = append(p.txn.Require, Condition{Test: AtVersion, ID: c.id, Version: doc.ETag(), For: p.steps[c.step].op.ID})
		}
		if doc == nil {
			continue // the parent and what is referred to are required anyway
		}
		kind, err := p.model.KindOf(c.id)
		if err != nil || kind.Lifecycle == nil {
			continue
		}
		at := StandingOf(kind, doc)
		switch {
		case c.frozen != "" && at.IsIn(c.states):
			p.fail(c.step, p.stateError(kind, doc, c.frozen))
		case c.frozen == "" && !at.MayBeIn(c.states):
			what := "the action " + p.steps[c.step].op.Action + " on " + string(p.steps[c.step].op.ID) + " is not possible: it needs " + strings.Join(c.states, " or ")
			p.fail(c.step, p.stateError(kind, doc, what))
		}
	}
	return nil
}

// requireTargets adds the conditions that what the body of an action refers to exists.
func (p *plan) requireTargets(i int, candidates []schema.Candidate, exists map[dovetail.ID]bool) {
	id := p.steps[i].op.ID
	for _, c := range candidates {
		target := c.Targets[0]
		if len(c.Targets) > 1 {
			chosen, err := choose(id, c, exists)
			if err != nil && !p.weak(c) {
				p.fail(i, err)
				continue
			}
			target = chosen
		}
		if !p.weak(c) && !p.puts(target.ID) {
			p.txn.Require = append(p.txn.Require, Condition{Test: Exists, ID: target.ID, For: id})
		}
	}
}
