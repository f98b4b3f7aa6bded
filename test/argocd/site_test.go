package argocd

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	group    = "inventory.dovetail.dev"
	instance = "app.kubernetes.io/instance" // the label by which Argo CD knows what belongs to an Application
)

// site is a folder of 200 manifests, four levels deep and with references, in any order. Waves say what comes after what.
func site() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	add := func(wave int, kind, namespace, name string, spec map[string]any) {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/v1", "kind": kind, "spec": spec}}
		o.SetNamespace(namespace)
		o.SetName(name)
		o.SetLabels(map[string]string{instance: "site"})
		o.SetAnnotations(map[string]string{"argocd.argoproj.io/sync-wave": strconv.Itoa(wave)})
		all = append(all, o)
	}
	for i := range 4 {
		add(0, "Credential", "", fmt.Sprintf("reader-%d", i), map[string]any{"type": "usernamePassword", "data": map[string]any{"username": "reader", "password": "p"}})
		add(1, "RegistryDefinition", "", fmt.Sprintf("registry-%d", i), map[string]any{"credentialsId": fmt.Sprintf("reader-%d", i)})
	}
	for i := range 12 {
		add(2, "AppDefinition", "", fmt.Sprintf("app-%d", i), map[string]any{"registryName": fmt.Sprintf("registry-%d", i%4), "groupId": "org.example", "artifactId": fmt.Sprintf("app-%d", i)})
	}
	for c := range 4 {
		cluster := fmt.Sprintf("cluster-%d", c)
		add(0, "Cluster", "", cluster, map[string]any{})
		for e := range 4 {
			environment := fmt.Sprintf("env-%d", e)
			add(1, "Environment", cluster, environment, map[string]any{"definition": map[string]any{"metadata": map[string]any{"type": "TEST", "owners": []any{"ann", "bob"}}}})
			for p := range 2 {
				postfix := fmt.Sprintf("ns-%d", p)
				add(2, "DeployPostfix", cluster+":"+environment, postfix, map[string]any{"namespace": environment + "-" + postfix})
				for a := range 4 {
					add(3, "Application", cluster+":"+environment+":"+postfix, fmt.Sprintf("app-%d", a), map[string]any{"replicas": int64(a), "ratio": 0.5, "empty": map[string]any{}, "list": []any{}})
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// without leaves out what is in a cluster and that itself, and the definitions of applications.
func without(all []*unstructured.Unstructured, cluster string) (rest []*unstructured.Unstructured) {
	for _, o := range all {
		if o.GetName() != cluster && !strings.HasPrefix(o.GetNamespace(), cluster) && o.GetKind() != "AppDefinition" {
			rest = append(rest, o)
		}
	}
	return rest
}
