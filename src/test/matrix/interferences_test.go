package matrix

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

// interferences makes random requests from the description of the API.
type interferences struct {
	*rand.Rand
	operations []endpoint
	routes     map[string][]route // those of ownRoutes, by verb and template
}

func newInterferences(t *testing.T, w *twins, random *rand.Rand) *interferences {
	t.Helper()
	g := &interferences{Rand: random, routes: make(map[string][]route)}
	for _, op := range w.worlds[0].operations(t) {
		if !strings.HasPrefix(op.template, "/v2/watch") && !notCompared[op.template] {
			g.operations = append(g.operations, op)
		}
	}
	for _, r := range ownRoutes {
		g.routes[r.String()] = append(g.routes[r.String()], r)
	}
	return g
}

// notCompared are routes whose answers are about the process, are only for who may read everything, or follow the store a moment later
// (TestCountsAccess has those).
var notCompared = map[string]bool{"/metrics": true, "/readyz": true, "/v2/counts": true, "/v2/health": true, "/v2/sessions": true, "/v2/system": true}

// names are, by the variable of a path, ids of what may be seen, what may not, and what does not exist.
var names = map[string][]string{
	"cluster": {"v", "v", "v", "h", "h2", "none"}, "environment": {"dev", "prod", "dev", "none"}, "deployPostfix": {"core", "none"}, "application": {"app", "none"},
	"source": {"s1", "hs", "hs2", "none"}, "package": {"p", "none"}, "version": {"1.0.0", "2.0.0"}, "packageVersion": {"1.0.0", "2.0.0"},
	"bucket": {"a", "a", "b", "c", "common"}, "layeringBucket": {"a", "b", "common"}, "revision": {"0", "1", "2", "3", "4", "99"}, "other": {"0", "1", "2", "3"},
	"credential": {"ch", "ch2", "none"}, "siteParamSet": {"shared", "own", "sh", "sh2", "none"}, "registryDefinition": {"own", "rh", "none"},
	"artifactDefinition": {"own", "none"}, "activeResolution": {"all", "none"}, "environmentParamSet": {"ps", "none"}, "kind": {"cluster", "credential", "none"},
	"layeringSchema": {"example%2FKind%2Fv1", "deckhand%2FPassphrase%2Fv1"}, "layeringLayer": {"global", "site"}, "layeredDocument": {"base", "password", "own"}, "tag": {"t", "u"},
	"name": {"cs", "cs", "none"}, "changeSet": {"cs", "none"}, "layeringHead": {"head"}, "layeringRevision": {"1", "2", "3", "4", "99"}, "layeringIndex": {"index"}, "layeringContent": {"none"}, "layeringTag": {"t"},
}

// ids are whole ones.
var ids = []string{"cluster/v", "cluster/v/environment/dev", "cluster/h", "cluster/h2", "cluster/h/environment/prod", "credential/ch", "credential/ch2", "siteParamSet/sh2",
	"source/hs", "source/hs2", "layeringBucket/b", "layeringBucket/a", "registryDefinition/rh", "cluster/none"}

// texts are, by the name of a parameter, values of the query; others are true and x.
var texts = map[string][]string{
	"kind": {"cluster", "environment", "credential", "full", "delta", "layeredDocument", "layeringRevision", "layeringIndex"}, "under": ids, "id": ids, "limit": {"1", "2", "100"}, "continue": {"x"},
	"labelSelector": {"team=own", "team=Enigma", "pick"}, "fieldSelector": {"spec.secret=Enigma-hidden", "metadata.name=dev", "spec.buckets=Enigma-hidden"},
	"view": {"document", "references", "referrers", "children", "tree", "graph", "history", "who-can"}, "depth": {"0", "1", "5"}, "principal": {"root", "limited"},
	"right": {"read", "update", "use"}, "cascade": {"true", "plan"}, "environmentId": {"v/dev", "v/dev", "v/prod", "h/dev", "h/prod", "h2/dev", "none/dev"}, "context": {"deploy", "pipeline", "runtime"},
	"namespace": {"core", "none"}, "deployPostfix": {"core", "none"}, "application": {"app", "none"}, "associatedObject": {"cloud", "core"}, "path": {".", ".value", ".password"},
	"schema": {"example/Kind/v1", "deckhand"}, "metadata.name": {"base", "own", "password"}, "metadata.label": {"pick=Enigma", "pick=Quartz"}, "status.bucket": {"a", "b"},
	"cleartext-secrets": {"true", "false"}, "sort": {"metadata.name"}, "order": {"asc", "desc"}, "validate": {"structure", "all"}, "wait": {"10ms"}, "changeSet": {"cs", "cs", "none"}, "at": {"1", "2001-01-01", "2999-01-01"},
}

