package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// CatalogFile is a file of a file-based catalog.
type CatalogFile struct {
	Name string `json:"name"` // for messages; its extension selects YAML or JSON
	Text string `json:"text"`
}

// SourceImpact is the impact that new content of a source would have on ActiveResolutions.
type SourceImpact struct {
	Resolutions []ResolutionImpact `json:"resolutions"` // the first of them, in the order of ids
	Total       int                `json:"total"`
	Unreadable  int                `json:"unreadable"` // ActiveResolutions whose selections the principal may not read
	Unknown     int                `json:"unknown"`    // those that were not calculated, because the time limit was reached
}

// ResolutionImpact is the impact on one ActiveResolution.
type ResolutionImpact struct {
	Resolution dovetail.ID       `json:"resolution"`
	Effect     string            `json:"effect"` // "changes", "breaks" or "repairs"
	Selections []SelectionChange `json:"selections"`
	Message    string            `json:"message"` // why it cannot be resolved, if the effect is "breaks"
}

// SelectionChange is a package (source:name) whose selected version (version:channel) changes. Nil means that none is selected.
type SelectionChange struct {
	Package string  `json:"package"`
	From    *string `json:"from"`
	To      *string `json:"to"`
}

// CatalogImpact returns the impact on ActiveResolutions if a file-based catalog replaced the stored content of a source. Nothing is
// stored. A nil priority keeps that of the source. The errors are those of storing the catalog.
func (c *Client) CatalogImpact(ctx context.Context, source string, files []CatalogFile, priority *int64) (*SourceImpact, error) {
	content := map[string]any{"files": files}
	if priority != nil {
		content["priority"] = *priority
	}
	body, err := encode(content)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Impact *SourceImpact `json:"impact"`
	}{Impact: &SourceImpact{}}
	r := request{method: http.MethodPut, path: "/api/sources/" + url.PathEscape(source) + "/catalog", query: url.Values{"dryRun": {"true"}}, body: body}
	if err := c.call(ctx, r, &answer); err != nil {
		return nil, err
	}
	return answer.Impact, nil
}
