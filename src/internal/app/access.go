package app

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/internal/server/forwarded"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/server/kubeapi"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/schema"
)

// gatekeeper authenticates and knows what principals may do, by an access policy file that may change while
// the server runs. A file that is invalid is refused, and the last good one stays.
type gatekeeper struct {
	path     string
	reserved string // the prefix of names of the provider, which no token of the file may have
	proxies  forwarded.Proxies
	keystone bool                 // tokens may come as clients of OpenStack Keystone send them, in X-Auth-Token
	model    func() *schema.Model // in force
	log      *slog.Logger

	authenticator *access.Authenticator
	sessions      *access.Sessions
	ended         *endedSessions     // nil until the store is open
	clients       *clientCAs         // nil without client certificates
	proxied       *frontProxies      // nil without front proxies
	delegation    *access.Delegation // nil where no cluster is asked about rights
	deckhand      *deckhandPolicy    // nil without a policy file of Deckhand
	registered    *registration      // nil where no cluster is asked about front proxies
	current       atomic.Pointer[accessState]

	mu      sync.Mutex
	refused string // of the file as it is; "" when it is in force
}

// accessState is a file in force with what was made of it.
type accessState struct {
	file *access.File
	text string
}

// newGatekeeper reads the access policy file, and the CA certificates of clients. The errors are those of the files and
// of settings that do not fit together.
func newGatekeeper(ctx context.Context, config Config, model func() *schema.Model, log *slog.Logger) (*gatekeeper, error) {
	g := &gatekeeper{model: model, path: config.Access, reserved: config.OIDCNamePrefix, proxies: config.Proxies, log: log,
		keystone: config.Keystone != "" || config.LayeringProfile == rendering.ProfileDeckhand}
	state, err := g.read()
	if err != nil {
		return nil, err
	}
	g.current.Store(state)
	ways := access.Authenticators{Tokens: func() *access.Tokens { return g.current.Load().file.Tokens }, Now: time.Now}
	if config.OIDCIssuer != "" {
		ways.Issuer = access.NewIssuer(access.IssuerOptions{URL: config.OIDCIssuer, Audience: config.OIDCAudience, Name: config.OIDCName, Groups: config.OIDCGroups,
			NamePrefix: config.OIDCNamePrefix, GroupsPrefix: config.OIDCGroupsPrefix})
	}
	var cluster *access.Cluster
	if config.asksKubernetes() {
		if cluster, err = newCluster(config.Kubernetes); err != nil {
			return nil, err
		}
	}
	if config.TokenReview.Enabled {
		ways.Reviewer = access.NewReviewer(cluster, access.ReviewerOptions{Audience: config.TokenReview.Audience})
	}
	if config.Keystone != "" {
		client, err := keystone.New(keystone.Options{File: config.Keystone})
		if err != nil {
			return nil, err
		}
		ways.Reviewer = access.NewKeystoneReviewer(client, time.Now)
	}
	if config.DeckhandPolicy != "" {
		if g.deckhand, err = newDeckhandPolicy(config.DeckhandPolicy, log); err != nil {
			return nil, err
		}
	}
	if config.AccessReview {
		g.delegation = access.NewDelegation(cluster, access.DelegationOptions{Resource: resourcesOf(model), Log: log})
	}
	if config.FrontProxy.Enabled {
		if g.proxied, err = newFrontProxies(ctx, config.FrontProxy, cluster, log); err != nil {
			return nil, err
		}
		ways.FrontProxies = g.proxied.trusted.Load
		if config.FrontProxy.CAFile == "" && slices.Contains(config.Services, ServiceResources) {
			g.registered = &registration{cluster: cluster, model: model, log: log}
		}
	}
	if config.ClientCA != "" {
		if g.clients, err = newClientCAs(config.ClientCA, config.RequireClient, log); err != nil {
			return nil, err
		}
		ways.Clients = g.clients.trusted.Load
	}
	g.authenticator = access.NewAuthenticator(ways)
	g.sessions = access.NewSessions(g.authenticator)
	return g, nil
}

// asksKubernetes reports whether the Kubernetes API server is needed.
func (c *Config) asksKubernetes() bool {
	return c.TokenReview.Enabled || c.AccessReview || c.FrontProxy.Enabled && c.FrontProxy.CAFile == ""
}

// newCluster is the API server of the cluster that this process runs in, where the settings do not name another.
func newCluster(settings Kubernetes) (*access.Cluster, error) {
	if host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"); settings.Server == "" && host != "" {
		settings.Server = "https://" + net.JoinHostPort(host, port)
	}
	return access.NewCluster(access.ClusterOptions{Server: settings.Server, CAFile: settings.CAFile, TokenFile: settings.TokenFile})
}

func (g *gatekeeper) read() (*accessState, error) {
	text, err := os.ReadFile(g.path)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: g.path}, Err: err,
			Message: "the access policy file cannot be read: " + plainCause(err), Remedy: "name a YAML file with --access"}
	}
	if was := g.current.Load(); was != nil && was.text == string(text) {
		return was, nil
	}
	file, err := access.Parse(g.path, text, g.reserved)
	if err != nil {
		return nil, err
	}
	return &accessState{file: file, text: string(text)}, file.Policy.CheckKinds(kindsOf(g.model()))
}

// kindsOf are what an access policy and an audit policy can be about.
func kindsOf(model *schema.Model) access.Kinds {
	known := access.Kinds{KindOf: func(id dovetail.ID) error {
		_, err := model.KindOf(id)
		return err
	}}
	for _, kind := range model.Kinds() {
		known.Names = append(known.Names, kind.Name)
	}
	return known
}

