package emcostore

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/store"
)

// A kubeconfig is what the services store under a key of its own, and clients of the REST API as the file of the cluster. It is stored
// once, as that file, while there is a cluster, and else as a record.

// kindCluster is the kind of clusters.
const kindCluster = "cluster"

// clusters returns the address of the clusters whose own kubeconfigs an address selects, or may select.
func (d *database) clusters(a address) (clusters address, may bool) {
	key := emco.ClusterOf(a.elements)
	clusters = address{a.collection, key}
	kind := d.kind(clusters)
	may = key != nil && kind != nil && len(kind.Content) > 0 && (a.complete() || len(a.elements) == len(configElements))
	return clusters, may
}

// configElements are those of the key of a kubeconfig.
var configElements = []string{"cloudConfigCluster", "cloudConfigClusterProvider", "level", "namespace"}

// clusterOf returns the cluster of which an address is the key of its own kubeconfig, nil if there is none.
func (d *database) clusterOf(ctx context.Context, a address) (*dovetail.Document, error) {
	clusters, may := d.clusters(a)
	if !may || !a.complete() || !slices.Equal(a.names(), configElements) {
		return nil, nil
	}
	_, id, err := d.resource(clusters)
	if err != nil {
		return nil, nil //nolint:nilerr // what cannot be a cluster is none
	}
	return d.get(ctx, id)
}

// insertKubeconfig makes a kubeconfig the file of its cluster, in place of a record. It does nothing if there is no such cluster, or a file cannot express it.
func (d *database) insertKubeconfig(ctx context.Context, a address, in insertion) (done bool, err error) {
	if in.tag != emco.MemberConfig || len(in.query) > 0 {
		return false, nil
	}
	cluster, err := d.clusterOf(ctx, a)
	if cluster == nil || err != nil {
		return false, err
	}
	var files []dovetail.File
	if file := emco.KubeconfigFile(in.stored); file != nil {
		files = []dovetail.File{{Name: d.kinds[dovetail.KeyIDOf([]string{"clusterProvider", "cluster"})].Content[0].Name, Data: file}}
	}
	r, err := d.record(ctx, a)
	if err != nil {
		return false, err
	}
	operations := []store.Operation{putFiles(cluster, files)}
	switch {
	case files == nil:
		r.Tags[in.tag] = string(in.stored.JSON())
		operations = append(operations, r.put())
	case r.doc != nil:
		operations = append(operations, r.without(in.tag))
	}
	_, err = d.documents.Apply(ctx, operations, store.Options{})
	return true, retried(err)
}

// putFiles returns the operation that writes the files of a document, and leaves its status.
func putFiles(doc *dovetail.Document, files []dovetail.File) store.Operation {
	op := store.NewOperation(store.PutStatus, doc.ID, doc.Status).IfVersion(doc.ETag())
	if len(doc.Status) == 0 {
		op = store.NewOperation(store.PutStatus, doc.ID, struct{}{}).IfVersion(doc.ETag())
	}
	if op.Content = files; files == nil {
		op.Content = []dovetail.File{}
	}
	return op
}

// joinKubeconfigs adds the kubeconfigs that an address selects and that are files of clusters.
func (d *database) joinKubeconfigs(ctx context.Context, a address, all map[dovetail.ID]*match) error {
	clusters, may := d.clusters(a)
	if !may {
		return nil
	}
	for prefix, kinds := range d.candidates(clusters) {
		for doc, err := range d.below(ctx, prefix, kinds) {
			if err != nil {
				return err
			}
			m, err := d.selected(clusters, kinds, doc)
			if err != nil {
				return err
			}
			if m == nil || m.kind != d.kind(clusters) {
				continue
			}
			config := emco.Kubeconfig(doc)
			if config == nil || !a.within(func(name string) string { return config.Members[name] }) {
				continue
			}
			if id := config.ID(); all[id] == nil {
				all[id] = &match{id: id, record: &record{Record: *config}, cluster: doc}
			}
		}
	}
	return nil
}
