package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/webhook"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/simulation"
)

// TestModel writes through several processes while the one that delivers dies, loses the record of what it delivered, meets a receiver
// that fails, and has its history shortened: every commit is delivered, in order, or events.lost names a range that it is in.
func TestModel(t *testing.T) {
	shared := func(backend store.Backend) func() store.Backend { return func() store.Backend { return backend } }
	for _, tt := range []struct {
		name   string
		checks int
		open   func(t *testing.T) (join func() store.Backend) // a new database, to which each process connects by join
	}{
		{"bolt", 12, func(t *testing.T) func() store.Backend { return shared(apitest.Closing(t, apitest.OpenBolt(t))) }},
		{"simulation", 12, func(*testing.T) func() store.Backend {
			server := simulation.NewServer()
			return func() store.Backend { return simulation.NewBackend(server, "s") }
		}},
		{"mongo", 3, func(t *testing.T) func() store.Backend { return shared(apitest.Closing(t, mongotest.Open(t))) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "mongo" {
				mongotest.Skip(t)
			}
			rounds.Checks(t, tt.checks, 200)
			rapid.Check(t, func(rt *rapid.T) {
				m := newModel(t, rt, tt.open(t))
				defer m.stop()
				for range rapid.IntRange(5, 40).Draw(rt, "steps") {
					m.step(rt)
				}
				m.finish(rt)
			})
		})
	}
}

// model is a database with processes, of which one delivers, and what was committed.
type model struct {
	t         *testing.T
	join      func() store.Backend
	writer    *bench
	deliverer *bench // nil while none runs
	sub       webhook.Subscription
	receiver  *receiver
	revisions map[dovetail.ID]uint64 // of the documents that exist
	commits   []modelCommit
	expired   bool
	ticks     int
}

// modelCommit is a commit, and the text of its event.
type modelCommit struct {
	text     string
	position store.Cursor
}

func newModel(t *testing.T, rt *rapid.T, join func() store.Backend) *model {
	m := &model{t: t, join: join, receiver: newReceiver(t), revisions: make(map[dovetail.ID]uint64)}
	m.writer = newBenchOn(t, join(), m.receiver, "")
	m.sub = m.writer.subscription("a", "events: [transaction.committed]")
	m.start(rt)
	return m
}

func (m *model) step(rt *rapid.T) {
	switch rapid.SampledFrom([]string{"write", "write", "write", "write", "burst", "kill", "start", "other writer", "refuse", "forget", "expire"}).Draw(rt, "step") {
	case "write":
		m.write(rt)
	case "burst": // of one document, which the feed may show once
		for range rapid.IntRange(2, 6).Draw(rt, "length") {
			m.commit(rt, "cluster/a")
		}
	case "kill":
		m.stop()
	case "start":
		m.start(rt)
	case "other writer":
		m.writer = newBenchOn(m.t, m.join(), m.receiver, "")
	case "refuse":
		left := rapid.IntRange(1, 3).Draw(rt, "requests")
		m.receiver.answerWith(func(received) int {
			if left--; left >= 0 {
				return http.StatusServiceUnavailable
			}
			return http.StatusNoContent
		})
	case "forget":
		m.forget(rapid.IntRange(1, 3).Draw(rt, "records"))
	case "expire":
		if m.deliverer == nil {
			m.expired = true
			if err := m.writer.store.Backend().Expire(m.t.Context(), store.Retention{Before: time.Now().Add(time.Hour)}); err != nil {
				rt.Fatal(err)
			}
		}
	}
}

// forget has the next records of deliveries fail.
func (m *model) forget(left int) {
	if m.deliverer == nil {
		return
	}
	m.deliverer.backend.failWith(func(txn store.Txn) error {
		if len(txn.Puts) == 0 || !strings.HasPrefix(string(txn.Puts[0].ID), "_webhook/") {
			return nil
		}
		m.deliverer.backend.mu.Lock()
		defer m.deliverer.backend.mu.Unlock()
		if left--; left >= 0 {
			return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the database is away"}
		}
		return nil
	})
}

func (m *model) start(rt *rapid.T) {
	m.stop()
	m.deliverer = newBenchOn(m.t, m.join(), m.receiver, "")
	if err := m.deliverer.hooks.Set(system(m.t), []webhook.Subscription{m.sub}); err != nil {
		rt.Fatal(err)
	}
	m.deliverer.start(m.sub)
}

func (m *model) stop() {
	if m.deliverer != nil {
		m.deliverer.stop()
		m.deliverer = nil
	}
}

func (m *model) write(rt *rapid.T) {
	ids := []dovetail.ID{"cluster/a", "cluster/b", "cluster/c"}
	m.commit(rt, rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, 3, rapid.ID).Draw(rt, "documents")...)
}

