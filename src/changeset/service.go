package changeset

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// Paths of the API.
const (
	pathAll = "/api/change-sets"
	pathOne = pathAll + "/{name}"
)

// Service returns the HTTP API of change sets.
func (c *ChangeSets) Service() httpapi.Service {
	ref := httpapi.SchemaRef
	needs := func(right dovetail.Right) []store.Scope { return httpapi.Requires([]string{Kind}, right) }
	edit := func(action, summary string, handle handler) httpapi.Endpoint {
		return httpapi.Endpoint{Method: http.MethodPost, Path: pathOne + "/" + action, Summary: summary, Keyed: true, Answer: ref("ChangeSet"), Handle: handle}
	}
	with := func(e httpapi.Endpoint, right dovetail.Right, body string, optional bool) httpapi.Endpoint {
		e.Needs, e.Body, e.BodyOptional = needs(right), ref(body), optional
		return e
	}
	return httpapi.Service{Name: ServiceName, Kinds: []string{Kind, KindOperation}, Schemas: schemas(), Endpoints: []httpapi.Endpoint{
		{Method: http.MethodGet, Path: pathAll, Summary: "list change sets", Answer: ref("ChangeSets"), Handle: c.getList, Query: []httpapi.Parameter{
			{Name: "state", Description: "open, merged or closed", Values: []string{string(Open), string(Merged), string(Closed)}},
			{Name: "author", Description: "who made them"}, {Name: "limit", Description: "at most so many"}, {Name: "continue", Description: "where the page before ended"}}},
		{Method: http.MethodPost, Path: pathAll, Summary: "create a change set", Keyed: true, Needs: needs(dovetail.RightCreate), Body: ref("ChangeSetRequest"), Answer: ref("ChangeSet"),
			Code: http.StatusCreated, Handle: c.postCreate},
		{Method: http.MethodGet, Path: pathOne, Summary: "read a change set", Versioned: true, Answer: ref("ChangeSet"), Handle: c.getOne},
		{Method: http.MethodPatch, Path: pathOne, Summary: "change title and description of a change set", Versioned: true, Needs: needs(dovetail.RightUpdate), Body: ref("ChangeSetPatch"),
			Answer: ref("ChangeSet"), Handle: c.patchOne},
		{Method: http.MethodDelete, Path: pathOne, Summary: "delete a change set that is not merged", Versioned: true, Handle: c.deleteOne},
		with(edit("reviews", "approve, reject or comment a change set", c.postReview), dovetail.RightUpdate, "ChangeSetReviewRequest", false),
		edit("close", "close a change set", c.postClose),
		edit("reopen", "open a closed change set again", c.postReopen),
	}}
}

// schemas describe the bodies.
func schemas() map[string]httpapi.Schema {
	type schema = httpapi.Schema
	text, number, moment := schema{"type": "string"}, schema{"type": "integer"}, schema{"type": "string", "format": "date-time"}
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
	ending := object(schema{"position": text, "by": text, "time": moment}, "by", "time")
	name := schema{"type": "string", "description": "unique; the last element of the id changeSet/NAME"}
	return map[string]schema{
		"ChangeSetRequest": object(schema{"name": name, "title": text, "description": text}, "name"),
		"ChangeSetPatch":   object(schema{"title": text, "description": text}),
		"ChangeSet": object(schema{"name": name, "title": text, "description": text, "state": schema{"type": "string", "enum": []State{Open, Merged, Closed}},
			"author": text, "authors": listOf(text), "base": schema{"type": "string", "description": "the position that it is based on"}, "created": moment,
			"operations": listOf(object(schema{"id": text, "kind": text, "verb": verb, "by": text, "time": moment}, "verb", "by", "time")),
			"total":      number, "unreadable": schema{"type": "integer", "description": "how many operations are on documents that you may not read"},
			"reviews": listOf(object(schema{"by": text, "groups": listOf(text), "decision": decision, "comment": text, "time": moment, "digest": text,
				"current": schema{"type": "boolean", "description": "it is about the operations as they are"}}, "by", "decision", "time", "digest", "current")),
			"reverts": text, "merged": ending, "closed": ending, "version": text},
			"name", "title", "state", "author", "authors", "base", "created", "total", "unreadable", "reviews", "version"),
		"ChangeSets":             object(schema{"items": listOf(ref("ChangeSet")), "continue": text}, "items"),
		"ChangeSetReviewRequest": object(schema{"decision": decision, "comment": text}, "decision"),
	}
}
