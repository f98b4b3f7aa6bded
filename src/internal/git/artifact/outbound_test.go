package artifact_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/artifact"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
)

// registries yields the registryDefinitions.
func (d documents) registries(context.Context) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		for id, text := range d {
			if strings.HasPrefix(string(id), "registryDefinition/") && !yield(&dovetail.Document{ID: id, Data: []byte(`{"spec":` + text + `}`)}, nil) {
				return
			}
		}
	}
}

// policy lists hosts.
func policy(t *testing.T, patterns ...string) *outbound.Policy {
	t.Helper()
	hosts, err := outbound.ParseHosts(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return outbound.NewPolicy(hosts, "--artifact-hosts")
}

// A definition that another user wrote sends no password to a host of that user's choice.
func TestHosts(t *testing.T) {
	const release = `"targetRelease":"release"`
	for _, test := range []struct {
		name       string
		definition string // the spec of artifactDefinition/x; $ is the URL of the registry, # its address
		registry   string // of another document, registryDefinition/x
		listed     bool
		untrusted  bool // registryDefinitions are not trusted
		reason     string
	}{
		{name: "a host of one's own", definition: `{"credentialsId":"cred","mavenConfig":{"fullRepositoryUrl":"$/repository",` + release + `}}`, reason: artifact.ReasonHostRefused},
		{name: "without a credential", definition: `{"mavenConfig":{"fullRepositoryUrl":"$/repository",` + release + `}}`, reason: artifact.ReasonHostRefused},
		{name: "a metadata service", definition: `{"mavenConfig":{"fullRepositoryUrl":"http://169.254.169.254/latest",` + release + `}}`, listed: true, reason: artifact.ReasonHostRefused},
		{name: "a metadata service that a registry names", definition: `{"mavenConfig":{"fullRepositoryUrl":"http://169.254.169.254/latest",` + release + `}}`,
			registry: `{"mavenConfig":{"fullRepositoryUrl":"http://169.254.169.254"}}`, reason: artifact.ReasonHostRefused},
		{name: "loopback that a registry names", definition: `{"mavenConfig":{"fullRepositoryUrl":"$/repository",` + release + `}}`,
			registry: `{"mavenConfig":{"fullRepositoryUrl":"$/repository",` + release + `}}`, reason: artifact.ReasonHostRefused},
		{name: "a password without TLS to where a registry is", definition: `{"credentialsId":"cred","mavenConfig":{"fullRepositoryUrl":"http://maven.example",` + release + `}}`,
			registry: `{"mavenConfig":{"fullRepositoryUrl":"http://maven.example"}}`, reason: artifact.ReasonHostRefused},
		{name: "a name in another case is no credential", definition: `{"credentialsID":"cred","mavenConfig":{"fullRepositoryUrl":"$/repository",` + release + `}}`, listed: true, reason: artifact.ReasonUnauthorized},
		{name: "listed", definition: `{"credentialsId":"cred","mavenConfig":{"fullRepositoryUrl":"$/repository",` + release + `}}`, listed: true},
		{name: "registries are not trusted", definition: `{"mavenConfig":{"fullRepositoryUrl":"https://maven.example",` + release + `}}`,
			registry: `{"mavenConfig":{"fullRepositoryUrl":"https://maven.example"}}`, untrusted: true, reason: artifact.ReasonHostRefused},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRegistry(t, map[string]string{"release/org/x/1.0/x-1.0.json": oneApplication})
			at := func(text string) string { return strings.ReplaceAll(text, "$", r.URL) }
			defined := documents{"credential/cred": r.definitions()["credential/cred"],
				"artifactDefinition/x": `{"groupId":"org","artifactId":"x","registry":` + at(test.definition) + `}`}
			if test.registry != "" {
				defined["registryDefinition/x"] = at(test.registry)
			}
			options := artifact.MavenOptions{}
			if test.listed {
				options.Policy = policy(t, r.URL)
			}
			stored := artifact.Stored{Documents: defined, Registries: defined.registries}
			if test.untrusted {
				stored.Registries = nil
			}
			_, text, err := artifact.NewMaven(stored, options).Fetch(t.Context(), sd.Artifact{Application: "x", Version: "1.0"})
			if test.reason == "" {
				if err != nil || string(text) != oneApplication {
					t.Fatal(err)
				}
				return
			}
			if e := dovetail.AsError(err); e == nil || e.Reason != test.reason || e.Remedy == "" || strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "reader") {
				t.Errorf("%+v", e)
			}
			if r.count("release/org/x/1.0/x-1.0.json") > 0 && test.reason == artifact.ReasonHostRefused {
				t.Error("the host was asked")
			}
		})
	}
}

