package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// fixedRoutes registers the endpoints that do not depend on the ref-schema.
func (a *API) fixedRoutes() {
	a.fixed = mux.NewRouter().SkipClean(true).UseEncodedPath()
	a.endpoints = make(map[*mux.Route]*route)
	routes, below := make(map[string]*route), make(map[string]*mux.Router)
	add := func(template, verb string, m *method) bool {
		if routes[template] == nil {
			routes[template] = &route{template: template, what: "endpoint"}
			a.endpoints[a.place(below, template)] = routes[template]
		}
		if routes[template].methods[verb] != nil {
			return false
		}
		routes[template].on(verb, m)
		return true
	}
	endpoints := a.processEndpoints()
	if !a.options.OnlyServices {
		endpoints = append(endpoints, storeEndpoints()...)
	}
	for _, e := range endpoints {
		add(e.path, e.verb, e.method)
	}
	a.addServices(add)
}

// place registers a template with those that have its first word: mux tries templates one by one.
func (a *API) place(below map[string]*mux.Router, template string) *mux.Route {
	word, rest, found := strings.Cut(template[1:], "/")
	if !found {
		return a.fixed.Path(template)
	}
	if below[word] == nil {
		below[word] = a.fixed.PathPrefix("/" + word + "/").Subrouter()
	}
	return below[word].Path("/" + rest)
}

// servicesHeader names, in the answer 404 to a path that is not served, what this server runs: a gateway knows by it
// whether it reached the server that it meant.
const servicesHeader = "Dovetail-Services"

// find sets the route, and the method where the route has the verb.
func (x *requestContext) find() error {
	path := x.r.URL.EscapedPath()
	for len(path) > 1 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	below, isResource := strings.CutPrefix(path, api.Root+"/")
	if isResource {
		m := match{values: make([]string, 0, 8)}
		if x.routing.root.find(below, &m) && !(m.aliased && x.api.options.Profile == ProfileEMCO) { // which has no singular paths
			x.route, x.values = m.route, m.values
			x.method = m.route.methodOf(x.r.Method)
			if m.aliased {
				return x.readOnly()
			}
			return nil
		}
	}
	if x.findFixed(path) {
		x.method = x.route.methodOf(x.r.Method)
		return nil
	}
	x.w.Header().Set(servicesHeader, strings.Join(x.serviceNames(), ","))
	err := &dovetail.Error{Code: dovetail.CodeNotFound, Message: "nothing is served at " + path, Remedy: "see / for what is"}
	if near := x.routing.root.near(below); isResource && len(near) > 0 {
		err.Remedy = "similar paths are " + strings.Join(near, ", ")
	}
	return err
}

// findFixed asks the router of the fixed endpoints, which needs the path without a slash at its end.
func (x *requestContext) findFixed(path string) bool {
	text, err := url.PathUnescape(path)
	if err != nil {
		return false
	}
	request := &http.Request{Method: x.r.Method, URL: &url.URL{Path: text, RawPath: path}}
	var m mux.RouteMatch
	if !x.api.fixed.Match(request, &m) {
		return false
	}
	x.route = x.api.endpoints[m.Route]
	if x.route == nil {
		return false
	}
	for _, name := range templateElements(x.route.template) {
		x.values = append(x.values, m.Vars[name])
	}
	return true
}

// readOnly lets a resource be read by the singular spelling of its path, nothing else.
func (x *requestContext) readOnly() error {
	switch x.r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	x.w.Header().Set("Allow", "GET, HEAD, OPTIONS")
	return &dovetail.Error{Code: dovetail.CodeMethod, Message: x.r.Method + " is not allowed on the singular form of a path",
		Remedy: "use the plural one: " + x.route.template}
}

// endpointTemplates lists the fixed endpoints.
func (a *API) endpointTemplates() []string {
	var templates []string
	for _, r := range a.endpoints {
		templates = append(templates, r.template)
	}
	slices.Sort(templates)
	return templates
}
