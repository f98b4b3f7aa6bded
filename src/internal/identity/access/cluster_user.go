package access

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// clusterUser is the principal of a user of a Kubernetes cluster.
func clusterUser(name string, groups []string, extra map[string][]string) (*dovetail.Principal, error) {
	who, err := named(clusterName(name), prefixed(ClusterPrefix, groups))
	if err != nil {
		return nil, err
	}
	who.Extra = extra
	return who, nil
}

// clusterName is the name here of a user of a cluster: system:serviceaccount:NAMESPACE:NAME, whose prefix is reserved,
// is serviceaccount:NAMESPACE:NAME, and any other one begins with ClusterPrefix.
func clusterName(name string) string {
	if account, ok := strings.CutPrefix(name, dovetail.SystemPrefix+ServiceAccountPrefix); ok && strings.Count(account, ":") == 1 {
		return ServiceAccountPrefix + account
	}
	return ClusterPrefix + name
}
