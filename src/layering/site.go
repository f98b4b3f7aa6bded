package layering

import (
	"context"
	"slices"
	"sync"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// site is the documents of an index with what follows from them: how they are linked, and what rendering gives, which
// is computed when it is first asked for. It is immutable, and safe for concurrent use.
type site struct {
	digest    string
	all       []*rendering.Document          // in order
	documents map[string]*rendering.Document // by the name of their content
	links     *rendering.Site

	clearOnce sync.Once
	clear     *site // see withoutSecrets
}

// withoutSecrets is the site without the documents that hold secrets, or are made of any that do. It is made when it is
// first asked for, which is where rendering the site fails.
func (s *site) withoutSecrets() *site {
	s.clearOnce.Do(func() {
		secret := s.links.Derived(func(d *rendering.Document) bool { return d.Encrypted })
		s.clear = unrendered(slices.DeleteFunc(slices.Clone(s.all), func(d *rendering.Document) bool { return secret[d.ID] }))
	})
	return s.clear
}

// siteOptions leave everything to the layering policy.
var siteOptions = rendering.Options{}

func newSite(x index, digest string, documents map[string]*rendering.Document) *site {
	all := make([]*rendering.Document, 0, len(x))
	for _, e := range x.sorted() {
		all = append(all, documents[e.content])
	}
	return &site{digest: digest, all: all, documents: documents, links: rendering.Resolve(all, siteOptions)}
}

// unrendered is a site of documents whose rendering is not kept.
func unrendered(all []*rendering.Document) *site {
	return &site{all: all, links: rendering.Resolve(all, siteOptions)}
}

// render is what rendering gives; it stops with the context.
func (s *site) render(ctx context.Context) (*rendering.Rendering, error) {
	return s.links.RenderUntil(ctx.Err)
}

// site returns that of a revision.
func (r *Revisions) site(ctx context.Context, of *Revision) (*site, error) {
	digest := of.digest
	if of.Number == 0 {
		digest = index{}.digest()
	}
	if known := r.cache.site(digest); known != nil {
		return known, nil
	}
	documents, err := r.contents(ctx, of.index)
	if err != nil {
		return nil, err
	}
	s := newSite(of.index, digest, documents)
	r.cache.keepSite(s)
	return s, nil
}
