package httpapi

import (
	"net/http"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// getAuthors answers who changed each of some documents last: for the rows of a list, whose documents do not have it.
func getAuthors(x *requestContext) error {
	p, err := x.parameters("id")
	if err != nil {
		return err
	}
	if n := len(p["id"]); n == 0 || n > store.MaxAuthors {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the query has " + strconv.Itoa(n) + " ids", Remedy: "give id once for each document, up to " + strconv.Itoa(store.MaxAuthors) + " times"}
	}
	var ids []dovetail.ID
	var errs dovetail.Errors
	for _, text := range p["id"] {
		id, err := dovetail.ParseID(text)
		if err != nil {
			errs.Add(dovetail.AsError(err))
		}
		ids = append(ids, id)
	}
	if err := errs.Err("some of the ids are none"); err != nil {
		return err
	}
	authors, err := x.store.Authors(x.ctx, ids)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(map[string]any{"items": authors}))
}

func authorsSchema() object {
	text := func(description string) object { return object{"type": "string", "description": description} }
	return object{"type": "object", "required": list{"items"}, "properties": object{
		"items": object{"type": "array", "description": "the documents that exist and that the caller may read, in the order of the given ids", "items": object{"type": "object", "required": list{"id", "version"}, "properties": object{
			"id": text("of the document"), "version": text("the one that is stored"), "principal": text("who made it; left out where that is not known")}}}}}
}
