package bolt

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

const (
	// maxID is what fits twice, with a separator, into a key of bbolt.
	maxID = 16_383
	// maxDocument is the largest encoded document. It bounds the memory of one group of commits.
	maxDocument = 64 << 20
)

// transaction is a store.Txn made ready in the goroutine of its caller, so that the writer only has
// to move bytes. It shares nothing with the caller and does not change.
type transaction struct {
	require    []store.Condition
	writes     []write // by id
	provenance store.Provenance
	size       int // bytes of all documents
	// referrers lists, by target, the puts that hold a strong reference to it. It is there only when
	// a condition asks for it.
	referrers map[dovetail.ID][]dovetail.ID
}

// write is one document's put or delete.
type write struct {
	id    dovetail.ID
	value []byte // the encoded document; nil for a delete

	kind     string
	uid      string
	revision uint64
	links    []link
}

// prepare checks and encodes a transaction. All of its problems are reported together.
func prepare(txn store.Txn) (*transaction, error) {
	t := &transaction{require: slices.Clone(txn.Require), writes: make([]write, 0, len(txn.Puts)+len(txn.Deletes)), provenance: txn.Provenance}
	var problems dovetail.Errors
	report := func(id dovetail.ID, code dovetail.Code, message string) {
		problems.Add(&dovetail.Error{Code: code, Key: id, Message: message})
	}

	for _, c := range t.require {
		if c.Test > store.Unreferenced {
			report(c.ID, dovetail.CodeInternal, "a transaction has a condition that is not known")
		}
	}
	for _, d := range txn.Puts {
		w := write{id: d.ID, value: encodeDocument(d), kind: d.Kind, uid: d.UID, revision: d.Revision,
			links: linksOf(d.ID, d.References, d.Terms)}
		if len(w.value) > maxDocument {
			report(d.ID, dovetail.CodeTooLarge, "the document is larger than 64 MiB")
		}
		checkName(d.ID, d.Kind, report)
		for _, l := range w.links {
			checkName(l.target, "", report)
		}
		t.size += len(w.value)
		t.writes = append(t.writes, w)
	}
	for _, id := range txn.Deletes {
		checkName(id, "", report)
		t.writes = append(t.writes, write{id: id})
	}

	slices.SortFunc(t.writes, func(a, b write) int { return strings.Compare(string(a.id), string(b.id)) })
	for i := 1; i < len(t.writes); i++ {
		if id := t.writes[i].id; id == t.writes[i-1].id {
			report(id, dovetail.CodeInvalid, "duplicate document in the transaction")
		}
	}
	if err := problems.Err("the transaction cannot be stored"); err != nil {
		return nil, err
	}
	t.findReferrers()
	return t, nil
}

// checkName reports an id or a kind that cannot be a part of a key.
func checkName(id dovetail.ID, kind string, report func(dovetail.ID, dovetail.Code, string)) {
	switch {
	case id == "":
		report(id, dovetail.CodeInvalid, "the document has no id")
	case len(id) > maxID || len(kind) > maxID:
		report(id, dovetail.CodeTooLarge, "the id or the kind is longer than 16383 bytes")
	case strings.Contains(string(id), separator) || strings.Contains(kind, separator):
		report(id, dovetail.CodeInvalid, "the id or the kind contains a NUL character")
	}
}

func (t *transaction) findReferrers() {
	asked := slices.ContainsFunc(t.require, func(c store.Condition) bool { return c.Test == store.Unreferenced })
	if !asked {
		return
	}
	t.referrers = make(map[dovetail.ID][]dovetail.ID)
	for _, w := range t.writes {
		for _, l := range w.links {
			if l.strong {
				t.referrers[l.target] = append(t.referrers[l.target], w.id)
			}
		}
	}
}

// find returns the transaction's write of a document, or nil.
func (t *transaction) find(id dovetail.ID) *write {
	if i, ok := t.search(id); ok {
		return &t.writes[i]
	}
	return nil
}

func (t *transaction) search(id dovetail.ID) (int, bool) {
	return slices.BinarySearchFunc(t.writes, id, func(w write, id dovetail.ID) int {
		return strings.Compare(string(w.id), string(id))
	})
}

// below returns the transaction's writes of descendants of a document.
func (t *transaction) below(id dovetail.ID) []write {
	prefix := id.Prefix()
	from, _ := t.search(dovetail.ID(prefix))
	to := from
	for to < len(t.writes) && strings.HasPrefix(string(t.writes[to].id), prefix) {
		to++
	}
	return t.writes[from:to]
}
