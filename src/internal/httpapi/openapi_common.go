package httpapi

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Components that many operations share.

func commonParameters() object {
	parameters := object{}
	add := func(name, in, description string, schema object) {
		parameters[name] = object{"name": name, "in": in, "description": description, "schema": schema}
	}
	text, flag := object{"type": "string"}, object{"type": "boolean"}
	add("kind", "query", "only documents of this kind", text)
	add("text", "query", "words, all of which must fit: a name, its beginning or a part of it, a path such as c1/dev, or letters of a name in their order", text)
	add("under", "query", "only documents below this id", text)
	add("limit", "query", "at most so many items a page, and fewer where they are large or more than 1000; the answer is then an object with items and continue. A tree or graph has up to 1000, a search up to 100", object{"type": "integer", "minimum": 1})
	add("continue", "query", "the token of the page before", text)
	add("labelSelector", "query", "only items whose metadata.labels fit: app=nginx,tier in (a,b),!old; at most 100 terms, each value in parentheses is one", text)
	add("fieldSelector", "query", "only items whose data fits: spec.replicas=3,metadata.name!=x; at most 100 terms", text)
	add("contains", "query", "only items in whose data this occurs, in the name of a member or in a text, number or boolean, without regard to case; what is sensitive does not count; at most 200 bytes", text)
	add("view", "query", "document for the whole envelope; of an item also references, referrers, children, tree, graph, and history: what happened to it", object{"type": "string",
		"enum": list{viewDocument, viewReferences, viewReferrers, viewChildren, viewTree, viewGraph, viewHistory}})
	parameters["accessView"] = object{"name": "view", "in": "query", "description": "who-can for all users and groups that have the right, in place of whether the client has it; kinds for those on some document of which the client has rights, by right",
		"schema": object{"type": "string", "enum": list{viewWhoCan, viewKinds}}}
	parameters["schemaVersion"] = object{"name": "version", "in": "query", "description": "the ref-schema of this number, of those that were in force",
		"schema": object{"type": "integer", "minimum": 1}}
	parameters["schemaAt"] = object{"name": "at", "in": "query", "description": "the ref-schema that was in force at a moment: a time, a day, or a position of the history",
		"schema": text}
	parameters["auditAction"] = object{"name": "action", "in": "query", "description": "which happened to one of the documents, or of which the record is", "schema": object{"type": "string", "enum": store.AuditActions()}}
	parameters["auditOrder"] = object{"name": "order", "in": "query", "description": "asc for the oldest records first, as without it, or desc for the newest", "schema": object{"type": "string", "enum": list{orderAscending, orderDescending}}}
	parameters["gitRepository"] = object{"name": "repository", "in": "query", "description": "the name of one of several instance repositories; all where it is left out", "schema": text}
	parameters["authorIds"] = object{"name": "id", "in": "query", "required": true, "description": "the documents, each as a parameter of its own",
		"schema": object{"type": "array", "minItems": 1, "maxItems": store.MaxAuthors, "items": text}}
	parameters["auditAfter"] = object{"name": "after", "in": "query", "description": "the record that came last in the page before", "schema": text}
	add("content", "query", "with view=document, the files' data, too", flag)
	add("checkpoint", "query", "a copy of the file of the embedded store, with the history, in place of a backup", flag)
	add("cleartext", "query", "decrypt documents of sensitive kinds", flag)
	add("sealed", "query", "leave documents of sensitive kinds encrypted, with their wrapped data keys, as an import takes them; without selectors", flag)
	add("key", "query", "the new data key of a rotation that is under way", text)
	add("depth", "query", "with view=tree, how many levels, up to 50; with view=graph, how many steps, up to 5", object{"type": "integer", "minimum": 0, "maximum": maxDepth})
	add("principal", "query", "whose", text)
	add("expect", "query", "the number and the hash of a block that was noted earlier, as 17:9f86d0...; several separated by commas", text)
	add("from", "query", "not before this time", text)
	add("to", "query", "before this time", text)
	add("right", "query", "the right to check", object{"type": "string", "enum": dovetail.Rights()})
	add("id", "query", "the id of a document, which need not exist", text)
	add("dryRun", "query", "check everything, change nothing", flag)
	add(managedParameter, "query", "change documents that a service makes, too, past the service", flag)
	add(waitParameter, "query", "how long to wait for the status that a service makes of what is written, as 30s", text)
	add("cascade", "query", "delete what holds the document with it; plan only shows what that is", object{"type": "string", "enum": list{"true", "false", "plan"}})
	add("watch", "query", "stream changes as server-sent events", flag)
	add("reveal", "query", "of a kind with sensitive values: the audit records that they are shown to a person", flag)
	add("after", "query", "the id of the event to resume after", text)
	add("filename", "query", "which of several files of the part", text)
	add("If-Match", "header", "entity tags one of which the document must have, or *", text)
	add("If-None-Match", "header", "entity tags that need not be answered; on PUT, *: only create", text)
	add(keyHeader, "header", "names the request: sent again with the same key it is done once, and answered as it was", object{"type": "string", "maxLength": store.MaxKey})
	add(atParameter, "query", "read as of then: a time (RFC 3339, or a day), a position, or of an item one of its versions", text)
	add(changeSetParameter, "query", "read or write in the view of this change set: what is written is staged in it, and changes nothing else; not with at, watch, wait, sealed or view=history", text)
	add("before", "query", "the position that the page before says", text)
	add(messageHeader, "header", "why this is written; it is kept with the transaction", object{"type": "string", "maxLength": store.MaxMessage})
	add("Last-Event-ID", "header", "the id of the event to resume after", text)
	return parameters
}

