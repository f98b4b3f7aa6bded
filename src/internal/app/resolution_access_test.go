package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
)

const resolverRoles = `roles:
- {name: resolver, rules: [{kinds: [activeResolution], verbs: [read, create, update, delete, act]}]}
- {name: catalog, rules: [{kinds: [source, package, packageVersion], verbs: [read, create, update, delete]}]}
- {name: heads, rules: [{kinds: [source, package], verbs: [read, create, update, delete]}]}
bindings:
- {role: editor, users: [root]}
- {role: resolver, users: [ann, bob]}
- {role: catalog, users: [ann], on: [source/mine]}
- {role: heads, users: [ann], on: [source/partial]}
- {role: catalog, users: [bob]}`

// sourceOf is a source with one package that begins with its name, so that an answer shows which sources it came from.
func sourceOf(name, version string) string {
	return fmt.Sprintf(`{"packages":[{"name":"%[1]s-pkg","defaultChannel":"main","versions":[{"version":"%[2]s","channels":["main"],"image":"registry/%[1]s:%[2]s"}]}]}`, name, version)
}

// activeResolutionOf asks for the package of a source, of the sources given; "" for all.
func activeResolutionOf(name, source, sources string) string {
	if sources != "" {
		sources = `"sources":["` + sources + `"],`
	}
	return `{"metadata":{"name":"` + name + `","annotations":{"deppy.io/activator-class":"ResolveSet"}},"spec":{` + sources + `"constraints":["required(\"` + source + `-pkg\")"]}}`
}

// A reader does not see the parts of a resolution from sources that the reader may not read, by any request; the right
// to change the resolution makes no exception.
func TestResolutionShowsNoOtherSources(t *testing.T) {
	file, tokens := accessFile(t, resolverRoles, "root", "ann", "bob")
	given := map[string]string{"access": file}
	test := func(t *testing.T, s *running) {
		as := func(who, method, path, body string) (int, string) {
			t.Helper()
			status, _, text := s.as(t, tokens[who], method, path, body)
			return status, text
		}
		for _, name := range []string{"mine", "partial", "secret"} {
			if status, text := as("root", "PUT", "/api/sources/"+name, sourceOf(name, "7.7.7")); status != 200 {
				t.Fatal(status, text)
			}
		}
		for _, r := range []struct{ name, source, sources string }{{"own", "mine", "mine"}, {"named", "secret", "secret"}, {"part", "partial", "partial"},
			{"all", "secret", ""}, {"all-mine", "mine", ""}} {
			if status, text := as("root", "POST", "/v2/active-resolutions", activeResolutionOf(r.name, r.source, r.sources)); status != 201 {
				t.Fatal(status, text)
			}
		}
		// The status is there once the one who may read it all sees it.
		for _, name := range []string{"own", "named", "part", "all", "all-mine"} {
			eventually(t, "the status of "+name, func() bool {
				_, text := as("root", "GET", "/v2/active-resolutions/"+name, "")
				return strings.Contains(text, `"specDigest"`)
			})
		}
		for _, look := range []struct {
			who, name string
			shown     bool
		}{
			{who: "ann", name: "own", shown: true}, {who: "ann", name: "named"}, {who: "ann", name: "part"}, {who: "ann", name: "all"}, {who: "ann", name: "all-mine"},
			{who: "bob", name: "own", shown: true}, {who: "bob", name: "named", shown: true}, {who: "bob", name: "all", shown: true},
			{who: "root", name: "all", shown: true},
		} {
			path := "/v2/active-resolutions/" + look.name
			for _, way := range []string{path, "/v2/active-resolutions", "/v2/documents", path + "/status", path + "?view=tree", path + "/content/bundle", path + "/content/wrapper"} {
				status, text := as(look.who, "GET", way, "")
				if status == 500 || strings.HasPrefix(way, path) && !look.shown && (strings.Contains(text, "secret:") || strings.Contains(text, "partial:") || strings.Contains(text, "7.7.7") || strings.Contains(text, "specDigest") ||
					strings.Contains(text, `"inputs"`) || strings.Contains(way, "/content/") && status == 200) {
					t.Errorf("%s sees at %s %d %s", look.who, way, status, text)
				}
				if look.who == "ann" && (strings.Contains(text, "registry/secret") || strings.Contains(text, "secret:secret")) {
					t.Errorf("ann sees at %s %s", way, text)
				}
			}
			status, text := as(look.who, "GET", path, "")
			if withheld := strings.Contains(text, `"withheld"`); status != 200 || withheld == look.shown {
				t.Errorf("%s of %s: %d %s", look.who, look.name, status, text)
			}
		}
		// The forecast of a change of a source names only what the reader may see.
		if status, text := as("ann", "PUT", "/api/sources/mine?dryRun=true", sourceOf("mine", "8.0.0")); status != 200 || !strings.Contains(text, `"total":1,"unreadable":4`) ||
			!strings.Contains(text, `"to":"8.0.0:main"`) || strings.Contains(text, "activeResolution/all") || strings.Contains(text, "secret") {
			t.Errorf("%d %s", status, text)
		}
		// A write that waits for the status does not wait for one that is withheld, and shows none.
		if status, text := as("ann", "PUT", "/v2/active-resolutions/named?wait=20s", activeResolutionOf("named", "none", "secret")); status != 200 || strings.Contains(text, "specDigest") || !strings.Contains(text, `"withheld"`) {
			t.Errorf("%d %s", status, text)
		}
		// What was found earlier in other sources does not stay where the reader sees the next status.
		if status, text := as("ann", "PUT", "/v2/active-resolutions/all", activeResolutionOf("all", "mine", "mine")); status != 200 {
			t.Fatal(status, text)
		}
		eventually(t, "a status of readable sources", func() bool {
			_, text := as("ann", "GET", "/v2/active-resolutions/all", "")
			if strings.Contains(text, "secret:") {
				t.Fatalf("ann sees %s", text)
			}
			return strings.Contains(text, "mine:mine-pkg:7.7.7")
		})
		if status, text := as("ann", "PUT", "/v2/active-resolutions/named", activeResolutionOf("named", "absent", "mine")); status != 200 { // keeps the selections of before
			t.Fatal(status, text)
		}
		eventually(t, "selections that stay", func() bool {
			_, text := as("root", "GET", "/v2/active-resolutions/named", "")
			return strings.Contains(text, "SelectionsStale")
		})
		if _, text := as("ann", "GET", "/v2/active-resolutions/named", ""); !strings.Contains(text, `"withheld"`) {
			t.Errorf("ann sees what is left of secret sources: %s", text)
		}
	}
	t.Run("bolt", func(t *testing.T) { test(t, start(t, given)) })
	t.Run("mongo", func(t *testing.T) {
		with := map[string]string{"store": freshMongo(t).String()}
		maps.Copy(with, given)
		test(t, start(t, with))
	})
}

