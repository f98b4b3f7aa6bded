package bolt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

func openTemporary(t *testing.T, options Options) *Backend {
	t.Helper()
	b := mustOpen(t, filepath.Join(t.TempDir(), "store.db"), options)
	t.Cleanup(func() { b.Close() })
	return b
}

func document(id dovetail.ID, references ...dovetail.Reference) *dovetail.Document {
	return &dovetail.Document{ID: id, Kind: "kind", UID: "uid", Revision: 1, References: references}
}

func put(ids ...dovetail.ID) store.Txn {
	var txn store.Txn
	for _, id := range ids {
		txn.Puts = append(txn.Puts, document(id))
	}
	return txn
}

func create(id dovetail.ID) store.Txn {
	txn := put(id)
	txn.Require = []store.Condition{{Test: store.Absent, ID: id}}
	return txn
}

func wantCode(t *testing.T, what string, err error, want dovetail.Code) {
	t.Helper()
	if _, ok := err.(*dovetail.Error); dovetail.CodeOf(err) != want || err != nil && !ok {
		t.Errorf("%s: error %v of type %T, want code %q", what, err, err, want)
	}
}

// gate holds the writer at its next commit, and lets the test decide what becomes of it.
type gate struct {
	reached chan struct{}              // the writer is at the commit
	outcome chan func(*bbolt.Tx) error // what it shall do instead
}

// hold puts a gate before the commits of the backend, which nobody else uses yet.
func hold(b *Backend) gate {
	g := gate{make(chan struct{}), make(chan func(*bbolt.Tx) error)}
	b.commit = func(tx *bbolt.Tx) error {
		g.reached <- struct{}{}
		return (<-g.outcome)(tx)
	}
	return g
}

