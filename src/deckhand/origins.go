package deckhand

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/httpapi"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/value"
)

// paramPath asks for the origins of the values at a path of the rendered data.
const paramPath = "path"

// shownOrigins tells what a document is made of.
type shownOrigins struct {
	Document layering.ID   `json:"document"`
	Bucket   string        `json:"bucket"`
	Abstract bool          `json:"abstract,omitempty"`
	Parents  []layering.ID `json:"parents"` // that it inherits from, the nearest first
	Replaces *layering.ID  `json:"replaces,omitempty"`
	Sources  []layering.ID `json:"sources"` // that it substitutes from
	// Values are those at the path that was asked for; nil for a document that is not rendered by itself.
	Values []layering.Explanation `json:"values,omitempty"`
}

// origins reads what documents of one revision are made of, as far as the principal of the context may know it.
type origins struct {
	*Revisions
	of      *Revision
	links   *layering.Site
	visible map[layering.ID]bool
	failure error // of asking who may see what
}

// getOrigins answers for each document that the query chooses what it inherits from and reads, and with a path where the
// values there come from.
func (r *Revisions) getOrigins(ctx context.Context, call *httpapi.Call) (*httpapi.Reply, error) {
	part, err := r.choose(ctx, call, "origins", r.raw)
	if err != nil {
		return nil, err
	}
	s, err := r.site(ctx, part.of)
	if err != nil {
		return nil, err
	}
	var rendering *layering.Rendering
	where := call.Query.Get(paramPath)
	if where != "" {
		if rendering, err = s.render(); err != nil {
			return nil, err
		}
	}
	o := origins{Revisions: r, of: part.of, links: s.links, visible: make(map[layering.ID]bool)}
	values := make([]*value.Value, len(part.documents))
	for i, c := range part.documents {
		shown := o.linked(ctx, c)
		if rendering != nil {
			if shown.Values, err = o.explain(ctx, rendering, c.ID, where, part.cleartext); err != nil {
				return nil, err
			}
		}
		if values[i], err = value.FromAny(shown); err != nil {
			return nil, err
		}
	}
	return part.reply(slices.Values(values)), o.failure
}

// linked tells which documents one is made of.
func (o *origins) linked(ctx context.Context, c chosen) *shownOrigins {
	shown := &shownOrigins{Document: c.ID, Bucket: c.Bucket, Abstract: c.Abstract, Parents: []layering.ID{}, Sources: []layering.ID{}}
	links := o.links.Links(c.Document)
	seen := map[layering.ID]bool{c.ID: true} // sites that were not checked may have circles
	for parent := links.Parent; parent != nil && !seen[parent.ID]; parent = o.links.Links(parent).Parent {
		seen[parent.ID] = true
		if o.shows(ctx, parent.ID) {
			shown.Parents = append(shown.Parents, parent.ID)
		}
	}
	for _, source := range links.Sources {
		if o.shows(ctx, source.ID) {
			shown.Sources = append(shown.Sources, source.ID)
		}
	}
	if links.Replaces != nil && o.shows(ctx, links.Replaces.ID) {
		shown.Replaces = &links.Replaces.ID
	}
	return shown
}

// explain tells where the values at a path come from, without what stood in documents that may not be seen. A document that
// is not rendered, or has nothing there, has none.
func (o *origins) explain(ctx context.Context, rendering *layering.Rendering, id layering.ID, where string, cleartext bool) ([]layering.Explanation, error) {
	all, err := rendering.Explain(id, where, cleartext)
	if err != nil {
		if dovetail.CodeOf(err) == dovetail.CodeNotFound {
			err = nil
		}
		return nil, err
	}
	for i := range all {
		e := &all[i]
		e.Replaced = slices.DeleteFunc(e.Replaced, func(was layering.Replaced) bool { return !o.shows(ctx, was.Origin.Document) })
		o.hide(ctx, &e.Origin)
		for j := range e.Replaced {
			o.hide(ctx, &e.Replaced[j].Origin)
		}
	}
	return all, nil
}

// hide takes out of an origin what names documents that may not be seen, and the lines of bodies that nobody has kept.
func (o *origins) hide(ctx context.Context, origin *layering.Origin) {
	origin.Line, origin.Column = 0, 0
	switch {
	case !o.shows(ctx, origin.Document):
		*origin = layering.Origin{How: origin.How}
	case origin.Source != nil && !o.shows(ctx, origin.Source.Document):
		origin.Source = nil
	case origin.Source != nil:
		o.hide(ctx, &origin.Source.Origin)
	}
}

// shows says whether a document may be seen.
func (o *origins) shows(ctx context.Context, id layering.ID) bool {
	may, known := o.visible[id]
	if !known {
		var err error
		if may, err = o.store.May(ctx, dovetail.RightRead, placeOf(o.of.index[id])); err != nil {
			o.failure = err
		}
		o.visible[id] = may
	}
	return may
}
