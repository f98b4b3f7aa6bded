package access

import (
	"context"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// MaxToken is the longest token that is looked at, in bytes.
const MaxToken = 16 << 10

// Authenticator says whose a request is. It is safe for concurrent use.
type Authenticator struct {
	tokens func() *Tokens
	issuer *Issuer
	now    func() time.Time
}

// NewAuthenticator returns an Authenticator that knows the tokens of now and, where there is one, those of
// an issuer; nil is none.
func NewAuthenticator(tokens func() *Tokens, issuer *Issuer, now func() time.Time) *Authenticator {
	return &Authenticator{tokens: tokens, issuer: issuer, now: now}
}

// Authenticate returns the principal of a request with this header Authorization. Errors have
// CodeUnauthenticated, or CodeUnavailable when the issuer does not answer.
func (a *Authenticator) Authenticate(ctx context.Context, authorization string) (*dovetail.Principal, error) {
	scheme, token, _ := strings.Cut(authorization, " ")
	switch {
	case authorization == "":
		return nil, unauthenticated("this server wants to know who you are", "send a token: Authorization: Bearer TOKEN")
	case !strings.EqualFold(scheme, "Bearer") || token == "":
		return nil, unauthenticated("the header Authorization has no bearer token", "write it as Authorization: Bearer TOKEN")
	case len(token) > MaxToken:
		return nil, unauthenticated("the token is longer than 16 KiB", "ask for one with fewer claims")
	}
	if who, known, err := a.tokens().find(token, a.now()); known {
		return who, err
	}
	if a.issuer == nil {
		return nil, unauthenticated("the token is not known", "use a token of this server's file of access")
	}
	return a.issuer.check(ctx, token)
}
