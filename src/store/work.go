package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Work is an action that a worker carries out, and has not finished. It is a part of the status of its document, so that it is requested in
// the transaction that does the action, and goes where the document goes.
type Work struct {
	ID       dovetail.ID     `json:"id"` // of the document
	Kind     string          `json:"kind"`
	Number   int             `json:"number"` // of the action, among those of the document
	Action   string          `json:"action"`
	At       time.Time       `json:"at"` // when it was requested
	By       string          `json:"by,omitempty"`
	Body     json.RawMessage `json:"body,omitempty"`     // of the request; not in lists
	State    string          `json:"state,omitempty"`    // that it leads to when it is done; "" if there is none
	Revision int             `json:"revision,omitempty"` // of the deployment, that it makes
	Attempt  int             `json:"attempt,omitempty"`  // how often it was claimed
	// Later are the actions of the document that were requested since, in their order: a worker may finish this one early.
	Later []string `json:"later,omitempty"`

	Worker string    `json:"worker,omitempty"` // who claimed it; "" if there is none
	Until  time.Time `json:"until,omitzero"`   // when that ends, by the clock of the database
	Token  string    `json:"token,omitempty"`  // of the claim; only its worker gets it

	Document *dovetail.Document `json:"document,omitempty"` // as it was when the action was claimed
}

// work is what the status keeps of it.
type work struct {
	Number   int             `json:"number"`
	Action   string          `json:"action"`
	At       string          `json:"at"`
	By       string          `json:"by,omitempty"`
	Body     json.RawMessage `json:"body,omitempty"`
	State    string          `json:"state,omitempty"`
	Failed   string          `json:"failed,omitempty"` // the state where it fails; "" for the one until then
	Revision int             `json:"revision,omitempty"`
	Attempt  int             `json:"attempt,omitempty"`
	Worker   string          `json:"worker,omitempty"` // who claimed it last
}

// WorkResult is what became of an action.
type WorkResult struct {
	Failed  bool
	Message string // for the reader
	// Status are members that the status of the document gets, instead of those of the same names; nil if there is none. Those that
	// Dovetail writes itself are refused.
	Status *value.Value
}

// maxWork is how many actions of one document may wait.
const maxWork = 50

// workSize is what a Work of a list takes in memory, about, with its JSON.
const workSize = 700

// request adds an action to the work of a document.
func (p *plan) request(i int, st *step, to *schema.Transition, next *standing) {
	if len(next.Work) >= maxWork {
		p.fail(i, &dovetail.Error{Code: dovetail.CodeConflict, Message: fmt.Sprintf("%d actions on %s are not finished, and more cannot wait", len(next.Work), st.op.ID),
			Remedy: "`dovetail work list` shows the workers that have claimed them"})
		return
	}
	next.State, next.Progress = cmp.Or(to.Via, next.State), schema.Requested
	w := work{Number: next.Number, Action: st.op.Action, At: p.now.UTC().Format(time.RFC3339Nano), By: p.author, State: to.To, Failed: to.Failed}
	if st.action.Revision != "" {
		w.Revision = next.Revision
	}
	if st.op.Data != nil {
		w.Body = st.op.Data.JSON()
	}
	next.Work = append(slices.Clone(next.Work), w)
}

// workChange is what becomes of the first work of a document.
type workChange struct {
	number int
	worker string
	result *WorkResult // nil for a claim

	lease  *dovetail.Document // is written with it; nil if there is none
	delete dovetail.ID        // is deleted with it; "" if there is none
}

// workMembers are the members of a status that Dovetail writes itself.
var workMembers = []string{LifecycleMember, "actions", ActionsTotal}

