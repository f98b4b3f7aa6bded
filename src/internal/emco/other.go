package emco

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// What stands in the collection and is no resource: segments of the ref-schema, and the kubeconfigs of clusters.

// isSegment recognizes a segment of EMCO's ref-schema.
func isSegment(stored *value.Value) bool {
	return stored.Get("segment") != nil && stored.Get(memberData) == nil
}

// segment compares a segment with the ref-schema of the target: what EMCO held together, and this does not, is reported.
func (m *migration) segment(stored *value.Value) {
	m.Merged++
	segment := stored.Get("segment")
	name := text(segment.Get("name"))
	if stored.Get(memberID) == nil || stored.Get("SegmentId") == nil || stored.Get(memberKeyID) == nil || name == "" || segment.Get("resources") == nil {
		m.find(store.Finding{Problem: MissingField, Message: fmt.Sprintf("the segment %q of EMCO's ref-schema lacks what EMCO always stores: _id, SegmentId, keyId, segment.name or segment.resources", name)})
	}
	for i, resource := range items(segment.Get("resources")) {
		kind := text(resource.Get("name"))
		is, known := m.entries[kind]
		if !known {
			m.find(store.Finding{Problem: OtherSchema, Message: fmt.Sprintf("EMCO's ref-schema has the kind %q (segment %q, %d), which that of the target does not have", kind, name, i)})
			continue
		}
		parent := ""
		if is.Parent != nil {
			parent = is.Parent.Name
		}
		if want := text(resource.Get("parent")); want != parent {
			m.find(store.Finding{Problem: OtherSchema, Message: fmt.Sprintf("in EMCO's ref-schema the parent of %s is %q, in that of the target %q", kind, want, parent)})
		}
		for _, ref := range items(resource.Get("references")) {
			target := text(ref.Get("name"))
			if !slices.ContainsFunc(is.References, func(rule *schema.Reference) bool {
				return rule.Name == target || slices.ContainsFunc(rule.To, func(k *schema.Kind) bool { return k.Name == target })
			}) {
				m.find(store.Finding{Problem: OtherSchema, Message: fmt.Sprintf("in EMCO's ref-schema %s refers to %q, in that of the target it does not", kind, target)})
			}
		}
	}
}

// isCloudConfig recognizes the kubeconfig of a cluster.
func isCloudConfig(stored *value.Value) bool {
	return stored.Get("cloudConfigCluster") != nil || strings.Contains(text(stored.Get(memberKeyID)), "cloudConfigCluster")
}

// kubeconfig makes a kubeconfig the file of its cluster, as what GET of the cluster answers.
func (m *migration) kubeconfig(stored *value.Value) {
	provider, cluster := text(stored.Get("cloudConfigClusterProvider")), text(stored.Get("cloudConfigCluster"))
	level, namespace := text(stored.Get("level")), text(stored.Get("namespace"))
	what := fmt.Sprintf("the kubeconfig with _id %s (cluster %q of provider %q, level %q, namespace %q)", objectID(stored.Get(memberID)), cluster, provider, level, namespace)
	id := dovetail.ID("")
	if provider != "" && cluster != "" {
		id = dovetail.ID("").Child("clusterProvider", provider).Child("cluster", cluster)
	}
	left := func(why string) {
		m.Left++
		m.find(store.Finding{Problem: NotMigrated, ID: id, Message: what + " is not migrated: " + why})
	}
	rename := &renaming{}
	known := []string{memberID, memberKeyID, "cloudConfigClusterProvider", "cloudConfigCluster", "level", "namespace", "config", "meta"}
	for _, member := range stored.Members {
		if !slices.Contains(known, member.Name) {
			rename.unknown = append(rename.unknown, member.Name)
		}
	}
	for _, name := range known[:6] {
		if stored.Get(name) == nil {
			rename.missing = append(rename.missing, name)
		}
	}
	r := m.all[id]
	switch config := stored.Get("config"); {
	case r == nil:
		left("there is no such cluster")
	case level != "0" || namespace != "default":
		left("it is that of a logical cloud, which makes it again when it is instantiated")
	case config == nil:
		left("it is that of a cluster that is managed by GitOps; upload it with PUT of the cluster")
	default:
		rename.object(memberFields("rsync cloudConfig", "", "config"), config, "config.")
		data, err := base64.StdEncoding.DecodeString(text(config.Get("config")))
		switch {
		case text(config.Get("config")) == "":
			left("it is empty")
		case err != nil || !readable(data):
			left("it is encrypted with EMCO's data key, or damaged; upload it with PUT of the cluster")
		case r.room() == "":
			left("the ref-schema has no content of kind cluster for it, or the cluster has another one")
		default:
			m.Merged++
			r.content = append(r.content, dovetail.File{Name: r.room(), Data: data})
		}
	}
	if len(rename.unknown)+len(rename.missing)+len(rename.odd) > 0 {
		m.find(store.Finding{Problem: MissingField, ID: id,
			Message: what + " does not have the form that EMCO stores: " + strings.Join(paths(slices.Concat(rename.unknown, rename.missing, rename.odd)), ", ")})
	}
}
