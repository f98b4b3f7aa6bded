package store_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

const lifecycleSchema = `
resources:
  - name: cluster
    lifecycle:
      initial: Created
      actions:
        apply: {from: [Created, Terminated], to: Applied}
        terminate: {from: [Applied], to: Terminated}
      freeze: {delete: [Applied], children: {network: [Applied]}}
  - name: network
    parent: cluster
  - name: version
    parent: cluster
  - name: job
    references:
      - {name: cluster, at: spec.cluster}
    lifecycle:
      initial: Created
      actions:
        approve: {from: [Created, Updated], to: Approved}
        run: {from: [Approved], to: Running, needs: {cluster: [Applied]}}
        stop: {from: Running, to: Approved}
        note: {}
        migrate: {from: [Running], references: [{name: version, at: spec.target, required: true}]}
      states: [Approved, Created, Running, Updated]
      freeze: {put: [Running], delete: [Running]}
    actions: [ping]
`

// stateErrors renders the parts of an error with the state that each names; other errors as describe does.
func stateErrors(err error) []string {
	if err == nil {
		return nil
	}
	e := dovetail.AsError(err)
	if len(e.Errors) == 0 {
		e = &dovetail.Error{Errors: []*dovetail.Error{e}}
	}
	var lines []string
	for _, part := range e.Errors {
		if part.Reason != store.ReasonState {
			lines = append(lines, describe(part)...)
			continue
		}
		state := "?"
		if part.InState != nil {
			state = part.InState.State + " " + strings.Join(part.InState.Allowed, ",")
		}
		lines = append(lines, fmt.Sprintf("%d %s STATE %s", part.Index, part.Key, state))
	}
	return lines
}

// step reads "do ID ACTION BODY", and what op reads.
func step(t testing.TB, line string) store.Operation {
	t.Helper()
	rest, isAction := strings.CutPrefix(line, "do ")
	if !isAction {
		return op(t, line)
	}
	words := strings.SplitN(rest, " ", 3)
	o := store.Operation{Verb: store.PutStatus, ID: dovetail.ID(words[0]), Action: words[1]}
	if len(words) == 3 {
		o.Data = parse(t, words[2])
	}
	return o
}

// try applies the steps, those of each line by " & " in one transaction, and returns the first error.
func try(t testing.TB, s *store.Store, dryRun bool, lines ...string) error {
	t.Helper()
	for _, line := range lines {
		var operations []store.Operation
		for one := range strings.SplitSeq(line, " & ") {
			operations = append(operations, step(t, one))
		}
		if _, err := s.Apply(context.Background(), operations, store.Options{DryRun: dryRun}); err != nil {
			return err
		}
	}
	return nil
}

func TestLifecycle(t *testing.T) {
	running := []string{"do cluster/c apply", "do job/j approve", "do job/j run"}
	const inRunning = "1 job/j STATE Running migrate,note,stop"
	tests := []struct {
		name   string
		before []string // transactions that succeed
		do     string
		want   []string // errors
	}{
		{"a new document has the initial state", nil, "do job/j run", []string{"1 job/j STATE Created approve,note"}},
		{"an action that is possible", nil, "do job/j approve", nil},
		{"an action twice", []string{"do job/j approve"}, "do job/j approve", []string{"1 job/j STATE Approved note,run"}},
		{"an action in every state", running, "do job/j note", nil},
		{"an action without a state", running, "do job/j ping", nil},
		{"an unknown action", nil, "do job/j aprove", []string{`1 invalid job/j`}},
		{"another document is not in the state", []string{"do job/j approve"}, "do job/j run", []string{"1 cluster/c STATE Created apply"}},
		{"another document is in the state", []string{"do cluster/c apply", "do job/j approve"}, "do job/j run", nil},
		{"put in a frozen state", running, `put job/j {"spec":{"cluster":{"cluster":"c"},"n":2}}`, []string{inRunning}},
		{"patch in a frozen state", running, `patch job/j {"spec":{"n":2}}`, []string{inRunning}},
		{"put that changes nothing", running, `put job/j {"spec":{"cluster":{"cluster":"c"}}}`, nil},
		{"delete in a frozen state", running, "delete job/j", []string{inRunning}},
		{"delete after it", append(running, "do job/j stop"), "delete job/j", nil},
		{"in a batch", running, "create cluster/x & delete job/j", []string{"2 job/j STATE Running migrate,note,stop"}},
		{"a cascade from above", running, "cascade-delete cluster/c", []string{inRunning}},
		{"the state in data", nil, `put job/j {"spec":{},"status":{"lifecycle":{"state":"Running"}}}`, nil},
		{"create a child in a frozen state", []string{"do cluster/c apply"}, "put cluster/c/network/m", []string{"1 cluster/c STATE Applied terminate"}},
		{"change a child in a frozen state", []string{"do cluster/c apply"}, `put cluster/c/network/n {"a":1}`, []string{"1 cluster/c STATE Applied terminate"}},
		{"delete a child in a frozen state", []string{"do cluster/c apply"}, "delete cluster/c/network/n", []string{"1 cluster/c STATE Applied terminate"}},
		{"change a child after it", []string{"do cluster/c apply", "do cluster/c terminate"}, `put cluster/c/network/n {"a":1}`, nil},
		{"a child of another kind", []string{"do cluster/c apply"}, "put cluster/c/version/w", nil},
		{"parent and child at once", nil, "put cluster/d & put cluster/d/network/n", nil},
		{"freeze and change a child at once", nil, "do cluster/c apply & put cluster/c/network/m", []string{"2 cluster/c STATE Applied terminate"}},
		{"a body without its reference", running, "do job/j migrate", []string{"1 unprocessable job/j"}},
		{"a body that refers to nothing there", running, `do job/j migrate {"spec":{"target":{"cluster":"c","version":"x"}}}`,
			[]string{"1 missing job/j missing=cluster/c/version/x"}},
		{"a body that refers to a document", running, `do job/j migrate {"spec":{"target":{"cluster":"c","version":"v"}}}`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, lifecycleSchema)
			apply(t, s, "put cluster/c", "put cluster/c/network/n", "put cluster/c/version/v", `put job/j {"spec":{"cluster":{"cluster":"c"}}}`)
			if err := try(t, s, false, test.before...); err != nil {
				t.Fatal(err)
			}
			before := historyOf(t, s, "job/j")
			dry, err := try(t, s, true, test.do), try(t, s, false, test.do)
			if got := stateErrors(err); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got := stateErrors(dry); !slices.Equal(got, test.want) {
				t.Errorf("the dry run says %q, want %q", got, test.want)
			}
			if after := historyOf(t, s, "job/j"); err != nil && !slices.Equal(before, after) {
				t.Errorf("a refused transaction led from %v to %v", before, after)
			}
			requireClean(t, s)
		})
	}
}

