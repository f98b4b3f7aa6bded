package resolution

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
)

// loadActors reads the actors of all sets.
func (c *controller) loadActors(ctx context.Context) error {
	for doc, err := range c.store.Documents(ctx, store.ListQuery{Kind: fleet.Kind}) {
		if err != nil {
			return err
		}
		c.setActor(doc)
	}
	return nil
}

// setChanged takes a change of a set in.
func (c *controller) setChanged(change store.EventChange) {
	name := change.ID.Key()[0].Value
	switch {
	case change.Document != nil:
		c.setActor(change.Document)
	case change.Op == store.Deleted && c.actors[name].IsOf(change.UID):
		delete(c.actors, name)
	}
}

// setActor notes the actor of a set, and queues the ActiveResolutions of the set that were forbidden so far.
func (c *controller) setActor(set *dovetail.Document) {
	actor, err := fleet.ActorOf(set)
	if err != nil {
		c.options.Log.Error("a set of resolutions cannot be read", "set", set.ID, "error", err)
		return
	}
	name := set.Key()[0].Value
	c.actors[name] = actor
	for _, id := range sorted(c.known) {
		if k := c.known[id]; k.set == name && k.settled != nil && k.settled.forbidden {
			c.queue(id)
		}
	}
}

// permitted returns the answer to the request of a set whose actor no longer has the rights for it; nil if it has them, or if no set asks.
func (r *reconciler) permitted(ctx context.Context, req *state.Request, id dovetail.ID, by *fleet.Actor) (*answered, error) {
	if by == nil {
		return nil, nil
	}
	err := r.store.MayAct(ctx, by.Set, by.Principal, by.Needs(id))
	if err == nil || dovetail.CodeOf(err) != dovetail.CodeForbidden {
		return nil, err
	}
	return &answered{Answer: state.Answer{Err: err}, spec: req.Spec}, nil
}
