package mongo

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// mortal is a server as a process sees it that is killed at its n-th step: before it, or after it but
// before it gets the answer. From then on nothing reaches the server.
type mortal struct {
	*server
	steps  int // that are left
	before bool
	kill   func() // ends the process for real; nil only pretends
}

// die reports whether the process is dead already, or dies with this step.
func (m *mortal) die() (dead, dies bool) {
	m.steps--
	dead = m.steps < 0 || m.steps == 0 && m.before
	if dead && m.kill != nil {
		m.kill()
	}
	return dead, m.steps == 0
}

var errDead = &dovetail.Error{Code: dovetail.CodeUnknown, Message: "the process is dead"}

func step[T any](m *mortal, do func() (T, error)) (T, error) {
	var none T
	dead, dies := m.die()
	if dead {
		return none, errDead
	}
	result, err := do()
	if dies {
		if m.kill != nil {
			m.kill()
		}
		return none, errDead
	}
	return result, err
}

func (m *mortal) Insert(ctx context.Context, records []*protocol.Record) []error {
	errs, err := step(m, func() ([]error, error) { return m.server.Insert(ctx, records), nil })
	if err != nil {
		return slices.Repeat([]error{err}, len(records))
	}
	return errs
}

func (m *mortal) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	return step(m, func() (int, error) { return m.server.Apply(ctx, changes) })
}

func (m *mortal) SetIntent(ctx context.Context, change protocol.Change) (*protocol.Record, error) {
	return step(m, func() (*protocol.Record, error) { return m.server.SetIntent(ctx, change) })
}

func (m *mortal) Replace(ctx context.Context, change protocol.Change) (at protocol.Stamp, done bool, err error) {
	at, err = step(m, func() (protocol.Stamp, error) {
		at, done, err = m.server.Replace(ctx, change)
		return at, err
	})
	return at, done, err
}

func (m *mortal) Find(ctx context.Context, ids []dovetail.ID, whole bool) (map[dovetail.ID]*protocol.Record, error) {
	return step(m, func() (map[dovetail.ID]*protocol.Record, error) { return m.server.Find(ctx, ids, whole) })
}

func (m *mortal) Children(ctx context.Context, of []dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return sequence(m, m.server.Children(ctx, of))
}

func (m *mortal) Referrers(ctx context.Context, of []dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return sequence(m, m.server.Referrers(ctx, of))
}

func (m *mortal) Holders(ctx context.Context, of dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return sequence(m, m.server.Holders(ctx, of))
}

func sequence(m *mortal, records iter.Seq2[*protocol.Record, error]) iter.Seq2[*protocol.Record, error] {
	if dead, dies := m.die(); dead || dies {
		if m.kill != nil {
			m.kill()
		}
		return func(yield func(*protocol.Record, error) bool) { yield(nil, errDead) }
	}
	return records
}

func (m *mortal) WriteEntries(ctx context.Context, entries []protocol.LogEntry) error {
	_, err := step(m, func() (bool, error) { return true, m.server.WriteEntries(ctx, entries) })
	return err
}

func (m *mortal) UpdateEntry(ctx context.Context, txn string, from protocol.State, to protocol.EntryUpdate) (bool, error) {
	return step(m, func() (bool, error) { return m.server.UpdateEntry(ctx, txn, from, to) })
}

func (m *mortal) ResolveEntries(ctx context.Context, txns []string) error {
	_, err := step(m, func() (bool, error) { return true, m.server.ResolveEntries(ctx, txns) })
	return err
}

func (m *mortal) CommitEntry(ctx context.Context, entry protocol.LogEntry, before time.Time) (at protocol.Stamp, done bool, err error) {
	at, err = step(m, func() (protocol.Stamp, error) {
		at, done, err = m.server.CommitEntry(ctx, entry, before)
		return at, err
	})
	return at, done, err
}

func (m *mortal) Keep(ctx context.Context, versions []*protocol.Record) error {
	_, err := step(m, func() (bool, error) { return true, m.server.Keep(ctx, versions) })
	return err
}

func (m *mortal) DeleteEntry(ctx context.Context, txn string, in protocol.State) (bool, error) {
	return step(m, func() (bool, error) { return m.server.DeleteEntry(ctx, txn, in) })
}

func (m *mortal) Entries(ctx context.Context, txns []string) (map[string]protocol.LogEntry, error) {
	return step(m, func() (map[string]protocol.LogEntry, error) { return m.server.Entries(ctx, txns) })
}

type death struct {
	name string
	txn  store.Txn
}

