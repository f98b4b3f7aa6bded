package kubeapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/server/kubeapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/store"
)

const (
	group = "/apis/shop.dovetail.dev/v1"
	apps  = group + "/namespaces/p1/apps"

	definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
)

// serve serves the Kubernetes API of a new store with the ref-schema of a shop, or another one.
func serve(t testing.TB, backend store.Backend, refSchemas ...string) (*apitest.Server, *store.Store) {
	if refSchemas == nil {
		refSchemas = []string{"testdata/shop.yaml"}
	}
	s := apitest.NewStore(t, backend, store.Config{}, refSchemas...)
	return apitest.Serve(t, s, httpapi.Options{Services: []httpapi.Service{kubeapi.New(s, time.Now).Service()}}), s
}

// request is one of a table: what it is answered, and what the answer says.
type request struct {
	name, method, path string
	body               string
	header             []string
	status             int
	says               []string // parts of the answer
	lacks              []string
}

// TestConventions takes the conventions of the Kubernetes API one by one, in an order in which each finds what it needs.
func TestConventions(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		server, _ := serve(t, open(t))
		const merge, patch = "application/merge-patch+json", "application/json-patch+json"
		apply := []string{"Content-Type", "application/apply-patch+yaml"}
		app := func(members string) string {
			return `{"apiVersion":"shop.dovetail.dev/v1","kind":"App",` + members + `}`
		}
		tableOf := []string{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
		requests := []request{
			{name: "groups", method: "GET", path: "/apis", status: 200, says: []string{`"name":"shop.dovetail.dev"`}},
			{name: "an unknown group", method: "GET", path: "/apis/shob.dovetail.dev", status: 404, says: []string{`"kind":"Status"`, "did you mean shop.dovetail.dev?"}},
			{name: "an unknown path", method: "GET", path: "/apis/a/b/c/d/e/f/g", status: 404, says: []string{`"kind":"Status"`, `"reason":"NotFound"`}},
			{name: "resources", method: "GET", path: group, status: 200, says: []string{`"name":"apps","singularName":"app","namespaced":true,"kind":"App"`, `"name":"projects","singularName":"project","namespaced":false`, `"name":"releaseversions"`}},
			{name: "an unknown resource", method: "GET", path: group + "/porjects", status: 404, says: []string{"did you mean projects?"}},
			{name: "create", method: "POST", path: group + "/projects", body: `{"apiVersion":"shop.dovetail.dev/v1","kind":"Project","metadata":{"name":"p1"}}`, status: 201, says: []string{`"resourceVersion":`, `"uid":`, `"creationTimestamp":`}},
			{name: "create again", method: "POST", path: group + "/projects", body: `{"metadata":{"name":"p1"}}`, status: 409, says: []string{`"reason":"AlreadyExists"`}},
			{name: "create as YAML", method: "POST", path: apps, header: []string{"Content-Type", "application/yaml"}, body: "metadata: {name: web, labels: {tier: front}}\nspec: {replicas: 2}\n", status: 201, says: []string{`"namespace":"p1"`, `"replicas":2`}},
			{name: "create without a parent", method: "POST", path: group + "/namespaces/p2/apps", body: `{"metadata":{"name":"web"}}`, status: 422, says: []string{`"reason":"Invalid"`, "project/p2"}},
			{name: "create with a missing reference", method: "POST", path: apps, body: `{"metadata":{"name":"db"},"spec":{"store":"s1"}}`, status: 422, says: []string{`"reason":"FieldValueNotFound"`, "project/p1/store/s1"}},
			{name: "create what the schema refuses", method: "POST", path: apps, body: `{"metadata":{"name":"db"},"spec":{"replicas":"two"}}`, status: 422, says: []string{`"field":"spec.replicas"`}},
			{name: "create without a name", method: "POST", path: apps, body: `{"metadata":{"generateName":"web-"}}`, status: 422, says: []string{"generateName is not supported"}},
			{name: "create with an owner", method: "POST", path: apps, body: `{"metadata":{"name":"db","ownerReferences":[{"name":"x"}]}}`, status: 422, says: []string{`"field":"metadata.ownerReferences"`}},
			{name: "create another kind", method: "POST", path: apps, body: `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"db"}}`, status: 400, says: []string{`kind is \"Pod\"`}},
			{name: "create in another namespace", method: "POST", path: apps, body: `{"metadata":{"name":"db","namespace":"p9"}}`, status: 400, says: []string{"metadata.namespace"}},
			{name: "create without a namespace", method: "POST", path: group + "/apps", body: `{"metadata":{"name":"db"}}`, status: 400, says: []string{"are created in a namespace"}},
			{name: "create for a dry run", method: "POST", path: apps + "?dryRun=All", body: `{"metadata":{"name":"dry"}}`, status: 201},
			{name: "of which nothing stays", method: "GET", path: apps + "/dry", status: 404, says: []string{`"reason":"NotFound"`}},
			{name: "an unknown dry run", method: "POST", path: apps + "?dryRun=Some", body: `{"metadata":{"name":"dry"}}`, status: 400},
			{name: "protobuf", method: "POST", path: apps, header: []string{"Content-Type", "application/vnd.kubernetes.protobuf"}, body: "x", status: 415},
			{name: "get", method: "GET", path: apps + "/web", status: 200, says: []string{`"apiVersion":"shop.dovetail.dev/v1","kind":"App"`, `"name":"web"`}},
			{name: "get a part of the key", method: "GET", path: group + "/namespaces/p1/releaseversions/shop", status: 400, says: []string{"release:releaseVersion"}},
			{name: "create with a key of two elements", method: "POST", path: group + "/namespaces/p1/releaseversions", body: `{"metadata":{"name":"shop:v1"},"spec":{"releaseVersion":"v1"}}`, status: 201, says: []string{`"name":"shop:v1"`}},
			{name: "get it", method: "GET", path: group + "/namespaces/p1/releaseversions/shop:v1", status: 200},
			{name: "list", method: "GET", path: apps, status: 200, says: []string{`"kind":"AppList"`, `"resourceVersion":"at.`, `"items":[{`}},
			{name: "list everywhere", method: "GET", path: group + "/apps", status: 200, says: []string{`"namespace":"p1"`}},
			{name: "list in a namespace that is not there", method: "GET", path: group + "/namespaces/default/apps", status: 200, says: []string{`"items":[]`}},
			{name: "list in a namespace of another depth", method: "GET", path: group + "/namespaces/p1:shop/apps", status: 200, says: []string{`"items":[]`}},
			{name: "list in a namespace that is no text", method: "GET", path: group + "/namespaces/~zz/apps", status: 400},
			{name: "get in a namespace of another depth", method: "GET", path: group + "/namespaces/p1:shop/apps/web", status: 400},
			{name: "list by a label", method: "GET", path: apps + "?labelSelector=tier%3Dfront", status: 200, says: []string{`"name":"web"`}},
			{name: "list by another label", method: "GET", path: apps + "?labelSelector=tier%3Dback", status: 200, says: []string{`"items":[]`}},
			{name: "list by name", method: "GET", path: group + "/apps?fieldSelector=metadata.name%3Dweb,metadata.namespace%3Dp1", status: 200, says: []string{`"name":"web"`}},
			{name: "list by not that name", method: "GET", path: apps + "?fieldSelector=metadata.name!%3Dweb", status: 200, says: []string{`"items":[]`}},
			{name: "list by a member", method: "GET", path: apps + "?fieldSelector=spec.replicas%3D2", status: 200, says: []string{`"name":"web"`}},
			{name: "watch from another database", method: "GET", path: apps + "?watch=true&labelSelector=a&resourceVersion=at.x", status: 410, says: []string{`"reason":"Expired"`}},
			{name: "watch from nothing", method: "GET", path: apps + "?watch=true&resourceVersion=17", status: 400},
			{name: "watch everything from another database", method: "GET", path: apps + "?watch=true&resourceVersion=at.x", status: 200, says: []string{`"type":"ERROR"`, `"code":410`}},
			{name: "a table", method: "GET", path: apps, header: tableOf, status: 200, says: []string{`"kind":"Table"`, `"name":"Replicas"`, `"cells":["web","2",`, `"kind":"PartialObjectMetadata"`}, lacks: []string{`"spec"`}},
			{name: "metadata alone", method: "GET", path: apps, header: []string{"Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}, status: 200, says: []string{`"kind":"PartialObjectMetadataList"`}, lacks: []string{`"spec"`}},
			{name: "merge", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", merge}, body: `{"spec":{"replicas":3,"x":1}}`, status: 200, says: []string{`"replicas":3`}},
			{name: "patch", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", patch}, body: `[{"op":"test","path":"/spec/x","value":1},{"op":"remove","path":"/spec/x"}]`, status: 200, lacks: []string{`"x"`}},
			{name: "a patch that does not apply", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", patch}, body: `[{"op":"remove","path":"/spec/x"}]`, status: 422},
			{name: "a patch that copies without end", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", patch}, body: doubling(40), status: 422, says: []string{"accumulated size increase"}},
			{name: "a patch of too many operations", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", patch}, body: "[" + strings.Repeat(`{"op":"test","path":"/spec/replicas","value":3},`, 10_000) + `{"op":"remove","path":"/spec"}]`, status: 413},
			{name: "a patch of another version", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", merge}, body: `{"metadata":{"resourceVersion":"a-1"}}`, status: 409, says: []string{`"reason":"Conflict"`}},
			{name: "a patch of the name", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", merge}, body: `{"metadata":{"name":"other"}}`, status: 400},
			{name: "apply without a manager", method: "PATCH", path: apps + "/ssa", header: apply, body: `{"apiVersion":"shop.dovetail.dev/v1","kind":"App"}`, status: 400, says: []string{"give fieldManager"}},
			{name: "apply without a version", method: "PATCH", path: apps + "/ssa?fieldManager=a", header: apply, body: `{"kind":"App"}`, status: 400, says: []string{"has no apiVersion"}},
			{name: "apply another kind", method: "PATCH", path: apps + "/ssa?fieldManager=a", header: apply, body: `{"apiVersion":"v1","kind":"Pod"}`, status: 400},
			{name: "apply managed fields", method: "PATCH", path: apps + "/ssa?fieldManager=a", header: apply, body: app(`"metadata":{"managedFields":[]}`), status: 400, says: []string{"must not be in what is applied"}},
			{name: "apply for a dry run", method: "PATCH", path: apps + "/ssa?fieldManager=a&dryRun=All", header: apply, body: app(`"spec":{"replicas":1}`), status: 201, says: []string{`"manager":"a"`}},
			{name: "apply what is new", method: "PATCH", path: apps + "/ssa?fieldManager=a", header: apply, body: app(`"metadata":{"name":"ssa","labels":{"l":"1"}},"spec":{"replicas":1}`), status: 201,
				says: []string{`"managedFields":[{"manager":"a","operation":"Apply","apiVersion":"shop.dovetail.dev/v1","time":`, `"fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:l":{}}},"f:spec":{"f:replicas":{}}}`}, lacks: []string{`"status"`}},
			{name: "apply it again", method: "PATCH", path: apps + "/ssa?fieldManager=a", header: apply, body: app(`"metadata":{"labels":{"l":"1"}},"spec":{"replicas":1}`), status: 200, says: []string{"-1\""}},
			{name: "apply a field of another", method: "PATCH", path: apps + "/ssa?fieldManager=b", header: apply, body: app(`"spec":{"replicas":2,"other":1}`), status: 409,
				says: []string{`"reason":"Conflict"`, `"reason":"FieldManagerConflict"`, `"field":".spec.replicas"`, `conflict with \"a\"`, "Apply failed with 1 conflict"}},
			{name: "force neither true nor false", method: "PATCH", path: apps + "/ssa?fieldManager=b&force=yes", header: apply, body: app(`"spec":{"replicas":2}`), status: 400},
			{name: "force without apply", method: "PATCH", path: apps + "/ssa?fieldManager=b&force=true", header: []string{"Content-Type", merge}, body: `{"spec":{"replicas":2}}`, status: 422},
			{name: "apply it by force", method: "PATCH", path: apps + "/ssa?fieldManager=b&force=true", header: apply, body: app(`"spec":{"replicas":2}`), status: 200, says: []string{`"manager":"b"`, `"replicas":2`}},
			{name: "what another changes is another's", method: "PATCH", path: apps + "/ssa?fieldManager=edit", header: []string{"Content-Type", merge}, body: `{"metadata":{"labels":{"l":"2"}}}`, status: 200, says: []string{`"manager":"edit","operation":"Update"`}, lacks: []string{`"manager":"a"`}},
			{name: "apply less", method: "PATCH", path: apps + "/ssa?fieldManager=b", header: apply, body: app(`"metadata":{"annotations":{"x":"y"}}`), status: 200, says: []string{`"x":"y"`, `"l":"2"`}, lacks: []string{`"replicas"`}},
			{name: "the managers in a list", method: "GET", path: apps + "?fieldSelector=metadata.name%3Dssa", status: 200, says: []string{`"managedFields":[`}, lacks: []string{`"status"`}},
			{name: "the managers in metadata alone", method: "GET", path: apps + "/ssa", header: []string{"Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}, status: 200, says: []string{`"managedFields":[`}},
			{name: "replace without the managers", method: "PUT", path: apps + "/ssa", body: `{"metadata":{"name":"ssa","annotations":{"x":"y"}},"spec":{"replicas":3}}`, status: 200, says: []string{`"manager":"b"`, `"f:annotations"`, `"f:replicas"`}},
			{name: "managers that are none", method: "PATCH", path: apps + "/ssa", header: []string{"Content-Type", merge}, body: `{"metadata":{"managedFields":[{"manager":"x"}]}}`, status: 422, says: []string{"neither the operation Apply nor Update"}},
			{name: "forget the managers", method: "PATCH", path: apps + "/ssa", header: []string{"Content-Type", patch}, body: `[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]`, status: 200, lacks: []string{"managedFields"}},
			{name: "apply at an old version", method: "PATCH", path: apps + "/ssa?fieldManager=a", header: apply, body: app(`"metadata":{"resourceVersion":"x-1"}`), status: 409},
			{name: "delete what was applied", method: "DELETE", path: apps + "/ssa", status: 200},
			{name: "a strategic patch", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", "application/strategic-merge-patch+json"}, body: `{}`, status: 415, says: []string{"--type merge"}},
			{name: "replace what another has changed", method: "PUT", path: apps + "/web", body: `{"metadata":{"name":"web","resourceVersion":"a-1"}}`, status: 409, says: []string{`"reason":"Conflict"`}},
			{name: "replace one that was deleted since", method: "PUT", path: apps + "/web", body: `{"metadata":{"name":"web","uid":"x"}}`, status: 409, says: []string{`"reason":"Conflict"`, "has the uid"}},
			{name: "change one that was deleted since", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", merge}, body: `{"metadata":{"uid":"x"},"spec":{"replicas":5}}`, status: 409, says: []string{"has the uid"}},
			{name: "a patch with too many operations", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", patch}, body: "[" + strings.Repeat("{},", 10_000) + "{}]", status: 413, says: []string{"10001 operations"}},
			{name: "a patch with too many values", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", patch}, body: `[{"op":"test","path":"/x","value":[` + strings.Repeat("0,", 2_000_000) + "0]}]", status: 413, says: []string{"more than 2000000 values"}},
			{name: "a patch that is no list", method: "PATCH", path: apps + "/web", header: []string{"Content-Type", patch}, body: `{"op":"test"}`, status: 400, says: []string{"no JSON patch"}},
			{name: "watch neither true nor false", method: "GET", path: apps + "?watch=maybe", status: 400, says: []string{"neither true nor false"}},
			{name: "a match without a version", method: "GET", path: apps + "?resourceVersionMatch=Exact", status: 400},
			{name: "a match of another kind", method: "GET", path: apps + "?resourceVersionMatch=Newer&resourceVersion=at.1", status: 400, says: []string{"NotOlderThan"}},
			{name: "a match with the version of an object", method: "GET", path: apps + "?resourceVersionMatch=Exact&resourceVersion=u-1", status: 400, says: []string{"that of a list"}},
			{name: "not older than a version", method: "GET", path: apps + "?resourceVersionMatch=NotOlderThan&resourceVersion=1", status: 200},
			{name: "replace what is not there", method: "PUT", path: apps + "/nope", body: `{"metadata":{"name":"nope"}}`, status: 404},
			{name: "replace", method: "PUT", path: apps + "/web", body: `{"metadata":{"name":"web"},"spec":{"replicas":4}}`, status: 200, says: []string{`"replicas":4`}, lacks: []string{`"tier"`}},
			{name: "delete what is in use", method: "DELETE", path: group + "/projects/p1", status: 409, says: []string{`"reason":"Conflict"`, `"reason":"InUse"`, "project/p1/app/web"}},
			{name: "delete and leave orphans", method: "DELETE", path: group + "/projects/p1", body: `{"propagationPolicy":"Orphan"}`, status: 400, says: []string{"Foreground"}},
			{name: "delete another one", method: "DELETE", path: apps + "/web", body: `{"preconditions":{"uid":"x"}}`, status: 409},
			{name: "delete for a dry run", method: "DELETE", path: apps + "/web", body: `{"dryRun":["All"]}`, status: 200, says: []string{`"status":"Success"`}},
			{name: "a collection for a dry run", method: "DELETE", path: apps + "?dryRun=All", status: 200, says: []string{`"status":"Success"`}},
			{name: "a collection everywhere", method: "DELETE", path: group + "/apps", status: 400, says: []string{"in a namespace"}},
			{name: "a collection in a namespace that is not there", method: "DELETE", path: group + "/namespaces/p9/apps", status: 404, says: []string{"there is no namespace"}},
			{name: "a collection with preconditions", method: "DELETE", path: apps, body: `{"preconditions":{"uid":"x"}}`, status: 400, says: []string{"not of a collection"}},
			{name: "a collection with an unknown parameter", method: "DELETE", path: apps + "?labelSelektor=tier%3Dback", status: 400},
			{name: "a collection of nothing", method: "DELETE", path: apps + "?labelSelector=tier%3Dback", status: 200},
			{name: "a collection that is in use", method: "DELETE", path: group + "/projects", status: 409, says: []string{`"reason":"InUse"`, "project/p1/app/web"}},
			{name: "a collection that would leave orphans", method: "DELETE", path: apps, body: `{"propagationPolicy":"Orphan"}`, status: 400, says: []string{"Foreground"}},
			{name: "of all of which nothing is gone", method: "GET", path: apps + "/web", status: 200},
			{name: "create one to select", method: "POST", path: apps, body: `{"metadata":{"name":"old","labels":{"tier":"old"}}}`, status: 201},
			{name: "a collection by label", method: "DELETE", path: apps + "?labelSelector=tier%3Dold", status: 200},
			{name: "of which nothing is left", method: "GET", path: apps + "/old", status: 404},
			{name: "create one of two to delete", method: "POST", path: apps, body: `{"metadata":{"name":"old-1","labels":{"tier":"old"}}}`, status: 201},
			{name: "create the other", method: "POST", path: apps, body: `{"metadata":{"name":"old-2","labels":{"tier":"old"}}}`, status: 201},
			{name: "a collection with a limit that is no number", method: "DELETE", path: apps + "?labelSelector=tier%3Dold&limit=few", status: 400, says: []string{"no number of items"}},
			{name: "a collection for a time that is no number", method: "DELETE", path: apps + "?labelSelector=tier%3Dold&timeoutSeconds=-1", status: 400, says: []string{"no number of seconds"}},
			{name: "a collection for longer than times last", method: "DELETE", path: apps + "?labelSelector=tier%3Dold&timeoutSeconds=9223372037", status: 400, says: []string{"up to 9223372036"}},
			{name: "a watch for longer than times last", method: "GET", path: apps + "?watch=true&timeoutSeconds=9223372037", status: 400, says: []string{"up to 9223372036"}},
			{name: "a collection up to a limit", method: "DELETE", path: apps + "?labelSelector=tier%3Dold&limit=1&timeoutSeconds=20", status: 200},
			{name: "which leaves what is beyond it", method: "GET", path: apps + "?labelSelector=tier%3Dold", status: 200, says: []string{`"name":"old-2"`}, lacks: []string{`"name":"old-1"`}},
			{name: "the rest of the collection", method: "DELETE", path: apps + "?labelSelector=tier%3Dold&limit=1", status: 200},
			{name: "which is gone then", method: "GET", path: apps + "?labelSelector=tier%3Dold", status: 200, says: []string{`"items":[]`}},
			{name: "and the others are", method: "GET", path: apps + "/web", status: 200},
			{name: "definitions", method: "GET", path: definitions, status: 200, says: []string{`"kind":"CustomResourceDefinitionList"`, `"name":"apps.shop.dovetail.dev"`, `"applyset.kubernetes.io/is-parent-type":"true"`}},
			{name: "definitions by a label that all have", method: "GET", path: definitions + "?labelSelector=applyset.kubernetes.io/is-parent-type", status: 200, says: []string{`"name":"apps.shop.dovetail.dev"`}},
			{name: "definitions by a label that none has", method: "GET", path: definitions + "?labelSelector=tier", status: 200, says: []string{`"items":[]`}},
			{name: "definitions by name", method: "GET", path: definitions + "?fieldSelector=metadata.name%3Dapps.shop.dovetail.dev", status: 200, says: []string{`"name":"apps.shop.dovetail.dev"`}, lacks: []string{"projects.shop"}},
			{name: "definitions in a namespace", method: "GET", path: definitions + "?fieldSelector=metadata.namespace%3Dp1", status: 200, says: []string{`"items":[]`}},
			{name: "definitions by a member", method: "GET", path: definitions + "?fieldSelector=spec.scope%3DCluster", status: 400, says: []string{"by metadata.name"}},
			{name: "a watch of definitions", method: "GET", path: definitions + "?watch=true", status: 405, says: []string{"are not watched"}},
			{name: "a definition", method: "GET", path: definitions + "/apps.shop.dovetail.dev", status: 200, says: []string{`"scope":"Namespaced"`, `"plural":"apps"`, `"replicas":{"type":"integer"}`}},
			{name: "an unknown definition", method: "GET", path: definitions + "/app.shop.dovetail.dev", status: 404, says: []string{"did you mean apps.shop.dovetail.dev?"}},
			{name: "a new definition", method: "POST", path: definitions, body: `{}`, status: 405},
			{name: "the group of definitions", method: "GET", path: "/apis/apiextensions.k8s.io/v1", status: 200, says: []string{`"name":"customresourcedefinitions"`, `"verbs":["get","list"]`}},
			{name: "a review of reading definitions", method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body: `{"spec":{"resourceAttributes":{"group":"apiextensions.k8s.io","resource":"customresourcedefinitions","verb":"list"}}}`, status: 201, says: []string{`"allowed":true`}},
			{name: "a review of watching definitions", method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body: `{"spec":{"resourceAttributes":{"group":"apiextensions.k8s.io","resource":"customresourcedefinitions","verb":"watch"}}}`, status: 201, says: []string{`"allowed":false`}},
			{name: "a review of deleting definitions", method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body: `{"spec":{"resourceAttributes":{"group":"apiextensions.k8s.io","resource":"customresourcedefinitions","verb":"delete"}}}`, status: 201, says: []string{`"allowed":false`, "the ref-schema defines kinds"}},
			{name: "namespaces", method: "GET", path: "/api/v1/namespaces", status: 200, says: []string{`"name":"p1"`, `"phase":"Active"`}},
			{name: "a namespace", method: "GET", path: "/api/v1/namespaces/p1", status: 200, says: []string{`"kind":"Namespace"`}},
			{name: "a review of what is allowed", method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body: `{"spec":{"resourceAttributes":{"group":"shop.dovetail.dev","resource":"apps","verb":"delete","namespace":"p1"}}}`, status: 201, says: []string{`"allowed":true`}},
			{name: "a review of what is not served", method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body: `{"spec":{"resourceAttributes":{"group":"","resource":"pods","verb":"get"}}}`, status: 201, says: []string{`"allowed":false`}},
			{name: "a review of all that is allowed", method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", body: `{"spec":{"namespace":"p1"}}`, status: 201,
				says: []string{`"kind":"SelfSubjectRulesReview"`, `"apiGroups":["shop.dovetail.dev"]`, `"verbs":["get","list","watch","create","update","patch","delete","deletecollection"]`, `"incomplete":false`}},
			{name: "a review of all that is allowed nowhere", method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", body: `{"spec":{}}`, status: 400, says: []string{"spec.namespace"}},
			{name: "delete with all below", method: "DELETE", path: group + "/projects/p1", body: `{"propagationPolicy":"Foreground"}`, status: 200},
			{name: "of which nothing stays", method: "GET", path: group + "/apps", status: 200, says: []string{`"items":[]`}},
			{name: "a verb that there is not", method: "PUT", path: apps, status: 405, says: []string{`"kind":"Status"`, `"reason":"MethodNotAllowed"`}},
			{name: "OpenAPI 2", method: "GET", path: "/openapi/v2", status: 200, says: []string{`"swagger":"2.0"`, `"dev.dovetail.shop.v1.App"`, `"#/definitions/dev.dovetail.shop.v1.App"`, `"consumes":["application/merge-patch+json",`}, lacks: []string{"#/components", `"properties"`}},
			{name: "where OpenAPI is", method: "GET", path: "/openapi/v3", status: 200, says: []string{`/openapi/v3/apis/shop.dovetail.dev/v1?hash=`}},
			{name: "OpenAPI", method: "GET", path: "/openapi/v3/apis/shop.dovetail.dev/v1", status: 200, says: []string{`"dev.dovetail.shop.v1.App"`, `"fieldValidation"`, `"x-kubernetes-action":"patch"`}},
		}
		for _, r := range requests {
			t.Run(r.name, func(t *testing.T) {
				answer := server.With(t).Send(r.method, r.path, r.body, r.header...)
				if answer.Status != r.status || !json.Valid([]byte(answer.Text)) {
					t.Fatalf("%d, want %d: %s", answer.Status, r.status, answer.Text)
				}
				for _, part := range r.says {
					if !strings.Contains(answer.Text, part) {
						t.Errorf("it does not say %s: %s", part, answer.Text)
					}
				}
				for _, part := range r.lacks {
					if strings.Contains(answer.Text, part) {
						t.Errorf("it says %s: %s", part, answer.Text)
					}
				}
			})
		}
	})
}

// TestNoNamespace: a list where nothing can be is empty, and says why; programs ask in all namespaces that they know of, which is no mistake.
func TestNoNamespace(t *testing.T) {
	server, _ := serve(t, apitest.OpenBolt(t))
	server.Must(201, "POST", group+"/projects", `{"metadata":{"name":"p1"}}`)
	table := []string{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
	for _, tt := range []struct {
		name, path string
		header     []string
		warns      string // "" if there is nothing
	}{
		{name: "what is empty", path: apps},
		{name: "what is not there", path: group + "/namespaces/default/apps", warns: "there is no namespace \\\"default\\\""},
		{name: "what cannot have any, for a program", path: group + "/namespaces/p1:shop/apps"},
		{name: "what cannot have any, for a user", path: group + "/namespaces/p1:shop/apps", header: table, warns: "apps are in namespaces written as project, which \\\"p1:shop\\\" is not"},
		{name: "a watch of it", path: group + "/namespaces/p1:shop/apps?watch=true&timeoutSeconds=1&sendInitialEvents=true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer := server.With(t).Send("GET", tt.path, "", tt.header...)
			if answer.Status != 200 || strings.Contains(answer.Text, `"name":"p1"`) {
				t.Errorf("%d %s", answer.Status, answer.Text)
			}
			if got := answer.Header.Get("Warning"); !strings.Contains(got, tt.warns) || (got == "") != (tt.warns == "") {
				t.Errorf("it warns %s, want %s", got, tt.warns)
			}
		})
	}
}

// doubling is a JSON patch that makes an object twice as large with each of its operations.
func doubling(n int) string {
	operations := make([]string, n)
	for i := range operations {
		operations[i] = fmt.Sprintf(`{"op":"copy","from":"/spec","path":"/spec/x%d"}`, i)
	}
	return "[" + strings.Join(operations, ",") + "]"
}

// TestPages: the pages of a list are of one moment, and have every object once.
func TestPages(t *testing.T) {
	server, _ := serve(t, apitest.OpenBolt(t))
	create := func(names ...string) {
		for _, name := range names {
			server.Must(201, "POST", group+"/projects", `{"metadata":{"name":"`+name+`"}}`)
		}
	}
	type page struct {
		Metadata struct{ ResourceVersion, Continue string }
		Items    []json.RawMessage
	}
	list := func(query string) (p page) {
		if err := json.Unmarshal([]byte(server.Must(200, "GET", group+"/projects?"+query, "").Text), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	create("a", "b", "c")
	first := list("limit=2")
	create("late")
	version := first.Metadata.ResourceVersion
	if second := list("limit=2&continue=" + first.Metadata.Continue); len(second.Items) != 1 || second.Metadata.ResourceVersion != version {
		t.Errorf("the second page has %d items, at %s instead of %s", len(second.Items), second.Metadata.ResourceVersion, version)
	}
	server.Must(400, "GET", group+"/projects?continue=damaged", "")
	const exact = "resourceVersionMatch=Exact&resourceVersion="
	if again := list(exact + version); len(again.Items) != 3 || again.Metadata.ResourceVersion != version {
		t.Errorf("exactly at %s there are %d, at %s", version, len(again.Items), again.Metadata.ResourceVersion)
	}
	server.Must(410, "GET", group+"/projects?"+exact+"at.nowhere-7", "")
}
