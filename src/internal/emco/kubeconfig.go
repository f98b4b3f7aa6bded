package emco

import (
	"encoding/base64"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// The kubeconfig of a cluster has a key of its own in EMCO's database; in Dovetail it is the file of the cluster.

// MemberConfig is the member of a stored kubeconfig that has its text.
const MemberConfig = "config"

// The elements of the key of a kubeconfig, and what those of a cluster itself have.
const (
	configProvider, configCluster = "cloudConfigClusterProvider", "cloudConfigCluster"
	configLevel, configNamespace  = "level", "namespace"
	clusterLevel, clusterSpace    = "0", "default"
)

// ClusterOf returns the key of the cluster whose own kubeconfig has a key, or may have where values are empty; nil where none has.
func ClusterOf(key map[string]string) map[string]string {
	cluster := make(map[string]string)
	for name, text := range key {
		switch name {
		case configProvider:
			cluster["clusterProvider"] = text
		case configCluster:
			cluster["cluster"] = text
		case configLevel, configNamespace:
			if own := map[string]string{configLevel: clusterLevel, configNamespace: clusterSpace}[name]; text != own && text != "" {
				return nil
			}
		default:
			return nil
		}
	}
	for _, name := range []string{"clusterProvider", "cluster"} {
		if _, has := cluster[name]; !has {
			cluster[name] = ""
		}
	}
	return cluster
}

// Kubeconfig returns the record that EMCO has of the kubeconfig of a cluster; nil where the document has none.
func Kubeconfig(cluster *dovetail.Document) *Record {
	if len(cluster.Content) == 0 {
		return nil
	}
	key := map[string]string{configLevel: clusterLevel, configNamespace: clusterSpace}
	for _, element := range cluster.ID.Key() {
		switch element.Name {
		case "clusterProvider":
			key[configProvider] = element.Value
		case "cluster":
			key[configCluster] = element.Value
		}
	}
	config := value.NewMap(value.Member{Name: MemberConfig, Value: value.NewString(base64.StdEncoding.EncodeToString(cluster.Content[0].Data))})
	return &Record{Collection: Collection, Key: key, Members: key, Tags: map[string]string{MemberConfig: string(config.JSON())}}
}

// KubeconfigFile returns the file that the member MemberConfig of a kubeconfig says, nil where a file cannot express it, as where it is encrypted.
func KubeconfigFile(config *value.Value) []byte {
	if config.Kind != value.Map || len(config.Members) != 1 {
		return nil
	}
	encoded := text(config.Get(MemberConfig))
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !readable(data) || base64.StdEncoding.EncodeToString(data) != encoded {
		return nil
	}
	return data
}
