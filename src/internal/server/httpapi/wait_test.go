package httpapi_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// newWaiting returns a server whose controllers have a status: a text that says what their data is.
func newWaiting(t *testing.T) *server {
	settled := func(doc *dovetail.Document) bool { return bytes.Equal(doc.Status, statusOf(doc)) }
	return newServer(t, httpapi.Options{Services: []httpapi.Service{{Name: "status", Settled: map[string]func(*dovetail.Document) bool{"controller": settled}}}})
}

func statusOf(doc *dovetail.Document) []byte {
	return value.NewMap(value.Member{Name: "of", Value: value.NewString(string(doc.Data))}).JSON()
}

// keep gives controllers their status, as they change, until the test ends.
func (s *server) keep() {
	from, err := s.store.Head(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	s.t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		for event, err := range s.store.Watch(ctx, from, store.WatchQuery{Kind: "controller"}) {
			if err != nil {
				s.t.Error(err)
				return
			}
			for _, c := range event.Changes {
				if c.Document == nil || bytes.Equal(c.Document.Status, statusOf(c.Document)) {
					continue
				}
				status, err := value.ParseJSON(statusOf(c.Document), value.Limits{})
				if err != nil {
					s.t.Error(err)
					return
				}
				_, err = s.store.Apply(ctx, []store.Operation{{Verb: store.PutStatus, ID: c.ID, Data: status}}, store.Options{})
				if code := dovetail.CodeOf(err); err != nil && code != dovetail.CodeNotFound && code != dovetail.CodeCanceled {
					s.t.Error(err)
				}
			}
		}
	}()
}

func TestWait(t *testing.T) {
	s := newWaiting(t)
	s.keep()
	first := s.must(201, "POST", "/v2/controllers?wait=30s", `{"metadata":{"name":"c"},"spec":{"a":1}}`)
	if want := `"status":{"of":"{\"metadata\":{\"name\":\"c\"},\"spec\":{\"a\":1}}"}`; !strings.Contains(first.Body.String(), want) || !strings.HasSuffix(first.Header().Get("Etag"), `-2"`) {
		t.Errorf("created: %s %s", first.Header().Get("Etag"), first.Body)
	}
	for _, write := range []struct {
		status       int
		method, body string
	}{
		{201, "PUT", `{"metadata":{"name":"c"},"spec":{"a":2}}`},
		{200, "PATCH", `{"spec":{"a":3}}`},
		{201, "PUT", `{"metadata":{"name":"c"},"spec":{"a":3}}`}, // nothing changes
	} {
		got := s.must(write.status, write.method, "/v2/controllers/c?wait=30s", write.body)
		if !strings.Contains(got.Body.String(), `\"a\":`+strings.TrimRight(write.body[strings.Index(write.body, `"a":`)+4:], "}")) || got.Header().Get("Warning") != "" {
			t.Errorf("%s: %v %s", write.body, got.Header(), got.Body)
		}
	}
	batch := s.must(200, "POST", "/v2/batch?wait=30s", `[{"kind":"controller","key":{"controllerGroup":"orchestrator"},"metadata":{"name":"d"}},{"kind":"controller","key":{"controllerGroup":"orchestrator"},"metadata":{"name":"e"}},{"kind":"project","metadata":{"name":"p"}}]`)
	if n := strings.Count(batch.Body.String(), `-2\""`); n != 2 {
		t.Errorf("%d of two documents have a status: %s", n, batch.Body)
	}
	s.must(201, "POST", "/v2/projects?wait=30s", named("q")) // no service writes its status
}

func TestWaitInVain(t *testing.T) {
	s := newWaiting(t)
	got := s.must(201, "POST", "/v2/controllers?wait=20ms", named("c"))
	if strings.Contains(got.Body.String(), "status") || got.Header().Get("Warning") != `299 - "the status of controllerGroup/orchestrator/controller/c is not there yet"` {
		t.Errorf("%v %s", got.Header(), got.Body)
	}
	s.must(201, "PUT", "/v2/controllers/d?wait=30s&dryRun=true", named("d"))
	for _, text := range []string{"soon", "-1s", "30"} {
		s.must(400, "POST", "/v2/controllers?wait="+text, named("e"))
	}
	s.must(404, "GET", "/v2/controllers/e", "")
}
