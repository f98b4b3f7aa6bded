package changeset

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// Paths of the API.
const (
	pathAll = "/api/change-sets"
	pathOne = pathAll + "/{name}"
	// reviewerMe is the one reviewer that a list can be asked for: whose review counts, only the rights of the principal say.
	reviewerMe = "me"
)

// Service returns the HTTP API of change sets.
func (c *ChangeSets) Service() httpapi.Service {
	ref := httpapi.SchemaRef
	needs := func(right dovetail.Right) []store.Scope { return httpapi.Requires([]string{Kind}, right) }
	edit := func(action, summary string, handle handler) httpapi.Endpoint {
		return httpapi.Endpoint{Method: http.MethodPost, Path: pathOne + "/" + action, Summary: summary, Answer: ref("ChangeSet"), DryRun: true, Handle: handle}
	}
	with := func(e httpapi.Endpoint, right dovetail.Right, body string, optional bool) httpapi.Endpoint {
		e.Needs, e.Body, e.BodyOptional = needs(right), ref(body), optional
		return e
	}
	merge := with(edit("merge", "merge a change set as one transaction", c.postMerge), dovetail.RightUpdate, "ChangeSetMergeRequest", true)
	merge.Answer = ref("ChangeSetMerge")
	propose := with(edit("propose", "propose a change set as a branch of the attached Git repository", c.postPropose), dovetail.RightUpdate, "ChangeSetProposeRequest", true)
	propose.DryRun = false // a branch is pushed
	rebase := with(edit("rebase", "bring the base of a change set forward to now", c.postRebase), dovetail.RightUpdate, "ChangeSetRebaseRequest", true)
	revert := with(edit("revert", "make a change set that undoes a merged one", c.postRevert), dovetail.RightCreate, "ChangeSetRevertRequest", true)
	revert.Code, revert.DryRun = http.StatusCreated, false // it makes what its check foretells
	read := func(action, summary, answer string, handle handler) httpapi.Endpoint {
		return httpapi.Endpoint{Method: http.MethodGet, Path: pathOne + "/" + action, Summary: summary, Long: true, Answer: ref(answer), Handle: handle}
	}
	return httpapi.Service{Name: ServiceName, Kinds: []string{Kind, KindOperation}, Schemas: schemas(), Endpoints: []httpapi.Endpoint{
		{Method: http.MethodGet, Path: pathAll, Summary: "list change sets", Answer: ref("ChangeSets"), Handle: c.getList, Query: []httpapi.Parameter{
			{Name: "state", Description: "only change sets in this state", Values: []string{string(api.ChangeSetOpen), string(api.ChangeSetMerged), string(api.ChangeSetClosed)}},
			{Name: "author", Description: "only change sets of this author"},
			{Name: "reviewer", Description: "me: only change sets that wait for your review", Values: []string{reviewerMe}}, {Name: "limit", Description: "the maximum number of items of a page"}, {Name: "continue", Description: "the token of the previous page"}}},
		{Method: http.MethodPost, Path: pathAll, Summary: "create a change set", Needs: needs(dovetail.RightCreate), Body: ref("ChangeSetRequest"), Answer: ref("ChangeSet"),
			Code: http.StatusCreated, DryRun: true, Handle: c.postCreate},
		{Method: http.MethodGet, Path: pathOne, Summary: "read a change set", Versioned: true, Answer: ref("ChangeSet"), Handle: c.getOne},
		{Method: http.MethodPatch, Path: pathOne, Summary: "change the title and description of a change set", Versioned: true, Needs: needs(dovetail.RightUpdate), Body: ref("ChangeSetPatch"),
			Answer: ref("ChangeSet"), DryRun: true, Handle: c.patchOne},
		{Method: http.MethodDelete, Path: pathOne, Summary: "delete a change set", Versioned: true, DryRun: true, Handle: c.deleteOne},
		read("diff", "the changes of a change set", "ChangeSetDiff", c.getDiff),
		read("check", "check whether a change set can be merged", "ChangeSetCheck", c.getCheck),
		read("impact", "the effect of a merge on effective sets, rendered documents and resolutions", "ChangeSetImpact", c.getImpact),
		{Method: http.MethodDelete, Path: pathOne + "/operations", Summary: "remove the staged changes of a document", Answer: ref("ChangeSet"), DryRun: true, Handle: c.deleteOperation,
			Query: []httpapi.Parameter{{Name: "id", Description: "the id of the document", Required: true}}},
		with(edit("reviews", "approve, reject or comment a change set", c.postReview), dovetail.RightUpdate, "ChangeSetReviewRequest", false),
		merge, propose, rebase,
		edit("close", "close a change set", c.postClose),
		edit("reopen", "open a closed change set again", c.postReopen),
		revert,
	}}
}

// schemas describe the bodies.
func schemas() map[string]httpapi.Schema {
	all := httpapi.Describe(map[string]any{
		"ChangeSet": api.ChangeSet{}, "ChangeSets": api.ChangeSets{}, "ChangeSetRequest": api.NewChangeSet{}, "ChangeSetPatch": api.ChangeSetEdit{},
		"ChangeSetDiff": api.ChangeSetDiff{}, "ChangeSetCheck": api.ChangeSetCheck{}, "ChangeSetImpact": api.ChangeSetImpact{},
		"ChangeSetImpactItem": api.ImpactItem{}, "ChangeSetReviewRequest": api.NewReview{}, "ChangeSetProposeRequest": api.Propose{},
		"ChangeSetMergeRequest": api.Merge{}, "ChangeSetMerge": api.ChangeSetMerge{}, "ChangeSetRebaseRequest": api.Rebase{},
	})
	revert := httpapi.DescribeType(api.NewChangeSet{})
	delete(revert, "required") // a name is chosen
	all["ChangeSetRevertRequest"] = revert
	return all
}
