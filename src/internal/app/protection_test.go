package app

import (
	"os"
	"strings"
	"testing"
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
