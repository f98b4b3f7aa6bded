package emcostore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

func (d *database) remove(ctx context.Context, a address) error {
	kind, id, err := d.resource(a)
	if err != nil || !a.complete() {
		return fmt.Errorf("%s: there is no document with the key %s", ErrNotFound, a)
	}
	return store.Transact(ctx, func() error {
		m, err := d.removable(ctx, a, kind, id)
		if err != nil {
			return err
		}
		operations, err := d.deletion(ctx, m)
		if err != nil {
			return fmt.Errorf("%s: %w", ErrRemove, err)
		}
		_, err = d.documents.Apply(ctx, operations, store.Options{})
		switch {
		case store.IsConflict(err):
			return store.Retry(err)
		case err != nil:
			return d.removeError(err)
		}
		return nil
	})
}

// removable returns what is stored under just this key, of which nothing may be below. What is below the document of a resource, the store
// itself looks for when it is deleted.
func (d *database) removable(ctx context.Context, a address, kind *schema.Kind, id dovetail.ID) (*match, error) {
	var matches []*match
	doc, err := d.resourceDocument(ctx, kind, id)
	switch {
	case err != nil:
	case doc != nil:
		matches = []*match{{id: id, kind: kind, doc: doc}}
		all := map[dovetail.ID]*match{id: matches[0]}
		if err = d.join(ctx, a, all); err == nil {
			delete(all, id)
			matches = slices.AppendSeq(matches, maps.Values(all))
		}
	default:
		matches, err = d.matches(ctx, a)
		if id == "" {
			id = recordID(a)
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", ErrRemove, err)
	case len(matches) == 0:
		return nil, fmt.Errorf("%s: there is no document with the key %s", ErrNotFound, a)
	case matches[0].id != id:
		return nil, fmt.Errorf("%s: below %s there is another document, %s: delete that", ErrChildren, a, matches[0].id)
	case len(matches) > 1:
		return nil, fmt.Errorf("%s: below %s there are other documents, such as %s: delete them first", ErrChildren, a, matches[1].id)
	}
	return matches[0], nil
}

// resourceDocument returns the document of a resource; nil if there is none, or the key is that of a record.
func (d *database) resourceDocument(ctx context.Context, kind *schema.Kind, id dovetail.ID) (*dovetail.Document, error) {
	if kind == nil {
		return nil, nil
	}
	return d.get(ctx, id)
}

// deletion returns the operations that delete a match, if it is what it was when it was read. The kubeconfig of a cluster stays: the
// services remove it by its own key.
func (d *database) deletion(ctx context.Context, m *match) (operations []store.Operation, err error) {
	if m.doc != nil {
		operations = append(operations, store.Operation{Verb: store.Delete, ID: m.doc.ID}.IfVersion(m.doc.ETag()))
	}
	switch {
	case m.cluster != nil:
		operations = append(operations, putFiles(m.cluster, nil))
	case m.record != nil:
		operations = append(operations, m.record.delete())
	}
	if m.doc == nil || m.kind.Name != kindCluster {
		return operations, nil
	}
	config := emco.Kubeconfig(m.doc)
	if config == nil {
		return operations, nil
	}
	r, err := d.record(ctx, address{config.Collection, config.Key})
	if err != nil {
		return nil, err
	}
	maps.Copy(r.Tags, config.Tags)
	return append(operations, r.put()), nil
}

func (d *database) removeAll(ctx context.Context, a address) error {
	err := store.Transact(ctx, func() error {
		matches, err := d.matches(ctx, a)
		if err != nil || len(matches) == 0 {
			return err
		}
		var operations []store.Operation
		for _, m := range matches {
			deletion, err := d.deletion(ctx, m)
			if err != nil {
				return err
			}
			operations = append(operations, deletion...)
		}
		_, err = d.documents.Apply(ctx, operations, store.Options{})
		return retried(err)
	})
	if err != nil {
		return d.removeError(err)
	}
	return nil
}

func (d *database) removeTag(ctx context.Context, a address, tag string) error {
	kind, id, err := d.resource(a)
	if err != nil || !a.complete() {
		return err
	}
	if kind != nil && tag == tagData {
		return fmt.Errorf("the data of %s cannot be removed alone: remove the resource", a)
	}
	return store.Transact(ctx, func() error {
		var operations []store.Operation
		if kind != nil && emco.Holds(kind, tag) {
			doc, err := d.get(ctx, id)
			if err != nil {
				return err
			}
			parts, err := partsOf(doc)
			if err != nil {
				return err
			}
			if doc != nil {
				parts.Delete(tag)
				operations = append(operations, putParts(doc, parts, tag))
			}
		}
		if tag == emco.MemberConfig {
			cluster, err := d.clusterOf(ctx, a)
			if err != nil {
				return err
			}
			if cluster != nil && len(cluster.Content) > 0 {
				operations = append(operations, putFiles(cluster, nil))
			}
		}
		r, err := d.record(ctx, a)
		if err != nil {
			return err
		}
		if _, has := r.Tags[tag]; has {
			operations = append(operations, r.without(tag))
		}
		if len(operations) == 0 {
			return nil
		}
		_, err = d.documents.Apply(ctx, operations, store.Options{})
		return retried(err)
	})
}
