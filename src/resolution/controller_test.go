package resolution_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/solver/synthetic"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	catalog1 = `{"packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["main"],"image":"p1"}]}]}`
	catalog2 = `{"packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["main"],"image":"p1"},{"version":"2.0.0","channels":["main"]}]}]}`
)

// ticking is a clock that moves on by a second whenever it is asked.
func ticking() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

// TestStory follows one resolution through all that may become of it.
func TestStory(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{Clock: ticking()})
	const (
		required = `"spec":{"constraints":["required(\"p\")"]}`
		helm     = `{"metadata":{"annotations":{"deppy.io/activator-class":"Helm"}},` + required + `}`
		operator = `{"metadata":{"annotations":{"deppy.io/activator-class":"Operator"}},` + required + `}`
	)
	expect := func(want string, got *state.Status) *state.Status {
		t.Helper()
		if tell(got) != want {
			t.Fatalf("it is\n%s\nwant\n%s", tell(got), want)
		}
		return got
	}
	becomes := func(want string) *state.Status {
		t.Helper()
		return w.wait("r", func(_ *dovetail.Document, s *state.Status) bool { return tell(s) == want })
	}
	expect("Resolved=False:Unsatisfiable", w.put("r", `{`+required+`}`))
	w.source("cat", catalog1)
	first := becomes("Resolved=True:Resolved cat:p:1.0.0:main")
	if first.ObservedGeneration != 1 || first.Unsat != nil || len(first.Explanation) != 1 || !strings.HasPrefix(first.InputDigest, "sha256:") {
		t.Errorf("%+v", first)
	}
	activated := expect("Resolved=True:Resolved Activated=True:Activated cat:p:1.0.0:main", w.put("r", operator))
	if activated.ObservedGeneration != 2 || activated.Conditions[0].LastTransitionTime != first.Conditions[0].LastTransitionTime ||
		activated.Conditions[0].ObservedGeneration != 2 || len(activated.Entities) != 1 || activated.Entities[0].Image != "p1" {
		t.Errorf("%+v", activated)
	}
	expect("Resolved=True:Resolved Activated=False:UnknownActivatorClass cat:p:1.0.0:main", w.put("r", helm))
	expect("Resolved=True:Resolved Activated=True:Activated cat:p:1.0.0:main", w.put("r", operator))
	w.source("cat", catalog2)
	missing := becomes("Resolved=True:Resolved Activated=False:ImageMissing cat:p:2.0.0:main")
	if missing.Entities != nil || !strings.Contains(missing.Conditions[1].Message, "p") {
		t.Errorf("%+v", missing)
	}
	w.source("cat", catalog1)
	good := becomes("Resolved=True:Resolved Activated=True:Activated cat:p:1.0.0:main")
	w.source("cat", `{"packages":[]}`)
	stale := becomes("Resolved=False:Unsatisfiable Activated=True:Activated SelectionsStale=True:Unsatisfiable cat:p:1.0.0:main")
	if stale.Unsat == nil || len(stale.Entities) != 1 || !stale.Conditions[0].LastTransitionTime.After(good.Conditions[0].LastTransitionTime) ||
		stale.Conditions[1].LastTransitionTime != good.Conditions[1].LastTransitionTime || stale.InputDigest == good.InputDigest {
		t.Errorf("%+v after %+v", stale, good)
	}
	w.source("cat", `{"packages":[{"name":"p","deprecated":true,"versions":[{"version":"1.0.0","channels":["main"]}]}]}`)
	becomes("Resolved=True:Resolved Activated=False:ImageMissing Deprecated=True:DeprecatedSelected cat:p:1.0.0:main")
	expect("Resolved=False:InvalidConstraint Activated=False:ImageMissing Deprecated=True:DeprecatedSelected SelectionsStale=True:InvalidConstraint cat:p:1.0.0:main",
		w.put("r", `{"metadata":{"annotations":{"deppy.io/activator-class":"Operator"},"generation":77},"spec":{"constraints":["required("]}}`))
	if s := state.ReadStatus(w.get("r")); s.ObservedGeneration != 77 || s.Error == nil || s.Error.Index != 0 {
		t.Errorf("%+v", s)
	}
}

