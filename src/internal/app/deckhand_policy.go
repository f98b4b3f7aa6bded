package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/oslopolicy"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/layering"
)

// deckhandPolicy is a policy file of Deckhand, which may change while the server runs. A file that is invalid is refused, and the last good
// one stays. It implements layering.Policy.
type deckhandPolicy struct {
	path    string
	log     *slog.Logger
	current atomic.Pointer[deckhandRules]

	mu      sync.Mutex
	refused string // why the file as it is was refused; "" when it is in force
}

// deckhandRules are those in force with the text that they were read from.
type deckhandRules struct {
	*oslopolicy.Policy
	text string
}

// newDeckhandPolicy reads the file. The errors are those of the file.
func newDeckhandPolicy(path string, log *slog.Logger) (*deckhandPolicy, error) {
	p := &deckhandPolicy{path: path, log: log}
	_, err := p.read()
	return p, err
}

// read puts the file in force and reports whether it changed.
func (p *deckhandPolicy) read() (changed bool, err error) {
	text, err := os.ReadFile(p.path)
	if err != nil {
		return false, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: p.path}, Err: err,
			Message: "the policy file of Deckhand cannot be read: " + plainCause(err), Remedy: "name a YAML file with --deckhand-policy"}
	}
	if was := p.current.Load(); was != nil && was.text == string(text) {
		return false, nil
	}
	rules, err := oslopolicy.Parse(p.path, text, oslopolicy.Service{Actions: layering.Actions(), Default: "rule:admin_api", Rules: map[string]string{"admin_api": "role:admin"}})
	if err != nil {
		return false, err
	}
	p.current.Store(&deckhandRules{rules, string(text)})
	return true, nil
}

// run keeps the file in force until the context ends.
func (p *deckhandPolicy) run(ctx context.Context) {
	const settle, poll = 100 * time.Millisecond, time.Second
	watchDirectory(ctx, filepath.Dir(p.path), settle, poll, p.log, func(context.Context) {
		changed, err := p.read()
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case err != nil && err.Error() != p.refused:
			p.refused = err.Error()
			p.log.Error("the changed policy file of Deckhand is refused, the last good one stays in force", "file", p.path, "error", err)
		case err == nil:
			if p.refused = ""; changed {
				p.log.Info("a changed policy file of Deckhand is in force", "file", p.path)
			}
		}
	})
}

// check is the detail for /readyz.
func (p *deckhandPolicy) check(context.Context) (detail string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused != "" {
		return "the file as it is now is refused; the last good one is in force", refusedFile()
	}
	return "in force", nil
}

// Allows implements layering.Policy.
func (p *deckhandPolicy) Allows(ctx context.Context, action string) bool {
	who := dovetail.PrincipalOf(ctx)
	return who != nil && p.current.Load().Allows(action, access.OsloSubject(who))
}

// granted is what a request may do beside what its principal may do otherwise.
type granted struct {
	who    *dovetail.Principal
	action string
	rights []dovetail.Right
	kinds  []string
}

type grantedKey struct{}

// Granting implements layering.Policy.
func (p *deckhandPolicy) Granting(ctx context.Context, action string, rights []dovetail.Right, kinds []string) context.Context {
	return context.WithValue(ctx, grantedKey{}, &granted{dovetail.PrincipalOf(ctx), action, rights, kinds})
}

// withGranted are the grants of a principal with those of the request.
func withGranted(ctx context.Context, who *dovetail.Principal, own *access.Grants) *access.Grants {
	if g, _ := ctx.Value(grantedKey{}).(*granted); g != nil && g.who == who && len(g.rights) > 0 {
		return own.With(g.action, g.rights, g.kinds)
	}
	return own
}
