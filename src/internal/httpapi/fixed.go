package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/mux"

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
	get := func(template string, handle handler, offers offers, summary string) {
		add(template, http.MethodGet, &method{handle: handle, code: http.StatusOK, offers: offers, summary: summary})
	}
	get("/", index, resources, "list the endpoints of this server")
	get("/livez", livez, anything, "check whether the process is alive")
	get("/readyz", readyz, anything, "check whether the server is ready, with the result of each check")
	get("/metrics", a.metrics.handler(a.options.Metrics), anything, "metrics in Prometheus format")
	get("/openapi.json", getOpenAPI, anything, "this OpenAPI description")
	if a.options.GitWebhook != nil {
		add(gitWebhookPath, http.MethodPost, &method{handle: postGitWebhook, code: http.StatusAccepted, offers: resources, summary: "webhook for pushes, which triggers a fetch of an instance repository; the Git host authenticates with a signature or a token of the shared secret"})
	}
	a.addServices(add)
	if a.options.OnlyServices {
		return
	}
	get("/v2", index, resources, "list the endpoints of this server")
	get("/v2/access", getAccess, resources, "the principal of the caller, its rights, and the users and groups that have a right")
	get("/v2/sessions", getSessions, resources, "list the sessions of the caller (uses of tokens and certificates), or of all principals if the caller may read everything")
	add("/v2/sessions/{session}", http.MethodDelete, &method{handle: deleteSession, code: http.StatusNoContent, offers: anything, summary: "end a session: refuse its token or certificate, and close its streams"})
	get("/v2/audit", getAudit, resources, "list audit records, if the server stores them")
	get("/v2/audit/verification", getVerification, resources, "verify that no stored audit record was changed, removed or inserted")
	get("/v2/health", livez, anything, "check whether the process is alive, for older clients")
	add("/v2/schema", http.MethodGet, &method{handle: getSchema, ownAt: true, code: http.StatusOK, offers: resources, summary: "the ref-schema in force, compiled"})
	add("/v2/schema/impact", http.MethodPost, &method{handle: postImpact, needs: []dovetail.Right{dovetail.RightRead}, everywhere: true, code: http.StatusOK, long: true, offers: resources, summary: "the effect of a new ref-schema on the stored documents"})
	add("/v2/schema/migrate", http.MethodPost, &method{handle: postMigrate, needs: []dovetail.Right{dovetail.RightRead, dovetail.RightCreate, dovetail.RightUpdate, dovetail.RightDelete}, everywhere: true, code: http.StatusOK, long: true, unlimited: true, offers: resources, summary: "change the stored documents by the steps of a migration, and put another ref-schema in force, in one transaction"})
	get("/v2/schema/versions", getSchemaVersions, resources, "the ref-schemas that are or were in force: since when, by whom, and what changed")
	get("/v2/schema/{kind}", getSchemaKind, resources, "one kind of the ref-schema")
	add("/v2/documents", http.MethodGet, &method{handle: listDocuments, past: true, view: true, code: http.StatusOK, offers: resources, long: true, summary: "list all documents, of all kinds"})
	add("/v2/documents", http.MethodPost, &method{handle: importDocuments, needs: []dovetail.Right{dovetail.RightCreate}, code: http.StatusOK, offers: resources, summary: "import exported documents"})
	get("/v2/search", getSearch, resources, "search documents by name, best matches first, for search as you type")
	add("/v2/authors", http.MethodGet, &method{handle: getAuthors, repeats: "id", code: http.StatusOK, offers: resources, summary: "the last author of each of the given documents"})
	get("/v2/counts", getCounts, resources, "the number of documents of each kind")
	get("/v2/scrub", getScrub, resources, "findings of the last scrub that still apply")
	get("/v2/system", getSystem, resources, "the processes that serve the store: their leases, limits and load")
	get("/v2/transactions", listTransactions, resources, "list transactions, newest first, with time, author and message")
	get("/v2/transactions/{position}", getTransaction, resources, "one transaction")
	add("/v2/transactions/{position}/revert", http.MethodPost, &method{handle: postRevert, noBody: true, view: true, needs: changes, code: http.StatusOK, offers: resources, summary: "undo a transaction with a new one"})
	add("/v2/rollback", http.MethodPost, &method{handle: postRollback, view: true, needs: changes, code: http.StatusOK, offers: resources, summary: "restore the data and files of an earlier version of a document"})
	add("/v2/rename", http.MethodPost, &method{handle: postRename, view: true, needs: changes, code: http.StatusOK, offers: resources, summary: "give a document and its descendants another id, and rewrite the references to them"})
	add("/v2/encryption/rotate", http.MethodPost, &method{handle: postRotate, noBody: true, needs: []dovetail.Right{dovetail.RightUpdate}, everywhere: true, code: http.StatusOK, offers: resources, summary: "begin or continue a rotation of the data keys of sensitive kinds"})
	add("/v2/backup", http.MethodGet, &method{handle: getBackup, whole: true, past: true, code: http.StatusOK, offers: anything, unlimited: true, summary: "stream a backup: all documents of one position, with the ref-schema"})
	add("/v2/watch", http.MethodGet, &method{handle: (*requestContext).watch, code: http.StatusOK, offers: anything, unlimited: true, summary: "stream all changes"})
	add("/v2/batch", http.MethodPost, &method{handle: postBatch, view: true, batch: true, needs: changes, code: http.StatusOK, offers: resources, summary: "execute several writes in one transaction"})
	add("/v2/work", http.MethodGet, &method{handle: getWork, repeats: "kind", code: http.StatusOK, offers: resources, long: true, summary: "list the actions that wait for workers"})
	add("/v2/work/claim", http.MethodPost, &method{handle: postClaim, long: true, needs: []dovetail.Right{dovetail.RightAct}, code: http.StatusOK, offers: resources, summary: "claim an action for a worker, for a limited time"})
	add("/v2/work/renew", http.MethodPost, &method{handle: postRenew, needs: []dovetail.Right{dovetail.RightAct}, code: http.StatusOK, offers: resources, summary: "extend the claim of a worker"})
	add("/v2/work/finish", http.MethodPost, &method{handle: postFinish, needs: []dovetail.Right{dovetail.RightAct}, code: http.StatusOK, offers: resources, summary: "end the claim of a worker with the result of the action"})
	get("/v2/webhooks", getWebhooks, resources, "list the webhook subscriptions and their state")
	get("/v2/webhooks/{name}/dead-letters", getDeadLetters, resources, "list the events that the receiver of a webhook did not accept")
	add("/v2/webhooks/{name}/redeliver", http.MethodPost, &method{handle: postRedeliver, needs: []dovetail.Right{dovetail.RightUpdate}, everywhere: true, code: http.StatusAccepted, offers: resources, summary: "redeliver dead letters of a webhook"})
	add("/v2/idempotency-keys/{key}", http.MethodGet, &method{handle: getOutcome, view: true, code: http.StatusOK, offers: resources, summary: "the outcome of the caller's transaction with an idempotency key; 404 as long as none is committed"})
	add("/v2/idempotency-keys/{key}", http.MethodDelete, &method{handle: abortTransaction, view: true, needs: changes, code: http.StatusOK, offers: resources, summary: "ensure that the caller's transaction with an idempotency key is not committed later, and return its outcome"})
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
	below, isResource := strings.CutPrefix(path, "/v2/")
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
