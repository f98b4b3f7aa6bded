package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	_ "github.com/dovetail-store/dovetail/src/schema/cel" // compiles rules
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

func (s sourcesJSON) sources() []schema.Source {
	sources := make([]schema.Source, len(s.Sources))
	for i, source := range s.Sources {
		sources[i] = schema.Source{Name: source.Name, Data: []byte(source.Text)}
	}
	return sources
}

// Model reads the active ref-schema of the server.
func (c *Client) Model(ctx context.Context) (*schema.Model, error) {
	var read sourcesJSON
	if err := c.call(ctx, request{method: http.MethodGet, path: api.Schema}, &read); err != nil {
		return nil, err
	}
	model, err := schema.Compile(read.sources())
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

// SchemaVersions returns the active ref-schema and its predecessors, newest first, without their sources.
func (c *Client) SchemaVersions(ctx context.Context) ([]store.SchemaVersion, error) {
	var answer struct {
		Items []store.SchemaVersion `json:"items"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: api.SchemaVersions}, &answer)
	return answer.Items, err
}

// SchemaVersion returns the version of the ref-schema with a number or, if the number is 0, the one that was active at a time or
// position, as store.Store.SchemaVersion does.
func (c *Client) SchemaVersion(ctx context.Context, number int, at string) (*store.SchemaVersion, error) {
	query := url.Values{"version": {strconv.Itoa(number)}}
	if number == 0 {
		query = url.Values{"at": {at}}
	}
	var answer struct {
		store.SchemaVersion
		sourcesJSON
	}
	if err := c.call(ctx, request{method: http.MethodGet, path: api.Schema, query: query}, &answer); err != nil {
		return nil, err
	}
	version := answer.SchemaVersion
	version.Sources = answer.sources()
	return &version, nil
}

// Impact lists the stored documents that would be invalid under another ref-schema: at most limit findings (0 means
// all), and their total number.
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
	err = c.call(ctx, request{method: http.MethodPost, path: api.SchemaImpact, query: query, body: body}, &answer)
	return answer.Findings, answer.Total, err
}

// Migrate changes the stored documents together with the ref-schema, as store.Store.Migrate does, with the same errors. The migration
// must be parsed with the ref-schema that Model returns. It uses DryRun and Message of the options.
func (c *Client) Migrate(ctx context.Context, m *store.Migration, options store.MigrateOptions) (*store.Migrated, error) {
	var sent struct {
		Steps json.RawMessage `json:"steps"`
		sourcesJSON
	}
	if err := json.Unmarshal(m.Text(), &sent); err != nil {
		return nil, dovetail.AsError(err)
	}
	for _, s := range m.Next().Sources() {
		sent.Sources = append(sent.Sources, sourceJSON{s.Name, string(s.Data)})
	}
	body, err := encode(sent)
	if err != nil {
		return nil, err
	}
	r := request{method: http.MethodPost, path: api.SchemaMigrate, query: url.Values{}, body: body, header: headerOf(store.Options{Message: options.Message}), writes: !options.DryRun}
	if options.DryRun {
		r.query.Set("dryRun", "true")
	}
	done := new(store.Migrated)
	if err := c.call(ctx, r, done); err != nil {
		return nil, err
	}
	return done, nil
}

// Rotate executes one step of the rotation of data keys, as store.Store.Rotate does.
func (c *Client) Rotate(ctx context.Context, key string) (*store.Rotation, error) {
	query := url.Values{}
	if key != "" {
		query.Set("key", key)
	}
	step := new(store.Rotation)
	if err := c.call(ctx, request{method: http.MethodPost, path: api.EncryptionRotate, query: query, writes: true}, step); err != nil {
		return nil, err
	}
	return step, nil
}
