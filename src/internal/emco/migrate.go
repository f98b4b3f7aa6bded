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
	Unreadable   = "unreadable"         // no key of a kind, or no data
	Duplicate    = "duplicate"          // two resources with one key
	Orphan       = "orphan"             // its parent does not exist
	Dangling     = "dangling-reference" // it references a missing resource
	Stale        = "stale-reference"    // its stored list of references names a missing resource; its data does not
	Lost         = "lost-reference"     // its stored list of references names a resource; its data does not
	UnknownField = "unknown-field"      // EMCO is not known to store it; it is kept under its name
	MissingField = "missing-field"      // EMCO always stores it
	OddValue     = "odd-value"          // not of the type that EMCO stores
	Misplaced    = "misplaced"          // stored in the document of another resource
	NotMigrated  = "not-migrated"       // a part of a resource
	OtherSchema  = "other-schema"       // EMCO's ref-schema says something else than that of the target
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
	Left      int                  // resources that are not among the documents
	Merged    int                  // of what was stored: kubeconfigs that are the files of their clusters, segments of the ref-schema, further copies of a resource
}

// Migrate turns what EMCO stored, in any order, into documents under the model, with the names of its REST API. A resource that cannot
// be a document, and all that needs it, is left out and reported; so nothing of the result dangles, unless the
// options let references do. What a resource has and EMCO is not known to store is kept and reported, and so is what is missing. Of several
// resources with one key that counts whose data has the name of the key, of those the newest by its ObjectId.
// The result does not depend on the order.
func Migrate(model *schema.Model, stored []*value.Value, options Options) *Migration {
	m := &migration{options: options, kinds: kindsByKeyID(model), entries: make(map[string]*schema.Kind), all: make(map[dovetail.ID]*resource), elements: make(map[string]bool), unknown: make(map[string]int)}
	for _, kind := range model.Kinds() {
		m.entries[kind.Entry] = kind
		for _, name := range kind.Elements {
			m.elements[name] = true
		}
	}
	var kubeconfigs []*value.Value
	for _, s := range stored {
		switch {
		case isSegment(s):
			m.segment(s)
			continue
		case isCloudConfig(s):
			kubeconfigs = append(kubeconfigs, s)
			continue
		}
		r, err := m.read(s)
		if err != nil {
			m.Left++
			m.find(store.Finding{Problem: Unreadable, ID: r.id, Message: err.Error()})
			continue
		}
		m.take(r)
	}
	for kind, n := range m.unknown {
		m.find(store.Finding{Problem: UnknownField, Message: fmt.Sprintf("the fields of kind %s, of which there are %d documents, are not known: they keep the names that they are stored under", kind, n)})
	}
	m.home()
	for _, s := range kubeconfigs {
		m.kubeconfig(s)
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
	options  Options
	kinds    map[string]*schema.Kind // by keyId
	entries  map[string]*schema.Kind // by the names of their entries
	elements map[string]bool         // the names of key elements
	unknown  map[string]int          // by kinds whose fields are not known, their documents
	all      map[dovetail.ID]*resource
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

// take adds a resource, or the better one of two with one key.
func (m *migration) take(r *resource) {
	m.Findings = append(m.Findings, r.findings...)
	left, taken := m.all[r.id], r
	if left == nil {
		m.all[r.id] = r
		return
	}
	m.Merged++
	if better := cmp.Or(cmp.Compare(named(taken), named(left)), cmp.Compare(taken.objectID, left.objectID)); better < 0 {
		left, taken = taken, left
	}
	m.all[r.id] = taken
	taken.strays = append(taken.strays, left.strays...)
	how := "with other data"
	if bytes.Equal(left.data.JSON(), taken.data.JSON()) {
		how = "with the same data"
	}
	m.find(store.Finding{Problem: Duplicate, ID: r.id,
		Message: fmt.Sprintf("duplicate document %s, %s: the one with _id %s is taken, not %s", r.id, how, taken.objectID, left.objectID)})
}

// named is 1 where the data of a resource has the name of its key, else 0.
func named(r *resource) int {
	elements := r.id.Key()
	if text(r.data.At("metadata", "name")) == elements[len(elements)-1].Value {
		return 1
	}
	return 0
}

// home gives resources the members that were stored in the documents of others, unless they have their own.
func (m *migration) home() {
	for _, id := range m.ids() {
		for _, stray := range m.all[id].strays {
			owner := m.all[stray.owner]
			if owner == nil || owner.status.Get(stray.member.Name) != nil {
				m.find(store.Finding{Problem: NotMigrated, ID: id, Other: stray.owner,
					Message: fmt.Sprintf("the %s in %s belongs to %s, which is not there or has another", stray.member.Name, id, stray.owner)})
				continue
			}
			rename := &renaming{}
			if owner.status == nil {
				owner.status = value.NewMap()
			}
			before := len(owner.findings)
			owner.state(stray.member, rename, owner.status)
			owner.report(rename)
			m.Findings = append(m.Findings, owner.findings[before:]...)
		}
	}
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
		switch {
		case known[id]:
		case m.all[id] == nil:
			m.find(store.Finding{Problem: Stale, ID: r.id, Other: id,
				Message: fmt.Sprintf("%s has %s in its list of references, which is not there; its data does not refer to it", r.id, id)})
		default:
			m.find(store.Finding{Problem: Lost, ID: r.id, Other: id,
				Message: fmt.Sprintf("%s has %s in its list of references; its data does not refer to it, so that the reference is lost", r.id, id)})
		}
	}
}
