package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/api"
)

// CatalogFile is a file of a file-based catalog.
type CatalogFile struct {
	Name string `json:"name"` // for messages; its extension selects YAML or JSON
	Text string `json:"text"`
}

// CatalogImpact returns the impact on ActiveResolutions if a file-based catalog replaced the stored content of a source. Nothing is
// stored. A nil priority keeps that of the source. The errors are those of storing the catalog.
func (c *Client) CatalogImpact(ctx context.Context, source string, files []CatalogFile, priority *int64) (*api.SourceImpact, error) {
	content := map[string]any{"files": files}
	if priority != nil {
		content["priority"] = *priority
	}
	body, err := encode(content)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Impact *api.SourceImpact `json:"impact"`
	}{Impact: &api.SourceImpact{}}
	r := request{method: http.MethodPut, path: "/api/sources/" + url.PathEscape(source) + "/catalog", query: url.Values{"dryRun": {"true"}}, body: body}
	if err := c.call(ctx, r, &answer); err != nil {
		return nil, err
	}
	return answer.Impact, nil
}
