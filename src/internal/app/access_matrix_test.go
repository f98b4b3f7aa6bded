package app

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/store"
)

// rule says who may use a route.
type rule string

const (
	open     rule = "open"     // every client
	known    rule = "known"    // every client with a token
	filtered rule = "filtered" // every client with a token; the answer holds what it may read
	reads    rule = "reads"    // a client that may read the documents of the request
	writes   rule = "writes"   // a client that may change the documents of the request
	writers  rule = "writers"  // a client that may change some documents, about its own transactions
)

// guardedRoute is a route with a request that succeeds when it is allowed, after those before it.
type guardedRoute struct {
	verb, template string
	rule           rule
	path           string // default the template
	body           string
	media          string // of the body; default JSON
	header         map[string]string
	answer         int  // to those who may, where that is no success
	again          bool // it is there once more, for what comes after it
}

const envPath = "?environmentId=m1/dev"

// ownRoutes are all routes but those of documents, whose rules follow from their kinds. In their paths ID is the
// ParamSet that was made last, ASSOCIATION its association, and POSITION that of the transaction that made the cluster m2.
var ownRoutes = append(kubernetesRoutes, []guardedRoute{
	{verb: "GET", template: "/", rule: open},
	{verb: "GET", template: "/livez", rule: open},
	{verb: "GET", template: "/readyz", rule: open},
	{verb: "GET", template: "/v2/health", rule: open},
	{verb: "GET", template: "/metrics", rule: reads},
	{verb: "GET", template: "/openapi.json", rule: known},
	{verb: "GET", template: "/v2", rule: known},
	{verb: "GET", template: "/v2/access", rule: known},
	{verb: "GET", template: "/v2/access", again: true, rule: reads, path: "/v2/access?view=who-can&right=read&id=cluster/m1"},
	{verb: "GET", template: "/v2/sessions", rule: known},
	{verb: "DELETE", template: "/v2/sessions/{session}", rule: writes, path: "/v2/sessions/00112233445566778899"},
	{verb: "GET", template: "/v2/work", rule: filtered},
	{verb: "POST", template: "/v2/work/claim", rule: writes, body: `{"id":"cluster/m1","worker":"w"}`, answer: 404}, // nothing waits; see TestWorkAccess
	{verb: "POST", template: "/v2/work/renew", rule: writes, body: `{"id":"cluster/m1","token":"t"}`, answer: 409},
	{verb: "POST", template: "/v2/work/finish", rule: writes, body: `{"id":"cluster/m1","token":"t"}`, answer: 409},
	{verb: "GET", template: "/v2/webhooks", rule: reads},
	{verb: "GET", template: "/v2/webhooks/{name}/dead-letters", rule: reads, path: "/v2/webhooks/hook/dead-letters"},
	{verb: "POST", template: "/v2/webhooks/{name}/redeliver", rule: writes, path: "/v2/webhooks/hook/redeliver", body: "{}"},
	{verb: "GET", template: "/v2/schema", rule: known},
	{verb: "GET", template: "/v2/schema/versions", rule: known},
	{verb: "GET", template: "/v2/schema/{kind}", rule: known, path: "/v2/schema/cluster"},
	{verb: "GET", template: "/versions", rule: known},
	{verb: "GET", template: "/api/v1.0/health", rule: known},
	{verb: "POST", template: "/api/sd/merge", rule: reads, body: `{"mode":"basic-exclusion-merge","full":{"applications":[]},"deltas":[]}`},
	{verb: "GET", template: "/v2/documents", rule: filtered},
	{verb: "GET", template: "/v2/backup", rule: reads, path: "/v2/backup?cleartext=true"},
	{verb: "GET", template: "/v2/backup", again: true, rule: reads, path: "/v2/backup?checkpoint=true"},
	{verb: "GET", template: "/v2/audit", rule: reads},
	{verb: "GET", template: "/v2/audit/verification", rule: reads},
	{verb: "POST", template: "/v2/schema/impact", rule: reads, body: `{"sources":[{"name":"a.yaml","text":"resources: [{name: x}]"}]}`},
	{verb: "POST", template: "/v2/documents", rule: writes, body: `[{"id":"cluster/m3","kind":"cluster","data":{"metadata":{"name":"m3"}},"uid":"u3","revision":1,"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z"}]`},
	{verb: "POST", template: "/v2/batch", rule: writes, body: `[{"kind":"cluster","metadata":{"name":"m2"}}]`},
	{verb: "GET", template: "/v2/search", rule: filtered, path: "/v2/search?text=m1"},
	{verb: "GET", template: "/v2/authors", rule: filtered, path: "/v2/authors?id=cluster/m1"},
	{verb: "GET", template: "/v2/counts", rule: filtered},
	{verb: "GET", template: "/v2/scrub", rule: filtered},
	{verb: "GET", template: "/v2/system", rule: reads},
	{verb: "GET", template: "/v2/transactions", rule: filtered},
	{verb: "GET", template: "/v2/transactions/{position}", rule: reads, path: "/v2/transactions/POSITION"},
	{verb: "POST", template: "/v2/transactions/{position}/revert", rule: writes, path: "/v2/transactions/POSITION/revert"},
	{verb: "POST", template: "/v2/rollback", rule: writes, body: `{"id":"cluster/m2"}`},
	{verb: "POST", template: "/v2/rename", rule: writes, body: `{"id":"cluster/m2","to":"cluster/m9"}`},
	{verb: "POST", template: "/v2/schema/migrate", rule: writes, body: describeClusters()},
	{verb: "DELETE", template: "/v2/idempotency-keys/{key}", rule: writers, path: "/v2/idempotency-keys/k"},
	{verb: "GET", template: "/v2/idempotency-keys/{key}", rule: writers, path: "/v2/idempotency-keys/k"},
	{verb: "PUT", template: "/api/sd", rule: writes, path: "/api/sd" + envPath + "&kind=full", body: `{"applications":[]}`},
	{verb: "GET", template: "/api/sd", rule: reads, path: "/api/sd" + envPath + "&kind=full"},
	{verb: "POST", template: "/api/sd/process", rule: writes, path: "/api/sd/process" + envPath, body: `{"SD_DATA":{"applications":[{"version":"a:1","deployPostfix":"x"}]}}`},
	{verb: "DELETE", template: "/api/sd", rule: writes, path: "/api/sd" + envPath + "&kind=full"},

	{verb: "POST", template: "/api/ui-override", rule: writes, body: `{"environmentId":"m1/dev","context":"pipeline","parameters":{"a":1}}`},
	{verb: "GET", template: "/api/ui-override", rule: reads, path: "/api/ui-override" + envPath + "&context=pipeline"},
	{verb: "PUT", template: "/api/ui-override", rule: writes, header: map[string]string{"If-Match": "*"}, body: `{"environmentId":"m1/dev","context":"pipeline","parameters":{"a":2,"b":3}}`},
	{verb: "GET", template: "/api/ui-override/common", rule: filtered, path: "/api/ui-override/common?context=pipeline"},
	{verb: "POST", template: "/api/ui-override/move", rule: writes, body: `{"context":"pipeline","associatedObject":"cloud","names":["b"],"environments":["m1/dev"],"to":{"name":"moved","location":"environments/m1/parameters"}}`},
	{verb: "GET", template: "/api/effective-set", rule: reads, path: "/api/effective-set" + envPath + "&context=pipeline"},
	{verb: "POST", template: "/api/effective-set", rule: reads, path: "/api/effective-set" + envPath + "&context=pipeline", body: `{"level":"environment","parameters":{"a":2}}`},
	{verb: "GET", template: "/api/effective-set/calculated", rule: reads, path: "/api/effective-set/calculated" + envPath + "&context=topology"}, {verb: "POST", template: "/api/effective-set/impact", rule: reads, body: `{"override":{"environmentId":"m1/dev","context":"pipeline","parameters":{"a":2}}}`},
	{verb: "GET", template: "/api/parameters", rule: reads, path: "/api/parameters" + envPath + "&context=pipeline"},
	{verb: "DELETE", template: "/api/ui-override", rule: writes, path: "/api/ui-override" + envPath + "&context=pipeline", header: map[string]string{"If-Match": "*"}},
	{verb: "POST", template: "/api/paramset", rule: writes, body: `{"name":"x","location":"environments/parameters","parameters":{"a":1},"applications":[]}`},
	{verb: "GET", template: "/api/paramset/{id}", rule: reads, path: "/api/paramset/ID"},
	{verb: "PUT", template: "/api/paramset/{id}", rule: writes, path: "/api/paramset/ID", header: map[string]string{"If-Match": "*"}, body: `{"parameters":{"a":2},"applications":[]}`},
	{verb: "POST", template: "/api/paramset/{id}/associations", rule: writes, path: "/api/paramset/ID/associations", body: `{"environmentId":"m1/dev","context":"pipeline","associatedObject":"cloud"}`},
	{verb: "GET", template: "/api/paramset/{id}/associations", rule: reads, path: "/api/paramset/ID/associations"},
	{verb: "GET", template: "/api/paramset/{id}/associations/{associationId}", rule: reads, path: "/api/paramset/ID/associations/ASSOCIATION"},
	{verb: "DELETE", template: "/api/paramset/{id}/associations/{associationId}", rule: writes, path: "/api/paramset/ID/associations/ASSOCIATION", header: map[string]string{"If-Match": "*"}},
	{verb: "DELETE", template: "/api/paramset/{id}", rule: writes, path: "/api/paramset/ID", header: map[string]string{"If-Match": "*"}},
	{verb: "PUT", template: "/api/sources/{source}", rule: writes, path: "/api/sources/m1", body: `{"packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["main"]}]}]}`},
	{verb: "GET", template: "/api/sources/{source}", rule: reads, path: "/api/sources/m1"},
	{verb: "GET", template: "/api/sources/{source}/packages/{package}", rule: reads, path: "/api/sources/m1/packages/p"},
	{verb: "PUT", template: "/api/sources/{source}/catalog", rule: writes, path: "/api/sources/m2/catalog", body: `{"files":[{"name":"p.json","text":"` +
		`{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"main\"}{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"main\",\"entries\":[{\"name\":\"p.v1.0.0\"}]}` +
		`{\"schema\":\"olm.bundle\",\"name\":\"p.v1.0.0\",\"package\":\"p\",\"image\":\"p:1\",\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"p\",\"version\":\"1.0.0\"}}]}"}]}`},
	{verb: "POST", template: "/api/sources/{source}/refresh", rule: writes, path: "/api/sources/m1/refresh", answer: http.StatusConflict},
	{verb: "POST", template: "/api/active-resolutions/{activeResolution}/approve", rule: writes, path: "/api/active-resolutions/m1/approve", body: `{"plan":"sha256:0"}`, answer: http.StatusNotFound},
	{verb: "POST", template: "/api/resolve", rule: filtered, body: `{"spec":{"constraints":["required(\"p\")"]}}`},
	{verb: "PUT", template: "/api/v1.0/buckets/{bucket}/documents", rule: writes, path: "/api/v1.0/buckets/b1/documents", media: "application/x-yaml", body: layered},
	{verb: "PUT", template: "/api/v1.0/buckets", rule: writes, media: "application/x-yaml", body: "buckets: {b2: [{schema: example/Kind/v1, metadata: {schema: metadata/Document/v1, name: moved, layeringDefinition: {layer: site}}, data: {}}]}"},
	{verb: "GET", template: "/api/v1.0/revisions", rule: filtered},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}", rule: reads, path: "/api/v1.0/revisions/1"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/documents", rule: filtered, path: "/api/v1.0/revisions/1/documents"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/rendered-documents", rule: reads, path: "/api/v1.0/revisions/1/rendered-documents"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/origins", rule: reads, path: "/api/v1.0/revisions/1/origins"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/diff/{other}", rule: reads, path: "/api/v1.0/revisions/1/diff/0"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/deepdiff/{other}", rule: reads, path: "/api/v1.0/revisions/1/deepdiff/0"},
	{verb: "POST", template: "/api/v1.0/revisions/{revision}/tags/{tag}", rule: writes, path: "/api/v1.0/revisions/1/tags/t", media: "application/x-yaml", body: "{}"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/tags", rule: reads, path: "/api/v1.0/revisions/1/tags"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/tags/{tag}", rule: reads, path: "/api/v1.0/revisions/1/tags/t"},
	{verb: "DELETE", template: "/api/v1.0/revisions/{revision}/tags/{tag}", rule: writes, path: "/api/v1.0/revisions/1/tags/t"},
	{verb: "POST", template: "/api/v1.0/revisions/{revision}/tags/{tag}", again: true, rule: writes, path: "/api/v1.0/revisions/1/tags/u", media: "application/x-yaml", body: "{}"},
	{verb: "DELETE", template: "/api/v1.0/revisions/{revision}/tags", rule: writes, path: "/api/v1.0/revisions/1/tags"},
	{verb: "POST", template: "/api/v1.0/revisions/{revision}/validations/{validation}", rule: writes, path: "/api/v1.0/revisions/1/validations/v", media: "application/x-yaml",
		body: "{status: failure, errors: [{message: m, documents: [{schema: example/Kind/v1, name: x}]}], validator: {name: v, version: '1'}}"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/validations", rule: reads, path: "/api/v1.0/revisions/1/validations"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/validations/detail", rule: reads, path: "/api/v1.0/revisions/1/validations/detail"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/validations/{validation}", rule: reads, path: "/api/v1.0/revisions/1/validations/v"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/validations/{validation}/entries/{entry}", rule: reads, path: "/api/v1.0/revisions/1/validations/v/entries/0"},
	{verb: "GET", template: "/api/v1.0/failed-validations", rule: filtered},
	{verb: "POST", template: "/api/v1.0/rollback/{revision}", rule: writes, path: "/api/v1.0/rollback/0", media: "application/x-yaml", body: "{}"},
	{verb: "DELETE", template: "/api/v1.0/revisions", rule: writes},
	{verb: "POST", template: "/api/change-sets", rule: writes, body: `{"name":"m1"}`},
	{verb: "GET", template: "/api/change-sets", rule: filtered},
	{verb: "GET", template: "/api/change-sets/{name}", rule: reads, path: "/api/change-sets/m1"},
	{verb: "PATCH", template: "/api/change-sets/{name}", rule: writes, path: "/api/change-sets/m1", body: `{"title":"x"}`},
	{verb: "POST", template: "/v2/batch", again: true, rule: writes, path: "/v2/batch?changeSet=m1", body: `[{"kind":"cluster","metadata":{"name":"m5"}},{"kind":"cluster","metadata":{"name":"m6"}}]`},
	{verb: "POST", template: "/api/change-sets/{name}/reviews", rule: writes, path: "/api/change-sets/m1/reviews", body: `{"decision":"approve"}`},
	{verb: "GET", template: "/api/change-sets/{name}/diff", rule: reads, path: "/api/change-sets/m1/diff"},
	{verb: "GET", template: "/api/change-sets/{name}/check", rule: reads, path: "/api/change-sets/m1/check"},
	{verb: "GET", template: "/api/change-sets/{name}/impact", rule: reads, path: "/api/change-sets/m1/impact"},
	{verb: "DELETE", template: "/api/change-sets/{name}/operations", rule: writes, path: "/api/change-sets/m1/operations?id=cluster/m6"},
	{verb: "POST", template: "/api/change-sets/{name}/close", rule: writes, path: "/api/change-sets/m1/close"},
	{verb: "POST", template: "/api/change-sets/{name}/reopen", rule: writes, path: "/api/change-sets/m1/reopen"},
	{verb: "POST", template: "/api/change-sets/{name}/rebase", rule: writes, path: "/api/change-sets/m1/rebase"},
	{verb: "POST", template: "/api/change-sets/{name}/propose", rule: writes, path: "/api/change-sets/m1/propose", answer: 409}, // without a repository; see TestProposalAccess
	{verb: "POST", template: "/api/change-sets/{name}/merge", rule: writes, path: "/api/change-sets/m1/merge"},
	{verb: "POST", template: "/api/change-sets/{name}/revert", rule: writes, path: "/api/change-sets/m1/revert"},
	{verb: "DELETE", template: "/api/change-sets/{name}", rule: writes, path: "/api/change-sets/revert-m1"},
}...)

