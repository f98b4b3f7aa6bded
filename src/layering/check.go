package layering

import (
	"context"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// A change is checked twice if there may be documents that the principal may not read. The first check sees the site as the
// principal does: the documents it sends together with those that depend only on documents it may read. All errors of this
// check are reported in full. The second check sees the whole site, as the service does: an error found only there is
// always reported as the same error. The documents that the principal sends may not depend on hidden ones, so this error
// reveals only names and labels, and that hidden documents depend on those that the principal changes.

// checkSeen checks a change as the principal sees the site, and returns the warnings.
func (r *Revisions) checkSeen(ctx context.Context, sc scope, from *head, was *site, c *change, claim func(index) error) (*dovetail.Errors, error) {
	for _, e := range c.put {
		if !c.given[placeOf(e)] && !sc.knows(e, c.fresh[e.content]) {
			return nil, notAllYours() // what it says was accepted from another principal
		}
	}
	seen := was.without(from.index, func(e entry, d *rendering.Document) bool { return !sc.takes(e, d) })
	if err := claim(seen); err != nil {
		return nil, err
	}
	next := c.apply(seen)
	documents := c.documents(next, was)
	for id, e := range next {
		if seen[id] != e {
			continue
		}
		if d, used := sc.standIn(e, documents[e.content]); used {
			documents[e.content] = d
		}
	}
	s := &step{
		from: &head{Revision: &Revision{index: seen}}, was: r.siteOf(seen, from.index, was),
		next: &Revision{index: next}, is: newSite(next, "", documents, was.options),
	}
	if id, dependent := sc.dependent(s, c); dependent {
		return nil, &dovetail.Error{Code: dovetail.CodeForbidden, Message: id.String() + " has a pattern or a DataSchema, and is made of a secret that you may use, but not read",
			Remedy: "substitute the secret without patterns in a document of a schema that no DataSchema checks, or have a principal that may read secrets put it"}
	}
	if err := s.broken(); err != nil {
		return nil, orUnreadable(err)
	}
	_, err := s.is.render(ctx)
	return s.is.links.Warnings(), orUnreadable(err)
}

// orUnreadable says of what does not exist that it may as well be unreadable.
func orUnreadable(err error) error {
	if err == nil {
		return nil
	}
	for _, part := range parts(err) {
		switch part.Reason {
		case rendering.ClassLayeringPolicyNotFound, rendering.ClassSubstitutionSourceNotFound:
			part.Message += ", or you may not read it and use it"
		case rendering.ClassInvalidDocumentReplacement:
			part.Message += ", as far as you may read"
		}
	}
	return err
}

// checkWhole checks the site as it would be with the change of a principal that may not read all of it.
func (sc scope) checkWhole(ctx context.Context, s *step, c *change, keep bool) error {
	put := c.ids()
	unknown := s.is.links.Derived(func(d *rendering.Document) bool { return !put[d.ID] && !sc.takes(s.next.index[d.ID], d) })
	for id := range put {
		if unknown[id] {
			return unreadableConflict()
		}
	}
	if _, dependent := sc.dependent(s, c); dependent {
		return unreadableConflict()
	}
	if err := s.check(ctx, keep); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return unreadableConflict()
	}
	return nil
}

// dependent returns a document that is made of one that the principal puts, and with it of a secret that it may use without
// knowing it, where what the secret says could be seen by what becomes of the document.
func (sc scope) dependent(s *step, c *change) (rendering.ID, bool) {
	put := c.ids()
	used := s.is.links.Derived(func(d *rendering.Document) bool {
		return d.Encrypted && !put[d.ID] && !sc.knows(s.next.index[d.ID], d)
	})
	if len(used) == 0 {
		return rendering.ID{}, false
	}
	made := s.is.links.Derived(func(d *rendering.Document) bool { return put[d.ID] && used[d.ID] })
	for _, d := range s.is.all {
		if made[d.ID] && s.is.links.LooksInto(d) {
			return d.ID, true
		}
	}
	return rendering.ID{}, false
}

func unreadableConflict() error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ClassUnreadableConflict, Message: "the documents do not fit together with others that you may not read",
		Remedy: "ask a principal that may read every layered document, or give yours other names, labels and selectors"}
}

// refusal takes out of an error of the store what the principal may not know.
func (sc scope) refusal(err error, c *change) error {
	err = refused(err)
	if !sc.limited() {
		return err
	}
	if dovetail.CodeOf(err) == dovetail.CodeForbidden {
		return notAllYours() // mayChange reports missing rights before this; the rights have changed since
	}
	for _, part := range parts(err) {
		switch {
		case part.BlockedBy != nil, len(part.Missing) > 0, part.Key != "" && !c.given[part.Key]:
			return unreadableConflict()
		}
	}
	return err
}

// check says what is wrong with the next revision as a whole. What rendering gives is kept if it is needed at once, or has
// most in common with what is kept already, and otherwise not, since there is something to do first that takes memory, which
// is to write it all down.
func (s *step) check(ctx context.Context, keep bool) error {
	if err := s.broken(); err != nil {
		return err
	}
	render := s.is.render
	if !keep && !s.isSmall() {
		render = unrendered(s.is.all, s.is.options).render
	}
	_, err := render(ctx)
	if e := dovetail.AsError(err); e != nil && e.Reason == rendering.ClassLayeringPolicyNotFound {
		policy := s.was.links.Policy()
		if policy == nil {
			return nil // it may come in another bucket
		}
		return &dovetail.Error{Code: dovetail.CodeInUse, Reason: ClassDocumentInUse, Err: e,
			Message: policy.ID.String() + " cannot go: there are documents, which cannot be rendered without a layering policy", Remedy: "put it, or remove all documents first"}
	}
	return err
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
		lost := func(d *rendering.Document, what string) {
			if _, still := s.next.index[d.ID]; still {
				return
			}
			if errs.Full() {
				errs.Count(1)
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
