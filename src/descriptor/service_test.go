package descriptor_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/internal/git/artifact"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
)

func TestKeptSDs(t *testing.T) {
	s := newServer(t, descriptor.Options{})
	const one, two = `{"version":2.10,"applications":[{"version":"a:1","deployPostfix":"x"}]}`, `{"applications":["b:1"]}`
	s.must(404, "GET", fullPath, "")
	s.must(404, "DELETE", fullPath, "")
	created := s.must(201, "PUT", fullPath, one, "If-None-Match", "*")
	tag := created.header.Get("Etag")
	if tag == "" || created.body.At("full", "etag").Text != tag || created.body.At("full", "effect").Text != "created" || created.body.Get("delta") != nil {
		t.Errorf("%s: %s", tag, created.text)
	}
	read := s.must(200, "GET", fullPath, "")
	if read.text != one || read.header.Get("Etag") != tag {
		t.Errorf("%s: %s", read.header.Get("Etag"), read.text)
	}
	s.must(304, "GET", fullPath, "", "If-None-Match", tag)
	if y := s.must(200, "GET", fullPath, "", "Accept", "application/yaml"); y.text != "version: 2.10\napplications:\n  - version: a:1\n    deployPostfix: x\n" {
		t.Error(y.text)
	}
	s.must(412, "PUT", fullPath, two, "If-None-Match", "*")
	s.must(412, "PUT", fullPath, two, "If-Match", `"other-1"`)
	s.must(412, "PUT", deltaPath, two, "If-Match", "*")
	replaced := s.must(200, "PUT", fullPath, "applications: ['b:1']\n", "If-Match", tag, "Content-Type", "application/yaml")
	if changes := replaced.body.At("full", "changes").Items; len(changes) != 3 {
		t.Errorf("changes %s", replaced.text)
	}
	stale := s.must(412, "PUT", fullPath, one, "If-Match", tag)
	if stale.body.At("current", "etag").Text != replaced.header.Get("Etag") {
		t.Errorf("the answer does not show the current document: %s", stale.text)
	}
	s.must(412, "DELETE", fullPath, "", "If-Match", tag)
	if got := s.sd(fullPath); got != two {
		t.Error(got)
	}
	s.must(201, "PUT", deltaPath, one)
	s.must(204, "DELETE", fullPath, "", "If-Match", replaced.header.Get("Etag"))
	s.must(404, "GET", fullPath, "")
	s.must(200, "GET", deltaPath, "")
	s.must(204, "DELETE", deltaPath, "", "If-Match", "*")
}

