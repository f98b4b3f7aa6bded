package protocol

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// snapshot is the store as of a timestamp. It reads records before versions, since a writer stores the replaced version first. It
// checks last that the history reaches back far enough, since a purge announces itself before it deletes anything.
type snapshot struct {
	engine   *Engine
	at       Stamp
	position store.Cursor
}

// Position implements store.Snapshot.
func (s *snapshot) Position() store.Cursor { return s.position }

func (s *snapshot) reached(ctx context.Context) error { return s.engine.reaches(ctx, s.at) }

// asOf returns the state of the view that readers saw at a timestamp, or false if only an earlier version may have it.
func (v view) asOf(at Stamp) (*Record, bool) {
	if v.Record == nil || v.Doc == nil {
		return nil, false
	}
	if store.IsInternal(v.ID) {
		return &Record{ID: v.ID, Doc: v.document()}, v.document() != nil
	}
	if v.replaced() { // At has not waited for this update, so the replaced version counts
		prev := v.Intent.Prev
		return prev, !at.Before(prev.Committed())
	}
	if v.status == committed && !v.Intent.LockOnly && !at.Before(v.committed) {
		switch v.Intent.Op {
		case Create:
			return v.state(v.Doc, v.committed), true
		case Update:
			if !rewrites(v.Record) {
				return v.state(v.Intent.Next, v.committed), true
			}
		case Delete:
			return &Record{ID: v.ID, Doc: v.Doc, Gone: true}, true
		}
	}
	if v.status != noIntent && v.Intent.Op == Create || at.Before(v.Record.Committed()) {
		return nil, false
	}
	if v.status == committed && !v.Intent.LockOnly && rewrites(v.Record) {
		return v.state(v.Intent.Next, v.Record.Committed()), true
	}
	return v.Record, true
}

// state returns the record as the committed transaction of the view's intent leaves it.
func (v view) state(doc *dovetail.Document, since Stamp) *Record {
	return &Record{ID: v.ID, Doc: doc, Txn: v.Intent.Txn, Since: since}
}

// states returns the states of the documents that existed.
func (s *snapshot) states(ctx context.Context, ids []dovetail.ID, whole bool) (map[dovetail.ID]*Record, error) {
	views, err := s.engine.find(ctx, ids, whole)
	if err != nil {
		return nil, err
	}
	found := make(map[dovetail.ID]*Record, len(ids))
	var earlier []dovetail.ID
	unsettled := false // a state was derived from an intent, which is right only if the history reaches back that far
	for _, id := range ids {
		v := views[id]
		if state, ok := v.asOf(s.at); ok {
			found[id] = state
			unsettled = unsettled || v.Intent != nil && !store.IsInternal(id)
		} else if !store.IsInternal(id) {
			earlier = append(earlier, id)
		}
	}
	if len(earlier) > 0 {
		versions, err := s.engine.server.LastVersion(ctx, earlier, s.at)
		if err == nil {
			err = s.reached(ctx)
		}
		if err != nil {
			return nil, err
		}
		for i, id := range earlier {
			found[id] = versions[i]
		}
	} else if unsettled {
		if err := s.reached(ctx); err != nil {
			return nil, err
		}
	}
	for id, state := range found {
		if state == nil || state.Gone {
			delete(found, id)
		}
	}
	return found, nil
}

func erased(id dovetail.ID) error {
	return &dovetail.Error{Code: dovetail.CodeExpired, Key: id, Message: "what " + string(id) + " said then is no longer kept", Remedy: store.RemedyErased}
}

// Get implements store.Reader.
func (s *snapshot) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	all, err := s.GetAll(ctx, []dovetail.ID{id})
	switch {
	case err != nil:
		return nil, err
	case all[0] == nil:
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " did not exist then"}
	}
	return all[0], nil
}

// GetAll implements store.Reader.
func (s *snapshot) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	found, err := s.states(ctx, unique(slices.Clone(ids)), true)
	if err != nil {
		return nil, err
	}
	documents, size := make([]*dovetail.Document, len(ids)), int64(0)
	given := make(map[dovetail.ID]bool, len(ids))
	for i, id := range ids {
		state := found[id]
		switch {
		case state == nil:
			continue
		case state.Erased:
			return nil, erased(id)
		case given[id]: // a repeated id: each result belongs to the caller
			documents[i] = state.Doc.Clone()
		default:
			documents[i] = state.Doc
		}
		given[id] = true
		size += store.SizeOf(state.Doc)
	}
	if err := store.HoldMemory(ctx, size); err != nil {
		return nil, err
	}
	return documents, nil
}

