package gitsync

import (
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// stored returns the documents of a region that the store has, and those beside it that the survey names.
func (a *Syncer) stored(ctx context.Context, r *region, s *surveyed) (map[dovetail.ID]*dovetail.Document, error) {
	have := make(map[dovetail.ID]*dovetail.Document)
	list := func(q store.ListQuery) error {
		for doc, err := range a.store.Documents(ctx, q) {
			if err != nil {
				return err
			}
			if isHeld(doc.Kind) && r.holds(doc.ID) {
				have[doc.ID] = doc
			}
		}
		return nil
	}
	var queries []store.ListQuery
	if r.whole {
		for _, kind := range instancerepo.Kinds() {
			queries = append(queries, store.ListQuery{Kind: kind})
		}
	} else {
		for _, e := range r.list() {
			queries = append(queries, store.ListQuery{Under: e.ID()})
		}
		if r.outside {
			for _, kind := range instancerepo.Kinds() {
				if kind != clusterKind && !instancerepo.IsOfEnvironment(kind) {
					queries = append(queries, store.ListQuery{Kind: kind})
				}
			}
		}
		for file := range r.files {
			if kind, parent, one := instancerepo.Holder(file); !one && kind != "" {
				queries = append(queries, store.ListQuery{Kind: kind, Under: parent})
			}
		}
	}
	for _, q := range queries {
		if err := list(q); err != nil {
			return nil, err
		}
	}
	return have, a.fetch(ctx, have, r.single(s))
}

// single are the documents that are fetched one by one: of files, of environments, and those named.
func (r *region) single(s *surveyed) []dovetail.ID {
	var ids []dovetail.ID
	if !r.whole {
		for e := range r.environments {
			ids = append(ids, e.ID())
		}
		for cluster := range r.clusters {
			ids = append(ids, dovetail.ID("").Child(clusterKind, cluster))
		}
		for file := range r.files {
			if kind, id, one := instancerepo.Holder(file); one && kind != "" {
				ids = append(ids, id)
			}
		}
	}
	for _, d := range s.documents {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// fetch adds documents that are not there yet.
func (a *Syncer) fetch(ctx context.Context, have map[dovetail.ID]*dovetail.Document, ids []dovetail.ID) error {
	ids = slices.DeleteFunc(ids, func(id dovetail.ID) bool { return have[id] != nil })
	documents, err := a.store.GetAll(ctx, ids)
	for i, doc := range documents {
		if doc != nil {
			have[ids[i]] = doc
		}
	}
	return err
}

// differences are the operations that make the store say what the survey says. Each document that is
// there must be as it was read; positions are those of the files. Documents of files of which SOPS hides what they hold stay as they are.
func (r *region) differences(s *surveyed, have map[dovetail.ID]*dovetail.Document) ([]store.Operation, error) {
	var operations []store.Operation
	for _, d := range s.documents {
		op := store.Operation{Verb: store.Create, ID: d.ID, Data: d.Data, Position: d.Position}
		if doc := have[d.ID]; doc != nil {
			if s.hides(d.ID) {
				continue
			}
			old, err := instancerepo.FromStored(doc)
			if err != nil {
				return nil, err
			}
			op.Data = keepGenerated(d.Data, old.Data)
			if value.Equal(op.Data, old.Data) {
				continue
			}
			op.Verb, op.IfMatch = store.Put, []dovetail.ETag{doc.ETag()}
		}
		operations = append(operations, op)
	}
	for _, id := range sortedIDs(have) {
		if s.byID[id] == nil && r.holds(id) && !s.hides(id) {
			operations = append(operations, store.Operation{Verb: store.Delete, ID: id, IfMatch: []dovetail.ETag{have[id].ETag()},
				Position: dovetail.Position{File: fileOf(id)}})
		}
	}
	return operations, nil
}

// keepGenerated adds to the data of a part of an effective set what no file says, when it was generated,
// as long as the parameters are the same.
func keepGenerated(now, old *value.Value) *value.Value {
	const member = "generated"
	generated := old.At("spec", member)
	if generated == nil || now.At("spec", member) != nil || !value.Equal(now.At("spec", "parameters"), old.At("spec", "parameters")) {
		return now
	}
	now = now.Unplaced()
	now.Get("spec").Set(member, generated)
	return now
}

func sortedIDs[T any](of map[dovetail.ID]T) []dovetail.ID {
	ids := make([]dovetail.ID, 0, len(of))
	for id := range of {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// fileOf is where the file of a document is searched for first; its id if it has none.
func fileOf(id dovetail.ID) string {
	if paths := instancerepo.Paths(id); len(paths) > 0 {
		return paths[0]
	}
	return string(id)
}

// naming widens a region by the documents whose files name files of a cluster or the site, beside ParamSets, that come or go, or have names like theirs.
func (a *Syncer) naming(ctx context.Context, r *region, ids []dovetail.ID) error {
	if r.whole {
		return nil
	}
	named := make(map[string][]dovetail.ID) // by the kinds that name them
	for _, id := range ids {
		for _, kind := range instancerepo.NamingKinds(id) {
			named[kind] = append(named[kind], id)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(named)) {
		for doc, err := range a.store.Documents(ctx, store.ListQuery{Kind: kind, Under: common(named[kind])}) {
			if err != nil {
				return err
			}
			if cluster := clusterOf(doc.ID); cluster != "" && !a.holdsCluster(cluster) {
				continue
			}
			d, err := instancerepo.FromStored(doc)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(named[kind], func(id dovetail.ID) bool { return instancerepo.MayName(d, id) }) {
				r.addDocument(doc.ID)
			}
		}
	}
	return nil
}

// common is the cluster that all of some documents are of; "" where there are several, or none.
func common(ids []dovetail.ID) dovetail.ID {
	cluster := clusterOf(ids[0])
	if cluster == "" || slices.ContainsFunc(ids, func(id dovetail.ID) bool { return clusterOf(id) != cluster }) {
		return ""
	}
	return dovetail.ID("").Child(clusterKind, cluster)
}

// affected widens a region by the environments whose inventories name a ParamSet of a cluster or the site
// that came or went: what they associate has become another one, or none.
func (a *Syncer) affected(ctx context.Context, r *region, id dovetail.ID) error {
	kind := kindOf(id)
	if r.whole || kind != siteSetKind && kind != clusterSetKind {
		return nil
	}
	key := id.Key()
	name, cluster := key[len(key)-1].Value, dovetail.ID("")
	if value, ok := key.Value("cluster"); ok {
		cluster = dovetail.ID("").Child("cluster", value)
	}
	for doc, err := range a.store.Documents(ctx, store.ListQuery{Kind: environmentKind, Under: cluster}) {
		if err != nil {
			return err
		}
		d, err := instancerepo.FromStored(doc)
		if err != nil {
			return err
		}
		if !a.holdsCluster(clusterOf(doc.ID)) {
			continue
		}
		if unresolved := d.Data.At("spec", "unresolved"); unresolved != nil && slices.ContainsFunc(unresolved.Items, func(entry *value.Value) bool {
			is, _ := entry.Get("name").Str()
			return is == name
		}) {
			r.addDocument(doc.ID)
		}
	}
	// Associations that meant this one, or that of the site behind it.
	for _, target := range []dovetail.ID{id, dovetail.ID("").Child(siteSetKind, name)} {
		referrers, err := a.store.Referrers(ctx, target, "", 0)
		if err != nil {
			return err
		}
		for _, referrer := range referrers {
			if (cluster == "" || referrer.IsDescendantOf(cluster)) && a.holdsCluster(clusterOf(referrer)) {
				r.addDocument(referrer)
			}
		}
	}
	return nil
}
