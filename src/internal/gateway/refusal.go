package gateway

import (
	"encoding/json"
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// refusal is an answer of the gateway itself instead of a server's.
type refusal struct {
	status          int
	code            dovetail.Code
	message, remedy string
	reason          string // label of the metric; "" for what is no refusal of a request
	retryAfter      string
}

// refuse answers with a refusal.
func (g *Gateway) refuse(w http.ResponseWriter, r *http.Request, why *refusal) {
	if why.reason != "" {
		g.metrics.refused.WithLabelValues(why.reason).Inc()
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	switch {
	case why.retryAfter != "":
		h.Set("Retry-After", why.retryAfter)
	case why.status == http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(why.status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "about:blank", "title": http.StatusText(why.status), "status": why.status,
		"detail": why.message, "instance": r.URL.EscapedPath(), "code": why.code, "remedy": why.remedy}) // who asked went away
}

// unavailable describes a request that no server can take now.
func unavailable(message string) *refusal {
	return &refusal{status: http.StatusServiceUnavailable, code: dovetail.CodeUnavailable, message: message, remedy: "try again"}
}
