package store

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// What indexes are complete is stored with the documents. It changes in the transaction that puts another ref-schema in
// force, so that no write of that model is taken for one with terms that it did not give.
const (
	indexesID   = dovetail.ID("_index/state")
	indexesKind = "_index"
)

// indexes is the data of the document indexesID.
type indexes struct {
	Model string `json:"model"` // the hash of the ref-schema that it is about
	// Ready has the complete indexes of each kind, with the position since when they are; "" for always.
	Ready map[string]map[string]Cursor `json:"ready,omitempty"`
	// Build has the kinds whose documents are yet to be given their terms, and of each the last document that has them.
	Build map[string]dovetail.ID `json:"build,omitempty"`
}

// cachedIndexes is what was read last, for as long as it is stored so.
type cachedIndexes struct {
	tag   dovetail.ETag
	state *indexes
}

// indexCache is shared by a store and its views.
type indexCache = atomic.Pointer[cachedIndexes]

// readIndexes returns which indexes are complete, none where that is not stored.
func (s *Store) readIndexes(ctx context.Context) (*indexes, error) {
	if can := s.backend.Capabilities(); !can.Terms || !can.EveryTerm {
		return &indexes{}, nil
	}
	found, err := s.fetch(ctx, []dovetail.ID{indexesID})
	if err != nil || found[0] == nil {
		return &indexes{}, err
	}
	if s.indexes == nil {
		return indexesOf(found[0]), nil
	}
	if last := s.indexes.Load(); last != nil && last.tag == found[0].ETag() {
		return last.state, nil
	}
	state := indexesOf(found[0])
	s.indexes.Store(&cachedIndexes{found[0].ETag(), state})
	return state, nil
}

// indexesOf reads what is stored; what cannot be read counts as nothing.
func indexesOf(doc *dovetail.Document) *indexes {
	state := &indexes{}
	if doc == nil || json.Unmarshal(doc.Data, state) != nil {
		return &indexes{}
	}
	return state
}

// under returns the state for another model: indexes that both have stay as complete as they are, and the documents of kinds
// with other ones are to be given their terms.
func (x *indexes) under(previous, next *schema.Model) *indexes {
	to := &indexes{Model: next.Hash(), Ready: make(map[string]map[string]Cursor), Build: make(map[string]dovetail.ID)}
	for _, kind := range next.Kinds() {
		if kind.Abstract {
			continue
		}
		ready := make(map[string]Cursor)
		same := previous != nil && x.Model == previous.Hash()
		if same {
			was, known := previous.Kind(kind.Name)
			same = known && slices.Equal(was.Indexes(), kind.Indexes())
			for _, path := range kind.Indexes() {
				for _, name := range indexNames(path) {
					if since, complete := x.Ready[kind.Name][name]; complete && known && slices.Contains(was.Indexes(), path) {
						ready[name] = since
					}
				}
			}
		}
		if len(ready) > 0 {
			to.Ready[kind.Name] = ready
		}
		after, building := x.Build[kind.Name]
		if !same {
			after = ""
		}
		if building || !same {
			to.Build[kind.Name] = after
		}
	}
	return to
}

// complete is the state of a database without documents.
func completeIndexes(model *schema.Model) *indexes {
	x := &indexes{Model: model.Hash(), Ready: make(map[string]map[string]Cursor)}
	for _, kind := range model.Kinds() {
		x.finish(kind, "")
	}
	return x
}

// indexNames are the names of an index in the state: its path, and for the items of a list another one.
func indexNames(path schema.Path) []string {
	if _, is := path.List(); is {
		return []string{path.String(), path.String() + itemsPlace}
	}
	return []string{path.String()}
}

// finish notes that the indexes of a kind are complete since a position, those that were not before.
func (x *indexes) finish(kind *schema.Kind, since Cursor) {
	delete(x.Build, kind.Name)
	ready := make(map[string]Cursor)
	for _, path := range kind.Indexes() {
		for _, name := range indexNames(path) {
			ready[name] = since
			if earlier, complete := x.Ready[kind.Name][name]; complete {
				ready[name] = earlier
			}
		}
	}
	if len(ready) > 0 {
		x.Ready[kind.Name] = ready
	}
}

// indexesUnder adds the state of the indexes under the next model to the transaction that puts it in force.
func (s *Store) indexesUnder(ctx context.Context, previous, next *schema.Model, fresh bool, txn *Txn) error {
	if !s.backend.Capabilities().Terms {
		return nil
	}
	found, err := s.fetch(ctx, []dovetail.ID{indexesID})
	if err != nil {
		return err
	}
	state := indexesOf(found[0]).under(previous, next)
	if fresh {
		state = completeIndexes(next)
		for _, err := range s.backend.List(ctx, Query{Limit: 1}) { // written by something else than a Store
			if err != nil {
				return err
			}
			state = (&indexes{}).under(nil, next)
		}
	}
	s.putIndexes(found[0], state, txn)
	return nil
}

// rebuildIndexes adds to a transaction that all documents are yet to be given their terms under the model that it puts in force.
func (s *Store) rebuildIndexes(ctx context.Context, next *schema.Model, txn *Txn) error {
	if !s.backend.Capabilities().Terms {
		return nil
	}
	found, err := s.fetch(ctx, []dovetail.ID{indexesID})
	if err != nil {
		return err
	}
	s.putIndexes(found[0], (&indexes{}).under(nil, next), txn)
	return nil
}

