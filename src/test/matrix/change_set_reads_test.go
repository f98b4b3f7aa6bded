package matrix

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// withoutView are the routes that can be read, but not in a change set, with the reason.
var withoutView = map[string]string{
	"/":                                  "what is served here",
	"/v2":                                "what is served here",
	"/livez":                             "of the process",
	"/readyz":                            "of the process",
	"/v2/health":                         "of the process",
	"/metrics":                           "of the process",
	"/openapi.json":                      "of the program",
	"/v2/schema":                         "the ref-schema is in no change set",
	"/v2/schema/{kind}":                  "the ref-schema is in no change set",
	"/v2/schema/versions":                "the ref-schema is in no change set",
	"/v2/access":                         "rights are in no change set",
	"/v2/sessions":                       "rights are in no change set",
	"/v2/audit":                          "what was done",
	"/v2/audit/verification":             "what was done",
	"/v2/search":                         "an index of what is stored",
	"/v2/authors":                        "what was done",
	"/v2/counts":                         "an index of what is stored",
	"/v2/scrub":                          "what is wrong with what is stored",
	"/v2/system":                         "about the processes",
	"/v2/transactions":                   "what was done",
	"/v2/transactions/{position}":        "what was done",
	"/v2/watch":                          "what is done",
	"/v2/work":                           "actions of a lifecycle are in no change set",
	"/v2/webhooks":                       "subscriptions are in no change set",
	"/v2/webhooks/{name}/dead-letters":   "subscriptions are in no change set",
	"/v2/backup":                         "a backup is of what is stored",
	"/api/change-sets":                   "the change sets themselves",
	"/api/change-sets/{name}":            "the change sets themselves",
	"/api/change-sets/{name}/diff":       "the change sets themselves",
	"/api/change-sets/{name}/check":      "the change sets themselves",
	"/api/change-sets/{name}/impact":     "the change sets themselves",
	"/version":                           "the ref-schema is in no change set",
	"/api":                               "the ref-schema is in no change set",
	"/api/v1":                            "the ref-schema is in no change set",
	"/apis":                              "the ref-schema is in no change set",
	"/apis/{group}":                      "the ref-schema is in no change set",
	"/apis/{group}/{version}":            "the ref-schema is in no change set",
	"/openapi/v2":                        "the ref-schema is in no change set",
	"/openapi/v3":                        "the ref-schema is in no change set",
	"/openapi/v3/apis/{group}/{version}": "the ref-schema is in no change set",
	"/api/v1/namespaces":                 "clients of the Kubernetes API know no change sets",
	"/api/v1/namespaces/{namespace}":     "clients of the Kubernetes API know no change sets",
	"/apis/{group}/{version}/{resource}": "clients of the Kubernetes API know no change sets",
	"/apis/apiextensions.k8s.io/v1/customresourcedefinitions":          "the ref-schema is in no change set",
	"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}":   "the ref-schema is in no change set",
	"/apis/{group}/{version}/{resource}/{name}":                        "clients of the Kubernetes API know no change sets",
	"/apis/{group}/{version}/namespaces/{namespace}/{resource}":        "clients of the Kubernetes API know no change sets",
	"/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}": "clients of the Kubernetes API know no change sets",
}

// changeSetRoles let the principal limited of twinRoles read and edit change sets.
var changeSetRoles = strings.Replace(twinRoles, "bindings:\n", `- name: change-sets
  rules: [{kinds: [changeSet], verbs: [read, create, update]}]
bindings:
- {role: change-sets, users: [limited]}
`, 1)

// storedVersions differ between what is staged and what is stored.
var storedVersions = regexp.MustCompile(`"revision":\d+|UID-\d+`)

