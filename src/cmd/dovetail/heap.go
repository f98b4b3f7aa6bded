package main

import (
	"context"
	"runtime/debug"

	"github.com/dovetail-store/dovetail/src/internal/app"
)

// firstHeap is never used, and so takes address space only: the garbage collector counts it, and waits until a command has as much garbage.
// Commands that read some hundred files end before that. Only the variable may hold it, so that a server can let it go.
var firstHeap = make([]byte, 48<<20)

// free gives the first heap back to the system. In about every fifth process the runtime has written zeros to it, so that it takes
// memory, and would for minutes.
func free() {
	firstHeap = nil
	debug.FreeOSMemory()
}

// serve is app.Serve, which has the collector suit the memory of the server itself.
func serve(ctx context.Context, given map[string]string) error {
	free()
	return app.Serve(ctx, given)
}

// gateway is app.Gateway, which runs for long too.
func gateway(ctx context.Context, given map[string]string, servers []string) error {
	free()
	return app.Gateway(ctx, given, servers)
}
