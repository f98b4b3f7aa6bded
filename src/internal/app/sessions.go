package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/internal/server/forwarded"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// authenticate is httpapi.Authenticate.
func (g *gatekeeper) authenticate(ctx context.Context, r *http.Request) (httpapi.Caller, error) {
	if authorization := forwarded.Authorization(r.Header); g.keystone && authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	connection, proxied := r.TLS, g.proxies.Trusts(r)
	if proxied {
		connection = nil // its certificate is the proxy's, not that of whoever sent the request to it
	}
	who, err := g.authenticator.Forwarded(r.Header, r.TLS)
	if who == nil && err == nil {
		who, err = g.authenticator.Authenticate(ctx, r.Header.Get("Authorization"), connection)
	}
	if err != nil {
		return nil, err
	}
	address := r.RemoteAddr
	if proxied {
		if client, ok := g.proxies.Client(r); ok {
			address = client.String()
		}
	}
	request, err := g.sessions.Use(who, address)
	if err != nil {
		return nil, err
	}
	return caller{Request: request, delegated: g.delegation != nil && access.IsClusterUser(who.Principal)}, nil
}

// caller is an access.Request as the API sees it.
type caller struct {
	*access.Request

	delegated bool // a cluster is asked what it may do
}

// Principal implements httpapi.Caller.
func (c caller) Principal() *dovetail.Principal { return c.Identity.Principal }

// Decide implements httpapi.Caller.
func (c caller) Decide(ctx context.Context) (context.Context, func() error) {
	if !c.delegated {
		return ctx, nil
	}
	return access.Deciding(ctx)
}

// Self implements httpapi.Caller.
func (c caller) Self() dovetail.CallerIdentity {
	return dovetail.CallerIdentity{Principal: c.Identity.Principal.Name, Groups: c.Identity.Principal.Groups, Authenticated: string(c.Method),
		Session: c.Digest.Session().String(), Expires: c.Expires}
}

// WhoCan implements httpapi.Access.
func (g *gatekeeper) WhoCan(ctx context.Context, right dovetail.Right, kind string, id dovetail.ID) ([]dovetail.Subject, error) {
	if !g.Permissions(ctx).Everywhere(dovetail.RightRead) {
		return nil, &dovetail.Error{Code: dovetail.CodeForbidden, Message: dovetail.PrincipalOf(ctx).Name + " may not see who has which right",
			Remedy: "ask for the right to read every kind of document, everywhere"}
	}
	subjects := g.current.Load().file.Policy.WhoCan(right, kind, id)
	if subjects == nil {
		subjects = []dovetail.Subject{}
	}
	return subjects, nil
}

// Sessions implements httpapi.Access.
func (g *gatekeeper) Sessions(ctx context.Context) []dovetail.Session {
	if g.Permissions(ctx).Everywhere(dovetail.RightRead) {
		return g.sessions.List("")
	}
	return g.sessions.List(dovetail.PrincipalOf(ctx).Name)
}

// EndSession implements httpapi.Access. A principal may end its own sessions, and one that may delete everything those of
// all, also one that only another process knows.
func (g *gatekeeper) EndSession(ctx context.Context, id string) error {
	session, err := access.ParseSessionID(id)
	if err != nil {
		return err
	}
	by, found := dovetail.PrincipalOf(ctx).Name, g.sessions.Find(session)
	all := g.Permissions(ctx).Everywhere(dovetail.RightDelete)
	if !all && (found == nil || found.Principal.Name != by) {
		if g.Permissions(ctx).Everywhere(dovetail.RightRead) { // which sees the sessions of all
			return &dovetail.Error{Code: dovetail.CodeForbidden, Message: by + " may not end sessions of others",
				Remedy: "ask for the right to delete every kind of document, everywhere"}
		}
		return &dovetail.Error{Code: dovetail.CodeNotFound, Message: by + " has no session " + id + " on this process of the server",
			Remedy: "see `dovetail auth sessions`"}
	}
	ending := ending{By: by, Everywhere: all}
	if found != nil {
		ending.Principal, ending.Until = found.Principal.Name, found.Expires
	}
	if err := g.ended.end(ctx, session, ending); err != nil {
		return err
	}
	g.log.LogAttrs(ctx, slog.LevelInfo, "a session was ended", slog.String("session", id), slog.String("principal", ending.Principal), slog.String("by", by))
	return nil
}

