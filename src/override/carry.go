package override

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// CarriedKinds are the kinds of the documents that Carry makes.
var CarriedKinds = []string{kindAssociation, kindEffectiveSetPart}

// MadeOf reports whether generated files may be made of a document: of those below their environment.
func MadeOf(id dovetail.ID) bool {
	key := id.Key()
	return len(key) > 1 && key[1].Name == kindEnvironment
}

// Carry returns a function that does in a store what was done between two states of one to associations and generated files: what was associated
// gets a place among those that there are now, and files are calculated again from what there is then. What was changed since the first
// state, too, in another way, is CodeConflict.
func Carry(options Options) func(ctx context.Context, changed []dovetail.ID, from, to, onto *store.Store, resolve store.Resolutions) error {
	return func(ctx context.Context, changed []dovetail.ID, from, to, onto *store.Store, resolve store.Resolutions) error {
		c := &carrying{resolve: resolve, from: New(Stored{Store: from}, options), to: New(Stored{Store: to}, options), onto: New(Stored{Store: unchecked{onto}}, options), store: onto}
		if err := c.associations(ctx, changed); err != nil {
			return err
		}
		return c.parts(ctx, changed)
	}
}

// unchecked is a view that is written without rights: whoever commits it needs them.
type unchecked struct{ *store.Store }

// Apply implements Store.
func (u unchecked) Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error) {
	options.Managed, options.Needs = true, []store.Need{}
	return u.Store.Apply(ctx, operations, options)
}

// own is the context of what the service reads for others, who do not see it.
func own(ctx context.Context) context.Context {
	return dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: dovetail.SystemPrefix + ServiceName})
}

type carrying struct {
	from, to, onto *Overrides
	store          *store.Store // that onto writes to
	resolve        store.Resolutions
	conflicts      dovetail.Errors
}

// states are the three states of a document.
type states struct{ was, is, now stored }

func (c *carrying) read(ctx context.Context, id dovetail.ID) (s states, err error) {
	for o, into := range map[*Overrides]*stored{c.from: &s.was, c.to: &s.is, c.onto: &s.now} {
		if *into, err = o.read(own(ctx), id); err != nil {
			return s, err
		}
	}
	return s, nil
}

// mayGo reports whether a document is still what it was, so that it may become what it is. If it is that already, there is nothing to do.
func (c *carrying) mayGo(s states, says func(stored) *value.Value) bool {
	alike := func(a, b stored) bool {
		return (a.doc == nil) == (b.doc == nil) && (a.doc == nil || value.Equal(says(a), says(b)))
	}
	switch {
	case alike(s.was, s.is), alike(s.now, s.is):
		return false
	case alike(s.now, s.was):
		return true
	}
	take := c.resolve[s.is.id][""]
	if take == "" {
		c.conflict(s.is.id)
	}
	return take == api.TakeStaged
}

func (c *carrying) conflict(id dovetail.ID) {
	c.conflicts.Add(&dovetail.Error{Code: dovetail.CodeConflict, Key: id, Message: string(id) + " was changed in the store since it was staged",
		Remedy: "take what is staged or what is stored with `dovetail changeset rebase`, or drop it from the change set"})
}

func (c *carrying) apply(ctx context.Context, operations []store.Operation) error {
	if err := c.conflicts.Err("what the service " + ServiceName + " made was changed in the store since it was staged"); err != nil || len(operations) == 0 {
		return err
	}
	_, err := c.onto.documents.Apply(own(ctx), operations, Change{Of: operations[0].ID})
	return dovetail.WithoutIndex(err)
}

// associations carries those that were changed.
func (c *carrying) associations(ctx context.Context, changed []dovetail.ID) error {
	var operations []store.Operation
	var groups []group
	content := make(map[dovetail.ID]*value.Value) // of those that are changed or added
	for _, id := range changed {
		if key := id.Key(); key[len(key)-1].Name != kindAssociation {
			continue
		}
		s, err := c.read(ctx, id)
		if err != nil {
			return err
		}
		for _, of := range []stored{s.was, s.is} {
			if a, ok := associationOf(of); ok && !slices.Contains(groups, a.group()) {
				groups = append(groups, a.group())
			}
		}
		switch {
		case !c.mayGo(s, withoutOrder):
		case s.is.doc == nil:
			operations = append(operations, s.now.remove())
		default:
			content[id] = s.is.data
		}
	}
	for _, op := range operations {
		content[op.ID] = nil
	}
	for _, g := range groups {
		ordered, err := c.arrange(ctx, g, content)
		if err != nil {
			return err
		}
		operations = append(operations, ordered...)
	}
	return c.apply(ctx, operations)
}

