package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// listenBeside serves what has an address of its own, beside the API, until the context ends.
func (s *Server) listenBeside(background context.Context) error {
	if s.config.Pprof != "" {
		if err := s.profiles(background); err != nil {
			return err
		}
	}
	if s.config.MetricsListen == "" {
		return nil
	}
	address, err := serveMetrics(background, &s.background, s.config.MetricsListen, s.metrics.Registry, s.log)
	s.metricsAt = address
	return err
}

// serveMetrics serves the metrics of the registry on an address of their own, without authentication.
func serveMetrics(background context.Context, group *sync.WaitGroup, address string, registry *prometheus.Registry, log *slog.Logger) (net.Addr, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, cannotListen(address, "--metrics-listen", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	serveUntil(background, group, listener, mux, log)
	return listener.Addr(), nil
}

// serveUntil serves a small handler on a listener until the context ends.
func serveUntil(background context.Context, group *sync.WaitGroup, listener net.Listener, handler http.Handler, log *slog.Logger) {
	const header, read, idle, size = 10 * time.Second, 10 * time.Second, time.Minute, 16 << 10
	server := &http.Server{Handler: handler, ReadHeaderTimeout: header, ReadTimeout: read, IdleTimeout: idle, MaxHeaderBytes: size,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	group.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("a listener ended", "address", listener.Addr().String(), "error", err)
		}
	})
	group.Go(func() {
		<-background.Done()
		_ = server.Close() // what it shows is of a process that ends
	})
}
