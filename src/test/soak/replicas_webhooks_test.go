package soak_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/webhook"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// deliveries are what a receiver got, in its order.
type deliveries struct {
	mu       sync.Mutex
	ids      []string // of events
	projects []string // that they are about
}

// first returns the projects in the order in which the receiver got to know them, and how often an event came again.
func (d *deliveries) first() (projects []string, repeated int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []string
	for i, id := range d.ids {
		if slices.Contains(ids, id) {
			repeated++
			continue
		}
		ids, projects = append(ids, id), append(projects, d.projects[i])
	}
	return projects, repeated
}

// webhooksFile returns a file with a subscription to all events.
func webhooksFile(t *testing.T, url string) string {
	t.Helper()
	dir := t.TempDir()
	secret, file := filepath.Join(dir, "secret"), filepath.Join(dir, "webhooks.yaml")
	writeFile(t, secret, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
	writeFile(t, file, fmt.Sprintf("webhooks:\n- {name: hook, url: %q, secretFile: %s, as: {user: reader}, events: ['*']}\n", url, secret))
	return file
}

// leads waits until one of the processes does a work that only one may do, and returns which.
func leads(t *testing.T, all []*apptest.Process, work string) (leader int) {
	t.Helper()
	apptest.Eventually(t, "a process does the work "+work, func() bool {
		leader = slices.IndexFunc(all, func(p *apptest.Process) bool {
			_, text, err := p.Call(t.Context(), "GET", "/metrics", "")
			return err == nil && strings.Contains(text, `dovetail_leading{work="`+work+`"} 1`)
		})
		return leader >= 0
	})
	return leader
}

// TestReplicasShareWebhooks: of two processes one delivers. When it is killed while an event is under way, the other one delivers
// that event again, and what follows; every event comes, in the order of commits, and few come twice.
func TestReplicasShareWebhooks(t *testing.T) {
	rounds.Soak(t)
	const before, lostAt, after = 8, 4, 6
	var got deliveries
	hanging := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var event webhook.Event
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil || len(event.Data.Changes) != 1 {
			t.Errorf("an event with %d changes, %v", len(event.Data.Changes), err)
			return
		}
		got.mu.Lock()
		got.ids = append(got.ids, r.Header.Get("Webhook-Id"))
		got.projects = append(got.projects, string(event.Data.Changes[0].ID))
		n := len(got.ids)
		got.mu.Unlock()
		if n == lostAt {
			close(hanging)
			<-r.Context().Done() // until the sender is dead
		}
	}))
	t.Cleanup(receiver.Close)
	all := startOn(t, 2, mongotest.Location(t).String(), schemas(t, map[string]string{"kinds.yaml": twoKinds}),
		"--webhooks", webhooksFile(t, receiver.URL), "--webhook-hosts", "http://127.0.0.1:*", "--lease-time", "5s")
	apptest.Eventually(t, "a process follows the changes", func() bool {
		_, text, err := all[0].Call(t.Context(), "GET", "/v2/webhooks", "")
		return err == nil && strings.Contains(text, `"position"`)
	})
	var want []string
	create := func(p *apptest.Process) {
		t.Helper()
		name := fmt.Sprintf("n%02d", len(want))
		p.Must(t, 201, "POST", "/v2/projects", named(name))
		want = append(want, "project/"+name)
	}
	for n := range before {
		create(all[n%2])
	}
	<-hanging
	leader := leads(t, all, "webhooks")
	all[leader].Kill()
	survivor := all[1-leader]
	for range after {
		create(survivor)
	}
	arrived := func() bool {
		projects, _ := got.first()
		return len(projects) == len(want)
	}
	apptest.Eventually(t, "the other process delivers the rest", arrived)
	all[leader].Start(t)
	for n := range after {
		create(all[n%2])
	}
	apptest.Eventually(t, "one of both delivers what follows", arrived)
	projects, repeated := got.first()
	if !slices.Equal(projects, want) {
		t.Errorf("events came in the order %v, want %v", projects, want)
	}
	// The one that was under way comes again, and one more each time that a slow machine lets the lease expire.
	if most := len(want) / 4; repeated < 1 || repeated > most {
		t.Errorf("%d events came again, want that which was under way, and %d at most", repeated, most)
	}
}
