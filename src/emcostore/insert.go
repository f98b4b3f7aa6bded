package emcostore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// tagData is the tag of a resource itself.
const tagData = "data"

// insertion is a tag that is set.
type insertion struct {
	tag    string
	stored *value.Value
	query  map[string]string
	given  any // of which stored is the form
}

func (d *database) insert(ctx context.Context, a address, in insertion) error {
	kind, id, err := d.resource(a)
	switch {
	case err == nil && !a.complete():
		err = fmt.Errorf("the key %s has no value of an element", a)
	case err == nil && kind == nil && in.tag == tagData && a.collection == emco.Collection:
		return fmt.Errorf("%s: no kind has the keyId %s of %s", ErrSchema, a.keyID(), a)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", ErrInsert, err)
	}
	err = store.Transact(ctx, func() error {
		if kind != nil && emco.Holds(kind, in.tag) {
			done, err := d.insertPart(ctx, a, kind, id, in)
			if done || err != nil {
				return err
			}
		}
		if done, err := d.insertKubeconfig(ctx, a, in); done || err != nil {
			return err
		}
		return d.insertRecord(ctx, a, in)
	})
	var parent dovetail.ID
	if kind != nil {
		parent = kind.ParentID(id)
	}
	return insertError(err, parent)
}

// insertPart writes a tag that is a part of a resource's document. It does nothing where the tag is not the data and there is no document.
func (d *database) insertPart(ctx context.Context, a address, kind *schema.Kind, id dovetail.ID, in insertion) (done bool, err error) {
	if in.tag == tagData {
		return true, d.insertData(ctx, a, kind, id, in)
	}
	doc, err := d.get(ctx, id)
	if doc == nil || err != nil {
		return false, err
	}
	parts, err := partsOf(doc)
	if err != nil {
		return false, err
	}
	if err := parts.Set(kind, id, in.tag, in.stored); err != nil {
		return false, err
	}
	if in.tag == tagState {
		if doc, err = d.follow(ctx, kind, doc, parts.State()); err != nil {
			return false, retried(err)
		}
		if err := renewStatus(parts, doc); err != nil {
			return false, err
		}
	}
	operations := []store.Operation{putParts(doc, parts, in.tag)}
	if operations, err = d.withQuery(ctx, operations, a, kind, parts.Data, in.query); err != nil {
		return false, err
	}
	_, err = d.documents.Apply(ctx, operations, store.Options{})
	return true, retried(err)
}

// putParts returns the operation that writes what was changed beside the data.
func putParts(doc *dovetail.Document, parts *emco.Parts, tag string) store.Operation {
	op := store.NewOperation(store.PutStatus, doc.ID, parts.Status).IfVersion(doc.ETag())
	if tag != tagState {
		op.Content = parts.Content
		if op.Content == nil {
			op.Content = []dovetail.File{}
		}
	}
	return op
}

// insertData creates or replaces a resource.
func (d *database) insertData(ctx context.Context, a address, kind *schema.Kind, id dovetail.ID, in insertion) error {
	if !emco.Known(kind, id) {
		return d.insertUnknown(ctx, a, id, in)
	}
	parts := &emco.Parts{}
	if err := parts.Set(kind, id, tagData, in.stored); err != nil {
		return err
	}
	if err := lostReferences(kind, id, parts.Data, in.given); err != nil {
		return err
	}
	operations, err := d.withQuery(ctx, []store.Operation{store.NewOperation(store.Put, id, parts.Data)}, a, kind, parts.Data, in.query)
	if err != nil {
		return err
	}
	_, err = d.documents.Apply(ctx, operations, store.Options{})
	return retried(err)
}

// insertUnknown creates or replaces a resource of a kind whose fields have names in the database that are not known: the data are as JSON has
// them, where references are found, and the stored form is a record.
func (d *database) insertUnknown(ctx context.Context, a address, id dovetail.ID, in insertion) error {
	data, err := value.FromAny(in.given)
	if err != nil {
		return err
	}
	r, err := d.record(ctx, a)
	if err != nil {
		return err
	}
	maps.Copy(r.Members, in.query)
	r.Tags[tagData], r.Of = string(in.stored.JSON()), digestOf(data.JSON())
	_, err = d.documents.Apply(ctx, []store.Operation{store.NewOperation(store.Put, id, data), r.put()}, store.Options{})
	return retried(err)
}

// digestOf identifies data.
func digestOf(data []byte) string {
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:])
}

// lostReferences refuses data of which EMCO, which looks at the names of JSON, finds references that Dovetail would not.
func lostReferences(kind *schema.Kind, id dovetail.ID, data *value.Value, given any) error {
	is, err := value.FromAny(given)
	if err != nil {
		return err
	}
	if is.Kind != value.Map {
		return nil // a document that is spelt out in BSON
	}
	found := kind.Extract(id, data)
	for _, c := range kind.Extract(id, is) {
		if !slices.ContainsFunc(found, func(has schema.Candidate) bool { return has.Targets[0].ID == c.Targets[0].ID }) {
			return dovetail.Errorf(dovetail.CodeUnprocessable, "the reference of %s to %s would be lost: the service stores fields of kind %s that are not known", id, c.Targets[0].ID, kind.Name)
		}
	}
	return nil
}

// withQuery adds the operation that lets a resource be selected by what its document does not say, and by nothing that it no longer says.
func (d *database) withQuery(ctx context.Context, operations []store.Operation, a address, kind *schema.Kind, data *value.Value, query map[string]string) ([]store.Operation, error) {
	if len(query) == 0 {
		return operations, nil
	}
	r, err := d.record(ctx, a)
	if err != nil {
		return nil, err
	}
	changed := false
	for name, text := range query {
		is, has := r.Members[name]
		if path := emco.Copied(kind, name); path != nil && textAt(data, path) == text {
			delete(r.Members, name)
			changed = changed || has
			continue
		}
		r.Members[name] = text
		changed = changed || !has || is != text
	}
	if !changed {
		return operations, nil
	}
	return append(operations, r.put()), nil
}

// insertRecord writes a tag of a record.
func (d *database) insertRecord(ctx context.Context, a address, in insertion) error {
	r, err := d.record(ctx, a)
	if err != nil {
		return err
	}
	r.Tags[in.tag] = string(in.stored.JSON())
	maps.Copy(r.Members, in.query)
	_, err = d.documents.Apply(ctx, []store.Operation{r.put()}, store.Options{})
	return retried(err)
}

// retried marks the error of a write that another one came first to.
func retried(err error) error {
	if store.IsConflict(err) {
		return store.Retry(err)
	}
	return err
}

func textAt(data *value.Value, path []string) string {
	if v := data.At(path...); v != nil && v.Kind == value.String {
		return v.Text
	}
	return ""
}
