package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// gate holds the writer when a batch is ready to be written, and lets the test decide about it.
type gate struct {
	reached chan struct{}
	outcome chan error // nil lets it through
}

// hold puts a gate into the backend, which must not be in use yet.
func hold(b *Backend) gate {
	g := gate{make(chan struct{}), make(chan error)}
	update := b.update
	b.update = func(change func(*kv.Batch) error) error {
		return update(func(batch *kv.Batch) error {
			err := change(batch)
			g.reached <- struct{}{}
			return cmp.Or(err, <-g.outcome)
		})
	}
	return g
}

// unavailable is the error of a batch that could not be written.
func unavailable() error { return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "injected"} }

// start runs commits at the same time and returns how to wait for their errors.
func start(ctx context.Context, b *Backend, txns ...store.Txn) (wait func() []error) {
	results := make([]error, len(txns))
	var group sync.WaitGroup
	for i, txn := range txns {
		group.Go(func() { results[i] = b.Commit(ctx, txn) })
	}
	return func() []error {
		group.Wait()
		return results
	}
}

// awaitQueue returns when so many requests wait for the writer.
func awaitQueue(b *Backend, n int) {
	for {
		b.queue.mu.Lock()
		waiting := len(b.queue.waiting)
		b.queue.mu.Unlock()
		if waiting == n {
			return
		}
	}
}

// TestGroup sees that all that waits during one commit is done in the next, together.
func TestGroup(t *testing.T) {
	b := openTemporary(t, Options{})
	g := hold(b)
	first := start(t.Context(), b, create("project/first"))
	<-g.reached

	var txns []store.Txn
	for i := range 20 {
		txns = append(txns, create(dovetail.ID(fmt.Sprintf("project/p%d", i/2)))) // each id twice
	}
	rest := start(t.Context(), b, txns...)
	awaitQueue(b, len(txns))
	g.outcome <- nil
	<-g.reached
	if _, err := b.Get(t.Context(), "project/p0"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("a document can be read before its commit: %v", err)
	}
	g.outcome <- nil
	if err := first()[0]; err != nil {
		t.Error(err)
	}
	created := 0
	for _, err := range rest() {
		if err == nil {
			created++
		} else {
			wantCode(t, "the second creation", err, dovetail.CodeExists)
		}
	}
	if created != 10 {
		t.Errorf("%d of 20 creations of 10 documents were done", created)
	}
}

// TestFailedCommit lets the commit of a group fail before it is visible: every transaction of the group fails, also
// those that were refused because of another one, and the next one succeeds.
func TestFailedCommit(t *testing.T) {
	b := openTemporary(t, Options{})
	g := hold(b)
	results := start(t.Context(), b, create("project/p"), create("project/q"))
	for pending := true; pending; { // in one group or in two
		select {
		case <-g.reached:
			g.outcome <- unavailable()
		case <-asDone(results):
			pending = false
		}
	}
	for _, err := range results() {
		wantCode(t, "a failed commit", err, dovetail.CodeUnavailable)
	}
	b.update = func(func(*kv.Batch) error) error { return unavailable() }
	wantCode(t, "Ping while it fails", b.Ping(t.Context()), dovetail.CodeUnavailable)
	b.update = b.db.Update
	if err := b.Ping(t.Context()); err != nil || b.degraded.Load() {
		t.Errorf("Ping after the failure is over: %v", err)
	}
	if _, err := b.Get(t.Context(), "project/p"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("a failed creation left something: %v", err)
	}
	commit(t, b, create("project/p"))
}

// asDone returns a channel that is closed when the results are there.
func asDone(wait func() []error) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		wait()
		close(done)
	}()
	return done
}

// TestRefusalOfFailedCommit refuses a creation because of an earlier one in its group, whose commit
// fails then: the refusal must not be returned, since the document that caused it never existed.
func TestRefusalOfFailedCommit(t *testing.T) {
	b := openTemporary(t, Options{})
	g := hold(b)
	blocker := start(t.Context(), b, create("project/blocker"))
	<-g.reached
	twins := start(t.Context(), b, create("project/p"), create("project/p"))
	awaitQueue(b, 2)
	g.outcome <- nil
	<-g.reached
	g.outcome <- unavailable()
	<-g.reached // the refused one tries again
	g.outcome <- nil
	if err := blocker()[0]; err != nil {
		t.Error(err)
	}
	codes := map[dovetail.Code]int{}
	for _, err := range twins() {
		codes[dovetail.CodeOf(err)]++
	}
	if codes[""] != 1 || codes[dovetail.CodeUnavailable] != 1 {
		t.Errorf("the twins got %v, want one failure and one success", codes)
	}
}

// TestDamageIsPrivate has one transaction of a group meet a damaged part of the file: the others are
// done nevertheless.
func TestDamageIsPrivate(t *testing.T) {
	b := openTemporary(t, Options{})
	g := hold(b)
	first := start(t.Context(), b, create("project/first"))
	<-g.reached
	others := start(t.Context(), b, create("project/p"), create("project/q"))
	awaitQueue(b, 2)
	damaged := make(chan error)
	go func() { damaged <- b.do(t.Context(), func(*kv.Batch) error { panic("page 7 is damaged") }) }()
	awaitQueue(b, 3)
	b.queue.mu.Lock()
	b.update = b.db.Update
	b.queue.mu.Unlock()
	g.outcome <- nil
	wantCode(t, "the damaged one", <-damaged, dovetail.CodeCorrupt)
	for _, err := range append(first(), others()...) {
		wantCode(t, "one that has nothing to do with it", err, "")
	}
}

