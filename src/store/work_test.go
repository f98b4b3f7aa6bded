package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/store"
)

const workSchema = `
resources:
  - name: cloud
    lifecycle:
      initial: Created
      actions:
        start: {from: [Created, Stopped], to: Started, work: true}
        stop: {from: [Started/done, Started/failed], to: Stopped, work: true, unreferenced: true}
      freeze: {delete: [Started, Stopped/pending], children: {part: [Started/pending]}}
  - name: part
    parent: cloud
  - name: group
    references:
      - {name: cloud, at: spec.cloud}
    lifecycle:
      initial: Created
      actions:
        approve: {from: [Created, Stopped/done], to: Approved}
        start: {from: Approved, to: Started, via: Starting, failed: Approved, work: true, revision: first, needs: {cloud: [Started/done]}}
        update: {from: Started, work: true, revision: next}
        rollback: {from: Started, work: true, revision: next, restores: spec.revision}
        note: {work: true}
        cancel: {from: Starting/pending, to: Stopped, work: true}
`

// worker does the claims of a test, and keeps tokens by documents.
type worker struct {
	*store.Store
	tokens map[dovetail.ID]string
}

// line does "claim ID WORKER", "done ID", "fail ID MESSAGE", "renew ID", or what step reads, and says what came of it.
func (w *worker) line(t *testing.T, line string) string {
	t.Helper()
	words := strings.SplitN(line, " ", 3)
	words = append(words, "", "")
	id := dovetail.ID(words[1])
	said := func(work *store.Work, err error) string {
		if err != nil {
			return strings.Join(stateErrors(err), "; ")
		}
		return fmt.Sprintf("%s %d %s to %s r%d attempt %d later %s", work.Worker, work.Number, work.Action, work.State, work.Revision, work.Attempt, strings.Join(work.Later, ","))
	}
	switch words[0] {
	case "claim":
		work, err := w.ClaimWork(t.Context(), id, words[2], time.Minute, store.Options{})
		if err == nil {
			w.tokens[id] = work.Token
		}
		return said(work, err)
	case "renew":
		return said(w.RenewWork(t.Context(), id, w.tokens[id], time.Minute, store.Options{}))
	case "done", "fail":
		doc, err := w.FinishWork(t.Context(), id, w.tokens[id], store.WorkResult{Failed: words[0] == "fail", Message: words[2]}, store.Options{})
		if err != nil {
			return strings.Join(stateErrors(err), "; ")
		}
		return standing(doc)
	case "rename":
		if _, err := w.Rename(t.Context(), id, dovetail.ID(words[2]), store.Options{}); err != nil {
			return strings.Join(stateErrors(err), "; ")
		}
		return ""
	case "merge": // a staged rename
		var staged []store.Staged
		view, err := w.Overlay(t.Context(), "", nil, func(_ context.Context, changes []store.Staged) error { staged = append(staged, changes...); return nil })
		if err == nil {
			_, err = view.Rename(t.Context(), id, dovetail.ID(words[2]), store.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		operations, conflicts, err := w.MergeOperations(t.Context(), staged, nil)
		if err == nil && len(conflicts) == 0 {
			_, err = w.Apply(t.Context(), operations, store.Options{})
		}
		if err != nil || len(conflicts) > 0 {
			return fmt.Sprint(err, conflicts)
		}
		return ""
	case "is":
		doc, err := w.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return standing(doc)
	case "wait":
		clocktest.Advance(2 * time.Minute)
		return ""
	}
	return strings.Join(stateErrors(try(t, w.Store, false, line)), "; ")
}

// standing is the state of a document in words.
func standing(doc *dovetail.Document) string {
	var status struct {
		Lifecycle struct {
			State, Progress, Message string
			Revision                 int
			Work                     []struct{ Action string }
		}
	}
	if err := json.Unmarshal(doc.Status, &status); err != nil {
		return err.Error()
	}
	l := status.Lifecycle
	text := strings.TrimSpace(fmt.Sprintf("%s %s %s", l.State, l.Progress, l.Message))
	if l.Revision > 0 {
		text += fmt.Sprintf(" r%d", l.Revision)
	}
	for _, w := range l.Work {
		text += " +" + w.Action
	}
	return text
}

func TestWork(t *testing.T) {
	const started = "do cloud/c start|claim cloud/c a|done cloud/c|do group/g approve|do group/g start"
	tests := []struct {
		name   string
		before string   // lines with |
		lines  []string // LINE => what comes of it
	}{
		{"requested, claimed, done", "", []string{
			"do cloud/c start => ", "is cloud/c => Started requested +start", "claim cloud/c a => a 1 start to Started r0 attempt 1 later ", "is cloud/c => Started running +start",
			"renew cloud/c => a 1 start to Started r0 attempt 1 later ", "done cloud/c all fine => Started done all fine", "claim cloud/c a => 0 not-found cloud/c"}},
		{"failed", "", []string{"do cloud/c start => ", "claim cloud/c a => a 1 start to Started r0 attempt 1 later ", "fail cloud/c no room => Started failed no room", "delete group/g => ", "do cloud/c stop => "}},
		{"by way of a state", started, []string{"is group/g => Starting requested r1 +start", "claim group/g a => a 2 start to Started r1 attempt 1 later ", "done group/g => Started done r1"}},
		{"failing into a state", started, []string{"claim group/g a => a 2 start to Started r1 attempt 1 later ", "fail group/g => Approved failed r1"}},
		{"another worker", started, []string{"claim group/g a => a 2 start to Started r1 attempt 1 later ", "claim group/g b => 0 conflict group/g", "claim group/g a => a 2 start to Started r1 attempt 2 later "}},
		{"another worker once the claim is over", started, []string{"claim group/g a => a 2 start to Started r1 attempt 1 later ", "wait => ", "claim group/g b => b 2 start to Started r1 attempt 2 later ", "done group/g => Started done r1"}},
		{"an expired claim that no other worker took", started, []string{"claim group/g a => a 2 start to Started r1 attempt 1 later ", "wait => ", "done group/g => Started done r1"}},
		{"finishing twice", started, []string{"claim group/g a => a 2 start to Started r1 attempt 1 later ", "done group/g => Started done r1", "done group/g => 0 conflict group/g", "renew group/g => 0 conflict group/g"}},
		{"an action after another", started, []string{"do group/g cancel => ", "is group/g => Stopped requested r1 +start +cancel", "claim group/g a => a 2 start to Started r1 attempt 1 later cancel",
			"is group/g => Stopped requested r1 +start +cancel", "fail group/g => Stopped requested r1 +cancel", "claim group/g a => a 3 cancel to Stopped r0 attempt 1 later ", "done group/g => Stopped done r1"}},
		{"what is pending is frozen", "do cloud/c start", []string{"put cloud/c/part/p {} => 1 cloud/c STATE Started ", "claim cloud/c a => a 1 start to Started r0 attempt 1 later ",
			"put cloud/c/part/p {} => 1 cloud/c STATE Started ", "done cloud/c => Started done", "put cloud/c/part/p {} => "}},
		{"an action needs that another is done", "do cloud/c start|do group/g approve", []string{"do group/g start => 1 cloud/c STATE Started ", "claim cloud/c a => a 1 start to Started r0 attempt 1 later ", "done cloud/c => Started done", "do group/g start => "}},
		{"an action needs that nothing refers to it", "do cloud/c start|claim cloud/c a|done cloud/c", []string{"do cloud/c stop => 1 in-use cloud/c blocked=group/g/1", "delete group/g => ", "do cloud/c stop => "}},
		{"an action that leaves the state, after one that does not", started, []string{"do group/g note => ", "claim group/g a => a 2 start to Started r1 attempt 1 later note", "done group/g => Started requested r1 +note",
			"claim group/g a => a 3 note to  r0 attempt 1 later ", "fail group/g => Started failed r1"}},
		{"the same action again, before the first one is finished", started, []string{"do group/g cancel => ", "do group/g approve => 1 group/g STATE Stopped note", "claim group/g a => a 2 start to Started r1 attempt 1 later cancel",
			"done group/g => Stopped requested r1 +cancel", "claim group/g a => a 3 cancel to Stopped r0 attempt 1 later ", "done group/g => Stopped done r1"}},
		{"revisions", started + "|claim group/g a|done group/g", []string{"do group/g rollback {\"spec\":{\"revision\":\"2\"}} => 1 unprocessable group/g", "do group/g update => ", "claim group/g a => a 3 update to  r2 attempt 1 later ",
			"done group/g => Started done r2", "do group/g rollback {\"spec\":{\"revision\":\"1\"}} => ", "is group/g => Started requested r3 +rollback", "do group/g rollback => 1 unprocessable group/g"}},
		{"without anything to do", "", []string{"claim group/g a => 0 not-found group/g", "claim group/x a => 0 not-found group/x", "do group/g approve => ", "claim group/g a => 0 not-found group/g"}},
		{"of a document that is deleted", started, []string{"claim group/g a => a 2 start to Started r1 attempt 1 later ", "delete group/g => ", "renew group/g => 0 not-found group/g", "done group/g => 0 not-found group/g"}},
		{"of a document that is renamed", started, []string{"claim group/g a => a 2 start to Started r1 attempt 1 later ", "rename group/g group/h => ",
			"claim group/h b => 0 conflict group/h", "renew group/g => a 2 start to Started r1 attempt 1 later ", "done group/g => Started done r1", "is group/h => Started done r1"}},
		{"of a document that a change set renames", started, []string{"claim group/g a => a 2 start to Started r1 attempt 1 later ", "merge group/g group/h => ",
			"renew group/g => a 2 start to Started r1 attempt 1 later ", "done group/g => Started done r1"}},
		{"of a document that is renamed, and its name given to another one", started, []string{"claim group/g a => a 2 start to Started r1 attempt 1 later ", "rename group/g group/h => ",
			`put group/g {"spec":{"cloud":{"cloud":"c"}}} => `, "done group/g => Started done r1", "is group/g => Created", "renew group/g => 0 conflict group/g"}},
		{"of a document that is created again", started, []string{"claim group/g a => a 2 start to Started r1 attempt 1 later ", `delete group/g => `, `put group/g {"spec":{"cloud":{"cloud":"c"}}} => `, "renew group/g => 0 conflict group/g", "is group/g => Created"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &worker{open(t, workSchema), make(map[dovetail.ID]string)}
				apply(t, w.Store, "put cloud/c", `put group/g {"spec":{"cloud":{"cloud":"c"}}}`)
				for line := range strings.SplitSeq(test.before, "|") {
					if line != "" {
						w.line(t, line)
					}
				}
				for _, line := range test.lines {
					do, want, _ := strings.Cut(line, " => ")
					if got := w.line(t, do); got != strings.TrimSuffix(want, "=> ") {
						t.Errorf("%s: %q, want %q", do, got, want)
					}
				}
				requireClean(t, w.Store)
			})
		})
	}
}

