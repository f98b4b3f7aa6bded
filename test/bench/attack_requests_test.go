package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/resolution/solver/synthetic"
)

// largeDocuments is how many documents of largeDocument there are.
const largeDocuments = 30

// largeDocument is the data of one of them: long, of many values, or of lines that are indented far where it is shown as YAML.
func largeDocument(n int) string {
	switch n % 3 {
	case 0:
		return `{"spec":{"a":"` + strings.Repeat("x", 4_000_000) + `"}}`
	case 1:
		return string(listOf(`{"spec":{"a":[`, "{}", 300_000, "]}}"))
	default:
		return `{"spec":` + nested(80, `"`+strings.Repeat(`\n`, 500_000)+`"`) + "}"
	}
}

// readEverything is the family of requests that read all there is.
const readEverything = "read-everything"

// managedFields is how many members an object has whose managers are known.
const managedFields = 60_000

// managedObject is where it is in the Kubernetes API, with the beginning of a query.
const managedObject = "/apis/inventory.dovetail.dev/v1/namespaces/" + tenant + "/environments/managed?fieldValidation=Ignore"

// managedBody is the object with members of its spec.
func managedBody(members string) string {
	return `{"apiVersion":"inventory.dovetail.dev/v1","kind":"Environment","metadata":{"name":"managed","namespace":"` + tenant + `"},"spec":{` + members + `}}`
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	return b.String()[1:]
}

// tenant is the one place that principals with limited rights may write to.
const tenant = "tenant"

// attackRequest is a request that is cheap to send and may be expensive to answer.
type attackRequest struct {
	family, method, path, mediaType string
	headers                         []string
	body                            []byte
	connections                     int           // that send it at the same time; 0 is one
	pause                           time.Duration // between the parts of its body, of which most never come; 0 sends all at once
	listen                          time.Duration // how long the answer, which has no end, is read; 0 reads all
	unread                          time.Duration // how long the answer is not read at all
}

func (r *attackRequest) String() string {
	return fmt.Sprintf("%s: %s %.200s %s, %d bytes: %.80q", r.family, r.method, r.path, r.mediaType, len(r.body), r.body)
}

