package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

const positionHeader = "Dovetail-Position"

// At returns a client that reads the store as of a position, with the current access rights, as store.Store.At does. This applies to
// Get, Documents, Export, References, Referrers, Children and Tree. Methods that write or watch return
// CodeInvalid. At does not connect: reads return CodeExpired if the history of the position is no longer kept, and
// CodeInvalid if the position is not one of the server. PositionOf returns positions of times and versions.
func (c *Client) At(position store.Cursor) *Client {
	return c.of(scope{at: position, changeSet: c.scope.changeSet})
}

// Position returns the position given to At, "" for a client that reads the current state.
func (c *Client) Position() store.Cursor { return c.scope.at }

// PositionOf resolves a text to a position, as store.Store.PositionOf does: a time (RFC 3339, or a day), a version of
// the document with the id, or a position. The id may be "".
func (c *Client) PositionOf(ctx context.Context, text string, id dovetail.ID) (store.Cursor, error) {
	query := url.Values{atParameter: {text}}
	position, err := c.positionOf(ctx, request{method: http.MethodGet, path: api.Documents, query: url.Values{atParameter: {text}, "limit": {"1"}}})
	if id == "" || dovetail.CodeOf(err) != dovetail.CodeInvalid {
		return position, err
	}
	path, err := c.itemPath(ctx, id) // only reads of the document know its versions
	if err != nil {
		return "", err
	}
	return c.positionOf(ctx, request{method: http.MethodGet, path: path, query: query})
}

func (c *Client) positionOf(ctx context.Context, r request) (store.Cursor, error) {
	answer, err := c.do(ctx, r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	position := store.Cursor(answer.Header.Get(positionHeader))
	if position == "" {
		return "", &dovetail.Error{Code: dovetail.CodeInternal, Message: "the server does not support reads at an earlier position", Remedy: "update the server"}
	}
	return position, nil
}
