package protocol

import (
	"context"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// probeBatch is how many records are read, classified or stored at a time where there may be many, which limits memory.
const probeBatch = 200

// checkBlockers checks, after the intents are set, the conditions that documents have no children or no referrers. It skips those
// that the transaction itself writes, which were taken into account when it was planned.
func (e *Engine) checkBlockers(ctx context.Context, p *plan) outcome {
	if len(p.childless) == 1 && slices.Equal(p.childless, p.unreferenced) { // one command is enough
		freed := p.childless[0]
		return e.probe(ctx, p, e.server.Holders(ctx, freed), func(v view) (holds, may bool) {
			holds, may = refersTo(p.unreferenced, v)
			if v.ID.IsDescendantOf(freed) {
				below, soon := liesBelow(v)
				holds, may = holds || below, may || soon
			}
			return holds, may
		})
	}
	var children, referrers outcome
	e.env.Parallel(
		func() { children = e.probeChildren(ctx, p) },
		func() { referrers = e.probeReferrers(ctx, p) })
	for _, result := range []outcome{children, referrers} {
		if result.err != nil || result.decision == failed {
			return result
		}
	}
	return outcome{decision: max(children.decision, referrers.decision), conflicts: append(children.conflicts, referrers.conflicts...)}
}

func (e *Engine) probeChildren(ctx context.Context, p *plan) outcome {
	if len(p.childless) == 0 {
		return outcome{decision: done}
	}
	return e.probe(ctx, p, e.server.Children(ctx, topmost(p.childless)), liesBelow)
}

// liesBelow reports, of a record below one that must be childless, whether its document exists, and whether it may be created.
func liesBelow(v view) (holds, may bool) { return v.document() != nil, v.mayAppear() }

func (e *Engine) probeReferrers(ctx context.Context, p *plan) outcome {
	if len(p.unreferenced) == 0 {
		return outcome{decision: done}
	}
	return e.probe(ctx, p, e.server.Referrers(ctx, p.unreferenced), func(v view) (holds, may bool) { return refersTo(p.unreferenced, v) })
}

// refersTo reports whether a document has a strong reference to one of the sorted ids, and whether it may get one.
func refersTo(ids []dovetail.ID, v view) (holds, may bool) {
	freed := func(id dovetail.ID) bool { return id != v.ID && contains(ids, id) }
	if doc := v.document(); doc != nil {
		holds = slices.ContainsFunc(doc.References, func(r dovetail.Reference) bool { return !r.Weak && freed(r.ID) })
	}
	return holds, (v.status == pending || v.status == undecided) && !v.Intent.LockOnly && slices.ContainsFunc(v.Strong, freed)
}

// topmost removes those of the sorted ids that are below another.
func topmost(ids []dovetail.ID) []dovetail.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id dovetail.ID) bool {
		for at, c := range id {
			if c == '/' && contains(ids, id[:at]) {
				return true
			}
		}
		return false
	})
}

// probe asks of each record, except those that the transaction writes, whether it blocks the transaction now, or may do so once the
// transaction of its intent is committed. The first that blocks fails the probe.
func (e *Engine) probe(ctx context.Context, p *plan, records iter.Seq2[*Record, error], ask func(view) (holds, may bool)) outcome {
	result := outcome{decision: done}
	others := func(yield func(*Record, error) bool) {
		for r, err := range records {
			if err == nil {
				if s := p.byID[r.ID]; s != nil && s.writes() {
					continue
				}
			}
			if !yield(r, err) {
				return
			}
		}
	}
	for v, err := range e.views(ctx, others, probeBatch, false) {
		if err != nil {
			return failure(err)
		}
		switch holds, may := ask(v); {
		case holds:
			return outcome{decision: failed}
		case may:
			result.decision = busy
			result.conflicts = append(result.conflicts, v)
		}
	}
	return result
}

// views classifies records in batches of a given size, and skips those that are gone by then. The views have heads or whole
// records, as the sequence yields them.
func (e *Engine) views(ctx context.Context, records iter.Seq2[*Record, error], at int, whole bool) iter.Seq2[view, error] {
	return func(yield func(view, error) bool) {
		var order []dovetail.ID
		batch := make(map[dovetail.ID]*Record)
		flush := func() bool {
			views := make(map[dovetail.ID]view, len(batch))
			if err := e.classify(ctx, batch, whole, views); err != nil {
				yield(view{}, err)
				return false
			}
			for _, id := range order {
				if v := views[id]; v.Record != nil && !yield(v, nil) {
					return false
				}
			}
			order = order[:0]
			clear(batch)
			return true
		}
		for r, err := range records {
			if err != nil {
				yield(view{}, err)
				return
			}
			if _, twice := batch[r.ID]; !twice {
				order = append(order, r.ID)
			}
			batch[r.ID] = r
			if len(order) >= at && !flush() {
				return
			}
		}
		flush()
	}
}