// TestChangeSetOfEveryRead: in a change set everything is read as it is after the merge: by every route, for every id, by a
// principal that may read everything, and by one that may read a part. Until then the store is as it was.
func TestChangeSetOfEveryRead(t *testing.T) {
	t.Parallel()
	w := &world{dir: t.TempDir(), used: make(map[string]bool)}
	w.start(t, changeSetRoles, []string{"root", "limited"}, map[string]string{"encryption-key-file": w.keyFile(t)})
	s := &sample{world: w, who: "root"}
	s.fill(t)
	s.write(t, "POST", "/v2/batch", "application/yaml", fmt.Sprintf(hidden, "Enigma", 1))
	s.write(t, "PUT", "/api/v1.0/buckets/b/documents", "application/x-yaml", fmt.Sprintf(hiddenBucket, "Enigma"))
	s.write(t, "POST", "/api/change-sets", "", `{"name":"all"}`)
	s.checkViews(t)

	stored := s.read(t, query{method: "GET", path: "/v2/documents?content=true&limit=1000"})
	before := s.answers(t, s.reads(t, "changeSet"), nil)
	s.stage(t, "all")
	if now := s.read(t, query{method: "GET", path: "/v2/documents?content=true&limit=1000"}); compared(now.text) != compared(stored.text) {
		one, other := compared(stored.text), compared(now.text)
		t.Errorf("staging has changed the store from\n%s\nto\n%s", excerpt(one, other), excerpt(other, one))
	}
	limited := &sample{world: w, who: "limited"}
	all := s.reads(t, "changeSet")
	inChangeSet := func(q query) query { return q.with("changeSet", "all") }
	for _, q := range s.readsOf(t, "changeSet", "/v2/documents?limit=1000&changeSet=all") { // of documents that are only there
		if _, known := before[q]; !known {
			all = append(all, q)
		}
	}
	all = slices.DeleteFunc(all, func(q query) bool { return strings.HasPrefix(q.template, "/v2/change-sets") })
	seen := s.answers(t, all, inChangeSet)
	seenByLimited := make(map[query]shown)
	for _, q := range all {
		seenByLimited[q] = limited.read(t, inChangeSet(q))
	}

	s.write(t, "POST", "/api/change-sets/all/merge", "", "")
	const resolutions = "/v2/active-resolutions"
	w.until(t, func() bool { // the controller has made the statuses
		return compared(s.send(t, "GET", resolutions, "", "").text) == compared(seen[query{resolutions, "GET", resolutions}].text)
	})
	changed := 0
	for _, q := range all {
		for who, reader := range map[string]*sample{"root": s, "limited": limited} {
			in := seen[q]
			if reader == limited {
				in = seenByLimited[q]
			}
			after := reader.read(t, q)
			if in.status != after.status || compared(in.text) != compared(after.text) {
				one, other := compared(in.text), compared(after.text)
				t.Errorf("%s reads %s in the change set: %d\n%s\nafter the merge: %d\n%s", who, q.path, in.status, excerpt(one, other), after.status, excerpt(other, one))
			}
			if seen := seenByLimited[q]; seen.status == 200 && strings.Contains(seen.text, "-hidden") {
				t.Errorf("limited sees in %s what is hidden: %s", q.path, seen.text)
			}
		}
		if was, known := before[q]; !known || compared(was.text) != compared(seen[q].text) {
			changed++
		}
	}
	if changed < len(all)/3 {
		t.Errorf("of %d reads only %d differ in the change set", len(all), changed)
	}
}

// checkViews has every route that can be read have a view, or a reason why not.
func (s *sample) checkViews(t *testing.T) {
	t.Helper()
	for _, op := range s.operations(t) {
		if op.verb != "GET" && !op.takes("at") {
			continue
		}
		if why := withoutView[op.template]; (why == "") != op.takes("changeSet") {
			t.Errorf("%s can be read in a change set: %t; the reason why not is %q", op.template, op.takes("changeSet"), why)
		}
	}
}