// The host of a registryDefinition is trusted, also where an artifactDefinition names it, but no other port of it.
func TestTrusted(t *testing.T) {
	defined := documents{
		"registryDefinition/main": `{"mavenConfig":{"repositoryDomainName":"maven.example:8443","targetRelease":"r"}}`,
		"registryDefinition/odd":  `{"mavenConfig":[]}`,
		"appDefinition/app":       `{"registryName":"main","groupId":"org","artifactId":"x"}`,
		"artifactDefinition/same": `{"groupId":"org","artifactId":"x","registry":{"mavenConfig":{"fullRepositoryUrl":"https://MAVEN.example:8443/else","targetRelease":"r"}}}`,
		"artifactDefinition/port": `{"groupId":"org","artifactId":"x","registry":{"mavenConfig":{"fullRepositoryUrl":"https://maven.example","targetRelease":"r"}}}`,
	}
	for name, trusted := range map[string]string{"app": "[https://maven.example:8443]", "same": "[https://maven.example:8443]", "port": "[]"} {
		d, err := artifact.Stored{Documents: defined, Registries: defined.registries}.Find(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(d.Trusted); got != trusted {
			t.Errorf("%s trusts %s, want %s", name, got, trusted)
		}
	}
}

// A registry that leads elsewhere takes no password along.
func TestRedirects(t *testing.T) {
	const path = "release/org/own/1.0/own-1.0.json"
	for _, listed := range []bool{false, true} {
		r, other := newRegistry(t, nil), newRegistry(t, nil)
		r.answers[path] = func(w http.ResponseWriter, request *http.Request) {
			http.Redirect(w, request, other.URL+"/repository/elsewhere", http.StatusFound)
		}
		hosts := []string{r.URL}
		if listed {
			hosts = append(hosts, other.URL)
		}
		m := artifact.NewMaven(artifact.Stored{Documents: r.definitions()}, artifact.MavenOptions{Policy: policy(t, hosts...)})
		_, _, err := m.Fetch(t.Context(), sd.Artifact{Application: "own", Version: "1.0"})
		want, asked := artifact.ReasonHostRefused, 0
		if listed {
			want, asked = artifact.ReasonUnauthorized, 1 // the other host asks for the password in vain
		}
		if e := dovetail.AsError(err); e == nil || e.Reason != want || other.count("elsewhere") != asked {
			t.Errorf("listed %t: %v, asked %d times", listed, err, other.count("elsewhere"))
		}
	}
}

// What one credential could read is given to no other, nor to the same user with a wrong password.
func TestCacheKnowsPasswords(t *testing.T) {
	const path = "release/" + base + "1.0/the-solution-1.0.json"
	r := newRegistry(t, map[string]string{path: oneApplication})
	defined := r.definitions()
	m := artifact.NewMaven(artifact.Stored{Documents: defined}, artifact.MavenOptions{Policy: loopback(t)})
	fetch := func() error {
		_, _, err := m.Fetch(t.Context(), sd.Artifact{Application: "solution", Version: "1.0"})
		return err
	}
	for _, test := range []struct {
		name, credential string
		refused          bool
	}{
		{name: "the password", credential: `{"type":"usernamePassword","data":{"username":"reader","password":"sesame"}}`},
		{name: "another password", credential: `{"type":"usernamePassword","data":{"username":"reader","password":"guess"}}`, refused: true},
		{name: "no password", credential: `{"type":"usernamePassword","data":{"username":"reader"}}`, refused: true},
		{name: "the same text cut elsewhere", credential: `{"type":"usernamePassword","data":{"username":"readers","password":"esame"}}`, refused: true},
		{name: "the password again", credential: `{"type":"usernamePassword","data":{"username":"reader","password":"sesame"}}`},
	} {
		defined["credential/cred"] = test.credential
		if err := fetch(); (err != nil) != test.refused || err != nil && dovetail.AsError(err).Reason != artifact.ReasonUnauthorized {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if got := r.count(path); got != 4 { // once, and once for each refusal
		t.Errorf("asked %d times", got)
	}
}
