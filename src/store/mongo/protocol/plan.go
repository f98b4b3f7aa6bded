package protocol

import (
	"cmp"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// plan is a transaction by document. It is immutable once made.
type plan struct {
	txn   store.Txn
	slots []*slot // the documents that it writes or locks, in the order of ids
	byID  map[dovetail.ID]*slot

	// What must be checked after the intents are set. Targets must exist: they are protected from deletion by the intents on their
	// new referrers and children. The others must have no children or referrers: their own intents prevent new ones.
	targets      []dovetail.ID
	childless    []dovetail.ID
	unreferenced []dovetail.ID

	unsatisfiable bool // a condition contradicts another one, or the transaction's own writes
	single        bool // one write, and no condition that needs another intent than that of the write

	held map[dovetail.ID]bool // the ancestors and strong references of the puts
}

// slot is what a transaction does with one document, or requires of it.
type slot struct {
	id      dovetail.ID
	put     *dovetail.Document
	deletes bool

	absent    bool           // it must not exist before
	version   *dovetail.ETag // it must exist before, at this version
	exists    bool           // it must exist, and is not written
	exclusive bool           // it must get no child or no referrer, and is not deleted
}

func (s *slot) writes() bool { return s.put != nil || s.deletes }

// maxBlind is the maximum number of documents of a transaction that inserts without reading first. With more of them, a conflict
// would waste too much work.
const maxBlind = 16

// insertsBlindly reports whether the insertion itself checks that the document does not exist.
func (p *plan) insertsBlindly(s *slot) bool {
	return s.put != nil && s.absent && s.version == nil && len(p.slots) <= maxBlind
}

func newPlan(txn store.Txn) *plan {
	p := &plan{txn: txn, byID: make(map[dovetail.ID]*slot, len(txn.Puts)+len(txn.Deletes)), held: make(map[dovetail.ID]bool)}
	for _, doc := range txn.Puts {
		p.slot(doc.ID).put = doc
		p.hold(doc)
	}
	for _, id := range txn.Deletes {
		if s := p.slot(id); s.put == nil {
			s.deletes = true
		}
	}
	if len(txn.Require) == 1 && len(p.byID) == 0 {
		return p // one read evaluates it
	}
	for _, c := range txn.Require {
		p.require(c)
	}
	for _, s := range p.byID {
		p.slots = append(p.slots, s)
	}
	slices.SortFunc(p.slots, func(a, b *slot) int { return cmp.Compare(a.id, b.id) })
	p.targets = slices.DeleteFunc(unique(p.targets), func(id dovetail.ID) bool {
		s := p.byID[id]
		if s != nil {
			s.exists = true // it already has an intent, which also protects it
		}
		return s != nil
	})
	p.childless, p.unreferenced = unique(p.childless), unique(p.unreferenced)
	p.single = len(p.slots) == 1 && p.slots[0].writes() && !p.slots[0].exclusive &&
		!(p.slots[0].absent && p.slots[0].version != nil)
	return p
}

func unique(ids []dovetail.ID) []dovetail.ID {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// slot returns the slot of the id, and adds it if there is none.
func (p *plan) slot(id dovetail.ID) *slot {
	s := p.byID[id]
	if s == nil {
		s = &slot{id: id}
		p.byID[id] = s
	}
	return s
}

func (p *plan) require(c store.Condition) {
	switch c.Test {
	case store.Absent:
		p.slot(c.ID).absent = true
	case store.AtVersion:
		s := p.slot(c.ID)
		if s.version != nil && *s.version != c.Version {
			p.unsatisfiable = true
		}
		version := c.Version
		s.version = &version
	case store.Exists:
		p.requireExists(c.ID)
	case store.Childless:
		p.requireUnblocked(c, &p.childless)
	case store.Unreferenced:
		p.requireUnblocked(c, &p.unreferenced)
	}
}

// requireExists requires the document to exist afterwards. If a put of the transaction refers to it or lies below it, a transaction
// that would delete it sees the intent on that put; otherwise it gets an intent itself.
func (p *plan) requireExists(id dovetail.ID) {
	s := p.byID[id]
	switch {
	case s != nil && s.put != nil:
	case s != nil && s.deletes:
		p.unsatisfiable = true
	case p.held[id]:
		p.targets = append(p.targets, id)
	default:
		p.slot(id).exists = true
	}
}

func (p *plan) hold(doc *dovetail.Document) {
	for _, r := range doc.References {
		if !r.Weak && r.ID != doc.ID {
			p.held[r.ID] = true
		}
	}
	for i, c := range doc.ID {
		if c == '/' {
			p.held[doc.ID[:i]] = true
		}
	}
}

// requireUnblocked requires that afterwards the document has no children, or no referrers.
func (p *plan) requireUnblocked(c store.Condition, list *[]dovetail.ID) {
	if len(p.ownBlockers(c)) > 0 {
		p.unsatisfiable = true
	}
	*list = append(*list, c.ID)
	if s := p.slot(c.ID); !s.deletes {
		s.exclusive = true
	}
}

// ownBlockers returns the ids of the transaction's own puts that violate a condition Childless or Unreferenced.
func (p *plan) ownBlockers(c store.Condition) []dovetail.ID {
	if !p.held[c.ID] {
		return nil
	}
	var ids []dovetail.ID
	for _, doc := range p.txn.Puts {
		if c.Test == store.Childless && doc.ID.IsDescendantOf(c.ID) ||
			c.Test == store.Unreferenced && doc.ID != c.ID && refers(doc, c.ID) {
			ids = append(ids, doc.ID)
		}
	}
	return ids
}
