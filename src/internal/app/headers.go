package app

import (
	"net/http"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/problem"
)

// safeHeaders are the default security headers of every answer: browsers must not guess its media type, load or run
// anything because of it, or frame it in other sites. They must not be changed: answers share them.
var safeHeaders = []struct {
	name string
	text []string
}{
	{"Content-Security-Policy", []string{"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}},
	{"Cross-Origin-Resource-Policy", []string{"same-origin"}},
	{"Referrer-Policy", []string{"no-referrer"}},
	{"X-Content-Type-Options", []string{"nosniff"}},
}

// strictTransport is added where the connection has TLS.
const strictTransport = "max-age=31536000"

// guarded returns the handler with safe headers, closed to the pages of other origins but those that are named.
func guarded(inner http.Handler, origins []string) http.Handler {
	// Browsers say where a request comes from. What changes something must come from our own page, or from no page.
	own := http.NewCrossOriginProtection()
	for _, origin := range origins {
		_ = own.AddTrustedOrigin(origin) // was checked when it was read
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &guardedWriter{ResponseWriter: w, asked: r}
		if origin := r.Header.Get("Origin"); slices.Contains(origins, origin) {
			out.origin = origin
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				out.WriteHeader(http.StatusNoContent)
				return
			}
		} else if err := own.Check(r); err != nil {
			problem.Answer(out, r, &dovetail.Error{Code: dovetail.CodeForbidden, Message: "a page of another origin may not change anything here",
				Remedy: "name its origin with --cors-origins, if it is yours"})
			return
		}
		inner.ServeHTTP(out, r)
	})
}

// guardedGateway is guarded for a gateway: servers have their own protection, and their headers go first.
func guardedGateway(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(&guardedWriter{ResponseWriter: w, asked: r}, r)
	})
}

// allowOrigin lets pages of another origin send what they ask for, and read the answer.
func allowOrigin(h, asked http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin") // what else the answer depends on is there already
	h.Set("Access-Control-Expose-Headers", "Etag, Link, Location, Retry-After, Warning, X-Request-Id")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if method := asked.Get("Access-Control-Request-Method"); method != "" {
		h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
		h.Set("Access-Control-Max-Age", "600")
		if names := asked.Get("Access-Control-Request-Headers"); names != "" {
			h.Set("Access-Control-Allow-Headers", names)
		}
	}
}

// guardedWriter adds the headers when the answer begins.
type guardedWriter struct {
	http.ResponseWriter
	asked  *http.Request
	origin string // whose pages may read the answer; "" for our own only
	begun  bool
}

// WriteHeader sends the status.
func (w *guardedWriter) WriteHeader(status int) {
	if !w.begun && status >= http.StatusOK {
		w.begun = true
		h := w.Header()
		if w.origin != "" {
			allowOrigin(h, w.asked.Header, w.origin)
		}
		for _, safe := range safeHeaders {
			if _, ok := h[safe.name]; !ok {
				h[safe.name] = safe.text
			}
		}
		if w.asked.TLS != nil {
			h.Set("Strict-Transport-Security", strictTransport)
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *guardedWriter) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController through.
func (w *guardedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
