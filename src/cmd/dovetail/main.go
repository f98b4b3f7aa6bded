// Command dovetail runs the Dovetail server and speaks to it: see `dovetail help`.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)                    // a second signal ends the program at once
	defer func() { runtime.KeepAlive(firstHeap) }() // as it is then: an argument of the deferred call would hold it from now on
	deps := app.Program()
	deps.OutTerminal, deps.ErrTerminal = isTerminal(os.Stdout), isTerminal(os.Stderr)
	deps.Serve, deps.Gateway = serve, gateway
	return cli.RunAs(ctx, deps, os.Args[0], os.Args[1:])
}

// isTerminal reports whether the file is a character device, which terminals are.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
