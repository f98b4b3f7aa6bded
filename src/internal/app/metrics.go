package app

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/store/instrumented"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// metrics are those of a server beside the ones of its API. Their values appear at zero, so that the first event is
// an increase, and their labels are bounded.
type metrics struct {
	*prometheus.Registry
	backend     string // name of the store's
	operations  map[instrumented.Operation]operationMetrics
	outcomes    *prometheus.CounterVec
	conflicts   *prometheus.CounterVec
	marks       *prometheus.CounterVec
	pushes      *prometheus.CounterVec
	resolutions *prometheus.CounterVec
	deliveries  *prometheus.CounterVec
	solving     prometheus.Histogram
	leading     *prometheus.GaugeVec
	connections prometheus.Gauge
	full        prometheus.Gauge
	readOnly    prometheus.Gauge
	closed      prometheus.Counter
	// scrubFindings and scrubbed tell of the last scrub; they are set by the process that did it.
	scrubFindings, scrubbed prometheus.Gauge
	damage                  damage
}

// operationMetrics are those of one operation of the store, looked up once.
type operationMetrics struct {
	duration prometheus.Observer
	done     prometheus.Counter
}

// conflictCodes are those of conditions of a commit that do not hold.
var conflictCodes = []dovetail.Code{dovetail.CodeExists, dovetail.CodeNotFound, dovetail.CodeStale, dovetail.CodeMissing, dovetail.CodeInUse}

// newMetrics makes the metrics of a server of the version on a backend.
func newMetrics(backend, version string) *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	in := promauto.With(registry)
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return in.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &metrics{Registry: registry, backend: backend, operations: make(map[instrumented.Operation]operationMetrics)}
	m.outcomes = counters("dovetail_store_operations_total", "Operations on the database, by backend, operation and error code; ok is none.", "backend", "operation", "code")
	m.conflicts = counters("dovetail_store_conflicts_total", "Commits that a condition refused, by backend and the code of the first one.", "backend", "code")
	m.marks = counters("dovetail_store_marks_resolved_total", "Marks that other processes left on documents and this one took away, by what became of their transactions. Only on MongoDB.", "result")
	m.pushes = counters("dovetail_git_pushes_total", "Pushes to the instance repository, by result: ok or an error code.", "result")
	m.resolutions = counters("dovetail_resolutions_total", "Problems that the controller of resolutions answered, by result.", "result")
	m.deliveries = counters("dovetail_webhook_deliveries_total", "Attempts to deliver events, by webhook and result: delivered, failed or dead; and lost, for each range of commits whose events the history no longer had.", "webhook", "result")
	m.solving = in.NewHistogram(prometheus.HistogramOpts{Name: "dovetail_resolution_duration_seconds", Help: "Time to solve one of them.",
		Buckets: []float64{.0005, .001, .005, .01, .05, .1, .5, 1, 5, 10, 30, 60}})
	m.leading = in.NewGaugeVec(prometheus.GaugeOpts{Name: "dovetail_leading",
		Help: "1 while this process does the work that one of all processes on the database does, by work."}, []string{"work"})
	m.full = in.NewGauge(prometheus.GaugeOpts{Name: "dovetail_store_disk_full", Help: "1 while the database refuses writes for lack of space."})
	m.readOnly = in.NewGauge(prometheus.GaugeOpts{Name: "dovetail_store_read_only", Help: "1 while the database refuses writes because its file system is read-only."})
	m.connections = in.NewGauge(prometheus.GaugeOpts{Name: "dovetail_http_connections", Help: "Connections that are open."})
	m.closed = in.NewCounter(prometheus.CounterOpts{Name: "dovetail_http_connections_closed_total", Help: "Connections that were closed to make room for others."})
	m.scrubFindings = in.NewGauge(prometheus.GaugeOpts{Name: "dovetail_scrub_findings", Help: "Defects that the last scrub of this process found."})
	m.scrubbed = in.NewGauge(prometheus.GaugeOpts{Name: "dovetail_scrub_last_timestamp_seconds", Help: "When the last scrub of this process ended, 0 before the first one."})
	in.NewGaugeVec(prometheus.GaugeOpts{Name: "dovetail_build_info", Help: "1, with the version of the program."}, []string{"version"}).WithLabelValues(version).Set(1)
	durations := in.NewHistogramVec(prometheus.HistogramOpts{Name: "dovetail_store_operation_duration_seconds", Help: "Time of operations on the database, by backend and operation.",
		Buckets: []float64{.00001, .00005, .0001, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}, []string{"backend", "operation"})
	for _, operation := range instrumented.Operations() {
		m.operations[operation] = operationMetrics{duration: durations.WithLabelValues(backend, string(operation)), done: m.outcomes.WithLabelValues(backend, string(operation), "ok")}
	}
	for _, code := range conflictCodes {
		m.conflicts.WithLabelValues(backend, string(code))
	}
	for _, result := range []string{"committed", "aborted"} {
		m.marks.WithLabelValues(result)
	}
	for _, result := range resolution.Results() {
		m.resolutions.WithLabelValues(string(result))
	}
	m.pushes.WithLabelValues("ok")
	return m
}