// stage changes something of every service in a change set.
func (s *sample) stage(t *testing.T, changeSet string) {
	t.Helper()
	write := func(method, path, media, body string) string {
		t.Helper()
		return s.write(t, method, query{path: path}.with("changeSet", changeSet).path, media, body)
	}
	made := func(path, body string) string {
		t.Helper()
		var made struct{ ID string }
		decode(t, write("POST", path, "", body), &made)
		return made.ID
	}
	write("POST", "/v2/batch", "application/yaml", `
- {kind: environment, key: {cluster: v}, metadata: {name: stage, labels: {team: own}}}
- {kind: deployPostfix, key: {cluster: v, environment: stage}, metadata: {name: core}, spec: {namespace: stage}}
- {op: delete, kind: environment, key: {cluster: v, environment: prod}}
- {op: patch, kind: cluster, key: {cluster: h}, spec: {secret: "Staged-hidden"}}
- {kind: cluster, metadata: {name: h9}, spec: {secret: "Staged-hidden"}}
- {kind: activeResolution, metadata: {name: only}, spec: {sources: [s1], constraints: ['required("p", ">=2.0.0")']}}
- {kind: activeResolution, metadata: {name: bundled, annotations: {deppy.io/activator-class: ResolveSet}}, spec: {sources: [s1], constraints: ['required("p")']}}
`)
	write("PATCH", "/v2/clusters/v", "", `{"metadata":{"labels":{"a":"b"}}}`)
	write("PUT", "/v2/clusters/v/status", "", `{"phase":"staged"}`)
	write("DELETE", "/v2/param-sets/shared?cascade=true", "", "")
	write("PUT", "/api/sd"+environmentQuery+"&kind=full", "", `{"applications":[{"version":"app:2","deployPostfix":"core"}]}`)
	write("PUT", "/api/ui-override", "", `{"environmentId":"v/dev","context":"pipeline","parameters":{"a":8,"b":9}}`)
	old := s.values["id"][0]
	write("PUT", "/api/paramset/"+old, "", `{"parameters":{"a":2,"c":3},"applications":[]}`)
	write("DELETE", "/api/paramset/"+old+"/associations/"+s.values["associationId"][0], "", "")
	paramSet := made("/api/paramset", `{"name":"y","location":"environments/parameters","parameters":{"y":1},"applications":[]}`)
	association := made("/api/paramset/"+paramSet+"/associations", `{"environmentId":"v/dev","context":"pipeline","associatedObject":"cloud"}`)
	write("PUT", "/api/v1.0/buckets/a/documents", "application/x-yaml", layeredDocuments[1])
	write("PUT", "/api/v1.0/buckets/c/documents", "application/x-yaml", fmt.Sprintf(namedBucket, "Staged"))
	write("PUT", "/api/sources/s1", "", `{"packages":[{"name":"p","defaultChannel":"main","versions":[{"version":"2.0.0","channels":["main"],"image":"i2"}]}]}`)
	write("PUT", "/api/sources/s9", "", `{"packages":[{"name":"q","versions":[{"version":"1.0.0","channels":["main"]}]}]}`)
	for name, more := range map[string][]string{"id": {paramSet}, "associationId": {association}, "source": {"s9"}, "package": {"q"}, "revision": {"3", "4", "5"}} {
		s.values[name] = append(s.values[name], more...)
	}
}

// compared is an answer without what differs between what is staged and what is stored: versions, times, tokens; and without
// the change sets themselves, of which one is merged.
func compared(text string) string {
	var list map[string][]json.RawMessage // of documents, or of their tree
	if json.Unmarshal([]byte(text), &list) == nil {
		for name, items := range list {
			list[name] = slices.DeleteFunc(items, func(item json.RawMessage) bool { return strings.HasPrefix(string(item), `{"id":"changeSet/`) })
		}
		if made, err := json.Marshal(list); err == nil {
			text = string(made)
		}
	}
	return storedVersions.ReplaceAllString(withoutRequest(strings.ReplaceAll(text, "did not exist then", "does not exist")), "VERSION")
}

// inChangeSet reads a route in a change set: who may not read change sets is shown nothing, who may is shown what it may read
// without one.
func (p *player) inChangeSet(t *testing.T, r route) {
	t.Helper()
	p.sets++
	name := fmt.Sprint("view-", p.sets)
	p.must(t, "POST", "/api/change-sets", members{"name": name})
	plain := r
	r.path = query{path: r.at()}.with("changeSet", name).path
	for _, who := range []string{"", "norole", "ann", "reader", "root"} {
		a := p.send(t, who, r)
		switch {
		case who == "reader" || who == "root":
			if there := p.send(t, who, plain); a.status != there.status || compared(a.text) != compared(there.text) {
				t.Errorf("%s reads in a change set %d %s, without it %d %s", who, a.status, a.text, there.status, there.text)
			}
		case a.status != http.StatusUnauthorized && a.status != http.StatusForbidden && a.status != http.StatusNotFound:
			t.Errorf("%s reads in a change set: %d %s", who, a.status, a.text)
		}
	}
}
