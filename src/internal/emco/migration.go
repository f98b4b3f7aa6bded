package emco

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The problems of findings.
const (
	Unreadable   = "unreadable"         // no key of a kind, or no data
	Refused      = "refused"            // its data or files are not what the ref-schema of the target allows
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
	Changed      = "changed"            // migrated before, and not the same any more
	OtherSchema  = "other-schema"       // EMCO's ref-schema says something else than that of the target
)

// Options say what to do with what a strict store would not hold.
type Options struct {
	// Dangling keeps documents whose references dangle, for a store that lets them (--references=warn).
	Dangling bool
	// Now is the time of what has no ObjectId, which says when it was created; 1970 where it is zero.
	Now time.Time
}

// Migration turns what EMCO stored, in any order, into documents under a model, with the names of its REST API: call Add with each, then
// Finish, then Batches. A resource that cannot be a document, and all that needs it, is left out and reported; so nothing of the
// result dangles, unless the options let references do. What a resource has and EMCO is not known to store is kept and reported, and so
// is what is missing. Of several resources with one key that counts whose data has the name of the key, of those the newest by
// its ObjectId. Where the model has records, what is no resource, and private keys, become such. The result does not depend on the order.
//
// It is not for concurrent use.
type Migration struct {
	Findings  []store.Finding // after Finish in the order of ids, then problems; Exists adds to them
	Read      int             // resources that were added
	Documents int             // that they become; after Finish
	Left      int             // resources that are not among the documents
	Merged    int             // of what was stored: kubeconfigs that are the files of their clusters, segments of the ref-schema, further copies of a resource

	model    *schema.Model
	options  Options
	spool    Spool
	kinds    map[string]*schema.Kind // by keyId
	names    map[string]*schema.Kind // by the names of their entries
	elements map[string]bool         // the names of key elements
	unknown  map[string]int          // by kinds whose fields are not known, their documents

	numbers     map[dovetail.ID]int32
	entries     []*entry // by number; nil where an id is only referred to
	ids         []dovetail.ID
	kubeconfigs []int64 // in the spool
}

// New returns the migration of a database, of which nothing was read yet.
func New(model *schema.Model, spool Spool, options Options) *Migration {
	m := &Migration{model: model, options: options, spool: spool, kinds: kindsByKeyID(model), names: make(map[string]*schema.Kind),
		elements: make(map[string]bool), unknown: make(map[string]int), numbers: make(map[dovetail.ID]int32)}
	for _, kind := range model.Kinds() {
		m.names[kind.Entry] = kind
		for _, name := range kind.Elements {
			m.elements[name] = true
		}
	}
	return m
}

// Add takes what EMCO stored as one document: an object as MongoDB's Extended JSON has it. Errors are those of the spool.
func (m *Migration) Add(stored *value.Value) error {
	m.Read++
	switch {
	case isSegment(stored):
		m.segment(stored)
		return nil
	case isCloudConfig(stored):
		at, err := m.spool.Write(stored.JSON())
		m.kubeconfigs = append(m.kubeconfigs, at)
		return err
	}
	r, why := m.read(stored)
	if r.kind == nil {
		if record := m.record(stored); record != nil {
			return m.add(record)
		}
	}
	if why != "" {
		m.Left++
		m.find(store.Finding{Problem: Unreadable, ID: r.id, Message: why})
		return nil
	}
	return m.add(r)
}

// add takes a resource, and the record of what its document does not hold. Errors are those of the spool.
func (m *Migration) add(r *resource) error {
	e, err := m.enter(r)
	if err != nil {
		return err
	}
	m.take(e)
	m.Findings = append(m.Findings, r.findings...)
	if r.record != nil {
		return m.add(r.record)
	}
	return nil
}

// Finish decides what of all that was added becomes a document. Errors are those of the spool.
func (m *Migration) Finish() error {
	for kind, n := range m.unknown {
		m.find(store.Finding{Problem: UnknownField, Message: fmt.Sprintf("the fields of kind %s, of which there are %d documents, are not known: they keep the names that they are stored under", kind, n)})
	}
	if err := m.home(); err != nil {
		return err
	}
	for _, at := range m.kubeconfigs {
		if err := m.kubeconfig(at); err != nil {
			return err
		}
	}
	m.leaveOut()
	m.Documents = len(m.sorted())
	slices.SortFunc(m.Findings, func(a, b store.Finding) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Other, b.Other), cmp.Compare(a.Message, b.Message))
	})
	return nil
}

func (m *Migration) find(f store.Finding) { m.Findings = append(m.Findings, f) }