// specs are, by kind, those of documents; others have none.
var specs = map[string][]string{
	"artifactDefinition":  {`{"groupId":"g","artifactId":"a","registry":{"credentialsId":"CRED","mavenConfig":{"fullRepositoryUrl":"https://127.0.0.1:1/x","targetRelease":"r"}}}`},
	"registryDefinition":  {`{"credentialsId":"CRED","mavenConfig":{"fullRepositoryUrl":"https://127.0.0.1:1/x","targetRelease":"r"}}`},
	"environmentParamSet": {`{"parameters":{"a":2},"applications":[]}`}, "siteParamSet": {`{"parameters":{"a":2},"applications":[]}`},
	"paramSetAssociation": {`{"context":"deploy","associatedObject":"cloud","order":0,"siteParamSet":"SITE"}`, `{"context":"deploy","associatedObject":"cloud","order":0,"environmentParamSet":"ps"}`},
	"effectiveSetPart":    {`{"parameters":{"a":2}}`}, "deployPostfix": {`{"namespace":"core"}`}, "solutionDescriptor": {`{"applications":[{"version":"a:1","deployPostfix":"core"}]}`},
}

// layeredDocuments are pieces of what is put into buckets.
var layeredDocuments = []string{
	"schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: own, labels: {pick: own}, layeringDefinition: {layer: global}}\ndata: {a: 1}\n",
	"schema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: child\n  layeringDefinition:\n    layer: site\n    parentSelector: {pick: Enigma}\n    actions: [{method: merge, path: .}]\ndata: {b: 1}\n",
	"schema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: child2\n  layeringDefinition:\n    layer: site\n    parentSelector: {pick: own}\n    actions: [{method: merge, path: .}]\ndata: {b: 1}\n",
	"schema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: takes\n  layeringDefinition: {layer: site}\n  substitutions:\n  - {src: {schema: deckhand/Passphrase/v1, name: password, path: .}, dest: {path: .password}}\ndata: {}\n",
	"schema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: takes2\n  layeringDefinition: {layer: site}\n  substitutions:\n  - {src: {schema: example/Kind/v1, name: base, path: .value}, dest: {path: .password}}\ndata: {}\n",
	"schema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: example/Kind/v1}\ndata: {properties: {password: {pattern: ^secret-E}, value: {pattern: ^E}}}\n",
	"schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: base, replacement: true, layeringDefinition: {layer: site, parentSelector: {pick: Enigma}, actions: [{method: merge, path: .}]}}\ndata: {a: 1}\n",
}

func pick[T any](g *interferences, from []T) T { return from[g.IntN(len(from))] }

// next draws a request: of any route, or one of the kinds of writes that other documents decide.
func (g *interferences) next() request {
	switch g.IntN(8) {
	case 0, 1:
		return g.drawn()
	case 2:
		return pick(g, []func() request{g.rename, g.rename, g.fleet})()
	default:
		return g.described()
	}
}