// attackFamilies make requests of one kind each.
var attackFamilies = []struct {
	name string
	make func(r *rand.Rand) attackRequest
}{
	{"resolve-empty-sources", func(r *rand.Rand) attackRequest {
		return jsonRequest("POST", "/api/resolve", listOf(`{"sources":[`, "{}", upTo(r, 900_000), `]}`))
	}},
	{"resolve-hard", func(r *rand.Rand) attackRequest {
		o := synthetic.Options{Packages: 200, Versions: 5, Roots: 5, Seed: r.Uint64(), Mode: synthetic.Maze, Pigeons: 9 + r.IntN(3)}
		return jsonRequest("POST", "/api/resolve"+oneOf(r, "", "?explain=true"), synthetic.Problem(o).JSON())
	}},
	{"resolve-constraints", func(r *rand.Rand) attackRequest {
		constraint := oneOf(r, `"required(\"p\", \">=1\")"`, "{}", `"`+strings.Repeat("any(", 500)+`"`, `{"any":[{"all":[{"required":{"name":"p"}}]}]}`,
			`{"required":{"name":"p","versionRange":"`+strings.Repeat(">=1 ||", 200)+`>=2"}}`)
		return jsonRequest("POST", "/api/resolve", listOf(`{"sources":[],"spec":{"sources":[],"constraints":[`, constraint, upTo(r, 4_000_000/len(constraint)), `]}}`))
	}},
	{"batch", func(r *rand.Rand) attackRequest {
		operation := oneOf(r, "{}", `{"op":"delete"}`, `{"id":"cluster/`+strings.Repeat("x", 2000)+`"}`, `{"id":"cluster/`+tenant+`","data":{}}`,
			`{"id":"`+strings.Repeat("cluster/a/", 300)+`b","data":{}}`, `{"op":"create","id":"cluster/`+tenant+`/environment/e","data":{"spec":{}}}`,
			`{"id":"cluster/`+tenant+`","data":`+nested(200, "1")+`}`)
		before, after := "[", "]"
		if r.IntN(2) == 0 {
			before, after = `{"operations":[`, `]}`
		}
		return jsonRequest("POST", "/v2/batch"+oneOf(r, "", "?dryRun=true", "?managed=x"), listOf(before, operation, min(upTo(r, 600_000), 8_000_000/len(operation)), after))
	}},
	{"batch-wide", func(r *rand.Rand) attackRequest {
		var b bytes.Buffer
		b.WriteString(`[{"id":"cluster/` + tenant + `","data":{}}`)
		for i := range upTo(r, 5000) {
			fmt.Fprintf(&b, `,{"id":"cluster/%s/environment/e%d","data":{"spec":{"a":1}}}`, tenant, i)
		}
		b.WriteByte(']')
		return jsonRequest("POST", "/v2/batch?dryRun=true", b.Bytes())
	}},
	{"yaml-aliases", func(r *rand.Rand) attackRequest {
		method, path := writePath(r)
		return attackRequest{method: method, path: path, mediaType: oneOf(r, "application/yaml", "application/x-yaml"), body: aliases(r)}
	}},
	{"json-shape", func(r *rand.Rand) attackRequest {
		method, path := writePath(r)
		return jsonRequest(method, path, jsonShape(r))
	}},
	{"layered-documents", func(r *rand.Rand) attackRequest {
		bucket := oneOf(r, tenant, "other", strings.Repeat("b", 200))
		path := "/api/v1.0/buckets/" + bucket + "/documents" + oneOf(r, "", "?dryRun=true", "?validate=structure")
		return attackRequest{method: "PUT", path: path, mediaType: "application/x-yaml", body: layeredDocuments(r)}
	}},
	{"multipart", func(r *rand.Rand) attackRequest {
		var b bytes.Buffer
		part := "--x\r\nContent-Disposition: form-data; name=\"" + oneOf(r, "metadata", "bundle", "p") + "\"\r\n\r\n{}\r\n"
		for range upTo(r, 100_000) {
			b.WriteString(part)
		}
		b.WriteString("--x--\r\n")
		return attackRequest{method: "PUT", path: "/v2/active-resolutions/" + tenant, mediaType: "multipart/form-data; boundary=x", body: b.Bytes()}
	}},
	{"selectors", func(r *rand.Rand) attackRequest {
		terms := make([]string, upTo(r, 3000))
		for i := range terms {
			terms[i] = fmt.Sprintf(oneOf(r, "k%d=v", "k%d!=v", "k%d in (a,b,c)", "!k%d"), i)
		}
		path := oneOf(r, "/v2/clusters", "/v2/clusters/"+tenant+"/environments", "/v2/credentials")
		return getRequest(path + "?" + oneOf(r, "labelSelector", "fieldSelector") + "=" + url.QueryEscape(strings.Join(terms, ",")))
	}},
	{"views", func(r *rand.Rand) attackRequest {
		return getRequest(oneOf(r, "/v2/clusters/"+tenant+"?view=graph&depth=", "/v2/clusters/writer?view=tree&depth=", "/v2/documents?view=tree&depth=",
			"/v2/clusters?view=document&limit=", "/v2/documents?limit=", "/v2/audit?limit=") + oneOf(r, "1000000000", "-1", strings.Repeat("9", 4000)))
	}},
	{"cascade", func(r *rand.Rand) attackRequest {
		return attackRequest{method: "DELETE", path: "/v2/clusters/" + oneOf(r, tenant, "writer", "none") + "?dryRun=true&cascade=" + oneOf(r, "plan", "true", "all")}
	}},
	{"schema-impact", func(r *rand.Rand) attackRequest {
		return jsonRequest("POST", "/v2/schema/impact", must(json.Marshal(map[string]any{"sources": []any{map[string]any{"name": "a.yaml", "text": schemaText(r)}}})))
	}},
	{"import", func(r *rand.Rand) attackRequest {
		item := oneOf(r, "{}", `{"id":"cluster/`+tenant+`","kind":"cluster","data":{}}`, `{"id":"cluster/a","kind":"cluster","data":`+nested(100, "1")+`,"references":[{},{},{}]}`)
		return jsonRequest("POST", "/v2/documents", listOf("[", item, min(upTo(r, 500_000), 8_000_000/len(item)), "]"))
	}},
	{"sd-merge", func(r *rand.Rand) attackRequest {
		application := oneOf(r, `"a:1"`, "{}", `{"version":"a:1","deployPostfix":"p"}`, `""`)
		list := string(listOf(`{"version":2.1,"applications":[`, application, upTo(r, 200_000), `]}`))
		deltas := oneOf(r, "["+list+"]", string(listOf("[", "{}", upTo(r, 300_000), "]")))
		mode := oneOf(r, "basic-merge", "extended-merge", "replace", "basic-exclusion-merge")
		return jsonRequest("POST", "/api/sd/merge", []byte(`{"mode":"`+mode+`","full":`+list+`,"deltas":`+deltas+`}`))
	}},
	{"sd-merge-distinct", func(r *rand.Rand) attackRequest {
		var b strings.Builder
		for i := range upTo(r, 50_000) {
			fmt.Fprintf(&b, `,{"version":"a%d:1","deployPostfix":"p"}`, i)
		}
		list := `{"applications":[{"version":"a:1","deployPostfix":"p"}` + b.String() + `]}`
		return jsonRequest("POST", "/api/sd/merge", []byte(`{"mode":"`+oneOf(r, "basic-merge", "extended-merge")+`","full":`+list+`,"deltas":[`+list+`,`+list+`]}`))
	}},
	{"sd-process", func(r *rand.Rand) attackRequest {
		text := string(must(json.Marshal(string(aliases(r)))))
		return jsonRequest("POST", "/api/sd/process?environmentId="+tenant+"/e&dryRun=true", []byte(`{"SD_SOURCE_TYPE":"json","SD_DATA":`+text+`}`))
	}},
	{"catalog", func(r *rand.Rand) attackRequest {
		file := string(must(json.Marshal(map[string]string{"name": "catalog.yaml", "text": oneOf(r, string(aliases(r)), strings.Repeat("---\n", upTo(r, 300_000)), "{}")})))
		path := "/api/sources/" + oneOf(r, tenant, "other") + "/catalog?dryRun=" + oneOf(r, "true", "false")
		return jsonRequest("PUT", path, listOf(`{"files":[`, file, min(upTo(r, 100_000), 1+6_000_000/len(file)), `]}`))
	}},
	{"slow-bodies", func(r *rand.Rand) attackRequest {
		method, path := writePath(r)
		slow := jsonRequest(method, path, bytes.Repeat([]byte(" "), 1<<20))
		slow.connections, slow.pause = 10, 100*time.Millisecond
		return slow
	}},
	{"watches", func(r *rand.Rand) attackRequest {
		watch := getRequest(oneOf(r, "/v2/watch", "/v2/clusters?watch=true", "/v2/clusters/"+tenant+"?watch=true", "/v2/watch?after=1"))
		watch.connections, watch.listen = 20, time.Second
		return watch
	}},
	{"idle-watches", func(r *rand.Rand) attackRequest { // as many as a principal may have, of what is never written or may not be read
		watch := getRequest(oneOf(r, "/v2/watch", "/v2/credentials?watch=true", "/v2/clusters/none?watch=true"))
		watch.connections, watch.listen = 44, 4*time.Second
		return watch
	}},
	{"headers", func(r *rand.Rand) attackRequest {
		long := getRequest("/v2/clusters/" + oneOf(r, tenant, strings.Repeat("y/", 1000), url.PathEscape(strings.Repeat("/", 5000))))
		long.headers = []string{oneOf(r, "If-None-Match: ", "If-Match: ", "Accept: ", "Idempotency-Key: ", "X-Forwarded-For: ", "Accept-Encoding: ") +
			strings.Repeat(oneOf(r, `"a-1", `, "a/b;q=0.1, ", "10.0.0.1, "), upTo(r, 12_000))}
		return long
	}},
	{"large-documents", func(r *rand.Rand) attackRequest {
		if r.IntN(3) == 0 {
			operation := oneOf(r, `{"op":"patch","id":"%s","data":{"a":1}}`, `{"id":"%s","data":{}}`, `{"op":"create","id":"%s","data":{}}`, `{"op":"delete","id":"%s"}`)
			operations := make([]string, largeDocuments)
			for i := range operations {
				operations[i] = fmt.Sprintf(operation, fmt.Sprintf("cluster/%s/environment/large%d", tenant, i))
			}
			return jsonRequest("POST", "/v2/batch?dryRun=true", []byte("["+strings.Join(operations, ",")+"]"))
		}
		read := getRequest("/v2/clusters/" + tenant + oneOf(r, "/environments", "/environments?limit=1000", "/environments?fieldSelector=spec.a%3Db", "/environments?view=document",
			"?view=graph", "?view=tree", fmt.Sprintf("/environments/large%d", r.IntN(largeDocuments))))
		if r.IntN(2) == 0 {
			read.headers = []string{"Accept: application/yaml"}
		}
		if r.IntN(2) == 0 {
			read.connections, read.unread = 10, 5*time.Second
		}
		return read
	}},
	{"json-patch", func(r *rand.Rand) attackRequest { // inserts at the front of a long list
		operations := string(listOf(`[{"op":"add","path":"/spec/list","value":`+string(listOf("[", "0", upTo(r, 100_000), "]"))+"},",
			`{"op":"`+oneOf(r, "add", "copy")+`","from":"/spec/list/0","path":"/spec/list/0","value":1}`, upTo(r, 9_900), "]"))
		return attackRequest{method: "PATCH", path: managedObject + "&dryRun=All", mediaType: "application/json-patch+json", body: []byte(operations)}
	}},
	{"managed-fields", func(r *rand.Rand) attackRequest { // a small change of an object of many fields, or so many of another manager
		change := attackRequest{method: "PATCH", path: managedObject + oneOf(r, "", "&dryRun=All"), mediaType: oneOf(r, "application/merge-patch+json", "application/apply-patch+yaml")}
		members := fmt.Sprintf(`"k%d":%d`, r.IntN(managedFields), r.IntN(100))
		if r.IntN(4) == 0 {
			members = manyMembers(upTo(r, managedFields))
		}
		change.path += fmt.Sprintf("&force=true&fieldManager=m%d", r.IntN(5))
		if change.mediaType == "application/merge-patch+json" {
			change.path = strings.Replace(change.path, "&force=true", "", 1)
		}
		change.body = []byte(managedBody(members))
		return change
	}},
	{"follow", followRequest},
	{readEverything, func(r *rand.Rand) attackRequest {
		return getRequest(oneOf(r, "/v2/documents", "/v2/documents?limit=1000", "/v2/documents?kind=environment", "/v2/documents?contains=xxxx",
			"/v2/clusters?limit=1000", "/v2/clusters/"+tenant+"/environments", "/v2/clusters/"+tenant+"?view=tree"))
	}},
	{"forged-tokens", func(r *rand.Rand) attackRequest {
		forged := getRequest("/v2/clusters")
		forged.headers = []string{"Authorization: Bearer " + oneOf(r, "dovetail_", "eyJhbGciOiJSUzI1NiJ9.") + strings.Repeat("A", upTo(r, 60_000))}
		return forged
	}},
}