// commit writes documents in one transaction, and deletes some of those that exist.
func (m *model) commit(rt *rapid.T, ids ...dovetail.ID) {
	var operations []store.Operation
	var texts []string
	for _, id := range ids {
		revision, exists := m.revisions[id]
		if exists && len(ids) > 1 && rapid.IntRange(0, 3).Draw(rt, "delete") == 0 {
			operations = append(operations, store.Operation{Verb: store.Delete, ID: id})
			texts = append(texts, fmt.Sprint("deleted ", id, " ", revision))
			delete(m.revisions, id)
			continue
		}
		m.ticks++
		m.revisions[id] = revision + 1
		operations = append(operations, store.Operation{Verb: store.Put, ID: id, Data: m.writer.value(fmt.Sprintf(`{"spec": {"x": %d}}`, m.ticks))})
		op := store.Updated
		if !exists {
			op = store.Created
		}
		texts = append(texts, fmt.Sprint(op, " ", id, " ", revision+1))
	}
	ctx := dovetail.WithPrincipal(m.t.Context(), &dovetail.Principal{Name: "ann"})
	if _, err := m.writer.store.Apply(ctx, operations, store.Options{}); err != nil {
		rt.Fatal(err)
	}
	slices.Sort(texts)
	m.commits = append(m.commits, modelCommit{strings.Join(texts, ", "), m.latest(rt)})
}

// latest returns the position of the last commit.
func (m *model) latest(rt *rapid.T) store.Cursor {
	for set, err := range m.writer.store.Backend().Transactions(m.t.Context(), "") {
		if err != nil {
			rt.Fatal(err)
		}
		if slices.ContainsFunc(set.Changes, func(c store.Change) bool { return !store.IsInternal(c.ID) }) {
			return set.Cursor
		}
	}
	rt.Fatal("there is no commit")
	return ""
}

// finish compares what the receiver took, up to a last commit, with what was committed.
func (m *model) finish(rt *rapid.T) {
	m.receiver.answerWith(func(received) int { return http.StatusNoContent })
	m.start(rt)
	m.commit(rt, "cluster/end")
	ctx, cancel := context.WithTimeout(m.t.Context(), apitest.Patience)
	defer cancel()
	for !m.arrived(rt, m.commits[len(m.commits)-1]) {
		select {
		case <-m.receiver.came:
		case <-ctx.Done():
			rt.Fatalf("the receiver took %q, not %+v; %+v", m.receiver.texts(), m.commits, m.deliverer.list())
		}
	}
	m.stop()
	next, ids := 0, make(map[string]bool)
	for _, one := range m.receiver.all {
		if ids[one.id] {
			continue
		}
		ids[one.id] = true
		if one.event.Type == webhook.EventsLost {
			if !m.expired {
				rt.Fatalf("%+v, but nothing has expired", one.event.Data)
			}
			for next < len(m.commits) && m.isLost(rt, one.event.Data, m.commits[next]) {
				next++
			}
			continue
		}
		if next == len(m.commits) || m.commits[next].text != textOf(one.event) {
			rt.Fatalf("%s comes as number %d, want %+v", textOf(one.event), next, m.commits[next:])
		}
		next++
	}
	if next < len(m.commits) {
		rt.Fatalf("not delivered: %+v", m.commits[next:])
	}
}

// arrived reports whether the receiver has the event of a commit, or that it is lost.
func (m *model) arrived(rt *rapid.T, c modelCommit) bool {
	m.receiver.mu.Lock()
	defer m.receiver.mu.Unlock()
	return slices.ContainsFunc(m.receiver.all, func(one received) bool {
		if one.event.Type == webhook.EventsLost {
			return m.isLost(rt, one.event.Data, c)
		}
		return textOf(one.event) == c.text
	})
}

// isLost reports whether a commit is in the range of lost events.
func (m *model) isLost(rt *rapid.T, lost webhook.Data, c modelCommit) bool {
	after, err := m.writer.store.Backend().Compare(store.Cursor(lost.After), c.position)
	if err != nil {
		rt.Fatal(err)
	}
	until, err := m.writer.store.Backend().Compare(c.position, lost.Position)
	if err != nil {
		rt.Fatal(err)
	}
	return after < 0 && until <= 0
}

// textOf returns the changes of an event, as a model describes them.
func textOf(event webhook.Event) string {
	var texts []string
	for _, c := range event.Data.Changes {
		_, revision, _ := strings.Cut(c.Version, "-")
		texts = append(texts, fmt.Sprint(c.Op, " ", c.ID, " ", revision))
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}
