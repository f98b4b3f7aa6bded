package web

import (
	"embed"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

//go:embed all:dist
var dist embed.FS

const (
	// prefix is where the page lives.
	prefix = "/ui/"
	// assets are the files whose names change with their content.
	assets = "assets/"
	// index is the document that every address of the page answers.
	index = "index.html"
)

// contentPolicy lets the page run its own scripts only, and talk to its own server only. Styles may
// stand in elements, since the components set theirs there; they come from code, never from data.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// policyWith is contentPolicy for a page that also talks to the provider at which its users sign in; "" if there is none.
func policyWith(provider string) string {
	at, err := url.Parse(provider)
	if err != nil || at.Host == "" {
		return contentPolicy
	}
	return strings.Replace(contentPolicy, "connect-src 'self'", "connect-src 'self' "+at.Scheme+"://"+at.Host, 1)
}

// Over returns a handler that serves the page below /ui/, sends browsers there that ask for /, and
// leaves everything else to the API. Users may sign in at the provider, a URL; "" if there is none. The handler is safe for concurrent use when the API is.
func Over(api http.Handler, provider string) http.Handler {
	root, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return &page{files: readFiles(root), api: api, policy: policyWith(provider)}
}

// page is the handler.
type page struct {
	files  map[string]*file // by name
	api    http.Handler
	policy string // of the content
}

// ServeHTTP serves one request.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ours := strings.CutPrefix(r.URL.Path, prefix)
	switch {
	case ours:
		p.serve(w, r, name)
	case r.URL.Path == strings.TrimSuffix(prefix, "/"), r.URL.Path == "/" && isRead(r) && wantsHTML(r):
		redirect(w, r)
	default:
		p.api.ServeHTTP(w, r)
	}
}

// redirect sends to the page. What / answers depends on the caller, which caches must know.
func redirect(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	w.Header().Set("Cache-Control", "no-cache")
	http.Redirect(w, r, prefix, http.StatusFound)
}

func (p *page) serve(w http.ResponseWriter, r *http.Request, name string) {
	secure(w.Header(), p.policy)
	if !isRead(r) {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the page is only read", http.StatusMethodNotAllowed)
		return
	}
	f := p.files[name]
	if f == nil && !strings.HasPrefix(name, assets) {
		name, f = index, p.files[index]
	}
	if f == nil {
		http.Error(w, "there is no such file: the page has changed, reload it", http.StatusNotFound)
		return
	}
	f.serve(w, r, strings.HasPrefix(name, assets))
}

func secure(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}

func isRead(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// wantsHTML tells browsers, which name text/html when they navigate, from programs, which do not.
func wantsHTML(r *http.Request) bool {
	for _, part := range strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",") {
		if name, _, err := mime.ParseMediaType(part); err == nil && name == "text/html" {
			return true
		}
	}
	return false
}
