package changeset

import (
	"slices"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// maxCached bounds the documents that the cache holds, in bytes.
const maxCached = 32 << 20

// cache keeps the operations of the change sets that were read last, by the version of their document, which every edit
// writes: nothing has to be invalidated. The operations must not be changed.
type cache struct {
	mu     sync.Mutex
	recent []cached // the last used first
}

type cached struct {
	version    dovetail.ETag
	operations []*operation
	size       int64
}

// get returns the operations of a version, which belong to the caller as a list, and whether they are known.
func (c *cache) get(version dovetail.ETag) ([]*operation, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.recent, func(one cached) bool { return one.version == version })
	if i < 0 {
		return nil, false
	}
	found := c.recent[i]
	c.recent = slices.Insert(slices.Delete(c.recent, i, i+1), 0, found)
	return slices.Clone(found.operations), true
}

// put keeps the operations of a version, and as many of the others as there is room for.
func (c *cache) put(version dovetail.ETag, operations []*operation) {
	var size int64
	for _, op := range operations {
		for _, doc := range []*dovetail.Document{op.Base, op.Document} {
			if doc != nil {
				size += store.SizeOf(doc)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if size > maxCached || slices.ContainsFunc(c.recent, func(one cached) bool { return one.version == version }) {
		return
	}
	c.recent = slices.Insert(c.recent, 0, cached{version, slices.Clone(operations), size})
	room := int64(maxCached)
	for i, one := range c.recent {
		if room -= one.size; room < 0 {
			c.recent = slices.Delete(c.recent, i, len(c.recent))
			break
		}
	}
}
