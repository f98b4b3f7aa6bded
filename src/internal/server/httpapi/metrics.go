package httpapi

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/dovetail-store/dovetail/src/store"
)

// metrics count requests by route template, never by path, so that their number is bounded by the schema.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	watches  prometheus.Gauge
	other    series // requests that no route and verb serves
}

// noRoute is the route of such requests.
const noRoute = "none"

func newMetrics(registry *prometheus.Registry) *metrics {
	in := promauto.With(registry)
	return &metrics{
		requests: in.NewCounterVec(prometheus.CounterOpts{Name: "dovetail_http_requests_total",
			Help: "Requests answered, by route, method and status."}, []string{"route", "method", "code"}),
		duration: in.NewHistogramVec(prometheus.HistogramOpts{Name: "dovetail_http_request_duration_seconds",
			Help:    "Time from a request's header to the end of its answer, watches aside, by route and method.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}, []string{"route", "method"}),
		inFlight: in.NewGauge(prometheus.GaugeOpts{Name: "dovetail_http_requests_in_flight", Help: "Requests that are being served."}),
		watches:  in.NewGauge(prometheus.GaugeOpts{Name: "dovetail_http_watches", Help: "Watches that are open."}),
	}
}

// handler shows the registry in the format of Prometheus.
func (m *metrics) handler(registry *prometheus.Registry) handler {
	show := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return func(x *requestContext) error {
		if err := x.api.store.MaySee(x.ctx, store.MetricsKind, "the metrics"); err != nil {
			return err
		}
		show.ServeHTTP(&x.w, x.r)
		return nil
	}
}

// series are the metrics of one route and method, looked up once.
type series struct {
	bound atomic.Pointer[boundSeries]
}

type boundSeries struct {
	duration prometheus.Observer
	requests *prometheus.CounterVec // except the code
}

func (s *series) of(m *metrics, route, method string) *boundSeries {
	if b := s.bound.Load(); b != nil {
		return b
	}
	b := &boundSeries{
		duration: m.duration.WithLabelValues(route, method),
		requests: m.requests.MustCurryWith(prometheus.Labels{"route": route, "method": method}),
	}
	s.bound.Store(b)
	return b
}

// observe counts a request that was answered. HEAD counts as GET.
func (x *requestContext) observe(took time.Duration) {
	m := x.api.metrics
	var b *boundSeries
	switch {
	case x.method == nil:
		b = m.other.of(m, noRoute, noRoute)
	case x.r.Method == http.MethodHead:
		b = x.method.series.of(m, x.route.template, http.MethodGet)
	default:
		b = x.method.series.of(m, x.route.template, x.r.Method)
	}
	b.requests.WithLabelValues(codeText(x.w.status)).Inc()
	if !x.streamed {
		b.duration.Observe(took.Seconds())
	}
}

// codeText saves the conversion of the usual statuses.
func codeText(status int) string {
	switch status {
	case http.StatusOK:
		return "200"
	case http.StatusCreated:
		return "201"
	case http.StatusNoContent:
		return "204"
	}
	return strconv.Itoa(status)
}
