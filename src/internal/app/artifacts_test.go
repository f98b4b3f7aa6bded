package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// maven is a registry on loopback that notes what it receives.
type maven struct {
	*httptest.Server
	mu       sync.Mutex
	asked    []string
	received []string // credentials
	leads    string   // where it redirects; "" for nowhere
}

func newMaven(t *testing.T) *maven {
	t.Helper()
	m := &maven{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asked = append(m.asked, r.URL.Path)
		user, password, given := r.BasicAuth()
		if given {
			m.received = append(m.received, user+":"+password)
		}
		switch {
		case m.leads != "":
			http.Redirect(w, r, m.leads, http.StatusFound)
		case strings.HasSuffix(r.URL.Path, ".json"):
			_, _ = w.Write([]byte(`{"applications":[{"version":"hidden-app:1","deployPostfix":"x"}]}`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *maven) requests() (asked, received []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked, m.received
}

// registryAt is the spec of a registry.
func registryAt(url, credential string) string {
	if credential != "" {
		credential = `"credentialsId":"` + credential + `",`
	}
	return `{` + credential + `"mavenConfig":{"fullRepositoryUrl":"` + url + `","targetRelease":"releases"}}`
}

func artifactDefinition(name, registry string) string {
	return `{"metadata":{"name":"` + name + `"},"spec":{"groupId":"org","artifactId":"` + name + `","registry":` + registry + `}}`
}

const artifactCredential = `{"metadata":{"name":"cred"},"spec":{"type":"usernamePassword","data":{"username":"robot","password":"sesame"}}}`

// An administrator who processes an SD sends neither a request nor a password where a definition leads, unless that host
// is allowed.
func TestArtifactHosts(t *testing.T) {
	for _, test := range []struct {
		name     string
		hosts    func(evil, good *maven) string // the setting; "" for its default
		url      func(evil, good *maven) string // of the definition
		registry func(evil, good *maven) string // the URL of a registryDefinition; nil if there is none
		leads    bool                           // the good registry leads to the evil one
		status   int
		says     string
	}{
		{name: "the host of an attacker", url: func(evil, _ *maven) string { return evil.URL }, status: 422, says: "SD_ARTIFACT_HOST_REFUSED"},
		{name: "beside a host that is listed", hosts: func(_, good *maven) string { return good.URL }, url: func(evil, _ *maven) string { return evil.URL }, status: 422, says: "SD_ARTIFACT_HOST_REFUSED"},
		{name: "loopback that a registryDefinition names", url: func(evil, _ *maven) string { return evil.URL }, registry: func(evil, _ *maven) string { return evil.URL },
			status: 422, says: "without TLS"},
		{name: "a name of loopback", hosts: func(_, _ *maven) string { return "http://*:*" }, url: func(evil, _ *maven) string { return strings.Replace(evil.URL, "127.0.0.1", "localhost", 1) },
			status: 422, says: "a reserved address"},
		{name: "a metadata service", hosts: func(_, _ *maven) string { return "http://*:*" }, url: func(_, _ *maven) string { return "http://169.254.169.254/latest" }, status: 422, says: "a reserved address"},
		{name: "a redirect to the host of an attacker", hosts: func(_, good *maven) string { return good.URL }, url: func(_, good *maven) string { return good.URL }, leads: true,
			status: 422, says: "SD_ARTIFACT_HOST_REFUSED"},
		{name: "a host that is listed", hosts: func(_, good *maven) string { return "registry-definitions, " + good.URL }, url: func(_, good *maven) string { return good.URL }, status: 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			evil, good := newMaven(t), newMaven(t)
			if test.leads {
				good.leads = evil.URL + "/x.json"
			}
			given := map[string]string{}
			if test.hosts != nil {
				given["artifact-hosts"] = test.hosts(evil, good)
			}
			server := start(t, given)
			server.put(t, "/v2/clusters", named("m1"))
			server.put(t, "/v2/clusters/m1/environments", named("dev"))
			server.put(t, "/v2/credentials", artifactCredential)
			server.put(t, "/v2/artifact-definitions", artifactDefinition("app", registryAt(test.url(evil, good), "cred")))
			if test.registry != nil {
				server.put(t, "/v2/registry-definitions", `{"metadata":{"name":"r"},"spec":`+registryAt(test.registry(evil, good), "")+`}`)
			}
			status, text := server.call(t, "POST", "/api/sd/process?environmentId=m1/dev", `{"SD_VERSION":"app:1.0"}`)
			if status != test.status || !strings.Contains(text, test.says) || strings.Contains(text+server.logs.String(), "sesame") || strings.Contains(text, "robot") {
				t.Errorf("%d %s", status, text)
			}
			if asked, received := evil.requests(); len(asked)+len(received) > 0 {
				t.Errorf("the attacker received %q %q", asked, received)
			}
			if _, received := good.requests(); (len(received) > 0) != (test.status == 200 || test.leads) {
				t.Errorf("the registry received %q", received)
			}
		})
	}
}

// put stores a document in a collection.
func (r *running) put(t testing.TB, path, body string) {
	t.Helper()
	if status, text := r.call(t, "POST", path, body); status != 201 {
		t.Fatalf("%s: %d %s", path, status, text)
	}
}

const definerRoles = `roles:
- {name: definer, rules: [{kinds: [artifactDefinition, registryDefinition], verbs: [read, create, update]}]}
- {name: processor, rules: [{kinds: [cluster, environment, deployPostfix, artifactDefinition], verbs: [read]}, {kinds: [solutionDescriptor], verbs: [read, create, update]}]}
- {name: user, rules: [{kinds: [credential], verbs: [use]}]}
bindings:
- {role: editor, users: [root]}
- {role: definer, users: [eve, ann]}
- {role: processor, users: [eve, ann]}
- {role: user, users: [ann]}`

// A user names a credential, and downloads with it, only with the right to use it; that right shows nothing of it.
func TestUseOfCredentials(t *testing.T) {
	file, tokens := accessFile(t, definerRoles, "root", "eve", "ann")
	registry := newMaven(t)
	server := start(t, map[string]string{"access": file, "artifact-hosts": registry.URL})
	as := func(who, method, path, body string) (int, string) {
		t.Helper()
		status, _, text := server.as(t, tokens[who], method, path, body)
		return status, text
	}
	for _, step := range [][2]string{{"/v2/clusters", named("m1")}, {"/v2/clusters/m1/environments", named("dev")}, {"/v2/credentials", artifactCredential}} {
		if status, text := as("root", "POST", step[0], step[1]); status != 201 {
			t.Fatal(status, text)
		}
	}
	for path, body := range map[string]string{"/v2/artifact-definitions": artifactDefinition("evil", registryAt(registry.URL, "CREDENTIAL")),
		"/v2/registry-definitions": `{"metadata":{"name":"evil"},"spec":` + registryAt(registry.URL, "CREDENTIAL") + `}`} {
		status, text := as("eve", "POST", path, strings.ReplaceAll(body, "CREDENTIAL", "cred"))
		absentStatus, absent := as("eve", "POST", path, strings.ReplaceAll(body, "CREDENTIAL", "absent"))
		if status != 403 || absentStatus != 403 || strings.ReplaceAll(text, "credential/cred", "credential/absent") != absent {
			t.Errorf("%s with a credential that eve may not use: %d %s; with one that does not exist: %d %s", path, status, text, absentStatus, absent)
		}
	}
	if status, text := as("ann", "POST", "/v2/artifact-definitions", artifactDefinition("app", registryAt(registry.URL, "cred"))); status != 201 {
		t.Fatal(status, text)
	}
	process := func(who string) (int, string) {
		return as(who, "POST", "/api/sd/process?environmentId=m1/dev&dryRun=true", `{"SD_VERSION":"app:1.0"}`)
	}
	for range 2 { // the second time from the cache
		if status, text := process("ann"); status != 200 || !strings.Contains(text, "hidden-app") {
			t.Errorf("who may use the credential: %d %s", status, text)
		}
		if status, text := process("eve"); status != 403 || strings.Contains(text, "hidden-app") {
			t.Errorf("who may not: %d %s", status, text)
		}
	}
	if status, text := as("ann", "GET", "/v2/credentials/cred", ""); status != 403 || strings.Contains(text, "sesame") {
		t.Errorf("%d %s", status, text)
	}
	if _, received := registry.requests(); len(received) == 0 || strings.Contains(server.logs.String(), "sesame") {
		t.Errorf("received %q", received)
	}
}
