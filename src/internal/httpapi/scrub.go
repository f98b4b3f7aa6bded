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
		"scrubbed": object{"type": "string", "format": "date-time", "description": "when the last scrub ended; left out before the first one"},
		"findings": object{"type": "array", "description": "what it found of documents that the client may read, and is still so", "items": object{
			"type": "object", "required": list{"problem", "message"}, "properties": object{
				"problem": object{"type": "string", "description": "a stable word, such as broken-rule"},
				"id":      object{"type": "string", "description": "the document; left out where an index is damaged"},
				"other":   object{"type": "string", "description": "the document that it points to, where there is one"},
				"message": text}}},
		"partial": object{"type": "boolean", "description": "the scrub found more than is kept: dovetail fsck shows all"}}}
}
