package layering

import (
	"context"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
)

// PutOptions say how to put a bucket.
type PutOptions struct {
	store.Options // of the transaction
	// Answer, if not nil, is store.Options.Answer, given what the write does.
	Answer func(*Written) ([]byte, error)
	// StructureOnly postpones all checks but those of single documents and of names to rendering.
	StructureOnly bool
	// Precondition refuses the write, with CodeStale, unless it holds of the newest revision.
	Precondition Precondition
}

// Content is what a bucket shall hold.
type Content struct {
	Bucket    string
	Documents []*rendering.Document
}

// Written is what a write did, or would do.
type Written struct {
	Revision  *Revision              // the newest afterwards
	Unchanged bool                   // it made no revision
	Documents []Raw                  // of the buckets, as they are there; their revision is that of the write
	Warnings  *dovetail.Errors       // what was accepted: the first of them, and how many there are
	Changes   []rendering.Difference // of a dry run: how rendering would change
}

// Raw is a document as it was put, with where it is.
type Raw struct {
	*rendering.Document
	Bucket   string
	Revision int
}

// Put is PutAll of one bucket.
func (r *Revisions) Put(ctx context.Context, bucket string, documents []*rendering.Document, o PutOptions) (*Written, error) {
	return r.PutAll(ctx, []Content{{bucket, documents}}, o)
}

// PutAll makes documents the contents of buckets, in one revision: those that the buckets had and that are not given go, or
// move to the bucket that they are given in. It makes no revision when nothing changes.
//
// Errors, all of them together, with the classes of package rendering: documents that are duplicates, or in
// a bucket that is not given (CodeExists); a second layering policy (CodeConflict); and, unless StructureOnly, everything that
// keeps the new revision from being rendered, and removals that would break another document (CodeInUse). As long as
// there is no layering policy in any bucket, the documents of a site cannot be checked together, and are not.
func (r *Revisions) PutAll(ctx context.Context, given []Content, o PutOptions) (*Written, error) {
	contents := make([]Content, len(given))
	for i, c := range given {
		if why := dovetail.CheckValue(c.Bucket); why != "" {
			return nil, badName("bucket", why)
		}
		if slices.ContainsFunc(given[:i], func(other Content) bool { return other.Bucket == c.Bucket }) {
			return nil, badName("bucket", "is given twice")
		}
		contents[i].Bucket = c.Bucket
		for _, d := range c.Documents {
			contents[i].Documents = append(contents[i].Documents, d.Trimmed())
		}
	}
	o.StructureOnly = o.StructureOnly || r.deckhand() // its clients expect the other errors of rendering
	sc := r.scope(ctx)
	if err := sc.mayPut(o); err != nil {
		return nil, err
	}
	written := &Written{}
	if o.Answer != nil {
		o.Options.Answer = func(*store.Result) ([]byte, error) { return o.Answer(written) }
	}
	s, err := r.transact(ctx, sc, o.Options, func(from *head) (*step, error) {
		if err := r.meets(ctx, sc, o.Precondition, from.Revision, contents); err != nil {
			return nil, err
		}
		claim := func(in index) error { return claim(in, contents) }
		was, err := r.site(ctx, from.Revision)
		if err != nil {
			return nil, err
		}
		s, err := r.propose(ctx, proposal{scope: sc, from: from, was: was, claim: claim, options: o,
			change: func() (*change, error) { return r.changeTo(sc, from, was, contents), nil }})
		*written = writtenBy(s, from, contents)
		return s, err
	})
	if err == nil && s != nil && o.DryRun {
		written.Changes, err = r.changes(ctx, sc, s)
	}
	if err != nil {
		return nil, err
	}
	return written, nil
}

// writtenBy returns what a step from the newest revision writes; nil is for no step.
func writtenBy(s *step, from *head, contents []Content) Written {
	w := Written{Revision: from.Revision, Unchanged: s == nil, Warnings: &dovetail.Errors{}}
	if s != nil {
		w.Revision, w.Warnings = s.next, s.warnings
	}
	for _, c := range contents {
		for _, d := range c.Documents {
			w.Documents = append(w.Documents, Raw{d, c.Bucket, w.Revision.Number})
		}
	}
	return w
}

// proposal is a requested change of the newest revision.
type proposal struct {
	scope   scope // of the principal
	from    *head
	was     *site // of from
	claim   func(index) error
	change  func() (*change, error)
	options PutOptions
	trusted bool // the principal may read everything, and the change was checked before
}

// propose makes the step to what is proposed, if the principal may go there, and everything fits together; nil when nothing
// changes. What the request itself and rights tell comes first, so that a refusal depends on nothing else.
func (r *Revisions) propose(ctx context.Context, p proposal) (*step, error) {
	limited := p.scope.limited()
	known := p.from.index
	if limited {
		known = nil
	}
	if err := p.claim(known); err != nil {
		return nil, err
	}
	c, err := p.change()
	if err != nil {
		return nil, err
	}
	if err := r.mayChange(ctx, p.scope, c, p.options.DryRun); err != nil || c.empty() {
		return nil, err
	}
	if err := p.scope.controls(c); err != nil {
		return nil, err
	}
	warnings := &dovetail.Errors{}
	if limited {
		if warnings, err = r.checkSeen(ctx, p.scope, p.from, p.was, c, p.claim); err != nil {
			return nil, err
		}
		if err := p.claim(p.from.index); err != nil {
			return nil, unreadableConflict()
		}
	}
	s, err := r.step(ctx, p.from, c.apply(p.from.index), c.fresh)
	if err != nil {
		return nil, err
	}
	s.change, s.warnings, s.next.rows = c, warnings, c.rows
	switch {
	case limited:
		err = p.scope.checkWhole(ctx, s, c, p.options.DryRun)
	case !p.trusted:
		s.warnings = s.is.links.Warnings()
		if !p.options.StructureOnly {
			err = s.check(ctx, p.options.DryRun)
		}
	}
	return s, err
}

