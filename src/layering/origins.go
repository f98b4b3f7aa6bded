package layering

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// paramPath asks for the origins of the values at a path of the rendered data.
const paramPath = "path"

// shownOrigins are the origins of a rendered document in an answer.
type shownOrigins struct {
	Document rendering.ID   `json:"document"`
	Bucket   string         `json:"bucket"`
	Abstract bool           `json:"abstract,omitempty"`
	Parents  []rendering.ID `json:"parents"` // that it inherits from, the nearest first
	Replaces *rendering.ID  `json:"replaces,omitempty"`
	Sources  []rendering.ID `json:"sources"` // that it substitutes from
	// Values are those at the path that was asked for; nil for a document that is not rendered by itself.
	Values []rendering.Explanation `json:"values,omitempty"`
}

// getOrigins answers for each document that the query chooses what it inherits from and reads, and with a path where the
// values there come from. Documents that are made of any that the principal may not read are left out.
func (r *Revisions) getOrigins(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	part, err := r.choose(ctx, call, "origins", r.made)
	if err != nil {
		return nil, err
	}
	_, s, err := r.view(ctx, part.scope, part.of)
	if err != nil {
		return nil, err
	}
	var rendered *rendering.Rendering
	where := call.Query.Get(paramPath)
	if where != "" {
		if rendered, err = part.scope.render(ctx, s); err != nil {
			return nil, err
		}
	}
	values := make([]*value.Value, len(part.documents))
	for i, c := range part.documents {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		shown := s.linked(c)
		if rendered != nil {
			if shown.Values, err = explain(rendered, c.ID, where, part.cleartext); err != nil {
				return nil, err
			}
		}
		if values[i], err = value.FromAny(shown); err != nil {
			return nil, err
		}
	}
	return part.reply(slices.Values(values)), nil
}

// linked tells which documents one is made of.
func (s *site) linked(c chosen) *shownOrigins {
	shown := &shownOrigins{Document: c.ID, Bucket: c.Bucket, Abstract: c.Abstract, Parents: []rendering.ID{}, Sources: []rendering.ID{}}
	links := s.links.Links(c.Document)
	seen := map[rendering.ID]bool{c.ID: true} // sites that were not checked may have circles
	for parent := links.Parent; parent != nil && !seen[parent.ID]; parent = s.links.Links(parent).Parent {
		seen[parent.ID] = true
		shown.Parents = append(shown.Parents, parent.ID)
	}
	for _, source := range links.Sources {
		shown.Sources = append(shown.Sources, source.ID)
	}
	if links.Replaces != nil {
		shown.Replaces = &links.Replaces.ID
	}
	return shown
}

// explain tells where the values at a path come from. A document that is not rendered, or has nothing there, has none.
func explain(rendered *rendering.Rendering, id rendering.ID, where string, cleartext bool) ([]rendering.Explanation, error) {
	all, err := rendered.Explain(id, where, cleartext)
	if err != nil {
		if dovetail.CodeOf(err) == dovetail.CodeNotFound {
			err = nil
		}
		return nil, err
	}
	for i := range all {
		withoutLines(&all[i].Origin)
		for j := range all[i].Replaced {
			withoutLines(&all[i].Replaced[j].Origin)
		}
	}
	return all, nil
}

// withoutLines takes the lines of bodies out of an origin, since the bodies are not kept.
func withoutLines(origin *rendering.Origin) {
	origin.Line, origin.Column = 0, 0
	if origin.Source != nil {
		withoutLines(&origin.Source.Origin)
	}
}
