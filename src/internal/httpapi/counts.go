package httpapi

import "net/http"

// getCounts answers how many documents of each kind the client may read. Kinds without documents are left out.
func getCounts(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	counts, partial, err := x.api.finder.Count(x.ctx, x.api.store.Readable(x.ctx))
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(struct {
		Kinds   map[string]int `json:"kinds"`
		Partial bool           `json:"partial,omitempty"`
	}{counts, partial}))
}

func countsSchema() object {
	return object{"type": "object", "required": list{"kinds"}, "properties": object{
		"kinds":   object{"type": "object", "description": "the number of documents, by kind", "additionalProperties": object{"type": "integer"}},
		"partial": object{"type": "boolean", "description": "the store has more documents than are counted"}}}
}
