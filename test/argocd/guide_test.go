package argocd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestGuide connects with what the Secret of the documentation says, as Argo CD does, and finds that the Application goes there.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository, "docs/kubernetes-api.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Argo CD\n")
	_, block, _ := strings.Cut(section, "```yaml\n")
	block, _, found := strings.Cut(block, "```")
	if !found {
		t.Fatal("the guide shows no manifests")
	}
	objects, err := kube.SplitYAML([]byte(block))
	if err != nil || len(objects) != 2 {
		t.Fatalf("%d manifests: %v", len(objects), err)
	}
	member := func(o *unstructured.Unstructured, path ...string) string {
		value, _, err := unstructured.NestedString(o.Object, path...)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	secret, application := objects[0], objects[1]
	if secret.GetKind() != "Secret" || secret.GetLabels()["argocd.argoproj.io/secret-type"] != "cluster" || application.GetKind() != "Application" ||
		member(application, "spec", "destination", "name") != member(secret, "stringData", "name") || application.GetNamespace() != secret.GetNamespace() {
		t.Errorf("the guide shows %v", objects)
	}
	var config struct {
		BearerToken     string `json:"bearerToken"`
		TLSClientConfig struct {
			CAData string `json:"caData"`
		} `json:"tlsClientConfig"`
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(member(secret, "stringData", "config"))))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&config); err != nil || config.BearerToken == "" || config.TLSClientConfig.CAData == "" {
		t.Fatalf("%+v: %v", config, err)
	}
	client, err := dynamic.NewForConfig(&rest.Config{Host: serve(t), BearerToken: config.BearerToken}) // which a server without access control takes from any client
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Resource(schema.GroupVersionResource{Group: group, Version: "v1", Resource: "clusters"}).List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}
