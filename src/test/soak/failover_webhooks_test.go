package soak_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/webhook"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// revisionsSeen are the revisions that a receiver got to know, each time that it did, by document.
type revisionsSeen struct {
	mu    sync.Mutex
	of    map[dovetail.ID][]uint64
	known int // how many different ones
	wrong []string
}

func (s *revisionsSeen) see(c webhook.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var revision uint64
	if _, err := fmt.Sscan(c.Version[strings.LastIndexByte(c.Version, '-')+1:], &revision); err != nil {
		s.wrong = append(s.wrong, fmt.Sprintf("%s at %s: %v", c.ID, c.Version, err))
		return
	}
	all := s.of[c.ID]
	switch last := uint64(len(all)); {
	case revision == last+1:
		s.of[c.ID] = append(all, revision)
		s.known++
	case revision > last:
		s.wrong = append(s.wrong, fmt.Sprintf("%s at %s comes after revision %d", c.ID, c.Version, last))
	}
}

// TestWebhooksOverFailOvers kills the process that delivers, again and again, while documents are written through it and another one: every revision of
// each document is told, none before an earlier one. A long run has 10,000 events and 30 fail-overs.
func TestWebhooksOverFailOvers(t *testing.T) {
	rounds.Soak(t)
	const documents = 20
	failOvers, each := rounds.Of(2, 30), rounds.Of(5, 17)
	seen := revisionsSeen{of: make(map[dovetail.ID][]uint64)}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var event webhook.Event
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil || len(event.Data.Changes) != 1 {
			t.Errorf("the event %s with %d changes, %v", event.Type, len(event.Data.Changes), err)
			return
		}
		seen.see(event.Data.Changes[0])
	}))
	t.Cleanup(receiver.Close)
	all := startOn(t, 2, mongotest.Location(t).String(), schemas(t, map[string]string{"kinds.yaml": twoKinds}),
		"--webhooks", webhooksFile(t, receiver.URL), "--webhook-hosts", "http://127.0.0.1:*", "--lease-time", "5s")
	apptest.Eventually(t, "a process follows the changes", func() bool {
		_, text, err := all[0].Call(t.Context(), "GET", "/v2/webhooks", "")
		return err == nil && strings.Contains(text, `"position"`)
	})
	for round := range failOvers {
		leader := leads(t, all, "webhooks")
		var written atomic.Int64
		half := make(chan struct{})
		var writers sync.WaitGroup
		for n := range documents {
			writers.Go(func() {
				for i := range each {
					body := fmt.Sprintf(`{"metadata":{"name":"n%02d","labels":{"at":"%d-%d"}}}`, n, round, i)
					apptest.Eventually(t, "a process writes", func() bool { // again, what was written is no change
						status, _, err := all[(n+i)%2].Call(t.Context(), "PUT", fmt.Sprintf("/v2/projects/n%02d", n), body)
						if err != nil || status >= 500 {
							status, _, err = all[1-leader].Call(t.Context(), "PUT", fmt.Sprintf("/v2/projects/n%02d", n), body)
						}
						return err == nil && status < 300
					})
					if written.Add(1) == int64(documents*each/2) {
						close(half)
					}
				}
			})
		}
		<-half
		all[leader].Kill()
		writers.Wait()
		all[leader].Start(t)
		t.Logf("after fail-over %d of %d: %d events were written", round+1, failOvers, (round+1)*documents*each)
	}
	want := failOvers * each * documents
	for at := 0; at < want && len(seen.wrong) == 0; {
		apptest.Eventually(t, "another event comes", func() bool {
			seen.mu.Lock()
			defer seen.mu.Unlock()
			before := at
			at = seen.known
			return at > before || len(seen.wrong) > 0
		})
	}
	if seen.known != want || len(seen.wrong) > 0 {
		t.Errorf("%d events came, want %d; out of order: %q", seen.known, want, seen.wrong)
	}
	t.Logf("%d events over %d fail-overs came, in order per document", seen.known, failOvers)
}
