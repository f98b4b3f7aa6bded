package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/store"
)

// ProcessedDescriptors is the result of processing the solution descriptors of an environment.
type ProcessedDescriptors struct {
	EnvironmentID string               `json:"environmentId"`
	DryRun        bool                 `json:"dryRun,omitempty"`
	Full          *ProcessedDescriptor `json:"full,omitempty"`  // nil if it was not written
	Delta         *ProcessedDescriptor `json:"delta,omitempty"` // nil if it was not written
	Warnings      []api.Message        `json:"warnings"`
}

// ProcessedDescriptor is a solution descriptor as it was written.
type ProcessedDescriptor struct {
	Effect  store.Effect    `json:"effect"`
	ETag    string          `json:"etag,omitempty"`
	SD      json.RawMessage `json:"sd"`
	Changes json.RawMessage `json:"changes"`
}

// ProcessDescriptors merges and stores the solution descriptors of an environment, <cluster>/<environment>, as the parameters of a
// pipeline request. It uses DryRun and Message of the options. Errors: CodeNotFound if the environment does not exist, and those with
// the reasons of package descriptor.
func (c *Client) ProcessDescriptors(ctx context.Context, environment string, parameters map[string]string, options store.Options) (*ProcessedDescriptors, error) {
	body, err := encode(parameters)
	if err != nil {
		return nil, err
	}
	r := request{method: http.MethodPost, path: "/api/sd/process", query: url.Values{"environmentId": {environment}},
		header: headerOf(store.Options{Message: options.Message}), body: body, writes: !options.DryRun}
	if options.DryRun {
		r.query.Set("dryRun", "true")
	}
	done := new(ProcessedDescriptors)
	if err := c.call(ctx, r, done); err != nil {
		return nil, err
	}
	return done, nil
}
