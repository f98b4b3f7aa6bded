package client

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

const (
	atParameter        = "at"
	changeSetParameter = "changeSet"
)

// scope is what a client reads and writes: by default what there is now.
type scope struct {
	at        store.Cursor // the past
	changeSet string       // what there would be with a change set
}

// into adds the parameters of the scope to a query.
func (s scope) into(query url.Values) url.Values {
	if query == nil {
		query = url.Values{}
	}
	if s.at != "" {
		query.Set(atParameter, string(s.at))
	}
	if s.changeSet != "" {
		query.Set(changeSetParameter, s.changeSet)
	}
	return query
}

// of returns a client of the same server with another scope.
func (c *Client) of(s scope) *Client {
	other := &Client{server: c.server, options: c.options, scope: s}
	other.model.Store(c.model.Load())
	return other
}

// InChangeSet returns a client that reads the store with the operations of a change set applied, and stages its writes in the change
// set. Get, Documents, References, Referrers, Children and Tree read this view; Apply, Delete, Revert and Rollback stage operations.
// The versions of documents in the view are valid only there. Watch, Head, Import and WriteBackup return CodeInvalid. History,
// Transactions and the methods for access rights ignore the change set. InChangeSet does not connect: if the change set does not
// exist, reads and writes return CodeNotFound; if it is not open, writes return CodeConflict with the reason ReasonNotOpen.
func (c *Client) InChangeSet(name string) *Client {
	return c.of(scope{at: c.scope.at, changeSet: name})
}

// ChangeSet returns the name given to InChangeSet, "" for a client of the store itself.
func (c *Client) ChangeSet() string { return c.scope.changeSet }

// check refuses requests that would not do what they are meant to: those that the scope has not, and messages that HTTP cannot
// carry.
func (c *Client) check(r request) error {
	watches := r.header.Get("Accept") == eventStream
	switch {
	case c.scope.at != "" && c.scope.changeSet != "":
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "a change set can only be read at its base", Remedy: "use either At or InChangeSet"}
	case c.scope.at != "" && (r.method != http.MethodGet || watches):
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "an earlier position cannot be written or watched", Remedy: "use the client that At was called of"}
	case c.scope.changeSet != "" && (watches || r.method != http.MethodGet && !r.query.Has(changeSetParameter)):
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "this cannot be done in a change set", Remedy: "use the client that InChangeSet was called of"}
	}
	if message := r.header.Get(messageHeader); strings.ContainsFunc(message, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the message has a control character, such as a line break", Remedy: "write it in one line"}
	}
	return nil
}
