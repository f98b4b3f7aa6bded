package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

var (
	birth  = time.Date(2026, time.March, 1, 12, 30, 15, 123456789, time.UTC)
	births atomic.Uint64
)

// newDocument returns a first revision with a uid of its own. Its kind is the last element's name.
func newDocument(id dovetail.ID, references ...dovetail.Reference) *dovetail.Document {
	key := id.Key()
	return &dovetail.Document{
		ID:         id,
		Kind:       key[len(key)-1].Name,
		Data:       json.RawMessage(fmt.Sprintf(`{"metadata":{"name":%q}}`, key[len(key)-1].Value)),
		References: references,
		UID:        fmt.Sprintf("uid%d", births.Add(1)),
		Revision:   1,
		Created:    birth,
		Updated:    birth,
		Schema:     "hash",
	}
}

func newDocuments(ids ...dovetail.ID) []*dovetail.Document {
	documents := make([]*dovetail.Document, len(ids))
	for i, id := range ids {
		documents[i] = newDocument(id)
	}
	return documents
}

// next returns the document's next revision, with other references.
func next(d *dovetail.Document, references ...dovetail.Reference) *dovetail.Document {
	n := *d
	n.Revision++
	n.Updated = n.Updated.Add(time.Second)
	n.References = references
	return &n
}

func strong(id dovetail.ID) dovetail.Reference { return dovetail.Reference{ID: id, Kind: "any"} }

func weak(id dovetail.ID) dovetail.Reference {
	return dovetail.Reference{ID: id, Kind: "any", Weak: true}
}

func absent(id dovetail.ID) store.Condition { return store.Condition{Test: store.Absent, ID: id} }
func exists(id dovetail.ID) store.Condition { return store.Condition{Test: store.Exists, ID: id} }

func childless(id dovetail.ID) store.Condition { return store.Condition{Test: store.Childless, ID: id} }

func unreferenced(id dovetail.ID) store.Condition {
	return store.Condition{Test: store.Unreferenced, ID: id}
}

func atVersion(d *dovetail.Document) store.Condition {
	return store.Condition{Test: store.AtVersion, ID: d.ID, Version: d.ETag()}
}

// creation is the transaction that creates a document under a parent, as the store makes it.
func creation(d *dovetail.Document, parent dovetail.ID) store.Txn {
	txn := store.Txn{Require: []store.Condition{absent(d.ID)}, Puts: []*dovetail.Document{d}}
	if parent != "" {
		txn.Require = append(txn.Require, exists(parent))
	}
	for _, r := range d.References {
		if !r.Weak {
			txn.Require = append(txn.Require, exists(r.ID))
		}
	}
	return txn
}

// removal is the transaction that deletes a document, as the store makes it.
func removal(d *dovetail.Document) store.Txn {
	return store.Txn{Require: []store.Condition{atVersion(d), childless(d.ID), unreferenced(d.ID)},
		Deletes: []dovetail.ID{d.ID}}
}

func idsOf(documents []*dovetail.Document) []dovetail.ID {
	ids := make([]dovetail.ID, len(documents))
	for i, d := range documents {
		ids[i] = d.ID
	}
	return ids
}

// difference says in which field two documents differ, in words; "" when they are equal. Lists that
// are empty and those that are nil are the same, and so are times of one instant.
func difference(got, want *dovetail.Document) string {
	switch {
	case got == nil && want == nil:
		return ""
	case got == nil || want == nil:
		return fmt.Sprintf("got %v, want %v", got, want)
	}
	for _, field := range []struct {
		name      string
		equal     bool
		got, want any
	}{
		{"id", got.ID == want.ID, got.ID, want.ID},
		{"kind", got.Kind == want.Kind, got.Kind, want.Kind},
		{"data", bytes.Equal(got.Data, want.Data), shorten(got.Data), shorten(want.Data)},
		{"status", bytes.Equal(got.Status, want.Status), shorten(got.Status), shorten(want.Status)},
		{"content", slices.EqualFunc(got.Content, want.Content, equalFiles), got.Content, want.Content},
		{"inputs", slices.Equal(got.Inputs, want.Inputs), got.Inputs, want.Inputs},
		{"references", slices.Equal(got.References, want.References), got.References, want.References},
		{"etag", got.ETag() == want.ETag(), got.ETag(), want.ETag()},
		{"created", got.Created.Equal(want.Created), got.Created, want.Created},
		{"updated", got.Updated.Equal(want.Updated), got.Updated, want.Updated},
		{"schema", got.Schema == want.Schema, got.Schema, want.Schema},
	} {
		if !field.equal {
			return fmt.Sprintf("%s: %s is %v, want %v", want.ID, field.name, field.got, field.want)
		}
	}
	return ""
}

func equalFiles(a, b dovetail.File) bool {
	return a.Name == b.Name && a.Filename == b.Filename && a.MediaType == b.MediaType && bytes.Equal(a.Data, b.Data)
}

func shorten(text []byte) string {
	const most = 200
	if len(text) <= most {
		return string(text)
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:most], len(text))
}

// selects is the meaning of a query, in the simplest words.
func selects(q store.Query, d *dovetail.Document) bool {
	return strings.HasPrefix(string(d.ID), q.Under.Prefix()) && d.ID != q.Under &&
		(q.Kind == "" || d.Kind == q.Kind) && d.ID > q.After
}

// selectFrom answers a query from a map.
func selectFrom(q store.Query, all map[dovetail.ID]*dovetail.Document) []*dovetail.Document {
	var found []*dovetail.Document
	for _, d := range all {
		if selects(q, d) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b *dovetail.Document) int { return strings.Compare(string(a.ID), string(b.ID)) })
	if q.Limit > 0 && len(found) > q.Limit {
		found = found[:q.Limit]
	}
	return found
}
