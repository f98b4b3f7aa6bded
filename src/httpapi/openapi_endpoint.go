package httpapi

import "net/http"

// endpoint describes one verb of a fixed endpoint: the names of its parameters, the content of its
// body, nil for none, and that of its answer.
func describeEndpoint(template, verb string) (query []string, body, answer object) {
	switch verb + " " + template {
	case "GET /metrics":
		return nil, nil, object{"text/plain": object{"schema": object{"type": "string"}}}
	case "GET /v2/watch":
		return []string{"after", "Last-Event-ID"}, nil, object{"text/event-stream": eventsSchema()}
	case "POST /v2/batch":
		manifest := refTo("schemas", "Manifest")
		return []string{"dryRun"}, texts(object{"anyOf": list{object{"type": "array", "items": manifest}, manifest, refTo("schemas", "Manifests")}}), texts(refTo("schemas", "BatchResults"))
	case "GET /v2/documents":
		return []string{"kind", "under", "labelSelector", "fieldSelector", "limit", "continue", "content", "view", "depth"}, nil, texts(pageOf(refTo("schemas", "Document")))
	case "POST /v2/documents":
		return nil, texts(object{"type": "array", "items": refTo("schemas", "Document")}), texts(refTo("schemas", "BatchResults"))
	case "POST /v2/schema/impact":
		return []string{"limit"}, texts(refTo("schemas", "Sources")), texts(object{"type": "object", "properties": object{
			"total": object{"type": "integer"}, "findings": object{"type": "array", "items": object{"type": "object"}}}})
	}
	answer = object{"application/json": object{"schema": object{"type": "object"}}}
	if verb != http.MethodGet {
		body = answer
	}
	return nil, body, answer
}

func eventsSchema() object {
	return object{"schema": object{"type": "string", "description": "server-sent events: ready, changes, bookmark, expired, error"}}
}

// pageOf is the schema of a page of items.
func pageOf(item object) object {
	return object{"type": "object", "required": list{"items"}, "properties": object{
		"items": object{"type": "array", "items": item}, "continue": object{"type": "string"}}}
}
