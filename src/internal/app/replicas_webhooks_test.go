package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/rounds"
	"github.com/dovetail-store/dovetail/src/internal/webhook"
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
	all := processesUnder(t, 2, freshMongo(t).String(), map[string]string{"kinds.yaml": twoKinds},
		"--webhooks", webhooksFile(t, receiver.URL), "--webhook-hosts", "http://127.0.0.1:*", "--lease-time", "5s")
	eventually(t, "a process follows the changes", func() bool {
		_, text, err := all[0].call(t.Context(), "GET", "/v2/webhooks", "")
		return err == nil && strings.Contains(text, `"position"`)
	})
	var want []string
	create := func(p *process) {
		t.Helper()
		name := fmt.Sprintf("n%02d", len(want))
		p.must(t, 201, "POST", "/v2/projects", named(name))
		want = append(want, "project/"+name)
	}
	for n := range before {
		create(all[n%2])
	}
	<-hanging
	leader := slices.IndexFunc(all, func(p *process) bool {
		_, text, err := p.call(t.Context(), "GET", "/metrics", "")
		return err == nil && strings.Contains(text, `dovetail_leading{work="`+webhookWork+`"} 1`)
	})
	if leader < 0 {
		t.Fatal("no process says that it delivers")
	}
	all[leader].kill()
	survivor := all[1-leader]
	for range after {
		create(survivor)
	}
	arrived := func() bool {
		projects, _ := got.first()
		return len(projects) == len(want)
	}
	eventually(t, "the other process delivers the rest", arrived)
	all[leader].start(t)
	for n := range after {
		create(all[n%2])
	}
	eventually(t, "one of both delivers what follows", arrived)
	projects, repeated := got.first()
	if !slices.Equal(projects, want) {
		t.Errorf("events came in the order %v, want %v", projects, want)
	}
	// The one that was under way comes again, and one more each time that a slow machine lets the lease expire.
	if most := len(want) / 4; repeated < 1 || repeated > most {
		t.Errorf("%d events came again, want that which was under way, and %d at most", repeated, most)
	}
}