// attackPool makes some requests of each family, or of one, ahead, so that sending them costs little. Sources follow what is at the address of the upstream.
func attackPool(seed uint64, only, upstream string) [][]attackRequest {
	const each = 6
	var pool [][]attackRequest
	for i, family := range attackFamilies {
		if only != "" && only != family.name {
			continue
		}
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		requests := make([]attackRequest, each)
		for i := range requests {
			requests[i] = family.make(r)
			requests[i].family = family.name
			requests[i].body = bytes.ReplaceAll(requests[i].body, []byte(upstreamName), []byte(upstream))
		}
		pool = append(pool, requests)
	}
	return pool
}

func getRequest(path string) attackRequest { return attackRequest{method: "GET", path: path} }

func jsonRequest(method, path string, body []byte) attackRequest {
	return attackRequest{method: method, path: path, mediaType: "application/json", body: body}
}

// writePath is a route that reads JSON and YAML.
func writePath(r *rand.Rand) (method, path string) {
	method, path, _ = strings.Cut(oneOf(r, "PUT /v2/clusters/"+tenant, "POST /v2/clusters", "PUT /v2/clusters/"+tenant+"/environments/e", "POST /v2/clusters/"+tenant+"/environments",
		"PATCH /v2/clusters/"+tenant, "PUT /v2/clusters/"+tenant+"/status", "POST /v2/batch", "POST /api/resolve", "POST /api/sd/merge", "POST /v2/documents", "PUT /v2/param-sets/"+tenant,
		"POST /api/paramset", "PUT /api/sd?environmentId="+tenant+"/e", "POST /api/sd/process?environmentId="+tenant+"/e", "POST /v2/schema/impact", "PUT /v2/active-resolutions/"+tenant,
		"PUT /api/sources/"+tenant, "PUT /api/sources/"+tenant+"/catalog", "PUT /api/v1.0/buckets/"+tenant+"/documents",
		"POST /api/ui-override?environmentId="+tenant+"/e&context=deployment"), " ")
	return method, path
}

