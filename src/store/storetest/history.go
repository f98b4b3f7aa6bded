package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

var historyTests = []test{{"history/linearizable", testHistory}}

// A history is what clients asked and were answered at the same time on three documents. It is
// linearizable when some order of the operations, each at an instant between its call and its
// return, explains every answer.

const historyDocuments = 3

// versions are the ETags of the documents; the zero ETag means that there is none.
type versions [historyDocuments]dovetail.ETag

// action is one operation of a history: a read of one document, or else a transaction that takes
// documents from their versions in from to those in to.
type action struct {
	read     bool
	document int
	from, to versions
	changes  [historyDocuments]bool
}

// answer is what a client got: the version read, or whether the transaction was done and, when it
// was not, the versions that the refusal showed of the documents that were not at theirs.
type answer struct {
	version dovetail.ETag
	done    bool
	shown   map[int]dovetail.ETag
}

var historyModel = porcupine.Model{
	Init: func() any { return versions{} },
	Step: func(state, input, output any) (bool, any) {
		now, a, got := state.(versions), input.(action), output.(answer)
		if a.read {
			return got.version == now[a.document], now
		}
		next, holds := now, true
		for i := range now {
			if !a.changes[i] {
				continue
			}
			if now[i] != a.from[i] {
				holds = false
				if shown, ok := got.shown[i]; !ok || shown != now[i] {
					return false, now // done, or refused for another reason
				}
			} else if _, ok := got.shown[i]; ok {
				return false, now
			}
			next[i] = a.to[i]
		}
		if !holds {
			return !got.done, now
		}
		return got.done, next
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

// testHistory records what clients see and has porcupine look for an order that explains it.
func testHistory(e *env) {
	const clients, operations = 6, 40
	ids := numbered("project/", historyDocuments)
	for round := range rounds.Of(2, 10) {
		e.commit(store.Txn{Deletes: ids})
		var mu sync.Mutex
		var history []porcupine.Operation
		began := time.Now()
		together(clients, func(client int) {
			random := rand.New(rand.NewPCG(uint64(round), uint64(client)))
			var known versions // as this client saw them last
			for range operations {
				a := drawAction(random, known)
				call := time.Since(began)
				got, err := e.act(ids, a, &known)
				if err != nil {
					e.Error(err)
					return
				}
				mu.Lock()
				history = append(history, porcupine.Operation{ClientId: client, Input: a, Call: int64(call),
					Output: got, Return: int64(time.Since(began))})
				mu.Unlock()
			}
		})
		if e.Failed() {
			return
		}
		const patience = 5 * time.Minute // for the search; it takes milliseconds
		if result, found := porcupine.CheckOperationsVerbose(historyModel, history, patience); result != porcupine.Ok {
			e.Fatalf("round %d: no order of operations explains the answers (%s)\n%s", round, result, unexplained(history, found))
		}
	}
}

// unexplained shows the longest order that was found, from shortly before its end, and what ran from then on.
func unexplained(history []porcupine.Operation, found porcupine.LinearizationInfo) string {
	const before, after = 12, 12
	var longest []porcupine.Operation
	for _, orders := range found.PartialLinearizationsOperations() {
		for _, order := range orders {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	taken := make(map[string]bool, len(longest))
	state := historyModel.Init()
	var text strings.Builder
	fmt.Fprintf(&text, "%d of %d can be ordered; the last of them:\n", len(longest), len(history))
	for i, o := range longest {
		taken[operationName(o)] = true
		if _, state = historyModel.Step(state, o.Input, o.Output); i >= len(longest)-before {
			fmt.Fprintf(&text, "  %s, then %s\n", operationName(o), state.(versions))
		}
	}
	text.WriteString("not among them:\n")
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return cmp.Compare(a.Return, b.Return) })
	left := after
	for _, o := range history {
		if name := operationName(o); !taken[name] && left > 0 {
			left--
			fmt.Fprintf(&text, "  %s\n", name)
		}
	}
	return text.String()
}

// operationName says who did what from when to when, in microseconds.
func operationName(o porcupine.Operation) string {
	return fmt.Sprintf("%d-%d client %d: %s -> %s", o.Call/1000, o.Return/1000, o.ClientId, o.Input.(action), o.Output.(answer))
}

func (v versions) String() string {
	var texts []string
	for _, tag := range v {
		texts = append(texts, shortTag(tag))
	}
	return "[" + strings.Join(texts, " ") + "]"
}

func (a action) String() string {
	if a.read {
		return fmt.Sprintf("read %d", a.document)
	}
	var texts []string
	for i, changes := range a.changes {
		if changes {
			texts = append(texts, fmt.Sprintf("%d from %s to %s", i, shortTag(a.from[i]), shortTag(a.to[i])))
		}
	}
	return strings.Join(texts, ", ")
}

func (a answer) String() string {
	switch {
	case a.done:
		return "done"
	case a.shown == nil:
		return shortTag(a.version)
	}
	var texts []string
	for _, i := range slices.Sorted(maps.Keys(a.shown)) {
		texts = append(texts, fmt.Sprintf("%d is %s", i, shortTag(a.shown[i])))
	}
	return "refused: " + strings.Join(texts, ", ")
}

// shortTag is a version as messages show it, "-" for none.
func shortTag(tag dovetail.ETag) string {
	if tag == (dovetail.ETag{}) {
		return "-"
	}
	return fmt.Sprintf("%s.%d", tag.UID, tag.Revision)
}

func drawAction(random *rand.Rand, known versions) action {
	a := action{read: random.IntN(3) == 0, document: random.IntN(historyDocuments), from: known}
	if a.read {
		return a
	}
	for i := range historyDocuments {
		if i != a.document && random.IntN(3) > 0 {
			continue
		}
		a.changes[i] = true
		switch {
		case known[i] == (dovetail.ETag{}):
			a.to[i] = newDocument("project/x").ETag()
		case random.IntN(3) > 0:
			a.to[i] = dovetail.ETag{UID: known[i].UID, Revision: known[i].Revision + 1}
		} // else it is deleted
	}
	return a
}

// act carries the action out, and notes in known what its answer tells.
func (e *env) act(ids []dovetail.ID, a action, known *versions) (answer, error) {
	if a.read {
		d, err := e.backend.Get(e.Context(), ids[a.document])
		if err != nil && dovetail.CodeOf(err) != dovetail.CodeNotFound {
			return answer{}, err
		}
		known[a.document] = dovetail.ETag{}
		if err == nil {
			known[a.document] = d.ETag()
		}
		return answer{version: known[a.document]}, nil
	}

	var txn store.Txn
	for i, id := range ids {
		if !a.changes[i] {
			continue
		}
		condition := store.Condition{Test: store.Absent, ID: id}
		if a.from[i] != (dovetail.ETag{}) {
			condition.Test, condition.Version = store.AtVersion, a.from[i]
		}
		txn.Require = append(txn.Require, condition)
		if a.to[i] == (dovetail.ETag{}) {
			txn.Deletes = append(txn.Deletes, id)
			continue
		}
		d := newDocument(id)
		d.UID, d.Revision = a.to[i].UID, a.to[i].Revision
		txn.Puts = append(txn.Puts, d)
	}
	err := e.commitWithRetry(txn)
	if err == nil {
		for i := range ids {
			if a.changes[i] {
				known[i] = a.to[i]
			}
		}
		return answer{done: true}, nil
	}
	got := answer{shown: make(map[int]dovetail.ETag)}
	for _, part := range parts(err) {
		shown := dovetail.ETag{}
		switch {
		case part.Code == dovetail.CodeExists || part.Code == dovetail.CodeStale:
			shown = part.Current.ETag()
		case part.Code != dovetail.CodeNotFound:
			return answer{}, errors.Join(errors.New("a transaction of the history failed"), err)
		}
		for i, id := range ids {
			if part.Key == id {
				got.shown[i], known[i] = shown, shown
			}
		}
	}
	return got, nil
}