// What is there before each death, and the transactions that processes die in.
var (
	parent, target, leaf, holder = doc("p/1", 1), doc("t/1", 1), doc("l/1", 1), doc("h/1", 1)
	held, taken                  = doc("_claim/held", 1), doc("_claim/taken", 1) // by h/1 at first, and by what is written

	deaths = []death{
		{"create", creating(doc("p/1/c/1", 1, "t/1"), "p/1", "t/1")},
		{"update", store.Txn{Require: []store.Condition{at(holder), exists("t/1")}, Puts: documents(doc("h/1", 2, "t/1"))}},
		{"update at once", store.Txn{Require: []store.Condition{at(holder)}, Puts: documents(doc("h/1", 2))}},
		{"delete", deleting(leaf)},
		{"several", store.Txn{
			Require: append(append(creating(doc("p/1/c/2", 1, "h/1"), "p/1", "h/1").Require, deleting(leaf).Require...), at(holder)),
			Puts:    documents(doc("p/1/c/2", 1, "h/1"), doc("h/1", 2)), Deletes: []dovetail.ID{"l/1"}}},
		{"claim", store.Txn{Require: append(creating(doc("p/1/c/1", 1), "p/1").Require, creating(taken).Require...), Puts: documents(doc("p/1/c/1", 1), taken)}},
		{"claim moved", store.Txn{Require: append(creating(taken).Require, at(holder)), Puts: documents(doc("h/1", 2), taken), Deletes: []dovetail.ID{held.ID}}},
		{"claim given up", store.Txn{Require: deleting(holder).Require, Deletes: []dovetail.ID{holder.ID, held.ID}}},
	}
)

// TestDeath has a process die at every step of every kind of transaction. Others then find it done whole
// or not at all, find nothing in their way, and clean up.
func TestDeath(t *testing.T) {
	for _, c := range deaths {
		t.Run(c.name, func(t *testing.T) {
			dieAtEveryStep(t, c.txn, func(uri string, witness *Backend, n int, before bool) (answer error, died bool) {
				victim := &mortal{server: witness.server, steps: n, before: before}
				err := protocol.New(victim, brief(), "victim").Commit(t.Context(), c.txn)
				return err, victim.steps <= 0
			})
		})
	}
}

// TestResolvedIntentsAreReported has a process die at every step of a transaction of several documents: Resolved reports
// how many intents were removed, of committed transactions and of aborted ones.
func TestResolvedIntentsAreReported(t *testing.T) {
	var happened, not atomic.Int64
	witness := openWitness(t, freshURI(t), func(did bool, n int) {
		if did {
			happened.Add(int64(n))
		} else {
			not.Add(int64(n))
		}
	})
	txn := deaths[slices.IndexFunc(deaths, func(d death) bool { return d.name == "several" })].txn
	for n := 1; ; n++ {
		must(t, witness.Commit(t.Context(), store.Txn{Puts: documents(parent, target, leaf, holder, held)}))
		victim := &mortal{server: witness.server, steps: n}
		answer := protocol.New(victim, brief(), "victim").Commit(t.Context(), txn)
		outlives(t, fmt.Sprintf("killed at step %d", n), witness, txn, answer)
		if victim.steps > 0 {
			break
		}
	}
	if happened.Load() == 0 || not.Load() == 0 {
		t.Errorf("Resolved was called with %d intents of committed transactions and %d of aborted ones", happened.Load(), not.Load())
	}
}

// dieAtEveryStep has a process die at each step of the transaction, until one lives to its end, and
// looks at what each left.
func dieAtEveryStep(t *testing.T, txn store.Txn, die func(uri string, witness *Backend, n int, before bool) (error, bool)) {
	t.Helper()
	uri := freshURI(t)
	witness := openWitness(t, uri, nil)
	for n := 1; ; n++ {
		for _, before := range []bool{true, false} {
			must(t, witness.Commit(t.Context(), store.Txn{Puts: documents(parent, target, leaf, holder, held)}))
			witness.runtime.Flush()
			answer, died := die(uri, witness, n, before)
			outlives(t, fmt.Sprintf("killed at step %d (before: %v)", n, before), witness, txn, answer)
			if !died {
				return
			}
		}
	}
}

// openWitness opens a backend whose clock moves by its pauses, so that leases of the dead end without a wait.
func openWitness(t *testing.T, uri string, resolved func(happened bool, n int)) *Backend {
	t.Helper()
	witness, err := Open(t.Context(), uri, Options{ExternalMaintenance: true,
		Protocol: protocol.Settings{Clock: fakeClock(), Resolved: resolved}})
	must(t, err)
	t.Cleanup(func() { _ = witness.Close() })
	return witness
}

