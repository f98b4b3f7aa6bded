package login

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// DefaultRedirect is where the provider sends the browser back to; without a port, that of the first free one.
const DefaultRedirect = "http://127.0.0.1/callback"

// BrowserTimeout is how long the user has to log in.
const BrowserTimeout = 5 * time.Minute

// CheckRedirect returns what is wrong with a URL that the provider shall send the browser back to.
func CheckRedirect(redirect string) error {
	u, err := url.Parse(redirect)
	if err == nil && u.Scheme == "http" && u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
			return nil
		}
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the redirect is no URL of this machine", Remedy: "write it as http://127.0.0.1:8400/callback or http://localhost:8400/", Err: err}
}

// Browser logs a user in who gives the provider in a browser what it asks for. show is called with the URL to open.
// The code that comes back is of use only for who knows the secret of this login (PKCE).
// Errors: CodeUnauthenticated and CodeForbidden, CodeTimeout when nothing came back, and those of the provider.
func (p *Provider) Browser(ctx context.Context, redirect string, show func(url string)) (Token, error) {
	if err := CheckRedirect(redirect); err != nil {
		return Token{}, err
	}
	back, err := url.Parse(redirect)
	if err != nil {
		return Token{}, dovetail.AsError(err)
	}
	port := back.Port()
	if port == "" {
		port = "0"
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(back.Hostname(), port))
	if err != nil {
		return Token{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "nothing can listen for the browser at " + back.Host + ": " + err.Error(), Remedy: "give another --redirect, or use --device", Err: err}
	}
	_, port, _ = net.SplitHostPort(listener.Addr().String()) // which it was made of
	back.Host = net.JoinHostPort(back.Hostname(), port)

	var secrets [3]string
	for i := range secrets {
		random := make([]byte, 32)
		if _, err := io.ReadFull(p.options.Random, random); err != nil {
			listener.Close()
			return Token{}, dovetail.AsError(err)
		}
		secrets[i] = base64.RawURLEncoding.EncodeToString(random)
	}
	a := &attempt{provider: p, config: p.config, path: back.Path, state: secrets[0], nonce: secrets[1], verifier: secrets[2], done: make(chan outcome, 1)}
	a.config.RedirectURL = back.String()

	ctx, cancel := context.WithTimeout(ctx, BrowserTimeout)
	defer cancel()
	server := &http.Server{Handler: a, ReadHeaderTimeout: Timeout, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { _ = server.Serve(listener) }() // which ends when it is shut down
	defer func() {
		last, end := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // for the page to arrive
		defer end()
		_ = server.Shutdown(last)
		_ = server.Close()
	}()
	show(a.config.AuthCodeURL(a.state, oidc.Nonce(a.nonce), oauth2.S256ChallengeOption(a.verifier)))
	select {
	case o := <-a.done:
		return o.token, o.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return Token{}, &dovetail.Error{Code: dovetail.CodeTimeout, Message: "no login within " + BrowserTimeout.String(), Remedy: "run `dovetail login` again, or with --device where this machine has no browser"}
		}
		return Token{}, dovetail.AsError(ctx.Err())
	}
}

// attempt is one login in a browser: the handler of what comes back from it.
type attempt struct {
	provider               *Provider
	config                 oauth2.Config
	path                   string
	state, nonce, verifier string
	done                   chan outcome // has room for one
}

type outcome struct {
	token Token
	err   error
}

// ServeHTTP takes what the provider sends the browser back with. Requests that are not of this login have no effect.
func (a *attempt) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch {
	case r.Method != http.MethodGet || strings.TrimSuffix(r.URL.Path, "/") != strings.TrimSuffix(a.path, "/"):
		http.NotFound(w, r)
		return
	case q.Get("state") != a.state:
		page(w, http.StatusBadRequest, "This is not the login that was asked for", "Open the URL that dovetail shows.")
		return
	}
	var o outcome
	if o.token, o.err = a.finish(r.Context(), q); o.err != nil {
		page(w, http.StatusForbidden, "The login failed", dovetail.AsError(o.err).Message)
	} else {
		page(w, http.StatusOK, "Logged in", "You may close this page, and go on in the terminal.")
	}
	select {
	case a.done <- o:
	default: // the same page again
	}
}

// finish exchanges the code for a token.
func (a *attempt) finish(ctx context.Context, q url.Values) (Token, error) {
	p := a.provider
	switch issuer := q.Get("iss"); { // RFC 9207
	case issuer != "" && issuer != p.options.Issuer:
		return Token{}, &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "the answer comes from another issuer than " + p.options.Issuer, Remedy: "check --issuer"}
	case q.Get("error") != "":
		return Token{}, p.refusal(q.Get("error"), q.Get("error_description"), nil)
	}
	given, err := a.config.Exchange(p.asking(ctx), q.Get("code"), oauth2.VerifierOption(a.verifier))
	if err != nil {
		return Token{}, p.failed(ctx, err)
	}
	return p.accept(ctx, given, a.nonce)
}

func page(w http.ResponseWriter, status int, title, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer") // as the URL has the code
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html><html lang=en><title>%[1]s - Dovetail</title><h1>%[1]s</h1><p>%[2]s</p></html>\n", html.EscapeString(title), html.EscapeString(text))
}