// ForgetIndexes has all documents of a database given their terms again, because something that gives none may have written them. Until
// that is done lists look at all documents.
func ForgetIndexes(ctx context.Context, backend Backend) error {
	return Transact(ctx, func() error {
		stored, err := backend.Get(ctx, indexesID)
		if dovetail.CodeOf(err) == dovetail.CodeNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		err = backend.Commit(ctx, Txn{Deletes: []dovetail.ID{indexesID}, Require: []Condition{versionOf(indexesID, stored)}})
		if failedConditions(err) != nil {
			return Retry(err)
		}
		return err
	})
}

// putIndexes adds the state to a transaction, in place of what is stored, nil if there is nothing. With a ref-schema it has the time of that, and
// at first its uid.
func (s *Store) putIndexes(stored *dovetail.Document, state *indexes, txn *Txn) {
	data, _ := json.Marshal(state) // which cannot fail
	doc := &dovetail.Document{ID: indexesID, Kind: indexesKind, Data: data, Revision: 1}
	if at := slices.IndexFunc(txn.Puts, func(put *dovetail.Document) bool { return put.ID == modelID }); at >= 0 {
		doc.UID, doc.Updated = txn.Puts[at].UID, txn.Puts[at].Updated
	} else {
		doc.UID, doc.Updated = s.config.NewUID(), s.now()
	}
	doc.Created = doc.Updated
	if stored != nil {
		doc.UID, doc.Revision, doc.Created = stored.UID, stored.Revision+1, stored.Created
	}
	txn.Puts = append(txn.Puts, doc)
	txn.Require = append(txn.Require, versionOf(indexesID, stored))
}

// IndexProgress says how far BuildIndexes is.
type IndexProgress struct {
	Kind      string // that is examined
	Documents int    // of all kinds that were looked at
}

// BuildIndexes gives stored documents the terms of their indexes, where a ref-schema took effect since that has other ones, or
// the documents are from before there were any. Until it is done lists look at all documents. It continues where an earlier
// call ended, and does nothing where all is done, and while something may write documents without terms. Progress, unless it is nil, is called after each page; its error ends the work. A fence is a condition of
// all that is written.
func (s *Store) BuildIndexes(ctx context.Context, progress func(context.Context, IndexProgress) error, fence *Condition) error {
	const pages = 20 // after which it is stored how far it is
	if can := s.backend.Capabilities(); !can.Terms || !can.EveryTerm {
		return nil
	}
	done := 0
	for {
		found, err := s.fetch(ctx, []dovetail.ID{indexesID})
		if err != nil {
			return err
		}
		model, state := s.Model(), indexesOf(found[0])
		if state.Model == "" {
			state = state.under(nil, model)
		}
		if state.Model != model.Hash() || len(state.Build) == 0 && found[0] != nil {
			return nil // another process has another ref-schema in force, or all is done
		}
		txn := Txn{}
		if fence != nil {
			txn.Require = []Condition{*fence}
		}
		if names := slices.Sorted(maps.Keys(state.Build)); len(names) > 0 {
			kind, known := model.Kind(names[0])
			if !known {
				return nil // it belongs to another model of the same hash, which there is not
			}
			more, after := true, state.Build[kind.Name]
			for n := 0; n < pages && more; n++ {
				var looked int
				if after, looked, more, err = s.indexPage(ctx, kind, after); err != nil {
					return err
				}
				if done += looked; progress != nil {
					if err := progress(ctx, IndexProgress{kind.Name, done}); err != nil {
						return err
					}
				}
			}
			if state.Build[kind.Name] = after; !more {
				since := Cursor("")
				if s.backend.Capabilities().Versions {
					then, err := s.backend.At(ctx, "")
					if err != nil {
						return err
					}
					since = then.Position()
				}
				if state.Ready == nil {
					state.Ready = make(map[string]map[string]Cursor)
				}
				state.finish(kind, since)
			}
		}
		s.putIndexes(found[0], state, &txn)
		if err := s.backend.Commit(ctx, txn); err != nil {
			return err
		}
	}
}

// indexPage gives a page of documents their terms, and returns the last one of them, how many it looked at, and whether there may be more.
func (s *Store) indexPage(ctx context.Context, kind *schema.Kind, after dovetail.ID) (last dovetail.ID, looked int, more bool, err error) {
	var others []*dovetail.Document
	last = after
	for doc, err := range s.backend.List(ctx, Query{Kind: kind.Name, After: after, Limit: inspected}) {
		if doc == nil {
			return after, 0, false, err
		}
		looked, last = looked+1, doc.ID
		if err != nil {
			continue // one that cannot be opened is a finding of its own, and no list shows it
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			continue
		}
		if terms := termsOf(kind, data); !slices.Equal(terms, doc.Terms) {
			doc.Terms = terms
			others = append(others, doc)
		}
	}
	if len(others) > 0 {
		err = s.backend.SetTerms(ctx, others)
	}
	return last, looked, looked == inspected, err
}