// checkIdentities refuses settings of identities that do not fit together.
func checkIdentities(config Config) error {
	refused := func(message, remedy string) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: remedy}
	}
	switch {
	case config.ClientCA != "" && (config.Access == "" || config.TLSCert == ""):
		return refused("--client-ca needs --access and --tls-cert", "give all of them, or leave --client-ca out")
	case config.RequireClient && config.ClientCA == "":
		return refused("--client-auth require needs --client-ca", "name the CA certificates of clients with --client-ca")
	case config.TokenReview.Enabled && config.Access == "":
		return refused("--token-review needs --access", "give an access policy file with --access FILE")
	case config.Keystone != "" && config.Access == "":
		return refused("--keystone needs --access", "give an access policy file with --access FILE")
	case config.Keystone != "" && config.TokenReview.Enabled:
		return refused("--keystone and --token-review exclude each other", "let either Keystone or the Kubernetes API server check tokens")
	case config.DeckhandPolicy != "" && (config.Access == "" || config.LayeringProfile != rendering.ProfileDeckhand):
		return refused("--deckhand-policy needs --access and --layering-profile deckhand", "give all of them, or leave --deckhand-policy out")
	case config.AccessReview && config.Access == "":
		return refused("--subject-access-review needs --access", "give an access policy file with --access FILE")
	case config.FrontProxy.Enabled && (config.Access == "" || config.TLSCert == ""):
		return refused("--front-proxy needs --access and --tls-cert", "give all of them, or leave --front-proxy out")
	case !config.FrontProxy.Enabled && (config.FrontProxy.CAFile != "" || len(config.FrontProxy.Names) > 0):
		return refused("--front-proxy-ca and --front-proxy-names need --front-proxy on", "give --front-proxy on, or leave them out")
	case (config.FrontProxy.CAFile == "") != (len(config.FrontProxy.Names) == 0):
		return refused("--front-proxy-ca and --front-proxy-names go together", "name the CA certificates of front proxies and the common names that theirs have, or neither for what the Kubernetes API server tells")
	case config.OIDCIssuer != "" && config.Access == "":
		return refused("--oidc-issuer needs --access", "give an access policy file with --access FILE")
	}
	if config.OIDCClientID != "" && config.OIDCIssuer == "" {
		return refused("--oidc-client-id needs --oidc-issuer", "name the provider at which users sign in")
	}
	return nil
}

// loginOf says how the web UI signs people in; nil where it cannot. Where the audience is the client itself, its ID token is what the
// server accepts, and otherwise an access token for that audience.
func loginOf(config Config) *httpapi.Login {
	if config.OIDCClientID == "" {
		return nil
	}
	login := &httpapi.Login{Issuer: config.OIDCIssuer, ClientID: config.OIDCClientID, Scopes: config.OIDCScopes, Token: "access_token"}
	if config.OIDCAudience == config.OIDCClientID {
		login.Token = "id_token"
	}
	return login
}

// parsePrefix reads what begins the names of a provider; "-" is nothing. It must not be that of another way to
// authenticate.
func parsePrefix(text string) (string, error) {
	switch reserved := access.ReservedPrefix(text); {
	case text == "-":
		return "", nil
	case text == "" || access.CheckName(text) != "" || reserved != "" && reserved != access.OIDCPrefix:
		return "", errors.New("a prefix of no other way to authenticate, such as " + strings.TrimSuffix(access.OIDCPrefix, ":") + ":, or - for nothing")
	}
	return text, nil
}
