package layering

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// A rendered document depends on others. A principal that may not read all of those must not learn anything from it, not
// even from errors, differences and counts. So requests for rendered documents are answered from a view: the site without
// the documents that depend on any that the principal may not read, as if they did not exist.

// view is a revision and its site with the documents only of which the principal may read all inputs. Where that is all of
// them, it is the revision and the site themselves.
func (r *Revisions) view(ctx context.Context, sc scope, of *Revision) (*Revision, *site, error) {
	s, err := r.site(ctx, of)
	if err == nil && r.deckhand() {
		s, err = r.withPolicy(ctx, sc, of, s)
	}
	if err != nil || !sc.limited() {
		return of, s, err
	}
	x := s.without(of.index, func(e entry, _ *rendering.Document) bool { return !sc.reads(e) })
	shown := *of
	shown.index = x
	return &shown, r.siteOf(x, of.index, s), nil
}

// without is an index without the documents that are made of any that is hidden. The site is that of the index.
func (s *site) without(x index, hides func(entry, *rendering.Document) bool) index {
	hidden := s.links.Derived(func(d *rendering.Document) bool { return hides(x[d.ID], d) })
	if len(hidden) == 0 {
		return x
	}
	rest := make(index, len(x))
	for id, e := range x {
		if !hidden[id] {
			rest[id] = e
		}
	}
	return rest
}

// siteOf is the site of a part of an index whose site is there.
func (r *Revisions) siteOf(part, whole index, s *site) *site {
	if len(part) == len(whole) {
		return s
	}
	digest := part.digest()
	if known := r.cache.view(digest); known != nil {
		return known
	}
	v := newSite(part, digest, s.documents, s.options)
	if s.policy.content != "" {
		v = s.policed(part, s.policy)
	}
	r.cache.keepView(v)
	return v
}

// render renders a site for a principal. Errors in documents that hold secrets are shown only to principals that may read
// secrets: others get the errors of a rendering without those documents, so that neither the errors nor their number
// reveal anything about them.
func (sc scope) render(ctx context.Context, s *site) (*rendering.Rendering, error) {
	rendered, err := s.render(ctx)
	if err == nil || sc.secrets || ctx.Err() != nil {
		return rendered, err
	}
	if _, err := s.withoutSecrets().render(ctx); err != nil {
		return nil, err
	}
	return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: rendering.ClassInvalidDocumentFormat, Message: "documents that hold secrets cannot be rendered",
		Remedy: "ask a principal that may read secrets to render them"}
}
