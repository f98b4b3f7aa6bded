package fleet

import (
	"context"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Clusters reads the stored clusters, by name.
func Clusters(ctx context.Context, from interface {
	Documents(ctx context.Context, q store.ListQuery) iter.Seq2[*dovetail.Document, error]
},
) (map[string]Cluster, error) {
	all := make(map[string]Cluster)
	for doc, err := range from.Documents(ctx, store.ListQuery{Kind: KindCluster}) {
		if err != nil {
			return nil, err
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			return nil, err
		}
		all[doc.Key()[0].Value] = Cluster{Data: data, Facts: data.At("spec", "facts")}
	}
	return all, nil
}

// Preview returns the status that a set would have once its clusters had their answers, and its members as they would be then. stored returns the
// ActiveResolution with an id, nil if there is none; resolve one with its status.
func (s *Set) Preview(clusters map[string]Cluster, stored, resolve func(*dovetail.Document) (*dovetail.Document, error)) (*Status, []*dovetail.Document, error) {
	members, err := s.Members(clusters)
	if err != nil {
		return invalid(s, err, 0), nil, nil
	}
	documents := make([]*dovetail.Document, 0, len(members))
	known, refused := make(map[dovetail.ID]*seen), make(map[dovetail.ID]error)
	for _, m := range members {
		made := &dovetail.Document{ID: m.ID, Kind: m.ID.Key()[0].Name, Data: m.Data.JSON()}
		was, err := stored(made)
		if err != nil {
			return nil, nil, err
		}
		if was != nil {
			at, err := see(was)
			if err != nil {
				return nil, nil, err
			}
			if at.set != s.Name {
				refused[m.ID] = taken(m.ID, s.Name)
				continue
			}
			whole := *was
			whole.Data = made.Data
			made = &whole
		}
		if made, err = resolve(made); err != nil {
			return nil, nil, err
		}
		if known[m.ID], err = see(made); err != nil {
			return nil, nil, err
		}
		documents = append(documents, made)
	}
	return summary(s, members, known, refused), documents, nil
}
