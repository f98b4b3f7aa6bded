package changeset

import (
	"net/http"

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
		return httpapi.Endpoint{Method: http.MethodPost, Path: pathOne + "/" + action, Summary: summary, Answer: ref("ChangeSet"), Handle: handle}
	}
	with := func(e httpapi.Endpoint, right dovetail.Right, body string, optional bool) httpapi.Endpoint {
		e.Needs, e.Body, e.BodyOptional = needs(right), ref(body), optional
		return e
	}
	merge := with(edit("merge", "merge a change set as one transaction", c.postMerge), dovetail.RightUpdate, "ChangeSetMergeRequest", true)
	merge.DryRun, merge.Answer = true, ref("ChangeSetMerge")
	propose := with(edit("propose", "propose a change set as a branch of the attached Git repository", c.postPropose), dovetail.RightUpdate, "ChangeSetProposeRequest", true)
	rebase := with(edit("rebase", "bring the base of a change set forward to now", c.postRebase), dovetail.RightUpdate, "ChangeSetRebaseRequest", true)
	rebase.DryRun = true
	revert := with(edit("revert", "make a change set that undoes a merged one", c.postRevert), dovetail.RightCreate, "ChangeSetRevertRequest", true)
	revert.Code = http.StatusCreated
	read := func(action, summary, answer string, handle handler) httpapi.Endpoint {
		return httpapi.Endpoint{Method: http.MethodGet, Path: pathOne + "/" + action, Summary: summary, Long: true, Answer: ref(answer), Handle: handle}
	}
	return httpapi.Service{Name: ServiceName, Kinds: []string{Kind, KindOperation}, Schemas: schemas(), Endpoints: []httpapi.Endpoint{
		{Method: http.MethodGet, Path: pathAll, Summary: "list change sets", Answer: ref("ChangeSets"), Handle: c.getList, Query: []httpapi.Parameter{
			{Name: "state", Description: "only change sets in this state", Values: []string{string(Open), string(Merged), string(Closed)}},
			{Name: "author", Description: "only change sets of this author"},
			{Name: "reviewer", Description: "me: only change sets that wait for your review", Values: []string{reviewerMe}}, {Name: "limit", Description: "the maximum number of items of a page"}, {Name: "continue", Description: "the token of the previous page"}}},
		{Method: http.MethodPost, Path: pathAll, Summary: "create a change set", Needs: needs(dovetail.RightCreate), Body: ref("ChangeSetRequest"), Answer: ref("ChangeSet"),
			Code: http.StatusCreated, Handle: c.postCreate},
		{Method: http.MethodGet, Path: pathOne, Summary: "read a change set", Versioned: true, Answer: ref("ChangeSet"), Handle: c.getOne},
		{Method: http.MethodPatch, Path: pathOne, Summary: "change the title and description of a change set", Versioned: true, Needs: needs(dovetail.RightUpdate), Body: ref("ChangeSetPatch"),
			Answer: ref("ChangeSet"), Handle: c.patchOne},
		{Method: http.MethodDelete, Path: pathOne, Summary: "delete a change set", Versioned: true, Handle: c.deleteOne},
		read("diff", "the changes of a change set", "ChangeSetDiff", c.getDiff),
		read("check", "check whether a change set can be merged", "ChangeSetCheck", c.getCheck),
		read("impact", "the effect of a merge on effective sets, rendered documents and resolutions", "ChangeSetImpact", c.getImpact),
		{Method: http.MethodDelete, Path: pathOne + "/operations", Summary: "remove the staged changes of a document", Answer: ref("ChangeSet"), Handle: c.deleteOperation,
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
	type schema = httpapi.Schema
	text, number, flag, moment := schema{"type": "string"}, schema{"type": "integer"}, schema{"type": "boolean"}, schema{"type": "string", "format": "date-time"}
	listOf := func(items schema) schema { return schema{"type": "array", "items": items} }
	object := func(properties schema, required ...string) schema {
		s := schema{"type": "object", "properties": properties}
		if len(required) > 0 {
			s["required"] = required
		}
		return s
	}
	ref := httpapi.SchemaRef
	verb := schema{"type": "string", "enum": []Verb{Create, Update, Delete}}
	decision := schema{"type": "string", "enum": []Decision{Approve, Reject, Comment}}
	change := object(schema{"op": schema{"type": "string", "enum": []string{"add", "remove", "replace"}}, "path": text, "from": schema{}, "to": schema{}}, "op", "path")
	impactChange := object(schema{"op": schema{"type": "string", "enum": []string{"add", "remove", "replace"}}, "path": text, "from": schema{}, "to": schema{},
		"file":   schema{"type": "string", "description": "the file that contains the path, for results that consist of files"},
		"secret": schema{"type": "boolean", "description": "whether the values are credentials, which are not shown"}, "source": schema{"type": "string", "description": "the origin of the value"}}, "op", "path")
	conflict := object(schema{"id": text, "path": text, "message": text, "base": schema{}, "staged": schema{}, "now": schema{}}, "id", "path", "message")
	ending := object(schema{"position": text, "commit": schema{"type": "string", "description": "the commit that merged the branch"}, "by": text, "time": moment}, "by", "time")
	proposal := object(schema{"branch": text, "repository": schema{"type": "string", "description": "the instance repository of the branch, if there are several"},
		"into":    schema{"type": "string", "description": "the branch that the store follows"},
		"commit":  schema{"type": "string", "description": "the commit of the branch; omitted as long as it is not known to be pushed"},
		"current": schema{"type": "boolean", "description": "whether the branch has the current operations"},
		"differs": schema{"type": "string", "description": "a commit that merged the branch with a different content"}, "by": text, "time": moment},
		"branch", "by", "time", "current")
	name := schema{"type": "string", "description": "the unique name; the last element of the id changeSet/NAME"}
	return map[string]schema{
		"ChangeSetRequest": object(schema{"name": name, "title": text, "description": text}, "name"),
		"ChangeSetPatch":   object(schema{"title": text, "description": text}),
		"ChangeSet": object(schema{"name": name, "title": text, "description": text, "state": schema{"type": "string", "enum": []State{Open, Merged, Closed}},
			"author": text, "authors": listOf(text), "base": schema{"type": "string", "description": "the position of the store that it is based on"}, "created": moment,
			"operations": listOf(object(schema{"id": text, "kind": text, "verb": verb, "by": text, "time": moment}, "verb", "by", "time")),
			"total":      number, "unreadable": schema{"type": "integer", "description": "the number of operations on documents that the caller may not read"},
			"reviews": listOf(object(schema{"by": text, "groups": listOf(text), "decision": decision, "comment": text, "time": moment, "digest": text,
				"current": schema{"type": "boolean", "description": "whether the review refers to the current operations"}}, "by", "decision", "time", "digest", "current")),
			"reverts": text, "proposal": proposal, "merged": ending, "closed": ending, "version": text},
			"name", "title", "state", "author", "authors", "base", "created", "total", "unreadable", "reviews", "version"),
		"ChangeSets": object(schema{"items": listOf(ref("ChangeSet")), "continue": text}, "items"),
		"ChangeSetDiff": object(schema{"unreadable": number, "operations": listOf(object(schema{"id": text, "kind": text, "verb": verb, "by": text, "time": moment,
			"changes": listOf(change), "files": listOf(text)}, "id", "kind", "verb", "by", "time", "changes", "files"))}, "operations", "unreadable"),
		"ChangeSetCheck": object(schema{"mergeable": flag, "conflicts": listOf(conflict), "errors": listOf(object(schema{"code": text, "reason": text, "message": text, "remedy": text, "id": text, "path": text}, "code", "message")),
			"protections": listOf(object(schema{"on": listOf(text), "approvals": number, "by": listOf(text), "message": text, "approvedBy": listOf(text), "missing": number},
				"on", "approvals", "approvedBy", "missing")),
			"remaining": schema{"type": "array", "description": "the changes that are missing in the store, if the branch was merged with a different content",
				"items": object(schema{"id": text, "changes": listOf(change)}, "id", "changes")},
			"rejectedBy": listOf(text), "unreadable": number}, "mergeable", "conflicts", "errors", "protections", "rejectedBy", "unreadable"),
		"ChangeSetImpact": object(schema{"items": listOf(ref("ChangeSetImpactItem")), "total": number,
			"unchanged":      schema{"type": "array", "items": ref("ChangeSetImpactItem"), "description": "results that were checked and do not change"},
			"unchangedTotal": number, "unreadable": number, "incomplete": flag}, "items", "total", "unchanged", "unchangedTotal", "unreadable"),
		"ChangeSetImpactItem": object(schema{"service": text, "id": text, "title": text,
			"basis": schema{"type": "string", "description": "for effective sets: calculation or generated-files"}, "changes": listOf(impactChange), "more": number,
			"findings":     listOf(object(schema{"severity": schema{"type": "string", "enum": []string{"error", "warning"}}, "reason": text, "location": text, "message": text, "remedy": text}, "severity", "message")),
			"moreFindings": number, "error": schema{"type": "string", "description": "the reason why the result can no longer be derived"}}, "service", "id", "title", "changes"),
		"ChangeSetReviewRequest":  object(schema{"decision": decision, "comment": text}, "decision"),
		"ChangeSetProposeRequest": object(schema{"branch": schema{"type": "string", "description": "the name of the branch; default the current one, or change-set/NAME"}}),
		"ChangeSetMergeRequest":   object(schema{"message": schema{"type": "string", "description": "the message of the transaction, instead of the header Dovetail-Message"}}),
		"ChangeSetMerge": object(schema{"changeSet": ref("ChangeSet"), "position": text, "total": number,
			"operations": listOf(object(schema{"id": text, "effect": schema{"type": "string", "enum": []string{"created", "updated", "unchanged", "deleted"}}}, "id", "effect"))}, "changeSet", "operations", "total"),
		"ChangeSetRebaseRequest": object(schema{"resolve": listOf(object(schema{"id": text, "path": text, "take": schema{"type": "string", "enum": []string{"staged", "now"}}}, "id", "path", "take"))}),
		"ChangeSetRevertRequest": object(schema{"name": name, "title": text}),
	}
}
