package matrix

const kubernetesPath = "/apis/inventory.dovetail.dev/v1"

// kubernetesRoutes are the routes of the Kubernetes API.
var kubernetesRoutes = []route{
	{verb: "GET", template: "/version", rule: authenticated},
	{verb: "GET", template: "/api", rule: authenticated},
	{verb: "GET", template: "/api/v1", rule: authenticated},
	{verb: "GET", template: "/apis", rule: authenticated},
	{verb: "GET", template: "/apis/{group}", rule: authenticated, path: "/apis/inventory.dovetail.dev"},
	{verb: "GET", template: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", rule: authenticated},
	{verb: "GET", template: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}", rule: authenticated, path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusters.inventory.dovetail.dev"},
	{verb: "GET", template: "/apis/{group}/{version}", rule: authenticated, path: "/apis/inventory.dovetail.dev/v1"},
	{verb: "GET", template: "/openapi/v2", rule: authenticated},
	{verb: "GET", template: "/openapi/v3", rule: authenticated},
	{verb: "GET", template: "/openapi/v3/apis/{group}/{version}", rule: authenticated, path: "/openapi/v3/apis/inventory.dovetail.dev/v1"},
	{verb: "POST", template: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", rule: filtered, path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body: `{"spec":{}}`},
	{verb: "POST", template: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", rule: filtered, path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", body: `{"spec":{"namespace":"k1"}}`},
	{verb: "GET", template: "/api/v1/namespaces", rule: filtered},
	{verb: "GET", template: "/api/v1/namespaces/{namespace}", rule: readers, path: "/api/v1/namespaces/m1"},
	{verb: "POST", template: "/apis/{group}/{version}/{resource}", rule: editors, path: kubernetesPath + "/clusters", body: named("k1")},
	{verb: "POST", template: "/apis/{group}/{version}/namespaces/{namespace}/{resource}", rule: editors, path: kubernetesPath + "/namespaces/k1/environments", body: named("e")},
	{verb: "GET", template: "/apis/{group}/{version}/{resource}", rule: filtered, path: kubernetesPath + "/clusters"},
	{verb: "GET", template: "/apis/{group}/{version}/{resource}/{name}", rule: readers, path: kubernetesPath + "/clusters/k1"},
	{verb: "GET", template: "/apis/{group}/{version}/namespaces/{namespace}/{resource}", rule: readers, path: kubernetesPath + "/namespaces/k1/environments"},
	{verb: "GET", template: "/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}", rule: readers, path: kubernetesPath + "/namespaces/k1/environments/e"},
	{verb: "PUT", template: "/apis/{group}/{version}/{resource}/{name}", rule: editors, path: kubernetesPath + "/clusters/k1", body: `{"metadata":{"name":"k1","labels":{"a":"b"}}}`},
	{verb: "PUT", template: "/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}", rule: editors, path: kubernetesPath + "/namespaces/k1/environments/e", body: `{"metadata":{"name":"e","labels":{"a":"b"}}}`},
	{verb: "PATCH", template: "/apis/{group}/{version}/{resource}/{name}", rule: editors, path: kubernetesPath + "/clusters/k1", body: `{"spec":{}}`, media: "application/merge-patch+json"},
	{verb: "PATCH", template: "/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}", rule: editors, path: kubernetesPath + "/namespaces/k1/environments/e", body: `{"spec":{}}`, media: "application/merge-patch+json"},
	{verb: "DELETE", template: "/apis/{group}/{version}/namespaces/{namespace}/{resource}", rule: editors, path: kubernetesPath + "/namespaces/k1/environments?fieldSelector=metadata.name%3De"},
	{verb: "POST", template: "/apis/{group}/{version}/namespaces/{namespace}/{resource}", again: true, rule: editors, path: kubernetesPath + "/namespaces/k1/environments", body: named("e")},
	{verb: "DELETE", template: "/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}", rule: editors, path: kubernetesPath + "/namespaces/k1/environments/e"},
	{verb: "DELETE", template: "/apis/{group}/{version}/{resource}", rule: editors, path: kubernetesPath + "/clusters?fieldSelector=metadata.name%3Dk1"},
	{verb: "POST", template: "/apis/{group}/{version}/{resource}", again: true, rule: editors, path: kubernetesPath + "/clusters", body: named("k1")},
	{verb: "DELETE", template: "/apis/{group}/{version}/{resource}/{name}", rule: editors, path: kubernetesPath + "/clusters/k1"},
}
