package gateway

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are those of a gateway. Their labels are bounded.
type metrics struct {
	requests *prometheus.CounterVec
	refused  *prometheus.CounterVec
	inFlight prometheus.Gauge
	ready    *prometheus.GaugeVec
}

func newMetrics(registry *prometheus.Registry) *metrics {
	in := promauto.With(registry)
	m := &metrics{
		requests: in.NewCounterVec(prometheus.CounterOpts{Name: "dovetail_gateway_requests_total",
			Help: "Requests answered, by method and status."}, []string{"method", "code"}),
		refused: in.NewCounterVec(prometheus.CounterOpts{Name: "dovetail_gateway_refused_total",
			Help: "Requests that no server got, by reason: rate limit, size of the body, header Connection, method."}, []string{"reason"}),
		inFlight: in.NewGauge(prometheus.GaugeOpts{Name: "dovetail_gateway_requests_in_flight", Help: "Requests under way, watches too."}),
		ready:    in.NewGaugeVec(prometheus.GaugeOpts{Name: "dovetail_gateway_server_ready", Help: "1 while a server gets requests, by its URL."}, []string{"server"}),
	}
	for _, reason := range []string{"rate", "body", "connection", "method"} {
		m.refused.WithLabelValues(reason)
	}
	return m
}

// count counts a request that was answered.
func (m *metrics) count(method string, status int) {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		method = "other"
	}
	m.requests.WithLabelValues(method, strconv.Itoa(status)).Inc()
}