// List implements store.Reader.
func (s *snapshot) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		left := q.Limit
		for {
			page, last, err := s.page(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, state := range page {
				var err error
				if state.Erased {
					err = erased(state.ID)
				}
				if !yield(state.Doc, err) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
			if last == "" {
				return
			}
			q.After, q.Limit = last, max(left, 0)
		}
	}
}

// pageVersions is the maximum number of documents of a page that come from earlier versions.
const pageVersions = 2000

// page reads one page of a list: the records that the query selects now, and the versions that it selects. It returns the id after
// which to continue, or "" at the end.
func (s *snapshot) page(ctx context.Context, q store.Query) (page []*Record, last dovetail.ID, err error) {
	q.Below = nil // pages of versions follow those of records, and must not skip any id
	views, last, err := s.engine.pageOfRecords(ctx, q)
	if err != nil {
		return nil, "", err
	}
	states := make(map[dovetail.ID]*Record, len(views))
	for _, v := range views {
		if state, ok := v.asOf(s.at); ok {
			states[v.ID] = state
		}
	}
	earlier := make(map[dovetail.ID]*Record) // the last version of each document that is not among the states
	for v, err := range s.engine.server.ScanVersions(ctx, q, last, s.at) {
		if err != nil {
			return nil, "", err
		}
		if states[v.ID] != nil || earlier[v.ID] != nil {
			continue
		}
		if len(earlier) == pageVersions {
			last = slices.Max(slices.Collect(maps.Keys(earlier)))
			break
		}
		earlier[v.ID] = v
	}
	if err := s.bodies(ctx, q, states, earlier); err != nil {
		return nil, "", err
	}
	for id, state := range states {
		if !state.Gone && (last == "" || id <= last) && (q.Kind == "" || state.Doc.Kind == q.Kind) && hasTerms(state.Doc, q.Terms) {
			page = append(page, state)
		}
	}
	slices.SortFunc(page, func(a, b *Record) int { return cmp.Compare(a.ID, b.ID) })
	return page, last, s.reached(ctx)
}

// bodies adds the whole versions to the states.
func (s *snapshot) bodies(ctx context.Context, q store.Query, states, earlier map[dovetail.ID]*Record) error {
	if len(earlier) == 0 {
		return nil
	}
	if q.Kind != "" || len(q.Terms) > 0 { // the record, or a later version, may have another kind or other terms
		found, err := s.states(ctx, slices.Sorted(maps.Keys(earlier)), true)
		for id, state := range found {
			states[id] = state
		}
		return err
	}
	keys := make([]string, 0, len(earlier))
	for _, v := range earlier {
		if !v.Gone {
			keys = append(keys, VersionKey(v))
		}
	}
	slices.Sort(keys)
	versions, err := s.engine.server.Version(ctx, keys)
	for _, v := range versions {
		states[v.ID] = v
	}
	return err
}

// Referrers implements store.Reader.
func (s *snapshot) Referrers(ctx context.Context, of []dovetail.ID, after dovetail.ID, limit int) ([]dovetail.ID, error) {
	var candidates []dovetail.ID
	server, targets := s.engine.server, unique(slices.Clone(of))
	for to := range slices.Chunk(targets, manyTargets) {
		for _, weak := range []bool{false, true} {
			for _, records := range []iter.Seq2[*Record, error]{server.Linked(ctx, to, weak, after, 0), server.LinkedVersions(ctx, to, weak)} {
				for r, err := range records {
					if err != nil {
						return nil, err
					}
					if r.ID > after {
						candidates = append(candidates, r.ID)
					}
				}
			}
		}
	}
	var found []dovetail.ID
	for part := range slices.Chunk(unique(candidates), probeBatch) {
		states, err := s.states(ctx, part, false)
		if err != nil {
			return nil, err
		}
		for _, candidate := range part {
			state := states[candidate]
			if state == nil || !slices.ContainsFunc(state.Doc.References, func(r dovetail.Reference) bool { return r.ID != candidate && contains(targets, r.ID) }) {
				continue
			}
			if found = append(found, candidate); len(found) == limit {
				return found, nil
			}
		}
	}
	return found, s.reached(ctx)
}