func TestRefusals(t *testing.T) {
	s := newServer(t, descriptor.Options{})
	head := s.head()
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		reasons                  []string // at the top, and of the parts
	}{
		{name: "no environment", method: "POST", path: "/api/sd/process", body: sendOne("a", "1"), status: 400},
		{name: "an environment of another form", method: "POST", path: "/api/sd/process?environmentId=c", body: sendOne("a", "1"), status: 400},
		{name: "one too deep", method: "GET", path: "/api/sd?kind=full&environmentId=c/e/f", status: 400},
		{name: "an unknown environment", method: "POST", path: "/api/sd/process?environmentId=c/none", body: sendOne("a", "1"), status: 404},
		{name: "put into it", method: "PUT", path: "/api/sd?kind=full&environmentId=c/none", body: `{"applications":[]}`, status: 404},
		{name: "delete from it", method: "DELETE", path: "/api/sd?kind=full&environmentId=c/none", status: 404},
		{name: "no kind", method: "GET", path: "/api/sd" + query, status: 400},
		{name: "another kind", method: "DELETE", path: "/api/sd" + query + "&kind=both", status: 400},
		{name: "a misspelt dryRun", method: "POST", path: process + "&dryrun=true", body: sendOne("a", "1"), status: 400},
		{name: "parameters that are no object", method: "POST", path: process, body: "[]", status: 400, reasons: []string{"SD_PARAM_INVALID", "SD_PARAM_INVALID"}},
		{name: "parameters of the wrong type", method: "POST", path: process, body: `{"SD_DELTA":[],"SD_VERSION":[1],"other":{}}`, status: 400,
			reasons: []string{"SD_PARAM_INVALID", "SD_PARAM_INVALID", "SD_PARAM_INVALID"}},
		{name: "an unknown parameter", method: "POST", path: process, body: `{"SD_MODE":"x","SD_DATA":{"applications":[]}}`, status: 400, reasons: []string{"SD_PARAM_INVALID", "SD_PARAM_INVALID"}},
		{name: "no source of artifacts", method: "POST", path: process, body: `{"SD_VERSION":["a:1"]}`, status: 422, reasons: []string{"SD_ARTIFACT_NOT_FOUND", "SD_ARTIFACT_NOT_FOUND"}},
		{name: "an SD that is none", method: "PUT", path: fullPath, body: `[]`, status: 400, reasons: []string{"SD_DATA_MALFORMED", "SD_DATA_MALFORMED"}},
		{name: "what no SD may have", method: "PUT", path: fullPath, body: `{"applications":["a:1","a:1","b"]}`, status: 422,
			reasons: []string{"SD_DUPLICATE_APPLICATION", "SD_DUPLICATE_APPLICATION", "SD_INVALID_APPLICATION"}},
		{name: "a merge of nothing", method: "POST", path: "/api/sd/merge", body: `{"mode":"x","delta":1}`, status: 400,
			reasons: []string{"SD_PARAM_INVALID", "SD_PARAM_INVALID", "SD_PARAM_INVALID", "SD_PARAM_INVALID", "SD_DATA_MALFORMED"}},
		{name: "a merge that is no object", method: "POST", path: "/api/sd/merge", body: `1`, status: 400, reasons: []string{"SD_PARAM_INVALID", "SD_PARAM_INVALID"}},
		{name: "a merge that does not fit", method: "POST", path: "/api/sd/merge", body: `{"full":{"applications":["a:1"]},"deltas":[{"applications":[]}]}`, status: 422,
			reasons: []string{"SD_INVALID_APPLICATION", "SD_INVALID_APPLICATION"}},
		{name: "not JSON", method: "POST", path: process, body: `{`, status: 400},
		{name: "another verb", method: "PATCH", path: fullPath, body: `{}`, status: 405},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := s.must(test.status, test.method, test.path, test.body)
			if test.reasons != nil && !slices.Equal(reasons(a.body), test.reasons) {
				t.Errorf("reasons %v: %s", reasons(a.body), a.text)
			}
		})
	}
	if s.head() != head {
		t.Error("something was written")
	}
}

func TestParametersInTheirOwnForm(t *testing.T) {
	sds := published{}
	s := newServer(t, descriptor.Options{Artifacts: sds})
	sds["one:1"] = s.must(200, "POST", "/api/sd/merge", `{"full":{"applications":[{"version":"a:1","deployPostfix":"x"}]},"deltas":[]}`).body.Get("result")
	sds["two:1"] = s.must(200, "POST", "/api/sd/merge", `{"full":{"applications":[{"version":"b:1","deployPostfix":"x"}]},"deltas":[]}`).body.Get("result")
	const both = `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"x"}]}`
	for _, body := range []string{
		`{"SD_VERSION_MULTIPLE":["one:1","two:1"],"SD_DELTA":false}`,
		`{"SD_VERSION":"one:1\ntwo:1","SD_DATA":null,"SD_SOURCE_TYPE":"artifact","CI_JOB_ID":17,"CI":{}}`,
		`{"SD_DATA_MULTIPLE":[{"applications":[{"version":"a:1","deployPostfix":"x"}]},{"applications":[{"version":"b:1","deployPostfix":"x"}]}]}`,
		`{"SD_DATA":"applications: [{version: 'a:1', deployPostfix: x}, {version: 'b:1', deployPostfix: x}]","SD_DELTA":"false"}`,
	} {
		s.must(200, "POST", process, body)
		if got := s.sd(fullPath); got != both {
			t.Errorf("%s makes %s", body, got)
		}
	}
}

