package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// api answers everything with its path, so that tests see what came through.
var api = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusTeapot)
	_, _ = io.WriteString(w, r.URL.Path)
})

func testPage() http.Handler {
	return &page{api: api, files: readFiles(fstest.MapFS{
		"index.html.gz":        {Data: packed("<!doctype html>index")},
		"icon.svg":             {Data: []byte("<svg/>")},
		"assets/app-abc.js.gz": {Data: packed(strings.Repeat("let a = 1;\n", 100))},
		"assets/font-abc.bin":  {Data: []byte{0, 1, 2}},
	})}
}

func packed(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

func TestServe(t *testing.T) {
	tests := []struct {
		name    string
		method  string
		path    string
		accept  string
		status  int
		body    string // the beginning
		headers map[string]string
	}{
		{name: "index", path: "/ui/", status: 200, body: "<!doctype html>index",
			headers: map[string]string{"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}},
		{name: "deep link", path: "/ui/explorer/new", status: 200, body: "<!doctype html>index"},
		{name: "deep link that looks like a file", path: "/ui/explorer/a.js", status: 200, body: "<!doctype html>index"},
		{name: "deep link out of the page", path: "/ui/../v2/clusters", status: 200, body: "<!doctype html>index"},
		{name: "file", path: "/ui/icon.svg", status: 200, body: "<svg/>", headers: map[string]string{"Content-Type": "image/svg+xml", "Cache-Control": "no-cache"}},
		{name: "asset", path: "/ui/assets/app-abc.js", status: 200, body: "let a",
			headers: map[string]string{"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": immutable, "Vary": "Accept-Encoding"}},
		{name: "asset of another kind", path: "/ui/assets/font-abc.bin", status: 200, body: "\x00\x01\x02", headers: map[string]string{"Content-Type": "application/octet-stream"}},
		{name: "asset of an older page", path: "/ui/assets/app-old.js", status: 404, body: "there is no such file"},
		{name: "head", method: "HEAD", path: "/ui/", status: 200, headers: map[string]string{"Content-Length": "20"}},
		{name: "write", method: "POST", path: "/ui/", status: 405, headers: map[string]string{"Allow": "GET, HEAD"}},
		{name: "without the slash", path: "/ui", status: 302, headers: map[string]string{"Location": "/ui/"}},
		{name: "browser at the root", path: "/", accept: "text/html,application/xhtml+xml,*/*;q=0.8", status: 302,
			headers: map[string]string{"Location": "/ui/", "Vary": "Accept", "Cache-Control": "no-cache"}},
		{name: "program at the root", path: "/", accept: "*/*", status: 418, body: "/"},
		{name: "program that says nothing", path: "/", status: 418, body: "/"},
		{name: "write at the root", method: "POST", path: "/", accept: "text/html", status: 418, body: "/"},
		{name: "resources", path: "/v2/clusters", accept: "text/html", status: 418, body: "/v2/clusters"},
		{name: "a path that only begins alike", path: "/uid", status: 418, body: "/uid"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			method := test.method
			if method == "" {
				method = http.MethodGet
			}
			r := httptest.NewRequest(method, test.path, nil)
			r.Header.Set("Accept", test.accept)
			w := httptest.NewRecorder()
			testPage().ServeHTTP(w, r)
			if w.Code != test.status || !strings.HasPrefix(w.Body.String(), test.body) {
				t.Errorf("status %d, body %q", w.Code, w.Body)
			}
			if method == http.MethodHead && w.Body.Len() > 0 {
				t.Errorf("HEAD has a body: %q", w.Body)
			}
			for name, want := range test.headers {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestCompression(t *testing.T) {
	tests := []struct {
		name, accept string
		packed       bool
	}{
		{name: "asked for", accept: "br, gzip;q=0.5", packed: true},
		{name: "anything", accept: "*", packed: true},
		{name: "refused", accept: "gzip;q=0"},
		{name: "another", accept: "br"},
		{name: "nothing said"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/ui/assets/app-abc.js", nil)
			r.Header.Set("Accept-Encoding", test.accept)
			w := httptest.NewRecorder()
			testPage().ServeHTTP(w, r)
			if got := w.Header().Get("Content-Encoding") == "gzip"; got != test.packed {
				t.Fatalf("packed: %v", got)
			}
			var body io.Reader = w.Body
			if test.packed {
				unpacked, err := gzip.NewReader(w.Body)
				if err != nil {
					t.Fatal(err)
				}
				body = unpacked
			}
			if text, err := io.ReadAll(body); err != nil || len(text) != 1100 {
				t.Errorf("%d bytes, %v", len(text), err)
			}
		})
	}
}

func TestEntityTags(t *testing.T) {
	get := func(encoding, known string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/ui/", nil)
		r.Header.Set("Accept-Encoding", encoding)
		r.Header.Set("If-None-Match", known)
		w := httptest.NewRecorder()
		testPage().ServeHTTP(w, r)
		return w
	}
	plain, packed := get("", "").Header().Get("Etag"), get("gzip", "").Header().Get("Etag")
	if plain == "" || plain == packed {
		t.Fatalf("tags %s and %s", plain, packed)
	}
	tests := []struct {
		name, encoding, known string
		status                int
	}{
		{name: "same", known: plain, status: 304},
		{name: "weak, among others", known: `"x", W/` + plain, status: 304},
		{name: "any", known: "*", status: 304},
		{name: "packed", encoding: "gzip", known: packed, status: 304},
		{name: "of the other encoding", encoding: "gzip", known: plain, status: 200},
		{name: "other", known: `"x"`, status: 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := get(test.encoding, test.known)
			if w.Code != test.status || test.status == 304 && (w.Body.Len() > 0 || w.Header().Get("Content-Encoding") != "") {
				t.Errorf("status %d, %d bytes, encoding %q", w.Code, w.Body.Len(), w.Header().Get("Content-Encoding"))
			}
		})
	}
}

// The page that is embedded loads only its own files, which are there, and has no script in it. Its frame
// can be drawn before they come.
func TestEmbeddedPage(t *testing.T) {
	h := Over(api, "")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/ui/", nil))
	html := w.Body.String()
	links := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(html, -1)
	if len(links) < 3 {
		t.Fatalf("the page loads nothing: %s", html)
	}
	for _, link := range links {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, link[1], nil))
		if w.Code != 200 || !strings.HasPrefix(link[1], prefix) || strings.HasPrefix(w.Body.String(), "<!doctype") {
			t.Errorf("%s: status %d", link[1], w.Code)
		}
	}
	if regexp.MustCompile(`<script[^>]*>[^<]|\son\w+=|style="`).MatchString(html) {
		t.Errorf("something stands inside the page: %s", html)
	}
	if all, later := strings.Count(html, `rel="stylesheet"`), strings.Count(html, `rel="stylesheet" media="not all"`); all == 0 || later != all || !strings.Contains(html, `<div id="frame">`) {
		t.Errorf("the style sheets keep the frame of the page from being drawn: %s", html)
	}
	policy := w.Header().Get("Content-Security-Policy")
	for _, directive := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self';", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy, directive) {
			t.Errorf("the policy lacks %s: %s", directive, policy)
		}
	}
}

// The pictures of the documentation are those that there are.
func TestPictures(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/web.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, picture := range regexp.MustCompile(`\]\((images/[^)]*)\)`).FindAllStringSubmatch(string(text), -1) {
		named = append(named, "../../../../docs/"+picture[1])
	}
	there, err := filepath.Glob("../../../../docs/images/web-*.png")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(named)
	if len(named) == 0 || !slices.Equal(named, there) {
		t.Errorf("named: %v\nthere: %v", named, there)
	}
}

func TestProviderInPolicy(t *testing.T) {
	for _, tt := range []struct{ name, provider, want string }{
		{"none", "", "connect-src 'self'; "},
		{"a provider", "https://id.example.com:8443/realms/a", "connect-src 'self' https://id.example.com:8443; "},
		{"no URL", "nonsense", "connect-src 'self'; "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			Over(api, tt.provider).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/ui/", nil))
			if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, tt.want) {
				t.Errorf("the policy %q lacks %q", got, tt.want)
			}
		})
	}
}

func ExampleOver() {
	server := Over(http.NotFoundHandler(), "") // in truth over httpapi.New(...)
	for _, path := range []string{"/ui/explorer", "/v2/clusters"} {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		fmt.Println(path, w.Code, w.Header().Get("Content-Type"))
	}
	// Output:
	// /ui/explorer 200 text/html; charset=utf-8
	// /v2/clusters 404 text/plain; charset=utf-8
}