const layered = `schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [site]}
---
schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: x, layeringDefinition: {layer: site}}
data: {a: marker}
`

// matrixRoles has roles of every sort: ann may do a little in one place.
var matrixRoles = strings.ReplaceAll(accessRoles, "cluster/c1/", "cluster/x/")

// matrixSetup is what there is before the requests of ownRoutes.
var matrixSetup = [][2]string{{"/v2/clusters", named("m1")}, {"/v2/clusters/m1/environments", named("dev")},
	{"/v2/clusters/m1/environments/dev/effective-set-parts", `{"metadata":{"name":"pipeline/parameters.yaml"},"spec":{"parameters":{"a":1}}}`}}

// TestAccessMatrix takes every route of the description, with every verb that it has, and every role: what is
// allowed is done, what is not is refused, and a route that has no rule is a failure.
func TestAccessMatrix(t *testing.T) {
	file, tokens := accessFile(t, matrixRoles, "root", "reader", "ann", "norole")
	server := start(t, map[string]string{"access": file, "log-level": "error", "refusal-rate": "0", "webhooks": webhooksFile(t, "https://127.0.0.1:1/")})
	m := &matrix{running: server, tokens: tokens}
	for _, setup := range matrixSetup {
		if status, _, text := server.as(t, tokens["root"], "POST", setup[0], setup[1]); status != 201 {
			t.Fatal(status, text)
		}
	}
	routes, views := m.described(t)
	for _, r := range ownRoutes {
		if !routes[r.verb+" "+r.template] && !r.again {
			t.Errorf("%s %s has a rule, but is not served", r.verb, r.template)
		}
		delete(routes, r.verb+" "+r.template)
		t.Run(r.verb+" "+r.template, func(t *testing.T) {
			if m.own(t, r); views[r.verb+" "+r.template] && r.verb == "GET" && !strings.HasPrefix(r.template, "/v2/idempotency-keys/") {
				m.inChangeSet(t, r)
			}
		})
	}
	documents := 0
	for _, route := range sortedKeys(routes) {
		verb, template, _ := strings.Cut(route, " ")
		if !strings.HasPrefix(template, "/v2/") {
			t.Errorf("%s has no rule", route)
			continue
		}
		documents++
		t.Run(route, func(t *testing.T) { m.document(t, verb, template) })
	}
	if documents < 100 {
		t.Errorf("only %d routes of documents", documents)
	}
}

