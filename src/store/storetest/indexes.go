package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

var indexTests = []test{
	{"indexes/selectors", testIndexSelectors},
	{"indexes/build-dies", testIndexBuildDies},
	{"indexes/builders", testIndexBuilders},
	{"indexes/damage", testIndexDamage},
}

// indexed is what happens at the store of a test of indexes.
type indexed struct {
	store.Backend
	used  atomic.Bool // whether the last list was answered from indexes
	steps int         // that are left to a process that dies; negative for one that does not
	late  bool        // it dies after its last step, before it gets the answer
}

var errDied = errors.New("the process has died")

func (b *indexed) step(do func() error) error {
	if b.steps < 0 {
		return do()
	}
	if b.steps == 0 {
		return errDied
	}
	if b.steps--; b.steps > 0 || b.late {
		if err := do(); err != nil || b.steps > 0 {
			return err
		}
	}
	return errDied
}

func (b *indexed) Commit(ctx context.Context, txn store.Txn) error {
	return b.step(func() error { return b.Backend.Commit(ctx, txn) })
}

func (b *indexed) SetTerms(ctx context.Context, documents []*dovetail.Document) error {
	return b.step(func() error { return b.Backend.SetTerms(ctx, documents) })
}

func (b *indexed) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	b.used.Store(len(q.Terms) > 0)
	if err := b.step(func() error { return nil }); err != nil {
		return func(yield func(*dovetail.Document, error) bool) { yield(nil, err) }
	}
	return b.Backend.List(ctx, q)
}

func (b *indexed) At(ctx context.Context, position store.Cursor) (store.Snapshot, error) {
	if err := b.step(func() error { return nil }); err != nil {
		return nil, err
	}
	then, err := b.Backend.At(ctx, position)
	return &indexedSnapshot{then, b}, err
}

type indexedSnapshot struct {
	store.Snapshot
	of *indexed
}

func (s *indexedSnapshot) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	s.of.used.Store(len(q.Terms) > 0)
	return s.Snapshot.List(ctx, q)
}

// agreed is short, since nothing writes while a test changes the ref-schema.
var agreed = store.Agreement{Lease: 100 * time.Millisecond, Margin: 50 * time.Millisecond}

// openIndexed opens a store of sites and apps, where apps have indexes, as the YAML text says.
func (e *env) openIndexed(b store.Backend, index string) *store.Store {
	e.Helper()
	s, err := store.Open(e.Context(), b, e.indexModel(index), store.Config{Agreement: agreed})
	if err != nil {
		e.Fatal(err)
	}
	return s
}

func (e *env) indexModel(index string) *schema.Model {
	e.Helper()
	m, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte("resources:\n- name: site\n- name: app\n  parent: site\n  index: " + index + "\n")}})
	if err != nil {
		e.Fatal(err)
	}
	return m
}

func (e *env) write(s *store.Store, verb store.Verb, id, text string) {
	e.Helper()
	op := store.Operation{Verb: verb, ID: dovetail.ID(id)}
	if verb != store.Delete {
		data, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			e.Fatal(err)
		}
		op.Data = data
	}
	if _, err := s.Apply(e.Context(), []store.Operation{op}, store.Options{}); err != nil && (verb != store.Delete || dovetail.CodeOf(err) != dovetail.CodeNotFound) {
		e.Fatal(err)
	}
}

// wantSelected holds what selectors list, page by page, against what looking at all documents gives.
func (e *env) wantSelected(s *store.Store, labels, fields string, under dovetail.ID, position store.Cursor, limit int) {
	e.Helper()
	q := store.ListQuery{Kind: "app", Under: under, Position: position, Limit: limit}
	var err error
	if q.Labels, err = selector.ParseLabels(labels); err != nil {
		e.Fatal(err)
	}
	if q.Fields, err = selector.ParseFields(fields); err != nil {
		e.Fatal(err)
	}
	var want, got []dovetail.ID
	for doc, err := range s.Documents(e.Context(), store.ListQuery{Kind: "app", Under: under, Position: position}) {
		if err != nil {
			e.Fatal(err)
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			e.Fatal(err)
		}
		if q.Labels.Matches(data) && q.Fields.Matches(data) {
			want = append(want, doc.ID)
		}
	}
	for {
		page, err := s.List(e.Context(), q)
		if err != nil {
			e.Fatal(err)
		}
		for _, doc := range page.Documents {
			got = append(got, doc.ID)
		}
		if q.After, q.Position = page.Next, page.Position; q.After == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		e.Fatalf("labels %q and fields %q under %q at %q select %v, want %v", labels, fields, under, position, got, want)
	}
}

