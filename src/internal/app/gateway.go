package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/server/gateway"
)

// Gateway runs a gateway for the command line until the context ends. Requests under way are then finished. given
// are settings as Load takes them.
func Gateway(ctx context.Context, given map[string]string, servers []string) error {
	config, err := Load(given, os.LookupEnv)
	if err != nil {
		return err
	}
	g, err := startGateway(ctx, config, servers, os.Stderr)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "The gateway listens on %s.\n", g.listener.Addr())
	return g.run(ctx)
}

// gatewayProcess is one running gateway.
type gatewayProcess struct {
	config     Config
	log        *slog.Logger
	http       *http.Server
	listener   net.Listener
	metricsAt  net.Addr   // of --metrics-listen; nil if there is none
	failed     chan error // what ended the HTTP server
	background sync.WaitGroup
	stop       context.CancelFunc // of the background work
}

// startGateway begins to serve. Call run, which ends what it began.
func startGateway(ctx context.Context, config Config, servers []string, logs io.Writer) (*gatewayProcess, error) {
	g := &gatewayProcess{config: config, log: newLog(config, logs), failed: make(chan error, 1)}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	g.stop = stop
	if err := g.start(background, servers); err != nil {
		stop()
		g.background.Wait()
		return nil, err
	}
	return g, nil
}

func (g *gatewayProcess) start(background context.Context, servers []string) error {
	registry := prometheus.NewRegistry()
	options := gateway.Options{Servers: servers, Log: g.log, Proxies: g.config.Proxies, Metrics: registry,
		Limits: gateway.Limits{Body: max(g.config.MaxBody, g.config.MaxBatch), Request: g.config.RequestTimeout,
			PerSecond: float64(g.config.Rate), Burst: g.config.Burst, AtOnce: g.config.AtOnce}}
	secured, err := newUpstream(g.config, servers, g.log)
	if err != nil {
		return err
	}
	if secured != nil {
		options.TLS = secured.config
	}
	handler, err := gateway.New(options)
	if err != nil {
		return err
	}
	var own *certificate
	if g.config.TLSCert != "" || g.config.TLSKey != "" {
		if own, err = newCertificate(g.config.TLSCert, g.config.TLSKey, g.log); err != nil {
			return err
		}
	}
	if g.listener, err = net.Listen("tcp", g.config.Listen); err != nil {
		return cannotListen(g.config.Listen, "--listen", err)
	}
	open, closed := gatewayMetrics(registry)
	if g.config.MetricsListen != "" {
		if g.metricsAt, err = serveMetrics(background, &g.background, g.config.MetricsListen, registry, g.log); err != nil {
			_ = g.listener.Close() // err tells why it is given up
			return err
		}
	}
	g.http = handler.Server(guardedGateway(handler))
	g.http.ConnState = newConnections(boundConnections(g.config.MaxConnections, gatewaySockets, g.log), open, closed).changed
	serve := g.http.Serve
	if own != nil {
		g.http.TLSConfig = own.config()
		g.background.Go(func() { own.run(background) })
		serve = func(l net.Listener) error { return g.http.ServeTLS(l, "", "") }
	}
	if secured != nil {
		g.background.Go(func() { secured.run(background) })
	}
	g.background.Go(func() { handler.Run(background) })
	go func() {
		if err := serve(g.listener); !errors.Is(err, http.ErrServerClosed) {
			g.failed <- err
		}
	}()
	return nil
}

// gatewayMetrics registers those of a gateway's process, and returns those of its connections.
func gatewayMetrics(registry *prometheus.Registry) (open prometheus.Gauge, closed prometheus.Counter) {
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	in := promauto.With(registry)
	in.NewGaugeVec(prometheus.GaugeOpts{Name: "dovetail_build_info", Help: "1, with the version of the program."}, []string{"version"}).
		WithLabelValues(cli.ReadBuild().Version).Set(1)
	return in.NewGauge(prometheus.GaugeOpts{Name: "dovetail_http_connections", Help: "Connections that are open."}),
		in.NewCounter(prometheus.CounterOpts{Name: "dovetail_http_connections_closed_total", Help: "Connections that were closed to make room for others."})
}

// run serves until the context ends or the HTTP server fails. Then it finishes the requests under way, for as long as
// the configuration allows.
func (g *gatewayProcess) run(ctx context.Context) error {
	var failure error
	select {
	case err := <-g.failed:
		failure = &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the gateway ended: " + plainCause(err), Err: err}
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.config.ShutdownTimeout)
	defer cancel()
	if err := g.http.Shutdown(ending); err != nil {
		g.log.Warn("requests were cut off", "after", g.config.ShutdownTimeout, "error", err)
		_ = g.http.Close() // cuts what is left; Shutdown said why
	}
	g.stop()
	g.background.Wait()
	return failure
}
