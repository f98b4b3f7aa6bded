package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/internal/server/webhook"
)

// webhooksFile has the subscription "hook" of a principal that reads everything.
func webhooksFile(t *testing.T, url string) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "secret"), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
	file := filepath.Join(dir, "webhooks.yaml")
	writeWebhooks(t, file, "hook", url, "*")
	return file
}

func writeWebhooks(t *testing.T, file, name, url, event string) {
	t.Helper()
	replaceFile(t, file, fmt.Sprintf("webhooks:\n- {name: %s, url: %q, secretFile: %s, as: {user: reader}, events: [%q]}\n", name, url, filepath.Join(filepath.Dir(file), "secret"), event))
}

// events is a receiver that puts events into a channel.
func events(t *testing.T) (url string, came chan webhook.Event) {
	t.Helper()
	came = make(chan webhook.Event, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var event webhook.Event
		if err := json.Unmarshal(body, &event); err != nil {
			t.Error(err)
		}
		came <- event
	}))
	t.Cleanup(receiver.Close)
	return receiver.URL, came
}

func TestWebhooks(t *testing.T) {
	access, tokens := accessFile(t, accessRoles, "root", "reader", "ann")
	url, came := events(t)
	file := webhooksFile(t, url)
	server := start(t, map[string]string{"access": access, "webhooks": file, "webhook-hosts": "http://127.0.0.1:*"})
	c, err := client.New(server.URL(), client.Options{Token: tokens["root"]})
	if err != nil {
		t.Fatal(err)
	}
	delivered := func(name string, n int) {
		t.Helper()
		eventually(t, fmt.Sprint(name, " delivered ", n), func() bool {
			all, err := c.Webhooks(t.Context())
			return err == nil && len(all) == 1 && all[0].Name == name && all[0].Position != "" && all[0].Delivered == n
		})
	}
	delivered("hook", 0)
	create := func(name string) {
		t.Helper()
		if status, _, text := server.as(t, tokens["root"], "POST", "/v2/clusters", named(name)); status != 201 {
			t.Fatal(status, text)
		}
	}
	create("c1")
	if e := <-came; e.Type != "transaction.committed" || e.Data.Principal != "root" || e.Data.Changes[0].ID != "cluster/c1" {
		t.Errorf("%+v", e)
	}
	delivered("hook", 1)
	if _, text := server.call(t, "GET", "/readyz", ""); !strings.Contains(text, "webhooks") {
		t.Errorf("/readyz says nothing of webhooks: %s", text)
	}
	_, _, metrics := server.as(t, tokens["root"], "GET", "/metrics", "")
	for _, line := range []string{`dovetail_webhook_deliveries_total{result="delivered",webhook="hook"} 1`, `dovetail_webhook_deliveries_total{result="dead",webhook="hook"} 0`} {
		if !strings.Contains(metrics, line) {
			t.Errorf("the metrics lack %s", line)
		}
	}

	replaceFile(t, file, "webhooks: [{}]")
	eventually(t, "the invalid file is refused", func() bool {
		return strings.Contains(server.logs.String(), "the changed file of webhooks is refused, the last good one stays")
	})
	delivered("hook", 1)
	writeWebhooks(t, file, "other", url, "transaction.committed")
	delivered("other", 0)
	create("c2")
	if e := <-came; e.Data.Changes[0].ID != "cluster/c2" {
		t.Errorf("%+v", e)
	}
	if letters, err := c.DeadLetters(t.Context(), "other"); err != nil || len(letters) > 0 {
		t.Errorf("dead letters %v, %v", letters, err)
	}
	if n, err := c.Redeliver(t.Context(), "other"); err != nil || n != 0 {
		t.Errorf("%d are delivered again, %v", n, err)
	}
}

// TestReadinessOfWebhooks has a receiver that refuses events: readiness counts the webhook without naming it, until the event is delivered.
func TestReadinessOfWebhooks(t *testing.T) {
	access, tokens := accessFile(t, accessRoles, "root", "reader", "ann")
	var accepts atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !accepts.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(receiver.Close)
	server := start(t, map[string]string{"access": access, "webhooks": webhooksFile(t, receiver.URL), "webhook-hosts": "http://127.0.0.1:*"})
	detail := func() string {
		t.Helper()
		_, text := server.call(t, "GET", "/readyz", "")
		return text
	}
	c, err := client.New(server.URL(), client.Options{Token: tokens["root"]})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the webhook follows", func() bool {
		all, err := c.Webhooks(t.Context())
		return err == nil && len(all) == 1 && all[0].Position != ""
	})
	if status, _, text := server.as(t, tokens["root"], "POST", "/v2/clusters", named("c1")); status != 201 {
		t.Fatal(status, text)
	}
	eventually(t, "readiness counts it", func() bool {
		return strings.Contains(detail(), `"name":"webhooks","status":"ok","detail":"in force; 1 behind, since a delivery fails"`)
	})
	accepts.Store(true)
	eventually(t, "the event is delivered", func() bool {
		return strings.Contains(detail(), `"name":"webhooks","status":"ok","detail":"in force"`)
	})
}

// TestWebhooksSettings refuses to start with a file that is invalid.
func TestWebhooksSettings(t *testing.T) {
	access, _ := accessFile(t, accessRoles, "root")
	tests := []struct{ name, text, says string }{
		{name: "an unknown kind", text: "webhooks: [{name: a, url: 'https://x', secretFile: SECRET, as: {user: u}, events: ['*'], kinds: [clutser]}]", says: "did you mean cluster?"},
		{name: "no principal", text: "webhooks: [{name: a, url: 'https://x', secretFile: SECRET, events: ['*']}]", says: "as is missing"},
		{name: "an unknown setting", text: "hooks: []", says: `the unknown member "hooks"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := webhooksFile(t, "https://x")
			writeFile(t, file, strings.ReplaceAll(tt.text, "SECRET", filepath.Join(filepath.Dir(file), "secret")))
			_, err := Start(t.Context(), Config{Store: "bolt:" + filepath.Join(t.TempDir(), "db"), Listen: "127.0.0.1:0", Access: access, Webhooks: file}, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %s", err, tt.says)
			}
		})
	}
}

// TestWebhooksOfChangeSets tells of what happens to a change set, from the opening to the merge.
func TestWebhooksOfChangeSets(t *testing.T) {
	url, came := events(t)
	file := webhooksFile(t, url)
	writeWebhooks(t, file, "hook", url, "change-set.*")
	server := start(t, map[string]string{"webhooks": file, "webhook-hosts": "http://127.0.0.1:*"})
	for _, step := range []struct{ path, body, event string }{
		{path: "/api/change-sets", body: `{"name":"x","title":"T"}`, event: webhook.ChangeSetOpened},
		{path: "/v2/clusters?changeSet=x", body: named("c1"), event: webhook.ChangeSetEdited},
		{path: "/api/change-sets/x/reviews", body: `{"decision":"approve"}`, event: webhook.ChangeSetApproved},
		{path: "/api/change-sets/x/merge", body: `{}`, event: webhook.ChangeSetMerged},
	} {
		if status, text := server.call(t, "POST", step.path, step.body); status/100 != 2 {
			t.Fatalf("%s: %d %s", step.path, status, text)
		}
		if e := <-came; e.Type != step.event || e.Data.ChangeSet.Name != "x" || e.Data.ChangeSet.Title != "T" {
			t.Errorf("after %s came %+v", step.path, e)
		}
	}
}
