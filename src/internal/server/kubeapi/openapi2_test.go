package kubeapi_test

import (
	"encoding/json"
	"reflect"
	"testing"

	openapi "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	clientdiscovery "k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	models "k8s.io/kube-openapi/pkg/util/proto"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
)

// TestOpenAPI2: client-go reads, in protobuf, what is answered as JSON.
func TestOpenAPI2(t *testing.T) {
	server, _ := serve(t, apitest.OpenBolt(t))
	client, err := clientdiscovery.NewDiscoveryClientForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	read, err := client.OpenAPISchema()
	if err != nil {
		t.Fatal(err)
	}
	text := server.Must(200, "GET", "/openapi/v2", "").Text
	want, err := openapi.ParseDocument([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(read, want) {
		t.Errorf("client-go reads %v, want %v", read, want)
	}

	// What no schema names is in objects, too, and is neither refused nor lost by clients.
	described, err := models.NewOpenAPIData(read)
	if err != nil {
		t.Fatal(err)
	}
	parser, err := managedfields.NewGVKParser(described, false)
	if err != nil {
		t.Fatal(err)
	}
	app := parser.Type(schema.GroupVersionKind{Group: "shop.dovetail.dev", Version: "v1", Kind: "App"})
	if app == nil {
		t.Fatal("there is no type of apps")
	}
	object := map[string]any{"apiVersion": "shop.dovetail.dev/v1", "kind": "App", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{"other": []any{int64(1), nil}}, "more": "text"}
	if typed, err := app.FromUnstructured(object); err != nil || !reflect.DeepEqual(typed.AsValue().Unstructured(), object) {
		t.Errorf("%v is read as %v, %v", object, typed, err)
	}
}

// TestOpenAPI2Negotiation: the first form in the header Accept that is known is the answer's.
func TestOpenAPI2Negotiation(t *testing.T) {
	const current, former, inJSON = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf", "application/json"
	server, _ := serve(t, apitest.OpenBolt(t))
	for _, tt := range []struct{ name, accept, mediaType string }{
		{name: "anything", accept: "*/*", mediaType: inJSON},
		{name: "JSON", accept: inJSON, mediaType: inJSON},
		{name: "protobuf", accept: current, mediaType: current},
		{name: "protobuf, as client-go calls it", accept: former, mediaType: current},
		{name: "protobuf first", accept: current + ";q=1, " + inJSON, mediaType: current},
		{name: "JSON first", accept: inJSON + ", " + current, mediaType: inJSON},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer := server.With(t).Send("GET", "/openapi/v2", "", "Accept", tt.accept)
			if got := answer.Header.Get("Content-Type"); answer.Status != 200 || got != tt.mediaType || json.Valid([]byte(answer.Text)) != (got == inJSON) {
				t.Errorf("%d %s, want %s", answer.Status, got, tt.mediaType)
			}
		})
	}
}
