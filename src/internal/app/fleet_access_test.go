package app

import (
	"strings"
	"testing"
)

const fleetRoles = `roles:
- {name: sets, rules: [{kinds: [activeResolutionSet], verbs: [read, create, update, delete]}]}
- {name: makers, rules: [{kinds: [activeResolution], verbs: [create]}]}
- {name: authors, rules: [{kinds: [changeSet, changeSetOperation], verbs: [read, create, update, act]}]}
- {name: sources, rules: [{kinds: [source, package, packageVersion], verbs: [read]}]}
bindings:
- {role: editor, users: [root]}
- {role: sets, users: [none, some, all]}
- {role: makers, users: [some, all]}
- {role: authors, users: [none, some]}
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
	as("all", "PUT", "/v2/active-resolution-sets/selected", `{"spec":{"clusterSelector":"env=prod",`+template+`}}`, 201)
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

// TestSetNeedsRights: no one makes the controller read clusters that they may not read, or create what they may not create, whatever way a set is written.
func TestSetNeedsRights(t *testing.T) {
	file, tokens := accessFile(t, fleetRoles, "root", "none", "some", "all")
	s := start(t, map[string]string{"access": file})
	must := func(who, method, path, body string) {
		t.Helper()
		if status, _, text := s.as(t, tokens[who], method, path, body); status > 201 {
			t.Fatalf("%s %s of %s: %d %s", method, path, who, status, text)
		}
	}
	must("root", "PUT", "/v2/clusters/hidden", `{"metadata":{"labels":{"env":"secret-label"}},"spec":{"facts":{"kubernetes":"v1.31.7"}}}`)
	const template = `"template":{"spec":{"sources":[],"constraints":[]}}`
	must("root", "PUT", "/v2/active-resolution-sets/roots", `{"spec":{"clusterSelector":"env",`+template+`}}`)
	must("some", "PUT", "/v2/active-resolution-sets/own", `{"spec":{"clusters":[{"name":"a"}],`+template+`}}`)
	must("none", "PUT", "/v2/active-resolution-sets/empty", `{"spec":{"clusters":[],`+template+`}}`)
	must("some", "PATCH", "/v2/active-resolution-sets/roots", `{"metadata":{"description":"a note"}}`)
	must("none", "POST", "/api/change-sets", `{"name":"one"}`)
	must("root", "POST", "/api/change-sets", `{"name":"two"}`)
	must("root", "PUT", "/v2/active-resolution-sets/x?changeSet=two", `{"spec":{"clusterSelector":"env",`+template+`}}`)
	must("root", "PUT", "/v2/active-resolution-sets/once", `{"spec":{"clusterSelector":"env",`+template+`}}`)
	once := s.versionOf(t, tokens["root"], "/v2/active-resolution-sets/once")
	must("root", "PUT", "/v2/active-resolution-sets/once", `{"spec":{"clusters":[],`+template+`}}`)
	const (
		sets     = "/v2/active-resolution-sets/"
		selected = `{"metadata":{"name":"x"},"spec":{"clusterSelector":"env",` + template + `}}`
		named    = `{"metadata":{"name":"x"},"spec":{"clusters":[{"name":"hidden"}],` + template + `}}`
		objects  = "/apis/resolution.dovetail.dev/v1/activeresolutionsets"
		read     = "may not read every cluster"
		create   = "may not create activeResolution/"
	)
	object := func(data string) string {
		return `{"apiVersion":"resolution.dovetail.dev/v1","kind":"ActiveResolutionSet",` + strings.TrimPrefix(data, "{")
	}
	batch := func(data string) string {
		return `{"operations":[{"op":"put","id":"activeResolutionSet/x","data":` + data + `}]}`
	}
	for _, tt := range []struct{ who, method, path, body, want string }{
		{"some", "PUT", sets + "x", selected, read},
		{"some", "PUT", sets + "x?dryRun=true", selected, read},
		{"some", "POST", "/v2/active-resolution-sets", selected, read},
		{"some", "PATCH", sets + "own", `{"spec":{"clusterSelector":"env"}}`, read},
		{"some", "PATCH", sets + "roots", `{"spec":{"clusterSelector":"env=secret-label"}}`, read},
		{"some", "PATCH", sets + "roots", `{"spec":{"template":{"spec":{"constraints":["required(\"x\")"]}}}}`, read},
		{"some", "POST", "/v2/batch", batch(selected), read},
		{"some", "POST", "/v2/batch", strings.Replace(batch(selected), `"put"`, `"apply","fieldManager":"m"`, 1), read},
		{"some", "POST", "/v2/rollback", `{"id":"activeResolutionSet/once","version":"` + once + `"}`, read},
		{"some", "POST", "/api/change-sets/two/merge", "", read},
		{"some", "POST", objects, object(selected), read},
		{"none", "PUT", sets + "x", selected, read},
		{"none", "PUT", sets + "x", named, create + "x-hidden"},
		{"none", "POST", "/v2/batch", batch(named), create + "x-hidden"},
		{"none", "POST", objects, object(named), create + "x-hidden"},
		{"none", "PATCH", sets + "empty", `{"spec":{"clusters":[{"name":"b"}]}}`, create + "empty-b"},
		{"none", "PUT", sets + "x?changeSet=one", selected, read},
		{"none", "PUT", sets + "x?changeSet=one", named, create + "x-hidden"},
	} {
		status, _, text := s.as(t, tokens[tt.who], tt.method, tt.path, tt.body)
		if status != 403 || !strings.Contains(text, tt.want) || strings.Contains(text, "secret-label") {
			t.Errorf("%s %s of %s: %d %s, want that it %s", tt.method, tt.path, tt.who, status, text, tt.want)
		}
	}
	eventually(t, "the resolution of root's set", func() bool {
		_, _, text := s.as(t, tokens["root"], "GET", "/v2/active-resolutions", "")
		return strings.Contains(text, "roots-hidden") && strings.Contains(text, "own-a")
	})
	if _, _, text := s.as(t, tokens["root"], "GET", "/v2/active-resolutions", ""); strings.Contains(text, "x-hidden") || strings.Contains(text, "empty-b") {
		t.Errorf("there are %s", text)
	}
}
