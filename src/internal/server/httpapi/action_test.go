package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
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

	check(t, s.do(call{method: "POST", path: cloud + "/stop", header: map[string]string{"If-Match": `"uid5-4"`}}), 412, nil, "")
	check(t, s.do(call{method: "POST", path: cloud + "/stop", header: map[string]string{"If-Match": `"uid5-5"`}}), 200, map[string]string{"ETag": `"uid5-6"`}, "")
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

// What the state of a document does not allow is refused with the state and the actions that are possible; the status of a
// document shows them too.
func TestLifecycleActions(t *testing.T) {
	model, err := schema.Compile([]schema.Source{{Name: "jobs.yaml", Data: []byte(`
resources:
- name: job
  lifecycle:
    initial: Created
    actions: {approve: {from: [Created], to: Approved}, run: {from: [Approved], to: Running}}
    freeze: {delete: [Running]}
`)}})
	if err != nil {
		t.Fatal(err)
	}
	st := newStore(t, model)
	s := &server{t: t, store: st, api: httpapi.New(st, httpapi.Options{Now: noon})}
	const job = "/v2/jobs/j"
	s.must(201, "POST", "/v2/jobs", named("j"))
	check(t, s.do(call{method: "GET", path: job + "/status"}), 200, nil, `{"lifecycle":{"state":"Created","since":"2026-01-02T12:00:00Z","allowed":["approve"]}}`)
	check(t, s.do(call{method: "POST", path: job + "/run"}), 409, nil, `{"type":"about:blank","title":"Conflict","status":409,`+
		`"detail":"job/j is in the state Created, in which the action run is not possible","instance":"/v2/jobs/j/run","code":"conflict","reason":"STATE","remedy":"the actions that are possible now: approve",`+
		`"id":"job/j","state":"Created","allowed":["approve"],"errors":[{"code":"conflict","reason":"STATE","message":"job/j is in the state Created, in which the action run is not possible",`+
		`"remedy":"the actions that are possible now: approve","id":"job/j","state":"Created","allowed":["approve"]}]}`)
	once := map[string]string{"Idempotency-Key": "k"}
	check(t, s.do(call{method: "POST", path: job + "/approve", header: once}), 202, nil, "")
	check(t, s.do(call{method: "POST", path: job + "/approve", header: once}), 202, map[string]string{"Idempotency-Replayed": "true"}, "")
	check(t, s.do(call{method: "POST", path: "/v2/batch", body: `[{"op":"action","id":"job/j","action":"run"}]`}), 200, nil, "")
	check(t, s.do(call{method: "GET", path: job}), 200, nil, `{"metadata":{"name":"j"},"spec":{},"status":{"lifecycle":{"state":"Running","since":"2026-01-02T12:00:00Z","action":"run"},`+
		`"actions":[{"action":"approve","at":"2026-01-02T12:00:00Z","state":"Approved"},{"action":"run","at":"2026-01-02T12:00:00Z","state":"Running"}]}}`)
	s.must(200, "PUT", job+"/status", `{"lifecycle":{"state":"Created"}}`)
	check(t, s.do(call{method: "DELETE", path: job}), 409, nil, "")
	check(t, s.do(call{method: "GET", path: job + "/status"}), 200, nil, `{"lifecycle":{"state":"Running","since":"2026-01-02T12:00:00Z","action":"run","allowed":[]}}`)
}
