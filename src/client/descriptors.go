package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/store"
)

// ProcessedDescriptors is what became of the solution descriptors of an environment.
type ProcessedDescriptors struct {
	EnvironmentID string               `json:"environmentId"`
	DryRun        bool                 `json:"dryRun,omitempty"`
	Full          *ProcessedDescriptor `json:"full,omitempty"`  // nil when it was not written
	Delta         *ProcessedDescriptor `json:"delta,omitempty"` // the same
	Warnings      []DescriptorWarning  `json:"warnings"`
}

// ProcessedDescriptor is one of them, as it was written.
type ProcessedDescriptor struct {
	Effect  store.Effect    `json:"effect"`
	ETag    string          `json:"etag,omitempty"`
	SD      json.RawMessage `json:"sd"`
	Changes json.RawMessage `json:"changes"`
}

// DescriptorWarning is something that was accepted.
type DescriptorWarning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path,omitempty"`
}

// ProcessDescriptors does what the parameters of a pipeline ask for with the solution descriptors of an environment,
// <cluster>/<environment>. Of the options, DryRun and Message count. Errors: CodeNotFound for the environment, and those with a
// reason of the solution descriptors.
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
