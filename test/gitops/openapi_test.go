package gitops

import (
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/kube-openapi/pkg/util/proto"
	"k8s.io/kubectl/pkg/util/openapi"
	"k8s.io/kubectl/pkg/validation"
)

// TestOpenAPI2 reads OpenAPI of version 2 as kubectl does where it validates manifests itself, and as Argo CD does to compare objects.
func TestOpenAPI2(t *testing.T) {
	t.Parallel()
	config := &rest.Config{Host: serve(t), QPS: -1}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	getter := openapi.NewOpenAPIGetter(client)
	resources, err := openapi.NewOpenAPIParser(getter).Parse()
	if err != nil {
		t.Fatal(err)
	}
	document, err := getter.OpenAPISchema()
	if err != nil {
		t.Fatal(err)
	}
	models, err := proto.NewOpenAPIData(document)
	if err != nil {
		t.Fatal(err)
	}
	types, err := managedfields.NewGVKParser(models, false)
	if err != nil {
		t.Fatal(err)
	}
	commands, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	onServer := resource.NewQueryParamVerifier(commands, getter, resource.QueryParamFieldValidation)

	served, err := client.ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	for _, list := range served {
		of, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.APIResources {
			if !slices.Contains(r.Verbs, "patch") {
				continue
			}
			kinds++
			kind := of.WithKind(r.Kind)
			if resources.LookupResource(kind) == nil || types.Type(kind) == nil {
				t.Errorf("%s is not described", kind)
			}
			if media := resources.GetConsumes(kind, "PATCH"); len(media) != 3 || slices.Contains(media, "application/strategic-merge-patch+json") {
				t.Errorf("%s is patched by %v", kind, media)
			}
			if err := onServer.HasSupport(kind); err != nil {
				t.Errorf("kubectl validates %s itself: %v", kind, err)
			}
		}
	}
	if kinds < 30 {
		t.Errorf("only %d kinds are served", kinds)
	}

	validator := validation.NewSchemaValidation(schemas{resources})
	for _, m := range site(rand.New(rand.NewPCG(9, 10)), extent{registries: 1, clusters: 1, environments: 1, postfixes: 1, applications: 1}) {
		m.SetFinalizers([]string{"which.no/schema-names"})
		if err := unstructured.SetNestedField(m.Object, "as well", "spec", "unknown"); err != nil {
			t.Fatal(err)
		}
		text, err := m.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := validator.ValidateBytes(text); err != nil {
			t.Errorf("kubectl refuses %s: %v", text, err)
		}
		if _, err := types.Type(m.GroupVersionKind()).FromUnstructured(m.Object); err != nil {
			t.Errorf("Argo CD cannot compare %s: %v", text, err)
		}
	}
}

// schemas are what was read.
type schemas struct{ openapi.Resources }

func (s schemas) OpenAPISchema() (openapi.Resources, error) { return s.Resources, nil }