// claim says what keeps the documents from being those of the buckets, as far as names tell.
func claim(in index, contents []Content) error {
	var errs dovetail.Errors
	var documents []*rendering.Document
	given := make(map[string]bool, len(contents))
	for _, c := range contents {
		documents = append(documents, c.Documents...)
		given[c.Bucket] = true
	}
	errs.Merge(rendering.Conflicts(documents))
	var policy *rendering.ID
	for id := range in {
		if id.Schema == rendering.PolicySchema {
			policy = &id
		}
	}
	add := func(e dovetail.Error) {
		if errs.Full() {
			errs.Count(1)
			return
		}
		errs.Add(&e)
	}
	check := func(bucket string, d *rendering.Document) {
		if err := checkPlace(entry{id: d.ID, bucket: bucket}); err != nil {
			err.Position = d.Position()
			add(*err)
		}
		if have, is := in[d.ID]; is && !given[have.bucket] {
			add(dovetail.Error{Code: dovetail.CodeExists, Reason: rendering.ClassDuplicateDocumentExists, Position: d.Position(),
				Message: d.ID.String() + " is a document of the bucket " + have.bucket, Remedy: "put it there, or move it by putting both buckets at once"})
		}
		if d.Schema == rendering.PolicySchema && policy != nil && *policy != d.ID {
			add(dovetail.Error{Code: dovetail.CodeConflict, Reason: rendering.ClassSingletonDocumentConflict, Position: d.Position(),
				Message: "there is a layering policy already: " + policy.Name, Remedy: "change that one, or remove it first"})
		}
	}
	for _, c := range contents {
		for _, d := range c.Documents {
			check(c.Bucket, d)
		}
	}
	return errs.Err("the documents are refused")
}

// Rollback makes a revision with the documents of an older one, 0 if there is none. It makes none when nothing changes. What
// was accepted once is not checked again. Errors: CodeNotFound.
func (r *Revisions) Rollback(ctx context.Context, number int, options store.Options) (*Revision, error) {
	if options.Key != "" && !options.DryRun {
		if done, err := r.store.Replay(ctx, nil, options); done != nil || err != nil {
			return r.madeBy(ctx, done, err)
		}
	}
	target, err := r.Revision(ctx, number)
	if err != nil {
		return nil, err
	}
	sc := r.scope(ctx)
	result := &Revision{}
	s, err := r.transact(ctx, sc, options, func(from *head) (*step, error) {
		result = from.Revision
		was, err := r.site(ctx, from.Revision)
		if err != nil {
			return nil, err
		}
		return r.propose(ctx, proposal{scope: sc, from: from, was: was, trusted: true, claim: func(index) error { return nil },
			change: func() (*change, error) {
				c := r.changeBack(from, target)
				if !sc.limited() {
					return c, nil
				}
				put := make(index, len(c.put))
				for _, e := range c.put {
					put[e.id] = e
				}
				var err error
				c.fresh, err = r.contents(ctx, put)
				return c, err
			}})
	})
	if err != nil {
		return nil, err
	}
	if s != nil && !options.DryRun {
		return r.Revision(own(ctx), s.next.Number)
	}
	return result, nil
}

// madeBy returns the revision that a transaction made, or the newest one if it made none.
func (r *Revisions) madeBy(ctx context.Context, done *store.Result, err error) (*Revision, error) {
	if err != nil {
		return nil, err
	}
	for _, outcome := range done.Outcomes {
		number, err := strconv.Atoi(lastValue(outcome.Document.ID))
		if outcome.Document.Kind == elementRevision && err == nil {
			return r.Revision(own(ctx), number)
		}
	}
	now, err := r.headOf(ctx, done)
	if err != nil {
		return nil, err
	}
	return now.Revision, nil
}

// headOf returns the newest revision of when a transaction kept it; of now, if the principal may not read it.
func (r *Revisions) headOf(ctx context.Context, done *store.Result) (*head, error) {
	if len(done.Outcomes) == 1 && done.Outcomes[0].Document.Data != nil {
		return r.readHead(own(ctx), done.Outcomes[0].Document)
	}
	return r.head(ctx)
}

// changes says how rendering would change, as far as the principal may know it. What cannot be rendered counts as nothing.
func (r *Revisions) changes(ctx context.Context, sc scope, s *step) ([]rendering.Difference, error) {
	was, is := s.was, s.is
	if sc.limited() {
		hides := func(e entry, _ *rendering.Document) bool { return !sc.reads(e) }
		was = r.siteOf(was.without(s.from.index, hides), s.from.index, was)
		is = r.siteOf(is.without(s.next.index, hides), s.next.index, is)
	}
	var renderings [2]*rendering.Rendering
	for i, of := range []*site{was, is} {
		var err error
		if renderings[i], err = of.render(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			renderings[i] = &rendering.Rendering{}
		}
	}
	if sc.secrets {
		return rendering.Diff(renderings[0], renderings[1]), nil
	}
	return rendering.DiffRedacted(renderings[0], renderings[1]), nil
}
