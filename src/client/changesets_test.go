package client_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

const changeSetText = `{"name":"cs","title":"More","state":"open","author":"ann","authors":["ann"],"base":"p7","created":"2026-03-01T12:00:00Z",
	"operations":[{"id":"project/p1","kind":"project","verb":"update","by":"ann","time":"2026-03-01T12:00:00Z"},{"verb":"delete","by":"bob","time":"2026-03-01T12:00:00Z"}],
	"total":2,"unreadable":1,"reviews":[{"by":"bob","groups":["g"],"decision":"approve","comment":"ok","time":"2026-03-01T12:00:00Z","digest":"d","current":true}],"version":"u-3"}`

// TestInChangeSet reads and writes everything of the client through a change set.
func TestInChangeSet(t *testing.T) {
	f, c := newFake(t)
	f.on("GET /v2/projects/p1", answer(200, document))
	f.on("GET /v2/documents", answer(200, `{"items":[]}`))
	results := answer(200, `{"results":[]}`)
	for _, path := range []string{"/v2/batch", "/v2/rollback", "/v2/transactions/p7/revert"} {
		f.on("POST "+path, results)
	}
	f.on("GET /v2/idempotency-keys/k", answer(200, `{"state":"committed","results":[]}`))
	f.on("DELETE /v2/idempotency-keys/k", answer(200, `{"state":"committed","results":[]}`))
	in := c.InChangeSet("c s")
	if in.ChangeSet() != "c s" || c.ChangeSet() != "" {
		t.Errorf("the change sets are %q and %q", in.ChangeSet(), c.ChangeSet())
	}
	ctx := t.Context()
	_, _ = in.Get(ctx, "project/p1")
	_, _ = in.References(ctx, "project/p1")
	_, _ = in.Referrers(ctx, "project/p1", "", 0)
	_, _ = in.Tree(ctx, "project/p1", 1, 1)
	_, _ = in.Tree(ctx, "", 1, 1)
	for _, err := range in.Documents(ctx, store.ListQuery{Kind: "app"}) {
		t.Error(err)
	}
	for _, write := range []func() error{
		func() error {
			_, err := in.Apply(ctx, []store.Operation{put("project/p1", `{}`)}, store.Options{})
			return err
		},
		func() error { _, err := in.Delete(ctx, "project/p1", true); return err },
		func() error { _, err := in.Revert(ctx, "p7", store.Options{}); return err },
		func() error { _, err := in.Rollback(ctx, "project/p1", "", store.Options{DryRun: true}); return err },
		func() error { _, err := in.ResultByIdempotencyKey(ctx, "k"); return err },
		func() error { _, err := in.Abort(ctx, "k"); return err },
	} {
		if err := write(); err != nil {
			t.Error(err)
		}
	}
	requests := f.asked()
	if len(requests) != 12 {
		t.Errorf("got %v", requests)
	}
	for _, request := range requests {
		if !strings.Contains(request, "changeSet=c+s") {
			t.Errorf("not in the change set: %s", request)
		}
	}
	refused := map[string]error{}
	_, refused["Import"] = in.Import(ctx, []*dovetail.Document{{ID: "project/p1"}}, store.Options{})
	_, refused["Rotate"] = in.Rotate(ctx, "")
	_, refused["Head"] = in.Head(ctx)
	_, refused["At"] = in.At("p7").Get(ctx, "project/p1")
	_, refused["At, then InChangeSet"] = c.At("p7").InChangeSet("cs").Get(ctx, "project/p1")
	for _, err := range in.Watch(ctx, "", store.WatchQuery{}) {
		refused["Watch"] = err
	}
	for name, err := range refused {
		if dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if len(refused) != 6 || len(f.asked()) != 12 {
		t.Errorf("got %v, asked %v", refused, f.asked())
	}
}

// TestChangeSetRequests shows what each method sends, and what it makes of the answer.
func TestChangeSetRequests(t *testing.T) {
	const base = "/api/change-sets/c%20s"
	keyed := store.Options{Key: "k", Message: "why"}
	title := "Other"
	tests := []struct {
		name    string
		call    func(s *client.ChangeSets) (any, error)
		request string
		body    string
		answer  string // changeSetText unless given
	}{
		{"create", func(s *client.ChangeSets) (any, error) {
			return s.Create(t.Context(), api.NewChangeSet{Name: "cs", Title: "More"}, keyed)
		}, "POST /api/change-sets", `{"name":"cs","title":"More"}`, ""},
		{"get", func(s *client.ChangeSets) (any, error) { return s.Get(t.Context(), "c s") }, "GET " + base, "", ""},
		{"edit", func(s *client.ChangeSets) (any, error) {
			return s.Edit(t.Context(), "c s", api.ChangeSetEdit{Title: &title})
		}, "PATCH " + base, `{"title":"Other"}`, ""},
		{"delete", func(s *client.ChangeSets) (any, error) { return nil, s.Delete(t.Context(), "c s") }, "DELETE " + base, "", ""},
		{"drop", func(s *client.ChangeSets) (any, error) { return s.Drop(t.Context(), "c s", "project/p1") }, "DELETE " + base + "/operations?id=project%2Fp1", "", ""},
		{"review", func(s *client.ChangeSets) (any, error) {
			return s.Review(t.Context(), "c s", api.Approve, "fine", keyed)
		}, "POST " + base + "/reviews", `{"decision":"approve","comment":"fine"}`, ""},
		{"rebase", func(s *client.ChangeSets) (any, error) {
			return s.Rebase(t.Context(), "c s", []api.Resolution{{ID: "project/p1", Path: "/a", Take: api.TakeNow}}, store.Options{DryRun: true})
		}, "POST " + base + "/rebase?dryRun=true", `{"resolve":[{"id":"project/p1","path":"/a","take":"now"}]}`, ""},
		{"propose", func(s *client.ChangeSets) (any, error) { return s.Propose(t.Context(), "c s", "b/c", keyed) }, "POST " + base + "/propose", `{"branch":"b/c"}`, ""},
		{"close", func(s *client.ChangeSets) (any, error) { return s.Close(t.Context(), "c s", keyed) }, "POST " + base + "/close", "", ""},
		{"reopen", func(s *client.ChangeSets) (any, error) { return s.Reopen(t.Context(), "c s", keyed) }, "POST " + base + "/reopen", "", ""},
		{"revert", func(s *client.ChangeSets) (any, error) {
			return s.Revert(t.Context(), "c s", api.NewChangeSet{Name: "back"}, keyed)
		}, "POST " + base + "/revert", `{"name":"back"}`, ""},
		{"diff", func(s *client.ChangeSets) (any, error) { return s.Diff(t.Context(), "c s") }, "GET " + base + "/diff", "",
			`{"operations":[{"id":"project/p1","kind":"project","verb":"update","by":"ann","time":"2026-03-01T12:00:00Z","changes":[{"op":"replace","path":"/a","from":1,"to":null}],"files":["f"]}],"unreadable":1}`},
		{"impact", func(s *client.ChangeSets) (any, error) { return s.Impact(t.Context(), "c s") }, "GET " + base + "/impact", "",
			`{"items":[{"service":"override","id":"i","title":"t","changes":[{"op":"add","path":"/a","to":1}],"more":2}],"total":4,"unchanged":[{"service":"override","id":"j","title":"u","changes":[]}],"unchangedTotal":1,"unreadable":1,"incomplete":true}`},
		{"merge", func(s *client.ChangeSets) (any, error) { return s.Merge(t.Context(), "c s", keyed) }, "POST " + base + "/merge", "{}",
			`{"changeSet":` + changeSetText + `,"position":"p8","operations":[{"id":"project/p1","effect":"updated"}],"total":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, c := newFake(t)
			text := tt.answer
			if text == "" {
				text = changeSetText
			}
			method, path, _ := strings.Cut(tt.request, " ")
			path, _, _ = strings.Cut(path, "?")
			f.on(method+" "+path, answer(200, text))
			got, err := tt.call(c.InChangeSet("other").ChangeSets())
			if err != nil {
				t.Fatal(err)
			}
			if asked := f.asked(); !slices.Equal(asked, []string{tt.request}) || strings.TrimSpace(f.bodies[0]) != tt.body {
				t.Errorf("asked %v %v, want %s %s", asked, f.bodies, tt.request, tt.body)
			}
			if tt.name == "delete" {
				return
			}
			if want := sameJSON(t, []byte(text)); !reflect.DeepEqual(sameJSON(t, toJSON(t, got)), want) {
				t.Errorf("got %s, want %v", toJSON(t, got), want)
			}
		})
	}
}

func TestChangeSetList(t *testing.T) {
	f, c := newFake(t)
	f.on("GET /api/change-sets", answer(200, `{"items":[{"name":"a","state":"open"}],"continue":"more"}`), answer(200, `{"items":[{"name":"b","state":"open"}]}`))
	var names []string
	for cs, err := range c.ChangeSets().List(t.Context(), client.ChangeSetQuery{State: api.ChangeSetOpen, Author: "ann"}) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, cs.Name)
	}
	want := []string{"GET /api/change-sets?author=ann&limit=100&state=open", "GET /api/change-sets?author=ann&continue=more&limit=100&state=open"}
	if asked := f.asked(); !slices.Equal(names, []string{"a", "b"}) || !slices.Equal(asked, want) {
		t.Errorf("got %v, asked %v", names, asked)
	}
}

func TestChangeSetCheck(t *testing.T) {
	f, c := newFake(t)
	f.on("GET /api/change-sets/cs/check", answer(200, `{"mergeable":false,"conflicts":[{"id":"project/p1","path":"/a","message":"both","base":1,"staged":2,"now":3}],
		"errors":[{"code":"missing","message":"no parent","id":"project/p2/app/a","missing":["project/p2"]}],
		"protections":[{"on":["project/p1"],"approvals":2,"by":["g"],"approvedBy":["bob"],"missing":1}],"rejectedBy":["eve"],"unreadable":1}`))
	got, err := c.ChangeSets().Check(t.Context(), "cs")
	if err != nil {
		t.Fatal(err)
	}
	want := &api.ChangeSetCheck{Conflicts: []api.MergeConflict{{ID: "project/p1", Path: "/a", Message: "both", Base: []byte("1"), Staged: []byte("2"), Now: []byte("3")}},
		Errors: []api.ProblemPart{{Code: dovetail.CodeMissing, Message: "no parent",
			ProblemCause: api.ProblemCause{ID: "project/p2/app/a", Missing: []dovetail.ID{"project/p2"}}}},
		Protections: []api.Approvals{{On: []string{"project/p1"}, Approvals: 2, By: []string{"g"}, ApprovedBy: []string{"bob"}, Missing: 1}},
		RejectedBy:  []string{"eve"}, Unreadable: 1}
	if got, want := toJSON(t, got), toJSON(t, want); !bytes.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestChangeSetConflicts gives what a merge is refused for, also where it is one value.
func TestChangeSetConflicts(t *testing.T) {
	const part = `{"code":"conflict","reason":"CHANGE_SET_CONFLICT","id":"project/p1","path":"/a","message":"both changed /a"}`
	for name, detail := range map[string]string{"of several": "it was changed since", "the only one": "both changed /a"} {
		f, c := newFake(t)
		f.on("POST /api/change-sets/cs/merge", problem(409, `{"code":"conflict","reason":"CHANGE_SET_CONFLICT","detail":"`+detail+`","errors":[`+part+`],
			"conflicts":[{"id":"project/p1","path":"/a","message":"both changed /a","staged":2,"now":null}]}`))
		_, err := c.ChangeSets().Merge(t.Context(), "cs", store.Options{})
		conflicts := api.ConflictsOf(err)
		if dovetail.CodeOf(err) != dovetail.CodeConflict || dovetail.AsError(err).Reason != api.ReasonChangeSetConflict || len(conflicts) != 1 ||
			conflicts[0].Base != nil || string(conflicts[0].Staged) != "2" || string(conflicts[0].Now) != "null" {
			t.Errorf("%s: got %v with %+v", name, err, conflicts)
		}
	}
	if conflicts := api.ConflictsOf(dovetail.Errorf(dovetail.CodeConflict, "another one")); conflicts != nil {
		t.Errorf("got %v", conflicts)
	}
}
