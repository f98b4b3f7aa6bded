package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

// frontProxies are the proxies that are believed about whose a request is: those of a file, or those that the Kubernetes cluster
// names. They are read again when they change. What is invalid is refused, and the last good ones stay.
type frontProxies struct {
	path    string   // PEM file; "" for what the cluster says
	names   []string // with the file
	cluster *access.Cluster
	log     *slog.Logger
	trusted atomic.Pointer[access.FrontProxies]

	mu      sync.Mutex
	refused string // why they could not be read; "" when they are in force
}

// newFrontProxies reads them. The error, of CodeInvalid, is that of the file; a cluster that does not answer is asked again by run.
func newFrontProxies(ctx context.Context, settings FrontProxy, cluster *access.Cluster, log *slog.Logger) (*frontProxies, error) {
	f := &frontProxies{path: settings.CAFile, names: settings.Names, cluster: cluster, log: log}
	if _, err := f.read(ctx); err != nil {
		if f.path != "" {
			return nil, err
		}
		f.note(err)
	}
	return f, nil
}

// read puts them in force and reports whether they changed.
func (f *frontProxies) read(ctx context.Context) (changed bool, err error) {
	next, err := f.readNext(ctx)
	if err != nil || next.Equal(f.trusted.Load()) {
		return false, err
	}
	f.trusted.Store(next)
	return true, nil
}

func (f *frontProxies) readNext(ctx context.Context) (*access.FrontProxies, error) {
	if f.path == "" {
		return f.cluster.FrontProxies(ctx)
	}
	text, err := os.ReadFile(f.path)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: f.path}, Err: err,
			Message: "the CA certificates of front proxies cannot be read: " + plainCause(err), Remedy: "name a PEM file with --front-proxy-ca"}
	}
	cas, err := access.ParseClients(f.path, text)
	if err != nil {
		return nil, err
	}
	return access.NewFrontProxies(cas, f.names), nil
}

// note remembers why they cannot be read, and logs that once.
func (f *frontProxies) note(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err == nil:
		f.refused = ""
	case err.Error() != f.refused:
		f.refused = err.Error()
		f.log.Error("front proxies are not known, or the changed ones are refused and the last good ones stay in force", "error", err)
	}
}

// run keeps them in force until the context ends.
func (f *frontProxies) run(ctx context.Context, changed func()) {
	update := func(ctx context.Context) {
		news, err := f.read(ctx)
		if f.note(err); news {
			f.log.Info("front proxies are in force", "from", f.source())
			changed()
		}
	}
	if f.path != "" {
		const settle, poll = 100 * time.Millisecond, time.Second
		watchDirectory(ctx, filepath.Dir(f.path), settle, poll, f.log, update)
		return
	}
	const soon, later = time.Second, 15 * time.Second // until they are known, and then
	for {
		wait := later
		if f.trusted.Load() == nil {
			wait = soon
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			update(ctx)
		}
	}
}

func (f *frontProxies) source() string {
	if f.path != "" {
		return f.path
	}
	return "the cluster"
}

// check is the detail for /readyz.
func (f *frontProxies) check(context.Context) (detail string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.refused == "":
		return "in force", nil
	case f.trusted.Load() == nil:
		return "not known, so that none is trusted", refusedFile()
	}
	return "the current ones are refused; the last valid ones are in force", refusedFile()
}

// parseNames reads names separated by commas.
func parseNames(text string) []string {
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
