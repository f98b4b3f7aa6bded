package httpapi

import (
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/store"
)

// getScrub answers what the last scrub found of documents that the client may read, and is still so.
func getScrub(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	standing, err := x.api.store.Standing(x.ctx)
	if err != nil {
		return err
	}
	answer := struct {
		Scrubbed *time.Time      `json:"scrubbed,omitempty"`
		Findings []store.Finding `json:"findings"`
		Partial  bool            `json:"partial,omitempty"`
	}{Findings: []store.Finding{}}
	if standing != nil {
		answer.Scrubbed, answer.Findings, answer.Partial = &standing.Scrubbed, standing.Findings, standing.Partial
	}
	return x.answer(http.StatusOK, encodeJSON(answer))
}

func scrubSchema() object {
	text := object{"type": "string"}
	return object{"type": "object", "required": list{"findings"}, "properties": object{
		"scrubbed": object{"type": "string", "format": "date-time", "description": "when the last scrub ended; omitted before the first one"},
		"findings": object{"type": "array", "description": "its findings that still apply, for documents that the caller may read", "items": object{
			"type": "object", "required": list{"problem", "message"}, "properties": object{
				"problem": object{"type": "string", "description": "a stable identifier, such as broken-rule"},
				"id":      object{"type": "string", "description": "the document; omitted if an index is damaged"},
				"other":   object{"type": "string", "description": "the document that it refers to, if there is one"},
				"message": text}}},
		"partial": object{"type": "boolean", "description": "the scrub had more findings than are stored; dovetail fsck shows all"}}}
}