func commonHeaders() object {
	header := func(description string) object {
		return object{"description": description, "schema": object{"type": "string"}}
	}
	return object{
		changeSetHeader: header("the change set whose view was read or written, escaped as in a path"),
		positionHeader:  header("where the answer was read, of a change set its base"),
	}
}

func commonResponses() object {
	return object{"Problem": object{
		"description": "what is wrong, and what to do",
		"content":     object{"application/problem+json": object{"schema": refTo("schemas", "Problem")}},
	}}
}

func commonSchemas() object {
	text, number := object{"type": "string"}, object{"type": "integer"}
	ids := object{"type": "array", "items": text}
	anyObject := object{"type": "object"}
	blockers := object{"type": "object", "properties": object{"ids": ids, "total": number}}
	return object{
		"Resource": object{"type": "object", "description": "the data of a document, and the status that services wrote", "properties": object{
			"metadata": object{"type": "object", "properties": object{"name": text, "labels": anyObject}},
			"spec":     anyObject, "status": refTo("schemas", "Status")}},
		"Status": object{"type": "object", "properties": object{"actions": object{"type": "array", "items": object{
			"type": "object", "properties": object{"action": text, "at": object{"type": "string", "format": "date-time"}, "body": object{},
				"state": object{"type": "string", "description": "that the action led to, of a kind with a lifecycle"}}}},
			store.LifecycleMember: object{"type": "object", "description": "of a kind with a lifecycle: the state, and where the status itself is read the actions that are possible in it", "properties": object{
				"state": text, "since": object{"type": "string", "format": "date-time"}, "action": text, "by": text, "allowed": ids}},
			store.ActionsTotal: object{"type": "integer", "description": "how many actions were recorded, where actions has only the last of them"}}},
		"File": object{"type": "object", "properties": object{"name": text, "filename": text, "mediaType": text, "size": number}},
		"Manifest": object{"type": "object", "description": "an operation on one document; without data, all other members are its data", "properties": object{
			"op":   object{"type": "string", "enum": list{"put", "create", "patch", "apply", "delete", "status", "action"}, "default": "put"},
			"kind": text, "id": text, "key": object{"type": "object", "additionalProperties": text},
			"fieldManager": object{"type": "string", "description": "who writes, by which Dovetail keeps who set which fields; beside data, or with the op apply: what it applied before and does not say any more is removed, and what others set stays"},
			"force":        object{"type": "boolean", "description": "with the op apply, take fields from those who set them otherwise"},
			"action":       object{"type": "string", "description": "with the op action, the path of the action"},
			"ifMatch":      object{"anyOf": list{text, ids}}, "cascade": object{"type": "boolean"}, "data": anyObject,
			"content": object{"type": "array", "items": object{"type": "object", "properties": object{
				"name": text, "filename": text, "mediaType": text, "data": object{"type": "string", "contentEncoding": "base64"}}}}}},
		"Document": object{"type": "object", "description": "the envelope of a document", "required": list{"id", "kind", "data"}, "properties": object{
			"id": text, "kind": text, "key": object{"type": "object", "additionalProperties": text}, "keyId": text, "data": anyObject,
			"content": object{"type": "array", "items": anyObject}, "status": refTo("schemas", "Status"), "references": object{"type": "array", "items": anyObject},
			"uid": text, "revision": number, "created": text, "updated": text, "schema": text, "etag": text}},
		"Sources": object{"type": "object", "required": list{"sources"}, "properties": object{"sources": object{"type": "array", "items": object{
			"type": "object", "required": list{"name", "text"}, "properties": object{"name": text, "text": text}}}}},
		"Manifests": object{"type": "object", "properties": object{
			"items":      object{"type": "array", "items": refTo("schemas", "Manifest")},
			"operations": object{"type": "array", "items": refTo("schemas", "Manifest")}}},
		"BatchResults": object{"type": "object", "required": list{"results"}, "properties": object{"results": object{"type": "array", "items": object{
			"type": "object", "required": list{"effect", "id", "kind"}, "properties": object{
				"index": number, "effect": object{"type": "string", "enum": list{"created", "updated", "unchanged", "deleted"}},
				"id": text, "kind": text, "etag": text, "warnings": ids,
				"because":  object{"type": "object", "properties": object{"of": text, "relation": text}},
				"document": object{"type": "object", "description": "what the document would be, in dry runs of revert, rollback and rename"}}}},
			"references": object{"type": "integer", "description": "how many references a rename gave another target"},
			"unreadable": object{"type": "boolean", "description": "documents that you may not read were deleted too, by a cascade"}}},
		"TransactionOutcome": object{"type": "object", "required": list{"state"}, "properties": object{
			"results": object{"type": "array", "items": anyObject, "description": "as in BatchResults"}, "unreadable": object{"type": "boolean"},
			"state": object{"type": "string", "enum": list{stateCommitted, stateAborted}, "description": "of one that was aborted there are no results, and never will be"}}},
		"Transaction": object{"type": "object", "required": list{"position", "time", "changes"}, "properties": object{
			"position": object{"type": "string", "description": "for at, before and revert"}, "time": object{"type": "string", "format": "date-time"},
			"principal": text, "message": text, "origin": text, "changes": object{"type": "array", "items": object{
				"type": "object", "required": list{"op", "id", "kind", "version"}, "properties": object{
					"op": object{"type": "string", "enum": list{"created", "updated", "deleted"}}, "id": text, "kind": text, "version": text}}}}},
		"Problem": object{"type": "object", "required": list{"type", "title", "status", "detail", "code"}, "properties": object{
			"type": text, "title": text, "status": number, "detail": text, "instance": text,
			"code": text, "reason": text, "remedy": text, "id": text, "missing": ids, "blockedBy": blockers, "state": text, "allowed": ids, "current": anyObject, "base": anyObject,
			"errors": object{"type": "array", "items": object{"type": "object", "required": list{"code", "message"}, "properties": object{
				"index": number, "file": text, "path": text, "line": number, "column": number, "code": text, "reason": text, "message": text, "remedy": text,
				"id": text, "missing": ids, "blockedBy": blockers, "state": text, "allowed": ids, "current": anyObject, "base": anyObject}}},
			"total": object{"type": "integer", "description": "how many errors there are, where errors has only the first of them"}}},
	}
}
