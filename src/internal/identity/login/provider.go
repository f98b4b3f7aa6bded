package login

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
)

// DefaultClientID is who the command line is at providers that know it by no other name. Servers take tokens for this audience,
// unless they are configured otherwise.
const DefaultClientID = "dovetail"

// Timeout bounds each question to a provider.
const Timeout = 30 * time.Second

// Options say where to log in, and as which client.
type Options struct {
	Issuer   string
	ClientID string // of a public client, one without a secret; default DefaultClientID
	Scope    string // to ask for beside the usual, separated by spaces
	// Authority has certificates, as PEM, that the provider's may be signed with beside those of the system; nil if there is none.
	Authority []byte
	Now       func() time.Time
	Random    io.Reader // for secrets of one login
}

// Provider is a provider of OpenID Connect.
type Provider struct {
	options  Options
	client   *http.Client
	config   oauth2.Config
	verifier *oidc.IDTokenVerifier
	revoke   string // the URL of RFC 7009, "" if there is none
}

// usual are the scopes that are asked for where the provider has them: names, groups, and refreshing.
var usual = []string{oidc.ScopeOpenID, "profile", "email", "groups", oidc.ScopeOfflineAccess}

// Find asks an issuer where it answers. Errors: CodeUnavailable, and CodeInvalid where it is no issuer.
func Find(ctx context.Context, o Options) (*Provider, error) {
	o.ClientID = cmp.Or(o.ClientID, DefaultClientID)
	client, err := newClient(o.Authority)
	if err != nil {
		return nil, err
	}
	p := &Provider{options: o, client: client}
	shown, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	found := shown.NewProvider(p.asking(context.WithoutCancel(ctx)))
	scopes := []string{oidc.ScopeOpenID, oidc.ScopeOfflineAccess}
	if shown.Scopes != nil {
		scopes = slices.DeleteFunc(slices.Clone(usual), func(s string) bool { return s != oidc.ScopeOpenID && !slices.Contains(shown.Scopes, s) })
	}
	for _, scope := range strings.Fields(o.Scope) {
		if !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	endpoint := found.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInParams // as public clients do
	p.config = oauth2.Config{ClientID: o.ClientID, Endpoint: endpoint, Scopes: scopes}
	p.verifier = found.Verifier(&oidc.Config{ClientID: o.ClientID, SupportedSigningAlgs: algorithms, Now: o.Now})
	p.revoke = shown.Revoke
	return p, nil
}

// discovery is what providers say of themselves (OpenID Connect Discovery, section 3).
type discovery struct {
	oidc.ProviderConfig
	Scopes []string `json:"scopes_supported"`
	Revoke string   `json:"revocation_endpoint"`
}

// algorithms are those of signatures that are accepted, as by servers: asymmetric only.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}

// maxDiscovery is the number of bytes of a discovery document that are read.
const maxDiscovery = 1 << 20

func (p *Provider) discover(ctx context.Context) (*discovery, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(p.options.Issuer, "/")+"/.well-known/openid-configuration", nil)
	if err != nil {
		return nil, p.failed(ctx, err)
	}
	answer, err := p.client.Do(request)
	if err != nil {
		return nil, p.failed(ctx, err)
	}
	defer answer.Body.Close()
	var d discovery
	switch {
	case answer.StatusCode >= http.StatusInternalServerError:
		return nil, p.failed(ctx, &oauth2.RetrieveError{Response: answer})
	case answer.StatusCode != http.StatusOK:
		err = errors.New(answer.Status)
	default:
		err = limit.Limit{Bytes: maxDiscovery, Of: "the discovery document"}.DecodeJSON(answer.Body, &d)
	}
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there is no provider of OpenID Connect at " + p.options.Issuer + ": " + plain(err.Error()),
			Remedy: "give with --issuer the URL below which it has /.well-known/openid-configuration", Err: err}
	}
	if d.IssuerURL != p.options.Issuer {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the provider at " + p.options.Issuer + " calls itself " + plain(strconv.Quote(d.IssuerURL)), Remedy: "give --issuer as the provider writes it"}
	}
	return &d, nil
}