// A change that changes nothing of what is asked for writes nothing, nor does one of a source that is not used.
func TestWritesOnlyWhatDiffers(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{})
	w.source("a", catalog1)
	w.source("b", catalog1)
	w.put("r", `{"spec":{"sources":["a"],"constraints":["required(\"p\")"]}}`)
	if w.get("r").Revision != 2 {
		t.Errorf("revision %d", w.get("r").Revision)
	}
	w.put("r", `{"metadata":{"labels":{"x":"y"}},"spec":{"sources":["a"],"constraints":["required(\"p\")"]}}`)
	w.source("b", catalog2)
	w.put("other", data(`required("p")`)) // comes after all these
	if w.get("r").Revision != 3 {
		t.Errorf("revision %d: %s", w.get("r").Revision, w.get("r").Status)
	}
	w.source("a", catalog2)
	w.wait("r", func(_ *dovetail.Document, s *state.Status) bool { return s.Selections[0] == "a:p:2.0.0:main" })
	if w.get("r").Revision != 4 {
		t.Errorf("revision %d", w.get("r").Revision)
	}
}

// A status that another writer wrote is put right.
func TestStatusByOthers(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{})
	w.source("a", catalog1)
	want := tell(w.put("r", data(`required("p")`)))
	forged := parse(t, `{"selections":["x:y:1.0.0:z"]}`)
	if _, err := w.store.Apply(t.Context(), []store.Operation{{Verb: store.PutStatus, ID: resolutionID("r"), Data: forged}}, store.Options{}); err != nil {
		t.Fatal(err)
	}
	w.wait("r", func(_ *dovetail.Document, s *state.Status) bool { return tell(s) == want })
}

// Several processes do the work of one: each change is answered by one write. When the leader is cut off another
// takes over, and when that ends, too.
func TestOneOfSeveral(t *testing.T) { synctest.Test(t, testOneOfSeveral) }

func testOneOfSeveral(t *testing.T) {
	w, cuts := newWorld(t, 3, resolution.Options{Retry: 10 * time.Millisecond})
	first := <-w.leaders
	w.source("a", catalog1)
	const n = 20
	for i := range n {
		w.put(fmt.Sprint("r", i), data(`required("p")`))
	}
	change := func(catalog, want string, revision uint64) {
		t.Helper()
		w.source("a", catalog)
		for i := range n {
			w.wait(fmt.Sprint("r", i), func(_ *dovetail.Document, s *state.Status) bool { return s.Selections[0] == want })
		}
		for i := range n {
			if got := w.get(fmt.Sprint("r", i)).Revision; got != revision {
				t.Errorf("resolution %d has revision %d, want %d", i, got, revision)
			}
		}
	}
	change(catalog2, "a:p:2.0.0:main", 3)
	cuts[first].Store(true)
	second := <-w.leaders
	if second == first {
		t.Fatal("the one that is cut off leads")
	}
	change(catalog1, "a:p:1.0.0:main", 4)
}

