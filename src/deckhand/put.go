package deckhand

import (
	"context"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/value"
)

// PutOptions say how to put a bucket.
type PutOptions struct {
	DryRun bool // check everything, change nothing
	// StructureOnly postpones all checks but those of single documents and of names to rendering.
	StructureOnly bool
}

// Written is what a write did, or would do.
type Written struct {
	Revision  *Revision             // the newest afterwards
	Documents []Raw                 // of the bucket, as they are there; their revision is that of the write
	Warnings  []*dovetail.Error     // what was let pass
	Changes   []layering.Difference // of a dry run: how rendering would change
}

// Raw is a document as it was put, with where it is.
type Raw struct {
	*layering.Document
	Bucket   string
	Revision int
}

// Put makes the documents the content of a bucket: those that it had and that are not given go. It makes a
// revision, unless nothing changes.
//
// Errors, all of them together, with the classes of package layering: documents that are there twice, or in
// another bucket (CodeExists); a second layering policy (CodeConflict); and, unless StructureOnly, everything that
// keeps the new revision from being rendered, and removals that would break another document (CodeInUse). As long as
// there is no layering policy in any bucket, the documents of a site cannot be checked together, and are not.
func (r *Revisions) Put(ctx context.Context, bucket string, documents []*layering.Document, o PutOptions) (*Written, error) {
	if why := dovetail.CheckValue(bucket); why != "" {
		return nil, badName("bucket", why)
	}
	documents = slices.Clone(documents)
	for i, d := range documents {
		var err error
		if documents[i], err = stripped(d); err != nil {
			return nil, err
		}
	}
	written := &Written{}
	s, err := r.transact(ctx, o.DryRun, func(from *head) (*step, error) {
		written.Revision = from.Revision
		if err := r.claim(from.Revision, bucket, documents); err != nil {
			return nil, err
		}
		next, fresh, err := r.replace(ctx, from, bucket, documents)
		if err != nil || next.same(from.index) {
			return nil, err
		}
		s, err := r.step(ctx, from, next, fresh)
		if err != nil {
			return nil, err
		}
		if !o.StructureOnly {
			err = s.check(o.DryRun)
		}
		return s, err
	})
	if err != nil {
		return nil, err
	}
	if s != nil {
		written.Revision, written.Warnings = s.next, s.is.links.Warnings()
		if o.DryRun {
			if written.Changes, err = r.shownChanges(ctx, s); err != nil {
				return nil, err
			}
		}
	}
	for _, d := range documents {
		written.Documents = append(written.Documents, Raw{d, bucket, written.Revision.Number})
	}
	return written, nil
}

// claim says what keeps the documents from being those of the bucket, as far as names tell.
func (r *Revisions) claim(in *Revision, bucket string, documents []*layering.Document) error {
	var errs dovetail.Errors
	errs.Add(layering.Conflicts(documents)...)
	var policy *layering.ID
	for id := range in.index {
		if id.Schema == layering.PolicySchema {
			policy = &id
		}
	}
	for _, d := range documents {
		e := entry{id: d.ID, bucket: bucket}
		if err := checkPlace(e); err != nil {
			err.Position = d.Position()
			errs.Add(err)
		}
		if have, is := in.index[d.ID]; is && have.bucket != bucket {
			errs.Add(&dovetail.Error{Code: dovetail.CodeExists, Reason: layering.ClassDuplicateDocumentExists, Position: d.Position(),
				Message: d.ID.String() + " is a document of the bucket " + have.bucket, Remedy: "put it there, or remove it from there first"})
		}
		if d.Schema == layering.PolicySchema && policy != nil && *policy != d.ID {
			errs.Add(&dovetail.Error{Code: dovetail.CodeConflict, Reason: layering.ClassSingletonDocumentConflict, Position: d.Position(),
				Message: "there is a layering policy already: " + policy.Name, Remedy: "change that one, or remove it first"})
		}
	}
	return errs.Err("the documents are refused")
}

