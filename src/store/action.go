package store

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// KeptActions is how many actions a status holds: the last ones. The member ActionsTotal counts them all where it holds fewer.
const KeptActions = 50

// ActionsTotal is the member of a status that counts the actions where it does not hold them all.
const ActionsTotal = "actionsTotal"

// NewAction returns the operation that does an action of the document's kind, by its path: "approve". The body is what the
// request says, nil if there is nothing; it may be what NewOperation takes.
func NewAction(id dovetail.ID, action string, body any) Operation {
	op := NewOperation(PutStatus, id, body)
	op.Action = action
	return op
}

// action returns the next status of a document on which an action is done: its list of actions has one more entry, and with a
// lifecycle there is a new state.
func (p *plan) action(i int, st *step) *value.Value {
	op := st.op
	if op.work != nil {
		return p.work(i, st)
	}
	if st.kind.Action(op.Action) == nil {
		var names []string
		for _, a := range st.kind.Actions {
			if a.Recorded() {
				names = append(names, a.Path)
			}
		}
		e := &dovetail.Error{Code: dovetail.CodeInvalid, Message: "a " + st.kind.Name + " has no action \"" + op.Action + "\"",
			Remedy: "`dovetail explain " + st.kind.Name + "` shows its actions"}
		if near := suggest.Nearest(op.Action, names); near != "" {
			e.Remedy = "did you mean \"" + near + "\"?"
		}
		p.fail(i, e)
		return nil
	}
	status, err := statusFor(st.current)
	if err != nil {
		p.fail(i, dovetail.AsError(err))
		return nil
	}
	now := p.now.UTC().Format(time.RFC3339Nano)
	entry := value.NewMap()
	entry.Set("action", value.NewString(op.Action))
	entry.Set("at", value.NewString(now))
	if op.Data != nil {
		entry.Set("body", op.Data.Unplaced())
	}
	if st.kind.Lifecycle != nil {
		if st.action = st.kind.Lifecycle.Action(op.Action); st.action != nil {
			next := p.transition(i, st)
			if st.invalid {
				return nil
			}
			entry.Set("state", value.NewString(next.State))
			if st.action.Revision != "" && next.Revision > 0 {
				entry.Set("revision", value.NewNumber(int64(next.Revision)))
			}
			if st.action.Work {
				entry.Set("number", value.NewNumber(int64(next.Number)))
			}
			if err := next.set(status); err != nil {
				p.fail(i, dovetail.AsError(err))
				return nil
			}
		}
	}
	addAction(status, entry)
	return status
}

// addAction adds an entry to the actions of a status, of which the last ones are kept.
func addAction(status, entry *value.Value) {
	actions := value.NewList()
	if have := status.Get("actions"); have != nil && have.Kind == value.List {
		actions = have
	}
	total := len(actions.Items)
	if before := status.Get(ActionsTotal); before != nil && before.Kind == value.Number {
		if n, err := strconv.Atoi(before.Text); err == nil && n < math.MaxInt {
			total = max(total, n)
		}
	}
	total++
	actions.Items = append(actions.Items, entry)
	actions.Items = slices.Clone(actions.Items[max(0, len(actions.Items)-KeptActions):])
	status.Set("actions", actions)
	if total > len(actions.Items) {
		status.Set(ActionsTotal, value.NewNumber(int64(total)))
	}
}

// statusFor returns the status of a document to be changed, an empty one if there is none.
func statusFor(doc *dovetail.Document) (*value.Value, error) {
	if doc == nil || len(doc.Status) == 0 {
		return value.NewMap(), nil
	}
	status, err := value.StatusOf(doc)
	if err == nil && status.Kind != value.Map {
		status = value.NewMap()
	}
	return status, err
}

// actionTargets returns what the bodies of actions refer to, by step; a missing choice and a lack of rights are errors of
// the step.
func (p *plan) actionTargets(i int, st *step) []schema.Candidate {
	if st.action == nil || len(st.action.References) == 0 {
		return nil
	}
	body := st.op.Data
	if body == nil {
		body = value.NewMap()
	}
	violations := st.action.Validate(body)
	for _, violation := range violations.Kept() {
		p.fail(i, violation)
	}
	p.errs.Count(violations.Omitted())
	if st.invalid {
		return nil
	}
	var allowed []schema.Candidate
	for _, c := range st.action.Extract(st.op.ID, body) {
		targets := slices.DeleteFunc(slices.Clone(c.Targets), func(target dovetail.Reference) bool { return !p.mayRefer(i, target) })
		if len(targets) == 0 {
			p.fail(i, p.mayNotRefer(i, c.Targets))
			continue
		}
		c.Targets = targets
		allowed = append(allowed, c)
	}
	return allowed
}
