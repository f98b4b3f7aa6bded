package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/gateway"
)

// Gateway runs a gateway for the command line until the context ends. Requests under way are then finished. given
// are settings as Load takes them.
func Gateway(ctx context.Context, given map[string]string, servers []string) error {
	config, err := Load(given, os.LookupEnv)
	if err != nil {
		return err
	}
	g, err := gateway.New(gateway.Options{Servers: servers, Log: newLog(config, os.Stderr)})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", config.Listen)
	if err != nil {
		return cannotListen(config.Listen, "--listen", err)
	}
	fmt.Fprintf(os.Stdout, "The gateway listens on %s.\n", listener.Addr())
	return serveGateway(ctx, listener, g)
}

func serveGateway(ctx context.Context, listener net.Listener, g *gateway.Gateway) error {
	const header, idle, last = 10 * time.Second, 2 * time.Minute, 15 * time.Second
	server := &http.Server{Handler: guardedGateway(g), ReadHeaderTimeout: header, IdleTimeout: idle}
	asking, stop := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { g.Run(asking) })
	defer background.Wait()
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the gateway ended: " + plainCause(err), Err: err}
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), last)
	defer cancel()
	if err := server.Shutdown(ending); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return dovetail.AsError(err)
	}
	return nil
}