type matrix struct {
	*running
	tokens          map[string]string
	id, association string
	sets            int // how many change sets were made
}

// described returns the routes of the description: "GET /v2/clusters"; and those that can be read or written in a change set.
func (m *matrix) described(t *testing.T) (routes, views map[string]bool) {
	t.Helper()
	var described struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	_, _, text := m.as(t, m.tokens["root"], "GET", "/openapi.json", "")
	decode(t, text, &described)
	routes, views = make(map[string]bool), make(map[string]bool)
	for template, verbs := range described.Paths {
		for verb, operation := range verbs {
			if verb != "parameters" && !strings.HasPrefix(template, "/v2/watch") { // it lasts; see TestWatchIsGuarded
				routes[strings.ToUpper(verb)+" "+template] = true
				views[strings.ToUpper(verb)+" "+template] = takes(string(operation), "changeSet")
			}
		}
	}
	return routes, views
}

func sortedKeys(set map[string]bool) []string {
	var keys []string
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// send sends the request of a route.
func (m *matrix) send(t *testing.T, who string, r guardedRoute) (int, string) {
	t.Helper()
	path := r.path
	if path == "" {
		path = r.template
	}
	path = strings.NewReplacer("ID", m.id, "ASSOCIATION", m.association).Replace(path)
	if strings.Contains(path, "POSITION") {
		path = strings.ReplaceAll(path, "POSITION", m.position(t, "cluster/m2"))
	}
	request := m.request(t, r.verb, path, r.body)
	if r.media != "" {
		request.Header.Set("Content-Type", r.media)
	}
	for name, text := range r.header {
		request.Header.Set(name, text)
	}
	if who != "" {
		request.Header.Set("Authorization", "Bearer "+m.tokens[who])
	}
	status, _, text := roundTrip(t, request)
	return status, text
}

// position is that of the oldest transaction that changed a document.
func (m *matrix) position(t *testing.T, id string) string {
	t.Helper()
	var page struct{ Items []struct{ Position string } }
	_, _, text := m.as(t, m.tokens["root"], "GET", "/v2/transactions?id="+url.QueryEscape(id), "")
	decode(t, text, &page)
	if len(page.Items) == 0 {
		t.Fatalf("no transaction changed %s: %s", id, text)
	}
	return page.Items[len(page.Items)-1].Position
}

// own checks one of ownRoutes: principals without the right go first, so that nothing has changed when root does it.
func (m *matrix) own(t *testing.T, r guardedRoute) {
	for _, who := range []string{"", "norole", "ann", "reader", "root"} {
		status, text := m.send(t, who, r)
		done := status/100 == 2 || status == r.answer
		hidden := status == http.StatusForbidden || status == http.StatusNotFound
		switch {
		case r.rule == open:
			if !done {
				t.Errorf("%q: %d %s", who, status, text)
			}
		case who == "":
			if status != http.StatusUnauthorized {
				t.Errorf("without a token: %d %s", status, text)
			}
		case r.rule == writers && (who == "ann" || who == "root"), r.rule != writers && (who == "root" || who == "reader" && r.rule != writes || r.rule == known):
			if !done {
				t.Errorf("%s: %d %s", who, status, text)
			}
		case r.rule == filtered && done:
			if strings.Contains(text, "m1") || strings.Contains(text, "marker") || strings.Contains(text, "resolved") {
				t.Errorf("%s sees %s", who, text)
			}
		case !hidden || r.rule == writes && who == "reader" && status != http.StatusForbidden:
			t.Errorf("%s: %d %s", who, status, text)
		}
		if who != "root" {
			continue
		}
		var made struct{ ID string }
		switch {
		case r.verb != "POST":
		case r.template == "/api/paramset":
			decode(t, text, &made)
			m.id = made.ID
		case r.template == "/api/paramset/{id}/associations":
			decode(t, text, &made)
			m.association = made.ID
		}
	}
}

// document checks a route of documents, on one that may not exist, as the verbs before it left it: a principal with the
// right gets the error of the request, one without it gets only the refusal.
func (m *matrix) document(t *testing.T, verb, template string) {
	path := template
	for strings.Contains(path, "{") {
		from, to := strings.Index(path, "{"), strings.Index(path, "}")
		path = path[:from] + "x" + path[to+1:]
	}
	r := guardedRoute{verb: verb, template: template, path: path, body: `{"metadata":{"name":"x"},"spec":{}}`}
	if verb == "GET" || verb == "DELETE" {
		r.body = ""
	}
	top := verb == "GET" && strings.Count(template, "/") == 2 // a collection: empty for a principal that may read nothing
	for _, who := range []string{"", "norole", "ann", "reader", "root"} {
		status, text := m.send(t, who, r)
		refused := status == http.StatusForbidden
		var want bool // to be refused
		switch who {
		case "":
			if status != http.StatusUnauthorized {
				t.Errorf("without a token: %d %s", status, text)
			}
			continue
		case "root":
			want = false
		case "reader":
			want = verb != "GET"
		case "ann":
			want = !top && !annMay(verb, template)
		default:
			want = !top
		}
		if refused != want || status == http.StatusUnauthorized || status/100 == 5 {
			t.Errorf("%s: %d %s", who, status, text)
		}
	}
}

// annMay says what ann may: everything with environments of the cluster x, their namespaces and applications, but
// to write their status.
func annMay(verb, template string) bool {
	const environments = "/v2/clusters/{cluster}/environments"
	item, status := strings.CutSuffix(template, "/status")
	switch item {
	case environments:
		return verb == "POST"
	case environments + "/{environment}", environments + "/{environment}/namespaces/{deployPostfix}", environments + "/{environment}/namespaces/{deployPostfix}/applications/{application}":
		return !status || verb == "GET"
	case environments + "/{environment}/namespaces", environments + "/{environment}/namespaces/{deployPostfix}/applications":
		return true
	}
	// The collections of other kinds below them are lists of what she may not see.
	return verb == "GET" && !strings.HasSuffix(item, "}") && !status && strings.HasPrefix(item, environments+"/{environment}/")
}

// A watch needs a token, and sends no principal a document that it may not read.
func TestWatchIsGuarded(t *testing.T) {
	file, tokens := accessFile(t, matrixRoles, "root", "reader", "norole")
	server := start(t, map[string]string{"access": file})
	for _, path := range []string{"/v2/watch", "/v2/clusters?watch=true"} {
		if status, _, text := server.as(t, "", "GET", path, ""); status != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d %s", path, status, text)
		}
	}
	watching, end := context.WithCancel(t.Context())
	defer end()
	watch := func(who string) <-chan store.Event {
		c, err := client.New(server.URL(), client.Options{Token: tokens[who]})
		if err != nil {
			t.Fatal(err)
		}
		from, err := c.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen := make(chan store.Event, 10)
		go func() {
			defer close(seen)
			for event, err := range c.Watch(watching, from, store.WatchQuery{}) {
				if err != nil {
					return
				}
				seen <- event
			}
		}()
		return seen
	}
	reader, norole := watch("reader"), watch("norole")
	eventually(t, "both watch", func() bool {
		_, _, text := server.as(t, tokens["root"], "GET", "/metrics", "")
		return strings.Contains(text, "\ndovetail_http_watches 2\n")
	})
	for _, name := range []string{"c1", "c2"} {
		if status, _, text := server.as(t, tokens["root"], "POST", "/v2/clusters", named(name)); status != 201 {
			t.Fatal(status, text)
		}
		if event := <-reader; len(event.Changes) != 1 || string(event.Changes[0].ID) != "cluster/"+name {
			t.Errorf("a reader sees %+v", event)
		}
	}
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	end() // clients of a server that has gone would wait for it
	if event, more := <-norole; more && len(event.Changes) > 0 {
		t.Errorf("a principal without a role sees %+v", event)
	}
}
