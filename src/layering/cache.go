package layering

import (
	"slices"
	"sync"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// cache keeps what was read and rendered last. All of it is immutable, and found by its inputs: writes, by this process or
// another, invalidate nothing.
type cache struct {
	limit int // of documents of sites

	mu        sync.Mutex
	revisions []*Revision // the last used first
	sites     []*site     // the same
	views     []*site     // the same: for principals that may not read all of a site
}

// maxRevisions bounds how many indexes are kept.
const maxRevisions = 4

// revision returns the revision whose document has the uid, nil when it is not known.
func (c *cache) revision(uid string) *Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	return used(c.revisions, func(r *Revision) bool { return r.uid == uid })
}

func (c *cache) keepRevision(r *Revision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revisions = slices.Insert(c.revisions, 0, r)
	c.revisions = c.revisions[:min(len(c.revisions), maxRevisions)]
}

// site returns the site of a digest, nil when it is not known.
func (c *cache) site(digest string) *site {
	c.mu.Lock()
	defer c.mu.Unlock()
	return used(c.sites, func(s *site) bool { return s.digest == digest })
}

// keepSite keeps the site, and as many of the others as there is room for.
func (c *cache) keepSite(s *site) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sites = c.kept(c.sites, s)
}

// view returns the view of a digest, nil when it is not known.
func (c *cache) view(digest string) *site {
	c.mu.Lock()
	defer c.mu.Unlock()
	return used(c.views, func(s *site) bool { return s.digest == digest })
}

// keepView is keepSite for views, which take no room of sites: those of all principals come from the same ones.
func (c *cache) keepView(s *site) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.views = c.kept(c.views, s)
}

// kept are a site and as many of the others as there is room for.
func (c *cache) kept(others []*site, s *site) []*site {
	kept := []*site{s}
	room := c.limit - len(s.all)
	for _, other := range others {
		if other.digest == s.digest {
			continue
		}
		if room -= len(other.all); room >= 0 {
			kept = append(kept, other)
		}
	}
	return kept
}

// document returns the document of a content, nil when it is not known.
func (c *cache) document(content string) *rendering.Document {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sites {
		if d := s.documents[content]; d != nil {
			return d
		}
	}
	return nil
}

// used returns the first that fits, and moves it to the front; the zero value when there is none.
func used[T any](all []T, fits func(T) bool) (found T) {
	if i := slices.IndexFunc(all, fits); i >= 0 {
		found = all[i]
		copy(all[1:], all[:i])
		all[0] = found
	}
	return found
}
