package fleet

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Follow returns the documents that follow a set or a cluster that gets another id (store.Follow): the ActiveResolutions that the set keeps, or those
// that sets keep for the cluster, with what was activated, and the sets that name the cluster.
func Follow(ctx context.Context, from store.Reader, moved dovetail.Move) ([]store.Followed, error) {
	was, is := moved.From.Key(), moved.To.Key()
	if len(was) != 1 || was[0].Name != Kind && was[0].Name != KindCluster {
		return nil, nil
	}
	next := func(set, cluster string) (string, string) { return is[0].Value, cluster }
	var found []store.Followed
	if was[0].Name == KindCluster {
		next = func(set, cluster string) (string, string) { return set, is[0].Value }
		for doc, err := range from.List(ctx, store.Query{Kind: Kind}) {
			if err != nil {
				return nil, err
			}
			data, err := value.DataOf(doc, nil)
			if err != nil {
				return nil, err
			}
			if data = data.Unplaced(); renameCluster(data, was[0].Value, is[0].Value) {
				found = append(found, store.Followed{ID: doc.ID, Data: data})
			}
		}
	}
	for doc, err := range from.List(ctx, store.Query{Kind: state.Kind}) {
		if err != nil {
			return nil, err
		}
		at, err := see(doc)
		if err != nil {
			return nil, err
		}
		follows := at.set == was[0].Value
		if was[0].Name == KindCluster {
			follows = at.cluster == was[0].Value
		}
		if !follows || at.set == "" || at.cluster == "" || doc.ID != memberID(at.set, at.cluster) {
			continue // which no set has made
		}
		set, cluster := next(at.set, at.cluster)
		f, err := rename(doc, set, cluster)
		if err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	return found, nil
}

// renameCluster gives a cluster another name in the data of a set, and reports whether the set names it.
func renameCluster(data *value.Value, was, is string) bool {
	clusters, renamed := data.At("spec", "clusters"), false
	if clusters == nil {
		return false
	}
	for _, c := range clusters.Items {
		if name := c.Get("name"); name != nil && name.Text == was {
			name.Text, renamed = is, true
		}
	}
	return renamed
}

// rename has the ActiveResolution of a set follow: it is that of another set, or cluster.
func rename(doc *dovetail.Document, set, cluster string) (store.Followed, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return store.Followed{}, err
	}
	data = data.Unplaced()
	to := memberID(set, cluster)
	labels := data.At("metadata", "labels")
	labels.Set(labelSet, value.NewString(set))
	labels.Set(labelCluster, value.NewString(cluster))
	if name := data.At("metadata", "name"); name != nil {
		name.Text = to.Key()[0].Value
	}
	data.Get("spec").Set("set", value.NewString(set))
	return store.Followed{ID: doc.ID, To: to, Data: data}, nil
}