func errOf[T any](_ T, err error) error { return err }

// TestCancelWhileQueued takes a commit back that the writer has not begun.
func TestCancelWhileQueued(t *testing.T) {
	b := openTemporary(t, Options{})
	g := hold(b)
	first := start(t.Context(), b, create("project/first"))
	<-g.reached
	ctx, cancel := context.WithCancel(t.Context())
	second := start(ctx, b, create("project/second"))
	awaitQueue(b, 1)
	cancel()
	wantCode(t, "the cancelled one", second()[0], dovetail.CodeCanceled)
	g.outcome <- nil
	wantCode(t, "the first", first()[0], "")
	wantCode(t, "Get of the cancelled one", errOf(b.Get(t.Context(), "project/second")), dovetail.CodeNotFound)
}

// TestCancelUnderWay ends the context of a commit that the writer is at: it waits for the outcome,
// but not for ever.
func TestCancelUnderWay(t *testing.T) {
	for _, patient := range []bool{true, false} {
		t.Run(fmt.Sprintf("patient=%v", patient), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := openTemporary(t, Options{})
				g := hold(b)
				ctx, cancel := context.WithCancel(t.Context())
				result := start(ctx, b, create("project/p"))
				<-g.reached
				cancel()
				if patient {
					g.outcome <- nil
					wantCode(t, "the commit", result()[0], "")
					return
				}
				wantCode(t, "the commit", result()[0], dovetail.CodeUnknown)
				g.outcome <- nil
			})
		})
	}
}

func TestClose(t *testing.T) {
	b := openTemporary(t, Options{})
	g := hold(b)
	inFlight := start(t.Context(), b, create("project/p"))
	<-g.reached
	queued := start(t.Context(), b, create("project/q"))
	awaitQueue(b, 1)
	closing := make(chan error)
	go func() { closing <- b.Close() }()
	g.outcome <- nil
	<-g.reached
	g.outcome <- nil
	if err := <-closing; err != nil {
		t.Errorf("Close: %v", err)
	}
	wantCode(t, "the commit in flight", inFlight()[0], "")
	wantCode(t, "the commit in the queue", queued()[0], "")
	wantCode(t, "Commit", b.Commit(t.Context(), create("project/r")), dovetail.CodeUnavailable)
	wantCode(t, "Get", errOf(b.Get(t.Context(), "project/p")), dovetail.CodeUnavailable)
	wantCode(t, "Ping", b.Ping(t.Context()), dovetail.CodeUnavailable)
	if err := b.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

func TestInvalidTransactions(t *testing.T) {
	b := openTemporary(t, Options{})
	long := dovetail.ID(strings.Repeat("x", maxID+1))
	withKind := document("project/p")
	withKind.Kind = "a\x00b"
	cases := []struct {
		name string
		txn  store.Txn
		code dovetail.Code
		n    int
	}{
		{"put twice", put("project/p", "project/q", "project/p"), dovetail.CodeInvalid, 1},
		{"put and deleted", store.Txn{Puts: put("project/p").Puts, Deletes: []dovetail.ID{"project/p"}}, dovetail.CodeInvalid, 1},
		{"no id", put(""), dovetail.CodeInvalid, 1},
		{"id too long", put(long), dovetail.CodeTooLarge, 1},
		{"target too long", store.Txn{Puts: []*dovetail.Document{document("project/p", dovetail.Reference{ID: long})}}, dovetail.CodeTooLarge, 1},
		{"control characters", put("project/a\x00b"), dovetail.CodeInvalid, 1},
		{"control characters in the kind", store.Txn{Puts: []*dovetail.Document{withKind}}, dovetail.CodeInvalid, 1},
		{"unknown test", store.Txn{Require: []store.Condition{{Test: 99, ID: "project/p"}}}, dovetail.CodeInternal, 1},
		{"several", put("", long, "project/p", "project/p"), dovetail.CodeInvalid, 3},
	}
	for _, c := range cases {
		err := b.Commit(t.Context(), c.txn)
		wantCode(t, c.name, err, c.code)
		var e *dovetail.Error
		if errors.As(err, &e) && max(len(e.Errors), 1) != c.n {
			t.Errorf("%s: %d problems, want %d: %v", c.name, len(e.Errors), c.n, err)
		}
	}
	for doc, err := range b.List(t.Context(), store.Query{}) {
		t.Errorf("stored is %v, error %v", doc, err)
	}

	longest := put(dovetail.ID(strings.Repeat("x", maxID)))
	longest.Puts[0].Kind = strings.Repeat("k", maxID)
	longest.Puts[0].References = []dovetail.Reference{{ID: dovetail.ID(strings.Repeat("y", maxID))}}
	commit(t, b, longest)
}