// replace returns the index with the documents in the place of what the bucket has, and the documents that are not
// stored yet by the name of their content. A document that says what it said stays the entry that it is.
func (r *Revisions) replace(ctx context.Context, from *head, bucket string, documents []*layering.Document) (index, map[string]*layering.Document, error) {
	was, err := r.site(ctx, from.Revision)
	if err != nil {
		return nil, nil, err
	}
	next := make(index, len(from.index)+len(documents))
	for id, e := range from.index {
		if e.bucket != bucket {
			next[id] = e
		}
	}
	fresh := make(map[string]*layering.Document, len(documents))
	for _, d := range documents {
		old, had := from.index[d.ID]
		if had {
			if stored := was.documents[old.content]; stored.Encrypted == d.Encrypted && value.Equal(stored.Value(), d.Value()) {
				next[d.ID] = old
				continue
			}
		}
		e := entry{id: d.ID, bucket: bucket, content: r.nameOf(d), since: from.Number + 1}
		next[d.ID] = e
		fresh[e.content] = d
	}
	return next, fresh, nil
}

// Rollback makes a revision with the documents of an older one, 0 for none. It makes none when nothing changes. What
// was accepted once is not checked again. Errors: CodeNotFound.
func (r *Revisions) Rollback(ctx context.Context, number int) (*Revision, error) {
	target, err := r.Revision(ctx, number)
	if err != nil {
		return nil, err
	}
	result := &Revision{}
	s, err := r.transact(ctx, false, func(from *head) (*step, error) {
		result = from.Revision
		next := make(index, len(target.index))
		for id, e := range target.index {
			if have := from.index[id]; have.content == e.content && have.bucket == e.bucket {
				next[id] = have
				continue
			}
			e.since = from.Number + 1
			next[id] = e
		}
		if next.same(from.index) {
			return nil, nil
		}
		return r.step(ctx, from, next, nil)
	})
	if err != nil {
		return nil, err
	}
	if s != nil {
		return r.Revision(ctx, s.next.Number)
	}
	return result, nil
}

// check says what is wrong with the next revision as a whole. What rendering gives is kept if it is needed at once, and
// otherwise not, since there is something to do first that takes memory, which is to write it all down.
func (s *step) check(keep bool) error {
	if err := s.broken(); err != nil {
		return err
	}
	render := s.is.render
	if !keep {
		render = layering.Resolve(s.is.all, siteOptions).Render
	}
	_, err := render()
	if dovetail.AsError(err) != nil && dovetail.AsError(err).Reason == layering.ClassLayeringPolicyNotFound {
		return nil // it may come in another bucket
	}
	return err
}

// changes says how rendering would change. What cannot be rendered counts as nothing.
func (s *step) changes() []layering.Difference {
	was, err := s.was.render()
	if err != nil {
		was = &layering.Rendering{}
	}
	is, err := s.is.render()
	if err != nil {
		is = &layering.Rendering{}
	}
	return layering.Diff(was, is)
}

// broken refuses removals that would break a document that stays as it is: because it loses its policy, its
// parent without another one in its place, the document that it replaces, or a source.
func (s *step) broken() error {
	var errs dovetail.Errors
	for _, e := range s.next.index.sorted() {
		old, had := s.from.index[e.id]
		if !had || old.content != e.content {
			continue
		}
		was, is := s.was.links.Links(s.was.documents[old.content]), s.is.links.Links(s.is.documents[e.content])
		lost := func(d *layering.Document, what string) {
			if _, still := s.next.index[d.ID]; still {
				return
			}
			errs.Add(&dovetail.Error{Code: dovetail.CodeInUse, Reason: ClassDocumentInUse, Key: placeOf(s.from.index[d.ID]),
				Message:   d.ID.String() + " cannot go: " + e.id.String() + " needs it as its " + what,
				Remedy:    "change or remove that one in the same PUT, or put with validate=structure",
				BlockedBy: &dovetail.Blockers{IDs: []dovetail.ID{placeOf(e)}, Total: 1}})
		}
		if was.Policy != nil && is.Policy == nil {
			lost(was.Policy, "layering policy")
		}
		if was.Parent != nil && is.Parent == nil {
			lost(was.Parent, "parent")
		}
		if len(is.Sources) < len(was.Sources) {
			for _, source := range was.Sources {
				lost(source, "source")
			}
		}
	}
	err := errs.Err("")
	if e := dovetail.AsError(err); errs.Total() > 1 {
		e.Message = "the removal would break " + strconv.Itoa(errs.Total()) + " documents"
	}
	return err
}
