package emco

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// Spool keeps texts for a while, so that memory need not.
type Spool interface {
	// Write keeps a text and returns where it is.
	Write(text []byte) (at int64, err error)
	// Read returns the text that is at a place.
	Read(at int64) ([]byte, error)
}

// entry is what is kept in memory of a resource: how it is related to others. The rest is in the spool, as the JSON of its document.
type entry struct {
	id       dovetail.ID
	kind     *schema.Kind
	objectID string
	named    int               // 1 where its data has the name of its key, else 0
	refused  bool              // by the ref-schema of the target
	exists   bool              // in the target
	digest   [sha256.Size]byte // of its data
	at       int64             // in the spool
	size     int32             // bytes of that
	parent   int32             // the number of its parent's id; -1 without one
	needs    []need
	listed   []int32 // the numbers of what it says that it refers to, as far as the schema has such kinds
	strays   []strayAt
}

// need is a reference: one of the targets has to be there.
type need struct {
	weak    bool
	targets []int32
}

// strayAt is a member that was stored in the document of another resource.
type strayAt struct {
	owner  dovetail.ID
	member string
	at     int64 // its value, in the spool
}

// enter puts a resource into the spool, and checks it against the ref-schema.
func (m *Migration) enter(r *resource) (*entry, error) {
	e := &entry{id: m.ids[m.number(r.id)], kind: r.kind, objectID: strings.Clone(r.objectID), named: r.named(), parent: -1}
	if parent := r.parent(); parent != "" {
		e.parent = m.number(parent)
	}
	for _, c := range r.kind.Extract(r.id, r.data) {
		n := need{weak: c.Rule.Weak}
		for _, target := range c.Targets {
			n.targets = append(n.targets, m.number(target.ID))
		}
		e.needs = append(e.needs, n)
	}
	for _, id := range r.listed {
		e.listed = append(e.listed, m.number(id))
	}
	for _, s := range r.strays {
		at, err := m.spool.Write(s.member.Value.JSON())
		if err != nil {
			return nil, err
		}
		e.strays = append(e.strays, strayAt{s.owner, strings.Clone(s.member.Name), at})
	}
	doc := r.document()
	doc.Schema = m.model.Hash()
	e.digest = sha256.Sum256(doc.Data)
	violations := r.kind.Validate(r.data)
	for _, violation := range slices.Concat(violations.Kept(), r.kind.CheckContent(doc.Content)) {
		e.refused = true
		r.find(Refused, "%s is left out: the ref-schema of the target does not allow it: %s%s", r.id, violation.Message, atPath(violation.Position))
	}
	if n := violations.Omitted(); n > 0 {
		r.find(Refused, "%s is left out: there are %d violations more", r.id, n)
	}
	return e, m.write(e, doc)
}

// atPath says in a message where in the data something is; "" for all of it.
func atPath(at dovetail.Position) string {
	if at.Path == "" {
		return ""
	}
	return fmt.Sprintf(" (at %s)", at.Path)
}

func (m *Migration) write(e *entry, doc *dovetail.Document) error {
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	e.size = int32(min(len(text), 1<<30))
	e.at, err = m.spool.Write(text)
	return err
}

func (m *Migration) document(e *entry) (*dovetail.Document, error) {
	text, err := m.spool.Read(e.at)
	if err != nil {
		return nil, err
	}
	doc := new(dovetail.Document)
	return doc, json.Unmarshal(text, doc)
}

// edit changes the document of an entry; nothing of nil.
func (m *Migration) edit(e *entry, change func(doc *dovetail.Document) error) error {
	if e == nil {
		return nil
	}
	doc, err := m.document(e)
	if err != nil {
		return err
	}
	if err := change(doc); err != nil {
		return err
	}
	return m.write(e, doc)
}

// number returns the number of an id, which it gets when it is first seen.
func (m *Migration) number(id dovetail.ID) int32 {
	n, known := m.numbers[id]
	if !known {
		id = dovetail.ID(strings.Clone(string(id)))
		n = int32(len(m.ids))
		m.numbers[id] = n
		m.ids, m.entries = append(m.ids, id), append(m.entries, nil)
	}
	return n
}

// at returns the entry of an id, nil without one.
func (m *Migration) at(id dovetail.ID) *entry {
	if n, known := m.numbers[id]; known {
		return m.entries[n]
	}
	return nil
}

// sorted returns the entries that are there, in the order of their ids.
func (m *Migration) sorted() []*entry {
	all := slices.DeleteFunc(slices.Clone(m.entries), func(e *entry) bool { return e == nil })
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Compare(a.id, b.id) })
	return all
}

// Exists notes, after Finish, that the target has a document, and reports whether it is one of these, which an earlier migration of
// the database stored: Batches does not yield that again, and where it has other data now, that is reported. Another document with the
// id of one is CodeExists.
func (m *Migration) Exists(doc *dovetail.Document) (known bool, err *dovetail.Error) {
	e := m.at(doc.ID)
	switch {
	case e == nil:
		return false, nil
	case doc.UID != uidOf(e.id, e.objectID):
		return false, &dovetail.Error{Code: dovetail.CodeExists, Key: doc.ID, Message: string(doc.ID) + " exists already, and not from this database",
			Remedy: "migrate into another database, or delete it first: a migration overwrites nothing"}
	}
	e.exists = true
	if !e.kind.Sensitive.Any() && e.digest != sha256.Sum256(doc.Data) {
		m.find(store.Finding{Problem: Changed, ID: e.id, Message: fmt.Sprintf("%s was migrated before, and changed here or in EMCO since; it stays as it is here", e.id)})
	}
	return true, nil
}
