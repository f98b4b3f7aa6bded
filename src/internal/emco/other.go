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
func (m *Migration) segment(stored *value.Value) {
	m.Merged++
	segment := stored.Get("segment")
	name := text(segment.Get("name"))
	if stored.Get(memberID) == nil || stored.Get("SegmentId") == nil || stored.Get(memberKeyID) == nil || name == "" || segment.Get("resources") == nil {
		m.find(store.Finding{Problem: MissingField, Message: fmt.Sprintf("the segment %q of EMCO's ref-schema lacks what EMCO always stores: _id, SegmentId, keyId, segment.name or segment.resources", name)})
	}
	for i, resource := range items(segment.Get("resources")) {
		kind := text(resource.Get("name"))
		is, known := m.names[kind]
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

// kubeconfig makes a kubeconfig, which is in the spool, the file of its cluster, as what GET of the cluster answers.
func (m *Migration) kubeconfig(at int64) error {
	text, err := m.spool.Read(at)
	if err != nil {
		return err
	}
	stored, err := value.ParseJSON(text, value.Limits{Bytes: len(text)})
	if err != nil {
		return err
	}
	c := readCloudConfig(stored)
	left := func(why string) {
		m.Left++
		m.find(store.Finding{Problem: NotMigrated, ID: c.cluster, Message: c.name + " is not migrated: " + why})
	}
	cluster := m.at(c.cluster)
	switch record := m.record(stored); {
	case record != nil && (cluster == nil || c.foreign):
		err = m.add(record)
	case cluster == nil:
		left("there is no such cluster")
	case c.left != "":
		left(c.left)
	default:
		err = m.edit(cluster, func(doc *dovetail.Document) error {
			r := &resource{kind: cluster.kind, content: doc.Content}
			part := r.room()
			if part == "" {
				left("the ref-schema has no content of kind cluster for it, or the cluster has another one")
				return nil
			}
			m.Merged++
			doc.Content = append(doc.Content, dovetail.File{Name: part, Data: c.file})
			return nil
		})
	}
	if odd := slices.Concat(c.rename.unknown, c.rename.missing, c.rename.odd); len(odd) > 0 {
		m.find(store.Finding{Problem: MissingField, ID: c.cluster,
			Message: c.name + " does not have the form that EMCO stores: " + strings.Join(paths(odd), ", ")})
	}
	return err
}

// cloudConfig is a kubeconfig as EMCO stores it.
type cloudConfig struct {
	name    string      // what it is called in messages
	cluster dovetail.ID // "" where it does not say
	file    []byte
	left    string // why it is not migrated; "" where it is
	foreign bool   // it is not the kubeconfig of the cluster itself
	rename  *renaming
}

func readCloudConfig(stored *value.Value) *cloudConfig {
	provider, cluster := text(stored.Get("cloudConfigClusterProvider")), text(stored.Get("cloudConfigCluster"))
	level, namespace := text(stored.Get("level")), text(stored.Get("namespace"))
	c := &cloudConfig{rename: &renaming{},
		name: fmt.Sprintf("the kubeconfig with _id %s (cluster %q of provider %q, level %q, namespace %q)", objectID(stored.Get(memberID)), cluster, provider, level, namespace)}
	if provider != "" && cluster != "" {
		c.cluster = dovetail.ID("").Child("clusterProvider", provider).Child("cluster", cluster)
	}
	known := []string{memberID, memberKeyID, "cloudConfigClusterProvider", "cloudConfigCluster", "level", "namespace", "config", "meta"}
	for _, member := range stored.Members {
		if !slices.Contains(known, member.Name) {
			c.rename.unknown = append(c.rename.unknown, member.Name)
		}
	}
	for _, name := range known[:6] {
		if stored.Get(name) == nil {
			c.rename.missing = append(c.rename.missing, name)
		}
	}
	config := stored.Get("config")
	switch {
	case level != "0" || namespace != "default":
		c.left = "it is that of a logical cloud, which makes it again when it is instantiated"
		c.foreign = true
		return c
	case config == nil:
		c.left = "it is that of a cluster that is managed by GitOps; upload it with PUT of the cluster"
		c.foreign = true
		return c
	}
	c.rename.object(memberFields("rsync cloudConfig", "", "config"), config, "config.")
	data, err := base64.StdEncoding.DecodeString(text(config.Get("config")))
	switch {
	case text(config.Get("config")) == "":
		c.left = "it is empty"
	case err != nil || !readable(data):
		c.left = "it is encrypted with EMCO's data key, or damaged; upload it with PUT of the cluster"
	}
	c.file = data
	return c
}
