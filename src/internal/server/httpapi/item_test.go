package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

const app = "/v2/projects/p1/composite-apps/CA/v3/apps/nginx"

func TestItem(t *testing.T) {
	tests := []struct {
		name   string
		call   call
		status int
		header map[string]string // of the answer; "" means absent
		body   string
	}{
		{name: "get", call: call{method: "GET", path: app}, status: 200,
			header: map[string]string{"ETag": `"uid4-1"`, "Last-Modified": "Fri, 02 Jan 2026 12:00:00 GMT", "Content-Type": "application/json", "Vary": "Accept", "Cache-Control": "no-cache"},
			body:   `{"metadata":{"name":"nginx"},"spec":{"controller":"c1"}}`},
		{name: "trailing slash", call: call{method: "GET", path: app + "/"}, status: 200},
		{name: "head", call: call{method: "HEAD", path: app}, status: 200, header: map[string]string{"ETag": `"uid4-1"`, "Content-Length": "56"}},
		{name: "options", call: call{method: "OPTIONS", path: app}, status: 204, header: map[string]string{"Allow": "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"}},
		{name: "not allowed", call: call{method: "POST", path: app}, status: 405, header: map[string]string{"Allow": "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"}},
		{name: "singular", call: call{method: "GET", path: "/v2/project/p1/composite-app/CA/v3/app/nginx"}, status: 200, header: map[string]string{"ETag": `"uid4-1"`}},
		{name: "singular is read only", call: call{method: "DELETE", path: "/v2/project/p1"}, status: 405, header: map[string]string{"Allow": "GET, HEAD, OPTIONS"}},
		{name: "not found", call: call{method: "GET", path: "/v2/projects/p2"}, status: 404},
		{name: "yaml", call: call{method: "GET", path: app, header: map[string]string{"Accept": "application/yaml"}}, status: 200,
			header: map[string]string{"Content-Type": "application/yaml"}, body: "metadata:\n  name: nginx\nspec:\n  controller: c1\n"},
		{name: "browser", call: call{method: "GET", path: app, header: map[string]string{"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}}, status: 200,
			header: map[string]string{"Content-Type": "application/json"}},
		{name: "not acceptable", call: call{method: "GET", path: app, header: map[string]string{"Accept": "image/png"}}, status: 406},
		{name: "unchanged", call: call{method: "GET", path: app, header: map[string]string{"If-None-Match": `"x-1", W/"uid4-1"`}}, status: 304, header: map[string]string{"ETag": `"uid4-1"`}},
		{name: "changed", call: call{method: "GET", path: app, header: map[string]string{"If-None-Match": `"uid4-2"`}}, status: 200},
		{name: "of the right version", call: call{method: "GET", path: app, header: map[string]string{"If-Match": `"a-7", "uid4-1"`}}, status: 200},
		{name: "of the right version, with its view", call: call{method: "HEAD", path: app + "?view=document", header: map[string]string{"If-Match": `*`}}, status: 200},
		{name: "of a wrong version", call: call{method: "GET", path: app, header: map[string]string{"If-Match": `"uid4-7"`, "If-None-Match": `"uid4-1"`}}, status: 412},
		{name: "of a weak version", call: call{method: "GET", path: app, header: map[string]string{"If-Match": `W/"uid4-1"`}}, status: 412},
		{name: "of the right version, unchanged", call: call{method: "GET", path: app, header: map[string]string{"If-Match": `"uid4-1"`, "If-None-Match": `"uid4-1"`}}, status: 304},
		{name: "of a version that is not there", call: call{method: "GET", path: "/v2/projects/p2", header: map[string]string{"If-Match": `"uid4-1"`}}, status: 404},
		{name: "status of a wrong version", call: call{method: "GET", path: app + "/status", header: map[string]string{"If-Match": `"uid4-7"`}}, status: 412},
		{name: "files, unchanged", call: call{method: "GET", path: app + "/content", header: map[string]string{"If-None-Match": `"uid4-1"`}}, status: 304},
		{name: "files of a wrong version", call: call{method: "GET", path: app + "/content", header: map[string]string{"If-Match": `"uid4-7"`}}, status: 412},
		{name: "a view without a version", call: call{method: "GET", path: app + "?view=tree", header: map[string]string{"If-Match": `"uid4-1"`}}, status: 400,
			body: `{"type":"about:blank","title":"Bad Request","status":400,"detail":"the header If-Match is not checked here: the answer has no ETag","instance":"` + app + `","code":"invalid","remedy":"leave it out"}`},
		{name: "a collection of a version", call: call{method: "GET", path: "/v2/projects", header: map[string]string{"If-Match": `"uid1-1"`}}, status: 400},
		{name: "a collection of any version", call: call{method: "GET", path: "/v2/projects", header: map[string]string{"If-Match": `*`}}, status: 200},
		{name: "the schema of a wrong version", call: call{method: "GET", path: "/v2/schema", header: map[string]string{"If-Match": `"x"`}}, status: 412},
		{name: "an earlier schema of a version", call: call{method: "GET", path: "/v2/schema?version=1", header: map[string]string{"If-Match": `"x"`}}, status: 400},
		{name: "invalid escape", call: call{method: "GET", path: "/v2/projects/%01"}, status: 400},
		{name: "dot", call: call{method: "GET", path: "/v2/projects/%2E%2E"}, status: 400},
		{name: "unknown parameter", call: call{method: "GET", path: app + "?key=x"}, status: 400},
		{name: "unknown view", call: call{method: "GET", path: app + "?view=side"}, status: 400},

		{name: "put creates", call: call{method: "PUT", path: "/v2/projects/p1/composite-apps/CA/v3/apps/new", body: `{"spec":{}}`}, status: 201,
			header: map[string]string{"Location": "/v2/projects/p1/composite-apps/CA/v3/apps/new", "ETag": `"uid5-1"`}, body: `{"spec":{}}`},
		{name: "put replaces", call: call{method: "PUT", path: app, body: `{"metadata":{"name":"nginx"},"a":1.50}`}, status: 200,
			header: map[string]string{"ETag": `"uid4-2"`, "Location": ""}, body: `{"metadata":{"name":"nginx"},"a":1.50}`},
		{name: "put the same", call: call{method: "PUT", path: app, body: `{"metadata":{"name":"nginx"},"spec":{"controller":"c1"}}`}, status: 200, header: map[string]string{"ETag": `"uid4-1"`}},
		{name: "put by the schema's code", call: call{method: "PUT", path: "/v2/projects/p2", body: named("p2")}, status: 200, header: map[string]string{"Location": "/v2/projects/p2"}},
		{name: "put by the collection's code", call: call{method: "PUT", path: "/v2/controllers/c1", body: `{"x":1}`}, status: 201},
		{name: "put of the other collection", call: call{method: "PUT", path: "/v2/clm-controllers/c9", body: `{}`}, status: 201, header: map[string]string{"Location": "/v2/clm-controllers/c9"}},
		{name: "put with another name", call: call{method: "PUT", path: app, body: named("apache")}, status: 400},
		{name: "put with another second name", call: call{method: "PUT", path: "/v2/projects/p1/composite-apps/CA/v3", body: `{"metadata":{"name":"CA"},"spec":{"compositeAppVersion":"v4"}}`}, status: 400},
		{name: "put with the right version", call: call{method: "PUT", path: app, header: map[string]string{"If-Match": `"uid4-1"`}, body: `{"v":2}`}, status: 200},
		{name: "put with one of the versions", call: call{method: "PUT", path: app, header: map[string]string{"If-Match": `"a-7", "uid4-1"`}, body: `{"v":2}`}, status: 200},
		{name: "put with a wrong version", call: call{method: "PUT", path: app, header: map[string]string{"If-Match": `"uid4-7"`}, body: `{"v":2}`}, status: 412},
		{name: "put with a foreign tag", call: call{method: "PUT", path: app, header: map[string]string{"If-Match": `"abc"`}, body: `{"v":2}`}, status: 412},
		{name: "put with a weak tag", call: call{method: "PUT", path: app, header: map[string]string{"If-Match": `W/"uid4-1"`}, body: `{"v":2}`}, status: 412},
		{name: "put with no tag", call: call{method: "PUT", path: app, header: map[string]string{"If-Match": `newest`}, body: `{"v":2}`}, status: 400},
		{name: "put if it exists", call: call{method: "PUT", path: "/v2/projects/p9", header: map[string]string{"If-Match": `*`}, body: `{"v":2}`}, status: 412},
		{name: "put if it is new", call: call{method: "PUT", path: app, header: map[string]string{"If-None-Match": `*`}, body: `{"v":2}`}, status: 412},
		{name: "put if it has not another version", call: call{method: "PUT", path: app, header: map[string]string{"If-None-Match": `"uid4-1"`}, body: `{"v":2}`}, status: 400},
		{name: "put by a time", call: call{method: "PUT", path: app, header: map[string]string{"If-Unmodified-Since": "Fri, 02 Jan 2026 12:00:00 GMT"}, body: `{"v":2}`}, status: 400,
			body: `{"type":"about:blank","title":"Bad Request","status":400,"detail":"times are too coarse for a condition: the header If-Unmodified-Since is not checked",` +
				`"instance":"` + app + `","code":"invalid","remedy":"send the ETag of a read in If-Match"}`},
		{name: "put of yaml", call: call{method: "PUT", path: app, header: map[string]string{"Content-Type": "application/yaml; charset=utf-8"}, body: "spec: {n: 0x10}\n"}, status: 200, body: `{"spec":{"n":16}}`},
		{name: "put of a merge patch", call: call{method: "PUT", path: app, header: map[string]string{"Content-Type": "application/merge-patch+json"}, body: `{}`}, status: 415},
		{name: "put of a form", call: call{method: "PUT", path: app, header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, body: `a=b`}, status: 415},
		{name: "put of a merge patch of yaml", call: call{method: "PUT", path: app, header: map[string]string{"Content-Type": "application/merge-patch+yaml"}, body: `{}`}, status: 415},
		{name: "put of an apply", call: call{method: "PUT", path: app, header: map[string]string{"Content-Type": "application/apply-patch+yaml"}, body: `{}`}, status: 415},
		{name: "put of a type of its own", call: call{method: "PUT", path: app, header: map[string]string{"Content-Type": "application/vnd.example+json"}, body: `{}`}, status: 200},
		{name: "put in another encoding", call: call{method: "PUT", path: app, header: map[string]string{"Content-Type": "application/json; charset=ISO-8859-1"}, body: `{}`}, status: 415},
		{name: "put in ASCII", call: call{method: "PUT", path: app, header: map[string]string{"Content-Type": "application/json; charset=US-ASCII"}, body: `{}`}, status: 200},
		{name: "put of a list", call: call{method: "PUT", path: app, body: `[]`}, status: 400},
		{name: "put of nothing", call: call{method: "PUT", path: app}, status: 400},
		{name: "put of two documents", call: call{method: "PUT", path: app, header: map[string]string{"Content-Type": "text/yaml"}, body: "a: 1\n---\na: 2\n"}, status: 400},
		{name: "put below nothing", call: call{method: "PUT", path: "/v2/projects/none/logical-clouds/l", body: `{}`}, status: 409},
		{name: "put with a misspelt parameter", call: call{method: "PUT", path: app + "?dryrun=true", body: `{"v":2}`}, status: 400},
		{name: "put with neither true nor false", call: call{method: "PUT", path: app + "?dryRun=All", body: `{"v":2}`}, status: 400},
		{name: "put that breaks the data schema", call: call{method: "PUT", path: "/v2/projects/p1/quotas/q", body: `{"spec":{"cpu":-1}}`}, status: 422},
		{name: "put to try", call: call{method: "PUT", path: app + "?dryRun=true", body: `{"v":2}`}, status: 200,
			header: map[string]string{"Dovetail-Dry-Run": "true", "ETag": ""}, body: `{"v":2}`},
		{name: "put to a weak target", call: call{method: "PUT", path: app, body: `{"spec":{"logicalCloud":"l1"}}`}, status: 200, header: map[string]string{
			"Warning": `299 - "project/p1/compositeApp/CA/compositeAppVersion/v3/app/nginx refers to project/p1/logicalCloud/l1, which does not exist"`}},

		{name: "patch", call: call{method: "PATCH", path: app, header: map[string]string{"Content-Type": "application/merge-patch+json"}, body: `{"spec":{"controller":null,"x":[1]}}`}, status: 200,
			header: map[string]string{"ETag": `"uid4-2"`}, body: `{"metadata":{"name":"nginx"},"spec":{"x":[1]}}`},
		{name: "patch of yaml", call: call{method: "PATCH", path: app, header: map[string]string{"Content-Type": "application/yaml"}, body: "a: b"}, status: 200},
		{name: "patch by another language", call: call{method: "PATCH", path: app, header: map[string]string{"Content-Type": "application/json-patch+json"}, body: `[]`}, status: 415,
			header: map[string]string{"Accept-Patch": "application/merge-patch+json, application/json, application/yaml"}},
		{name: "patch by the language of Kubernetes", call: call{method: "PATCH", path: app, header: map[string]string{"Content-Type": "application/strategic-merge-patch+json"}, body: `{"$patch":"delete"}`}, status: 415},
		{name: "patch by an apply of Kubernetes", call: call{method: "PATCH", path: app, header: map[string]string{"Content-Type": "application/apply-patch+yaml"}, body: `{}`}, status: 415},
		{name: "patch of yaml by its language", call: call{method: "PATCH", path: app, header: map[string]string{"Content-Type": "application/merge-patch+yaml"}, body: `{}`}, status: 200},
		{name: "patch of the name", call: call{method: "PATCH", path: app, body: named("x")}, status: 400},
		{name: "patch of nothing", call: call{method: "PATCH", path: "/v2/projects/p9", body: `{}`}, status: 404},
		{name: "patch if it is new", call: call{method: "PATCH", path: app, header: map[string]string{"If-None-Match": "*"}, body: `{}`}, status: 400},
		{name: "patch of an old version", call: call{method: "PATCH", path: app, header: map[string]string{"If-Match": `"uid4-9"`}, body: `{}`}, status: 412},

		{name: "delete", call: call{method: "DELETE", path: app}, status: 204, body: ""},
		{name: "delete the right version", call: call{method: "DELETE", path: app, header: map[string]string{"If-Match": `"uid4-1"`}}, status: 204},
		{name: "delete the wrong version", call: call{method: "DELETE", path: app, header: map[string]string{"If-Match": `"uid4-2"`}}, status: 412},
		{name: "delete if it is new", call: call{method: "DELETE", path: app, header: map[string]string{"If-None-Match": "*"}}, status: 400},
		{name: "delete what is not there", call: call{method: "DELETE", path: "/v2/projects/p9"}, status: 404},
		{name: "delete what is in use", call: call{method: "DELETE", path: "/v2/controllers/c1"}, status: 409},
		{name: "delete what has children", call: call{method: "DELETE", path: "/v2/projects/p1"}, status: 409},
		{name: "delete all", call: call{method: "DELETE", path: "/v2/projects/p1?cascade=true"}, status: 204},
		{name: "delete to try", call: call{method: "DELETE", path: app + "?dryRun=1"}, status: 204, header: map[string]string{"Dovetail-Dry-Run": "true"}},
		{name: "delete neither so nor so", call: call{method: "DELETE", path: app + "?cascade=maybe"}, status: 400},
		{name: "plan", call: call{method: "DELETE", path: "/v2/projects/p1?cascade=plan"}, status: 200, header: map[string]string{"Dovetail-Dry-Run": "true"},
			body: `{"deleted":[{"id":"project/p1","kind":"project"},` +
				`{"id":"project/p1/compositeApp/CA/compositeAppVersion/v3","kind":"compositeAppVersion","because":{"of":"project/p1","relation":"descendant"}},` +
				`{"id":"project/p1/compositeApp/CA/compositeAppVersion/v3/app/nginx","kind":"app","because":{"of":"project/p1","relation":"descendant"}}],"total":3}`},

		{name: "post of a version", call: call{method: "POST", path: "/v2/projects", header: map[string]string{"If-Match": `"uid4-1"`}, body: named("p3")}, status: 400},
		{name: "post of what is new", call: call{method: "POST", path: "/v2/projects", header: map[string]string{"If-None-Match": "*"}, body: named("p3")}, status: 201},
		{name: "a batch of a version", call: call{method: "POST", path: "/v2/batch", header: map[string]string{"If-Match": `"uid4-1"`}, body: `[]`}, status: 400,
			body: `{"type":"about:blank","title":"Bad Request","status":400,"detail":"the header If-Match is not checked by POST /v2/batch","instance":"/v2/batch","code":"invalid","remedy":"leave it out"}`},
		{name: "post on an item", call: call{method: "POST", path: "/v2/projects/p1/policy-intents/i1", body: `{"policy":{}}`}, status: 201,
			header: map[string]string{"Location": "/v2/projects/p1/policy-intents/i1"}, body: `{"policy":{}}`},
		{name: "post on an item at the root", call: call{method: "POST", path: "/v2/policy/agents/a1", body: `{}`}, status: 201, header: map[string]string{"Location": "/v2/policy/agents/a1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{})
			s.seed()
			w := s.do(tt.call)
			check(t, w, tt.status, tt.header, tt.body)
		})
	}
}

func TestDeleteAnswersWhatWasThereWhenTheSchemaSaysSo(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	s.must(201, "POST", "/v2/projects/p1/policy-intents/i1", `{"policy":{"a":1}}`)
	if w := s.must(200, "DELETE", "/v2/projects/p1/policy-intents/i1", ""); w.Body.String() != `{"policy":{"a":1}}` {
		t.Errorf("got %s", w.Body)
	}
}

func TestDataRoundTripsExactly(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	for _, data := range []string{
		`{"z":9007199254740993,"a":1e400,"f":1.0,"big":123456789012345678901234567890,"neg":-0}`,
		`{"a.b":{"$c":null},"":[],"m":{},"t":"<&>é😀"}`,
		`{"list":[3,1,2,[null,true,false]]}`,
	} {
		s.must(201, "PUT", "/v2/clm-controllers/c", data)
		want := data
		if got := s.must(200, "GET", "/v2/clm-controllers/c", "").Body.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		s.must(204, "DELETE", "/v2/clm-controllers/c", "")
	}
}

func TestNamesAreEscaped(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	for _, name := range []string{"a/b", "ä ö", "100%", "a+b&c=d", "under_score", "x..y", "~t"} {
		w := s.must(201, "POST", "/v2/projects", named(name))
		at := w.Header().Get("Location")
		if got := s.must(200, "GET", at, "").Body.String(); got != named(name) {
			t.Errorf("%s at %s: got %s", name, at, got)
		}
		s.must(201, "POST", at+"/labels", `{"clusterLabel":"`+name+`"}`)
		s.must(204, "DELETE", at+"?cascade=true", "")
	}
}

// A header that has one value is refused where it is duplicated.
func TestHeadersGivenTwice(t *testing.T) {
	for _, name := range []string{"Content-Type", "Idempotency-Key", "Dovetail-Message"} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{})
			s.seed()
			r := httptest.NewRequest(http.MethodPut, app, strings.NewReader(`{"v":2}`))
			r.Header[name] = []string{"application/json", "application/yaml"}
			w := httptest.NewRecorder()
			s.api.ServeHTTP(w, r)
			if w.Code != 400 || !strings.Contains(w.Body.String(), "the header "+name+" is there 2 times") {
				t.Errorf("got %d %s", w.Code, w.Body.String())
			}
		})
	}
}
