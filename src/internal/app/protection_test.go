package app

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/gitrepo/gittest"
)

// TestKnownProtections shows each principal the protections that concern it, those of the changed file as well.
func TestKnownProtections(t *testing.T) {
	const protect = `
protect:
- {on: [cluster/c1, cluster/c9], approvals: 2, by: [managers]}
- {on: [cluster/c2]}`
	file, tokens := accessFile(t, accessRoles+protect, "root", "ann", "norole")
	server := start(t, map[string]string{"access": file})
	tests := []struct {
		name, who, query string
		says             string // "" says nothing of protections
	}{
		{name: "all for a reader of everything", who: "root", says: `"protections":[{"on":["cluster/c1","cluster/c9"],"approvals":2,"by":["managers"]},{"on":["cluster/c2"],"approvals":1}]`},
		{name: "the part of an editor", who: "ann", says: `"protections":[{"on":["cluster/c1"],"approvals":2,"by":["managers"]}]`},
		{name: "none without rights", who: "norole"},
		{name: "may update through a change set", who: "ann", query: "?right=update&id=cluster/c1/environment/dev",
			says: `"allowed":true,"protections":[{"on":["cluster/c1"],"approvals":2,"by":["managers"]}]`},
		{name: "reads as before", who: "ann", query: "?right=read&id=cluster/c1/environment/dev"},
		{name: "updates what is not protected", who: "root", query: "?right=update&id=cluster/c3"},
		{name: "no word of a document without rights", who: "norole", query: "?right=update&id=cluster/c1"},
		{name: "those with the right", who: "root", query: "?view=who-can&right=delete&id=cluster/c2", says: `"protections":[{"on":["cluster/c2"],"approvals":1}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, _, text := server.as(t, tokens[tt.who], "GET", "/v2/access"+tt.query, "")
			if status != 200 || !strings.Contains(text, tt.says) || tt.says == "" && strings.Contains(text, "protections") {
				t.Errorf("%d %s\nwant %s", status, text, tt.says)
			}
		})
	}

	known := func() string {
		_, _, text := server.as(t, tokens["root"], "GET", "/v2/access", "")
		return text
	}
	changed, _ := accessFile(t, accessRoles+"\nprotect: [{on: [cluster/c3/*]}]", "root")
	if err := os.Rename(changed, file); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the changed file is in force", func() bool { return strings.Contains(known(), `[{"on":["cluster/c3/*"],"approvals":1}]`) })
	for _, refused := range []struct{ protect, says string }{
		{protect: "protect: [{on: [clutser/c3]}]", says: "a protection covers clutser/c3: "},
		{protect: "protect: [{on: [cluster/c3], aprovals: 1}]", says: "did you mean approvals?"},
	} {
		invalid, _ := accessFile(t, accessRoles+"\n"+refused.protect, "root")
		if err := os.Rename(invalid, file); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the invalid file is refused", func() bool { return strings.Contains(server.logs.String(), refused.says) })
	}
	if !strings.Contains(known(), `cluster/c3/*`) {
		t.Error("the last good protections are no more in force")
	}
}

// protector is a server whose documents can be protected, and not, while it runs.
type protector struct {
	*matrix
	file string
}

func newProtector(t *testing.T) *protector {
	t.Helper()
	file, tokens := accessFile(t, matrixRoles, "root", "reader", "ann", "norole")
	server := start(t, map[string]string{"access": file, "log-level": "error", "refusal-rate": "0", "webhooks": webhooksFile(t, "https://127.0.0.1:1/")})
	m := &matrix{running: server, tokens: tokens}
	for _, setup := range matrixSetup {
		if status, _, text := server.as(t, tokens["root"], "POST", setup[0], setup[1]); status != 201 {
			t.Fatal(status, text)
		}
	}
	return &protector{m, file}
}

// protect puts a protection of these ids in force, none without ids.
func (p *protector) protect(t *testing.T, ids []string) {
	t.Helper()
	rest := matrixRoles
	if len(ids) > 0 {
		text, err := json.Marshal(ids)
		if err != nil {
			t.Fatal(err)
		}
		rest += "\nprotect: [{approvals: 1, on: " + string(text) + "}]"
	}
	changed, _ := accessFile(t, rest, "root", "reader", "ann", "norole")
	if err := os.Rename(changed, p.file); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the protections are in force", func() bool {
		_, _, text := p.as(t, p.tokens["root"], "GET", "/v2/access", "")
		return strings.Contains(text, `"protections"`) == (len(ids) > 0)
	})
}

// refused sends a request, which a protection must refuse without any change.
func (p *protector) refused(t *testing.T, r guardedRoute) {
	t.Helper()
	before := p.documents(t)
	if status, text := p.send(t, "root", r); status != 403 || !protectedText.MatchString(text) {
		t.Errorf("%d %s", status, text)
	}
	if after := p.documents(t); after != before {
		t.Errorf("it changed\n%s\nto\n%s", before, after)
	}
}

func (p *protector) documents(t *testing.T) string {
	t.Helper()
	_, _, text := p.as(t, p.tokens["root"], "GET", "/v2/documents?content=true", "")
	return text
}

// roots are the tops of all documents that were ever written.
func (p *protector) roots(t *testing.T) []string {
	t.Helper()
	var page struct {
		Items []struct{ Changes []struct{ ID dovetail.ID } }
	}
	_, _, text := p.as(t, p.tokens["root"], "GET", "/v2/transactions?limit=1000", "")
	decode(t, text, &page)
	known := make(map[string]bool)
	for _, transaction := range page.Items {
		for _, change := range transaction.Changes {
			if top := change.ID.Key()[0]; top.Name != "changeSet" {
				known[string(dovetail.Key{top}.ID())] = true
			}
		}
	}
	return sortedKeys(known)
}

// unprotected are the routes that write, but no documents that could be protected.
var unprotected = map[string]string{
	"DELETE /v2/sessions/{session}":             "ends a session",
	"DELETE /v2/idempotency-keys/{key}":         "aborts a transaction",
	"POST /v2/webhooks/{name}/redeliver":        "sends events again",
	"POST /v2/work/claim":                       "changes the status only",
	"POST /v2/work/renew":                       "changes the status only",
	"POST /v2/work/finish":                      "changes the status only",
	"POST /v2/encryption/rotate":                "seals the same documents again",
	"POST /api/change-sets":                     "change sets are where changes of protected documents are prepared",
	"PATCH /api/change-sets/{name}":             "a change set",
	"DELETE /api/change-sets/{name}":            "a change set",
	"POST /api/change-sets/{name}/reviews":      "a change set",
	"POST /api/change-sets/{name}/close":        "a change set",
	"POST /api/change-sets/{name}/reopen":       "a change set",
	"POST /api/change-sets/{name}/rebase":       "a change set",
	"POST /api/change-sets/{name}/revert":       "makes a change set",
	"DELETE /api/change-sets/{name}/operations": "a change set",
	"POST /api/change-sets/{name}/operations":   "stages; see TestProtectionMerge",
	"POST /api/change-sets/{name}/merge":        "see TestProtectionMerge",
	"POST /api/change-sets/{name}/propose":      "writes a branch only; see TestProtectionOfBranches",

	"POST /api/sources/{source}/refresh":                      "asks for a refresh, and the matrix has no source that follows another; the store refuses it like each status of a protected document",
	"POST /api/active-resolutions/{activeResolution}/approve": "approves a plan, and the matrix has none; the store refuses it like each status of a protected document",
}

// TestProtection takes every route that writes, of ownRoutes, which TestAccessMatrix keeps complete: while the documents that it
// writes are protected it is refused and changes nothing, and afterwards it does what it is for.
func TestProtection(t *testing.T) {
	scratch := newProtector(t)
	for _, r := range ownRoutes {
		scratch.own(t, r)
	}
	roots := scratch.roots(t)
	p := newProtector(t)
	cases := 0
	for _, r := range ownRoutes {
		t.Run(r.verb+" "+r.template, func(t *testing.T) {
			if (r.rule == writes || r.rule == writers) && r.verb != "GET" && unprotected[r.verb+" "+r.template] == "" && !strings.Contains(r.path, "changeSet=") {
				cases++
				p.protect(t, roots)
				p.refused(t, r)
				p.protect(t, nil)
			}
			p.own(t, r)
		})
	}
	if cases < 20 {
		t.Errorf("only %d routes write documents", cases)
	}
}

// TestProtectionOfDocuments takes every route that writes a document, of every kind.
func TestProtectionOfDocuments(t *testing.T) {
	p := newProtector(t)
	own := make(map[string]bool)
	for _, r := range ownRoutes {
		own[r.template] = true
	}
	var routes, documents []guardedRoute
	tops := make(map[string]bool)
	described, _ := p.described(t)
	for _, route := range sortedKeys(described) { // parents before children
		verb, template, _ := strings.Cut(route, " ")
		if own[template] || !strings.HasPrefix(template, "/v2/") || verb == "GET" || unprotected[route] != "" {
			continue
		}
		name, spec := "p", `{}`
		for element, special := range specialDocuments {
			if strings.Contains(template, element) {
				name, spec = special[0], special[1]
			}
		}
		last := strings.LastIndex(template, "{")
		path := elementOf.ReplaceAllString(template, "p")
		if strings.HasSuffix(template, "}") || strings.HasSuffix(template, "/status") {
			path = elementOf.ReplaceAllString(template[:last], "p") + elementOf.ReplaceAllString(template[last:], name)
		}
		r := guardedRoute{verb: verb, template: template, path: path, body: `{"metadata":{"name":"` + name + `"},"spec":` + spec + `}`}
		if verb == "PUT" && strings.HasSuffix(template, "}") {
			documents = append(documents, r)
		}
		switch {
		case verb == "DELETE":
			r.path, r.body = r.path+"?cascade=true", ""
		case strings.HasSuffix(template, "/status"):
			r.body = `{"x":1}`
		case verb != "POST":
			r.body = `{"metadata":{"name":"` + name + `","description":"changed"},"spec":` + spec + `}`
		default:
			r.body = strings.Replace(r.body, `"name":"p"`, `"name":"q"`, 1)
		}
		routes = append(routes, r)
	}
	for range 2 { // so that what is referenced is there
		for _, r := range documents {
			p.put(t, r)
		}
	}
	for _, r := range documents {
		if status, _, text := p.as(t, p.tokens["root"], "GET", r.path, ""); status != 200 {
			t.Errorf("no document at %s: %d %s", r.path, status, text)
		}
	}
	var made struct{ Items []struct{ ID dovetail.ID } }
	decode(t, p.documents(t), &made)
	for _, doc := range made.Items {
		top := doc.ID.Key()[0]
		tops[string(dovetail.Key{top}.ID())] = true
		top.Value = "q"
		tops[string(dovetail.Key{top}.ID())] = true
	}
	p.protect(t, sortedKeys(tops))
	for _, r := range routes {
		t.Run(r.verb+" "+r.template, func(t *testing.T) { p.refused(t, r) })
	}
	if len(routes) < 100 {
		t.Errorf("only %d routes of documents", len(routes))
	}
}

// put writes a document, that of a service as who repairs one.
func (p *protector) put(t *testing.T, r guardedRoute) {
	t.Helper()
	status, _, text := p.as(t, p.tokens["root"], "PUT", r.path, r.body)
	if status != 409 || !strings.Contains(text, "its service") {
		return
	}
	var refusal struct{ ID dovetail.ID }
	decode(t, text, &refusal)
	var manifest map[string]any
	decode(t, r.body, &manifest)
	elements := refusal.ID.Key()
	key := make(map[string]string)
	for _, e := range elements[:len(elements)-1] {
		key[e.Name] = e.Value
	}
	manifest["kind"], manifest["key"] = elements[len(elements)-1].Name, key
	batch, err := json.Marshal([]any{manifest})
	if err != nil {
		t.Fatal(err)
	}
	p.as(t, p.tokens["root"], "POST", "/v2/batch?managed=true", string(batch))
}

// specialDocuments are the names and specs of documents whose schemas ask for more, by parts of their paths.
var specialDocuments = map[string][2]string{
	"active-resolution-sets": {"p", `{"clusters":[],"template":{"spec":{}}}`},
	"effective-set-parts":    {"p", `{"parameters":{}}`},
	"param-set-associations": {"5d7b2f6e-1e0b-5c07-9a52-0f2b3d7c9a10", `{"context":"deploy","associatedObject":"cloud","order":0,"siteParamSet":"p"}`},
	"solution-descriptors":   {"full", `{"applications":[]}`},
	"versions":               {"1.0.0", `{"channels":["main"]}`},
}

// protectedText is in refusals of protected documents, also where they may not be named.
var protectedText = regexp.MustCompile("is protected: it changes only through a change set with 1 approval|may (only be changed by|be changed outside of) a change set")

var elementOf = regexp.MustCompile(`\{[^}]*\}`)

// TestProtectionMerge merges into a protected subtree once the change set is approved, and not before; everything else that
// reaches into the subtree from outside is refused.
func TestProtectionMerge(t *testing.T) {
	file, tokens := accessFile(t, `bindings:
- {role: editor, users: [root, ann, bob]}
protect:
- {on: [cluster/c1/environment/prod], approvals: 1, by: ["user:ann"]}`, "root", "ann", "bob")
	server := start(t, map[string]string{"access": file})
	do := func(who, method, path, body string, want int, says string) {
		t.Helper()
		if status, _, text := server.as(t, tokens[who], method, path, body); status != want || !strings.Contains(text, says) {
			t.Fatalf("%s %s: %d %s\nwant %d %s", method, path, status, text, want, says)
		}
	}
	do("root", "POST", "/v2/clusters", named("c1"), 201, "")
	do("root", "POST", "/v2/clusters/c1/environments", named("dev"), 201, "")
	do("root", "POST", "/v2/clusters/c1/environments", named("prod"), 403, "PROTECTED")
	do("root", "POST", "/v2/batch", `[{"kind":"cluster","metadata":{"name":"c2"}},{"kind":"environment","key":{"cluster":"c1"},"metadata":{"name":"prod"}}]`, 403, "PROTECTED")
	do("root", "GET", "/v2/clusters/c2", "", 404, "")

	do("root", "POST", "/api/change-sets", `{"name":"open-prod","title":"Open prod"}`, 201, "")
	do("root", "POST", "/v2/clusters/c1/environments?changeSet=open-prod", named("prod"), 201, "")
	merge := "/api/change-sets/open-prod/merge"
	do("root", "POST", merge, "{}", 409, "APPROVALS_MISSING")
	do("root", "POST", "/api/change-sets/open-prod/reviews", `{"decision":"approve"}`, 200, "") // the author does not count
	do("bob", "POST", "/api/change-sets/open-prod/reviews", `{"decision":"approve"}`, 200, "")  // nor does bob
	do("bob", "POST", merge, "{}", 409, "APPROVALS_MISSING")
	do("ann", "POST", "/api/change-sets/open-prod/reviews", `{"decision":"approve"}`, 200, "")
	do("root", "POST", "/v2/clusters/c1/environments/prod/namespaces?changeSet=open-prod", named("core"), 201, "") // voids approvals
	do("root", "POST", merge, "{}", 409, "APPROVALS_MISSING")
	do("ann", "POST", "/api/change-sets/open-prod/reviews", `{"decision":"approve"}`, 200, "")
	do("root", "GET", "/v2/clusters/c1/environments/prod", "", 404, "")
	do("root", "POST", merge, "{}", 200, "merged")
	do("root", "GET", "/v2/clusters/c1/environments/prod/namespaces/core", "", 200, "core")

	do("root", "DELETE", "/v2/clusters/c1?cascade=true", "", 403, "PROTECTED")
	do("root", "PATCH", "/v2/clusters/c1/environments/prod/namespaces/core", `{"spec":{"x":1}}`, 403, "PROTECTED")
	do("root", "PUT", "/v2/clusters/c1/environments/prod/status", `{"x":1}`, 403, "PROTECTED")
	do("root", "POST", "/v2/rollback", `{"id":"cluster/c1/environment/prod"}`, 410, "")
	do("root", "PUT", "/api/sd?environmentId=c1/prod&kind=full", `{"applications":[]}`, 403, "PROTECTED")
	do("root", "PUT", "/api/sd?environmentId=c1/dev&kind=full", `{"applications":[]}`, 201, "")
}

// TestProtectionOfRepository keeps protected documents as they are, whatever is pushed to the attached repository, and pushes no
// refused write to it.
func TestProtectionOfRepository(t *testing.T) {
	paramSet := func(name, text string) string {
		return "name: " + name + "\nparameters:\n  a: " + text + "\napplications: []\n"
	}
	const open, guarded = "environments/parameters/open.yaml", "environments/parameters/guarded.yaml"
	remote := gittest.New(t, map[string]string{open: paramSet("open", "before"), guarded: paramSet("guarded", "before")})
	file, tokens := accessFile(t, repositoryRoles, "root")
	server := withGit(t, remote, map[string]string{"access": file, "instance-repo-interval": "50ms"})
	get := func(path string) string {
		_, _, text := server.as(t, tokens["root"], "GET", path, "")
		return text
	}
	changed, _ := accessFile(t, repositoryRoles+"\nprotect: [{on: [siteParamSet/guarded, siteParamSet/new], approvals: 1}]", "root")
	if err := os.Rename(changed, file); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the protection is in force", func() bool { return strings.Contains(get("/v2/access"), "siteParamSet/guarded") })

	remote.Push("foreign", map[string]string{open: paramSet("open", "after"), guarded: paramSet("guarded", "after"), "environments/parameters/new.yaml": paramSet("new", "after")})
	eventually(t, "the store follows", func() bool { return strings.Contains(get("/v2/param-sets/open"), "after") })
	if text := get("/v2/param-sets/guarded"); !strings.Contains(text, "before") {
		t.Errorf("a push changed a protected document: %s", text)
	}
	if text := get("/v2/param-sets/new"); !strings.Contains(text, "not-found") {
		t.Errorf("a push created a protected document: %s", text)
	}
	if text := get("/v2/instance-repositories/attached"); strings.Count(text, "PROTECTED") != 2 {
		t.Errorf("the defects are %s", text)
	}

	head := remote.Head()
	for _, request := range [][3]string{
		{"PUT", "/v2/param-sets/guarded", `{"metadata":{"name":"guarded"},"spec":{"name":"guarded","parameters":{"a":"mine"},"applications":[]}}`},
		{"DELETE", "/v2/param-sets/guarded", ""},
		{"POST", "/v2/batch", `[{"op":"delete","id":"siteParamSet/open"},{"op":"delete","id":"siteParamSet/guarded"}]`},
	} {
		if status, _, text := server.as(t, tokens["root"], request[0], request[1], request[2]); status != 403 || !strings.Contains(text, "PROTECTED") {
			t.Errorf("%s %s: %d %s", request[0], request[1], status, text)
		}
	}
	remote.Pull()
	if now := remote.Head(); now != head {
		t.Errorf("a refused write was pushed: the head is %s, not %s", now, head)
	}
}
