package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/httpapi"
)

const cloud = "/v2/projects/p1/logical-clouds/l"

func TestActions(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	s.must(201, "POST", "/v2/projects/p1/logical-clouds", named("l"))
	check(t, s.do(call{method: "GET", path: cloud + "/status"}), 200, map[string]string{"ETag": `"uid5-1"`}, `{}`)
	s.must(202, "POST", cloud+"/instantiate", "")
	s.must(202, "POST", cloud+"/instantiate", `{"metadata":{"name":""}}`)
	s.must(202, "POST", cloud+"/instantiate?dryRun=true", "")
	s.must(204, "POST", cloud+"/enrollment/start", `{"a":[1]}`)
	s.must(200, "POST", cloud+"/stop", `"now"`)
	const status = `{"actions":[{"action":"instantiate","at":"2026-01-02T12:00:00Z"},{"action":"instantiate","at":"2026-01-02T12:00:00Z"},` +
		`{"action":"enrollment/start","at":"2026-01-02T12:00:00Z","body":{"a":[1]}},{"action":"stop","at":"2026-01-02T12:00:00Z","body":"now"}]}`
	check(t, s.do(call{method: "GET", path: cloud + "/status"}), 200, nil, status)
	check(t, s.do(call{method: "GET", path: cloud + "/enrollment/status?type=cluster&output=all"}), 200, nil, status)
	check(t, s.do(call{method: "GET", path: cloud}), 200, map[string]string{"ETag": `"uid5-5"`}, `{"metadata":{"name":"l"},"spec":{},"status":`+status+`}`)

	s.must(404, "POST", "/v2/projects/p1/logical-clouds/none/instantiate", "")
	s.must(404, "POST", cloud+"/launch", "")
	s.must(405, "GET", cloud+"/instantiate", "")
	s.must(400, "POST", cloud+"/instantiate", "{")
	s.must(413, "POST", cloud+"/instantiate", `"`+strings.Repeat("x", 1<<16)+`"`)
}

func TestStatus(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	check(t, s.do(call{method: "PUT", path: app + "/status", body: `{"phase":"ready","n":1.0}`}), 200, map[string]string{"ETag": `"uid4-2"`}, `{"phase":"ready","n":1.0}`)
	check(t, s.do(call{method: "GET", path: app}), 200, nil, `{"metadata":{"name":"nginx"},"spec":{"controller":"c1"},"status":{"phase":"ready","n":1.0}}`)
	check(t, s.do(call{method: "PUT", path: app + "/status", header: map[string]string{"If-Match": `"uid4-1"`}, body: `{}`}), 412, nil, "")
	s.must(200, "PUT", app, named("nginx")) // leaves the status
	check(t, s.do(call{method: "GET", path: app + "/status"}), 200, nil, `{"phase":"ready","n":1.0}`)
	s.must(400, "PUT", app+"/status", `[]`)
	s.must(404, "PUT", "/v2/projects/p9/status", `{}`)
}

func TestActionsKeepTheLast(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	s.must(201, "POST", "/v2/projects/p1/logical-clouds", named("l"))
	s.must(200, "PUT", cloud+"/status", `{"phase":"x","actions":[]}`)
	var wait sync.WaitGroup
	var cut atomic.Int64 // answers that name a cut
	const writers, each = 6, 10
	for n := range writers {
		wait.Go(func() {
			for i := range each {
				w := s.do(call{method: "POST", path: cloud + "/instantiate", body: fmt.Sprintf(`{"writer":%d,"n":%d}`, n, i)})
				var answer struct{ ActionsTotal int }
				if err := json.Unmarshal(w.Body.Bytes(), &answer); w.Code != 202 || err != nil {
					t.Errorf("got %d: %s", w.Code, w.Body)
				}
				// The first fifty are all there; every later answer names the cut.
				warning := ""
				if answer.ActionsTotal > 0 {
					warning = fmt.Sprintf(`299 - "the status holds the last 50 of %d actions; audit records, where they are kept, have all of them"`, answer.ActionsTotal)
					cut.Add(1)
				}
				if got := w.Header().Get("Warning"); got != warning {
					t.Errorf("got %q, want %q", got, warning)
				}
			}
		})
	}
	wait.Wait()
	var status struct {
		Phase        string
		ActionsTotal int
		Actions      []struct{ Body struct{ Writer, N int } }
	}
	if err := json.Unmarshal(s.must(200, "GET", cloud+"/status", "").Body.Bytes(), &status); err != nil {
		t.Fatal(err)
	}
	if len(status.Actions) != 50 || status.ActionsTotal != writers*each || status.Phase != "x" || cut.Load() != writers*each-50 {
		t.Fatalf("%d of %d actions, phase %q, %d answers name a cut", len(status.Actions), status.ActionsTotal, status.Phase, cut.Load())
	}
	last := map[int]int{}
	for _, a := range status.Actions {
		if before, has := last[a.Body.Writer]; has && a.Body.N != before+1 {
			t.Errorf("writer %d: %d after %d", a.Body.Writer, a.Body.N, before)
		}
		last[a.Body.Writer] = a.Body.N
	}
}