// A request to resolve, or to read or replace a source, is answered for a source that may not be read as for one that
// does not exist, and a source of which only a part may be read is neither shown nor replaced.
func TestSourcesThatMayNotBeRead(t *testing.T) {
	file, tokens := accessFile(t, resolverRoles, "root", "ann")
	s := start(t, map[string]string{"access": file})
	as := func(who, method, path, body string) (int, string) {
		t.Helper()
		status, _, text := s.as(t, tokens[who], method, path, body)
		return status, text
	}
	for _, name := range []string{"mine", "partial", "secret"} {
		if status, text := as("root", "PUT", "/api/sources/"+name, sourceOf(name, "7.7.7")); status != 200 {
			t.Fatal(status, text)
		}
	}
	resolve := func(source, sources string) (int, string) {
		return as("ann", "POST", "/api/resolve?explain=true", activeResolutionOf("x", source, sources))
	}
	for _, name := range []string{"secret", "partial"} {
		status, text := resolve(name, name)
		absentStatus, absent := resolve("absent", "absent")
		if status != absentStatus || strings.ReplaceAll(text, name, "absent") != absent {
			t.Errorf("%s: %d %s, but a source that does not exist: %d %s", name, status, text, absentStatus, absent)
		}
		status, text = resolve(name, "")
		absentStatus, absent = resolve("absent", "")
		if status != absentStatus || strings.ReplaceAll(text, name, "absent") != strings.ReplaceAll(absent, digestIn(t, absent), digestIn(t, text)) {
			t.Errorf("of all sources: %d %s, but a package that does not exist: %d %s", status, text, absentStatus, absent)
		}
		for _, request := range [][2]string{{"GET", ""}, {"PUT", sourceOf(name, "8.0.0")}} {
			if status, text := as("ann", request[0], "/api/sources/"+name, request[1]); status != 403 || strings.Contains(text, "7.7.7") || strings.Contains(text, "-pkg") {
				t.Errorf("%s %s: %d %s", request[0], name, status, text)
			}
		}
		if status, text := as("ann", "GET", "/api/sources/"+name+"/packages/"+name+"-pkg", ""); status != 403 || strings.Contains(text, "7.7.7") {
			t.Errorf("package of %s: %d %s", name, status, text)
		}
		if status, text := as("ann", "PUT", "/api/sources/"+name+"/catalog", `{"files":[{"name":"p.json","text":"{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"main\"}"}]}`); status != 403 {
			t.Errorf("catalog of %s: %d %s", name, status, text)
		}
		if _, text := as("root", "GET", "/api/sources/"+name, ""); !strings.Contains(text, "7.7.7") {
			t.Errorf("%s was changed: %s", name, text)
		}
	}
	if status, text := resolve("mine", ""); status != 200 || !strings.Contains(text, "mine:mine-pkg:7.7.7:main") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := as("ann", "PUT", "/api/sources/mine", sourceOf("mine", "8.0.0")); status != 200 {
		t.Errorf("%d %s", status, text)
	}
}

// digestIn is the digest of the inputs in an answer, which holds that of the request.
func digestIn(t *testing.T, text string) string {
	t.Helper()
	var answer struct{ InputDigest string }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err, text)
	}
	return answer.InputDigest
}
