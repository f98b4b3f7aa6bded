package artifact_test

import (
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/artifact"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
)

const oneApplication = `{"version":2.1,"applications":[{"version":"a:1","deployPostfix":"x"}]}`

// registry is a server with Maven repositories below /repository, whose users need a password.
type registry struct {
	*httptest.Server
	mu       sync.Mutex
	password string            // "sesame" without
	files    map[string]string // by path below /repository/
	// answers, by path, take the place of files.
	answers map[string]http.HandlerFunc
	asked   []string
}

func newRegistry(t *testing.T, files map[string]string) *registry {
	t.Helper()
	r := &registry{files: files, answers: map[string]http.HandlerFunc{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *registry) serve(w http.ResponseWriter, request *http.Request) {
	path := strings.TrimPrefix(request.URL.Path, "/repository/")
	r.mu.Lock()
	r.asked = append(r.asked, path)
	text, ok := r.files[path]
	answer := r.answers[path]
	r.mu.Unlock()
	user, password, _ := request.BasicAuth()
	switch {
	case user != "reader" || password != cmp.Or(r.password, "sesame"):
		w.Header().Set("WWW-Authenticate", "Basic")
		http.Error(w, "who are you?", http.StatusUnauthorized)
	case answer != nil:
		answer(w, request)
	case !ok:
		http.NotFound(w, request)
	default:
		fmt.Fprint(w, text)
	}
}

// count says how often a path was asked for.
func (r *registry) count(path string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.asked {
		if p == path {
			n++
		}
	}
	return n
}

func (r *registry) set(path, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[path] = text
}

// documents are stored definitions.
type documents map[dovetail.ID]string

func (d documents) Get(_ context.Context, id dovetail.ID) (*dovetail.Document, error) {
	text, ok := d[id]
	switch {
	case !ok:
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "none"}
	case text == "":
		return nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the store is away"}
	}
	return &dovetail.Document{ID: id, Data: []byte(`{"metadata":{},"spec":` + text + `}`)}, nil
}

// definitions are those of a registry, in both forms.
func (r *registry) definitions() documents {
	maven := `"mavenConfig":{"repositoryDomainName":"maven.example.com","fullRepositoryUrl":"` + r.URL + `/repository","targetSnapshot":"snapshot",` +
		`"targetStaging":"staging","targetRelease":"release","snapshotGroup":"group-s","releaseGroup":"group-r"}`
	return documents{
		"appDefinition/solution":       `{"registryName":"main","groupId":"org.example.sd","artifactId":"the-solution"}`,
		"artifactDefinition/own":       `{"groupId":"org","artifactId":"own","registry":{"name":"x","credentialsId":"cred",` + maven + `}}`,
		"appDefinition/own":            `{"registryName":"none","groupId":"org","artifactId":"own"}`,
		"registryDefinition/main":      `{"name":"main","credentialsId":"cred",` + maven + `}`,
		"registryDefinition/stranger":  `{"credentialsId":"stranger",` + maven + `}`,
		"registryDefinition/open":      `{` + maven + `}`,
		"credential/cred":              `{"type":"usernamePassword","data":{"username":"reader","password":"sesame"}}`,
		"credential/stranger":          `{"type":"usernamePassword","data":{"username":"reader","password":"guess"}}`,
		"credential/token":             `{"type":"secret","data":{"secret":"t"}}`,
		"registryDefinition/token":     `{"credentialsId":"token",` + maven + `}`,
		"registryDefinition/no-cred":   `{"credentialsId":"gone",` + maven + `}`,
		"registryDefinition/no-url":    `{"mavenConfig":{"targetRelease":"r"}}`,
		"registryDefinition/ftp":       `{"mavenConfig":{"fullRepositoryUrl":"ftp://host/x","targetRelease":"r"}}`,
		"registryDefinition/with-user": `{"mavenConfig":{"fullRepositoryUrl":"https://u:p@host/x","targetRelease":"r"}}`,
		"registryDefinition/no-repos":  `{"mavenConfig":{"fullRepositoryUrl":"` + r.URL + `","targetRelease":""}}`,
		"registryDefinition/odd":       `{"mavenConfig":[]}`,
		"registryDefinition/down":      `{"mavenConfig":{"fullRepositoryUrl":"http://127.0.0.1:1","targetRelease":"r"}}`,
		"registryDefinition/away":      ``,
		"registryDefinition/v2":        `{"version":"2.0","authConfig":{"main":{"credentialsId":"cred","authType":"longLived","authMethod":"user_pass"}},` + strings.Replace(maven, "{", `{"authConfig":"main",`, 1) + `}`,
		"registryDefinition/cloud":     `{"authConfig":{"a":{"credentialsId":"cred","provider":"aws","authMethod":"assume_role"}},` + strings.Replace(maven, "{", `{"authConfig":"a",`, 1) + `}`,
		"registryDefinition/unnamed":   `{"authConfig":{},` + strings.Replace(maven, "{", `{"authConfig":"a",`, 1) + `}`,
		"registryDefinition/sealed":    `{"credentialsId":"sealed",` + maven + `}`,
		"credential/sealed":            `{"type":"usernamePassword","data":{"username":"reader","password":"[encrypted:AES256_Fernet]gAAAAABsesame"}}`,
		"appDefinition/no-group":       `{"registryName":"main","artifactId":"x"}`,
	}
}

// loopback is a policy that allows registries of tests.
func loopback(t *testing.T) *outbound.Policy {
	t.Helper()
	hosts, err := outbound.ParseHosts([]string{"http://127.0.0.1:*"})
	if err != nil {
		t.Fatal(err)
	}
	return outbound.NewPolicy(hosts, "--artifact-hosts")
}

func metadata(versioning string) string {
	return `<?xml version="1.0"?><metadata modelVersion="1.1.0"><version>2-SNAPSHOT</version><versioning>` + versioning + `</versioning></metadata>`
}

func file(extension, version string) string {
	return "<snapshotVersion><extension>" + extension + "</extension><value>" + version + "</value></snapshotVersion>"
}

func sums(text string) (one, two string) {
	a, b := sha1.Sum([]byte(text)), sha256.Sum256([]byte(text))
	return hex.EncodeToString(a[:]), hex.EncodeToString(b[:])
}

const base = "org/example/sd/the-solution/"

func TestMaven(t *testing.T) {
	sum1, sum256 := sums(oneApplication)
	tests := []struct {
		name     string
		artifact string
		files    map[string]string
		source   string // "" when it fails
		reason   string
		code     dovetail.Code
	}{
		{name: "release", artifact: "solution:1.0", files: map[string]string{"release/" + base + "1.0/the-solution-1.0.json": oneApplication}, source: "release/" + base + "1.0/the-solution-1.0.json"},
		{name: "staging", artifact: "solution:1.0", files: map[string]string{"staging/" + base + "1.0/the-solution-1.0.json": oneApplication}, source: "staging/" + base + "1.0/the-solution-1.0.json"},
		{name: "group", artifact: "solution:1.0", files: map[string]string{"group-r/" + base + "1.0/the-solution-1.0.json": oneApplication}, source: "group-r/" + base + "1.0/the-solution-1.0.json"},
		{name: "yaml", artifact: "solution:1.0", files: map[string]string{"release/" + base + "1.0/the-solution-1.0.yaml": "applications: []\n"}, source: "release/" + base + "1.0/the-solution-1.0.yaml"},
		{name: "yml", artifact: "solution:1.0", files: map[string]string{"release/" + base + "1.0/the-solution-1.0.yml": "applications: []\n"}, source: "release/" + base + "1.0/the-solution-1.0.yml"},
		{name: "a version with a colon", artifact: "solution:1:0", files: map[string]string{"release/" + base + "1:0/the-solution-1:0.json": oneApplication}, source: "release/" + base + "1:0/the-solution-1:0.json"},
		{name: "artifact definition first", artifact: "own:1.0", files: map[string]string{"release/org/own/1.0/own-1.0.json": oneApplication}, source: "release/org/own/1.0/own-1.0.json"},
		{name: "one build of a snapshot", artifact: "solution:2-20260102.030405-7", files: map[string]string{"snapshot/" + base + "2-SNAPSHOT/the-solution-2-20260102.030405-7.json": oneApplication},
			source: "snapshot/" + base + "2-SNAPSHOT/the-solution-2-20260102.030405-7.json"},
		{name: "a release that is called like a build", artifact: "solution:2-20260102.030405-7", files: map[string]string{"release/" + base + "2-20260102.030405-7/the-solution-2-20260102.030405-7.json": oneApplication},
			source: "release/" + base + "2-20260102.030405-7/the-solution-2-20260102.030405-7.json"},
		{name: "the newest build", artifact: "solution:2-SNAPSHOT", files: map[string]string{
			"snapshot/" + base + "2-SNAPSHOT/maven-metadata.xml":                           metadata("<snapshotVersions>" + file("pom", "2-20260102.030405-8") + file("json", "2-20260102.030405-7") + "</snapshotVersions>"),
			"snapshot/" + base + "2-SNAPSHOT/the-solution-2-20260102.030405-7.json":        oneApplication,
			"snapshot/" + base + "2-SNAPSHOT/the-solution-2-20260102.030405-8.json":        "no",
			"snapshot/" + base + "2-SNAPSHOT/the-solution-2-20260102.030405-7.json.sha256": sum256,
		}, source: "snapshot/" + base + "2-SNAPSHOT/the-solution-2-20260102.030405-7.json"},
		{name: "the newest build by number", artifact: "solution:2-SNAPSHOT", files: map[string]string{
			"snapshot/" + base + "2-SNAPSHOT/maven-metadata.xml":                    metadata("<snapshot><timestamp>20260102.030405</timestamp><buildNumber>9</buildNumber></snapshot>"),
			"snapshot/" + base + "2-SNAPSHOT/the-solution-2-20260102.030405-9.json": oneApplication,
		}, source: "snapshot/" + base + "2-SNAPSHOT/the-solution-2-20260102.030405-9.json"},
		{name: "a snapshot without builds", artifact: "solution:2-SNAPSHOT", files: map[string]string{"snapshot/" + base + "2-SNAPSHOT/the-solution-2-SNAPSHOT.json": oneApplication},
			source: "snapshot/" + base + "2-SNAPSHOT/the-solution-2-SNAPSHOT.json"},
		{name: "a registry of version 2", artifact: "at-v2:1.0", files: map[string]string{"release/org/x/1.0/x-1.0.json": oneApplication}, source: "release/org/x/1.0/x-1.0.json"},
		{name: "sha256", artifact: "solution:1.0", files: map[string]string{"release/" + base + "1.0/the-solution-1.0.json": oneApplication,
			"release/" + base + "1.0/the-solution-1.0.json.sha256": strings.ToUpper(sum256) + "  the-solution-1.0.json\n", "release/" + base + "1.0/the-solution-1.0.json.sha1": "not looked at"},
			source: "release/" + base + "1.0/the-solution-1.0.json"},
		{name: "sha1", artifact: "solution:1.0", files: map[string]string{"release/" + base + "1.0/the-solution-1.0.json": oneApplication, "release/" + base + "1.0/the-solution-1.0.json.sha1": sum1},
			source: "release/" + base + "1.0/the-solution-1.0.json"},
		{name: "the sound one of two", artifact: "solution:1.0", files: map[string]string{"release/" + base + "1.0/the-solution-1.0.json": oneApplication, "release/" + base + "1.0/the-solution-1.0.json.sha1": "0",
			"staging/" + base + "1.0/the-solution-1.0.json": oneApplication, "staging/" + base + "1.0/the-solution-1.0.json.sha1": sum1}, source: "staging/" + base + "1.0/the-solution-1.0.json"},

		{name: "wrong sha256", artifact: "solution:1.0", files: map[string]string{"release/" + base + "1.0/the-solution-1.0.json": oneApplication, "release/" + base + "1.0/the-solution-1.0.json.sha256": sum1},
			reason: artifact.ReasonChecksum, code: dovetail.CodeUnprocessable},
		{name: "wrong sha1", artifact: "solution:1.0", files: map[string]string{"release/" + base + "1.0/the-solution-1.0.json": oneApplication, "release/" + base + "1.0/the-solution-1.0.json.sha1": ""},
			reason: artifact.ReasonChecksum, code: dovetail.CodeUnprocessable},
		{name: "nowhere", artifact: "solution:1.0", reason: sd.ReasonArtifactNotFound, code: dovetail.CodeUnprocessable},
		{name: "a list of other builds", artifact: "solution:2-SNAPSHOT", files: map[string]string{"snapshot/" + base + "2-SNAPSHOT/maven-metadata.xml": metadata("")},
			reason: sd.ReasonArtifactNotFound, code: dovetail.CodeUnprocessable},
		{name: "a list that is none", artifact: "solution:2-SNAPSHOT", files: map[string]string{"snapshot/" + base + "2-SNAPSHOT/maven-metadata.xml": "<html>"},
			reason: artifact.ReasonUnreachable, code: dovetail.CodeUnavailable},
		{name: "a version that is a path", artifact: "solution:../x", reason: sd.ReasonArtifactNotFound, code: dovetail.CodeUnprocessable},
		{name: "a web page", artifact: "solution:1.0", files: map[string]string{"release/" + base + "1.0/the-solution-1.0.json": "<html><body>log in</body></html>"},
			reason: artifact.ReasonNotDescriptor, code: dovetail.CodeUnprocessable},
		{name: "other JSON", artifact: "solution:1.0", files: map[string]string{"release/" + base + "1.0/the-solution-1.0.json": `{"services":[]}`},
			reason: artifact.ReasonNotDescriptor, code: dovetail.CodeUnprocessable},
		{name: "too large", artifact: "solution:1.0", files: map[string]string{"release/" + base + "1.0/the-solution-1.0.json": oneApplication + strings.Repeat(" ", 2000)},
			reason: sd.ReasonArtifactTooLarge, code: dovetail.CodeTooLarge},
		{name: "no definition", artifact: "other:1.0", reason: artifact.ReasonDefinitionMissing, code: dovetail.CodeUnprocessable},
		{name: "a name that no definition can have", artifact: "a\x01b:1.0", reason: artifact.ReasonDefinitionMissing, code: dovetail.CodeUnprocessable},
		{name: "a definition without group", artifact: "no-group:1.0", reason: artifact.ReasonDefinitionInvalid, code: dovetail.CodeUnprocessable},
		{name: "no registry", artifact: "at-nowhere:1.0", reason: artifact.ReasonRegistryMissing, code: dovetail.CodeUnprocessable},
		{name: "wrong password", artifact: "at-stranger:1.0", reason: artifact.ReasonUnauthorized, code: dovetail.CodeUnprocessable},
		{name: "no credential", artifact: "at-open:1.0", reason: artifact.ReasonUnauthorized, code: dovetail.CodeUnprocessable},
		{name: "a credential of another type", artifact: "at-token:1.0", reason: artifact.ReasonDefinitionInvalid, code: dovetail.CodeUnprocessable},
		{name: "a credential that is gone", artifact: "at-no-cred:1.0", reason: artifact.ReasonDefinitionInvalid, code: dovetail.CodeUnprocessable},
		{name: "authentication of a cloud", artifact: "at-cloud:1.0", reason: artifact.ReasonAuthentication, code: dovetail.CodeUnprocessable},
		{name: "authentication that is not described", artifact: "at-unnamed:1.0", reason: artifact.ReasonDefinitionInvalid, code: dovetail.CodeUnprocessable},
		{name: "an encrypted credential", artifact: "at-sealed:1.0", reason: artifact.ReasonEncrypted, code: dovetail.CodeUnprocessable},
		{name: "no URL", artifact: "at-no-url:1.0", reason: artifact.ReasonDefinitionInvalid, code: dovetail.CodeUnprocessable},
		{name: "a URL of another kind", artifact: "at-ftp:1.0", reason: artifact.ReasonDefinitionInvalid, code: dovetail.CodeUnprocessable},
		{name: "a URL with a user", artifact: "at-with-user:1.0", reason: artifact.ReasonDefinitionInvalid, code: dovetail.CodeUnprocessable},
		{name: "no repositories", artifact: "at-no-repos:1.0", reason: artifact.ReasonDefinitionInvalid, code: dovetail.CodeUnprocessable},
		{name: "a registry of another form", artifact: "at-odd:1.0", reason: artifact.ReasonDefinitionInvalid, code: dovetail.CodeUnprocessable},
		{name: "no server", artifact: "at-down:1.0", reason: artifact.ReasonUnreachable, code: dovetail.CodeUnavailable},
		{name: "the store is away", artifact: "at-away:1.0", code: dovetail.CodeUnavailable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRegistry(t, maps.Clone(test.files))
			defined := r.definitions()
			if name, ok := strings.CutPrefix(strings.TrimSuffix(test.artifact, ":1.0"), "at-"); ok {
				defined["appDefinition/at-"+dovetail.ID(name)] = `{"registryName":"` + name + `","groupId":"org","artifactId":"x"}`
			}
			m := artifact.NewMaven(artifact.Stored{Documents: defined}, artifact.MavenOptions{MaxBytes: 1000, Policy: loopback(t)})
			a, err := sd.ParseArtifact(test.artifact)
			if err != nil {
				t.Fatal(err)
			}
			source, text, err := m.Fetch(t.Context(), a)
			if test.source != "" {
				if want := r.URL + "/repository/" + test.source; err != nil || source != want || string(text) != test.files[test.source] {
					t.Errorf("%s %q, %v", source, text, err)
				}
				return
			}
			e := dovetail.AsError(err)
			if e == nil || e.Code != test.code || e.Reason != test.reason || e.Position.File == "" || test.reason != "" && e.Remedy == "" {
				t.Fatalf("%+v", e)
			}
			if strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "guess") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

// A password that is encrypted is opened with its key, and sent in plaintext or not at all.
func TestEncryptedCredential(t *testing.T) {
	const key = "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="
	keys, err := ciphertext.ParseKeys("keys", []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	other, err := ciphertext.ParseKeys("keys", []byte("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		keys   *ciphertext.Keys
		reason string
	}{"the key": {keys: keys}, "another key": {other, artifact.ReasonEncrypted}, "no key": {nil, artifact.ReasonEncrypted}} {
		r := newRegistry(t, map[string]string{"release/" + base + "1.0/the-solution-1.0.json": oneApplication})
		defined := r.definitions()
		defined["credential/cred"] = `{"type":"usernamePassword","data":{"username":"reader","password":"` + keys.Seal("sesame") + `"}}`
		_, _, err := artifact.NewMaven(artifact.Stored{Documents: defined, Keys: test.keys}, artifact.MavenOptions{Policy: loopback(t)}).Fetch(t.Context(), sd.Artifact{Application: "solution", Version: "1.0"})
		if e := dovetail.AsError(err); (err == nil) != (test.reason == "") || err != nil && (e.Reason != test.reason || strings.Contains(err.Error(), "sesame") || len(r.asked) > 0) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What never changes is asked for once, a snapshot's builds each time, a snapshot without builds, too.
func TestMavenKeeps(t *testing.T) {
	release := "release/" + base + "1.0/the-solution-1.0.json"
	list, build := "snapshot/"+base+"2-SNAPSHOT/maven-metadata.xml", "snapshot/"+base+"2-SNAPSHOT/the-solution-2-20260102.030405-7.json"
	plain := "snapshot/" + base + "3-SNAPSHOT/the-solution-3-SNAPSHOT.json"
	files := map[string]string{release: oneApplication, list: metadata("<snapshotVersions>" + file("json", "2-20260102.030405-7") + "</snapshotVersions>"), build: oneApplication, plain: oneApplication}
	for _, test := range []struct {
		name  string
		cache int
		asked map[string]int
	}{
		{name: "by default", asked: map[string]int{release: 1, list: 3, build: 1, plain: 3}},
		{name: "nothing", cache: -1, asked: map[string]int{release: 3, list: 3, build: 3, plain: 3}},
		{name: "one at a time", cache: len(oneApplication), asked: map[string]int{release: 3, list: 3, build: 3, plain: 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRegistry(t, files)
			m := artifact.NewMaven(artifact.Stored{Documents: r.definitions()}, artifact.MavenOptions{Cache: test.cache, Policy: loopback(t)})
			for range 3 {
				for _, version := range []string{"1.0", "2-SNAPSHOT", "3-SNAPSHOT"} {
					if _, text, err := m.Fetch(t.Context(), sd.Artifact{Application: "solution", Version: version}); err != nil || string(text) != oneApplication {
						t.Fatalf("%s: %q, %v", version, text, err)
					}
				}
			}
			for path, want := range test.asked {
				if got := r.count(path); got != want {
					t.Errorf("%s was asked for %d times, want %d", path, got, want)
				}
			}
		})
	}
}

// A new build of a snapshot is seen at once.
func TestMavenSeesNewBuilds(t *testing.T) {
	folder := "snapshot/" + base + "2-SNAPSHOT/"
	list := func(build string) string {
		return metadata("<snapshotVersions>" + file("json", build) + "</snapshotVersions>")
	}
	r := newRegistry(t, map[string]string{folder + "maven-metadata.xml": list("2-20260102.030405-1"), folder + "the-solution-2-20260102.030405-1.json": oneApplication})
	m := artifact.NewMaven(artifact.Stored{Documents: r.definitions()}, artifact.MavenOptions{Policy: loopback(t)})
	a := sd.Artifact{Application: "solution", Version: "2-SNAPSHOT"}
	if _, text, err := m.Fetch(t.Context(), a); err != nil || string(text) != oneApplication {
		t.Fatal(string(text), err)
	}
	r.set(folder+"the-solution-2-20260102.030405-2.json", `{"applications":[]}`)
	r.set(folder+"maven-metadata.xml", list("2-20260102.030405-2"))
	if _, text, err := m.Fetch(t.Context(), a); err != nil || string(text) != `{"applications":[]}` {
		t.Error(string(text), err)
	}
}

// The repositories are asked at once: one that hangs holds up no other, and ends with the first hit.
func TestMavenTakesTheFirstHit(t *testing.T) {
	path := base + "1.0/the-solution-1.0.json"
	r := newRegistry(t, map[string]string{"group-r/" + path: oneApplication})
	var given sync.WaitGroup
	given.Add(1)
	r.answers["snapshot/"+path] = func(_ http.ResponseWriter, request *http.Request) {
		defer given.Done()
		<-request.Context().Done()
	}
	r.answers["staging/"+path] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	m := artifact.NewMaven(artifact.Stored{Documents: r.definitions()}, artifact.MavenOptions{Policy: loopback(t)})
	source, _, err := m.Fetch(t.Context(), sd.Artifact{Application: "solution", Version: "1.0"})
	if err != nil || source != r.URL+"/repository/group-r/"+path {
		t.Fatal(source, err)
	}
	if r.count("snapshot/"+path) > 0 {
		given.Wait() // the hanging request was given up
	}
}

func TestMavenReportsTheWorst(t *testing.T) {
	t.Parallel()
	path := base + "1.0/the-solution-1.0.json"
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	broken := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, oneApplication)
	}
	hang := func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() }
	for _, test := range []struct {
		name    string
		answers map[string]http.HandlerFunc
		timeout time.Duration // 0 for the default
		reason  string
	}{
		{name: "an error in one", answers: map[string]http.HandlerFunc{"group-s/" + path: status(502)}, reason: artifact.ReasonUnreachable},
		{name: "a refusal rather than an error", answers: map[string]http.HandlerFunc{"group-s/" + path: status(403), "release/" + path: status(500)}, reason: artifact.ReasonUnauthorized},
		{name: "cut off", answers: map[string]http.HandlerFunc{"release/" + path: broken}, reason: artifact.ReasonUnreachable},
		{name: "no checksum to be had", answers: map[string]http.HandlerFunc{
			"release/" + path: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, oneApplication) }, "release/" + path + ".sha256": status(500)}, reason: artifact.ReasonUnreachable},
		{name: "time is up", answers: map[string]http.HandlerFunc{"release/" + path: hang}, timeout: 2 * time.Second, reason: artifact.ReasonUnreachable},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRegistry(t, nil)
			r.answers = test.answers
			m := artifact.NewMaven(artifact.Stored{Documents: r.definitions()}, artifact.MavenOptions{Timeout: test.timeout, Policy: loopback(t)})
			_, _, err := m.Fetch(t.Context(), sd.Artifact{Application: "solution", Version: "1.0"})
			if e := dovetail.AsError(err); e == nil || e.Reason != test.reason {
				t.Errorf("%+v", e)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		r := newRegistry(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		r.answers["release/"+path] = func(_ http.ResponseWriter, request *http.Request) { cancel(); <-request.Context().Done() }
		m := artifact.NewMaven(artifact.Stored{Documents: r.definitions()}, artifact.MavenOptions{Policy: loopback(t)})
		if _, _, err := m.Fetch(ctx, sd.Artifact{Application: "solution", Version: "1.0"}); dovetail.CodeOf(err) != dovetail.CodeCanceled {
			t.Error(err)
		}
	})
}