// aliases is YAML of which little text means many values.
func aliases(r *rand.Rand) []byte {
	var b bytes.Buffer
	switch r.IntN(3) {
	case 0: // each level refers to the one before it several times
		fan := 2 + r.IntN(9)
		b.WriteString("a0: &a0 [x, x]\n")
		for level := range 5 + r.IntN(25) {
			fmt.Fprintf(&b, "a%d: &a%d [%s]\n", level+1, level+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", level), fan), ", "))
		}
	case 1: // one long list, referred to as often as fits into 155 KB
		fmt.Fprintf(&b, "a: &a [%s]\nb:\n", strings.TrimSuffix(strings.Repeat("x,", 25+r.IntN(15_000)), ","))
		for b.Len() < 155_000 {
			b.WriteString("- *a\n")
		}
	default: // maps merged into maps
		b.WriteString("a0: &a0 {k: v, l: w}\n")
		for i := range upTo(r, 5000) {
			fmt.Fprintf(&b, "a%d: &a%d {<<: *a%d, k%d: v}\n", i+1, i+1, i, i)
		}
	}
	return b.Bytes()
}

// nested is JSON of that depth around other JSON.
func nested(depth int, inner string) string {
	return strings.Repeat(`{"a":`, depth) + inner + strings.Repeat("}", depth)
}

// jsonShape is JSON that is deep, wide, long or repetitive.
func jsonShape(r *rand.Rand) []byte {
	n := upTo(r, 1_000_000)
	switch r.IntN(7) {
	case 0:
		return []byte(nested(n, "1"))
	case 1:
		return []byte(strings.Repeat("[", n))
	case 2:
		var b bytes.Buffer
		b.WriteString(`{"spec":{"a":0`)
		for i := range n / 2 {
			fmt.Fprintf(&b, `,"m%d":1`, i)
		}
		b.WriteString("}}")
		return b.Bytes()
	case 3:
		item := oneOf(r, "0", "1e999999999", strings.Repeat("9", 10_000), "0.1", "{}", "null")
		return listOf(`{"spec":{"a":[`, item, min(n, 8_000_000/len(item)), "]}}")
	case 4:
		return []byte(`{"spec":{"a":"` + strings.Repeat(oneOf(r, "x", `\u0041`, `\\`, "é"), n) + `"}}`)
	case 5:
		return listOf(`{"spec":{`, `"a":1`, n, "}}")
	default:
		return listOf(`{"metadata":{"name":"`+tenant+`","labels":{"a":"b"}},"spec":{"a":[`, `{"b":{"c":[{},{}]}}`, n/8, "]}}")
	}
}

// layeredDocuments are chains and cycles of substitutions and parents, and regular expressions.
func layeredDocuments(r *rand.Rand) []byte {
	var b bytes.Buffer
	b.WriteString("schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: policy}\ndata: {layerOrder: [global, site]}\n")
	document := func(name, layering, substitutions, data string) {
		fmt.Fprintf(&b, "---\nschema: a/K/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: %s\n  layeringDefinition: {%s}\n%sdata: %s\n", name, layering, substitutions, data)
	}
	substitution := func(from, pattern string) string {
		return fmt.Sprintf("  substitutions:\n  - src: {schema: a/K/v1, name: %s, path: .}\n    dest: {path: .a, pattern: %q}\n", from, pattern)
	}
	pattern := oneOf(r, "", "(a+)+$", "(x|x)*y", "((((a{1,100}){1,100}){1,100}){1,100})", strings.Repeat("(", 2000), ".*.*.*.*=")
	n := upTo(r, 2000)
	switch r.IntN(5) {
	case 0: // each doubles the one before it
		document("d0", "layer: site", "", "{a: x, b: x}")
		for i := range min(n, 40) {
			document(fmt.Sprint("d", i+1), "layer: site", fmt.Sprintf("  substitutions:\n  - src: {schema: a/K/v1, name: d%d, path: .}\n    dest: [{path: .a}, {path: .b}]\n", i), "{}")
		}
	case 1: // a chain with a pattern
		document("d0", "layer: site", "", "{a: "+strings.Repeat("a", 5000)+"!}")
		for i := range n {
			document(fmt.Sprint("d", i+1), "layer: site", substitution(fmt.Sprint("d", i), pattern), "{a: "+strings.Repeat("a", 30)+"}")
		}
	case 2: // a cycle
		for i := range n {
			document(fmt.Sprint("d", i), "layer: site", substitution(fmt.Sprint("d", (i+1)%n), pattern), "{a: x}")
		}
	case 3: // all are children of one, by labels
		for i := range n {
			document(fmt.Sprint("d", i), "layer: site, parentSelector: {k: v}, actions: [{method: merge, path: .}]", "", "{}")
		}
	default:
		b.WriteString(strings.Repeat("---\n{}\n", 50*n))
		b.WriteString("---\nschema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: a/K/v1}\ndata: {properties: {a: {pattern: '" + pattern + "'}}}\n")
	}
	return b.Bytes()
}

// schemaText is a ref-schema of many kinds, or with alternatives that multiply.
func schemaText(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("resources:\n")
	switch r.IntN(4) {
	case 0: // 14 choices of two, one after the other
		b.WriteString("- name: k\n  schema: {allOf: [")
		for i := range 14 {
			fmt.Fprintf(&b, "{anyOf: [{required: [a%d]}, {required: [b%d]}]},", i, i)
		}
		b.WriteString("]}\n")
	case 1: // 14 choices of two, one in the other
		alternative := "{type: object}"
		for range 14 {
			alternative = "{anyOf: [" + alternative + "," + alternative + "]}"
		}
		b.WriteString("- name: k\n  schema: " + alternative + "\n")
	case 2:
		for i := range upTo(r, 20_000) {
			fmt.Fprintf(&b, "- {name: k%d, schema: {type: object}}\n", i)
		}
	default: // a chain of parents that refer to each other
		n := upTo(r, 1000)
		for i := range n {
			fmt.Fprintf(&b, "- {name: k%d, parent: k%d, references: [{name: k%d, type: many}]}\n", i, (i+1)%n, (i+7)%n)
		}
	}
	return b.String()
}

// listOf repeats an item with commas between.
func listOf(before, item string, n int, after string) []byte {
	b := make([]byte, 0, len(before)+n*(len(item)+1)+len(after))
	b = append(b, before...)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item...)
	}
	return append(b, after...)
}

// upTo is a number up to n, and n itself every other time.
func upTo(r *rand.Rand, n int) int {
	if r.IntN(2) == 0 {
		return n
	}
	return 1 + r.IntN(n)
}

func oneOf(r *rand.Rand, choices ...string) string { return choices[r.IntN(len(choices))] }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
