package artifact

import (
	"container/list"
	"sync"
)

// cache keeps the files that were used last, up to so many bytes. It is safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	limit int
	size  int
	order *list.List // of *cached, the one used last in front
	files map[string]*list.Element
}

type cached struct {
	key  string
	text []byte
}

func newCache(limit int) *cache {
	return &cache{limit: limit, order: list.New(), files: make(map[string]*list.Element)}
}

// get returns the text, which callers must not change.
func (c *cache) get(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.files[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(at)
	return at.Value.(*cached).text, true
}

func (c *cache) put(key string, text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.files[key]; ok || len(text) > c.limit {
		return
	}
	c.files[key] = c.order.PushFront(&cached{key, text})
	for c.size += len(text); c.size > c.limit; {
		last := c.order.Remove(c.order.Back()).(*cached)
		delete(c.files, last.key)
		c.size -= len(last.text)
	}
}