// What is deleted and created again has at once the status that the sources of then give.
func TestDeletedAndCreatedAnew(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{})
	for round := range 20 {
		catalog, want := catalog1, "a:p:1.0.0:main"
		if round%2 == 1 {
			catalog, want = catalog2, "a:p:2.0.0:main"
		}
		w.source("a", catalog)
		if got := w.put("r", data(`required("p")`)).Selections; len(got) != 1 || got[0] != want {
			t.Fatalf("round %d: %v, want %s", round, got, want)
		}
		if _, err := w.store.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: resolutionID("r")}, {Verb: store.Delete, ID: "source/a", Cascade: true}}, store.Options{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSourcesOfBefore shows that a status is made of no older sources than those that were there when its resolution was
// put, however far the controller is behind.
func TestSourcesOfBefore(t *testing.T) {
	wanted := data(`required("p")`)
	for _, test := range []struct {
		name      string
		change    store.Operation // that the controller works on when the sources and the resolution have changed, too
		revisions uint64
	}{
		{name: "created again", change: store.Operation{Verb: store.Delete, ID: resolutionID("r")}, revisions: 2},
		{name: "changed twice", change: store.Operation{Verb: store.Put, ID: resolutionID("r"), Data: parse(t, data(`required("s")`))}, revisions: 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, _ := newWorld(t, 1, resolution.Options{Workers: 1})
			w.put("r", data(`required("q")`))
			begin, goOn := make(chan struct{}), make(chan struct{})
			w.lag.Store(new(func(set store.Transaction) {
				<-begin
				for _, change := range set.Changes {
					if change.Kind == sourcedoc.KindSource {
						<-goOn
					}
				}
			}))
			put := func(name, text string) store.Operation {
				return store.Operation{Verb: store.Put, ID: resolutionID(name), Data: parse(t, text)}
			}
			apply := func(op store.Operation) {
				t.Helper()
				if _, err := w.store.Apply(t.Context(), []store.Operation{op}, store.Options{}); err != nil {
					t.Fatal(err)
				}
			}
			settled := func(doc *dovetail.Document, _ *state.Status) bool { return state.Settled(doc) }
			apply(test.change)
			apply(put("next", wanted))
			w.source("a", catalog1)
			apply(put("r", wanted))
			close(begin)
			w.wait("next", settled) // so the only worker has been at r
			close(goOn)
			got := w.wait("r", settled)
			if revision := w.get("r").Revision; tell(got) != "Resolved=True:Resolved a:p:1.0.0:main" || revision != test.revisions {
				t.Errorf("revision %d, want %d, and %s", revision, test.revisions, tell(got))
			}
		})
	}
}

// maze is a resolution that takes longer than any test waits, over a source with the name maze.
func (w *world) maze() *value.Value {
	w.t.Helper()
	problem := synthetic.Problem(synthetic.Options{Packages: 1, Versions: 1, Mode: synthetic.Maze, Pigeons: 12})
	w.source("maze", string(value.NewMap(problem.Get("sources").Items[0].Members[1:]...).JSON()))
	return problem.Get("spec")
}

func TestTimedOut(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{})
	spec := w.maze()
	spec.Set("timeoutSeconds", &value.Value{Kind: value.Number, Text: "0.05"})
	got := w.put("r", `{"spec":`+string(spec.JSON())+`}`)
	if tell(got) != "Resolved=Unknown:TimedOut" || got.InputDigest == "" {
		t.Errorf("%+v", got)
	}
}

// A resolution that is changed while it is worked on is worked on again at once, and others do not wait for it.
func TestChangedMeanwhile(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{Workers: 2})
	spec := w.maze()
	spec.Set("timeoutSeconds", value.NewNumber(3600))
	if _, err := w.store.Put(t.Context(), store.Operation{ID: resolutionID("r"), Data: value.NewMap(value.Member{Name: "spec", Value: spec})}); err != nil {
		t.Fatal(err)
	}
	w.source("a", catalog1)
	if got := tell(w.put("other", data(`required("p")`))); got != "Resolved=True:Resolved a:p:1.0.0:main" {
		t.Error(got)
	}
	if got := tell(w.put("r", data(`required("p")`))); got != "Resolved=True:Resolved a:p:1.0.0:main" {
		t.Error(got)
	}
}

