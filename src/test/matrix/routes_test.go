package matrix

import (
	"encoding/json"
	"net/http"
	"os"
)

// A rule is who may use a route.
type rule string

const (
	anyone        rule = "anyone"        // every client
	authenticated rule = "authenticated" // every client with a token
	filtered      rule = "filtered"      // every client with a token; the answer has the documents that it may read
	readers       rule = "readers"       // clients that may read the documents of the request
	editors       rule = "editors"       // clients that may change the documents of the request
	authors       rule = "authors"       // clients that may change some documents, about their own transactions
)

// A route is a verb of a path, with a request that succeeds when it is allowed, after those of the routes before it.
type route struct {
	verb, template string
	rule           rule
	path           string // default the template
	body           string
	media          string // of the body; default JSON
	header         map[string]string
	answer         int  // to clients that may use it, if it is not a success
	again          bool // the route has a request before, and has this one for those after it
}

func (r route) String() string { return r.verb + " " + r.template }

// writes reports whether the route is for changes.
func (r route) writes() bool { return r.verb != "GET" && (r.rule == editors || r.rule == authors) }

const envPath = "?environmentId=m1/dev"

// ownRoutes are all routes except those of documents, whose rules follow from their kinds. In their paths ID is the
// ParamSet that was made last, ASSOCIATION its association, and POSITION the transaction that made the cluster m2.
var ownRoutes = append(kubernetesRoutes, []route{
	{verb: "GET", template: "/", rule: anyone},
	{verb: "GET", template: "/livez", rule: anyone},
	{verb: "GET", template: "/readyz", rule: anyone},
	{verb: "GET", template: "/v2/health", rule: anyone},
	{verb: "GET", template: "/metrics", rule: readers},
	{verb: "GET", template: "/openapi.json", rule: authenticated},
	{verb: "GET", template: "/v2", rule: authenticated},
	{verb: "GET", template: "/v2/access", rule: authenticated},
	{verb: "GET", template: "/v2/access", again: true, rule: readers, path: "/v2/access?view=who-can&right=read&id=cluster/m1"},
	{verb: "GET", template: "/v2/sessions", rule: authenticated},
	{verb: "DELETE", template: "/v2/sessions/{session}", rule: editors, path: "/v2/sessions/00112233445566778899"},
	{verb: "GET", template: "/v2/work", rule: filtered},
	{verb: "POST", template: "/v2/work/claim", rule: editors, body: `{"id":"cluster/m1","worker":"w"}`, answer: 404}, // no work waits
	{verb: "POST", template: "/v2/work/renew", rule: editors, body: `{"id":"cluster/m1","token":"t"}`, answer: 409},
	{verb: "POST", template: "/v2/work/finish", rule: editors, body: `{"id":"cluster/m1","token":"t"}`, answer: 409},
	{verb: "GET", template: "/v2/webhooks", rule: readers},
	{verb: "GET", template: "/v2/webhooks/{name}/dead-letters", rule: readers, path: "/v2/webhooks/hook/dead-letters"},
	{verb: "POST", template: "/v2/webhooks/{name}/redeliver", rule: editors, path: "/v2/webhooks/hook/redeliver", body: "{}"},
	{verb: "GET", template: "/v2/schema", rule: authenticated},
	{verb: "GET", template: "/v2/schema/versions", rule: authenticated},
	{verb: "GET", template: "/v2/schema/{kind}", rule: authenticated, path: "/v2/schema/cluster"},
	{verb: "GET", template: "/versions", rule: authenticated},
	{verb: "GET", template: "/api/v1.0/health", rule: authenticated},
	{verb: "POST", template: "/api/sd/merge", rule: readers, body: `{"mode":"basic-exclusion-merge","full":{"applications":[]},"deltas":[]}`},
	{verb: "GET", template: "/v2/documents", rule: filtered},
	{verb: "GET", template: "/v2/backup", rule: readers, path: "/v2/backup?cleartext=true"},
	{verb: "GET", template: "/v2/backup", again: true, rule: readers, path: "/v2/backup?checkpoint=true"},
	{verb: "GET", template: "/v2/audit", rule: readers},
	{verb: "GET", template: "/v2/audit/verification", rule: readers},
	{verb: "POST", template: "/v2/schema/impact", rule: readers, body: `{"sources":[{"name":"a.yaml","text":"resources: [{name: x}]"}]}`},
	{verb: "POST", template: "/v2/documents", rule: editors, body: `[{"id":"cluster/m3","kind":"cluster","data":{"metadata":{"name":"m3"}},"uid":"u3","revision":1,"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z"}]`},
	{verb: "POST", template: "/v2/batch", rule: editors, body: `[{"kind":"cluster","metadata":{"name":"m2"}}]`},
	{verb: "GET", template: "/v2/search", rule: filtered, path: "/v2/search?text=m1"},
	{verb: "GET", template: "/v2/authors", rule: filtered, path: "/v2/authors?id=cluster/m1"},
	{verb: "GET", template: "/v2/counts", rule: filtered},
	{verb: "GET", template: "/v2/scrub", rule: filtered},
	{verb: "GET", template: "/v2/system", rule: readers},
	{verb: "GET", template: "/v2/transactions", rule: filtered},
	{verb: "GET", template: "/v2/transactions/{position}", rule: readers, path: "/v2/transactions/POSITION"},
	{verb: "POST", template: "/v2/transactions/{position}/revert", rule: editors, path: "/v2/transactions/POSITION/revert"},
	{verb: "POST", template: "/v2/rollback", rule: editors, body: `{"id":"cluster/m2"}`},
	{verb: "POST", template: "/v2/rename", rule: editors, body: `{"id":"cluster/m2","to":"cluster/m9"}`},
	{verb: "POST", template: "/v2/schema/migrate", rule: editors, body: describeClusters()},
	{verb: "POST", template: "/v2/encryption/rotate", rule: editors},
	{verb: "DELETE", template: "/v2/idempotency-keys/{key}", rule: authors, path: "/v2/idempotency-keys/k"},
	{verb: "GET", template: "/v2/idempotency-keys/{key}", rule: authors, path: "/v2/idempotency-keys/k"},
	{verb: "PUT", template: "/api/sd", rule: editors, path: "/api/sd" + envPath + "&kind=full", body: `{"applications":[]}`},
	{verb: "GET", template: "/api/sd", rule: readers, path: "/api/sd" + envPath + "&kind=full"},
	{verb: "POST", template: "/api/sd/process", rule: editors, path: "/api/sd/process" + envPath, body: `{"SD_DATA":{"applications":[{"version":"a:1","deployPostfix":"x"}]}}`},
	{verb: "DELETE", template: "/api/sd", rule: editors, path: "/api/sd" + envPath + "&kind=full"},

	{verb: "POST", template: "/api/ui-override", rule: editors, body: `{"environmentId":"m1/dev","context":"pipeline","parameters":{"a":1}}`},
	{verb: "GET", template: "/api/ui-override", rule: readers, path: "/api/ui-override" + envPath + "&context=pipeline"},
	{verb: "PUT", template: "/api/ui-override", rule: editors, header: map[string]string{"If-Match": "*"}, body: `{"environmentId":"m1/dev","context":"pipeline","parameters":{"a":2,"b":3}}`},
	{verb: "GET", template: "/api/ui-override/common", rule: filtered, path: "/api/ui-override/common?context=pipeline"},
	{verb: "POST", template: "/api/ui-override/move", rule: editors, body: `{"context":"pipeline","associatedObject":"cloud","names":["b"],"environments":["m1/dev"],"to":{"name":"moved","location":"environments/m1/parameters"}}`},
	{verb: "GET", template: "/api/effective-set", rule: readers, path: "/api/effective-set" + envPath + "&context=pipeline"},
	{verb: "POST", template: "/api/effective-set", rule: readers, path: "/api/effective-set" + envPath + "&context=pipeline", body: `{"level":"environment","parameters":{"a":2}}`},
	{verb: "GET", template: "/api/effective-set/calculated", rule: readers, path: "/api/effective-set/calculated" + envPath + "&context=topology"},
	{verb: "POST", template: "/api/effective-set/impact", rule: readers, body: `{"override":{"environmentId":"m1/dev","context":"pipeline","parameters":{"a":2}}}`},
	{verb: "GET", template: "/api/parameters", rule: readers, path: "/api/parameters" + envPath + "&context=pipeline"},
	{verb: "DELETE", template: "/api/ui-override", rule: editors, path: "/api/ui-override" + envPath + "&context=pipeline", header: map[string]string{"If-Match": "*"}},
	{verb: "POST", template: "/api/paramset", rule: editors, body: `{"name":"x","location":"environments/parameters","parameters":{"a":1},"applications":[]}`},
	{verb: "GET", template: "/api/paramset/{id}", rule: readers, path: "/api/paramset/ID"},
	{verb: "PUT", template: "/api/paramset/{id}", rule: editors, path: "/api/paramset/ID", header: map[string]string{"If-Match": "*"}, body: `{"parameters":{"a":2},"applications":[]}`},
	{verb: "POST", template: "/api/paramset/{id}/associations", rule: editors, path: "/api/paramset/ID/associations", body: `{"environmentId":"m1/dev","context":"pipeline","associatedObject":"cloud"}`},
	{verb: "GET", template: "/api/paramset/{id}/associations", rule: readers, path: "/api/paramset/ID/associations"},
	{verb: "GET", template: "/api/paramset/{id}/associations/{associationId}", rule: readers, path: "/api/paramset/ID/associations/ASSOCIATION"},
	{verb: "DELETE", template: "/api/paramset/{id}/associations/{associationId}", rule: editors, path: "/api/paramset/ID/associations/ASSOCIATION", header: map[string]string{"If-Match": "*"}},
	{verb: "DELETE", template: "/api/paramset/{id}", rule: editors, path: "/api/paramset/ID", header: map[string]string{"If-Match": "*"}},
	{verb: "PUT", template: "/api/sources/{source}", rule: editors, path: "/api/sources/m1", body: `{"packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["main"]}]}]}`},
	{verb: "GET", template: "/api/sources/{source}", rule: readers, path: "/api/sources/m1"},
	{verb: "GET", template: "/api/sources/{source}/packages/{package}", rule: readers, path: "/api/sources/m1/packages/p"},
	{verb: "PUT", template: "/api/sources/{source}/catalog", rule: editors, path: "/api/sources/m2/catalog", body: `{"files":[{"name":"p.json","text":"` +
		`{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"main\"}{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"main\",\"entries\":[{\"name\":\"p.v1.0.0\"}]}` +
		`{\"schema\":\"olm.bundle\",\"name\":\"p.v1.0.0\",\"package\":\"p\",\"image\":\"p:1\",\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"p\",\"version\":\"1.0.0\"}}]}"}]}`},
	{verb: "POST", template: "/api/sources/{source}/refresh", rule: editors, path: "/api/sources/m1/refresh", answer: http.StatusConflict},
	{verb: "POST", template: "/api/active-resolutions/{activeResolution}/approve", rule: editors, path: "/api/active-resolutions/m1/approve", body: `{"plan":"sha256:0"}`, answer: http.StatusNotFound},
	{verb: "POST", template: "/api/resolve", rule: filtered, body: `{"spec":{"constraints":["required(\"p\")"]}}`},
	{verb: "PUT", template: "/api/v1.0/buckets/{bucket}/documents", rule: editors, path: "/api/v1.0/buckets/b1/documents", media: "application/x-yaml", body: layered},
	{verb: "PUT", template: "/api/v1.0/buckets", rule: editors, media: "application/x-yaml", body: "buckets: {b2: [{schema: example/Kind/v1, metadata: {schema: metadata/Document/v1, name: moved, layeringDefinition: {layer: site}}, data: {}}]}"},
	{verb: "GET", template: "/api/v1.0/revisions", rule: filtered},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}", rule: readers, path: "/api/v1.0/revisions/1"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/documents", rule: filtered, path: "/api/v1.0/revisions/1/documents"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/rendered-documents", rule: readers, path: "/api/v1.0/revisions/1/rendered-documents"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/origins", rule: readers, path: "/api/v1.0/revisions/1/origins"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/diff/{other}", rule: readers, path: "/api/v1.0/revisions/1/diff/0"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/deepdiff/{other}", rule: readers, path: "/api/v1.0/revisions/1/deepdiff/0"},
	{verb: "POST", template: "/api/v1.0/revisions/{revision}/tags/{tag}", rule: editors, path: "/api/v1.0/revisions/1/tags/t", media: "application/x-yaml", body: "{}"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/tags", rule: readers, path: "/api/v1.0/revisions/1/tags"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/tags/{tag}", rule: readers, path: "/api/v1.0/revisions/1/tags/t"},
	{verb: "DELETE", template: "/api/v1.0/revisions/{revision}/tags/{tag}", rule: editors, path: "/api/v1.0/revisions/1/tags/t"},
	{verb: "POST", template: "/api/v1.0/revisions/{revision}/tags/{tag}", again: true, rule: editors, path: "/api/v1.0/revisions/1/tags/u", media: "application/x-yaml", body: "{}"},
	{verb: "DELETE", template: "/api/v1.0/revisions/{revision}/tags", rule: editors, path: "/api/v1.0/revisions/1/tags"},
	{verb: "POST", template: "/api/v1.0/revisions/{revision}/validations/{validation}", rule: editors, path: "/api/v1.0/revisions/1/validations/v", media: "application/x-yaml",
		body: "{status: failure, errors: [{message: m, documents: [{schema: example/Kind/v1, name: x}]}], validator: {name: v, version: '1'}}"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/validations", rule: readers, path: "/api/v1.0/revisions/1/validations"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/validations/detail", rule: readers, path: "/api/v1.0/revisions/1/validations/detail"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/validations/{validation}", rule: readers, path: "/api/v1.0/revisions/1/validations/v"},
	{verb: "GET", template: "/api/v1.0/revisions/{revision}/validations/{validation}/entries/{entry}", rule: readers, path: "/api/v1.0/revisions/1/validations/v/entries/0"},
	{verb: "GET", template: "/api/v1.0/failed-validations", rule: filtered},
	{verb: "POST", template: "/api/v1.0/rollback/{revision}", rule: editors, path: "/api/v1.0/rollback/0", media: "application/x-yaml", body: "{}"},
	{verb: "DELETE", template: "/api/v1.0/revisions", rule: editors},
	{verb: "POST", template: "/api/change-sets", rule: editors, body: `{"name":"m1"}`},
	{verb: "GET", template: "/api/change-sets", rule: filtered},
	{verb: "GET", template: "/api/change-sets/{name}", rule: readers, path: "/api/change-sets/m1"},
	{verb: "PATCH", template: "/api/change-sets/{name}", rule: editors, path: "/api/change-sets/m1", body: `{"title":"x"}`},
	{verb: "POST", template: "/v2/batch", again: true, rule: editors, path: "/v2/batch?changeSet=m1", body: `[{"kind":"cluster","metadata":{"name":"m5"}},{"kind":"cluster","metadata":{"name":"m6"}}]`},
	{verb: "POST", template: "/api/change-sets/{name}/reviews", rule: editors, path: "/api/change-sets/m1/reviews", body: `{"decision":"approve"}`},
	{verb: "GET", template: "/api/change-sets/{name}/diff", rule: readers, path: "/api/change-sets/m1/diff"},
	{verb: "GET", template: "/api/change-sets/{name}/check", rule: readers, path: "/api/change-sets/m1/check"},
	{verb: "GET", template: "/api/change-sets/{name}/impact", rule: readers, path: "/api/change-sets/m1/impact"},
	{verb: "DELETE", template: "/api/change-sets/{name}/operations", rule: editors, path: "/api/change-sets/m1/operations?id=cluster/m6"},
	{verb: "POST", template: "/api/change-sets/{name}/close", rule: editors, path: "/api/change-sets/m1/close"},
	{verb: "POST", template: "/api/change-sets/{name}/reopen", rule: editors, path: "/api/change-sets/m1/reopen"},
	{verb: "POST", template: "/api/change-sets/{name}/rebase", rule: editors, path: "/api/change-sets/m1/rebase"},
	{verb: "POST", template: "/api/change-sets/{name}/propose", rule: editors, path: "/api/change-sets/m1/propose", answer: 409}, // without a repository; see TestProposalAccess
	{verb: "POST", template: "/api/change-sets/{name}/merge", rule: editors, path: "/api/change-sets/m1/merge"},
	{verb: "POST", template: "/api/change-sets/{name}/revert", rule: editors, path: "/api/change-sets/m1/revert"},
	{verb: "DELETE", template: "/api/change-sets/{name}", rule: editors, path: "/api/change-sets/revert-m1"},
}...)

const layered = `schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [site]}
---
schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: x, layeringDefinition: {layer: site}}
data: {a: marker}
`

// builtIn is the ref-schema of the program.
var builtIn = func() string {
	text, err := os.ReadFile("../../../ref-schemas/dovetail.yaml")
	if err != nil {
		panic(err)
	}
	return string(text)
}()

// describeClusters returns a migration that gives all clusters a description, and does not change the ref-schema.
func describeClusters() string {
	text, err := json.Marshal(members{"steps": []members{{"default": members{"kind": "cluster", "member": "metadata.description", "value": "x"}}}, "sources": []members{{"name": "dovetail.yaml", "text": builtIn}}})
	if err != nil {
		panic(err) // texts can be written
	}
	return string(text)
}
