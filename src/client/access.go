package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Allowed reports whether this client has a right on a document, which need not exist, as store.Store.Allowed does.
func (c *Client) Allowed(ctx context.Context, right dovetail.Right, id dovetail.ID) (bool, error) {
	var answer struct {
		Allowed bool `json:"allowed"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: api.Access,
		query: url.Values{"right": {string(right)}, "id": {string(id)}}}, &answer)
	return answer.Allowed, err
}

// WhoAmI returns the identity of this client as the server has authenticated it.
func (c *Client) WhoAmI(ctx context.Context) (dovetail.CallerIdentity, error) {
	var self dovetail.CallerIdentity
	err := c.call(ctx, request{method: http.MethodGet, path: api.Access}, &self)
	return self, err
}

// WhoCan lists the users and groups that have a right on a document, which need not exist.
func (c *Client) WhoCan(ctx context.Context, right dovetail.Right, id dovetail.ID) ([]dovetail.Subject, error) {
	var answer struct {
		Subjects []dovetail.Subject `json:"subjects"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: api.Access,
		query: url.Values{"view": {"who-can"}, "right": {string(right)}, "id": {string(id)}}}, &answer)
	return answer.Subjects, err
}

// Protections lists the protections of documents that concern this client. With an id, it lists those that cover the document with
// that id.
func (c *Client) Protections(ctx context.Context, id dovetail.ID) ([]dovetail.Protection, error) {
	var answer struct {
		Protections []dovetail.Protection `json:"protections"`
	}
	query := url.Values{}
	if id != "" {
		query = url.Values{"right": {string(dovetail.RightUpdate)}, "id": {string(id)}}
	}
	err := c.call(ctx, request{method: http.MethodGet, path: api.Access, query: query}, &answer)
	return answer.Protections, err
}

// Sessions lists the sessions of this client's principal, or all sessions if the principal may read all documents. A session is the use
// of one token or client certificate.
func (c *Client) Sessions(ctx context.Context) ([]dovetail.Session, error) {
	var answer struct {
		Items []dovetail.Session `json:"items"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: api.Sessions}, &answer)
	return answer.Items, err
}

// EndSession ends a session: the server rejects its token or certificate from now on and closes its watches.
func (c *Client) EndSession(ctx context.Context, id string) error {
	answer, err := c.do(ctx, request{method: http.MethodDelete, path: api.Fill(api.Session, id)})
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