// testIndexSelectors lists by random selectors while indexes are complete, new, being built, and gone, now and at earlier positions.
func testIndexSelectors(e *env) {
	seed := rand.Uint64()
	e.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	indexes := []string{"[spec.n, spec.text, 'spec.l[*]', spec.m.*]", "{labels: false}", "[spec.n]"}
	s := e.openIndexed(e.backend, pick(indexes))
	some := []string{`"a"`, `"b"`, "1", "1.0", "true", `""`, "null", "{}"}
	labels := []string{"x=a", "x in (a,b)", "y", "!x", "x=a,y in (b,)", "y!=a", "x,y"}
	fields := []string{"spec.n=1", "spec.n=1.0", "spec.text=a", "spec.text=", "spec.l.0=b", "spec.m.k=true", "spec.n!=1", "spec.text=a,spec.n=1", "metadata.labels.x=1"}
	stop := errors.New("stop")
	positions := []store.Cursor{""}
	for _, site := range []string{"site/s0", "site/s1"} {
		e.write(s, store.Put, site, "{}")
	}
	for range rounds.Of(25, 400) {
		switch random.IntN(8) {
		case 0:
			if err := s.SetModel(e.Context(), e.indexModel(pick(indexes))); err != nil {
				e.Fatal(err)
			}
		case 1:
			if err := s.BuildIndexes(e.Context(), nil, nil); err != nil {
				e.Fatal(err)
			}
		case 2:
			if err := s.BuildIndexes(e.Context(), func(context.Context, store.IndexProgress) error { return stop }, nil); err != nil && !errors.Is(err, stop) {
				e.Fatal(err)
			}
		case 3:
			if e.backend.Capabilities().Versions {
				then, err := s.At(e.Context(), "")
				if err != nil {
					e.Fatal(err)
				}
				positions = append(positions, then.Position())
			}
		default:
			for range 1 + random.IntN(8) {
				id := fmt.Sprintf("site/s%d/app/a%d", random.IntN(2), random.IntN(30))
				if random.IntN(6) == 0 {
					e.write(s, store.Delete, id, "")
					continue
				}
				e.write(s, store.Put, id, fmt.Sprintf(`{"metadata":{"labels":{"x":%s,"y":%s}},"spec":{"n":%s,"text":%s,"l":[%s,%s],"m":{"k":%s}}}`,
					pick(some), pick(some), pick(some), pick(some), pick(some), pick(some), pick(some)))
			}
		}
		for _, position := range []store.Cursor{"", positions[random.IntN(len(positions))]} {
			under := []dovetail.ID{"", "site/s1"}[random.IntN(2)]
			e.wantSelected(s, pick(labels), "", under, position, 1+random.IntN(7))
			e.wantSelected(s, "", pick(fields), under, position, 1+random.IntN(7))
		}
	}
	e.wantClean()
}

// indexedApp returns an app with members f0, f1 and so on, which a test indexes one after the other.
func indexedApp(n, members int) (id, text string) {
	text = `{"spec":{"f":0`
	for i := range members {
		text += fmt.Sprintf(`,"f%d":%d`, i, n%3)
	}
	return fmt.Sprintf("site/s/app/a%02d", n), text + "}}"
}

// testIndexBuildDies has the process that builds an index die at each of its steps, before it and after it: selectors find what
// is there all the same, and another process completes the index.
func testIndexBuildDies(e *env) {
	if !e.backend.Capabilities().Terms {
		e.Skip("the backend has no indexes")
	}
	const apps, members = 12, 60
	s := e.openIndexed(e.backend, "[spec.f]")
	e.write(s, store.Put, "site/s", "{}")
	for n := range apps {
		id, text := indexedApp(n, members)
		e.write(s, store.Put, id, text)
	}
	member := 0
	for _, late := range []bool{false, true} {
		for steps, died := 1, true; died; steps, member = steps+1, member+1 {
			if member == members {
				e.Fatal("a build takes more steps than the test has members")
			}
			index, field := fmt.Sprintf("[spec.f%d]", member), fmt.Sprintf("spec.f%d=1", member)
			if err := s.SetModel(e.Context(), e.indexModel(index)); err != nil {
				e.Fatal(err)
			}
			victim := &indexed{Backend: e.backend, steps: -1}
			builder := e.openIndexed(victim, index)
			victim.steps, victim.late = steps, late
			err := builder.BuildIndexes(e.Context(), nil, nil)
			if died = errors.Is(err, errDied); err != nil && !died {
				e.Fatal(err)
			}
			if e.config.Reopen != nil {
				e.restart()
			}
			again := &indexed{Backend: e.backend, steps: -1}
			s = e.openIndexed(again, index)
			e.wantSelected(s, "", field, "", "", 3)
			id, text := indexedApp(member%apps, members)
			e.write(s, store.Put, id, text)
			e.wantSelected(s, "", field, "", "", 100)
			if err := s.BuildIndexes(e.Context(), nil, nil); err != nil {
				e.Fatal(err)
			}
			e.wantSelected(s, "", field, "", "", 100)
			if !again.used.Load() {
				e.Errorf("after a death at step %d the index is not used", steps)
			}
		}
	}
	e.wantClean()
}

