package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// May says whether the server lets this client do something with a document, which need not exist.
func (c *Client) May(ctx context.Context, right dovetail.Right, id dovetail.ID) (bool, error) {
	var answer struct {
		Allowed bool `json:"allowed"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: "/v2/access",
		query: url.Values{"right": {string(right)}, "id": {string(id)}}}, &answer)
	return answer.Allowed, err
}

// Self says who this client is to the server.
func (c *Client) Self(ctx context.Context) (dovetail.Self, error) {
	var self dovetail.Self
	err := c.call(ctx, request{method: http.MethodGet, path: "/v2/access"}, &self)
	return self, err
}

// WhoCan lists the users and groups that have a right on a document, which need not exist.
func (c *Client) WhoCan(ctx context.Context, right dovetail.Right, id dovetail.ID) ([]dovetail.Subject, error) {
	var answer struct {
		Subjects []dovetail.Subject `json:"subjects"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: "/v2/access",
		query: url.Values{"view": {"who-can"}, "right": {string(right)}, "id": {string(id)}}}, &answer)
	return answer.Subjects, err
}

// Protections lists those that concern this client; of an id those that cover the document, which changes through approved
// change sets only.
func (c *Client) Protections(ctx context.Context, id dovetail.ID) ([]dovetail.Protection, error) {
	var answer struct {
		Protections []dovetail.Protection `json:"protections"`
	}
	query := url.Values{}
	if id != "" {
		query = url.Values{"right": {string(dovetail.RightUpdate)}, "id": {string(id)}}
	}
	err := c.call(ctx, request{method: http.MethodGet, path: "/v2/access", query: query}, &answer)
	return answer.Protections, err
}

// Sessions lists the uses of tokens and certificates that the server knows: those of this client's principal, or, where
// that may read everything, all.
func (c *Client) Sessions(ctx context.Context) ([]dovetail.Session, error) {
	var answer struct {
		Items []dovetail.Session `json:"items"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: "/v2/sessions"}, &answer)
	return answer.Items, err
}

// EndSession refuses the token or certificate of a session from here on, and cuts its streams.
func (c *Client) EndSession(ctx context.Context, id string) error {
	answer, err := c.do(ctx, request{method: http.MethodDelete, path: "/v2/sessions/" + url.PathEscape(id)})
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
