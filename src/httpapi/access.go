package httpapi

import (
	"net/http"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// accessView says whose a request is and, where it asks, whether they may do something.
type accessView struct {
	Principal string         `json:"principal"` // "" where nobody is asked who they are
	Groups    []string       `json:"groups,omitempty"`
	Right     dovetail.Right `json:"right,omitempty"`
	ID        dovetail.ID    `json:"id,omitempty"`
	Allowed   *bool          `json:"allowed,omitempty"`
}

// getAccess answers ?right=update&id=cluster/c1, and without these who the client is.
func getAccess(x *exchange) error {
	p, err := x.parameters("right", "id")
	if err != nil {
		return err
	}
	var view accessView
	if x.principal != nil {
		view.Principal, view.Groups = x.principal.Name, x.principal.Groups
	}
	if !p.has("right") && !p.has("id") {
		return x.answer(http.StatusOK, encodeJSON(view))
	}
	view.Right = dovetail.Right(p.text("right"))
	if !slices.Contains(dovetail.Rights(), view.Right) {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "right is \"" + p.text("right") + "\"", Remedy: "ask for read, create, update, delete or act"}
	}
	if view.ID, err = dovetail.ParseID(p.text("id")); err != nil {
		return err
	}
	allowed, err := x.api.store.May(x.ctx, view.Right, view.ID)
	if err != nil {
		return err
	}
	view.Allowed = &allowed
	return x.answer(http.StatusOK, encodeJSON(view))
}
