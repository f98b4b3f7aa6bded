package changeset

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/store"
)

// ServiceName is what the service is called where services are chosen.
const ServiceName = "changeset"

// Options configure ChangeSets. The zero value is ready to use.
type Options struct {
	// Impacts say, by the name of a service, what changed documents do to what it derives.
	Impacts map[string]impact.Func
	// ImpactLimit is how many items the impact of a change set lists; 0 means 100.
	ImpactLimit int
	// ImpactTime is how long may be looked for them; 0 means 20 seconds.
	ImpactTime time.Duration
	// Carriers are the services that do again what was staged when it is merged, by their names.
	Carriers map[string]Carrier
	// Writer is what merges are written through, as to a Git repository too; default the store.
	Writer store.Applier
	// Repositories are those in which change sets are proposed as branches; default none.
	Repositories Repositories
	// Clock gives the time of reviews, merges and so on; default that of the store.
	Clock func() time.Time
	// Salt makes random text for the seals of operations; default rand.Text.
	Salt func() string
	// Protections are those that a merge needs approvals for; nil if there is none.
	Protections func(ctx context.Context) []dovetail.Protection
}

// ChangeSets are the change sets of a store. It is safe for concurrent use.
type ChangeSets struct {
	store   *store.Store
	options Options
	read    cache
}

// New returns the change sets of a store.
func New(s *store.Store, options Options) *ChangeSets {
	if options.ImpactLimit <= 0 {
		options.ImpactLimit = 100
	}
	if options.ImpactTime <= 0 {
		options.ImpactTime = 20 * time.Second
	}
	if options.Clock == nil {
		options.Clock = s.Now
	}
	if options.Salt == nil {
		options.Salt = rand.Text
	}
	if options.Writer == nil {
		options.Writer = s
	}
	if options.Protections == nil {
		options.Protections = func(context.Context) []dovetail.Protection { return nil }
	}
	return &ChangeSets{store: s, options: options}
}

// own is the context of what the service reads by itself.
func own(ctx context.Context) context.Context {
	return dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: dovetail.SystemPrefix + ServiceName})
}

// principal is who acts in a context.
func principal(ctx context.Context) *dovetail.Principal {
	if who := dovetail.PrincipalOf(ctx); who != nil {
		return who
	}
	return &dovetail.Principal{}
}

func (c *ChangeSets) now() time.Time { return c.options.Clock().UTC().Truncate(time.Millisecond) }

// load reads a change set that the principal may read. Its operations are all of it: what of them is shown, readable says.
func (c *ChangeSets) load(ctx context.Context, name string) (*changeSet, error) {
	for {
		cs, err := c.loadHead(ctx, name)
		if err != nil {
			return nil, err
		}
		var known bool
		if cs.operations, known = c.read.get(cs.doc.ETag()); known {
			return cs, cs.sealReviewed()
		}
		for doc, err := range c.store.Documents(own(ctx), store.ListQuery{Under: cs.id(), Kind: KindOperation}) {
			if err != nil {
				return nil, err
			}
			op, err := readOperation(doc)
			if err != nil {
				return nil, err
			}
			if op != nil {
				cs.operations = append(cs.operations, op)
			}
		}
		sortOperations(cs.operations)
		again, err := c.loadHead(ctx, name)
		if err != nil {
			return nil, err
		}
		if again.doc.ETag() == cs.doc.ETag() { // every edit writes it, so that the operations are those of this version
			c.read.put(cs.doc.ETag(), cs.operations)
			return cs, cs.sealReviewed()
		}
	}
}

// loadHead is load without the operations.
func (c *ChangeSets) loadHead(ctx context.Context, name string) (*changeSet, error) {
	id, err := idOf(name)
	if err != nil {
		return nil, err
	}
	doc, err := c.store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.readSettled(ctx, doc)
}

// readSettled makes a change set of its document, with the position of its base.
func (c *ChangeSets) readSettled(ctx context.Context, doc *dovetail.Document) (*changeSet, error) {
	cs, err := read(doc)
	if err != nil {
		return nil, err
	}
	return cs, c.settleBase(ctx, cs)
}

// readable says of each operation whether the principal may read its document, and how many it may not.
func (c *ChangeSets) readable(ctx context.Context, operations []*operation) (some []*operation, unreadable int) {
	reads := c.store.Readable(ctx)
	for _, op := range operations {
		if reads == nil || reads(op.Kind, op.ID) {
			some = append(some, op)
		}
	}
	return some, len(operations) - len(some)
}

// unreadable refuses what needs to know all that a change set stages. It names nothing.
func (cs *changeSet) unreadable() *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeForbidden, Reason: api.ReasonUnreadable, Key: cs.id(),
		Message: "the change set " + cs.name + " stages documents that you may not read", Remedy: "ask for a role that reads all of them"}
}
