package gitops

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	group   = "inventory.dovetail.dev"
	version = "v1"
)

func manifest(kind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// extent is how much is in a site: registries, and of each cluster, environment and postfix how many.
type extent struct{ registries, clusters, environments, postfixes, applications int }

// large is 200 documents.
var large = extent{registries: 4, clusters: 4, environments: 4, postfixes: 2, applications: 4}

// site is a folder of manifests of the built-in ref-schema, four levels deep and with references, in any order.
func site(random *rand.Rand, size extent) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	add := func(kind, namespace, name string, spec map[string]any) {
		all = append(all, manifest(kind, namespace, name, spec))
	}
	for i := range size.registries {
		add("Credential", "", fmt.Sprintf("reader-%d", i), map[string]any{"type": "usernamePassword", "data": map[string]any{"username": "reader", "password": "p"}})
		add("RegistryDefinition", "", fmt.Sprintf("registry-%d", i), map[string]any{"credentialsId": fmt.Sprintf("reader-%d", i)})
	}
	for i := range 3 * size.registries {
		add("AppDefinition", "", fmt.Sprintf("app-%d", i), map[string]any{"registryName": fmt.Sprintf("registry-%d", i%size.registries), "groupId": "org.example", "artifactId": fmt.Sprintf("app-%d", i)})
	}
	for c := range size.clusters {
		cluster := fmt.Sprintf("cluster-%d", c)
		add("Cluster", "", cluster, map[string]any{})
		for e := range size.environments {
			environment := fmt.Sprintf("env-%d", e)
			add("Environment", cluster, environment, map[string]any{"definition": map[string]any{"metadata": map[string]any{"type": "TEST", "owners": []any{"ann", "bob"}}}})
			for p := range size.postfixes {
				postfix := fmt.Sprintf("ns-%d", p)
				add("DeployPostfix", cluster+":"+environment, postfix, map[string]any{"namespace": environment + "-" + postfix})
				for a := range size.applications {
					add("Application", cluster+":"+environment+":"+postfix, fmt.Sprintf("app-%d", a), map[string]any{"replicas": int64(a), "ratio": 0.5, "empty": map[string]any{}, "list": []any{}})
				}
			}
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// level is after how many others a kind comes, of which its documents need some.
func level(o *unstructured.Unstructured) int {
	switch o.GetKind() {
	case "AppDefinition":
		return 2
	case "RegistryDefinition":
		return 1
	}
	if o.GetNamespace() == "" {
		return 0
	}
	return 1 + strings.Count(o.GetNamespace(), ":")
}
