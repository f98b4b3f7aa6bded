package access

import (
	"container/list"
	"time"
)

// recent is an LRU cache whose entries expire. It is not safe for concurrent use.
type recent[K comparable, V any] struct {
	most  int
	at    map[K]*list.Element
	order *list.List // of *remembered, the most recently used first
}

type remembered[K comparable, V any] struct {
	key   K
	value V
	until time.Time
}

func newRecent[K comparable, V any](most int) *recent[K, V] {
	return &recent[K, V]{most: most, at: make(map[K]*list.Element), order: list.New()}
}

// get returns the value of a key that has not expired at a time.
func (r *recent[K, V]) get(key K, now time.Time) (value V, known bool) {
	element := r.at[key]
	if element == nil {
		return value, false
	}
	found := element.Value.(*remembered[K, V])
	if !now.Before(found.until) {
		r.order.Remove(element)
		delete(r.at, key)
		return value, false
	}
	r.order.MoveToFront(element)
	return found.value, true
}

// put remembers a value until a time.
func (r *recent[K, V]) put(key K, value V, until time.Time) {
	if element := r.at[key]; element != nil {
		r.order.Remove(element)
	}
	r.at[key] = r.order.PushFront(&remembered[K, V]{key: key, value: value, until: until})
	if r.order.Len() > r.most {
		last := r.order.Back()
		r.order.Remove(last)
		delete(r.at, last.Value.(*remembered[K, V]).key)
	}
}
