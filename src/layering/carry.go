package layering

import (
	"context"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
)

// CarriedKinds are the kinds of the documents that Carry makes.
var CarriedKinds = []string{elementHead, elementDocument, elementContent, elementRevision, elementIndex, elementBucket, keyring.Element}

// Carry returns a function that does in a store what was done between two states of one: each later revision, or one that takes those back, is made again
// upon the newest. A document that was changed since the first state, too, in another way, is CodeConflict; other
// errors are those of PutAll. So a change set is merged into the newest revision, whatever that is.
func Carry(options Options) func(ctx context.Context, changed []dovetail.ID, from, to, onto *store.Store, resolve store.Resolutions) error {
	return func(ctx context.Context, _ []dovetail.ID, from, to, onto *store.Store, resolve store.Resolutions) error {
		return New(onto, options).carry(ctx, New(from, options), New(to, options), resolve)
	}
}

func (r *Revisions) carry(ctx context.Context, from, to *Revisions, resolve store.Resolutions) error {
	was, err := from.head(ctx)
	if err != nil {
		return err
	}
	is, err := to.head(ctx)
	if err != nil {
		return err
	}
	if is.Number <= was.Number {
		return r.carryStep(ctx, to, was.index, is.index, resolve)
	}
	before := was.index
	for number := was.Number + 1; number <= is.Number; number++ {
		next, err := to.Revision(own(ctx), number)
		if err != nil {
			return err
		}
		if err := r.carryStep(ctx, to, before, next.index, resolve); err != nil {
			return err
		}
		before = next.index
	}
	return nil
}

// carryStep carries the difference of two indexes, whose documents another store has.
func (r *Revisions) carryStep(ctx context.Context, to *Revisions, was, is index, resolve store.Resolutions) error {
	sc := r.scope(ctx)
	_, err := r.transact(ctx, sc, store.Options{}, func(now *head) (*step, error) {
		site, err := r.site(ctx, now.Revision)
		if err != nil {
			return nil, err
		}
		c, err := r.changeLike(now, was, is, resolve)
		if err != nil {
			return nil, err
		}
		put := make(index, len(c.put))
		for _, e := range c.put {
			put[e.id] = e
		}
		if c.fresh, err = to.contents(ctx, put); err != nil {
			return nil, err
		}
		return r.propose(ctx, proposal{scope: sc, from: now, was: site, options: PutOptions{StructureOnly: r.deckhand()},
			claim:  func(in index) error { return c.claim(in) },
			change: func() (*change, error) { return c, nil }})
	})
	return err
}

// changeLike returns the change that makes of the newest revision what another one was made of an earlier. resolve decides about documents that were
// changed since.
func (r *Revisions) changeLike(now *head, was, is index, resolve store.Resolutions) (*change, error) {
	c := &change{given: make(map[dovetail.ID]bool)}
	var conflicts dovetail.Errors
	// mayGo reports whether a document is still what it was, so that it may become what it is; if it is that already, there is nothing to do.
	mayGo := func(id rendering.ID) bool {
		before, had := was[id]
		next, stays := is[id]
		have, there := now.index[id]
		switch {
		case had == stays && next.says(before), there == stays && have.says(next):
			return false
		case there == had && have.says(before):
			return true
		}
		place := placeOf(next.orElse(before))
		take := resolve[place][""]
		if take == "" {
			conflicts.Add(&dovetail.Error{Code: dovetail.CodeConflict, Key: place, Message: id.String() + " was changed in the store since it was staged",
				Remedy: "take what is staged or what is stored with `dovetail changeset rebase`, or drop it from the change set"})
		}
		return take == api.TakeStaged
	}
	for _, e := range is.created() {
		if !mayGo(e.id) {
			continue
		}
		right := dovetail.RightCreate
		if have, there := now.index[e.id]; there && have.bucket == e.bucket {
			right = dovetail.RightUpdate
		} else if there {
			c.leave(have)
		}
		e.since = now.Number + 1
		c.put = append(c.put, e)
		c.given[placeOf(e)] = true
		c.needs = append(c.needs, store.Need{Right: right, ID: placeOf(e)})
	}
	for _, e := range was.sorted() {
		if _, stays := is[e.id]; !stays && mayGo(e.id) {
			c.leave(now.index[e.id])
		}
	}
	r.number(c, now)
	return c, conflicts.Err("layered documents were changed in the store since they were staged")
}

// says reports whether two entries are of the same content in the same bucket. Two that are not there are.
func (e entry) says(other entry) bool { return e.bucket == other.bucket && e.content == other.content }

// orElse returns the entry, or another one where it is not there.
func (e entry) orElse(other entry) entry {
	if e.bucket == "" {
		return other
	}
	return e
}

// claim returns an error where names keep the documents of a change from being those of their buckets.
func (c *change) claim(in index) error {
	rest := make(index, len(in)) // without what the change itself replaces
	for id, e := range in {
		rest[id] = e
	}
	for _, e := range c.left {
		delete(rest, e.id)
	}
	var contents []Content
	at := make(map[string]int)
	for _, e := range c.put {
		n, known := at[e.bucket]
		if !known {
			n = len(contents)
			at[e.bucket] = n
			contents = append(contents, Content{Bucket: e.bucket})
		}
		delete(rest, e.id)
		contents[n].Documents = append(contents[n].Documents, c.fresh[e.content])
	}
	return claim(rest, contents)
}

// mayStage returns an error in the view of a change set: what is not a state of documents cannot be carried over to another revision.
func (r *Revisions) mayStage(what string) error {
	if view, is := r.store.(*store.Store); is && view.Stored() != view {
		return &dovetail.Error{Code: dovetail.CodeUnprocessable, Message: "the service " + ServiceName + " cannot stage " + what + " in a change set",
			Remedy: "do it without --change-set, once the change set is merged"}
	}
	return nil
}