// TestWorkOfMany has workers carry out the actions of several documents at once, some of which die on the way: each action is finished once,
// and those of a document one after the other.
func TestWorkOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const documents, workers = 8, 5
		s := open(t, workSchema)
		for n := range documents {
			apply(t, s, fmt.Sprintf("put cloud/c%d", n))
			if err := try(t, s, false, fmt.Sprintf("do cloud/c%d start", n)); err != nil {
				t.Fatal(err)
			}
		}
		var mu sync.Mutex
		finished := make(map[dovetail.ID]int)
		var group sync.WaitGroup
		for n := range workers {
			group.Go(func() {
				for turn := 0; ; turn++ {
					name := fmt.Sprintf("w%d-%d", n, turn)
					work, err := s.ClaimAnyWork(t.Context(), []string{"cloud"}, name, 10*time.Second, store.Options{})
					if err != nil {
						t.Error(err)
						return
					}
					if work == nil {
						open, err := s.OpenWork(t.Context())
						if err != nil || len(open) == 0 {
							return
						}
						clocktest.Advance(time.Second)
						continue
					}
					clocktest.Advance(time.Duration(n+1) * time.Second)
					if (n+turn)%3 == 0 {
						continue // it dies
					}
					_, err = s.FinishWork(t.Context(), work.ID, work.Token, store.WorkResult{}, store.Options{})
					mu.Lock()
					switch {
					case err == nil:
						finished[work.ID]++
					case dovetail.AsError(err).Reason != store.ReasonFenced:
						t.Error(err)
					}
					mu.Unlock()
				}
			})
		}
		group.Wait()
		for n := range documents {
			if id := dovetail.ID(fmt.Sprintf("cloud/c%d", n)); finished[id] != 1 {
				t.Errorf("%s was finished %d times", id, finished[id])
			}
		}
	})
}