// A change that asks for nothing else, and comes between an answer and its status, does not keep the status from being
// brought up to date with the sources.
func TestTouchedMeanwhile(t *testing.T) {
	var touch atomic.Pointer[func()]
	w, _ := newWorld(t, 1, resolution.Options{Answered: func(resolution.Result, time.Duration) {
		if once := touch.Swap(nil); once != nil {
			(*once)()
		}
	}})
	w.source("a", catalog1)
	w.put("r", data(`required("p")`))
	label := func() {
		labelled := parse(t, `{"metadata":{"labels":{"x":"y"}},`+data(`required("p")`)[1:])
		if _, err := w.store.Put(t.Context(), store.Operation{ID: resolutionID("r"), Data: labelled}); err != nil {
			t.Error(err)
		}
	}
	touch.Store(&label)
	w.source("a", catalog2)
	w.wait("r", func(_ *dovetail.Document, s *state.Status) bool { return s.Selections[0] == "a:p:2.0.0:main" })
}

// What could not be written is written later.
func TestFailedWrite(t *testing.T) { synctest.Test(t, testFailedWrite) }

func testFailedWrite(t *testing.T) {
	w, cuts := newWorld(t, 1, resolution.Options{Retry: time.Millisecond})
	w.source("a", catalog1)
	w.put("first", data(`required("p")`))
	cuts[0].Store(true)
	if _, err := w.store.Put(t.Context(), store.Operation{ID: resolutionID("r"), Data: parse(t, data(`required("p")`))}); err != nil {
		t.Fatal(err)
	}
	clocktest.Advance(20 * time.Millisecond)
	cuts[0].Store(false)
	w.wait("r", func(doc *dovetail.Document, s *state.Status) bool {
		return state.Settled(doc) && len(s.Selections) == 1
	})
}

// A change of a source solves only the resolutions that look at what has changed, and writes only their statuses.
func TestChangesReachFew(t *testing.T) {
	const all, reached = 40, 6
	var solved atomic.Int64
	w, _ := newWorld(t, 1, resolution.Options{Answered: func(resolution.Result, time.Duration) { solved.Add(1) }})
	catalog := func(shared string) string {
		var packages []string
		for i := range all {
			needs := ""
			if i < reached {
				needs = `,"dependencies":[{"required":{"name":"shared"}}]`
			}
			packages = append(packages, fmt.Sprintf(`{"name":"p%02d","versions":[{"version":"1.0.0","channels":["main"]%s}]}`, i, needs))
		}
		packages = append(packages, `{"name":"shared","versions":[`+shared+`]}`)
		return `{"packages":[` + strings.Join(packages, ",") + `]}`
	}
	const first, second = `{"version":"1.0.0","channels":["main"]}`, `{"version":"2.0.0","channels":["main"]}`
	w.source("cat", catalog(first))
	for i := range all {
		w.put(fmt.Sprintf("r%02d", i), data(fmt.Sprintf(`required("p%02d")`, i)))
	}
	w.put("clash", data(`required("ghost")`)) // its message may name anything
	revisions := func() map[dovetail.ID]uint64 {
		all := make(map[dovetail.ID]uint64)
		for doc, err := range w.store.Documents(t.Context(), store.ListQuery{Kind: state.Kind}) {
			if err != nil {
				t.Fatal(err)
			}
			all[doc.ID] = doc.Revision
		}
		return all
	}
	before, began := revisions(), solved.Load()
	w.source("cat", catalog(first+","+second))
	for i := range reached {
		w.wait(fmt.Sprintf("r%02d", i), func(_ *dovetail.Document, s *state.Status) bool {
			return slices.Contains(s.Selections, "cat:shared:2.0.0:main")
		})
	}
	w.put("last", data(`required("shared")`)) // comes after all these
	written := 0
	after := revisions()
	for id, revision := range before {
		if after[id] != revision {
			written++
		}
	}
	if n := solved.Load() - began; n != reached+2 || written != reached {
		t.Errorf("%d were solved and %d written, want %d, the clash and the last, and %d", n, written, reached, reached)
	}
}
