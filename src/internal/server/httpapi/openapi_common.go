package httpapi

import (
	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Components that many operations share.

func commonParameters() object {
	parameters := object{}
	add := func(name, in, description string, schema object) {
		parameters[name] = object{"name": name, "in": in, "description": description, "schema": schema}
	}
	text := object{"type": "string"}
	flag := func(name, description string) { // alone, without a value, it is true
		parameters[name] = object{"name": name, "in": "query", "description": description, "allowEmptyValue": true, "schema": object{"type": "boolean"}}
	}
	page := func(name, description string) object { // a client that reads all pages asks for the first one with an empty token
		return object{"name": name, "in": "query", "description": description + "; empty for the first page", "allowEmptyValue": true, "schema": text}
	}
	add("kind", "query", "only documents of this kind", text)
	add("text", "query", "words that must all match: a name, a prefix or part of it, a path such as c1/dev, or letters of a name in order", text)
	add("under", "query", "only documents below this id", text)
	add("limit", "query", "the maximum number of items of a page; it has fewer if they are large, and at most 1000. The answer is then an object with items and continue. A tree or graph has up to 1000, a search up to 100", object{"type": "integer", "minimum": 1})
	parameters["continue"] = page("continue", "the token of the previous page")
	add("labelSelector", "query", "only items whose metadata.labels match: app=nginx,tier in (a,b),!old; at most 100 terms, where each value in parentheses counts as one", text)
	add("fieldSelector", "query", "only items whose data matches: spec.replicas=3,metadata.name!=x; at most 100 terms", text)
	add("contains", "query", "only items whose data contains this text, in the name of a member or in a string, number or boolean, ignoring case; sensitive values are not searched; at most 200 bytes", text)
	add("view", "query", "document for the whole envelope; for an item also references, referrers, children, tree, graph, and history: its versions", object{"type": "string",
		"enum": list{viewDocument, viewReferences, viewReferrers, viewChildren, viewTree, viewGraph, viewHistory}})
	parameters["accessView"] = object{"name": "view", "in": "query", "description": "who-can lists all users and groups that have the right, instead of answering whether the client has it; kinds lists, by right, the kinds on which the client has rights on at least some documents",
		"schema": object{"type": "string", "enum": list{viewWhoCan, viewKinds}}}
	parameters["schemaVersion"] = object{"name": "version", "in": "query", "description": "the version number of an active or earlier ref-schema",
		"schema": object{"type": "integer", "minimum": 1}}
	parameters["schemaAt"] = object{"name": "at", "in": "query", "description": "the ref-schema that was active at this time (RFC 3339, or a day) or position of the history",
		"schema": text}
	parameters["auditAction"] = object{"name": "action", "in": "query", "description": "only records of this action, on at least one document or as a whole", "schema": object{"type": "string", "enum": store.AuditActions()}}
	parameters["auditOrder"] = object{"name": "order", "in": "query", "description": "asc for the oldest records first (the default), or desc for the newest first", "schema": object{"type": "string", "enum": list{orderAscending, orderDescending}}}
	parameters["gitRepository"] = object{"name": "repository", "in": "query", "description": "the name of one of several instance repositories; default all", "schema": text}
	parameters["authorIds"] = object{"name": "id", "in": "query", "required": true, "description": "the id of a document; can be given several times",
		"schema": object{"type": "array", "minItems": 1, "maxItems": store.MaxAuthors, "items": text}}
	parameters["auditAfter"] = page("after", "the id of the last record of the previous page")
	flag("content", "with view=document, include the data of the files")
	flag("checkpoint", "a copy of the file of the embedded store, with its history, instead of a backup")
	flag("cleartext", "decrypt documents of sensitive kinds")
	flag("sealed", "leave documents of sensitive kinds encrypted, with their wrapped data keys, as an import accepts them; not with selectors")
	add("key", "query", "the new data key of the rotation in progress", text)
	add("depth", "query", "with view=tree, the number of levels, up to 50; with view=graph, the number of steps, up to 5", object{"type": "integer", "minimum": 0, "maximum": maxDepth})
	add("principal", "query", "only those of this principal", text)
	add("expect", "query", "the number and hash of a block that was recorded earlier, such as 17:9f86d0...; several are separated by commas", text)
	add("from", "query", "only those at or after this time", text)
	add("to", "query", "only those before this time", text)
	add("right", "query", "the right to check", object{"type": "string", "enum": dovetail.Rights()})
	add("id", "query", "the id of a document, which need not exist", text)
	flag("dryRun", "check everything and change nothing")
	flag(managedParameter, "also change documents that are managed by a service, bypassing the service")
	add(waitParameter, "query", "how long to wait for the status that a service derives from the written document, such as 30s", text)
	add("cascade", "query", "also delete children and referrers; plan only shows what would be deleted", object{"type": "string", "enum": list{"true", "false", "plan"}})
	flag("watch", "stream changes as server-sent events")
	flag("reveal", "for a kind with sensitive values: record in the audit log that they are shown to a person")
	add("after", "query", "the id of the event to resume after", text)
	add("filename", "query", "selects one of several files of the part", text)
	add("If-Match", "header", "entity tags, one of which the document must have, or * for any", text)
	add("If-None-Match", "header", "answer 304 if the document has one of these entity tags; on PUT, * means: only create", text)
	add(keyHeader, "header", "the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned", object{"type": "string", "maxLength": store.MaxKey})
	add(atParameter, "query", "read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions", text)
	add(changeSetParameter, "query", "read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history", text)
	parameters["before"] = page("before", "the position that the previous page returned")
	add(messageHeader, "header", "the reason for the write; it is stored with the transaction", object{"type": "string", "maxLength": store.MaxMessage})
	add("Last-Event-ID", "header", "the id of the event to resume after", text)
	return parameters
}

func commonHeaders() object {
	header := func(description string) object {
		return object{"description": description, "schema": object{"type": "string"}}
	}
	return object{
		changeSetHeader: header("the change set whose view was read or written, escaped as in a path"),
		positionHeader:  header("the position at which the answer was read; for a change set, its base"),
	}
}

func commonResponses() object {
	return object{"Problem": object{
		"description": "an error: what is wrong, and what to do",
		"content":     object{"application/problem+json": object{"schema": refTo("schemas", "Problem")}},
	}}
}

func commonSchemas() object {
	text, number := object{"type": "string"}, object{"type": "integer"}
	ids := object{"type": "array", "items": text}
	anyObject := object{"type": "object"}
	return object{
		"Resource": object{"type": "object", "description": "the data of a document, and its status", "properties": object{
			"metadata": object{"type": "object", "properties": object{"name": text, "labels": anyObject}},
			"spec":     anyObject, "status": refTo("schemas", "Status")}},
		"Status": object{"type": "object", "properties": object{"actions": object{"type": "array", "items": object{
			"type": "object", "properties": object{"action": text, "at": object{"type": "string", "format": "date-time"}, "body": object{},
				"state": object{"type": "string", "description": "the resulting state, for a kind with a lifecycle"}}}},
			store.LifecycleMember: object{"type": "object", "description": "for a kind with a lifecycle: the state and, if the status itself is read, the actions that are allowed in it", "properties": object{
				"state": text, "since": object{"type": "string", "format": "date-time"}, "action": text, "by": text, "allowed": ids}},
			store.ActionsTotal: object{"type": "integer", "description": "the number of recorded actions, if actions contains only the latest"}}},
		"File": object{"type": "object", "properties": object{"name": text, "filename": text, "mediaType": text, "size": number}},
		"Manifest": object{"type": "object", "description": "an operation on one document; without data, all other members are its data", "properties": object{
			"op":   object{"type": "string", "enum": list{"put", "create", "patch", "apply", "delete", "status", "action"}, "default": "put"},
			"kind": text, "id": text, "key": object{"type": "object", "additionalProperties": text},
			"fieldManager": object{"type": "string", "description": "the field manager of the write. With the op apply, fields that it applied before and that are no longer in the data are removed, and fields of other managers are kept"},
			"force":        object{"type": "boolean", "description": "with the op apply, take over fields that other managers set to another value"},
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
				"document": object{"type": "object", "description": "the resulting document, in dry runs of revert, rollback and rename"}}}},
			"references": object{"type": "integer", "description": "the number of references that a rename rewrote"},
			"unreadable": object{"type": "boolean", "description": "whether a cascade also deleted documents that the caller may not read"}}},
		"TransactionOutcome": object{"type": "object", "required": list{"state"}, "properties": object{
			"results": object{"type": "array", "items": anyObject, "description": "as in BatchResults"}, "unreadable": object{"type": "boolean"},
			"state": object{"type": "string", "enum": list{stateCommitted, stateAborted}, "description": "an aborted transaction has no results and is never committed"}}},
		"Transaction": object{"type": "object", "required": list{"position", "time", "changes"}, "properties": object{
			"position": object{"type": "string", "description": "for at, before and revert"}, "time": object{"type": "string", "format": "date-time"},
			"principal": text, "message": text, "origin": text, "changes": object{"type": "array", "items": object{
				"type": "object", "required": list{"op", "id", "kind", "version"}, "properties": object{
					"op": object{"type": "string", "enum": list{"created", "updated", "deleted"}}, "id": text, "kind": text, "version": text}}}}},
		"Problem": DescribeType(api.Problem{}),
	}
}
