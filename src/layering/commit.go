package layering

import (
	"context"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// maxDifferences bounds how many indexes one revision is put together from: after so many that are differences one is
// stored whole. A whole index is about a twentieth of the documents, so that hundreds of small revisions cost little.
const maxDifferences = 64

// step is the way from the newest revision to the next.
type step struct {
	from  *head
	next  *Revision
	was   *site // of from
	is    *site // of next
	fresh map[string]*rendering.Document

	change   *change
	warnings *dovetail.Errors // that the principal may know
}

// isSmall reports whether few of the documents change, so that most of what was rendered of the last revision is that of the next,
// and both together take little more memory than one.
func (s *step) isSmall() bool { return len(s.fresh) <= len(s.next.index)/maxFresh }

// maxFresh is which part of the documents of a revision may be new in a small step.
const maxFresh = 10

// transact has the next revision computed from the newest, and commits it, again until no other writer comes
// between. A step of nil means that there is nothing to do: then only the idempotency key is kept, with the newest revision.
func (r *Revisions) transact(ctx context.Context, sc scope, options store.Options, compute func(from *head) (*step, error)) (s *step, err error) {
	err = store.Transact(ctx, func() error {
		from, err := r.head(ctx)
		if err != nil {
			return err
		}
		if from.deleting() {
			if err := r.awaitDeletion(ctx); err != nil {
				return err
			}
			if from, err = r.head(ctx); err != nil {
				return err
			}
		}
		if s, err = compute(from); err != nil {
			return err
		}
		if s == nil {
			return r.keepKey(ctx, from, options)
		}
		err = r.commit(ctx, s, options)
		switch {
		case err == nil && !options.DryRun:
			r.cache.keepSite(s.is)
		case isOutdated(err):
			return store.Retry(err)
		case err != nil:
			return sc.refusal(err, s.change)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// keepKey keeps the idempotency key of a request that changes nothing: what comes after a revision is not changed by a repetition.
func (r *Revisions) keepKey(ctx context.Context, from *head, options store.Options) error {
	if options.Key == "" || options.DryRun {
		return nil
	}
	var same []store.Operation
	if from.doc != nil {
		op := headOperation(from.Number)
		op.Verb, op.IfMatch = store.Put, []dovetail.ETag{from.doc.ETag()}
		same = append(same, op)
	}
	options.Managed, options.Needs = true, []store.Need{}
	_, err := r.store.Apply(ctx, same, options)
	if isOutdated(err) {
		return store.Retry(err)
	}
	return err
}

// step makes the way to an index. fresh are documents, by the name of their content, that are not stored yet.
func (r *Revisions) step(ctx context.Context, from *head, next index, fresh map[string]*rendering.Document) (*step, error) {
	was, err := r.site(ctx, from.Revision)
	if err != nil {
		return nil, err
	}
	s := &step{from: from, was: was, fresh: fresh,
		next: &Revision{Number: from.Number + 1, digest: next.digest(), index: next, whole: from.whole}}
	if s.next.Number-s.next.whole >= maxDifferences || from.Number == 0 {
		s.next.whole = s.next.Number
	}
	if s.is = r.cache.site(s.next.digest); s.is != nil {
		return s, nil
	}
	documents := make(map[string]*rendering.Document, len(next))
	missing := make(index)
	for _, e := range next {
		switch d := fresh[e.content]; {
		case d != nil:
			documents[e.content] = d
		case was.documents[e.content] != nil:
			documents[e.content] = was.documents[e.content]
		default:
			missing[e.id] = e
		}
	}
	old, err := r.contents(ctx, missing)
	if err != nil {
		return nil, err
	}
	for name, d := range old {
		documents[name] = d
	}
	if s.isSmall() {
		s.is = was.next(next, s.next.digest, documents)
	} else {
		s.is = newSite(next, s.next.digest, documents, was.options)
	}
	return s, nil
}

// commit writes a step in one transaction: the revision with its index, the documents that change or whose references
// do, what the old ones said, and the head.
func (r *Revisions) commit(ctx context.Context, s *step, options store.Options) error {
	operations, err := r.documentOperations(ctx, s)
	if err != nil {
		return err
	}
	before := s.from.index
	if s.next.whole == s.next.Number {
		before = nil
	}
	d := s.next.index.differenceFrom(before)
	d.rows = s.next.rows
	shown := s.next.Buckets()
	if r.deckhand() {
		shown = s.change.buckets()
	}
	operations = append(operations, revisionOperations(s.next, shown, d)...)
	moved := headOperation(s.next.Number)
	if s.from.doc != nil {
		moved.Verb, moved.IfMatch = store.Put, []dovetail.ETag{s.from.doc.ETag()}
	}
	options.Managed, options.Needs = true, s.change.needs
	_, err = r.store.Apply(ctx, append(operations, moved), options)
	return err
}

// revisionOperations write a revision and its index.
func revisionOperations(of *Revision, buckets []string, d difference) []store.Operation {
	list := value.NewList()
	for _, b := range buckets {
		list.Items = append(list.Items, value.NewString(b))
	}
	return []store.Operation{
		{Verb: store.Create, ID: revisionID(of.Number), Data: value.NewMap(nameMember(strconv.Itoa(of.Number)), specMember(
			value.Member{Name: "whole", Value: value.NewNumber(int64(of.whole))})),
			// Only a principal that may read all documents gets the names of the buckets.
			Status: value.NewMap(value.Member{Name: "buckets", Value: list}), Inputs: []dovetail.ID{dovetail.AllOf(elementDocument)}},
		{Verb: store.Create, ID: indexID(of.Number), Data: d.data()},
	}
}

// headOperation writes which revision is the newest.
func headOperation(number int) store.Operation {
	return store.Operation{Verb: store.Create, ID: headID, Data: value.NewMap(nameMember(headName), specMember(value.Member{Name: "revision", Value: value.NewNumber(int64(number))}))}
}

func specMember(members ...value.Member) value.Member {
	return value.Member{Name: "spec", Value: value.NewMap(members...)}
}

// documentOperations writes the documents of the newest revision as the next one has them.
func (r *Revisions) documentOperations(ctx context.Context, s *step) ([]store.Operation, error) {
	operations := make([]store.Operation, 0, len(s.fresh)+16) // of changes in other documents there are few
	was, is := newSpecs(s.was, s.from.index), newSpecs(s.is, s.next.index)
	said := make(map[string]bool, len(s.next.index)) // by the documents of the next revision
	changed := s.next.index.where(func(e entry) bool {
		said[e.content] = true
		old, had := s.from.index[e.id]
		same := had && old.content == e.content && old.bucket == e.bucket && old.since == e.since
		return !same || !sameLinks(was, is, e) && !value.Equal(was.of(old), is.of(e))
	})
	for _, bucket := range s.next.index.buckets() {
		operations = append(operations, store.Operation{Verb: store.Put, ID: bucketID(bucket), Data: value.NewMap(nameMember(bucket))})
	}
	for _, e := range changed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, key, err := r.text(ctx, e.content, s.is.documents[e.content])
		if err != nil {
			return nil, err
		}
		spec := is.of(e)
		if key != "" {
			spec.Set(keyring.Element, value.NewString(key))
		}
		verb := store.Create
		if old, had := s.from.index[e.id]; had && old.bucket == e.bucket {
			verb = store.Put
		}
		operations = append(operations, store.Operation{Verb: verb, ID: placeOf(e), Data: value.NewMap(nameMember(e.id.Name), value.Member{Name: "spec", Value: spec}, text)})
	}
	leaves := func(old entry) bool {
		now, stays := s.next.index[old.id]
		return !stays || now.bucket != old.bucket
	}
	for _, old := range s.from.index.where(func(old entry) bool { return !said[old.content] || leaves(old) }) {
		if !said[old.content] {
			said[old.content] = true
			op, err := r.archive(ctx, old.content, s.was.documents[old.content])
			if err != nil {
				return nil, err
			}
			operations = append(operations, op)
		}
		if leaves(old) {
			operations = append(operations, store.Operation{Verb: store.Delete, ID: placeOf(old)})
		}
	}
	return operations, nil
}

// isOutdated reports whether a step failed only because its base has changed: there is a newer revision, or the data key was
// rotated.
func isOutdated(err error) bool {
	return store.IsConflict(err) || err != nil && slices.ContainsFunc(parts(err), func(part *dovetail.Error) bool {
		return part.Code == dovetail.CodeMissing && slices.ContainsFunc(part.Missing, isKey)
	})
}

func isKey(id dovetail.ID) bool { return id.Key()[0].Name == keyring.Element }

// refused makes an error of the store one of a document: who put it knows of no operations.
func refused(err error) error {
	e := *dovetail.AsError(err)
	e.Index = 0
	parts := e.Errors
	e.Errors = nil
	for _, part := range parts {
		p := *part
		p.Index = 0
		e.Errors = append(e.Errors, &p)
	}
	return &e
}