// work returns the next status of a document whose work is claimed or finished.
func (p *plan) work(i int, st *step) *value.Value {
	change := st.op.work
	is := standingOf(st.current)
	if len(is.Work) == 0 || is.Work[0].Number != change.number {
		p.fail(i, &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonFenced, Message: fmt.Sprintf("the action %d of %s is not the next one to carry out", change.number, st.op.ID),
			Remedy: "claim again"})
		return nil
	}
	status, err := statusFor(st.current)
	if err != nil {
		p.fail(i, dovetail.AsError(err))
		return nil
	}
	w := is.Work[0]
	last := w.Number == is.Number // no action came after it
	is.Work = slices.Clone(is.Work)
	if change.result == nil {
		is.Work[0].Worker = change.worker
		is.Work[0].Attempt++
		if last {
			is.Progress = schema.Running
		}
	} else {
		is.Work = is.Work[1:]
		progress, state := schema.Done, w.State
		if change.result.Failed {
			progress, state = schema.Failed, w.Failed
		}
		if last {
			is.Progress, is.Message = progress, change.result.Message
		}
		if state != "" && state != is.State && is.Led <= w.Number { // no later action has led elsewhere
			is.State, is.Since = state, p.now.UTC().Format(time.RFC3339Nano)
		}
		p.recordResult(status, w, progress, change.result.Message)
		if change.result.Status != nil {
			both := value.BuilderOf(status)
			both.SetAll(change.result.Status.Unplaced())
			status = both.Map()
		}
	}
	if err := is.set(status); err != nil {
		p.fail(i, dovetail.AsError(err))
	}
	if change.lease != nil {
		p.txn.Puts = append(p.txn.Puts, change.lease)
	}
	if change.delete != "" {
		p.txn.Deletes = append(p.txn.Deletes, change.delete)
	}
	return status
}

// recordResult adds the result to the entry of the action in the status, as long as that is kept.
func (p *plan) recordResult(status *value.Value, w work, progress schema.Progress, message string) {
	list := status.Get("actions")
	if list == nil {
		return
	}
	for n, entry := range list.Items {
		if is := entry.Get("number"); is == nil || is.Text != fmt.Sprint(w.Number) {
			continue
		}
		entry = entry.Clone()
		entry.Set("result", value.NewString(string(progress)))
		entry.Set("finished", value.NewString(p.now.UTC().Format(time.RFC3339Nano)))
		if w.Worker != "" {
			entry.Set("worker", value.NewString(w.Worker))
		}
		if message != "" {
			entry.Set("message", value.NewString(message))
		}
		list.Items[n] = entry
	}
}

// firstWork is the work of a document that comes first; nil if there is none.
func firstWork(doc *dovetail.Document) *Work {
	is := standingOf(doc)
	if len(is.Work) == 0 {
		return nil
	}
	w := is.Work[0]
	at, _ := time.Parse(time.RFC3339Nano, w.At)
	open := &Work{ID: doc.ID, Kind: doc.Kind, Number: w.Number, Action: w.Action, At: at, By: w.By, Body: w.Body, State: w.State, Revision: w.Revision, Attempt: w.Attempt}
	for _, later := range is.Work[1:] {
		open.Later = append(open.Later, later.Action)
	}
	return open
}

// WorkKinds are the kinds, sorted, of which workers carry actions out.
func (s *Store) WorkKinds() []string {
	var kinds []string
	for _, kind := range s.Model().Kinds() {
		if kind.Lifecycle != nil && slices.ContainsFunc(kind.Lifecycle.Actions, func(a *schema.LifecycleAction) bool { return a.Work }) {
			kinds = append(kinds, kind.Name)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// OpenWork returns, of each document of some kinds that the principal may read, the work that comes first, without the body of its request, the oldest
// first. It reads all documents of the kinds; none stands for all of WorkKinds. What it returns is counted by HoldMemory.
//
// Errors: CodeInvalid for a kind of which no action is carried out by a worker.
func (s *Store) OpenWork(ctx context.Context, kinds ...string) ([]*Work, error) {
	all := s.WorkKinds()
	for _, kind := range kinds {
		if !slices.Contains(all, kind) {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "no action of a " + kind + " is carried out by a worker",
				Remedy: `write "work: true" to the action in the ref-schema, or name one of these: ` + strings.Join(all, ", ")}
		}
	}
	if len(kinds) == 0 {
		kinds = all
	}
	leases, err := s.workLeases(ctx)
	if err != nil {
		return nil, err
	}
	open := []*Work{}
	for _, kind := range slices.Compact(slices.Sorted(slices.Values(kinds))) {
		for doc, err := range s.Documents(ctx, ListQuery{Kind: kind}) {
			if err != nil {
				return nil, err
			}
			w := firstWork(doc)
			if w == nil {
				continue
			}
			w.Body = nil // of which there can be many, and large ones
			if err := HoldMemory(ctx, int64(workSize+len(w.ID))); err != nil {
				return nil, err
			}
			if l, held := leases[doc.UID]; held && l.Number == w.Number {
				w.Worker, w.Until = l.Worker, l.Until
			}
			open = append(open, w)
		}
	}
	slices.SortStableFunc(open, func(a, b *Work) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return open, nil
}
