package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// A transaction that is sent again under its key changes nothing and has the same result, whatever
// happened in between.
func TestReplay(t *testing.T) {
	tests := []struct {
		name    string
		given   []string
		ops     []string
		between []string
	}{
		{name: "create", ops: []string{`create project/p {"text":"<&>"}`}},
		{name: "create, deleted since", ops: []string{`create project/p {"a":1}`}, between: []string{"delete project/p"}},
		{name: "put, written since", given: []string{"create project/p"}, ops: []string{`put project/p {"a":1}`}, between: []string{`put project/p {"a":2}`}},
		{name: "patch", given: []string{`create project/p {"a":1}`}, ops: []string{`patch project/p {"b":2}`}},
		{name: "status", given: []string{"create project/p"}, ops: []string{`status project/p {"phase":"x"}`}},
		{name: "delete, created since", given: []string{"create project/p"}, ops: []string{"delete project/p"}, between: []string{"create project/p"}},
		{name: "cascade", given: []string{"create project/p", "create project/p/app/a"}, ops: []string{"cascade-delete project/p"}},
		{name: "several", ops: []string{"create project/p", "create project/p/app/a"}},
		{name: "unchanged, written since", given: []string{`create project/p {"a":1}`}, ops: []string{`put project/p {"a":1}`}, between: []string{`put project/p {"a":2}`}},
		{name: "with warnings", given: []string{"create project/p"}, ops: []string{`create project/p/note/n {"spec":{"app":"gone"}}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, testSchema)
			if len(tt.given) > 0 {
				apply(t, s, tt.given...)
			}
			first, err := s.Apply(t.Context(), ops(t, tt.ops...), store.Options{Key: "k"})
			if err != nil || first.Repeated {
				t.Fatalf("first: %v, %+v", err, first)
			}
			if len(tt.between) > 0 {
				apply(t, s, tt.between...)
			}
			before := dump(t, s)
			again, err := s.Apply(t.Context(), ops(t, tt.ops...), store.Options{Key: "k"})
			if err != nil || !again.Repeated {
				t.Fatalf("again: %v, %+v", err, again)
			}
			whole := len(tt.ops) == 1
			if got, want := renderResult(again, whole), renderResult(first, whole); got != want {
				t.Errorf("again: got\n%s\nwant\n%s", got, want)
			}
			if after := dump(t, s); !slices.Equal(before, after) {
				t.Errorf("the repetition changed something: %v, then %v", before, after)
			}
			requireClean(t, s)
		})
	}
}

// renderResult renders a result, with the documents' data or without.
func renderResult(r *store.Result, whole bool) string {
	var b strings.Builder
	for i, outcomes := range [][]store.Outcome{r.Outcomes, r.Cascaded} {
		for _, o := range outcomes {
			fmt.Fprintf(&b, "%s %s %s %s %v %v", o.Effect, o.Document.ID, o.Document.Kind, o.Document.ETag(), o.Document.Updated, o.Cause)
			if whole && i == 0 {
				fmt.Fprintf(&b, " %s %s %v", o.Document.Data, o.Document.Status, o.Document.References)
			}
			for _, w := range o.Warnings {
				b.WriteString(" " + w.Message)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestRepeatRefused(t *testing.T) {
	s := open(t, testSchema)
	key := store.Options{Key: "k"}
	_, err := s.Apply(t.Context(), ops(t, "create project/p/app/a"), key)
	if dovetail.CodeOf(err) != dovetail.CodeMissing {
		t.Fatalf("a child without parent: %v", err)
	}
	apply(t, s, "create project/p")
	if r, err := s.Apply(t.Context(), ops(t, "create project/p/app/a"), key); err != nil || r.Repeated {
		t.Errorf("a refused transaction was not tried again: %v", err)
	}
	if _, err := s.Apply(t.Context(), ops(t, "create project/q"), key); dovetail.CodeOf(err) != dovetail.CodeUnprocessable {
		t.Errorf("another transaction with the key: %v", err)
	}
	if _, err := s.Apply(t.Context(), ops(t, "create project/q"), store.Options{Key: strings.Repeat("k", store.MaxKey+1)}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a key that is too long: %v", err)
	}
	for range 2 {
		if r, err := s.Apply(t.Context(), ops(t, "create project/r"), store.Options{Key: "dry", DryRun: true}); err != nil || r.Repeated {
			t.Errorf("a dry run with a key: %v", err)
		}
	}
}

// Of many concurrent requests with one key one is executed, and all get the same answer.
func TestRepeatAtOnce(t *testing.T) {
	s := open(t, testSchema)
	results := make([]*store.Result, 16)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			var err error
			if results[i], err = s.Apply(t.Context(), ops(t, `put project/p {"a":1}`), store.Options{Key: "k"}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	done := 0
	for _, r := range results {
		if !r.Repeated {
			done++
		}
		if renderResult(r, true) != renderResult(results[0], true) {
			t.Errorf("answered %s, and %s", renderResult(r, true), renderResult(results[0], true))
		}
	}
	if done != 1 {
		t.Errorf("done %d times", done)
	}
}

func TestForget(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := openWith(t, testSchema, store.Config{Clock: func() time.Time { return now }})
	send := func(key, line string) *store.Result {
		t.Helper()
		r, err := s.Apply(t.Context(), ops(t, line), store.Options{Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	send("old", "put project/old")
	now = now.Add(time.Hour)
	send("young", "put project/young")
	if err := s.PurgeIdempotencyRecords(t.Context(), now, nil); err != nil {
		t.Fatal(err)
	}
	if send("old", "put project/old").Repeated {
		t.Error("the old key is known")
	}
	if !send("young", "put project/young").Repeated {
		t.Error("the young key is not known")
	}
	made := now
	now = now.Add(90 * time.Minute)
	send("later", "put project/later")
	if err := s.PurgeIdempotencyRecords(t.Context(), made.Add(time.Minute), nil); err != nil {
		t.Fatal(err)
	}
	if send("young", "put project/young").Repeated {
		t.Error("the key that was young is known")
	}
	if !send("later", "put project/later").Repeated {
		t.Error("the later key is not known")
	}
}

// Who no longer holds the lease of forgetting forgets nothing.
func TestForgetUnderFence(t *testing.T) {
	s := open(t, testSchema)
	if _, err := s.Apply(t.Context(), ops(t, "put project/a"), store.Options{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	broken := &store.Condition{Test: store.AtVersion, ID: "_lease/upkeep", Version: dovetail.ETag{UID: "u", Revision: 1}}
	err := s.PurgeIdempotencyRecords(t.Context(), later, broken)
	if dovetail.CodeOf(err) != dovetail.CodeConflict || dovetail.AsError(err).Reason != store.ReasonFenced {
		t.Errorf("the fence is broken: %v", err)
	}
	repeat := func() bool {
		t.Helper()
		r, err := s.Apply(t.Context(), ops(t, "put project/a"), store.Options{Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		return r.Repeated
	}
	if !repeat() {
		t.Error("the key was forgotten all the same")
	}
	if err := s.PurgeIdempotencyRecords(t.Context(), later, &store.Condition{Test: store.Absent, ID: "_lease/upkeep"}); err != nil {
		t.Fatal(err)
	}
	if repeat() {
		t.Error("the key was not forgotten")
	}
}

// Of a transaction and an Abort of its key that run at the same time exactly one has its way, and the other knows it.
func TestAbort(t *testing.T) {
	s := open(t, testSchema)
	committed, given := 0, 0
	for i := range 100 {
		id, key := fmt.Sprint("project/p", i), fmt.Sprint("k", i)
		var applied, answered *store.Result
		var refused, failed error
		var group sync.WaitGroup
		group.Go(func() { applied, refused = s.Apply(t.Context(), ops(t, "create "+id), store.Options{Key: key}) })
		group.Go(func() { answered, failed = s.Abort(t.Context(), key) })
		group.Wait()
		_, err := s.Get(t.Context(), dovetail.ID(id))
		switch {
		case failed != nil:
			t.Fatal(failed)
		case err == nil && refused == nil && answered != nil:
			committed++
			if got, want := renderResult(answered, true), renderResult(applied, true); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		case dovetail.CodeOf(err) == dovetail.CodeNotFound && answered == nil && dovetail.CodeOf(refused) == dovetail.CodeConflict && dovetail.AsError(refused).Reason == store.ReasonAborted:
			given++
		default:
			t.Fatalf("stored: %v, applied: %v, aborted: %v", err, refused, answered)
		}
		if _, err := s.ResultByIdempotencyKey(t.Context(), key); (err == nil) != (answered != nil) {
			t.Error(err)
		}
	}
	t.Log(committed, "committed,", given, "aborted")
	requireClean(t, s)
}

// The outcome of a large transaction is recorded compressed, since backends bound the size of a document, and read back.
func TestOutcomeOfMany(t *testing.T) {
	const many = 5_000
	s := open(t, testSchema)
	operations := make([]store.Operation, many)
	for i := range operations {
		operations[i] = store.NewOperation(store.Create, dovetail.ID(fmt.Sprint("project/p", i)), map[string]any{})
	}
	first, err := s.Apply(t.Context(), operations, store.Options{Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.ResultByIdempotencyKey(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	if renderResult(first, false) != renderResult(again, false) {
		t.Error("another outcome")
	}
	if doc, err := s.ResultByIdempotencyKey(t.Context(), "other"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Error(doc, err)
	}
}
