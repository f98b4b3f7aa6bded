package resolution

import (
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Impact reports the ActiveResolutions whose outcome differs: what they select and install, or why they cannot.
func Impact(options Options) impact.Func {
	return func(ctx context.Context, before, after *store.Store, changed []dovetail.ID, report *impact.Report) error {
		if !slices.ContainsFunc(changed, func(id dovetail.ID) bool {
			key := id.Key()
			last := key[len(key)-1].Name
			return last == state.Kind || isOfSource(key[0].Name) || isOfFleet(last)
		}) {
			return nil
		}
		sets := slices.ContainsFunc(changed, func(id dovetail.ID) bool { key := id.Key(); return isOfFleet(key[len(key)-1].Name) })
		was, err := outcomes(ctx, before, options, sets)
		if err != nil {
			return err
		}
		is, err := outcomes(ctx, after, options, sets)
		if err != nil {
			return err
		}
		ids := maps.Clone(was)
		maps.Copy(ids, is)
		none := &impact.Derived{}
		for _, id := range slices.Sorted(maps.Keys(ids)) {
			old, now := was[id], is[id]
			if old == nil {
				old = none
			}
			if now == nil {
				now = none
			}
			report.Compare(string(id), "the resolution "+id.Key()[len(id.Key())-1].Value, old, now)
		}
		return nil
	}
}

// isOfFleet reports whether a change of a document of a kind may change what a set asks for.
func isOfFleet(kind string) bool { return kind == fleet.Kind || kind == fleet.KindCluster }

// outcomes are those of the ActiveResolutions that the principal may read, over the sources of a store; with sets, also of those that the sets would
// have, as they would be.
func outcomes(ctx context.Context, s *store.Store, options Options, sets bool) (map[dovetail.ID]*impact.Derived, error) {
	views := New(s, options).views()
	all, made := make(map[dovetail.ID]*impact.Derived), make(map[dovetail.ID]string)
	for doc, err := range s.Documents(ctx, store.ListQuery{Kind: state.Kind}) {
		if err != nil {
			return nil, err
		}
		made[doc.ID] = fleet.MadeBy(doc)
		shown, err := views.resolution(ctx, doc, nil)
		if err != nil {
			return nil, err
		}
		if all[doc.ID], err = outcome(shown); err != nil {
			return nil, err
		}
	}
	if !sets {
		return all, nil
	}
	for doc, err := range s.Documents(ctx, store.ListQuery{Kind: fleet.Kind}) {
		if err != nil {
			return nil, err
		}
		if err := views.outcomesOfSet(ctx, doc, all, made); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// outcomesOfSet puts those of a set in the place of what is stored of it. Where the principal may not read what they are made from, it learns nothing of
// them, nor which clusters there are.
func (v *views) outcomesOfSet(ctx context.Context, doc *dovetail.Document, all map[dovetail.ID]*impact.Derived, made map[dovetail.ID]string) error {
	whole, err := v.store.Get(reader(ctx), doc.ID)
	if err != nil {
		return err
	}
	set, _, members, err := v.members(ctx, whole, nil)
	if err != nil {
		return err
	}
	switch err := v.store.Covers(ctx, set.Inputs()...); {
	case dovetail.CodeOf(err) == dovetail.CodeForbidden:
		return nil
	case err != nil:
		return err
	}
	maps.DeleteFunc(all, func(id dovetail.ID, _ *impact.Derived) bool { return made[id] == set.Name })
	for _, member := range members {
		if all[member.ID], err = outcome(v.store.Show(ctx, member)); err != nil {
			return err
		}
	}
	return nil
}

// outcome is what of a status does not depend on when it was made.
func outcome(doc *dovetail.Document) (*impact.Derived, error) {
	if len(doc.Status) == 0 {
		return &impact.Derived{}, nil
	}
	status := state.ReadStatus(doc)
	if status.Withheld != "" {
		return &impact.Derived{Err: &dovetail.Error{Code: dovetail.CodeForbidden, Message: status.Withheld}}, nil
	}
	conditions := make(map[string]string)
	for _, c := range status.Conditions {
		conditions[c.Type] = c.Status + " " + c.Reason + ": " + c.Message
	}
	v, err := value.FromAny(struct {
		Conditions map[string]string `json:"conditions"`
		Selections []string          `json:"selections,omitempty"`
		Plan       []solver.Step     `json:"plan,omitzero"`
		Entities   any               `json:"entities,omitempty"`
	}{conditions, status.Selections, status.Plan, status.Entities})
	return &impact.Derived{Value: v}, err
}
