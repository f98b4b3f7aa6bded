package httpapi_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// A rename is planned by a dry run, done once under its key, and answers what it did.
func TestRename(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	for _, c := range []call{
		{method: "PUT", path: "/v2/projects/p1", body: `{"metadata":{"name":"p1"}}`},
		{method: "PUT", path: "/v2/projects/p1/labels/c1", body: `{"metadata":{"name":"c1"}}`},
	} {
		if w := s.do(c); w.Code/100 != 2 {
			t.Fatal(w.Code, w.Body)
		}
	}
	const body = `{"id":"project/p1","to":"project/p2"}`
	plan := s.do(call{method: "POST", path: "/v2/rename?dryRun=true", body: body})
	check(t, plan, 200, map[string]string{"Dovetail-Dry-Run": "true"}, "")
	check(t, s.get("/v2/projects/p2"), 404, nil, "")
	for _, part := range []string{`"effect":"created","id":"project/p2/clusterLabel/c1"`, `"effect":"deleted","id":"project/p1"`} {
		if !strings.Contains(plan.Body.String(), part) {
			t.Errorf("the plan lacks %s: %s", part, plan.Body)
		}
	}
	once := call{method: "POST", path: "/v2/rename", body: body, header: map[string]string{"Idempotency-Key": "k"}}
	check(t, s.do(once), 200, nil, "")
	check(t, s.do(once), 200, map[string]string{"Idempotency-Replayed": "true"}, "")
	check(t, s.get("/v2/projects/p2/labels/c1"), 200, nil, "")
	check(t, s.get("/v2/projects/p1"), 404, nil, "")
	if w := s.get("/v2/projects/p2?view=history"); !strings.Contains(w.Body.String(), `"renamed":"project/p1"`) {
		t.Errorf("the history is %s", w.Body)
	}
	for name, c := range map[string]struct {
		body string
		code int
	}{
		"no new id":     {`{"id":"project/p2"}`, 400},
		"no id":         {`{"id":"p2","to":"project/p1"}`, 400},
		"a member more": {`{"id":"project/p2","to":"project/p1","parent":"x"}`, 400},
		"another kind":  {`{"id":"project/p2","to":"project/p2/clusterLabel/c2"}`, 400},
		"not there":     {`{"id":"project/p1","to":"project/p3"}`, 404},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, s.do(call{method: "POST", path: "/v2/rename", body: c.body}), c.code, nil, "")
		})
	}
}
