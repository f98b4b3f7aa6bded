package layering

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The problems of revisions.
const (
	ProblemHead     = "layering-head"     // the head is not the newest revision
	ProblemRevision = "layering-revision" // a revision is missing, or its index cannot be read or was changed since
	ProblemDocument = "layering-document" // a layered document is not that of the newest revision
	ProblemContent  = "layering-content"  // a revision has a document that is not stored, was changed, or cannot be decrypted
)

// verified is how many contents are read at a time.
const verified = 500

// Rules returns what the service knows of its documents. keys, if not nil, open what is encrypted.
func Rules(keys envelope.Wrapper) store.Service {
	return store.Service{Verify: func(ctx context.Context, then *store.Store) iter.Seq2[store.Defect, error] {
		return func(yield func(store.Defect, error) bool) {
			v := verification{ctx: own(ctx), r: New(then, Options{Keys: keys}), keys: keys != nil, seen: make(map[string]bool)}
			if err := v.all(); err != nil {
				yield(store.Defect{}, err)
				return
			}
			for _, d := range v.defects {
				if !yield(d, nil) {
					return
				}
			}
		}
	}}
}

// verification is one check of all revisions.
type verification struct {
	ctx     context.Context
	r       *Revisions
	keys    bool
	seen    map[string]bool // contents that were checked
	index   index           // of the last revision that could be read
	defects []store.Defect
}

func (v *verification) found(problem string, id dovetail.ID, repair []store.Operation, format string, args ...any) {
	v.defects = append(v.defects, store.Defect{Finding: store.Finding{Problem: problem, ID: id, Message: string(id) + ": " + fmt.Sprintf(format, args...)}, Repair: repair})
}

// all checks the revisions in their order, and the head and the documents against the newest.
func (v *verification) all() error {
	revisions, err := v.r.all(v.ctx)
	if err != nil {
		return err
	}
	newest := 0
	for _, doc := range revisions {
		of, err := readRevision(doc)
		if err != nil {
			v.found(ProblemRevision, doc.ID, nil, "it is no revision; restore it from a backup")
			continue
		}
		for newest++; newest < of.Number; newest++ {
			v.found(ProblemRevision, revisionID(newest), nil, "the revision is missing, and there are later ones; restore it from a backup")
		}
		if err := v.revision(doc, of); err != nil {
			return err
		}
	}
	deleting, err := v.head(newest)
	if err != nil || deleting {
		return err
	}
	return v.documents(newest)
}

// difference reads the index of a revision, and reports whether it can be read.
func (v *verification) difference(at *dovetail.Document) (difference, bool) {
	d, err := readDifference(at)
	if err != nil {
		v.found(ProblemRevision, at.ID, nil, "the index cannot be read; restore it from a backup")
	}
	return d, err == nil
}

// revision checks the index of a revision, and the contents that it names first.
func (v *verification) revision(doc *dovetail.Document, of *Revision) error {
	documents, err := v.r.store.GetAll(v.ctx, []dovetail.ID{indexID(of.Number)})
	if err != nil {
		return err
	}
	at := documents[0]
	if at == nil {
		v.found(ProblemRevision, doc.ID, nil, "the index of the revision is missing; restore it from a backup")
		return nil
	}
	d, readable := v.difference(at)
	if !readable {
		return nil
	}
	if at.Revision > doc.Revision && at.Schema == doc.Schema {
		v.found(ProblemRevision, at.ID, nil, "the index was changed after the revision was made; `dovetail history %s` has what it was", at.ID)
	}
	if of.whole == of.Number {
		v.index = make(index)
	}
	v.index = v.index.apply(d)
	for _, e := range d.put {
		if e.since > of.Number {
			v.found(ProblemRevision, at.ID, nil, "%s came with revision %d, which is later; restore it from a backup", e.id, e.since)
		}
	}
	return v.contents(d.put)
}

// contents checks that what entries name is stored, and can be read.
func (v *verification) contents(entries []entry) error {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e entry) bool {
		known := v.seen[e.content]
		v.seen[e.content] = true
		return known
	})
	for part := range slices.Chunk(entries, verified) {
		some := make(index, len(part))
		for _, e := range part {
			some[e.id] = e
		}
		if _, err := v.r.contents(v.ctx, some); err == nil {
			continue
		}
		for _, e := range part {
			_, err := v.r.contents(v.ctx, index{e.id: e})
			switch code := dovetail.CodeOf(err); {
			case err == nil, !v.keys && dovetail.AsError(err).Reason == keyring.ReasonNoKey:
			case code == dovetail.CodeUnavailable, code == dovetail.CodeTimeout, code == dovetail.CodeCanceled:
				return err
			default:
				v.found(ProblemContent, contentID(e.content), nil, "%s of revision %d cannot be read: %s; restore it from a backup, or put the bucket %s again", e.id, e.since, dovetail.AsError(err).Message, e.bucket)
			}
		}
	}
	return nil
}

// head checks the head, and reports whether all revisions are being deleted.
func (v *verification) head(newest int) (deleting bool, err error) {
	documents, err := v.r.store.GetAll(v.ctx, []dovetail.ID{headID})
	if err != nil {
		return false, err
	}
	repair, number := headOperation(newest), 0
	if doc := documents[0]; doc != nil {
		data, err := value.DataOf(doc, nil)
		if err != nil {
			return false, err
		}
		number, _ = strconv.Atoi(textOf(data.At("spec", "revision"))) // one that is no number is not that of a revision
		repair.Verb, repair.IfMatch = store.Put, []dovetail.ETag{doc.ETag()}
		if deleting = number == 0 && data.At("spec", "deleted") != nil; deleting && newest == 0 {
			return true, nil
		}
	}
	if number != newest {
		v.found(ProblemHead, headID, []store.Operation{repair}, "it says that revision %d is the newest, but that is %d", number, newest)
	}
	return false, nil
}

// documents checks that the layered documents are those of the newest revision.
func (v *verification) documents(newest int) error {
	missing := make(map[dovetail.ID]entry, len(v.index))
	for _, e := range v.index {
		missing[placeOf(e)] = e
	}
	for q := (store.ListQuery{Kind: elementDocument, Limit: verified}); ; {
		page, err := v.r.store.List(v.ctx, q)
		if err != nil {
			return err
		}
		for _, doc := range page.Documents {
			e, is := missing[doc.ID]
			delete(missing, doc.ID)
			if !is {
				v.found(ProblemDocument, doc.ID, nil, "revision %d does not have it; put the bucket again, so that a revision has it or it is deleted", newest)
				continue
			}
			data, err := value.DataOf(doc, nil)
			if err != nil {
				return err
			}
			if content := textOf(data.At("spec", keyring.MemberContent)); content != e.content {
				v.found(ProblemDocument, doc.ID, nil, "revision %d has another content of it; put the bucket again", newest)
			}
		}
		if q.After, q.Position = page.Next, page.Position; q.After == "" {
			break
		}
	}
	for _, id := range slices.Sorted(maps.Keys(missing)) {
		v.found(ProblemDocument, id, nil, "revision %d has it, but it is not stored; put the bucket again, or roll back to the revision", newest)
	}
	return nil
}
