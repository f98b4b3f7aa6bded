package httpapi

import "net/http"

// describe returns the names of the shared parameters that the endpoint has, and the content of its body and its answer.
func (e *Endpoint) describe() (query []string, body, answer object) {
	if e.DryRun {
		query = append(query, "dryRun")
	}
	if !e.reads() {
		query = append(query, keyHeader, messageHeader)
	}
	switch {
	case e.Versioned && e.Method == http.MethodGet:
		query = append(query, "If-Match", "If-None-Match")
	default:
		if e.conditions()&checksMatch != 0 {
			query = append(query, "If-Match")
		}
		if e.conditions()&checksNew != 0 {
			query = append(query, "If-None-Match")
		}
	}
	content := texts
	if e.MediaType != "" {
		content = func(schema object) object { return object{e.MediaType: object{"schema": schema}} }
	}
	if e.Body != nil {
		body = content(e.Body)
	}
	if e.Answer != nil {
		answer = content(e.Answer)
	}
	if e.Line != nil {
		answer[mediaLines] = object{"schema": e.Line}
	}
	return query, body, answer
}

// parameters describes those that the endpoint shares with no other.
func (e *Endpoint) parameters() list {
	var all list
	for _, q := range e.Query {
		schema := object{"type": "string"}
		if q.Values != nil {
			schema["enum"] = q.Values
		}
		if q.Repeats {
			q.Description += "; may be given several times"
		}
		parameter := object{"name": q.Name, "in": "query", "required": q.Required, "description": q.Description, "schema": schema}
		if q.AllowEmpty {
			parameter["allowEmptyValue"] = true
		}
		all = append(all, parameter)
	}
	return all
}

// What several endpoints have in common.
var (
	anyAnswer        = object{"application/json": object{"schema": object{"type": "object"}}}
	batchAnswer      = texts(refTo("schemas", "BatchResults"))
	batchBody        = texts(object{"anyOf": list{object{"type": "array", "items": refTo("schemas", "Manifest")}, refTo("schemas", "Manifest"), refTo("schemas", "Manifests")}})
	changeParameters = []string{"dryRun", waitParameter, keyHeader, messageHeader}
	gitPushBody      = object{"application/json": object{"schema": object{"type": "object", "description": "the payload of the Git host; only its signature is checked"}}}
)

// record describes an object with these members, which are not all there may be.
func record(required list, properties object) object {
	described := object{"type": "object", "properties": properties}
	if required != nil {
		described["required"] = required
	}
	return described
}

func gitPushSchema() object {
	return record(list{"pull"}, object{"pull": object{"type": "string", "enum": list{"soon"}}})
}

func impactSchema() object {
	return record(nil, object{"total": object{"type": "integer"}, "findings": object{"type": "array", "items": object{"type": "object"}}})
}

func renameSchema() object {
	return record(list{"id", "to"}, object{"id": object{"type": "string"},
		"to": object{"type": "string", "description": "the new id, of the same kind: with another name, another parent, or both"}})
}

func rollbackSchema() object {
	return record(list{"id"}, object{"id": object{"type": "string"},
		"version": object{"type": "string", "description": "a version in the history of the document; default the one before the last change"}})
}

func transactionsSchema() object {
	return record(list{"items"}, object{"items": object{"type": "array", "items": refTo("schemas", "Transaction")},
		"before": object{"type": "string", "description": "the parameter before of the next page"}})
}

func rotationSchema() object {
	return record(nil, object{"key": object{"type": "string", "description": "the new data key: send it as the parameter key to continue"},
		"sealed": object{"type": "integer"}, "retired": object{"type": "array", "items": object{"type": "string"}}, "done": object{"type": "boolean"}})
}

func redeliverSchema() object {
	return record(nil, object{"ids": object{"type": "array", "items": object{"type": "string"}, "description": "the ids of dead letters; default all of them"}})
}

func queuedSchema() object {
	return record(list{"queued"}, object{"queued": object{"type": "integer"}})
}

// schemaVersionSchema describes a store.SchemaVersion.
func schemaVersionSchema() object {
	text := object{"type": "string"}
	return object{"type": "object", "required": list{"version", "hash", "since"}, "properties": object{
		"version": object{"type": "integer"}, "hash": text, "since": object{"type": "string", "format": "date-time"},
		"principal": object{"type": "string", "description": "the principal that put it in force; omitted if a server did, from its files"},
		"changes": object{"type": "array", "description": "the differences from the previous version", "items": object{"type": "object", "properties": object{
			"change": text, "kind": text, "message": text}}}}}
}

// migrationSchema describes the body of a migration.
func migrationSchema() object {
	return object{"type": "object", "required": list{"steps", "sources"}, "properties": object{
		"steps":   object{"type": "array", "description": "in the format of the file of dovetail schema migrate", "items": object{"type": "object"}},
		"sources": object{"type": "array", "description": "the files of the new ref-schema", "items": object{"type": "object", "required": list{"name", "text"}, "properties": object{"name": object{"type": "string"}, "text": object{"type": "string"}}}}}}
}

// migratedSchema describes a store.Migrated.
func migratedSchema() object {
	text, number := object{"type": "string"}, object{"type": "integer"}
	return object{"type": "object", "required": list{"kinds", "documents", "references", "lost"}, "properties": object{
		"documents":  object{"type": "integer", "description": "the number of documents that change"},
		"references": object{"type": "integer", "description": "the number of references with a new target"},
		"lost":       object{"type": "integer", "description": "the number of references that are no longer in the data"},
		"changeSets": object{"type": "array", "description": "those that are not merged: what they stage is rewritten, and approvals of them no longer count",
			"items": object{"type": "object", "required": list{"id", "operations"}, "properties": object{"id": text, "operations": number}}},
		"dryRun": object{"type": "boolean"},
		"kinds": object{"type": "array", "items": object{"type": "object", "required": list{"kind", "to", "renamed", "rewritten"}, "properties": object{
			"kind": text, "to": text, "renamed": number, "rewritten": number}}}}}
}

// sessionSchema describes a dovetail.Session.
func sessionSchema() object {
	text, moment := object{"type": "string"}, object{"type": "string", "format": "date-time"}
	return object{"type": "object", "required": list{"id", "principal", "authenticated", "since", "lastUsed", "address", "streams"}, "properties": object{
		"id": text, "principal": text, "groups": object{"type": "array", "items": text},
		"authenticated": object{"type": "string", "enum": list{"token", "oidc", "certificate", "token-review", "keystone", "front-proxy"}},
		"since":         moment, "lastUsed": moment, "expires": moment, "address": text, "streams": object{"type": "integer", "minimum": 0},
		"current": object{"type": "boolean", "description": "whether it is the session of this request"}}}
}

func eventsSchema() object {
	return object{"schema": object{"type": "string", "description": "server-sent events: ready, changes, bookmark, expired, error"}}
}

// pageOf is the schema of a page of items.
func pageOf(item object) object {
	return object{"type": "object", "required": list{"items"}, "properties": object{
		"items": object{"type": "array", "items": item}, "continue": object{"type": "string"}}}
}
