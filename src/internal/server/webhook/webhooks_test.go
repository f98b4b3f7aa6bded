package webhook_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/webhook"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
)

func TestDeliver(t *testing.T) {
	b := newBench(t, "")
	b.start(b.subscription("all", "events: ['*']"), b.subscription("part", "events: [transaction.committed], kinds: [environment], under: [cluster/b]"))
	b.put("ann", "begin", "cluster/a", "cluster/b")
	b.put("ann", "", "cluster/a/environment/e")
	b.put("bob", "", "cluster/b/environment/e")
	got := b.receiver.wait(4)
	slices.Sort(got) // of the two subscriptions
	want := []string{
		"transaction.committed created cluster/a created cluster/b",
		"transaction.committed created cluster/a/environment/e",
		"transaction.committed created cluster/b/environment/e",
		"transaction.committed created cluster/b/environment/e",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	b.receiver.mu.Lock()
	defer b.receiver.mu.Unlock()
	first := b.receiver.all[slices.IndexFunc(b.receiver.all, func(r received) bool { return r.event.Data.Total == 2 })].event // subscriptions do not wait for each other
	if first.Data.Principal != "ann" || first.Data.Message != "begin" || first.Data.Total != 2 || first.Time.IsZero() || first.Data.Position == "" {
		t.Errorf("the first event is %+v", first)
	}
	ids := map[string]bool{}
	for _, one := range b.receiver.all {
		ids[one.id] = true
	}
	if len(ids) != 4 {
		t.Errorf("%d ids of 4 events", len(ids))
	}
}

// TestOrder delivers in order, whatever the receiver refuses meanwhile, and continues where it was after each start.
func TestOrder(t *testing.T) {
	b := newBench(t, "")
	var n atomic.Int64
	b.receiver.answerWith(func(received) int {
		if n.Add(1)%3 != 0 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	sub := b.subscription("a", "events: [transaction.committed]")
	var want []string
	for round := range 3 {
		b.start(sub)
		for i := range 10 {
			id := dovetail.ID(fmt.Sprintf("cluster/c%d-%d", round, i))
			b.put("ann", "", id)
			want = append(want, "transaction.committed created "+string(id))
		}
		if round < 2 {
			b.receiver.wait(len(want) - 5)
			b.stop()
		}
	}
	got := slices.Compact(b.receiver.wait(len(want))) // an event whose delivery was not recorded comes again
	b.until("all are delivered", func() bool { got = slices.Compact(b.receiver.texts()); return len(got) >= len(want) })
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestCrash loses the record of a delivery: the event comes again, with the same id.
func TestCrash(t *testing.T) {
	b := newBench(t, "")
	sub := b.subscription("a", "events: [transaction.committed]")
	b.start(sub)
	b.backend.failWith(func(txn store.Txn) error {
		if len(txn.Puts) > 0 && strings.HasPrefix(string(txn.Puts[0].ID), "_webhook/") {
			return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the process dies here"}
		}
		return nil
	})
	b.put("ann", "", "cluster/a")
	b.receiver.wait(1)
	b.stop()
	b.backend.failWith(nil)
	before := len(b.receiver.texts())
	b.put("ann", "", "cluster/b")
	b.start(sub)
	got := b.receiver.wait(before + 2)[before:]
	if want := []string{"transaction.committed created cluster/a", "transaction.committed created cluster/b"}; !slices.Equal(got, want) {
		t.Errorf("after the crash: %q, want %q", got, want)
	}
	b.receiver.mu.Lock()
	defer b.receiver.mu.Unlock()
	if first, again := b.receiver.all[0].id, b.receiver.all[before].id; first != again {
		t.Errorf("the event had the id %s and then %s", first, again)
	}
}

func TestDeadLetters(t *testing.T) {
	b := newBench(t, "")
	refused := "cluster/b"
	b.receiver.answerWith(func(one received) int {
		if one.event.Data.Changes[0].ID == dovetail.ID(refused) {
			return http.StatusUnprocessableEntity
		}
		return http.StatusOK
	})
	b.start(b.subscription("a", "events: [transaction.committed]"))
	for _, id := range []dovetail.ID{"cluster/a", "cluster/b", "cluster/c"} {
		b.put("ann", "", id)
	}
	if got := b.receiver.wait(2); !slices.Equal(got, []string{"transaction.committed created cluster/a", "transaction.committed created cluster/c"}) {
		t.Errorf("the receiver took %q", got)
	}
	letters := b.letters("a")
	if len(letters) != 1 || letters[0].Attempts != 5 || !strings.Contains(letters[0].Error, "422 Unprocessable Entity") || !strings.Contains(string(letters[0].Event), "cluster/b") {
		t.Fatalf("dead letters: %+v", letters)
	}
	redeliver := func(ids ...string) int {
		t.Helper()
		queued, err := b.hooks.Redeliver(system(t), "a", ids)
		if err != nil {
			t.Fatal(err)
		}
		return queued
	}
	if queued := redeliver(); queued != 1 {
		t.Errorf("%d are delivered again", queued)
	}
	b.until("the letter is refused again", func() bool { l := b.letters("a"); return l[0].Attempts == 6 && !l[0].Redeliver })
	b.receiver.answerWith(func(received) int { return http.StatusOK })
	redeliver(letters[0].ID)
	b.receiver.wait(3)
	b.until("the letter is gone", func() bool { return len(b.letters("a")) == 0 })
	if b.receiver.all[2].id != letters[0].ID {
		t.Errorf("it came as %s, not as %s", b.receiver.all[2].id, letters[0].ID)
	}
	for _, wrong := range [][]string{{"a", "msg_none"}, {"b"}} {
		if _, err := b.hooks.Redeliver(system(t), wrong[0], wrong[1:]); dovetail.CodeOf(err) != dovetail.CodeNotFound {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// TestRights shows what the principal of the subscription may read, when it is delivered.
func TestRights(t *testing.T) {
	b := newBench(t, `
bindings:
- {role: viewer, users: [hook], on: [cluster/a]}
- {role: viewer, groups: [all]}
- {role: editor, users: [ann]}`)
	b.start(b.subscription("some", "as: {user: hook}, events: ['*']"), b.subscription("every", "as: {user: x, groups: [all]}, events: ['*']"), b.subscription("none", "events: ['*']"))
	b.put("ann", "secret plan", "cluster/a", "cluster/b")
	b.put("ann", "more", "cluster/b")
	b.put("ann", "open", "cluster/a")
	b.receiver.wait(5)
	var some, every []string
	b.receiver.mu.Lock()
	defer b.receiver.mu.Unlock()
	for _, one := range b.receiver.all {
		text := one.String() + ": " + one.event.Data.Message
		if slices.Contains(every, text) || strings.Contains(text, "cluster/a") && !strings.Contains(text, "cluster/b") && !slices.Contains(some, text) {
			some = append(some, text)
		} else {
			every = append(every, text)
		}
	}
	wantSome := []string{"transaction.committed created cluster/a: ", "transaction.committed updated cluster/a: open"}
	wantEvery := []string{"transaction.committed created cluster/a created cluster/b: secret plan", "transaction.committed updated cluster/b: more", "transaction.committed updated cluster/a: open"}
	if !slices.Equal(some, wantSome) || !slices.Equal(every, wantEvery) {
		t.Errorf("some:  %q\nevery: %q", some, every)
	}
}

// TestSlowReceiver does not delay others.
func TestSlowReceiver(t *testing.T) {
	b := newBench(t, "")
	hold, held := make(chan struct{}), make(chan struct{}, 10)
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { held <- struct{}{}; <-hold }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(hold) })
	b.start(b.subscriptionTo("slow", slow.URL, "events: ['*']"), b.subscription("quick", "events: ['*']"))
	b.put("ann", "", "cluster/a")
	<-held
	for i := range 5 {
		b.put("ann", "", dovetail.ID(fmt.Sprintf("cluster/b%d", i)))
	}
	b.receiver.wait(6)
	for _, one := range b.list() {
		if one.Name == "slow" && one.Delivered != 0 {
			t.Errorf("the slow receiver took %d", one.Delivered)
		}
	}
}

// TestRefusedHost sends nothing to reserved addresses, to hosts without TLS or after a redirect.
func TestRefusedHost(t *testing.T) {
	b := newBench(t, "")
	other := newReceiver(t)
	redirect := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(redirect.Close)
	tests := []struct{ name, url, says string }{
		{name: "reserved", url: "https://169.254.169.254/latest", says: "169.254.169.254, a reserved address"},
		{name: "cleartext", url: "http://hooks.example.org", says: "without TLS"},
		{name: "redirect", url: redirect.URL, says: "307 Temporary Redirect"},
	}
	var all []webhook.Subscription
	for _, tt := range tests {
		all = append(all, b.subscriptionTo(tt.name, tt.url, "events: ['*']"))
	}
	b.start(all...)
	b.put("ann", "", "cluster/a")
	for i, tt := range tests {
		b.until(tt.name+" fails", func() bool { f := b.list()[i].Failure; return f != nil && f.Attempts > 1 })
		if got := b.list()[i].Failure.Error; !strings.Contains(got, tt.says) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
	if len(other.texts()) > 0 {
		t.Errorf("the target of a redirect got %q", other.texts())
	}
}

func TestChangeSets(t *testing.T) {
	b := newBench(t, "")
	b.start(b.subscription("a", "events: ['change-set.*']"))
	status := func(text string) {
		t.Helper()
		b.apply("ann", "", store.Operation{Verb: store.PutStatus, ID: "changeSet/x", Data: b.value(text)})
	}
	b.apply("ann", "", store.Operation{Verb: store.Put, ID: "changeSet/x", Data: b.value(`{"spec": {"title": "T"}}`)})
	status(`{"state": "open", "author": "ann", "digest": "0"}`)
	status(`{"state": "open", "author": "ann", "digest": "1", "operations": 1}`)
	status(`{"state": "open", "digest": "1", "reviews": [{"by": "bob", "decision": "comment"}]}`)
	status(`{"state": "open", "digest": "1", "reviews": [{"by": "bob", "decision": "comment"}, {"by": "bob", "decision": "reject"}, {"by": "eve", "decision": "approve", "comment": "ok"}]}`)
	status(`{"state": "closed", "digest": "1"}`)
	status(`{"state": "open", "digest": "1"}`)
	status(`{"state": "open", "digest": "1", "proposal": {"branch": "b", "commits": ["1"]}}`)
	status(`{"state": "open", "digest": "1", "proposal": {"branch": "b", "commit": "1"}}`)
	b.apply("ann", "", store.Operation{Verb: store.PutStatus, ID: "changeSet/x", Data: b.value(`{"state": "merged", "digest": "1", "proposal": {"branch": "b", "commit": "1"}, "merged": {"commit": "2"}}`)},
		store.Operation{Verb: store.Put, ID: "cluster/a", Data: b.value(`{}`)})
	b.apply("ann", "", store.Operation{Verb: store.Put, ID: "changeSet/y", Data: b.value(`{}`)})
	b.apply("ann", "", store.Operation{Verb: store.PutStatus, ID: "changeSet/y", Data: b.value(`{"state": "open"}`)})
	b.apply("ann", "", store.Operation{Verb: store.Delete, ID: "changeSet/y"})
	want := []string{"change-set.opened x", "change-set.edited x", "change-set.rejected x", "change-set.approved x", "change-set.closed x",
		"change-set.opened x", "change-set.proposed x", "change-set.merged x", "change-set.opened y", "change-set.closed y"}
	if got := b.receiver.wait(len(want)); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	b.receiver.mu.Lock()
	defer b.receiver.mu.Unlock()
	if e := b.receiver.all[3].event; e.Data.Review == nil || e.Data.Review.By != "eve" || e.Data.Review.Comment != "ok" || e.Data.ChangeSet.Title != "T" {
		t.Errorf("the approval is %+v", e.Data)
	}
	for i, commit := range []string{"1", "2"} {
		if about := b.receiver.all[6+i].event.Data.ChangeSet; about.Branch != "b" || about.Commit != commit {
			t.Errorf("the proposal and its merge are %+v, want commit %s", about, commit)
		}
	}
}

// TestLost tells the receiver which events it may lack when the history no longer reaches back to the last one, and shows it.
func TestLost(t *testing.T) {
	b := newBench(t, "")
	var lost atomic.Int64
	b.hooks = webhook.New(b.store, webhook.Options{Policy: local(t), Timeout: apitest.Patience, Backoff: func(int) time.Duration { return time.Millisecond },
		Observe: func(_ string, result webhook.Result) {
			if result == webhook.Lost {
				lost.Add(1)
			}
		}})
	sub := b.subscription("a", "events: [transaction.committed]")
	b.start(sub)
	b.stop()
	position := b.list()[0].Position
	b.backend.mu.Lock()
	b.backend.Backend = expired{b.backend.Backend, store.Cursor(position)}
	b.backend.mu.Unlock()
	b.put("ann", "", "cluster/a")
	if one := b.list()[0]; one.Lost == nil || one.Lost.After != position {
		t.Errorf("before it is found out, the list has %+v", one.Lost)
	}
	crashed := make(chan struct{}, 10)
	b.backend.failWith(func(txn store.Txn) error { // after the loss was recorded, and again after its event was sent
		if len(txn.Puts) > 0 && strings.Contains(string(txn.Puts[0].Data), `"delivered":1`) {
			crashed <- struct{}{}
			return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the process dies here"}
		}
		return nil
	})
	b.start(sub)
	<-crashed
	b.stop()
	b.backend.failWith(nil)
	b.put("ann", "", "cluster/late")
	b.start(sub)
	b.until("it goes on", func() bool { return b.list()[0].Failure == nil && b.list()[0].Delivered >= 2 })
	b.receiver.mu.Lock()
	defer b.receiver.mu.Unlock()
	last := b.receiver.all[len(b.receiver.all)-1]
	if last.String() != "transaction.committed created cluster/late" {
		t.Errorf("the last event is %s", last)
	}
	first := b.receiver.all[0]
	for _, one := range b.receiver.all[:len(b.receiver.all)-1] {
		if one.event.Type != webhook.EventsLost || one.id != first.id || one.event.Data.After != position || one.event.Data.Position != first.event.Data.Position {
			t.Errorf("%s %+v after %s %+v", one.id, one.event, first.id, first.event)
		}
	}
	if one := b.list()[0]; one.Lost == nil || one.Lost.After != position || one.Lost.Position != string(first.event.Data.Position) || one.Behind != 0 {
		t.Errorf("the list has %+v", one)
	}
	if lost.Load() != 1 {
		t.Errorf("%d losses were observed", lost.Load())
	}
}

// TestBehind counts the events that wait, without those that the subscription is not for.
func TestBehind(t *testing.T) {
	b := newBench(t, "")
	sub := b.subscription("a", "events: [transaction.committed], kinds: [cluster]")
	b.start(sub)
	b.stop()
	for range 3 {
		b.put("ann", "", "cluster/a")
		b.put("ann", "", "cluster/a/environment/e")
	}
	if got := b.list()[0].Behind; got != 3 {
		t.Errorf("%d events wait, want 3", got)
	}
	b.start(sub)
	b.until("none waits", func() bool { return b.list()[0].Behind == 0 })
	if got := b.list()[0].Delivered; got != 3 {
		t.Errorf("%d were delivered", got)
	}
}

func TestErrorOfReceiver(t *testing.T) {
	b := newBench(t, "")
	gone := newReceiver(t)
	gone.Close()
	b.start(b.subscriptionTo("a", gone.URL+"/?token=secret", "events: ['*']"))
	b.put("ann", "", "cluster/a")
	b.until("it fails", func() bool { return b.list()[0].Failure != nil })
	one := b.list()[0]
	if !strings.Contains(one.Failure.Error, "cannot be reached") || strings.Contains(one.Failure.Error+one.URL, "secret") {
		t.Errorf("%+v", one)
	}
	if one.Failure.Next.Before(one.Failure.Since) {
		t.Errorf("the next attempt is at %s", one.Failure.Next)
	}
}
