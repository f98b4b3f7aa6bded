package httpapi

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/internal/backup"
)

// describe does for an endpoint of a service what describeEndpoint does for the others.
func (e *Endpoint) describe() (query []string, body, answer object) {
	if e.DryRun {
		query = append(query, "dryRun")
	}
	if e.Keyed {
		query = append(query, keyHeader, messageHeader)
	}
	if e.Messaged {
		query = append(query, messageHeader)
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

// describeEndpoint describes one verb of a fixed endpoint: the names of its parameters, the content of its
// body, nil for none, and that of its answer.
func describeEndpoint(template, verb string) (query []string, body, answer object) {
	switch verb + " " + template {
	case "GET /metrics":
		return nil, nil, object{"text/plain": object{"schema": object{"type": "string"}}}
	case "POST " + gitWebhookPath:
		return []string{"gitRepository"}, object{"application/json": object{"schema": object{"type": "object", "description": "the payload of the Git host; only its signature is checked"}}},
			texts(object{"type": "object", "required": list{"pull"}, "properties": object{"pull": object{"type": "string", "enum": list{"soon"}}}})
	case "GET /v2/audit":
		query = []string{"principal", "under", "kind", "auditAction", "from", "to", "auditOrder", "limit", "auditAfter"}
	case "GET /v2/audit/verification":
		query = []string{"expect"}
	case "GET /v2/access":
		query = []string{"accessView", "right", "id"}
	case "GET /v2/sessions":
		return nil, nil, texts(itemsOf(sessionSchema()))
	case "DELETE /v2/sessions/{session}":
		return nil, nil, nil
	case "GET /v2/webhooks":
		return nil, nil, texts(itemsOf(webhookSchema()))
	case "GET /v2/webhooks/{name}/dead-letters":
		return nil, nil, texts(itemsOf(deadLetterSchema()))
	case "POST /v2/webhooks/{name}/redeliver":
		return nil, texts(object{"type": "object", "properties": object{"ids": object{"type": "array", "items": object{"type": "string"}, "description": "the ids of dead letters; default all of them"}}}),
			texts(object{"type": "object", "required": list{"queued"}, "properties": object{"queued": object{"type": "integer"}}})
	case "GET /v2/work":
		return []string{"kind"}, nil, texts(itemsOf(workSchema()))
	case "POST /v2/work/claim", "POST /v2/work/renew", "POST /v2/work/finish":
		body, answer := workRequests()
		return nil, texts(body[template]), texts(answer[template])
	case "GET /v2/backup":
		binary := object{"schema": object{"type": "string", "format": "binary"}}
		return []string{"cleartext", "checkpoint"}, nil, object{backup.MediaType: binary, checkpointType: binary}
	case "GET /v2/watch":
		return []string{"after", "Last-Event-ID"}, nil, object{"text/event-stream": eventsSchema()}
	case "POST /v2/batch":
		manifest := refTo("schemas", "Manifest")
		return []string{"dryRun", managedParameter, waitParameter, keyHeader, messageHeader}, texts(object{"anyOf": list{object{"type": "array", "items": manifest}, manifest, refTo("schemas", "Manifests")}}), texts(refTo("schemas", "BatchResults"))
	case "GET /v2/documents":
		return []string{"kind", "under", "labelSelector", "fieldSelector", "contains", "limit", "continue", "content", "view", "depth", "sealed"}, nil, texts(pageOf(refTo("schemas", "Document")))
	case "GET /v2/search":
		return []string{"text", "kind", "limit"}, nil, texts(foundSchema())
	case "GET /v2/authors":
		return []string{"authorIds"}, nil, texts(authorsSchema())
	case "GET /v2/counts":
		return []string{"under"}, nil, texts(countsSchema())
	case "GET /v2/scrub":
		return nil, nil, texts(scrubSchema())
	case "GET /v2/system":
		return nil, nil, texts(systemSchema())
	case "POST /v2/encryption/rotate":
		return []string{"key", "eraseHistory"}, nil, texts(object{"type": "object", "properties": object{
			"key": object{"type": "string", "description": "the new data key: send it as the parameter key to continue"}, "sealed": object{"type": "integer"},
			"retired": object{"type": "array", "items": object{"type": "string"}}, "done": object{"type": "boolean"}}})
	case "GET /v2/idempotency-keys/{key}", "DELETE /v2/idempotency-keys/{key}":
		return nil, nil, texts(refTo("schemas", "TransactionOutcome"))
	case "POST /v2/documents":
		return []string{keyHeader, messageHeader}, texts(object{"type": "array", "items": refTo("schemas", "Document")}), texts(refTo("schemas", "BatchResults"))
	case "GET /v2/transactions":
		return []string{"id", "under", "kind", "principal", "from", "to", "limit", "before"}, nil, texts(object{"type": "object", "required": list{"items"}, "properties": object{
			"items": object{"type": "array", "items": refTo("schemas", "Transaction")}, "before": object{"type": "string", "description": "the parameter before of the next page"}}})
	case "GET /v2/transactions/{position}":
		return nil, nil, texts(refTo("schemas", "Transaction"))
	case "POST /v2/transactions/{position}/revert":
		return []string{"dryRun", waitParameter, keyHeader, messageHeader}, nil, texts(refTo("schemas", "BatchResults"))
	case "POST /v2/rollback":
		text := object{"type": "string"}
		return []string{"dryRun", waitParameter, keyHeader, messageHeader}, texts(object{"type": "object", "required": list{"id"}, "properties": object{
			"id": text, "version": object{"type": "string", "description": "a version in the history of the document; default the one before the last change"}}}), texts(refTo("schemas", "BatchResults"))
	case "POST /v2/rename":
		return []string{"dryRun", waitParameter, keyHeader, messageHeader}, texts(object{"type": "object", "required": list{"id", "to"}, "properties": object{
			"id": object{"type": "string"}, "to": object{"type": "string", "description": "the new id, of the same kind: with another name, another parent, or both"}}}), texts(refTo("schemas", "BatchResults"))
	case "GET /v2/schema":
		query = []string{"schemaVersion", "schemaAt", "If-Match", "If-None-Match"}
	case "GET /v2/schema/versions":
		return nil, nil, texts(itemsOf(schemaVersionSchema()))
	case "POST /v2/schema/migrate":
		return []string{"dryRun", messageHeader}, texts(migrationSchema()), texts(migratedSchema())
	case "POST /v2/schema/impact":
		return []string{"limit"}, texts(refTo("schemas", "Sources")), texts(object{"type": "object", "properties": object{
			"total": object{"type": "integer"}, "findings": object{"type": "array", "items": object{"type": "object"}}}})
	}
	answer = object{"application/json": object{"schema": object{"type": "object"}}}
	if verb != http.MethodGet {
		body = answer
	}
	return query, body, answer
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