// described draws a request of a route of the description.
func (g *interferences) described() request {
	d := pick(g, g.operations)
	if g.IntN(3) == 0 { // services have fewer routes than documents
		for strings.HasPrefix(d.template, "/v2/") && d.template != "/v2/batch" && d.template != "/v2/documents" {
			d = pick(g, g.operations)
		}
	}
	r := request{who: pick(g, []string{"limited", "limited", "limited", "writer", "unbound"}), method: d.verb, path: d.template, header: map[string]string{}}
	kind := ""
	for {
		from, to := strings.IndexByte(r.path, '{'), strings.IndexByte(r.path, '}')
		if from < 0 {
			break
		}
		kind = r.path[from+1 : to]
		values := names[kind]
		if values == nil {
			values = []string{"x", "y"}
		}
		r.path = r.path[:from] + pick(g, values) + r.path[to+1:]
	}
	query := url.Values{}
	for _, parameter := range d.query() {
		name := parameter.Name
		if name != "watch" && (name == "environmentId" || g.IntN(4) == 0) {
			values := texts[name]
			if values == nil {
				values = []string{"true", "x"}
			}
			query.Set(name, pick(g, values))
		}
	}
	if query.Has("managed") && g.IntN(2) == 0 {
		query.Del("managed")
	}
	if len(query) > 0 {
		r.path += "?" + query.Encode()
	}
	if d.body {
		g.fill(&r, d, kind)
	}
	if g.IntN(6) == 0 {
		r.header["Idempotency-Key"] = pick(g, []string{"k1", "k2"})
	}
	versioned := strings.HasPrefix(d.template, "/api/ui-override") || strings.HasPrefix(d.template, "/api/paramset")
	if d.verb != "GET" && (versioned && d.verb != "POST" || g.IntN(6) == 0) {
		r.header["If-Match"] = pick(g, []string{"*", `"x-1"`})
	}
	return r
}

// fill gives the request a body.
func (g *interferences) fill(r *request, d endpoint, kind string) {
	switch known := g.routes[d.String()]; {
	case strings.HasSuffix(d.template, "/buckets/{bucket}/documents"):
		r.media = "application/x-yaml"
		var all []string
		for _, n := range g.Perm(len(layeredDocuments))[:g.IntN(4)] {
			all = append(all, layeredDocuments[n])
		}
		r.body = strings.Join(all, "---\n")
	case d.template == "/v2/batch":
		var all []string
		for range 1 + g.IntN(3) {
			all = append(all, g.manifest())
		}
		r.body = "[" + strings.Join(all, ",") + "]"
	case len(known) > 0 && known[0].body != "":
		body := pick(g, known).body
		r.body, r.media = strings.ReplaceAll(body, "m1/dev", pick(g, texts["environmentId"])), known[0].media
	default:
		if strings.HasSuffix(d.template, "s") { // of a collection, whose items have the name of its kind
			kind = singular(d.template)
		}
		r.body = g.document(kind, pick(g, append([]string{"new"}, names[kind]...)))
		if d.verb == "PATCH" {
			r.media = "application/merge-patch+json"
		}
	}
}

func singular(template string) string {
	words := strings.Split(strings.TrimSuffix(template[strings.LastIndexByte(template, '/')+1:], "s"), "-")
	for n := range words[1:] {
		words[n+1] = strings.ToUpper(words[n+1][:1]) + words[n+1][1:]
	}
	return strings.Join(words, "")
}

func (g *interferences) document(kind, name string) string {
	spec := "{}"
	if known := specs[kind]; known != nil {
		spec = strings.NewReplacer("CRED", pick(g, names["credential"]), "SITE", pick(g, names["siteParamSet"])).Replace(pick(g, known))
	}
	return fmt.Sprintf(`{"metadata":{"name":%q},"spec":%s}`, name, spec)
}

// manifest is an operation of a batch.
func (g *interferences) manifest() string {
	if g.IntN(3) == 0 {
		return fmt.Sprintf(`{"op":%q,"id":%q,"cascade":%t}`, "delete", pick(g, ids), g.IntN(2) == 0)
	}
	kind := pick(g, []string{"environment", "cluster", "credential", "deployPostfix", "paramSetAssociation", "artifactDefinition", "registryDefinition", "siteParamSet"})
	key := map[string]string{}
	switch kind {
	case "environment":
		key["cluster"] = pick(g, names["cluster"])
	case "deployPostfix", "paramSetAssociation":
		key["cluster"], key["environment"] = pick(g, names["cluster"]), pick(g, names["environment"])
	}
	text, err := json.Marshal(key)
	if err != nil {
		panic(err)
	}
	body := g.document(kind, pick(g, append([]string{"new"}, names[kind]...)))
	return fmt.Sprintf(`{"op":%q,"kind":%q,"key":%s,%s`, pick(g, []string{"put", "create", "patch"}), kind, text, body[1:])
}
