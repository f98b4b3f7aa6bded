package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// sourcesJSON are the sources of a ref-schema on their way.
type sourcesJSON struct {
	Sources []sourceJSON `json:"sources"`
}

type sourceJSON struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Model reads the ref-schema that the server has in force.
func (c *Client) Model(ctx context.Context) (*schema.Model, error) {
	var read sourcesJSON
	if err := c.call(ctx, request{method: http.MethodGet, path: root + "/schema"}, &read); err != nil {
		return nil, err
	}
	sources := make([]schema.Source, len(read.Sources))
	for i, s := range read.Sources {
		sources[i] = schema.Source{Name: s.Name, Data: []byte(s.Text)}
	}
	model, err := schema.Compile(sources)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInternal, Err: err,
			Message: "the server's ref-schema cannot be read", Remedy: "use a client of the server's version"}
	}
	c.model.Store(model)
	return model, nil
}

// known returns the model as it was last read.
func (c *Client) known(ctx context.Context) (*schema.Model, error) {
	if model := c.model.Load(); model != nil {
		return model, nil
	}
	return c.Model(ctx)
}

// Impact says what another ref-schema would do to the stored documents: at most limit findings (0:
// all), and how many there are in all.
func (c *Client) Impact(ctx context.Context, next *schema.Model, limit int) ([]store.Finding, int, error) {
	var sent sourcesJSON
	for _, s := range next.Sources() {
		sent.Sources = append(sent.Sources, sourceJSON{s.Name, string(s.Data)})
	}
	body, err := encode(sent)
	if err != nil {
		return nil, 0, err
	}
	var answer struct {
		Findings []store.Finding `json:"findings"`
		Total    int             `json:"total"`
	}
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	err = c.call(ctx, request{method: http.MethodPost, path: root + "/schema/impact", query: query, body: body}, &answer)
	return answer.Findings, answer.Total, err
}

// Rotate makes one step of a rotation of data keys, as store.Store.Rotate does.
func (c *Client) Rotate(ctx context.Context, key string) (*store.Rotation, error) {
	query := url.Values{}
	if key != "" {
		query.Set("key", key)
	}
	step := new(store.Rotation)
	if err := c.call(ctx, request{method: http.MethodPost, path: root + "/encryption/rotate", query: query, writes: true}, step); err != nil {
		return nil, err
	}
	return step, nil
}