// start runs commits at the same time and returns how to wait for their errors.
func start(b *Backend, ctx context.Context, txns ...store.Txn) (wait func() []error) {
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
	first := start(b, t.Context(), create("project/first"))
	<-g.reached

	var txns []store.Txn
	for i := range 20 {
		txns = append(txns, create(dovetail.ID(fmt.Sprintf("project/p%d", i/2)))) // each id twice
	}
	rest := start(b, t.Context(), txns...)
	awaitQueue(b, len(txns))
	g.outcome <- (*bbolt.Tx).Commit
	<-g.reached
	if _, err := b.Get(t.Context(), "project/p0"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("a document can be read before its commit: %v", err)
	}
	g.outcome <- (*bbolt.Tx).Commit
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

// TestFailedCommit lets the commit of a group fail before it is visible: nobody's is done, also not
// the refusals that rested on it, and the next one succeeds.
func TestFailedCommit(t *testing.T) {
	b := openTemporary(t, Options{})
	g := hold(b)
	results := start(b, t.Context(), create("project/p"), create("project/q"))
	fail := func(tx *bbolt.Tx) error {
		tx.Rollback()
		return syscall.ENOSPC
	}
	for pending := true; pending; { // in one group or in two
		select {
		case <-g.reached:
			g.outcome <- fail
		case <-asDone(results):
			pending = false
		}
	}
	for _, err := range results() {
		wantCode(t, "a failed commit", err, dovetail.CodeUnavailable)
		if !strings.Contains(err.Error(), "disk is full") || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("the error is %q with cause %v", err, errors.Unwrap(err))
		}
	}
	b.commit = fail
	wantCode(t, "Ping while it fails", b.Ping(t.Context()), dovetail.CodeUnavailable)
	b.commit = (*bbolt.Tx).Commit
	if err := b.Ping(t.Context()); err != nil || b.ailing.Load() {
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
// fails then: the refusal must not be told, since what it rests on never was.
func TestRefusalOfFailedCommit(t *testing.T) {
	b := openTemporary(t, Options{})
	g := hold(b)
	blocker := start(b, t.Context(), create("project/blocker"))
	<-g.reached
	twins := start(b, t.Context(), create("project/p"), create("project/p"))
	awaitQueue(b, 2)
	g.outcome <- (*bbolt.Tx).Commit
	<-g.reached
	g.outcome <- func(tx *bbolt.Tx) error { tx.Rollback(); return errors.New("injected") }
	<-g.reached // the refused one tries again
	g.outcome <- (*bbolt.Tx).Commit
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

// TestUnknownOutcome lets bbolt report a failure after the transaction is visible, as it does when
// the last sync fails: nobody is told that it is done, nor that it is not, and nothing more is written.
func TestUnknownOutcome(t *testing.T) {
	b := openTemporary(t, Options{})
	b.commit = func(tx *bbolt.Tx) error {
		if err := tx.Commit(); err != nil {
			return err
		}
		return syscall.EIO
	}
	wantCode(t, "the commit", b.Commit(t.Context(), create("project/p")), dovetail.CodeUnknown)
	b.commit = (*bbolt.Tx).Commit
	wantCode(t, "the next commit", b.Commit(t.Context(), create("project/q")), dovetail.CodeUnavailable)
	wantCode(t, "Ping", b.Ping(t.Context()), dovetail.CodeUnavailable)
	if _, err := b.Get(t.Context(), "project/p"); err != nil {
		t.Errorf("reading goes on, but: %v", err)
	}
}

// TestPanicInCommit lets bbolt panic, as it does over a damaged file.
func TestPanicInCommit(t *testing.T) {
	b := openTemporary(t, Options{})
	b.commit = func(*bbolt.Tx) error { panic("page 7 already freed") }
	wantCode(t, "the commit", b.Commit(t.Context(), create("project/p")), dovetail.CodeCorrupt)
	b.commit = (*bbolt.Tx).Commit
	wantCode(t, "the next commit", b.Commit(t.Context(), create("project/q")), dovetail.CodeCorrupt)
	wantCode(t, "reading", errOf(b.Get(t.Context(), "project/p")), dovetail.CodeNotFound)
}

func errOf[T any](_ T, err error) error { return err }

// TestCancelWhileQueued takes a commit back that the writer has not begun.
func TestCancelWhileQueued(t *testing.T) {
	b := openTemporary(t, Options{})
	g := hold(b)
	first := start(b, t.Context(), create("project/first"))
	<-g.reached
	ctx, cancel := context.WithCancel(t.Context())
	second := start(b, ctx, create("project/second"))
	awaitQueue(b, 1)
	cancel()
	wantCode(t, "the cancelled one", second()[0], dovetail.CodeCanceled)
	g.outcome <- (*bbolt.Tx).Commit
	wantCode(t, "the first", first()[0], "")
	wantCode(t, "Get of the cancelled one", errOf(b.Get(t.Context(), "project/second")), dovetail.CodeNotFound)
}

// TestCancelUnderWay ends the context of a commit that the writer is at: it waits for the outcome,
// but not for ever.
func TestCancelUnderWay(t *testing.T) {
	for _, patient := range []bool{true, false} {
		t.Run(fmt.Sprintf("patient=%v", patient), func(t *testing.T) {
			b := openTemporary(t, Options{})
			g := hold(b)
			ctx, cancel := context.WithCancel(t.Context())
			result := start(b, ctx, create("project/p"))
			<-g.reached
			cancel()
			if patient {
				g.outcome <- (*bbolt.Tx).Commit
				wantCode(t, "the commit", result()[0], "")
				return
			}
			wantCode(t, "the commit", result()[0], dovetail.CodeUnknown)
			g.outcome <- (*bbolt.Tx).Commit
		})
	}
}

func TestClose(t *testing.T) {
	b := openTemporary(t, Options{})
	g := hold(b)
	inFlight := start(b, t.Context(), create("project/p"))
	<-g.reached
	queued := start(b, t.Context(), create("project/q"))
	awaitQueue(b, 1)
	closing := make(chan error)
	go func() { closing <- b.Close() }()
	g.outcome <- (*bbolt.Tx).Commit
	<-g.reached
	g.outcome <- (*bbolt.Tx).Commit
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
	for range b.List(t.Context(), store.Query{}) {
		t.Error("something was stored")
	}

	longest := put(dovetail.ID(strings.Repeat("x", maxID)))
	longest.Puts[0].Kind = strings.Repeat("k", maxID)
	longest.Puts[0].References = []dovetail.Reference{{ID: dovetail.ID(strings.Repeat("y", maxID))}}
	commit(t, b, longest)
}

// TestLimitedFile reaches the end of what the file may grow to, and goes on after a deletion.
func TestLimitedFile(t *testing.T) {
	b := openTemporary(t, Options{maxSize: 20 << 20}) // bbolt takes 16 MiB of it in advance
	var there []dovetail.ID
	for {
		d := document(dovetail.ID(fmt.Sprintf("project/p%04d", len(there))))
		d.Data = make([]byte, 100_000)
		if err := b.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{d}}); err != nil {
			wantCode(t, "a commit beyond the limit", err, dovetail.CodeUnavailable)
			break
		}
		there = append(there, d.ID)
	}
	wantDocuments(t, b, there)
	commit(t, b, store.Txn{Deletes: there[:5]})
	commit(t, b, create("project/q"))
	wantDocuments(t, b, append(there[5:], "project/q"))
}
