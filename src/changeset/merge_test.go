package changeset_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
)

// request is a step of a scenario: a request, the status of its answer, and what that holds. "!x" must not be there.
type request struct {
	method, path, body string
	status             int
	want               []string
}

func run(t *testing.T, s *apitest.Server, requests []request) {
	t.Helper()
	for _, r := range requests {
		answer := s.Must(r.status, r.method, r.path, r.body)
		for _, part := range r.want {
			if absent, not := strings.CutPrefix(part, "!"); strings.Contains(answer.Text, absent) == not {
				t.Errorf("%s %s: %s: want %s", r.method, r.path, answer.Text, part)
			}
		}
	}
}

// TestScenarios stages, merges, rebases and reverts. Before each there are the project p with the apps a, b and c; c
// refers to b. The change set one is open.
func TestScenarios(t *testing.T) {
	const (
		one   = "/api/change-sets/one"
		in    = "?changeSet=one"
		apps  = "/v2/projects/p/apps"
		merge = one + "/merge"
	)
	app := func(spec string) string { return `{"spec":` + spec + `}` }
	tests := []struct {
		name     string
		requests []request
	}{
		{name: "delete of a merged one", requests: []request{
			{"PATCH", apps + "/a" + in, app(`{"size":11}`), 200, nil},
			{"POST", merge, "{}", 200, []string{`"state":"merged"`}},
			{"DELETE", one, "", 204, nil},
			{"GET", one, "", 404, nil},
			{"GET", apps + "/a", "", 200, []string{`"size":11`}},
			{"POST", "/api/change-sets", `{"name":"one"}`, 201, []string{`"total":0`}},
		}},
		{name: "create, update and delete", requests: []request{
			{"PUT", apps + "/d" + in, app(`{"size":4,"uses":["a"]}`), 201, nil},
			{"PATCH", apps + "/a" + in, app(`{"size":11}`), 200, []string{`"size":11`}},
			{"DELETE", apps + "/c" + in, "", 204, nil},
			{"GET", apps + "/a" + in, "", 200, []string{`"size":11`}},
			{"GET", apps + "/a", "", 200, []string{`"size":1,`}},
			{"GET", apps + "/c" + in, "", 404, nil},
			{"GET", one, "", 200, []string{`"total":3`, `"verb":"create"`, `"verb":"update"`, `"verb":"delete"`}},
			{"GET", one + "/diff", "", 200, []string{`{"op":"replace","path":"/spec/size","from":1,"to":11}`, `"op":"remove","path":""`, `"op":"add","path":""`}},
			{"GET", one + "/check", "", 200, []string{`"mergeable":true`, `"conflicts":[]`, `"errors":[]`}},
			{"POST", merge + "?dryRun=true", "", 200, []string{`"effect":"updated"`, `"total":3`, `"state":"open"`}},
			{"GET", apps + "/a", "", 200, []string{`"size":1,`}},
			{"POST", merge, `{"message":"why"}`, 200, []string{`"effect":"created"`, `"effect":"deleted"`, `"total":3`, `"state":"merged"`, `"position":"`}},
			{"GET", apps + "/a", "", 200, []string{`"size":11`}},
			{"GET", apps + "/c", "", 404, nil},
			{"GET", apps + "/d", "", 200, []string{`"size":4`}},
			{"GET", "/v2/transactions?limit=1", "", 200, []string{`"message":"why"`, `"origin":"changeSet:one"`}},
			{"POST", merge, "", 409, []string{api.ReasonNotOpen}},
			{"GET", one + "/diff", "", 200, []string{`"to":11`}},
			{"GET", one + "/check", "", 200, []string{`"mergeable":false`, api.ReasonNotOpen}},
			{"PATCH", apps + "/a" + in, app(`{"size":12}`), 409, []string{api.ReasonNotOpen}},
			{"GET", apps + "/a" + in, "", 200, []string{`"size":11`}},
		}},
		{name: "others changed other values", requests: []request{
			{"PATCH", apps + "/a" + in, app(`{"size":11}`), 200, nil},
			{"PATCH", apps + "/a", app(`{"other":true}`), 200, nil},
			{"GET", one + "/check", "", 200, []string{`"mergeable":true`}},
			{"POST", merge, "", 200, nil},
			{"GET", apps + "/a", "", 200, []string{`"size":11`, `"other":true`}},
		}},
		{name: "conflict, rebase and merge", requests: []request{
			{"PATCH", apps + "/a" + in, app(`{"size":11,"mine":1}`), 200, nil},
			{"PATCH", apps + "/a", app(`{"size":12,"theirs":2}`), 200, nil},
			{"GET", one + "/check", "", 200, []string{`"mergeable":false`, `"path":"/spec/size"`, `"base":1`, `"staged":11`, `"now":12`}},
			{"POST", merge, "", 409, []string{api.ReasonChangeSetConflict, `"conflicts":[{"id":"project/p/app/a","path":"/spec/size"`}},
			{"POST", one + "/rebase", "", 409, []string{api.ReasonChangeSetConflict}},
			{"POST", one + "/rebase", `{"resolve":[{"id":"project/p/app/a","path":"/spec/size","take":"mine"}]}`, 400, nil},
			{"POST", one + "/rebase", `{"resolve":[{"id":"project/p/app/a","path":"/spec/size","take":"staged"}]}`, 200, nil},
			{"GET", apps + "/a" + in, "", 200, []string{`"size":11`, `"mine":1`, `"theirs":2`}},
			{"GET", one + "/diff", "", 200, []string{`"from":12,"to":11`, "!theirs"}},
			{"POST", merge, "", 200, nil},
			{"GET", apps + "/a", "", 200, []string{`"size":11`, `"mine":1`, `"theirs":2`}},
		}},
		{name: "rebase takes what there is now", requests: []request{
			{"PATCH", apps + "/a" + in, app(`{"size":11}`), 200, nil},
			{"PATCH", apps + "/a", app(`{"size":12}`), 200, nil},
			{"POST", one + "/rebase?dryRun=true", `{"resolve":[{"id":"project/p/app/a","path":"/spec/size","take":"now"}]}`, 200, []string{`"total":0`}},
			{"GET", one, "", 200, []string{`"total":1`}},
			{"POST", one + "/rebase", `{"resolve":[{"id":"project/p/app/a","path":"/spec/size","take":"now"}]}`, 200, []string{`"total":0`, `"operations":[]`}},
			{"POST", merge, "", 200, []string{`"total":0`, `"state":"merged"`}},
			{"GET", apps + "/a", "", 200, []string{`"size":12`}},
		}},
		{name: "created by others, too", requests: []request{
			{"PUT", apps + "/d" + in, app(`{"size":4}`), 201, nil},
			{"PUT", apps + "/d", app(`{"size":5}`), 201, nil},
			{"POST", merge, "", 409, []string{api.ReasonChangeSetConflict, `"id":"project/p/app/d"`}},
		}},
		{name: "deleted and created again by others", requests: []request{
			{"DELETE", apps + "/a" + in, "", 204, nil},
			{"DELETE", apps + "/a", "", 204, nil},
			{"PUT", apps + "/a", app(`{"size":1,"on":true}`), 201, nil},
			{"GET", one + "/check", "", 200, []string{`"mergeable":false`, "created again"}},
			{"POST", merge, "", 409, []string{api.ReasonChangeSetConflict, `"id":"project/p/app/a"`}},
			{"POST", one + "/rebase", `{"resolve":[{"id":"project/p/app/a","path":"","take":"staged"}]}`, 200, nil},
			{"POST", merge, "", 200, nil},
			{"GET", apps + "/a", "", 404, nil},
		}},
		{name: "renamed by others, too", requests: []request{
			{"POST", "/v2/rename" + in, `{"id":"project/p/app/a","to":"project/p/app/mine"}`, 200, nil},
			{"POST", "/v2/rename", `{"id":"project/p/app/a","to":"project/p/app/theirs"}`, 200, nil},
			{"GET", one + "/check", "", 200, []string{`"mergeable":false`, "deleted or renamed"}},
			{"POST", merge, "", 409, []string{api.ReasonChangeSetConflict, `"id":"project/p/app/a"`}},
			{"GET", apps + "/mine", "", 404, nil},
			{"POST", one + "/rebase", `{"resolve":[{"id":"project/p/app/a","path":"","take":"now"}]}`, 409, []string{api.ReasonChangeSetConflict}},
			{"POST", one + "/rebase", `{"resolve":[{"id":"project/p/app/a","path":"","take":"staged"}]}`, 200, nil},
			{"POST", merge, "", 200, nil},
			{"GET", apps + "/mine", "", 200, nil},
		}},
		{name: "created by others as it is", requests: []request{
			{"PUT", apps + "/d" + in, app(`{"size":4}`), 201, nil},
			{"PUT", apps + "/d", app(`{"size":4}`), 201, nil},
			{"POST", merge, "", 200, nil},
		}},
		{name: "deleted by others", requests: []request{
			{"PATCH", apps + "/a" + in, app(`{"size":11}`), 200, nil},
			{"DELETE", apps + "/a", "", 204, nil},
			{"POST", merge, "", 409, []string{api.ReasonChangeSetConflict}},
			{"POST", one + "/rebase", `{"resolve":[{"id":"project/p/app/a","path":"","take":"staged"}]}`, 200, []string{`"verb":"create"`}},
			{"POST", merge, "", 200, []string{`"effect":"created"`}},
			{"GET", apps + "/a", "", 200, []string{`"size":11`}},
		}},
		{name: "the target was deleted", requests: []request{
			{"PUT", apps + "/d" + in, app(`{"uses":["a"]}`), 201, nil},
			{"DELETE", apps + "/a", "", 204, nil},
			{"GET", one + "/check", "", 200, []string{`"mergeable":false`, `"code":"missing"`, "project/p/app/a"}},
			{"POST", merge, "", 409, []string{`"code":"missing"`, "project/p/app/a"}},
			{"POST", one + "/rebase", "", 409, []string{`"code":"missing"`}},
			{"DELETE", one + "/operations?id=project/p/app/d", "", 200, []string{`"total":0`}},
			{"DELETE", one + "/operations?id=project/p/app/d", "", 404, nil},
			{"POST", merge, "", 200, nil},
		}},
		{name: "a referrer was created", requests: []request{
			{"DELETE", apps + "/a" + in, "", 204, nil},
			{"PUT", apps + "/d", app(`{"uses":["a"]}`), 201, nil},
			{"POST", merge, "", 409, []string{`"code":"in-use"`, "project/p/app/d"}},
		}},
		{name: "the view is checked", requests: []request{
			{"PUT", apps + "/d" + in, app(`{"uses":["none"]}`), 409, []string{`"code":"missing"`}},
			{"DELETE", apps + "/b" + in, "", 409, []string{`"code":"in-use"`}},
			{"GET", one, "", 200, []string{`"total":0`}},
			{"DELETE", apps + "/b" + in + "&cascade=true", "", 204, nil},
			{"GET", one, "", 200, []string{`"total":2`}},
			{"POST", merge, "", 200, []string{`"total":2`}},
			{"GET", apps + "/c", "", 404, nil},
		}},
		{name: "staged back to what it was", requests: []request{
			{"PUT", apps + "/d" + in, app(`{}`), 201, nil},
			{"PATCH", apps + "/a" + in, app(`{"size":11}`), 200, nil},
			{"DELETE", apps + "/d" + in, "", 204, nil},
			{"PATCH", apps + "/a" + in, app(`{"size":1}`), 200, nil},
			{"GET", one, "", 200, []string{`"total":0`}},
		}},
		{name: "a batch", requests: []request{
			{"POST", "/v2/batch" + in, `[{"kind":"app","key":{"project":"p"},"metadata":{"name":"x"}},{"kind":"app","key":{"project":"p"},"metadata":{"name":"y"},"spec":{"uses":["x"]}}]`, 200, []string{`"created"`}},
			{"GET", one, "", 200, []string{`"total":2`}},
		}},
		{name: "revert", requests: []request{
			{"POST", one + "/revert", "", 409, []string{api.ReasonNotOpen}},
			{"PUT", apps + "/d" + in, app(`{}`), 201, nil},
			{"PATCH", apps + "/a" + in, app(`{"size":11}`), 200, nil},
			{"DELETE", apps + "/c" + in, "", 204, nil},
			{"POST", merge, "", 200, nil},
			{"PATCH", apps + "/a", app(`{"other":true}`), 200, nil},
			{"POST", one + "/revert", "", 201, []string{`"name":"revert-one"`, `"title":"Revert one: One"`, `"state":"open"`, `"total":3`}},
			{"POST", one + "/revert", "", 409, []string{`"code":"exists"`}},
			{"POST", "/api/change-sets/revert-one/merge", "", 200, []string{`"total":3`}},
			{"GET", apps + "/a", "", 200, []string{`"size":1,`, `"other":true`}},
			{"GET", apps + "/c", "", 200, []string{`"uses":["b"]`}},
			{"GET", apps + "/d", "", 404, nil},
			{"POST", one + "/revert", `{"name":"again"}`, 409, []string{"reverted already"}},
			{"POST", "/api/change-sets/revert-one/revert", `{"name":"again","title":"Once more"}`, 201, []string{`"title":"Once more"`, `"total":3`}},
			{"POST", "/api/change-sets/again/merge", "", 200, nil},
			{"GET", apps + "/a", "", 200, []string{`"size":11`, `"other":true`}},
		}},
		{name: "a revert that conflicts", requests: []request{
			{"PATCH", apps + "/a" + in, app(`{"size":11}`), 200, nil},
			{"POST", merge, "", 200, nil},
			{"PATCH", apps + "/a", app(`{"size":12}`), 200, nil},
			{"POST", one + "/revert", "", 409, []string{store.ReasonChangedSince, "/spec/size"}},
		}},
		{name: "reviews", requests: []request{
			{"PATCH", apps + "/a" + in, app(`{"size":11}`), 200, nil},
			{"POST", one + "/reviews", `{"decision":"reject","comment":"too big"}`, 200, []string{`"current":true`}},
			{"GET", one + "/check", "", 200, []string{`"mergeable":false`, `"rejectedBy":[""]`}},
			{"POST", merge, "", 409, []string{api.ReasonApprovalsMissing}},
			{"PATCH", apps + "/a" + in, app(`{"size":10}`), 200, nil},
			{"GET", one, "", 200, []string{`"current":false`}},
			{"POST", merge, "", 200, nil},
		}},
		{name: "closed", requests: []request{
			{"PATCH", apps + "/a" + in, app(`{"size":11}`), 200, nil},
			{"POST", one + "/close", "", 200, nil},
			{"POST", merge, "", 409, []string{api.ReasonNotOpen}},
			{"POST", one + "/rebase", "", 409, []string{api.ReasonNotOpen}},
			{"GET", one + "/impact", "", 409, []string{api.ReasonNotOpen}},
			{"GET", apps + "/a" + in, "", 200, []string{`"size":11`}},
			{"DELETE", one, "", 204, nil},
			{"GET", "/v2/documents?kind=changeSetOperation", "", 200, []string{`"items":[]`}},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, newStore(t, store.Config{}))
			run(t, s, []request{
				{"POST", "/v2/projects", `{"metadata":{"name":"p"}}`, 201, nil},
				{"PUT", apps + "/a", app(`{"size":1,"on":true}`), 201, nil},
				{"PUT", apps + "/b", app(`{"size":2}`), 201, nil},
				{"PUT", apps + "/c", app(`{"size":3,"uses":["b"]}`), 201, nil},
				{"POST", "/api/change-sets", `{"name":"one","title":"One"}`, 201, nil},
			})
			run(t, s, test.requests)
		})
	}
}
