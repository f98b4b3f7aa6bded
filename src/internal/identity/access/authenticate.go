package access

import (
	"context"
	"crypto/tls"
	"net/http"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// MaxToken is the longest token that is examined, in bytes.
const MaxToken = 16 << 10

// Authenticators are the ways to authenticate; nil is none.
type Authenticators struct {
	Tokens   func() *Tokens  // those in force
	Issuer   *Issuer         // whose JWTs are accepted
	Reviewer *Reviewer       // for tokens that are neither
	Clients  func() *Clients // CA certificates of clients that send no token
	// FrontProxies are believed about whose a request is.
	FrontProxies func() *FrontProxies
	Now          func() time.Time
}

// Authenticator says whose a request is. It is safe for concurrent use.
type Authenticator struct{ Authenticators }

// NewAuthenticator returns an Authenticator of these ways.
func NewAuthenticator(ways Authenticators) *Authenticator {
	if ways.Tokens == nil {
		ways.Tokens = func() *Tokens { return nil }
	}
	if ways.Clients == nil {
		ways.Clients = func() *Clients { return nil }
	}
	if ways.FrontProxies == nil {
		ways.FrontProxies = func() *FrontProxies { return nil }
	}
	if ways.Now == nil {
		ways.Now = time.Now
	}
	return &Authenticator{ways}
}

// Authenticate returns the identity of a request with this header Authorization on this connection, nil for one without
// TLS. A token takes precedence over a client certificate. Errors have CodeUnauthenticated, or CodeUnavailable when the
// identity provider does not answer.
func (a *Authenticator) Authenticate(ctx context.Context, authorization string, connection *tls.ConnectionState) (*Identity, error) {
	if authorization == "" {
		if who, err := a.Clients().identify(connection, a.Now()); who != nil || err != nil {
			return who, err
		}
		return nil, unauthenticated("this server requires authentication", "send a token: Authorization: Bearer TOKEN")
	}
	token, err := bearer(authorization)
	if err != nil {
		return nil, err
	}
	if who, known, err := a.Tokens().find(token, a.Now()); known {
		return who, err
	}
	switch {
	case a.Issuer != nil && (a.Reviewer == nil || a.Issuer.issued(token)):
		return a.Issuer.check(ctx, token)
	case a.Reviewer != nil:
		return a.Reviewer.check(ctx, token)
	}
	return nil, unauthenticated("the token is not known", "use a token of this server's access policy file")
}

// Forwarded returns the identity that a front proxy gives a request on its connection by these headers, nil where the
// connection is not one of a front proxy. Errors have CodeUnauthenticated.
func (a *Authenticator) Forwarded(header http.Header, connection *tls.ConnectionState) (*Identity, error) {
	return a.FrontProxies().identify(header, connection, a.Clients(), a.Now())
}

// Valid says why an identity that Authenticate returned before holds no longer, nil while it does. Errors have
// CodeUnauthenticated, or CodeUnavailable where the same token is to authenticate again, as its groups are others.
// It asks no other system: see Renew.
func (a *Authenticator) Valid(who *Identity) error {
	now := a.Now()
	if !who.Expires.IsZero() && !now.Before(who.Expires) {
		if who.Method == MethodCertificate || who.Method == MethodFrontProxy {
			return unauthenticated("the certificate expired", "connect with a new one")
		}
		return unauthenticated("the token expired", "ask for a new one")
	}
	switch who.Method {
	case MethodToken:
		again, err := a.Tokens().identity(who.Digest, now)
		if err != nil {
			return err
		}
		if again.Principal.Name != who.Principal.Name || !slices.Equal(again.Principal.Groups, who.Principal.Groups) {
			return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the name or the groups of the token changed", Remedy: "connect again"}
		}
	case MethodCertificate:
		if !a.Clients().trust(who.roots) {
			return untrusted()
		}
	case MethodFrontProxy:
		if !a.FrontProxies().trusts(who) {
			return unauthenticated("the front proxy "+who.proxy+" is no longer trusted", "connect with a certificate that is")
		}
	}
	return nil
}

// Renews reports whether an identity must be reviewed periodically.
func (who *Identity) Renews() bool {
	return who.Method == MethodReview || who.Method == MethodKeystone
}

// Renew reviews the token of an identity again; errors as Authenticate.
func (a *Authenticator) Renew(ctx context.Context, who *Identity) error {
	if !who.Renews() || a.Reviewer == nil {
		return nil
	}
	_, err := a.Reviewer.check(ctx, who.token)
	return err
}
