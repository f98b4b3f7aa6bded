package app

import (
	"strings"
	"testing"
)

const fleetRoles = `roles:
- {name: sets, rules: [{kinds: [activeResolutionSet], verbs: [read, create, update, delete]}]}
- {name: sources, rules: [{kinds: [source, package, packageVersion], verbs: [read]}]}
bindings:
- {role: editor, users: [root]}
- {role: sets, users: [none, some, all]}
- {role: sources, users: [some, all]}
- {role: viewer, users: [all]}`

// TestSetShowsNoOtherDocuments: the status of a set, which tells of sources and of clusters, is withheld from who may not read them, also from who wrote
// the set.
func TestSetShowsNoOtherDocuments(t *testing.T) {
	file, tokens := accessFile(t, fleetRoles, "root", "none", "some", "all")
	s := start(t, map[string]string{"access": file})
	as := func(who, method, path, body string, want int) string {
		t.Helper()
		status, _, text := s.as(t, tokens[who], method, path, body)
		if status != want {
			t.Fatalf("%s %s of %s: %d %s", method, path, who, status, text)
		}
		return text
	}
	as("root", "PUT", "/api/sources/secret", sourceOf("secret", "7.7.7"), 200)
	as("root", "PUT", "/v2/clusters/hidden", `{"metadata":{"labels":{"env":"prod"}}}`, 201)
	const template = `"template":{"spec":{"sources":["secret"],"constraints":["required(\"secret-pkg\")"]}}`
	as("some", "PUT", "/v2/active-resolution-sets/selected", `{"spec":{"clusterSelector":"env=prod",`+template+`}}`, 201)
	as("some", "PUT", "/v2/active-resolution-sets/named", `{"spec":{"clusters":[{"name":"hidden"}],`+template+`}}`, 201)
	as("none", "PUT", "/v2/active-resolution-sets/mine", `{"spec":{"clusters":[{"name":"a"}],`+template+`}}`, 403) // as any reference to what may not be read
	for _, name := range []string{"selected", "named"} {
		eventually(t, "the status of "+name, func() bool {
			return strings.Contains(as("root", "GET", "/v2/active-resolution-sets/"+name, "", 200), `"version":"7.7.7"`)
		})
	}
	for _, tt := range []struct {
		who, name string
		shown     bool
	}{
		{who: "none", name: "selected"}, {who: "none", name: "named"},
		{who: "some", name: "selected"}, {who: "some", name: "named", shown: true},
		{who: "all", name: "selected", shown: true}, {who: "all", name: "named", shown: true},
	} {
		path := "/v2/active-resolution-sets/" + tt.name
		for _, way := range []string{path, path + "/status", path + "?view=document"} {
			text := as(tt.who, "GET", way, "", 200)
			if shown := strings.Contains(text, "7.7.7"); shown != tt.shown || !shown && (strings.Contains(text, "specDigest") || !strings.Contains(text, "withheld")) {
				t.Errorf("%s sees at %s %s", tt.who, way, text)
			}
		}
		if tt.who == "all" { // who may see everything else, too
			continue
		}
		if text := as(tt.who, "GET", "/v2/active-resolution-sets", "", 200); tt.who == "none" && (strings.Contains(text, "7.7.7") || strings.Contains(text, "selected-hidden")) {
			t.Errorf("%s sees %s", tt.who, text)
		}
		as(tt.who, "GET", "/v2/active-resolutions/"+tt.name+"-hidden", "", 403)
	}
}
