package storetest

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

var checkTests = []test{
	{"check/clean", testCheckClean},
	{"check/among-writers", testCheckAmongWriters},
	{"check/repair", testRepair},
}

var lifeTests = []test{
	{"life/restart", testRestart},
	{"life/ping-and-capabilities", testPing},
}

func findings(ctx context.Context, b store.Backend, repair bool) (found []store.Finding, err error) {
	for finding, err := range b.Check(ctx, repair) {
		if err != nil {
			return nil, err
		}
		found = append(found, finding)
	}
	return found, nil
}

// check returns the findings.
func (e *env) check(repair bool) []store.Finding {
	e.Helper()
	found, err := findings(e.Context(), e.backend, repair)
	if err != nil {
		e.Fatalf("Check: %v", err)
	}
	return found
}

// wantClean fails the test when the backend's indexes do not fit its documents.
func (e *env) wantClean() {
	e.Helper()
	if found := e.check(false); len(found) > 0 {
		e.Errorf("Check finds %+v", found)
	}
}

// populate stores documents with children and references of all sorts.
func (e *env) populate() {
	e.Helper()
	e.put(newDocument("cluster/c1"), newDocument("cluster/c2", strong("cluster/c2")))
	for _, project := range []dovetail.ID{"project/p1", "project/p1-x", "project/p2"} {
		e.put(newDocument(project, weak("cluster/c2")))
		for _, id := range numbered(string(project)+"/app/", 10) {
			e.put(newDocument(id, strong("cluster/c1"), weak(project), strong("cluster/absent")))
		}
	}
	e.commit(store.Txn{Deletes: []dovetail.ID{"project/p2/app/000003", "project/p2"}})
}

func testCheckClean(e *env) {
	e.wantClean()
	e.populate()
	e.wantClean()
	if found := e.check(true); len(found) > 0 {
		e.Errorf("a repair of what is whole finds %+v", found)
	}
}

// testCheckAmongWriters checks, and repairs, while documents come and go: a check has no false alarms.
func testCheckAmongWriters(e *env) {
	e.populate()
	done := make(chan struct{})
	var busy sync.WaitGroup
	for worker := range 3 {
		busy.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				d := newDocument(dovetail.ID("project/p1/app/w").Child("n", string(rune('a'+worker))), strong("cluster/c1"))
				moved := next(d, weak("cluster/c1"), strong("cluster/c2"))
				moved.Kind = "other"
				for _, txn := range []store.Txn{{Puts: []*dovetail.Document{d}}, {Puts: []*dovetail.Document{moved}}, removal(moved)} {
					if err := e.commitWithRetry(txn); err != nil {
						e.Error(err)
					}
				}
			}
		})
	}
	for round := range rounds.Of(20, 60) {
		if found := e.check(round%2 == 1); len(found) > 0 {
			e.Errorf("Check finds %+v", found)
		}
	}
	close(done)
	busy.Wait()
}

// testRepair breaks the indexes behind the backend's back and has them repaired.
func testRepair(e *env) {
	if e.config.Corrupt == nil {
		e.Skip("the backend does not say how to break its indexes")
	}
	e.populate()
	position, past := e.head(), e.list(store.Query{})
	for i, d := range e.list(store.Query{Kind: "app", Limit: 6}) { // whose earlier versions are in indexes of their own
		if i%2 == 0 {
			e.commit(store.Txn{Deletes: []dovetail.ID{d.ID}})
		} else {
			e.put(next(d))
		}
	}
	before := e.list(store.Query{})
	kinds, referrers := idsOf(e.list(store.Query{Kind: "app"})), e.referrers("cluster/c1")
	e.config.Corrupt(e.T, e.backend)

	found := e.check(false)
	if len(found) == 0 {
		e.Fatal("Check finds nothing in broken indexes")
	}
	for _, f := range found {
		if f.Repaired || f.Problem == "" || f.Message == "" {
			e.Errorf("finding %+v without repair", f)
		}
	}
	repaired := e.check(true)
	for i := range repaired {
		if !repaired[i].Repaired {
			e.Errorf("finding %+v was not repaired", repaired[i])
		}
		repaired[i].Repaired = false
	}
	if !slices.Equal(found, repaired) {
		e.Errorf("the repair finds\n%+v, the check before found\n%+v", repaired, found)
	}
	e.wantClean()

	after := e.list(store.Query{})
	if !slices.EqualFunc(before, after, func(a, b *dovetail.Document) bool { return difference(a, b) == "" }) {
		e.Error("the repair changed documents")
	}
	if got := idsOf(e.list(store.Query{Kind: "app"})); !slices.Equal(got, kinds) {
		e.Errorf("List by kind gives %v, want %v", got, kinds)
	}
	if got := e.referrers("cluster/c1"); !slices.Equal(got, referrers) {
		e.Errorf("Referrers gives %v, want %v", got, referrers)
	}
	if e.backend.Capabilities().Versions {
		for _, q := range []store.Query{{}, {Kind: "app"}} {
			got, err := list(e.Context(), e.at(position), q)
			if want := selectFrom(q, byID(past)); err != nil || !slices.Equal(idsOf(got), idsOf(want)) {
				e.Errorf("List(%+v) of the past gives %v, %v, want %v", q, idsOf(got), err, idsOf(want))
			}
		}
	}
}

// testRestart finds everything again after the store was closed and opened.
func testRestart(e *env) {
	e.populate()
	before := e.list(store.Query{})
	e.restart()
	after := e.list(store.Query{})
	if !slices.EqualFunc(before, after, func(a, b *dovetail.Document) bool { return difference(a, b) == "" }) {
		e.Errorf("after a restart there is %v, want %v", idsOf(after), idsOf(before))
	}
	e.wantClean()
	e.put(newDocument("project/after"))
	e.restart()
	e.get("project/after")
}

func testPing(e *env) {
	if err := e.backend.Ping(e.Context()); err != nil {
		e.Errorf("Ping: %v", err)
	}
	c := e.backend.Capabilities()
	if c.Name == "" || c.MaxDocument < 0 {
		e.Errorf("Capabilities: %+v", c)
	}
	var written, announced int64
	err := e.backend.Checkpoint(e.Context(), func(c store.Checkpoint) (io.Writer, error) {
		announced = c.Size
		return writerFunc(func(p []byte) (int, error) { written += int64(len(p)); return len(p), nil }), nil
	})
	if code := dovetail.CodeOf(err); c.Checkpoints && (err != nil || written == 0 || written != announced) || !c.Checkpoints && (code != dovetail.CodeConflict || announced > 0) {
		e.Errorf("Checkpoint with the capability %v: %d bytes of %d, %v", c.Checkpoints, written, announced, err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func byID(documents []*dovetail.Document) map[dovetail.ID]*dovetail.Document {
	all := make(map[dovetail.ID]*dovetail.Document, len(documents))
	for _, d := range documents {
		all[d.ID] = d
	}
	return all
}
