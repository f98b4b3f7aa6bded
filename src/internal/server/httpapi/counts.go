package httpapi

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// getCounts answers how many documents of each kind the client may read, with under those below a document. Kinds without documents are left out.
func getCounts(x *requestContext) error {
	p, err := x.parameters("under")
	if err != nil {
		return err
	}
	var under dovetail.ID
	if p.has("under") {
		if under, err = dovetail.ParseID(p.text("under")); err != nil {
			return err
		}
	}
	counts, partial, err := x.api.finder.Count(x.ctx, under, x.api.store.Readable(x.ctx))
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
		"partial": object{"type": "boolean", "description": "whether the store has more documents than are counted"}}}
}
