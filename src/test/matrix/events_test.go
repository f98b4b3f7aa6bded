package matrix

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/webhook"
	"github.com/dovetail-store/dovetail/src/store"
)

// sentinel is the document that is written when all else is done.
var sentinel = document{"rack", "", "the-last"}

// seen are changes in the order in which they came: "created site/a abc-1".
type seen struct {
	mu      sync.Mutex
	changes []string
	bodies  strings.Builder // of webhooks
	last    chan struct{}   // closed when the sentinel came
}

func newSeen() *seen { return &seen{last: make(chan struct{})} }

func (s *seen) add(op store.Op, id, version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change := fmt.Sprint(op, " ", id, " ", version)
	if !slices.Contains(s.changes, change) || id != sentinel.String() {
		s.changes = append(s.changes, change)
	}
	if id == sentinel.String() {
		select {
		case <-s.last:
		default:
			close(s.last)
		}
	}
}

// ServeHTTP receives webhooks.
func (s *seen) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	s.mu.Lock()
	s.bodies.Write(text)
	s.mu.Unlock()
	var event webhook.Event
	if err != nil || json.Unmarshal(text, &event) != nil || event.Type != webhook.TransactionCommitted {
		return
	}
	for _, c := range event.Data.Changes {
		s.add(c.Op, string(c.ID), c.Version)
	}
}

// texts are the bodies of all webhooks.
func (s *seen) texts() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies.String()
}

// follow makes the watch and the webhook of a world; the latter's settings are for the server.
func (w *world) follow(t *testing.T) (settings map[string]string) {
	t.Helper()
	w.webhooks = newSeen()
	receiver := httptest.NewServer(w.webhooks)
	t.Cleanup(receiver.Close)
	return map[string]string{"webhook-hosts": "http://127.0.0.1:*", "webhooks": w.hook(t, receiver.URL)}
}

// hook returns the path of a file with a webhook of root.
func (w *world) hook(t *testing.T, url string) (path string) {
	t.Helper()
	secret := w.file(t, "secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
	return w.file(t, "webhooks.yaml", fmt.Sprintf("webhooks:\n- {name: hook, url: %q, secretFile: %s, as: {user: root}, events: [transaction.committed]}\n", url, secret))
}

// watch watches all documents of the running server.
func (w *world) watch(t *testing.T) {
	t.Helper()
	w.watched = newSeen()
	c, err := client.New(w.server.URL(), client.Options{Token: w.tokens["root"]})
	if err != nil {
		t.Fatal(err)
	}
	first := document{"rack", "", "the-first"}
	w.put(t, first, nil)
	after := store.Cursor(w.latest(t, first).Position)
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	t.Cleanup(func() { end(); <-ended })
	go func() {
		defer close(ended)
		for event, err := range c.Watch(ctx, after, store.WatchQuery{}) {
			if err != nil {
				return
			}
			for _, change := range event.Changes {
				w.watched.add(change.Op, string(change.ID), dovetail.ETag{UID: change.UID, Revision: change.Revision}.Version())
			}
		}
	}()
}

// tells compares what a watch and a webhook were told with the history: every change of a document once, in order.
func (w *world) tells(t *testing.T) {
	t.Helper()
	w.put(t, sentinel, nil)
	want := make(map[string][]string)
	for before := ""; ; {
		var page struct {
			Items []struct {
				Changes []struct{ Op, ID, Version string }
			}
			Before string
		}
		a := w.must(t, "GET", "/v2/transactions?limit=1000"+before, nil)
		if err := json.Unmarshal([]byte(a.text), &page); err != nil {
			t.Fatal(err)
		}
		for _, made := range page.Items {
			for _, c := range made.Changes {
				want[c.ID] = append(want[c.ID], fmt.Sprint(c.Op, " ", c.ID, " ", c.Version))
			}
		}
		if page.Before == "" {
			break
		}
		before = "&before=" + page.Before
	}
	for who, told := range map[string]*seen{"a watch": w.watched, "a webhook": w.webhooks} {
		<-told.last
		told.mu.Lock()
		defer told.mu.Unlock()
		got := make(map[string][]string)
		for _, change := range told.changes {
			id := strings.Fields(change)[1]
			got[id] = append(got[id], change)
		}
		for id, changes := range want {
			slices.Reverse(changes) // the history is newest first
			if id != "rack/the-first" && !slices.Equal(got[id], changes) {
				t.Errorf("%s is told of %s\n%v\nthe history has\n%v", who, id, got[id], changes)
			}
			slices.Reverse(changes)
		}
	}
}

// until waits until a condition holds, which it tries after every commit.
func (w *world) until(t *testing.T, holds func() bool) {
	t.Helper()
	c, err := client.New(w.server.URL(), client.Options{Token: w.tokens["root"]})
	if err != nil {
		t.Fatal(err)
	}
	from, err := c.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if holds() {
		return
	}
	for _, err := range c.Watch(t.Context(), from, store.WatchQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if holds() {
			return
		}
	}
}
