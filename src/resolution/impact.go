package resolution

import (
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/impact"
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
			return key[len(key)-1].Name == state.Kind || isOfSource(key[0].Name)
		}) {
			return nil
		}
		was, err := outcomes(ctx, before, options)
		if err != nil {
			return err
		}
		is, err := outcomes(ctx, after, options)
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

// outcomes are those of the ActiveResolutions that the principal may read, over the sources of a store.
func outcomes(ctx context.Context, s *store.Store, options Options) (map[dovetail.ID]*impact.Derived, error) {
	show := New(s, options).shown()
	all := make(map[dovetail.ID]*impact.Derived)
	for doc, err := range s.Documents(ctx, store.ListQuery{Kind: state.Kind}) {
		if err != nil {
			return nil, err
		}
		shown, err := show(ctx, doc, nil)
		if err != nil {
			return nil, err
		}
		if all[doc.ID], err = outcome(shown); err != nil {
			return nil, err
		}
	}
	return all, nil
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
