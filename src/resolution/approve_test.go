package resolution_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
)

// as is the context of a principal.
func as(t *testing.T, who string) context.Context {
	t.Helper()
	return dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: who})
}

// approve sends the request of a principal, "" if there is none, and returns the code of its error, or by whom the plan is approved.
func (w *world) approve(who, name, plan string) string {
	w.t.Helper()
	ctx := w.t.Context()
	if who != "" {
		ctx = dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: who})
	}
	for _, e := range resolution.New(w.store, resolution.Options{}).Service().Endpoints {
		if e.Method != http.MethodPost || e.Path != "/api/active-resolutions/{activeResolution}/approve" {
			continue
		}
		reply, err := e.Handle(ctx, &httpapi.Request{Path: map[string]string{"activeResolution": name}, Body: parse(w.t, `{"plan":"`+plan+`"}`)})
		if err != nil {
			return string(dovetail.CodeOf(err)) + " " + dovetail.AsError(err).Reason
		}
		return reply.Body.(*api.PlanApproval).By
	}
	w.t.Fatal("no endpoint")
	return ""
}

// putAs puts a resolution on behalf of a principal, and waits for its status.
func (w *world) putAs(ctx context.Context, name, data string) *state.Status {
	w.t.Helper()
	if _, err := w.store.Put(ctx, store.Operation{ID: resolutionID(name), Data: parse(w.t, data)}); err != nil {
		w.t.Fatal(err)
	}
	return w.wait(name, func(doc *dovetail.Document, _ *state.Status) bool { return state.Settled(doc) })
}

// TestApproval activates plans that another principal approved, and those only.
func TestApproval(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{})
	w.source("cat", fmt.Sprintf(catalogImages, ""))
	const required = `,"approval":"required"`
	expect := func(want, got string) {
		t.Helper()
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	first := w.putAs(as(t, "ann"), "r", activated(required))
	expect("Resolved=True:Resolved Activated=False:AwaitingApproval cat:p:1.0.0:main", tell(first))
	if first.Author != "ann" || first.Entities != nil {
		t.Errorf("%+v", first)
	}
	expect("forbidden OwnPlan", w.approve("ann", "r", first.PlanDigest))
	expect("forbidden OwnPlan", w.approve("", "r", first.PlanDigest))
	expect("conflict PlanChanged", w.approve("bob", "r", "sha256:0"))
	expect("invalid ", w.approve("bob", "r", ""))
	expect("not-found ", w.approve("bob", "other", first.PlanDigest))
	expect("bob", w.approve("bob", "r", first.PlanDigest))
	second := w.wait("r", isPlan("[]"))
	if a := second.Activation; a == nil || a.Approval == nil || a.Approval.By != "bob" || a.Approval.Plan != first.PlanDigest || len(second.Entities) != 1 {
		t.Fatalf("%+v", a)
	}
	expect("conflict ApprovalNotAwaited", w.approve("bob", "r", second.PlanDigest))

	// A catalog that changes makes another plan: what was looked at is not what would be done.
	w.source("cat", fmt.Sprintf(catalogImages, `,{"version":"1.1.0","channels":["main"],"image":"p11","replaces":"1.0.0"}`))
	third := w.wait("r", isPlan("[p 1.0.0 -> 1.1.0]"))
	w.source("cat", fmt.Sprintf(catalogImages, `,{"version":"1.2.0","channels":["main"],"image":"p12","replaces":"1.0.0"}`))
	fourth := w.wait("r", isPlan("[p 1.0.0 -> 1.2.0]"))
	expect("conflict PlanChanged", w.approve("bob", "r", third.PlanDigest))

	// Who changes what is asked for is the author, with the same plan, too; a label changes nothing.
	fifth := w.putAs(as(t, "bob"), "r", activated(required+`,"timeoutSeconds":5`))
	if fifth.PlanDigest != fourth.PlanDigest || fifth.Author != "bob" {
		t.Errorf("%+v", fifth)
	}
	w.putAs(as(t, "eve"), "r", `{"metadata":{"labels":{"a":"b"},`+activated(required + `,"timeoutSeconds":5`)[len(`{"metadata":{`):])
	expect("forbidden OwnPlan", w.approve("bob", "r", fifth.PlanDigest))
	expect("ann", w.approve("ann", "r", fifth.PlanDigest))
	last := w.wait("r", isPlan("[]"))
	expect("Resolved=True:Resolved Activated=True:Activated cat:p:1.2.0:main", tell(last))
	// An approval of something else is refused, and a plan without a need of one.
	w.putAs(as(t, "ann"), "r", activated(""))
	expect("conflict ApprovalNotAwaited", w.approve("bob", "r", last.PlanDigest))
}

// TestApprovalIsOfOneRequest forgets an approval when something else is asked for before it is activated.
func TestApprovalIsOfOneRequest(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{})
	w.source("cat", fmt.Sprintf(catalogImages, ""))
	const never = `,"approval":"required","windows":[{"schedule":"0 0 29 2 *","duration":"1m"}]`
	first := w.putAs(as(t, "ann"), "r", activated(never))
	if got := w.approve("bob", "r", first.PlanDigest); got != "bob" {
		t.Fatal(got)
	}
	waiting := w.wait("r", func(_ *dovetail.Document, s *state.Status) bool {
		return len(s.Conditions) > 1 && s.Conditions[1].Reason == state.ReasonWindow
	})
	if waiting.Approval == nil || waiting.Approval.By != "bob" || w.approve("eve", "r", first.PlanDigest) != "bob" {
		t.Errorf("%+v", waiting)
	}
	again := w.putAs(as(t, "ann"), "r", activated(never+`,"timeoutSeconds":5`))
	if again.PlanDigest != first.PlanDigest || again.Approval != nil || again.Conditions[1].Reason != state.ReasonApproval {
		t.Errorf("%+v", again)
	}
}