var _ instrumented.Observer = (*metrics)(nil)

// Begun implements observed.Observer.
func (m *metrics) Begun(ctx context.Context, _ instrumented.Operation) context.Context { return ctx }

// Ended implements observed.Observer.
func (m *metrics) Ended(_ context.Context, operation instrumented.Operation, took time.Duration, err error) {
	m.observeSpace(operation, err)
	own := m.operations[operation]
	own.duration.Observe(took.Seconds())
	if err == nil {
		own.done.Inc()
		return
	}
	code := dovetail.CodeOf(err)
	m.outcomes.WithLabelValues(m.backend, string(operation), string(code)).Inc()
	if code == dovetail.CodeCorrupt {
		m.damage.met(time.Now())
	}
	if operation != instrumented.Commit {
		return
	}
	for _, conflict := range conflictCodes {
		if code == conflict {
			m.conflicts.WithLabelValues(m.backend, string(code)).Inc()
		}
	}
}

// observeSpace notes whether the disk is full or read-only. Small writes may fit even then: only a ping tells that there is space.
func (m *metrics) observeSpace(operation instrumented.Operation, err error) {
	var e *dovetail.Error
	switch {
	case err == nil && operation == instrumented.Ping:
		m.full.Set(0)
		m.readOnly.Set(0)
	case err != nil && errors.As(err, &e) && e.Reason == dovetail.ReasonDiskFull:
		m.full.Set(1)
	case dovetail.IsOnlyRead(err):
		m.readOnly.Set(1)
	}
}

// resolvedIntents counts intents of dead processes.
func (m *metrics) resolvedIntents(happened bool, n int) {
	result := "aborted"
	if happened {
		result = "committed"
	}
	m.marks.WithLabelValues(result).Add(float64(n))
}

// showLevel shows the protocol level of the store, and the newest that this process knows.
func (m *metrics) showLevel(read func() (level, newest protocol.Level)) {
	in := promauto.With(m.Registry)
	in.NewGaugeFunc(prometheus.GaugeOpts{Name: "dovetail_store_protocol_level", Help: "The protocol level of the store, as this process uses it. Only on MongoDB."}, func() float64 {
		level, _ := read()
		return float64(level)
	})
	in.NewGaugeFunc(prometheus.GaugeOpts{Name: "dovetail_store_protocol_newest_level", Help: "The newest protocol level that this process knows. Only on MongoDB."}, func() float64 {
		_, newest := read()
		return float64(newest)
	})
}

// pushed counts a push.
func (m *metrics) pushed(err error) {
	result := "ok"
	if err != nil {
		result = string(dovetail.CodeOf(err))
	}
	m.pushes.WithLabelValues(result).Inc()
}

// answered counts a resolution.
func (m *metrics) answered(result resolution.Result, took time.Duration) {
	m.resolutions.WithLabelValues(string(result)).Inc()
	m.solving.Observe(took.Seconds())
}
