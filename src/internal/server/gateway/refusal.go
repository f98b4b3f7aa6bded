package gateway

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/problem"
)

// refusal is an answer of the gateway itself instead of a server's.
type refusal struct {
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
	if why.retryAfter != "" {
		w.Header().Set("Retry-After", why.retryAfter)
	}
	problem.Answer(w, r, &dovetail.Error{Code: why.code, Message: why.message, Remedy: why.remedy})
}

// unavailable describes a request that no server can take now.
func unavailable(message string) *refusal {
	return &refusal{code: dovetail.CodeUnavailable, message: message, remedy: "try again"}
}