func (a association) group() group { return group{a.environment, a.context, a.object} }

// withoutOrder is what an association says beside its place.
func withoutOrder(s stored) *value.Value {
	data := s.data.Unplaced()
	if spec := data.Get(memberSpec); spec != nil {
		spec.Delete(memberOrder)
	}
	return data
}

// arrange returns the operations that give a group its order, with the content that some associations get; nil is that of those that are removed.
func (c *carrying) arrange(ctx context.Context, g group, content map[dovetail.ID]*value.Value) ([]store.Operation, error) {
	was, err := c.from.inOrder(ctx, g)
	if err != nil {
		return nil, err
	}
	is, err := c.to.inOrder(ctx, g)
	if err != nil {
		return nil, err
	}
	now, err := c.onto.inOrder(ctx, g)
	if err != nil {
		return nil, err
	}
	next, moved := mergeOrders(idsOf(was), idsOf(is), idsOf(now))
	if moved != "" {
		c.conflict(moved)
		return nil, nil
	}
	byID := make(map[dovetail.ID]association)
	for _, a := range slices.Concat(is, now) { // those of now count
		byID[a.id] = a
	}
	var links []parameters.Link
	for i, id := range next {
		if data, changes := content[id]; changes && data == nil {
			continue
		}
		links = append(links, parameters.Link{ID: string(id), Name: byID[id].paramSetName(), Order: i})
	}
	var operations []store.Operation
	for _, link := range parameters.Arrange(g.context, g.object, links) {
		id := dovetail.ID(link.ID)
		a := byID[id]
		data, changes := content[id]
		if !changes {
			data = a.data
		}
		data = data.Unplaced()
		data.Get(memberSpec).Set(memberOrder, value.NewNumber(int64(link.Order)))
		switch {
		case !slices.ContainsFunc(now, func(b association) bool { return b.id == id }):
			operations = append(operations, store.Operation{Verb: store.Create, ID: id, Data: data})
		case changes || a.order != link.Order:
			operations = append(operations, store.Operation{Verb: store.Put, ID: id, Data: data, IfMatch: []dovetail.ETag{a.doc.ETag()}})
		}
	}
	return operations, nil
}

// inOrder returns the associations of a group in their order.
func (o *Overrides) inOrder(ctx context.Context, g group) ([]association, error) {
	all, err := o.associations(own(ctx), g.environment)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(a association) bool { return a.group() != g })
	slices.SortStableFunc(all, func(a, b association) int { return a.order - b.order })
	return all, nil
}

func idsOf(all []association) []dovetail.ID {
	ids := make([]dovetail.ID, len(all))
	for i, a := range all {
		ids[i] = a.id
	}
	return ids
}

// mergeOrders does to an order what was done between two: what was removed goes, and what was added comes before what it was put before, or last.
// Where both changed the order of what they share, it returns one of those that moved.
func mergeOrders(was, is, now []dovetail.ID) (next []dovetail.ID, moved dovetail.ID) {
	if slices.Equal(was, now) {
		return is, ""
	}
	shared := func(order []dovetail.ID) []dovetail.ID {
		return slices.DeleteFunc(slices.Clone(order), func(id dovetail.ID) bool {
			return !slices.Contains(was, id) || !slices.Contains(is, id) || !slices.Contains(now, id)
		})
	}
	before, after, current := shared(was), shared(is), shared(now)
	next = slices.DeleteFunc(slices.Clone(now), func(id dovetail.ID) bool { return slices.Contains(was, id) && !slices.Contains(is, id) })
	switch {
	case slices.Equal(before, after), slices.Equal(after, current):
	case slices.Equal(before, current):
		for i, id := range next { // their places in the order that they got
			if slices.Contains(before, id) {
				next[i], after = after[0], after[1:]
			}
		}
	default:
		i := 0
		for before[i] == after[i] {
			i++
		}
		return nil, after[i]
	}
	for i, id := range slices.Backward(is) {
		if slices.Contains(was, id) || slices.Contains(next, id) {
			continue
		}
		at := len(next)
		if i+1 < len(is) && slices.Contains(next, is[i+1]) {
			at = slices.Index(next, is[i+1])
		}
		next = slices.Insert(next, at, id)
	}
	return next, ""
}
