package finder

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Query is what is searched for.
type Query struct {
	Text  string // words, all of which must fit: a name, parts of it, or letters of it in their order; a path has slashes
	Kind  string // only documents of this kind; "" for all
	Limit int    // at most this many
	// Reads says which documents may be found; nil for all.
	Reads func(kind string, id dovetail.ID) bool
}

// Match is a document that was found.
type Match struct {
	ID   dovetail.ID `json:"id"`
	Kind string      `json:"kind"`
}

// Index has the names of documents in memory. The zero value is ready to use. It is safe for concurrent use.
type Index struct {
	mu      sync.RWMutex
	entries []entry
	at      map[dovetail.ID]int
}

type entry struct {
	Match
	text text
}

// Put adds a document, unless the index has it.
func (x *Index) Put(id dovetail.ID, kind string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, has := x.at[id]; has {
		return
	}
	if x.at == nil {
		x.at = make(map[dovetail.ID]int)
	}
	x.at[id] = len(x.entries)
	x.entries = append(x.entries, entry{Match{id, kind}, textOf(id)})
}

// Delete removes a document, if the index has it.
func (x *Index) Delete(id dovetail.ID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, has := x.at[id]
	if !has {
		return
	}
	last := len(x.entries) - 1
	x.entries[at] = x.entries[last]
	x.at[x.entries[at].ID] = at
	x.entries[last] = entry{}
	x.entries = x.entries[:last]
	delete(x.at, id)
}

// Has reports whether the index has a document.
func (x *Index) Has(id dovetail.ID) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	_, has := x.at[id]
	return has
}

// Len returns how many documents the index has.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.entries)
}

// Count returns how many documents there are of each kind below one, or everywhere where under is empty, without those that reads, unless it is nil, says no to.
func (x *Index) Count(under dovetail.ID, reads func(kind string, id dovetail.ID) bool) map[string]int {
	counts := make(map[string]int)
	below := ""
	if under != "" {
		below = string(under) + "/"
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	for i := range x.entries {
		if e := &x.entries[i]; strings.HasPrefix(string(e.ID), below) && (reads == nil || reads(e.Kind, e.ID)) {
			counts[e.Kind]++
		}
	}
	return counts
}

// Find returns the documents that fit best, these first: exact names, beginnings of names, parts of names, then those that have the
// letters. Of equals, short names come first. A query without words finds nothing.
func (x *Index) Find(q Query) []Match {
	terms := strings.Fields(strings.ToLower(q.Text))
	best := []hit{}
	if len(terms) == 0 || q.Limit <= 0 {
		return []Match{}
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	for i := range x.entries {
		e := &x.entries[i]
		if q.Kind != "" && e.Kind != q.Kind {
			continue
		}
		sum, fits := e.text.match(terms)
		if !fits {
			continue
		}
		h := hit{sum, e}
		if len(best) == q.Limit && h.compare(best[len(best)-1]) > 0 || q.Reads != nil && !q.Reads(e.Kind, e.ID) {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, h, hit.compare)
		if len(best) == q.Limit {
			best = best[:q.Limit-1]
		}
		best = slices.Insert(best, at, h)
	}
	found := make([]Match, len(best))
	for i, h := range best {
		found[i] = h.Match
	}
	return found
}

type hit struct {
	sum tier
	*entry
}

func (h hit) compare(other hit) int {
	return cmp.Or(cmp.Compare(h.sum, other.sum), cmp.Compare(len(h.text.path), len(other.text.path)), cmp.Compare(h.ID, other.ID))
}

func textOf(id dovetail.ID) text {
	var path strings.Builder
	name := 0
	for i, element := range id.Key() {
		if i > 0 {
			path.WriteByte('/')
		}
		name = path.Len()
		path.WriteString(strings.ToLower(element.Value))
	}
	return text{path.String(), name}
}