// newClient returns a client that waits for Timeout at most, and sends no code or token to where it is redirected.
func newClient(authority []byte) (*http.Client, error) {
	c := &http.Client{Timeout: Timeout, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if via[0].Method == http.MethodPost || len(via) > 5 {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	if authority == nil {
		return c, nil
	}
	trusted, err := x509.SystemCertPool()
	if err != nil {
		trusted = x509.NewCertPool()
	}
	if !trusted.AppendCertsFromPEM(authority) {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the certificate authority of the context cannot be read", Remedy: "give a PEM file with certificates"}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	c.Transport = transport
	return c, nil
}

func (p *Provider) asking(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.client)
}

// Refresh returns the token that follows one. Errors: CodeUnauthenticated when the login has ended, and CodeUnavailable.
func (p *Provider) Refresh(ctx context.Context, t Token) (Token, error) {
	if t.Refresh == "" {
		return Token{}, ended("the login at "+p.options.Issuer+" expired", nil)
	}
	given, err := p.config.TokenSource(p.asking(ctx), &oauth2.Token{RefreshToken: t.Refresh}).Token()
	if err != nil {
		var refused *oauth2.RetrieveError
		if errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
			return Token{}, ended("the login at "+p.options.Issuer+" expired, or was ended there", err)
		}
		return Token{}, p.failed(ctx, err)
	}
	next, err := p.accept(ctx, given, "")
	if err == nil && next.Subject != t.Subject {
		return Token{}, ended("the provider refreshed the token of another user", nil)
	}
	return next, err
}

func ended(message string, err error) error {
	return &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: message, Remedy: "run `dovetail login`", Err: err}
}

// accept verifies what the provider gave: that it is for this client and, where a nonce was sent, for this login.
func (p *Provider) accept(ctx context.Context, given *oauth2.Token, nonce string) (Token, error) {
	text, _ := given.Extra("id_token").(string)
	if text == "" {
		return Token{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the provider " + p.options.Issuer + " gave no ID token",
			Remedy: "let it give the client " + p.options.ClientID + " the scope openid, also when a token is refreshed; or run `dovetail login` again"}
	}
	verified, err := p.verifier.Verify(p.asking(ctx), text)
	if err == nil && verified.Nonce != nonce && nonce != "" {
		err = errors.New("the nonce is another one")
	}
	if err != nil {
		return Token{}, &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "the ID token of " + p.options.Issuer + " is not valid: " + plain(err.Error()),
			Remedy: "check the clock of this machine, and --client-id", Err: err}
	}
	return Token{ID: text, Refresh: given.RefreshToken, Subject: verified.Subject, Expires: verified.Expiry.UTC()}, nil
}

// Revoke has the provider forget a login. It returns false where that is not possible.
func (p *Provider) Revoke(ctx context.Context, t Token) (bool, error) {
	if p.revoke == "" || t.Refresh == "" {
		return false, nil
	}
	form := url.Values{"token": {t.Refresh}, "token_type_hint": {"refresh_token"}, "client_id": {p.options.ClientID}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.revoke, strings.NewReader(form.Encode()))
	if err != nil {
		return false, p.failed(ctx, err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := p.client.Do(request)
	if err != nil {
		return false, p.failed(ctx, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return false, p.failed(ctx, &oauth2.RetrieveError{Response: answer})
	}
	return true, nil
}

// failed says in words why the provider did not do what it was asked.
func (p *Provider) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return dovetail.AsError(ctx.Err())
	}
	at := "the provider " + p.options.Issuer
	var refused *oauth2.RetrieveError
	var broken *url.Error
	switch {
	case errors.As(err, &broken):
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: at + " cannot be reached: " + plain(broken.Err.Error()), Remedy: "check the URL of --issuer, or try again", Err: err}
	case !errors.As(err, &refused):
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: at + " answers what no provider of OAuth 2 does: " + plain(err.Error()), Remedy: "check --issuer", Err: err}
	case refused.Response != nil && refused.Response.StatusCode >= http.StatusInternalServerError:
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: at + " answers " + plain(refused.Response.Status), Remedy: "try again", Err: err}
	case refused.ErrorCode == "":
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: at + " answers " + plain(refused.Response.Status), Remedy: "check --issuer and --client-id", Err: err}
	}
	return p.refusal(refused.ErrorCode, refused.ErrorDescription, err)
}

// refusal is an error of OAuth 2 in words.
func (p *Provider) refusal(code, description string, err error) error {
	e := &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "the provider " + p.options.Issuer + " refused: " + plain(code), Err: err}
	if description != "" {
		e.Message += " (" + plain(description) + ")"
	}
	switch code {
	case "invalid_client", "unauthorized_client":
		e.Code, e.Remedy = dovetail.CodeInvalid, "register "+p.options.ClientID+" there as a public client that may log in this way, or name another one with --client-id"
	case "invalid_scope":
		e.Code, e.Remedy = dovetail.CodeInvalid, "ask for scopes that the client "+p.options.ClientID+" may have: --scope"
	case "invalid_request":
		e.Code, e.Remedy = dovetail.CodeInvalid, "let the client "+p.options.ClientID+" be sent back to http://127.0.0.1 with any port, or give with --redirect a URL that it is sent back to"
	case "access_denied":
		e.Code, e.Remedy = dovetail.CodeForbidden, "log in as a user who may use the client "+p.options.ClientID
	default:
		e.Remedy = "run `dovetail login` again"
	}
	return e
}

// plain is a text of others without what could be more than text on a terminal, in bounded length.
func plain(text string) string {
	const most = 300
	text = strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
