package kubeapi

import (
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// API translates requests of the Kubernetes API to calls of a store. It is safe for concurrent use.
type API struct {
	store httpapi.Store
	now   func() time.Time
	known atomic.Pointer[catalog]
}

// New returns the API of a store; now tells the time that ages in tables are counted from.
func New(s httpapi.Store, now func() time.Time) *API { return &API{store: s, now: now} }

// catalog are the resources of the ref-schema in force.
func (a *API) catalog() *catalog {
	model := a.store.Model()
	if known := a.known.Load(); known != nil && known.model == model {
		return known
	}
	made := newCatalog(model)
	a.known.Store(made)
	return made
}

func parameter(name, description string) httpapi.Parameter {
	return httpapi.Parameter{Name: name, Description: description, AllowEmpty: true} // of the Kubernetes API, in which an empty value is none
}

// Service returns the endpoints.
func (a *API) Service() httpapi.Service {
	const (
		base       = "/apis/{group}/{version}"
		namespaced = base + "/namespaces/{namespace}/{resource}"
		top        = base + "/{resource}"
	)
	pretty, timeout := parameter("pretty", "ignored: responses are compact"), parameter("timeout", "ignored: the server has its own limit")
	common := []httpapi.Parameter{pretty, timeout}
	read := []httpapi.Parameter{parameter(paramVersion, "the resourceVersion that the result must not be older than"), parameter(paramObject, "the content of the rows of a table: None, Metadata or Object")}
	labels, fields := parameter("labelSelector", "a label selector"), parameter("fieldSelector", "a field selector on metadata.name, metadata.namespace and members of the data")
	list := append([]httpapi.Parameter{labels, fields,
		parameter(paramLimit, "the maximum number of items of a page"), parameter("continue", "the token of the previous page"), parameter(paramWatch, "stream changes instead of a list"),
		parameter(paramMatch, "how to match resourceVersion: Exact or NotOlderThan"), parameter(paramSeconds, "the maximum duration of a watch"), parameter(paramBookmarks, "whether a watch sends bookmarks"),
		parameter(paramInitial, "whether a watch starts with the existing objects")}, read...)
	write := append([]httpapi.Parameter{parameter(paramDryRun, "All: check everything and change nothing"), parameter(paramManager, "the field manager, as recorded in metadata.managedFields"),
		parameter("fieldValidation", "ignored: unknown members are refused if the ref-schema forbids them")}, common...)
	remove := append([]httpapi.Parameter{parameter(paramPropagation, "Foreground: also delete children and referrers"), parameter("gracePeriodSeconds", "ignored: deletions are immediate"),
		parameter("orphanDependents", "must not be true")}, write...)
	body := httpapi.Schema{"type": "object"}
	needs := func(rights ...dovetail.Right) []store.Scope {
		var scopes []store.Scope
		for _, right := range rights {
			scopes = append(scopes, store.Scope{Right: right, AnyKind: true})
		}
		return scopes
	}
	get := func(path, summary string, handle handler, query ...httpapi.Parameter) httpapi.Endpoint {
		return httpapi.Endpoint{Method: http.MethodGet, OtherQuery: true, Path: path, Summary: summary, Query: append(query, common...), MediaType: mediaJSON, Answer: body, Handle: handle}
	}
	service := httpapi.Service{Name: httpapi.ServiceResources, Base: "/apis", Problem: failure, Endpoints: []httpapi.Endpoint{
		get("/version", "the version of the Kubernetes API that is implemented", a.getVersion),
		get("/api", "the versions of the core group of the Kubernetes API", discovery(a.getCore, a.getAggregatedCore)),
		get("/api/v1", "the resources of the core group", a.getCoreResources),
		get("/api/v1/namespaces", "list the documents that can have children, as namespaces", a.listNamespaces, list...),
		get("/api/v1/namespaces/{namespace}", "read the namespace of a document", a.getNamespace, read...),
		get("/apis", "the groups of the Kubernetes API", discovery(a.getGroups, a.getAggregated)),
		get("/apis/{group}", "one group", a.getGroup),
		get(base, "the resources of a group", a.getResources),
		get("/apis/"+definitionGroup+"/v1/customresourcedefinitions", "list the kinds as CustomResourceDefinitions", a.listDefinitions,
			labels, parameter("fieldSelector", "a field selector on metadata.name"), parameter(paramLimit, "ignored: there is only one page"), parameter(paramWatch, "must not be true")),
		get("/apis/"+definitionGroup+"/v1/customresourcedefinitions/{name}", "read a kind as a CustomResourceDefinition", a.getDefinition),
		{Method: http.MethodPost, Path: "/apis/" + reviewGroup + "/v1/selfsubjectaccessreviews", Summary: "check whether the caller may do something", Query: write, MediaType: mediaJSON, AnyMediaType: true,
			ReadOnly: true, Body: body, Answer: body, Code: http.StatusCreated, Needs: needs(dovetail.RightRead, dovetail.RightCreate, dovetail.RightUpdate, dovetail.RightDelete), Handle: a.review},
		{Method: http.MethodPost, Path: "/apis/" + reviewGroup + "/v1/selfsubjectrulesreviews", Summary: "list everything that the caller may do in a namespace", Query: write, MediaType: mediaJSON, AnyMediaType: true,
			ReadOnly: true, Body: body, Answer: body, Code: http.StatusCreated, Needs: needs(dovetail.RightRead, dovetail.RightCreate, dovetail.RightUpdate, dovetail.RightDelete), Handle: a.reviewRules},
		get("/openapi/v2", "the description of all groups, as OpenAPI of version 2", a.getOpenAPI2),
		get("/openapi/v3", "the paths of the descriptions of the groups", a.getOpenAPI),
		get("/openapi/v3/apis/{group}/{version}", "the description of a group", a.getOpenAPIOf, parameter("hash", "the hash of the description")),
	}}
	for _, path := range []string{namespaced, top} {
		service.Endpoints = append(service.Endpoints,
			httpapi.Endpoint{Method: http.MethodGet, OtherQuery: true, Path: path, Summary: "list or watch objects of the Kubernetes API", Query: append(list, common...), MediaType: mediaJSON, Answer: body, Long: true, Watches: watches, Handle: a.list},
			httpapi.Endpoint{Method: http.MethodPost, Path: path, Summary: "create an object", Query: write, MediaType: mediaJSON, AnyMediaType: true, Body: body, Answer: body, Code: http.StatusCreated, Needs: needs(dovetail.RightCreate), Handle: a.create},
			httpapi.Endpoint{Method: http.MethodDelete, Path: path, Summary: "delete the objects that match selectors", Query: append([]httpapi.Parameter{labels, fields,
				parameter(paramLimit, "the maximum number of deleted objects, the first by id"), parameter(paramSeconds, "the timeout in seconds")}, remove...), MediaType: mediaJSON, AnyMediaType: true, Body: body, BodyOptional: true, Answer: body, Code: http.StatusOK, Needs: needs(dovetail.RightDelete), Handle: a.deleteCollection})
	}
	for _, path := range []string{namespaced + "/{name}", top + "/{name}"} {
		service.Endpoints = append(service.Endpoints,
			httpapi.Endpoint{Method: http.MethodGet, OtherQuery: true, Path: path, Summary: "read an object of the Kubernetes API", Query: append(read, common...), MediaType: mediaJSON, Answer: body, Handle: a.get},
			httpapi.Endpoint{Method: http.MethodPut, Path: path, Summary: "replace an object", Query: write, MediaType: mediaJSON, AnyMediaType: true, Body: body, Answer: body, Code: http.StatusOK, Needs: needs(dovetail.RightUpdate), Handle: a.replace},
			httpapi.Endpoint{Method: http.MethodPatch, Path: path, Summary: "change parts of an object", Query: append([]httpapi.Parameter{parameter(paramForce, "for server-side apply: take over fields of other managers")}, write...), MediaType: mediaJSON, AnyMediaType: true, Body: body, Answer: body, Code: http.StatusOK, Needs: needs(dovetail.RightUpdate), Handle: a.patch},
			httpapi.Endpoint{Method: http.MethodDelete, Path: path, Summary: "delete an object", Query: remove, MediaType: mediaJSON, AnyMediaType: true, Body: body, BodyOptional: true, Answer: body, Code: http.StatusOK, Needs: needs(dovetail.RightDelete), Handle: a.delete})
	}
	return service
}

// The parameters that mean something here.
const (
	paramVersion     = "resourceVersion"
	paramMatch       = "resourceVersionMatch"
	paramWatch       = "watch"
	paramLimit       = "limit"
	paramSeconds     = "timeoutSeconds"
	paramBookmarks   = "allowWatchBookmarks"
	paramInitial     = "sendInitialEvents"
	paramObject      = "includeObject"
	paramDryRun      = "dryRun"
	paramPropagation = "propagationPolicy"
	paramManager     = "fieldManager"
	paramForce       = "force"
)

func watches(query url.Values) bool { return isTrue(query.Get(paramWatch)) }

func isTrue(text string) bool { return text == "true" || text == "1" }