func TestMerge(t *testing.T) {
	s := newServer(t, descriptor.Options{})
	head := s.head()
	const body = `{"mode":"basic-exclusion-merge","full":{"version":1,"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"x"}]},` +
		`"deltas":[{"applications":[{"version":"a:1","deployPostfix":"x"}]},{"applications":[{"version":"c:1","deployPostfix":"x"}]}]}`
	a := s.must(200, "POST", "/api/sd/merge", body)
	want := `{"result":{"applications":[{"version":"b:1","deployPostfix":"x"}]},` +
		`"changes":[{"change":"removed","path":"/version","message":"version is gone: 1","old":1},` +
		`{"change":"removed","path":"/applications/0","message":"a:1 (deployPostfix x) is gone","old":{"version":"a:1","deployPostfix":"x"}}],` +
		`"warnings":[{"code":"SD_NEW_APPLICATION_IGNORED","message":"the application c:1 (deployPostfix x) is not in the full SD and was ignored","line":1,"column":` + strconv.Itoa(1+strings.Index(body, `{"version":"c:1"`)) + `,"path":"/deltas/1/applications/0"}]}`
	if a.text != want {
		t.Errorf("got\n%s\nwant\n%s", a.text, want)
	}
	if s.head() != head {
		t.Error("something was written")
	}
}

// An artifact is found through stored definitions, which cannot go while others need them.
func TestArtifactsThroughStoredDefinitions(t *testing.T) {
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case user != "reader" || password != "sesame":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path != "/repository/releases/org/example/solution/0.64.1/solution-0.64.1.json":
			http.NotFound(w, r)
		default:
			_, _ = w.Write([]byte(`{"applications":[{"version":"a:1","deployPostfix":"x"}]}`))
		}
	}))
	t.Cleanup(registry.Close)
	kept := newStore(t)
	hosts, err := outbound.ParseHosts([]string{registry.URL})
	if err != nil {
		t.Fatal(err)
	}
	maven := artifact.NewMaven(artifact.Stored{Documents: kept}, artifact.MavenOptions{Policy: outbound.NewPolicy(hosts, "--artifact-hosts")})
	s := serve(t, kept, descriptor.New(kept, descriptor.Options{Artifacts: maven}))
	failed := func(reason string) {
		t.Helper()
		a := s.must(422, "POST", process, `{"SD_VERSION":"solution:0.64.1"}`)
		if got := reasons(a.body); got[0] != reason || a.body.Get("errors").Items[0].Get("file").Text != "solution:0.64.1" {
			t.Errorf("%v: %s", got, a.text)
		}
	}
	failed(artifact.ReasonDefinitionMissing)
	s.must(201, "POST", "/v2/credentials", `{"metadata":{"name":"cred"},"spec":{"type":"usernamePassword","data":{"username":"reader","password":"guess"}}}`)
	s.must(201, "POST", "/v2/registry-definitions", `{"metadata":{"name":"main"},"spec":{"credentialsId":"cred","mavenConfig":{"fullRepositoryUrl":"`+registry.URL+`/repository","targetRelease":"releases","targetSnapshot":"snapshots"}}}`)
	s.must(409, "POST", "/v2/app-definitions", `{"metadata":{"name":"solution"},"spec":{"registryName":"none","groupId":"org.example","artifactId":"solution"}}`)
	s.must(201, "POST", "/v2/app-definitions", `{"metadata":{"name":"solution"},"spec":{"registryName":"main","groupId":"org.example","artifactId":"solution"}}`)
	failed(artifact.ReasonUnauthorized)
	s.must(200, "PUT", "/v2/credentials/cred", `{"metadata":{"name":"cred"},"spec":{"type":"usernamePassword","data":{"username":"reader","password":"sesame"}}}`)
	s.must(200, "POST", process, `{"SD_VERSION":"solution:0.64.1"}`)
	if got := s.sd(fullPath); got != `{"applications":[{"version":"a:1","deployPostfix":"x"}]}` {
		t.Error(got)
	}
	a := s.must(422, "POST", process, `{"SD_VERSION":"solution:0.64.2"}`)
	if reasons(a.body)[0] != sd.ReasonArtifactNotFound || strings.Contains(a.text, "sesame") {
		t.Error(a.text)
	}
	s.must(409, "DELETE", "/v2/credentials/cred", "")
	s.must(409, "DELETE", "/v2/registry-definitions/main", "")
}