// take adds a resource, or the better one of two with one key.
func (m *Migration) take(taken *entry) {
	n := m.number(taken.id)
	left := m.entries[n]
	m.entries[n] = taken
	if left == nil {
		return
	}
	m.Merged++
	if better := cmp.Or(cmp.Compare(taken.named, left.named), cmp.Compare(taken.objectID, left.objectID)); better < 0 {
		left, taken = taken, left
		m.entries[n] = taken
	}
	taken.strays = append(taken.strays, left.strays...)
	how := "with other data"
	if left.digest == taken.digest {
		how = "with the same data"
	}
	m.find(store.Finding{Problem: Duplicate, ID: taken.id,
		Message: fmt.Sprintf("duplicate document %s, %s: the one with _id %s is taken, not %s", taken.id, how, taken.objectID, left.objectID)})
}

// home gives resources the members that were stored in the documents of others, unless they have their own.
func (m *Migration) home() error {
	for _, e := range m.sorted() {
		for _, stray := range e.strays {
			if err := m.bringHome(e, stray); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *Migration) bringHome(from *entry, stray strayAt) error {
	owner := m.at(stray.owner)
	there := owner == nil
	err := m.edit(owner, func(doc *dovetail.Document) error {
		status := value.NewMap()
		if len(doc.Status) > 0 {
			var err error
			if status, err = value.ParseJSON(doc.Status, value.Limits{}); err != nil {
				return err
			}
		}
		if there = status.Get(stray.member) != nil; there {
			return nil
		}
		text, err := m.spool.Read(stray.at)
		if err != nil {
			return err
		}
		v, err := value.ParseJSON(text, value.Limits{})
		if err != nil {
			return err
		}
		r, rename := &resource{id: owner.id, kind: owner.kind}, &renaming{}
		r.state(value.Member{Name: stray.member, Value: v}, rename, status)
		r.report(rename)
		m.Findings = append(m.Findings, r.findings...)
		doc.Status = status.JSON()
		return nil
	})
	if there {
		m.find(store.Finding{Problem: NotMigrated, ID: from.id, Other: stray.owner,
			Message: fmt.Sprintf("the %s in %s belongs to %s, which is not there or has another", stray.member, from.id, stray.owner)})
	}
	return err
}

// leaveOut takes out resources whose parents or targets are missing, and then those that need these.
func (m *Migration) leaveOut() {
	for again := true; again; {
		again = false
		for _, e := range m.sorted() {
			if m.misses(e) {
				m.entries[m.number(e.id)] = nil
				m.Left++
				again = true
			}
		}
	}
	for _, e := range m.sorted() {
		m.compare(e)
	}
}

// misses says, and reports, whether a parent or target of a resource is missing, or the target would refuse it.
func (m *Migration) misses(e *entry) bool {
	switch {
	case e.refused:
		return true
	case e.parent >= 0 && m.entries[e.parent] == nil:
		parent := m.ids[e.parent]
		m.find(store.Finding{Problem: Orphan, ID: e.id, Other: parent,
			Message: fmt.Sprintf("%s is left out: its parent %s is not there", e.id, parent)})
		return true
	case m.options.Dangling:
		return false
	}
	for _, n := range e.needs {
		if !n.weak && !m.there(n) {
			target := m.ids[n.targets[0]]
			m.find(store.Finding{Problem: Dangling, ID: e.id, Other: target,
				Message: fmt.Sprintf("%s is left out: it refers to %s, which is not there", e.id, target)})
			return true
		}
	}
	return false
}

func (m *Migration) there(n need) bool {
	return slices.ContainsFunc(n.targets, func(target int32) bool { return m.entries[target] != nil })
}

// compare reports references of a resource that is taken: those that dangle, and those that only its
// stored list has.
func (m *Migration) compare(e *entry) {
	known := make(map[int32]bool)
	for _, n := range e.needs {
		for _, target := range n.targets {
			known[target] = true
		}
		if !m.there(n) {
			target := m.ids[n.targets[0]]
			m.find(store.Finding{Problem: Dangling, ID: e.id, Other: target,
				Message: fmt.Sprintf("%s refers to %s, which is not there", e.id, target)})
		}
	}
	for _, listed := range e.listed {
		id := m.ids[listed]
		switch {
		case known[listed]:
		case m.entries[listed] == nil:
			m.find(store.Finding{Problem: Stale, ID: e.id, Other: id,
				Message: fmt.Sprintf("%s has %s in its list of references, which is not there; its data does not refer to it", e.id, id)})
		default:
			m.find(store.Finding{Problem: Lost, ID: e.id, Other: id,
				Message: fmt.Sprintf("%s has %s in its list of references; its data does not refer to it, so that the reference is lost", e.id, id)})
		}
	}
}