// run keeps the files in force equal to those on disk until the context ends, and ends streams whose identity holds no
// longer.
func (g *gatekeeper) run(ctx context.Context) {
	// The file is read every second besides, for file systems that do not notify of changes: revocation must not wait.
	const settle, poll, expiry = 100 * time.Millisecond, time.Second, 250 * time.Millisecond
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		watchDirectory(ctx, filepath.Dir(g.path), settle, poll, g.log, func(context.Context) { g.reload(ctx) })
	})
	all.Go(func() { g.ended.run(ctx) })
	if g.clients != nil {
		all.Go(func() { g.clients.run(ctx, func() { g.sessions.Recheck(ctx) }) })
	}
	if g.proxied != nil {
		all.Go(func() { g.proxied.run(ctx, func() { g.sessions.Recheck(ctx) }) })
	}
	if g.registered != nil {
		all.Go(func() { g.registered.run(ctx) })
	}
	if g.deckhand != nil {
		all.Go(func() { g.deckhand.run(ctx) })
	}
	ticker := time.NewTicker(expiry)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			g.sessions.Recheck(ctx)
		}
	}
}

func (g *gatekeeper) reload(ctx context.Context) {
	state, err := g.read()
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err != nil && err.Error() != g.refused:
		g.refused = err.Error()
		g.log.Error("the changed access policy file is refused, the last good one stays in force", "file", g.path, "error", err)
	case err == nil:
		g.refused = ""
		if state != g.current.Load() {
			g.current.Store(state)
			g.sessions.Recheck(ctx)
			g.log.Info("a changed access policy file is in force", "file", g.path)
		}
	}
}

// checks are those for /readyz.
func (g *gatekeeper) checks() []httpapi.Check {
	checks := []httpapi.Check{{Name: "access", Run: g.check}}
	if g.proxied != nil {
		checks = append(checks, httpapi.Check{Name: "front-proxy", Run: g.proxied.check})
	}
	if g.registered != nil {
		checks = append(checks, httpapi.Check{Name: "api-groups", Run: g.registered.check})
	}
	if g.deckhand != nil {
		checks = append(checks, httpapi.Check{Name: "deckhand-policy", Run: g.deckhand.check})
	}
	return checks
}

// check reports whether the access policy file is in force.
func (g *gatekeeper) check(context.Context) (detail string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refused != "" {
		return "the file as it is now is refused; the last good one is in force", refusedFile()
	}
	if err := g.current.Load().file.Policy.CheckKinds(kindsOf(g.model())); err != nil {
		return "in force, but names kinds that the ref-schema no longer has", httpapi.Degraded(err)
	}
	return "in force", nil
}

// namespaceController deletes what is in a namespace of a cluster that goes, in every API group. The documents of a namespace
// of the same name have nothing to do with it.
const namespaceController = access.ServiceAccountPrefix + "kube-system:namespace-controller"

// Permissions implements store.Guard.
func (g *gatekeeper) Permissions(ctx context.Context) dovetail.Permissions {
	who := dovetail.PrincipalOf(ctx)
	own := withGranted(ctx, who, g.current.Load().file.Policy.For(who))
	if who != nil && who.Name == namespaceController && !own.Anywhere(dovetail.RightRead, nil, "") {
		return access.Bystander{Grants: own}
	}
	return g.delegation.For(ctx, who, own)
}

// resourcesOf names documents as the Kubernetes API does, by the model in force.
func resourcesOf(model func() *schema.Model) func(kind string, id dovetail.ID) (access.Resource, bool) {
	type named struct {
		of    *schema.Model
		names kubeapi.Names
	}
	var last atomic.Pointer[named]
	return func(kind string, id dovetail.ID) (access.Resource, bool) {
		known := last.Load()
		if now := model(); known == nil || known.of != now {
			known = &named{now, kubeapi.NewNames(now)}
			last.Store(known)
		}
		t, ok := known.names.Of(kind)
		if !ok {
			return access.Resource{}, false
		}
		r := access.Resource{Group: t.Group(), Plural: t.Plural()}
		if id != "" {
			r.Namespace, r.Name = t.Place(id)
		}
		return r, true
	}
}

// Protections implements store.Guard.
func (g *gatekeeper) Protections(context.Context) []dovetail.Protection {
	return g.current.Load().file.Policy.Protections()
}

// protections returns Protections; nil without access control.
func (g *gatekeeper) protections() func(context.Context) []dovetail.Protection {
	if g == nil {
		return nil
	}
	return g.Protections
}

// KnownProtections implements httpapi.Access.
func (g *gatekeeper) KnownProtections(ctx context.Context) []dovetail.Protection {
	return g.current.Load().file.Policy.ProtectionsFor(dovetail.PrincipalOf(ctx))
}

// Roles implements httpapi.Access.
func (g *gatekeeper) Roles(ctx context.Context) []dovetail.HeldRole {
	return g.current.Load().file.Policy.RolesOf(dovetail.PrincipalOf(ctx))
}

// system is the context of work without a request.
func system(ctx context.Context, name string) context.Context {
	return dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: dovetail.SystemPrefix + name})
}

// checkExposure refuses to listen beyond loopback without authentication, unless configured so.
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
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "listening on " + config.Listen + " would let every host that reaches this machine change everything",
		Remedy: "give an access policy file with --access FILE, or allow anonymous access with --anonymous anywhere"}
}
