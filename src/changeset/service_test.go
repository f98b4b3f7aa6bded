package changeset_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/store"
)

// newStore returns an empty store of projects with apps.
func newStore(t testing.TB, config store.Config) *store.Store {
	t.Helper()
	return apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), config, "testdata/shop.yaml", "ref-schemas/v1.yaml")
}

func serve(t testing.TB, s *store.Store) *apitest.Server {
	t.Helper()
	sets := changeset.New(s, changeset.Options{})
	return apitest.Serve(t, s, httpapi.Options{Services: []httpapi.Service{sets.Service()}, ChangeSet: sets.View})
}

func decode[T any](t testing.TB, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err, text)
	}
	return v
}

// TestLifecycle edits a change set through its states.
func TestLifecycle(t *testing.T) {
	s := serve(t, newStore(t, store.Config{}))
	const one = "/api/change-sets/one"
	steps := []struct {
		name               string
		method, path, body string
		header             []string
		status             int
		want               []string // parts of the answer
	}{
		{name: "there is none", method: "GET", path: one, status: 404},
		{name: "an empty list", method: "GET", path: "/api/change-sets", status: 200, want: []string{`{"items":[]}`}},
		{name: "without a name", method: "POST", path: "/api/change-sets", body: `{"title":"x"}`, status: 400},
		{name: "unknown member", method: "POST", path: "/api/change-sets", body: `{"name":"one","titel":"x"}`, status: 400, want: []string{"title"}},
		{name: "bad name", method: "POST", path: "/api/change-sets", body: `{"name":"a\u0000b"}`, status: 400},
		{name: "create", method: "POST", path: "/api/change-sets", body: `{"name":"one","title":"First","description":"why"}`, status: 201,
			want: []string{`"state":"open"`, `"title":"First"`, `"description":"why"`, `"operations":[]`, `"total":0`, `"unreadable":0`, `"reviews":[]`}},
		{name: "create again", method: "POST", path: "/api/change-sets", body: `{"name":"one"}`, status: 409},
		{name: "list by state", method: "GET", path: "/api/change-sets?state=merged", status: 200, want: []string{`"items":[]`}},
		{name: "list", method: "GET", path: "/api/change-sets?state=open&limit=1", status: 200, want: []string{`"name":"one"`}},
		{name: "list by reviewer", method: "GET", path: "/api/change-sets?reviewer=me", status: 200, want: []string{`"items":[]`}},
		{name: "another reviewer", method: "GET", path: "/api/change-sets?reviewer=ann", status: 400, want: []string{"me"}},
		{name: "bad limit", method: "GET", path: "/api/change-sets?limit=0", status: 400},
		{name: "bad token", method: "GET", path: "/api/change-sets?continue=!", status: 400},
		{name: "patch", method: "PATCH", path: one, body: `{"title":"Second"}`, status: 200, want: []string{`"title":"Second"`, `"description":"why"`}},
		{name: "patch of an old version", method: "PATCH", path: one, body: `{"title":"Third"}`, header: []string{"If-Match", `"x-1"`}, status: 412},
		{name: "a review that decides nothing", method: "POST", path: one + "/reviews", body: `{"decision":"perhaps"}`, status: 400, want: []string{"/decision"}},
		{name: "an empty comment", method: "POST", path: one + "/reviews", body: `{"decision":"comment"}`, status: 400},
		{name: "approve", method: "POST", path: one + "/reviews", body: `{"decision":"approve","comment":"fine"}`, status: 200, want: []string{`"current":true`, `"comment":"fine"`}},
		{name: "close", method: "POST", path: one + "/close", status: 200, want: []string{`"state":"closed"`, `"closed":{`}},
		{name: "close again", method: "POST", path: one + "/close", status: 409, want: []string{api.ReasonNotOpen}},
		{name: "review of a closed one", method: "POST", path: one + "/reviews", body: `{"decision":"approve"}`, status: 409, want: []string{api.ReasonNotOpen}},
		{name: "patch of a closed one", method: "PATCH", path: one, body: `{"title":"x"}`, status: 409, want: []string{api.ReasonNotOpen}},
		{name: "reopen", method: "POST", path: one + "/reopen", status: 200, want: []string{`"state":"open"`}},
		{name: "written by another service", method: "PATCH", path: "/v2/change-sets/one", body: `{"spec":{"title":"x"}}`, status: 409, want: []string{store.ReasonManaged}},
		{name: "delete of an old version", method: "DELETE", path: one, header: []string{"If-Match", `"x-1"`}, status: 412},
		{name: "delete", method: "DELETE", path: one, status: 204},
		{name: "it is gone", method: "GET", path: one, status: 404},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			answer := s.With(t).Must(step.status, step.method, step.path, step.body, step.header...)
			for _, part := range step.want {
				if !strings.Contains(answer.Text, part) {
					t.Errorf("%s lacks %s", answer.Text, part)
				}
			}
		})
	}
}

// TestRepeated sends writes again under the same idempotency key: they are done once.
func TestRepeated(t *testing.T) {
	s := serve(t, newStore(t, store.Config{}))
	tests := []struct {
		name, path, body string
		status           int
	}{
		{name: "create", path: "/api/change-sets", body: `{"name":"one"}`, status: 201},
		{name: "review", path: "/api/change-sets/one/reviews", body: `{"decision":"comment","comment":"hm"}`, status: 200},
		{name: "close", path: "/api/change-sets/one/close", status: 200},
		{name: "reopen", path: "/api/change-sets/one/reopen", status: 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			first := s.With(t).Must(test.status, "POST", test.path, test.body, "Idempotency-Key", "k-"+test.name)
			again := s.With(t).Must(test.status, "POST", test.path, test.body, "Idempotency-Key", "k-"+test.name)
			if first.Text != again.Text || first.Header.Get("Idempotency-Replayed") != "" || again.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%s\nthen %s %v", first.Text, again.Text, again.Header)
			}
		})
	}
	s.Must(422, "POST", "/api/change-sets/one/close", "", "Idempotency-Key", "k-reopen")
	if shown := decode[changeset.Shown](t, s.Must(200, "GET", "/api/change-sets/one", "").Text); len(shown.Reviews) != 1 {
		t.Errorf("%d reviews", len(shown.Reviews))
	}
}

// TestPages lists many change sets.
func TestPages(t *testing.T) {
	s := serve(t, newStore(t, store.Config{}))
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		s.Must(201, "POST", "/api/change-sets", `{"name":"`+name+`"}`)
	}
	var names string
	for path := "/api/change-sets?limit=2"; path != ""; {
		page := decode[api.ChangeSets](t, s.Must(200, "GET", path, "").Text)
		for _, item := range page.Items {
			names += item.Name
			if item.Operations != nil {
				t.Error("operations in a list")
			}
		}
		if path = ""; page.Continue != "" {
			path = "/api/change-sets?limit=2&continue=" + page.Continue
		}
	}
	if names != "abcde" {
		t.Error(names)
	}
}
