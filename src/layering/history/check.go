package history

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Unrenderable is the problem of a revision that cannot be rendered.
const Unrenderable = "unrenderable"

// Check renders every revision as Deckhand does, says how many can be rendered, and reports why others cannot. answered are the
// rendered documents that the other system answered for revisions, by their numbers: each value that differs is reported.
func (h *History) Check(ctx context.Context, answered map[int][]*value.Value) (rendered int, findings []store.Finding) {
	policy := h.newestPolicy()
	for state := range h.States {
		theirs, compared := answered[state.Number]
		ours, err := state.render(ctx, policy)
		if err != nil {
			findings = append(findings, unrenderable(state.Number, err)...)
			continue
		}
		rendered++
		if compared {
			findings = append(findings, compare(state.Number, ours, theirs)...)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(answered)) {
		if !slices.ContainsFunc(h.Revisions, func(of Revision) bool { return of.Number == number }) {
			findings = append(findings, store.Finding{Problem: OtherDocument, Message: fmt.Sprintf("revision %d was answered, but is not there", number)})
		}
	}
	return rendered, findings
}

// newestPolicy is the layering policy that was written last: revisions without one are rendered with it.
func (h *History) newestPolicy() (policy *rendering.Document) {
	for _, of := range h.Revisions {
		for _, row := range of.Rows {
			if row.ID.Schema == rendering.PolicySchema && row.Document != nil {
				policy = row.Document
			}
		}
	}
	return policy
}

func (s State) render(ctx context.Context, policy *rendering.Document) (*rendering.Rendering, error) {
	documents := make([]*rendering.Document, 0, len(s.Live)+1)
	own := false
	for _, row := range s.Live {
		documents = append(documents, row.Document)
		own = own || row.ID.Schema == rendering.PolicySchema
	}
	if !own && policy != nil && len(documents) > 0 {
		documents = append(documents, policy)
	}
	return rendering.Resolve(documents, rendering.ProfileDeckhand.Options()).RenderUntil(ctx.Err)
}

// unrenderable reports each error of a revision.
func unrenderable(number int, err error) (findings []store.Finding) {
	e := dovetail.AsError(err)
	parts := e.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{e}
	}
	texts := make(map[string]bool)
	for _, part := range parts {
		texts[fmt.Sprintf("revision %d cannot be rendered: %s", number, part.Message)] = true
	}
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		findings = append(findings, store.Finding{Problem: Unrenderable, Message: text})
	}
	return findings
}
