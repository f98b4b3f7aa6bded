package httpapi

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/finder"
)

const (
	defaultFound  = 20
	maxFound      = 100
	maxSearchText = 200 // bytes: each word is searched for in every name
)

// getSearch answers the documents whose names fit a text best. Without a text, which finds nothing, the names are read, so that the next
// search need not wait for them.
func getSearch(x *requestContext) error {
	p, err := x.parameters("text", "kind", "limit")
	if err != nil {
		return err
	}
	q := finder.Query{Text: p.text("text"), Kind: p.text("kind"), Reads: x.api.store.Readable(x.ctx)}
	if len(q.Text) > maxSearchText {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "text is longer than 200 bytes", Remedy: "search for a part of a name"}
	}
	if err := x.checkKind(q.Kind); err != nil {
		return err
	}
	if q.Limit, err = p.count("limit", defaultFound, 1, maxFound); err != nil {
		return err
	}
	found, partial, err := x.api.finder.Find(x.ctx, q)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(struct {
		Items   []finder.Match `json:"items"`
		Partial bool           `json:"partial,omitempty"`
	}{found, partial}))
}

func foundSchema() object {
	text := object{"type": "string"}
	item := object{"type": "object", "required": list{"id", "kind"}, "properties": object{"id": text, "kind": text}}
	return object{"type": "object", "required": list{"items"}, "properties": object{
		"items":   object{"type": "array", "description": "best matches first", "items": item},
		"partial": object{"type": "boolean", "description": "whether the store has more documents than are searched"}}}
}
