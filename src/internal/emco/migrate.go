package emco

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The problems of findings.
const (
	Unreadable = "unreadable"         // no key of a kind, or no data
	Duplicate  = "duplicate"          // two resources with one key
	Orphan     = "orphan"             // its parent does not exist
	Dangling   = "dangling-reference" // it references a missing resource
	Stale      = "stale-reference"    // its stored list of references names a missing resource; its data does not
)

// Options say what to do with what a strict store would not hold.
type Options struct {
	// Dangling keeps documents whose references dangle, for a store that lets them (--references=warn).
	Dangling bool
}

// Migration is the result of converting a database.
type Migration struct {
	Documents []*dovetail.Document // in the order of ids
	Findings  []store.Finding      // in the order of ids, then problems
	Left      int                  // resources that are not among the documents, copies aside
}

// Migrate turns stored resources, in any order, into documents under the model. A resource that cannot
// be one, and all that needs it, is left out and reported; so nothing of the result dangles, unless the
// options let references do. Of several resources with one key the newest by its ObjectId is taken.
// The result does not depend on the order of the resources.
func Migrate(model *schema.Model, stored []*value.Value, options Options) *Migration {
	m := &migration{options: options, all: make(map[dovetail.ID]*resource)}
	kinds := kindsByKeyID(model)
	for _, s := range stored {
		r, err := read(kinds, s)
		if err != nil {
			m.Left++
			m.find(store.Finding{Problem: Unreadable, ID: r.id, Message: err.Error()})
			continue
		}
		m.take(r)
	}
	m.leaveOut()
	for _, id := range m.ids() {
		doc := m.all[id].document()
		doc.Schema = model.Hash()
		m.Documents = append(m.Documents, doc)
	}
	slices.SortFunc(m.Findings, func(a, b store.Finding) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Other, b.Other), cmp.Compare(a.Message, b.Message))
	})
	return &m.Migration
}

// migration is one on its way.
type migration struct {
	Migration
	options Options
	all     map[dovetail.ID]*resource // that are not left out
}

func (m *migration) find(f store.Finding) { m.Findings = append(m.Findings, f) }

func (m *migration) ids() []dovetail.ID {
	ids := make([]dovetail.ID, 0, len(m.all))
	for id := range m.all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// take adds a resource, or the newer one of two with one key.
func (m *migration) take(r *resource) {
	older, newer := m.all[r.id], r
	if older == nil {
		m.all[r.id] = r
		return
	}
	if newer.objectID < older.objectID {
		older, newer = newer, older
	}
	m.all[r.id] = newer
	how := "with other data"
	if bytes.Equal(older.data.JSON(), newer.data.JSON()) {
		how = "with the same data"
	}
	m.find(store.Finding{Problem: Duplicate, ID: r.id,
		Message: fmt.Sprintf("duplicate document %s, %s: the one with _id %s is taken, not %s", r.id, how, newer.objectID, older.objectID)})
}

// leaveOut takes out resources whose parents or targets are missing, and then those that need these.
func (m *migration) leaveOut() {
	for again := true; again; {
		again = false
		for _, id := range m.ids() {
			if m.misses(m.all[id]) {
				delete(m.all, id)
				m.Left++
				again = true
			}
		}
	}
	for _, id := range m.ids() {
		m.compare(m.all[id])
	}
}

// misses says, and reports, whether a parent or target of a resource is missing.
func (m *migration) misses(r *resource) bool {
	if parent := parentOf(r); parent != "" && m.all[parent] == nil {
		m.find(store.Finding{Problem: Orphan, ID: r.id, Other: parent,
			Message: fmt.Sprintf("%s is left out: its parent %s is not there", r.id, parent)})
		return true
	}
	if m.options.Dangling {
		return false
	}
	for _, c := range r.kind.Extract(r.id, r.data) {
		if !c.Rule.Weak && !m.there(c) {
			m.find(store.Finding{Problem: Dangling, ID: r.id, Other: c.Targets[0].ID,
				Message: fmt.Sprintf("%s is left out: it refers to %s, which is not there", r.id, c.Targets[0].ID)})
			return true
		}
	}
	return false
}

func parentOf(r *resource) dovetail.ID {
	parent := r.kind.Parent
	for parent != nil && parent.Abstract {
		parent = parent.Parent
	}
	if parent == nil {
		return ""
	}
	return r.id.Key()[:len(parent.Elements)].ID()
}

func (m *migration) there(c schema.Candidate) bool {
	return slices.ContainsFunc(c.Targets, func(target dovetail.Reference) bool { return m.all[target.ID] != nil })
}

// compare reports references of a resource that is taken: those that dangle, and those that only its
// stored list has.
func (m *migration) compare(r *resource) {
	known := make(map[dovetail.ID]bool)
	for _, c := range r.kind.Extract(r.id, r.data) {
		for _, target := range c.Targets {
			known[target.ID] = true
		}
		if !m.there(c) {
			m.find(store.Finding{Problem: Dangling, ID: r.id, Other: c.Targets[0].ID,
				Message: fmt.Sprintf("%s refers to %s, which is not there", r.id, c.Targets[0].ID)})
		}
	}
	for _, id := range r.stored {
		if !known[id] && m.all[id] == nil {
			m.find(store.Finding{Problem: Stale, ID: r.id, Other: id,
				Message: fmt.Sprintf("%s has %s in its list of references, which is not there; its data does not refer to it", r.id, id)})
		}
	}
}