// testIndexBuilders has two processes build an index at once, while others write: every document is found by it afterwards.
func testIndexBuilders(e *env) {
	if !e.backend.Capabilities().Terms {
		e.Skip("the backend has no indexes")
	}
	watched := &indexed{Backend: e.backend, steps: -1}
	s := e.openIndexed(watched, "[spec.f]")
	e.write(s, store.Put, "site/s", "{}")
	for n := range 40 {
		id, text := indexedApp(n, 5)
		e.write(s, store.Put, id, text)
	}
	for member := range 5 {
		index := fmt.Sprintf("[spec.f%d]", member)
		if err := s.SetModel(e.Context(), e.indexModel(index)); err != nil {
			e.Fatal(err)
		}
		stores := []*store.Store{s, e.openIndexed(e.backend, index)}
		var busy sync.WaitGroup
		for builder, of := range stores {
			busy.Go(func() {
				for {
					err := of.BuildIndexes(e.Context(), nil, nil)
					if err == nil {
						return
					}
					if code := dovetail.CodeOf(err); code != dovetail.CodeConflict && code != dovetail.CodeStale { // the other one was first
						e.Errorf("builder %d: %v", builder, err)
						return
					}
				}
			})
			busy.Go(func() {
				for n := range 20 {
					id, text := indexedApp(builder+2*n, 5)
					data, err := value.ParseJSON([]byte(text), value.Limits{})
					if err == nil {
						_, err = of.Apply(e.Context(), []store.Operation{{Verb: store.Put, ID: dovetail.ID(id), Data: data}}, store.Options{})
					}
					if err != nil {
						e.Error(err)
					}
				}
			})
		}
		busy.Wait()
		e.wantSelected(s, "", fmt.Sprintf("spec.f%d=1", member), "", "", 100)
		if !watched.used.Load() {
			e.Error("the index is not used")
		}
	}
	e.wantClean()
}

// testIndexDamage takes documents out of an index behind its back: a check finds that, and puts them back.
func testIndexDamage(e *env) {
	if !e.backend.Capabilities().Terms {
		e.Skip("the backend has no indexes")
	}
	s := e.openIndexed(e.backend, "[spec.f]")
	e.write(s, store.Put, "site/s", "{}")
	ids := make([]dovetail.ID, 4)
	for n := range ids {
		id, text := indexedApp(n, 0)
		ids[n] = dovetail.ID(id)
		e.write(s, store.Put, id, text)
	}
	damaged := e.get(ids[1])
	damaged.Terms, damaged.Revision = nil, damaged.Revision+1
	e.put(damaged)
	q := store.ListQuery{Kind: "app"}
	var err error
	if q.Fields, err = selector.ParseFields("spec.f=0"); err != nil {
		e.Fatal(err)
	}
	want := func(what string, ids ...dovetail.ID) {
		e.Helper()
		page, err := s.List(e.Context(), q)
		if err != nil {
			e.Fatal(err)
		}
		if got := idsOf(page.Documents); !slices.Equal(got, ids) {
			e.Fatalf("%s the index finds %v, want %v", what, got, ids)
		}
	}
	want("damaged,", ids[0], ids[2], ids[3])
	check := func(repair bool) (found []store.Finding) {
		for f, err := range s.Check(e.Context(), repair) {
			if err != nil {
				e.Fatal(err)
			}
			found = append(found, f)
		}
		return found
	}
	for _, repair := range []bool{false, true} {
		found := check(repair)
		if len(found) != 1 || found[0].Problem != store.ProblemUnindexed || found[0].ID != ids[1] || found[0].Repaired != repair {
			e.Fatalf("the findings are %+v", found)
		}
	}
	if found := check(false); len(found) > 0 {
		e.Fatalf("after the repair: %+v", found)
	}
	want("repaired,", ids...)
}
