package kubeapi

import (
	"context"
	"mime"
	"net/http"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// mediaAggregated is the media type of aggregated discovery: the resources of all groups in one answer.
const mediaAggregated = mediaJSON + ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// discovery answers with aggregated discovery where the header Accept prefers it, and with the plain form otherwise.
func discovery(plain, aggregated handler) handler {
	return func(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
		if prefersAggregated(call.Header) {
			return aggregated(ctx, call)
		}
		return plain(ctx, call)
	}
}

// prefersAggregated reports whether aggregated discovery comes before plain JSON; other versions of it are passed over.
func prefersAggregated(header http.Header) bool {
	for _, accepted := range strings.Split(strings.Join(header["Accept"], ","), ",") {
		name, parameters, err := mime.ParseMediaType(accepted)
		if err != nil || name != mediaJSON {
			continue
		}
		if parameters["as"] == "" {
			return false
		}
		if parameters["as"] == "APIGroupDiscoveryList" && parameters["g"] == apidiscoveryv2.GroupName && parameters["v"] == "v2" {
			return true
		}
	}
	return false
}

// getAggregatedCore answers with the resources of the core group.
func (a *API) getAggregatedCore(context.Context, *httpapi.Request) (*httpapi.Response, error) {
	return aggregatedReply(groupDiscovery("", coreResources...)), nil
}

// getAggregated answers with the resources of all other groups.
func (a *API) getAggregated(context.Context, *httpapi.Request) (*httpapi.Response, error) {
	groups := []apidiscoveryv2.APIGroupDiscovery{}
	for _, g := range a.catalog().served() {
		groups = append(groups, groupDiscovery(g.name, g.resources...))
	}
	return aggregatedReply(groups...), nil
}

// groupDiscovery is a group as aggregated discovery shows it.
func groupDiscovery(name string, resources ...metav1.APIResource) apidiscoveryv2.APIGroupDiscovery {
	served := apidiscoveryv2.APIVersionDiscovery{Version: version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
	for _, r := range resources {
		scope := apidiscoveryv2.ScopeCluster
		if r.Namespaced {
			scope = apidiscoveryv2.ScopeNamespace
		}
		served.Resources = append(served.Resources, apidiscoveryv2.APIResourceDiscovery{Resource: r.Name, ResponseKind: &metav1.GroupVersionKind{Group: name, Version: version, Kind: r.Kind},
			Scope: scope, SingularResource: r.SingularName, Verbs: r.Verbs, ShortNames: r.ShortNames})
	}
	return apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: name}, Versions: []apidiscoveryv2.APIVersionDiscovery{served}}
}

func aggregatedReply(groups ...apidiscoveryv2.APIGroupDiscovery) *httpapi.Response {
	list := apidiscoveryv2.APIGroupDiscoveryList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: apidiscoveryv2.GroupName + "/v2"}, Items: groups}
	return &httpapi.Response{Status: http.StatusOK, Text: &httpapi.Text{MediaType: mediaAggregated, Data: encode(list)}}
}