// brief is the surroundings of a process that does not try again.
func brief() protocol.Env {
	env := protocol.NewRuntime(protocol.Settings{Lease: time.Hour}).Env()
	env.Pause = func(context.Context, int) (bool, error) { return false, nil }
	env.SubmitReplaced = func(e *protocol.Engine, r *protocol.Replaced) {
		_ = e.KeepReplaced(context.Background(), []*protocol.Replaced{r})
	}
	env.SubmitCreated = func(e *protocol.Engine, c *protocol.Created) {
		_ = e.ClearCreated(context.Background(), []*protocol.Created{c})
	}
	env.TakeEntry = func(*protocol.Engine) string { return "" }
	env.SubmitUnresolved = func(e *protocol.Engine, u *protocol.Unresolved) {
		_ = e.Resolve(context.Background(), []*protocol.Unresolved{u})
	}
	env.TakeReplaced = func(dovetail.ID) *protocol.Replaced { return nil }
	env.Parallel = func(functions ...func()) {
		for _, f := range functions {
			f()
		}
	}
	return env
}

// outlives checks what the death of a process in a transaction left, and deletes all.
func outlives(t *testing.T, how string, witness *Backend, txn store.Txn, answer error) {
	t.Helper()
	done := 0
	for _, put := range txn.Puts {
		if got, err := witness.Get(t.Context(), put.ID); err == nil && got.UID == put.UID && got.Revision == put.Revision {
			done++
		}
	}
	for _, id := range txn.Deletes {
		if _, err := witness.Get(t.Context(), id); dovetail.CodeOf(err) == dovetail.CodeNotFound {
			done++
		}
	}
	if all := len(txn.Puts) + len(txn.Deletes); done != 0 && done != all || answer == nil && done != all {
		t.Fatalf("%s: %d of %d writes are done; the answer was %v", how, done, all, answer)
	}
	for _, put := range txn.Puts {
		if put.Revision == 1 || done == 0 {
			continue
		}
		versions, err := collect(witness.Versions(t.Context(), put.ID))
		must(t, err)
		if len(versions) < 2 || versions[0].Revision != put.Revision || versions[1].Revision != put.Revision-1 || versions[1].Document == nil {
			t.Fatalf("%s: the versions of %s are %+v", how, put.ID, versions)
		}
	}
	for id := range map[dovetail.ID]bool{"p/1": true, "p/1/c/1": true, "p/1/c/2": true, "t/1": true, "h/1": true, "l/1": true, held.ID: true, taken.ID: true} {
		must(t, witness.Commit(t.Context(), store.Txn{Deletes: []dovetail.ID{id}}))
	}
	for leases := 0; ; leases++ {
		_, err := witness.Sweep(t.Context())
		must(t, err)
		witness.runtime.Flush()
		left := ""
		for r, err := range witness.server.WithIntent(t.Context(), "") {
			must(t, err)
			left += fmt.Sprintf(" %s (%s)", r.ID, r.Intent.Op)
		}
		for entry, err := range witness.server.OpenEntries(t.Context()) {
			must(t, err)
			left += fmt.Sprintf(" %s %s", entry.State, entry.Txn)
		}
		if left == "" {
			break
		}
		if leases == 3 {
			t.Fatalf("%s: not cleaned up:%s", how, left)
		}
		witness.clock.(*clocktest.Fake).Advance(10 * time.Second) // the lease
	}
	for finding, err := range witness.Check(t.Context(), false) {
		must(t, err)
		t.Errorf("%s: %+v", how, finding)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// doc is a document with references, with a uid of its id.
func doc(id dovetail.ID, revision uint64, references ...dovetail.ID) *dovetail.Document {
	d := &dovetail.Document{ID: id, Kind: "any", UID: "uid of " + string(id), Revision: revision, Data: []byte(`{}`),
		Created: time.Unix(1_800_000_000, 0), Updated: time.Unix(1_800_000_000, 0)}
	for _, ref := range references {
		d.References = append(d.References, dovetail.Reference{ID: ref, Kind: "any"})
	}
	return d
}

func documents(all ...*dovetail.Document) []*dovetail.Document { return all }

func exists(id dovetail.ID) store.Condition { return store.Condition{Test: store.Exists, ID: id} }

func at(d *dovetail.Document) store.Condition {
	return store.Condition{Test: store.AtVersion, ID: d.ID, Version: d.ETag()}
}

// creating is the transaction that creates a document.
func creating(d *dovetail.Document, needs ...dovetail.ID) store.Txn {
	txn := store.Txn{Require: []store.Condition{{Test: store.Absent, ID: d.ID}}, Puts: documents(d)}
	for _, id := range needs {
		txn.Require = append(txn.Require, exists(id))
	}
	return txn
}

// deleting is the transaction that deletes a document.
func deleting(d *dovetail.Document) store.Txn {
	return store.Txn{Require: []store.Condition{at(d), {Test: store.Childless, ID: d.ID}, {Test: store.Unreferenced, ID: d.ID}},
		Deletes: []dovetail.ID{d.ID}}
}