// Only actions change the state: a service that writes the status keeps it, and so does who writes nothing of it.
func TestStateIsKept(t *testing.T) {
	ctx := context.Background()
	s := open(t, lifecycleSchema)
	if err := try(t, s, false, "put job/j", `do job/j approve {"why":"x"}`); err != nil {
		t.Fatal(err)
	}
	for _, status := range []string{`{"phase":"ready"}`, `{"phase":"set","lifecycle":{"state":"Running"}}`, `{"lifecycle":null}`} {
		apply(t, s, "status job/j "+status)
		doc, err := s.Get(ctx, "job/j")
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Phase     string
			Lifecycle struct{ State, Action, Since string }
		}
		if err := json.Unmarshal(doc.Status, &got); err != nil || got.Lifecycle.State != "Approved" || got.Lifecycle.Action != "approve" || got.Lifecycle.Since == "" {
			t.Errorf("after %s the status is %s, %v", status, doc.Status, err)
		}
	}
	doc, err := s.Get(ctx, "job/j")
	if err != nil {
		t.Fatal(err)
	}
	// An import keeps the state that a document had; one that its kind does not have is refused.
	other := open(t, lifecycleSchema)
	if _, err := other.Import(ctx, []*dovetail.Document{doc}, store.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := try(t, other, false, "do job/j approve"); dovetail.AsError(err).Reason != store.ReasonState {
		t.Errorf("the import brought another state: %v", err)
	}
	bad := *doc
	bad.ID, bad.Status = "job/k", json.RawMessage(`{"lifecycle":{"state":"Gone"}}`)
	if _, err := other.Import(ctx, []*dovetail.Document{&bad}, store.Options{}); dovetail.CodeOf(err) != dovetail.CodeUnprocessable {
		t.Errorf("a state that there is not: %v", err)
	}
	// What is deleted and created again by a revert has the state that it had.
	apply(t, s, "delete job/j")
	if _, err := s.Rollback(ctx, "job/j", "", store.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := try(t, s, false, "do job/j approve"); dovetail.AsError(err).Reason != store.ReasonState {
		t.Errorf("the rollback brought another state: %v", err)
	}
}

// Documents of before have the initial state; a state that documents are in cannot go.
func TestLifecycleInSetModel(t *testing.T) {
	ctx := context.Background()
	s := open(t, "resources: [{name: cluster}, {name: network, parent: cluster}, {name: version, parent: cluster}, {name: job}]")
	apply(t, s, "put job/j", "put job/k")
	setModel(t, s, compile(t, lifecycleSchema))
	if err := try(t, s, false, "do job/j approve & do job/k approve"); err != nil {
		t.Fatal(err)
	}
	without := strings.NewReplacer("Approved, Created", "Created", "to: Approved", "to: Created", "[Approved]", "[Created]").Replace(lifecycleSchema)
	err := s.SetModel(ctx, compile(t, without))
	e := dovetail.AsError(err)
	if e == nil || len(e.Errors) != 2 || e.Errors[0].Key != "job/j" || !strings.Contains(e.Errors[0].Message, "it is in the state Approved") || !strings.Contains(e.Message, "2 stored documents") {
		t.Fatalf("%v", err)
	}
	requireClean(t, s)
}

// A change set holds no transitions, and its merge respects the state that a document has then.
func TestLifecycleInChangeSet(t *testing.T) {
	s := open(t, lifecycleSchema)
	apply(t, s, "put job/j")
	view := overlayOf(t, s, staging{})
	if err := try(t, view, false, "do job/j approve"); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a staged action: %v", err)
	}
}