// TestWorkMoves imports documents with work that is not finished elsewhere: there it is carried out.
func TestWorkMoves(t *testing.T) {
	from, to := open(t, workSchema), open(t, workSchema)
	apply(t, from, "put cloud/c")
	if err := try(t, from, false, `do cloud/c start {"why":"asked"}`); err != nil {
		t.Fatal(err)
	}
	documents := collected(t, from.Export(t.Context()))
	if _, err := to.Import(t.Context(), documents, store.Options{}); err != nil {
		t.Fatal(err)
	}
	if open, err := to.OpenWork(t.Context()); err != nil || len(open) != 1 || open[0].Body != nil {
		t.Fatal(open, err)
	}
	work, err := to.ClaimAnyWork(t.Context(), nil, "w", time.Minute, store.Options{})
	if err != nil || work == nil || work.ID != "cloud/c" || work.Document == nil || string(work.Body) != `{"why":"asked"}` {
		t.Fatal(work, err)
	}
	if _, err := from.OpenWork(t.Context(), "part"); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("work of a kind without any: %v", err)
	}
	if _, err := from.ClaimWork(t.Context(), "cloud/c", "", time.Minute, store.Options{}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a worker without a name: %v", err)
	}
	if _, err := from.ClaimWork(t.Context(), "cloud/c", "w", 2*time.Hour, store.Options{}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a claim of two hours: %v", err)
	}
	if _, err := to.FinishWork(t.Context(), "cloud/c", work.Token, store.WorkResult{Status: parse(t, `{"lifecycle":{}}`)}, store.Options{}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a result that writes the state: %v", err)
	}
	doc, err := to.FinishWork(t.Context(), "cloud/c", work.Token, store.WorkResult{Status: parse(t, `{"apps":[1]}`), Message: "as asked"}, store.Options{Message: "by hand"})
	if err != nil || !strings.Contains(string(doc.Status), `"apps":[1]`) || !strings.Contains(string(doc.Status), `"result":"done"`) {
		t.Errorf("%s %v", doc.Status, err)
	}
	if got := to.WorkKinds(); !slices.Equal(got, []string{"cloud", "group"}) {
		t.Errorf("kinds %q", got)
	}
}

