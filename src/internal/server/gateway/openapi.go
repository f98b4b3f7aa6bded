package gateway

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
	"github.com/dovetail-store/dovetail/src/internal/server/forwarded"
)

// description answers /openapi.json: those of all servers as one. What two describe is that of the first.
func (g *Gateway) description(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), g.limits.Request)
	defer cancel()
	var merged map[string]any
	for _, s := range g.servers {
		s.mu.Lock()
		ready := s.said != nil
		s.mu.Unlock()
		if !ready {
			continue
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url.JoinPath(api.OpenAPI).String(), http.NoBody)
		if err != nil {
			continue // the URL was parsed before
		}
		request.Header.Set("Authorization", forwarded.Authorization(r.Header))
		g.forwardedFor(r, request.Header)
		answer, err := g.transport.RoundTrip(request)
		if err != nil {
			g.options.Log.Warn("a server does not describe itself", "server", s.url.String(), "error", err)
			continue
		}
		if answer.StatusCode != http.StatusOK {
			pass(w, answer) // such as 401: the server has authentication enabled
			return
		}
		var described map[string]any
		err = limit.Limit{Bytes: 64 << 20, Of: "the description of the API at " + s.url.Redacted()}.DecodeJSON(answer.Body, &described)
		answer.Body.Close()
		if err != nil {
			g.options.Log.Warn("a server does not describe itself", "server", s.url.String(), "error", err)
			continue
		}
		merged = merge(merged, described)
	}
	if merged == nil {
		g.refuse(w, r, unavailable("no server is ready"))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(merged) // who asked went away
}

// merge adds to a description what another has beside it. It changes a and may keep parts of b.
func merge(a, b map[string]any) map[string]any {
	if a == nil {
		return b
	}
	for name, other := range b {
		have, ok := a[name]
		if !ok {
			a[name] = other
			continue
		}
		one, isMap := have.(map[string]any)
		two, both := other.(map[string]any)
		if isMap && both {
			a[name] = merge(one, two)
		}
	}
	return a
}

// pass sends an answer on as it is.
func pass(w http.ResponseWriter, answer *http.Response) {
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body) // who asked went away
}
