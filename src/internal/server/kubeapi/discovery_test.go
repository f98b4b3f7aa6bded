package kubeapi_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientdiscovery "k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
)

// TestDiscovery: client-go finds the same resources by aggregated discovery, in two requests, as group by group.
func TestDiscovery(t *testing.T) {
	server, _ := serve(t, apitest.OpenBolt(t))
	resources := func(legacy bool) []*metav1.APIResourceList {
		client, err := clientdiscovery.NewDiscoveryClientForConfig(&rest.Config{Host: server.URL, QPS: -1})
		if err != nil {
			t.Fatal(err)
		}
		client.UseLegacyDiscovery = legacy
		_, byVersion, failed, err := client.GroupsAndMaybeResources()
		if err != nil || len(failed) > 0 || (byVersion == nil) != legacy {
			t.Fatalf("legacy %v: resources %v, failed %v, error %v", legacy, byVersion, failed, err)
		}
		_, lists, err := client.ServerGroupsAndResources()
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range lists {
			for i := range list.APIResources { // aggregated discovery repeats the group of the list
				list.APIResources[i].Group, list.APIResources[i].Version = "", ""
			}
			list.TypeMeta = metav1.TypeMeta{}
		}
		slices.SortFunc(lists, func(a, b *metav1.APIResourceList) int { return strings.Compare(a.GroupVersion, b.GroupVersion) })
		return lists
	}
	aggregated, plain := resources(false), resources(true)
	if len(plain) < 2 || !reflect.DeepEqual(aggregated, plain) {
		t.Errorf("aggregated %+v\nplain %+v", aggregated, plain)
	}
}

// TestDiscoveryNegotiation: the first form in the header Accept that is known is the answer's.
func TestDiscoveryNegotiation(t *testing.T) {
	const v2, beta = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
	server, _ := serve(t, apitest.OpenBolt(t))
	for _, tt := range []struct {
		name, path, accept, kind string
	}{
		{name: "what client-go sends", path: "/apis", accept: v2 + "," + beta + ",application/json", kind: "APIGroupDiscoveryList"},
		{name: "the core group", path: "/api", accept: v2 + "," + beta + ",application/json", kind: "APIGroupDiscoveryList"},
		{name: "plain JSON first", path: "/apis", accept: "application/json," + v2, kind: "APIGroupList"},
		{name: "only the beta version", path: "/apis", accept: beta + ",application/json", kind: "APIGroupList"},
		{name: "anything", path: "/api", accept: "*/*", kind: "APIVersions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer := server.With(t).Send("GET", tt.path, "", "Accept", tt.accept)
			if answer.Status != 200 || !strings.Contains(answer.Text, `"kind":"`+tt.kind+`"`) {
				t.Errorf("%d, want a %s: %s", answer.Status, tt.kind, answer.Text)
			}
		})
	}
}
