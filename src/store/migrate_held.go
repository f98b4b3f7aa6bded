package store

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/migration"
	"github.com/dovetail-store/dovetail/src/schema"
)

// Holder returns the status that a document of a service gets in a migration, because it holds states of other documents; nil where it stays
// as it is. The document is not changed. An error of CodeUnprocessable is reported with all else that the migration is refused for.
type Holder func(doc *dovetail.Document, h Holding) (json.RawMessage, error)

// Holding is what a migration does to the states that documents hold.
type Holding struct {
	// Next is the hash of the ref-schema that the migration leads to; see Store.InForceSince.
	Next string
	// Rewrite returns what a state of a document becomes, whether it is stored or not; CodeUnprocessable if it cannot be rewritten. Whether it
	// fits the next ref-schema is not checked.
	Rewrite func(doc *dovetail.Document) (*dovetail.Document, error)
	// Get returns a stored document, which the migration may have rewritten.
	Get func(id dovetail.ID) (*dovetail.Document, error)
}

// MigratedChangeSet is what a migration does to a change set: to what it stages, and to its base.
type MigratedChangeSet struct {
	ID         dovetail.ID `json:"id"`
	Operations int         `json:"operations"` // that are rewritten
}

// holding says to holders what the migration does.
func (r *migrating) holding(ctx context.Context) Holding {
	return Holding{Next: r.change.Next.Hash(), Rewrite: r.rewriteHeld, Get: func(id dovetail.ID) (*dovetail.Document, error) { return r.reader.Get(ctx, id) }}
}

// rewriteHeld computes what a state of a document becomes.
func (r *migrating) rewriteHeld(doc *dovetail.Document) (*dovetail.Document, error) {
	made, refusal, err := r.rewriteData(doc)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeUnprocessable, Key: doc.ID, Message: string(doc.ID) + " cannot be rewritten", Err: err}
	}
	if refusal != nil {
		return nil, refusal
	}
	kind, err := r.change.Next.KindOf(made.ID)
	if err != nil {
		return nil, err
	}
	next := r.become(doc, kind, made)
	next.References = r.heldReferences(doc, kind, made)
	if next.ID != doc.ID {
		next.UID, next.Revision = renewedUID(doc.UID, r.change.Next), 1
	}
	next.Schema, next.Terms = r.change.Next.Hash(), nil
	return next, nil
}

// become returns a document with the id, the data and the inputs that it gets.
func (r *migrating) become(doc *dovetail.Document, kind *schema.Kind, made *migration.Rewritten) *dovetail.Document {
	next := *doc
	next.ID, next.Kind, next.Data, next.Inputs = made.ID, kind.Name, made.Data.JSON(), nil
	for _, id := range doc.Inputs {
		next.Inputs = append(next.Inputs, r.change.Of(id))
	}
	return &next
}

// heldReferences resolves the references of a state that need not be stored: they go on to mean what they meant, and new ones what exists.
func (r *migrating) heldReferences(doc *dovetail.Document, kind *schema.Kind, made *migration.Rewritten) []dovetail.Reference {
	meant := make(map[dovetail.ID]bool, len(doc.References))
	for _, ref := range doc.References {
		meant[r.change.Of(ref.ID)] = true
	}
	var refs []dovetail.Reference
	candidates := kind.Extract(made.ID, made.Data)
	at := positionsOf(len(candidates))
	for _, c := range candidates {
		is := slices.IndexFunc(c.Targets, func(t dovetail.Reference) bool { return meant[t.ID] })
		if is < 0 {
			is = max(0, slices.IndexFunc(c.Targets, func(t dovetail.Reference) bool { return r.exists(t.ID) }))
		}
		ref := c.Targets[is]
		ref.Weak = r.store.config.WeakReferences || c.Rule.Weak
		refs = addReference(refs, at, ref)
	}
	return refs
}

// countHeld counts a document whose states of others are rewritten, for the change set that it belongs to.
func (r *migrating) countHeld(doc *dovetail.Document) {
	id := doc.ID.Key()[:1].ID()
	i, found := slices.BinarySearchFunc(r.result.ChangeSets, id, func(m MigratedChangeSet, id dovetail.ID) int { return strings.Compare(string(m.ID), string(id)) })
	if !found {
		r.result.ChangeSets = slices.Insert(r.result.ChangeSets, i, MigratedChangeSet{ID: id})
	}
	if doc.ID != id {
		r.result.ChangeSets[i].Operations++
	}
}

// renewedUID is the uid that a document gets with another id in a migration. It follows from the one that it had, so that states of it
// which other documents hold get the same.
func renewedUID(uid string, next *schema.Model) string {
	sum := sha256.Sum256([]byte(uid + " " + next.Hash()))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:26])
}

// InForceSince returns the position from which on the ref-schema of a hash is in force, the last time that it took effect. The error is
// CodeExpired where the history no longer reaches back to it.
func (s *Store) InForceSince(ctx context.Context, hash string) (Cursor, error) {
	var since Cursor
	for version, err := range s.backend.Versions(ctx, modelID) {
		if err != nil {
			return "", err
		}
		if version.Document == nil || version.Document.Schema == hash {
			since = version.Cursor
		} else if since != "" {
			break
		}
	}
	if since == "" {
		return "", &dovetail.Error{Code: dovetail.CodeExpired, Message: "the history no longer reaches back to when the ref-schema came in force"}
	}
	return since, nil
}