// overtaken is a backend on which another writer is done between the plan of a transaction and its commit.
type overtaken struct {
	store.Backend
	write func() // once, if it is not nil
}

func (b *overtaken) Commit(ctx context.Context, txn store.Txn) error {
	if write := b.write; write != nil {
		b.write = nil
		write()
	}
	return b.Backend.Commit(ctx, txn)
}

// An action does not rest on a state of another document that has changed since it was planned.
func TestNeededStateAtCommit(t *testing.T) {
	s := open(t, lifecycleSchema)
	apply(t, s, "put cluster/c", `put job/j {"spec":{"cluster":{"cluster":"c"}}}`)
	if err := try(t, s, false, "do cluster/c apply", "do job/j approve"); err != nil {
		t.Fatal(err)
	}
	b := &overtaken{Backend: s.Backend()}
	over := openOn(t, b, s.Model(), store.Config{})
	b.write = func() {
		if err := try(t, s, false, "do cluster/c terminate"); err != nil {
			t.Error(err)
		}
	}
	err := try(t, over, false, "do job/j run")
	if got, want := stateErrors(err), []string{"1 cluster/c STATE Terminated apply"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

type reached struct{ state, action string }

// historyOf returns the states of a document, the first one first.
func historyOf(t *testing.T, s *store.Store, id dovetail.ID) []reached {
	t.Helper()
	var states []reached
	for v, err := range s.History(context.Background(), id) {
		if err != nil {
			t.Fatal(err)
		}
		if v.Document == nil { // deleted
			continue
		}
		var status struct {
			Lifecycle struct{ State, Action string }
		}
		if err := json.Unmarshal(v.Document.Status, &status); err != nil {
			t.Fatal(err)
		}
		states = append(states, reached{status.Lifecycle.State, status.Lifecycle.Action})
	}
	slices.Reverse(states)
	return states
}

// TestLifecycleLikeModel does random actions and writes beside a model of what they do.
func TestLifecycleLikeModel(t *testing.T) {
	text := strings.ReplaceAll(lifecycleSchema, ", needs: {cluster: [Applied]}", "")
	job, _ := compile(t, text).Kind("job")
	rapid.Check(t, func(rt *rapid.T) {
		s := openOnce(t, rt, text)
		state := "" // of the job; "" if there is none
		for n := range rapid.IntRange(1, 15).Draw(rt, "steps") {
			do := rapid.SampledFrom([]string{"approve", "run", "stop", "note", "put", "delete", "ping"}).Draw(rt, "do")
			line, next, allowed := "do job/j "+do, state, state != ""
			switch do {
			case "put":
				line = fmt.Sprintf(`put job/j {"n":%d}`, n)
				if allowed = state != "Running"; state == "" {
					next = "Created"
				}
			case "delete":
				line, next, allowed = "delete job/j", "", allowed && state != "Running"
			case "ping":
			default:
				if allowed {
					to := job.Lifecycle.Action(do).Next(schema.Standing{State: state})
					if allowed = to != nil; allowed {
						next = cmp.Or(to.To, state)
					}
				}
			}
			if err := try(t, s, false, line); (err == nil) != allowed {
				rt.Fatalf("%s in %q: %v", line, state, err)
			}
			if allowed {
				state = next
			}
			doc, err := s.Get(context.Background(), "job/j")
			if state == "" && dovetail.CodeOf(err) == dovetail.CodeNotFound {
				continue
			}
			if err != nil || store.StateOf(job, doc) != state {
				rt.Fatalf("after %s: %v, want %q", line, err, state)
			}
		}
	})
}

// TestImportBelowFrozen imports a parent in a state that freezes its children together with these, as an export has them. Below a
// parent that is there already nothing is imported.
func TestImportBelowFrozen(t *testing.T) {
	from := open(t, lifecycleSchema)
	apply(t, from, "create cluster/c", "create cluster/c/network/n")
	if err := try(t, from, false, "do cluster/c apply"); err != nil {
		t.Fatal(err)
	}
	documents := collected(t, from.Export(t.Context()))
	to := open(t, lifecycleSchema)
	if _, err := to.Import(t.Context(), documents, store.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := to.Apply(t.Context(), ops(t, "delete cluster/c/network/n"), store.Options{}); dovetail.AsError(err).Reason != store.ReasonState {
		t.Errorf("the state was not imported: %v", err)
	}
	further := *documents[1]
	further.ID = "cluster/c/network/m"
	if _, err := to.Import(t.Context(), []*dovetail.Document{&further}, store.Options{}); dovetail.AsError(err).Reason != store.ReasonState {
		t.Errorf("imported below a parent that is frozen: %v", err)
	}
}
