package app

import (
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
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
