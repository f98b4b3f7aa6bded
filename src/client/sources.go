package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// CatalogFile is a file of a file-based catalog.
type CatalogFile struct {
	Name string `json:"name"` // for messages, and by its ending YAML or JSON
	Text string `json:"text"`
}

// SourceImpact is what another content of a source would do to ActiveResolutions.
type SourceImpact struct {
	Resolutions []ResolutionImpact `json:"resolutions"` // the first of them, in the order of ids
	Total       int                `json:"total"`
	Unreadable  int                `json:"unreadable"` // ActiveResolutions of which the principal may not see what is selected
	Unknown     int                `json:"unknown"`    // those that were not looked at, since it took too long
}

// ResolutionImpact is what it would do to one.
type ResolutionImpact struct {
	Resolution dovetail.ID       `json:"resolution"`
	Effect     string            `json:"effect"` // "changes", "breaks" or "repairs"
	Selections []SelectionChange `json:"selections"`
	Message    string            `json:"message"` // why it cannot be resolved, where it breaks
}

// SelectionChange is a package, as source:name, of which another version is selected, as version:channel; nil for none.
type SelectionChange struct {
	Package string  `json:"package"`
	From    *string `json:"from"`
	To      *string `json:"to"`
}

// CatalogImpact says what a file-based catalog would do to ActiveResolutions in the place of what is stored of a source. Nothing is
// stored. A nil priority leaves that of the source. Errors: those of storing it.
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