// TestWorkUnderKeys repeats a claim and its renewal: each is answered as the first time, and changes nothing.
func TestWorkUnderKeys(t *testing.T) {
	s := open(t, workSchema)
	apply(t, s, "put cloud/c")
	if err := try(t, s, false, "do cloud/c start"); err != nil {
		t.Fatal(err)
	}
	key := func(text string) store.Options { return store.Options{Key: text} }
	token := ""
	for _, request := range []struct {
		name string
		send func() (*store.Work, error)
	}{
		{"claim", func() (*store.Work, error) {
			return s.ClaimWork(t.Context(), "cloud/c", "w", time.Minute, key("claim"))
		}},
		{"renew", func() (*store.Work, error) {
			return s.RenewWork(t.Context(), "cloud/c", token, time.Minute, key("renew"))
		}},
	} {
		first, err := request.send()
		if err != nil {
			t.Fatal(request.name, err)
		}
		token = first.Token
		again, err := request.send()
		if err != nil || again.Token != first.Token || !again.Until.Equal(first.Until) {
			t.Errorf("%s: it is answered with %+v (%v), the first time with %+v", request.name, again, err, first)
		}
	}
	if _, err := s.ClaimWork(t.Context(), "cloud/c", "another", time.Minute, key("claim")); dovetail.CodeOf(err) != dovetail.CodeUnprocessable {
		t.Errorf("the key serves another request: %v", err)
	}
	if work, err := s.ClaimAnyWork(t.Context(), nil, "another", time.Minute, key("any")); err != nil || work != nil {
		t.Errorf("%+v is claimed beside (%v)", work, err)
	}
}
