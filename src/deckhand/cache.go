package deckhand

import (
	"slices"
	"sync"

	"github.com/dovetail-store/dovetail/src/layering"
)

// cache keeps what was read and rendered last. All of it is immutable, and found by what it is made of: nothing has
// to be forgotten when something is written, by this process or another.
type cache struct {
	limit int // of documents of sites

	mu        sync.Mutex
	revisions []*Revision // the last used first
	sites     []*site     // the same
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
	kept := []*site{s}
	room := c.limit - len(s.documents)
	for _, other := range c.sites {
		if other.digest == s.digest {
			continue
		}
		if room -= len(other.documents); room >= 0 {
			kept = append(kept, other)
		}
	}
	c.sites = kept
}

// document returns the document of a content, nil when it is not known.
func (c *cache) document(content string) *layering.Document {
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
