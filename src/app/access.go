package app

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/access"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// gatekeeper asks who somebody is and knows what they may do, by a file of access that may change while
// the server runs. A file that is invalid is refused, and the last good one stays.
type gatekeeper struct {
	path          string
	log           *slog.Logger
	authenticator *access.Authenticator
	current       atomic.Pointer[accessState]

	mu      sync.Mutex
	refused string // of the file as it is; "" when it is in force
}

// accessState is a file in force with what was made of it.
type accessState struct {
	file *access.File
	text string
}

// newGatekeeper reads the file of access. The errors are those of the file.
func newGatekeeper(config Config, log *slog.Logger) (*gatekeeper, error) {
	g := &gatekeeper{path: config.Access, log: log}
	state, err := g.read()
	if err != nil {
		return nil, err
	}
	g.current.Store(state)
	var issuer *access.Issuer
	if config.OIDCIssuer != "" {
		issuer = access.NewIssuer(access.IssuerOptions{URL: config.OIDCIssuer, Audience: config.OIDCAudience, Name: config.OIDCName, Groups: config.OIDCGroups})
	}
	g.authenticator = access.NewAuthenticator(func() *access.Tokens { return g.current.Load().file.Tokens }, issuer, time.Now)
	return g, nil
}

func (g *gatekeeper) read() (*accessState, error) {
	text, err := os.ReadFile(g.path)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: g.path}, Err: err,
			Message: "the file of access cannot be read: " + plainCause(err), Remedy: "name a YAML file with --access"}
	}
	file, err := access.Parse(g.path, text)
	if err != nil {
		return nil, err
	}
	return &accessState{file: file, text: string(text)}, nil
}

// run keeps the file in force equal to the one on disk until the context ends.
func (g *gatekeeper) run(ctx context.Context) {
	watchDirectory(ctx, filepath.Dir(g.path), 200*time.Millisecond, 30*time.Second, g.log, func(context.Context) { g.reload() })
}

func (g *gatekeeper) reload() {
	state, err := g.read()
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err != nil && err.Error() != g.refused:
		g.refused = err.Error()
		g.log.Error("the changed file of access is refused, the last good one stays in force", "file", g.path, "error", err)
	case err == nil:
		g.refused = ""
		if state.text != g.current.Load().text {
			g.current.Store(state)
			g.log.Info("a changed file of access is in force", "file", g.path)
		}
	}
}

// check is the detail for /readyz.
func (g *gatekeeper) check(context.Context) (detail string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refused != "" {
		return "the file as it is now is refused; the last good one is in force", nil
	}
	return "in force", nil
}

// authenticate is httpapi.Authenticate.
func (g *gatekeeper) authenticate(ctx context.Context, header http.Header) (*dovetail.Principal, error) {
	return g.authenticator.Authenticate(ctx, header.Get("Authorization"))
}

// Permissions implements store.Guard.
func (g *gatekeeper) Permissions(ctx context.Context) dovetail.Permissions {
	return g.current.Load().file.Policy.For(dovetail.PrincipalOf(ctx))
}

// system is the context of work that Dovetail does by itself.
func system(ctx context.Context, name string) context.Context {
	return dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: dovetail.SystemPrefix + name})
}

// checkExposure refuses to let everybody who can reach the machine do everything, unless told so.
func checkExposure(config Config) error {
	if config.Access != "" || config.Anonymous {
		return nil
	}
	host, _, err := net.SplitHostPort(config.Listen)
	if err != nil {
		return nil //nolint:nilerr // listening says what is wrong with an address
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "listening on " + config.Listen + " would let everybody who reaches this machine change everything",
		Remedy: "say who may do what with --access FILE, or that everybody may with --anonymous anywhere"}
}
