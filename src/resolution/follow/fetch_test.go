package follow_test

import (
	"archive/tar"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/resolution/follow"
	"github.com/dovetail-store/dovetail/src/value"
)

// etcd is a file-based catalog of one package with two versions.
func etcd(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("../catalog/testdata/catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// local allows the servers of tests.
func local(t testing.TB) *outbound.Policy {
	t.Helper()
	hosts, err := outbound.ParseHosts([]string{"http://127.0.0.1:*"})
	if err != nil {
		t.Fatal(err)
	}
	return outbound.NewPolicy(hosts, "--source-hosts")
}

func fetcher(t testing.TB, options follow.Options) *follow.Fetcher {
	t.Helper()
	if options.Policy == nil {
		options.Policy = local(t)
	}
	options.Dir = t.TempDir()
	f := follow.NewFetcher(options)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// spec reads what a source follows, from the YAML of spec.follow.
func spec(t testing.TB, text string) (*follow.Spec, error) {
	t.Helper()
	docs, err := yaml.Parse("spec.yaml", []byte("spec: {follow: "+text+"}"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return follow.SpecOf("cat", docs[0])
}

// fetch fetches what the spec follows.
func fetch(t testing.TB, f *follow.Fetcher, text, revision string) (*follow.Content, error) {
	t.Helper()
	s, err := spec(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return f.Fetch(t.Context(), "cat", s, revision)
}

// versionsOf lists the versions of a source, each as package:version.
func versionsOf(c *follow.Content) []string {
	var list []string
	for _, p := range c.Source.Get("packages").Items {
		for _, v := range p.Get("versions").Items {
			list = append(list, p.Get("name").Text+":"+v.Get("version").Text)
		}
	}
	slices.Sort(list)
	return list
}

// registryServer is a registry of images, which wants a user if one is given.
func registryServer(t testing.TB, user, password string) string {
	t.Helper()
	handler := registry.New(registry.Logger(slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if u, p, _ := r.BasicAuth(); user != "" && r.Method == http.MethodGet && (u != user || p != password) {
			w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// imageOf is an image with files.
func imageOf(t testing.TB, labels map[string]string, files map[string]string) v1.Image {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, at := range slices.Sorted(maps.Keys(files)) {
		if err := errors.Join(w.WriteHeader(&tar.Header{Name: at, Mode: 0o644, Size: int64(len(files[at])), Typeflag: tar.TypeReg}), errOf(w.Write([]byte(files[at])))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		t.Fatal(err)
	}
	image, err = mutate.Config(image, v1.Config{Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func errOf(_ int, err error) error { return err }

func push(t testing.TB, reference string, image v1.Image) v1.Hash {
	t.Helper()
	tag, err := name.NewTag(reference)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(tag, image); err != nil {
		t.Fatal(err)
	}
	digest, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

func TestImage(t *testing.T) {
	host := registryServer(t, "", "")
	catalog := string(etcd(t))
	first := push(t, host+"/catalogs/etcd:v1", imageOf(t, nil, map[string]string{"configs/etcd/catalog.yaml": catalog, "configs/etcd/README.md": "no catalog", "other/bad.yaml": "{"}))
	push(t, host+"/catalogs/etcd:elsewhere", imageOf(t, map[string]string{"operators.operatorframework.io.index.configs.v1": "/cat"}, map[string]string{"cat/a.yaml": catalog}))
	push(t, host+"/catalogs/etcd:none", imageOf(t, nil, map[string]string{"etc/passwd": "root"}))
	f := fetcher(t, follow.Options{})
	c, err := fetch(t, f, "{type: image, url: 'oci://"+host+"/catalogs/etcd:v1'}", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := versionsOf(c); len(got) == 0 || c.Revision != first.String() || c.Digest == "" {
		t.Errorf("%v %s %s", got, c.Revision, c.Digest)
	}
	if again, err := fetch(t, f, "{type: image, url: 'oci://"+host+"/catalogs/etcd:v1'}", c.Revision); again != nil || err != nil {
		t.Errorf("the same revision: %v %v", again, err)
	}
	if other, err := fetch(t, f, "{type: image, url: 'oci://"+host+"/catalogs/etcd:elsewhere'}", ""); err != nil || !slices.Equal(versionsOf(other), versionsOf(c)) {
		t.Errorf("where the label says: %v", err)
	}
	for _, tt := range []struct{ name, url, says string }{
		{"without a catalog", "/catalogs/etcd:none", "there are no files ending in"},
		{"no such tag", "/catalogs/etcd:v9", "cannot be read"},
		{"no reference", "/Catalogs", "no reference of an image"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := fetch(t, f, "{type: image, url: 'oci://"+host+tt.url+"'}", ""); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %s", err, tt.says)
			}
		})
	}
	small := fetcher(t, follow.Options{MaxBytes: 1000})
	if _, err := fetch(t, small, "{type: image, url: 'oci://"+host+"/catalogs/etcd:v1'}", ""); dovetail.CodeOf(err) != dovetail.CodeTooLarge {
		t.Errorf("a large one: %v", err)
	}
}

func TestImageWithCredentials(t *testing.T) {
	host := registryServer(t, "ann", "secret")
	push(t, host+"/catalog:v1", imageOf(t, nil, map[string]string{"configs/catalog.yaml": string(etcd(t))}))
	credentials, err := follow.ParseCredentials("credentials.yaml", []byte("hosts: [{host: '"+host+"', user: ann, password: secret}]"))
	if err != nil {
		t.Fatal(err)
	}
	url := "{type: image, url: 'oci://" + host + "/catalog:v1'}"
	if _, err := fetch(t, fetcher(t, follow.Options{}), url, ""); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Errorf("without credentials: %v", err)
	}
	var failed error
	current := follow.Credentials{host: {User: "ann", Password: "old"}}
	f := fetcher(t, follow.Options{Credentials: func() (follow.Credentials, error) { return current, failed }})
	if _, err := fetch(t, f, url, ""); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Errorf("with a password that is no longer right: %v", err)
	}
	current = credentials // they are renewed
	if _, err := fetch(t, f, url, ""); err != nil {
		t.Error(err)
	}
	failed = dovetail.Errorf(dovetail.CodeInvalid, "no file")
	if _, err := fetch(t, f, url, ""); err == nil || err.Error() != failed.Error() {
		t.Error(err)
	}
}

// sign writes a signature as cosign does: an image whose layer is the payload, with the signature in an annotation.
func sign(t testing.TB, repository string, of, said v1.Hash, key *ecdsa.PrivateKey) {
	t.Helper()
	payload := fmt.Appendf(nil, `{"critical":{"identity":{"docker-reference":%q},"image":{"docker-manifest-digest":%q},"type":"cosign container image signature"},"optional":null}`, repository, said)
	sum := sha256.Sum256(payload)
	signature, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	layer := static.NewLayer(payload, types.MediaType("application/vnd.dev.cosign.simplesigning.v1+json"))
	image, err := mutate.Append(empty.Image, mutate.Addendum{Layer: layer, Annotations: map[string]string{"dev.cosignproject.cosign/signature": base64.StdEncoding.EncodeToString(signature)}})
	if err != nil {
		t.Fatal(err)
	}
	push(t, repository+":"+strings.ReplaceAll(of.String(), ":", "-")+".sig", image)
}

func newKey(t testing.TB) (*ecdsa.PrivateKey, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return key, string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func TestSignatures(t *testing.T) {
	host := registryServer(t, "", "")
	key, public := newKey(t)
	other, _ := newKey(t)
	image := func(n int) v1.Image {
		return imageOf(t, nil, map[string]string{"configs/catalog.yaml": string(etcd(t)), "n": fmt.Sprint(n)})
	}
	for i, tt := range []struct {
		name string
		sign func(repository string, digest v1.Hash)
		says string // "" for accepted
	}{
		{"signed", func(at string, d v1.Hash) { sign(t, at, d, d, key) }, ""},
		{"not signed", func(string, v1.Hash) {}, "there is no sha256-"},
		{"by another key", func(at string, d v1.Hash) { sign(t, at, d, d, other) }, "it is of another key"},
		{"of another image", func(at string, d v1.Hash) {
			sign(t, at, d, v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}, key)
		}, "it is of another image"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			repository := fmt.Sprintf("%s/signed%d", host, i)
			tt.sign(repository, push(t, repository+":v1", image(i)))
			text := value.NewMap(value.Member{Name: "type", Value: value.NewString("image")}, value.Member{Name: "url", Value: value.NewString("oci://" + repository + ":v1")},
				value.Member{Name: "publicKey", Value: value.NewString(public)})
			_, err := fetch(t, fetcher(t, follow.Options{}), string(text.JSON()), "")
			if (err == nil) != (tt.says == "") || err != nil && (!strings.Contains(err.Error(), tt.says) || dovetail.CodeOf(err) != dovetail.CodeUnprocessable) {
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
}

func TestCharts(t *testing.T) {
	host := registryServer(t, "", "")
	for _, tag := range []string{"1.0.0", "1.2.0-rc.1", "1.1.0_build.5", "latest"} {
		push(t, host+"/charts/web:"+tag, imageOf(t, nil, map[string]string{"web/Chart.yaml": tag}))
	}
	c, err := fetch(t, fetcher(t, follow.Options{}), "{type: charts, url: 'oci://"+host+"/charts/web'}", "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := versionsOf(c), []string{"web:1.0.0", "web:1.1.0+build.5", "web:1.2.0-rc.1"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "latest") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

// index is what `helm repo index` writes, with what old repositories hold besides.
const index = `apiVersion: v1
entries:
  web:
  - apiVersion: v2
    appVersion: "1.27"
    created: "2026-01-02T10:00:00Z"
    dependencies:
    - {name: common, repository: 'https://charts.example.org', version: 2.x.x}
    description: A web server
    digest: 0d8b6ea8a2bb29a0ad2b0e6d0a6e2e4ab8b3c7b9ad5e1bb6d6dd9b3f8ffcd1b0
    kubeVersion: '>=1.23.0-0'
    name: web
    type: application
    urls: [charts/web-2.0.0.tgz]
    version: 2.0.0
  - {name: web, version: v1.9.0, urls: ['https://elsewhere.example.org/web-1.9.0.tgz'], deprecated: true}
  - {name: web, version: 1.9.0, urls: [charts/web-1.9.0.tgz]}
  - {name: web, version: "1.8", urls: [charts/web-1.8.tgz]}
  broken:
  - {name: broken, version: newest}
generated: "2026-01-02T10:00:00Z"
`

func TestHelm(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		switch {
		case r.URL.Path != "/stable/index.yaml":
			http.NotFound(w, r)
		case r.Header.Get("If-None-Match") == `"1"`:
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("ETag", `"1"`)
			fmt.Fprint(w, index)
		}
	}))
	defer server.Close()
	f := fetcher(t, follow.Options{})
	c, err := fetch(t, f, "{type: helm, url: '"+server.URL+"/stable'}", "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := versionsOf(c), []string{"web:1.9.0", "web:2.0.0"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if len(c.Quarantined) != 1 || c.Quarantined[0].Package != "broken" || len(c.Warnings) != 3 {
		t.Errorf("quarantined %v, warnings %q", c.Quarantined, c.Warnings)
	}
	newest := c.Source.Get("packages").Items[0].Get("versions").Items[0]
	if got := string(newest.JSON()); got != `{"version":"2.0.0","channels":["stable"],"properties":[{"type":"helm.appVersion","value":"1.27"},{"type":"helm.kubeVersion","value":">=1.23.0-0"},`+
		`{"type":"helm.digest","value":"0d8b6ea8a2bb29a0ad2b0e6d0a6e2e4ab8b3c7b9ad5e1bb6d6dd9b3f8ffcd1b0"}],"image":"`+server.URL+`/stable/charts/web-2.0.0.tgz"}` {
		t.Error(got)
	}
	if again, err := fetch(t, f, "{type: helm, url: '"+server.URL+"/stable'}", c.Revision); again != nil || err != nil || requests != 2 {
		t.Errorf("the same revision: %v %v after %d requests", again, err, requests)
	}
	if _, err := fetch(t, f, "{type: helm, url: '"+server.URL+"'}", ""); err == nil || !strings.Contains(err.Error(), "404 Not Found") {
		t.Error(err)
	}
}

func TestGit(t *testing.T) {
	origin := gittest.New(t, map[string]string{"catalogs/etcd.yaml": string(etcd(t)), "catalogs/notes.txt": "no catalog", "bad.yaml": "{"})
	f := fetcher(t, follow.Options{})
	text := "{type: git, url: '" + origin.Serve() + "', path: catalogs}"
	c, err := fetch(t, f, text, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := versionsOf(c); len(got) == 0 || c.Revision != origin.Head() {
		t.Errorf("%v at %s", got, c.Revision)
	}
	if again, err := fetch(t, f, text, c.Revision); again != nil || err != nil {
		t.Errorf("the same commit: %v %v", again, err)
	}
	origin.Push("add a source", map[string]string{"catalogs/etcd.yaml": "name: x\npackages: [{name: p, versions: [{version: 1.0.0, channels: [main]}]}]\n"})
	if c, err = fetch(t, f, text, c.Revision); err != nil || !slices.Equal(versionsOf(c), []string{"p:1.0.0"}) {
		t.Errorf("after a push: %v %v", c, err)
	}
}

func TestFiles(t *testing.T) {
	source := `{"name":"there","packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["main"]}]}]}`
	files := map[string]string{"/catalog.yaml": string(etcd(t)), "/source.json": source, "/api/sources/there": source, "/nothing.yaml": "a: 1\n", "/bad.yaml": "{",
		"/part.yaml": string(etcd(t)) + "\n---\nschema: olm.package\nname: half\n---\nschema: olm.channel\npackage: half\nname: c\nentries: [{name: half.v1.0.0}]\n"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, there := files[r.URL.Path]
		if !there || r.URL.Path == "/api/sources/there" && r.Header.Get("Authorization") != "Bearer t" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, text)
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	f := fetcher(t, follow.Options{Credentials: func() (follow.Credentials, error) { return follow.Credentials{host: {Token: "t"}}, nil }})
	whole, err := fetch(t, f, "{type: file, url: '"+server.URL+"/catalog.yaml'}", "")
	if err != nil || len(versionsOf(whole)) == 0 {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, follow string
		versions     []string
		quarantined  string
		says         string
	}{
		{name: "a source", follow: "{type: file, url: '" + server.URL + "/source.json'}", versions: []string{"p:1.0.0"}},
		{name: "another Dovetail", follow: "{type: dovetail, url: '" + server.URL + "', source: there}", versions: []string{"p:1.0.0"}},
		{name: "a catalog with a package that is broken", follow: "{type: file, url: '" + server.URL + "/part.yaml'}", versions: versionsOf(whole), quarantined: "half"},
		{name: "neither", follow: "{type: file, url: '" + server.URL + "/nothing.yaml'}", says: "neither a file-based catalog nor a source"},
		{name: "no YAML", follow: "{type: file, url: '" + server.URL + "/bad.yaml'}", says: "bad.yaml"},
		{name: "not there", follow: "{type: file, url: '" + server.URL + "/none.yaml'}", says: "404"},
		{name: "a host that is not listed", follow: "{type: file, url: 'https://example.org/catalog.yaml'}", says: "--source-hosts"},
		{name: "an image at a host that is not listed", follow: "{type: image, url: 'oci://example.org/catalog:v1'}", says: "--source-hosts"},
		{name: "a repository at a host that is not listed", follow: "{type: git, url: 'https://example.org/catalog.git'}", says: "--source-hosts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := fetch(t, f, tt.follow, "")
			if tt.says != "" {
				e := dovetail.AsError(err)
				if err == nil || !strings.Contains(e.Error()+" "+e.Remedy+" "+e.Position.String(), tt.says) {
					t.Fatalf("%v, want %s", err, tt.says)
				}
				return
			}
			if err != nil || !slices.Equal(versionsOf(c), tt.versions) {
				t.Fatalf("%v %v", c, err)
			}
			if tt.quarantined != "" && (len(c.Quarantined) != 1 || c.Quarantined[0].Package != tt.quarantined) {
				t.Errorf("quarantined %v", c.Quarantined)
			}
		})
	}
}

func TestSpecs(t *testing.T) {
	for _, tt := range []struct{ name, follow, says string }{
		{"without a URL", "{type: helm}", "/spec/follow/url"},
		{"a registry by https", "{type: image, url: 'https://example.org/a'}", "write oci://"},
		{"a repository by oci", "{type: helm, url: 'oci://example.org/a'}", "write https://"},
		{"credentials in the URL", "{type: helm, url: 'https://ann:secret@example.org/a'}", "stored in clear"},
		{"a short interval", "{type: helm, url: 'https://example.org', interval: 10ms}", "no interval of a second or more"},
		{"a key of a file", "{type: file, url: 'https://example.org/a.yaml', publicKey: x}", "no public key in PEM"},
		{"a branch of a file", "{type: file, url: 'https://example.org/a.yaml', branch: main}", "branch and path are of git"},
		{"a member that is misspelt", "{type: file, url: 'https://example.org/a.yaml', intervall: 1h}", "interval"},
		{"no URL", "{type: file, url: 'a.yaml'}", "is no URL of a host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := spec(t, tt.follow)
			e := dovetail.AsError(err)
			text := ""
			if e != nil {
				text = e.Error() + " " + e.Remedy + " " + e.Position.String()
				for _, part := range e.Errors {
					text += " " + part.Error() + " " + part.Remedy + " " + part.Position.String()
				}
			}
			if !strings.Contains(text, tt.says) {
				t.Errorf("%q, want %s", text, tt.says)
			}
		})
	}
}
