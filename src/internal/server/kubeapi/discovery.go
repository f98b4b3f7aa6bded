package kubeapi

import (
	"context"
	"net/http"
	"runtime"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeversion "k8s.io/apimachinery/pkg/version"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// resourceVerbs are what can be done with every resource.
var resourceVerbs = metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// kubernetes is the version of the Kubernetes API that is spoken.
const kubernetes = "1.33"

func groupVersion(name string) metav1.GroupVersionForDiscovery {
	return metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + version, Version: version}
}

func apiGroup(name string) metav1.APIGroup {
	v := groupVersion(name)
	return metav1.APIGroup{TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}, Name: name,
		Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v}
}

// getCore answers that there is the core group, of which only namespaces are served.
func (a *API) getCore(context.Context, *httpapi.Request) (*httpapi.Response, error) {
	return reply(http.StatusOK, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{version},
		ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{}}), nil
}

// coreResources are the resources of the core group.
var coreResources = []metav1.APIResource{{Name: "namespaces", SingularName: "namespace", Kind: "Namespace", ShortNames: []string{"ns"}, Verbs: metav1.Verbs{"get", "list"}}}

func (a *API) getCoreResources(context.Context, *httpapi.Request) (*httpapi.Response, error) {
	return reply(http.StatusOK, metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: version,
		APIResources: coreResources}), nil
}

// servedGroup is a group as discovery shows it.
type servedGroup struct {
	name      string
	resources []metav1.APIResource
}

func (g *group) served() servedGroup {
	served := servedGroup{name: g.name}
	for _, r := range g.resources {
		served.resources = append(served.resources, r.discovery())
	}
	return served
}

// served are the groups beside the core group: those of documents, and that of the definitions of their kinds.
func (c *catalog) served() []servedGroup {
	var groups []servedGroup
	for _, g := range c.groups {
		groups = append(groups, g.served())
	}
	return append(groups, definitions)
}

// servedGroup finds one by its name.
func (c *catalog) servedGroup(name string) (servedGroup, error) {
	if name == definitions.name {
		return definitions, nil
	}
	g, err := c.group(name)
	if err != nil {
		return servedGroup{}, err
	}
	return g.served(), nil
}

func (a *API) getGroups(context.Context, *httpapi.Request) (*httpapi.Response, error) {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, g := range a.catalog().served() {
		item := apiGroup(g.name)
		item.TypeMeta = metav1.TypeMeta{}
		list.Groups = append(list.Groups, item)
	}
	return reply(http.StatusOK, list), nil
}

func (a *API) getGroup(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	g, err := a.catalog().servedGroup(call.Path["group"])
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, apiGroup(g.name)), nil
}

func (a *API) getResources(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	g, err := a.catalog().servedGroup(call.Path["group"])
	if err == nil && call.Path["version"] != version {
		err = notServed("the version "+call.Path["version"]+" of "+g.name, version)
	}
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: g.name + "/" + version,
		APIResources: g.resources}), nil
}

// discovery is the resource as the discovery of its group shows it.
func (r *resource) discovery() metav1.APIResource {
	return metav1.APIResource{Name: r.plural, SingularName: r.singular, Kind: r.kind, Namespaced: r.namespaced(), ShortNames: r.shortNames(), Verbs: resourceVerbs}
}

func (a *API) getVersion(context.Context, *httpapi.Request) (*httpapi.Response, error) {
	return reply(http.StatusOK, kubeversion.Info{Major: "1", Minor: kubernetes[2:], GitVersion: "v" + kubernetes + ".0+dovetail", GitTreeState: "clean",
		GoVersion: runtime.Version(), Compiler: runtime.Compiler, Platform: runtime.GOOS + "/" + runtime.GOARCH}), nil
}
