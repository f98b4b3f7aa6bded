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
	options   rendering.Options
	policy    entry // of another revision, where the index has none: see withPolicy

	clearOnce sync.Once
	clear     *site // see withoutSecrets
}

// withoutSecrets is the site without the documents that hold secrets, or are made of any that do. It is made when it is
// first asked for, which is where rendering the site fails.
func (s *site) withoutSecrets() *site {
	s.clearOnce.Do(func() {
		secret := s.links.Derived(func(d *rendering.Document) bool { return d.Encrypted })
		s.clear = unrendered(slices.DeleteFunc(slices.Clone(s.all), func(d *rendering.Document) bool { return secret[d.ID] }), s.options)
	})
	return s.clear
}

func newSite(x index, digest string, documents map[string]*rendering.Document, o rendering.Options) *site {
	all := documentsOf(x, documents)
	return &site{digest: digest, all: all, documents: documents, options: o, links: rendering.Resolve(all, o)}
}

// next is a site of which little differs from this one, which is therefore rendered fast.
func (s *site) next(x index, digest string, documents map[string]*rendering.Document) *site {
	all := documentsOf(x, documents)
	return &site{digest: digest, all: all, documents: documents, options: s.options, links: rendering.ResolveAfter(s.links, all, s.options)}
}

// documentsOf are those of an index, in its order.
func documentsOf(x index, documents map[string]*rendering.Document) []*rendering.Document {
	all := make([]*rendering.Document, 0, len(x))
	for _, e := range x.sorted() {
		all = append(all, documents[e.content])
	}
	return all
}

// unrendered is a site of documents whose rendering is not kept.
func unrendered(all []*rendering.Document, o rendering.Options) *site {
	return &site{all: all, options: o, links: rendering.Resolve(all, o)}
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
	end, err := r.reading.take(ctx, digest)
	if err != nil {
		return nil, err
	}
	defer end()
	if known := r.cache.site(digest); known != nil {
		return known, nil
	}
	documents, err := r.contents(ctx, of.index)
	if err != nil {
		return nil, err
	}
	s := newSite(of.index, digest, documents, r.options.Profile.Options())
	r.cache.keepSite(s)
	return s, nil
}
