package access

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/time/rate"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// IssuerOptions say whose JWTs are accepted.
type IssuerOptions struct {
	URL      string // the issuer of OpenID Connect; its discovery document is below it
	Audience string // that tokens must be for
	Name     string // the claim with the name of the principal; default "sub"
	Groups   string // the claim with its groups, a list or one text; default "groups"
	// NamePrefix and GroupsPrefix begin the names and groups here, so that none is that of a token of the file;
	// "" if there is none.
	NamePrefix, GroupsPrefix string
	Client                   *http.Client
	Timeout                  time.Duration // of each question to the issuer, and of a request that waits for one; default 5 s
	Now                      func() time.Time
}

// Issuer checks the JWTs of a provider of OpenID Connect. It finds the provider's keys when it first needs
// them, and again when a token has a key that it does not know. It is safe for concurrent use.
type Issuer struct {
	options IssuerOptions

	mu       sync.Mutex
	verifier *oidc.IDTokenVerifier // nil until the issuer was found
	looking  chan struct{}         // closed when the search that is under way ends
	failed   error                 // of the last search
	searches *rate.Limiter
}

// algorithms are those of signatures that are accepted: asymmetric only, so that no token can be signed
// with a public key as a shared secret.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.ES256, jose.ES384, jose.ES512, jose.PS256, jose.PS384, jose.PS512, jose.EdDSA}

// NewIssuer returns an Issuer. It asks the provider nothing yet, so that a server starts without it.
func NewIssuer(options IssuerOptions) *Issuer {
	if options.Name == "" {
		options.Name = "sub"
	}
	if options.Groups == "" {
		options.Groups = "groups"
	}
	if options.Timeout == 0 {
		options.Timeout = 5 * time.Second
	}
	if options.Client == nil {
		options.Client = &http.Client{}
	}
	client := *options.Client
	client.Timeout = options.Timeout
	options.Client = &client
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Issuer{options: options, searches: rate.NewLimiter(rate.Every(keysEvery), keysBurst)}
}

// issued reports whether a token says itself that it is of this issuer. It is not verified.
func (i *Issuer) issued(token string) bool {
	var claims struct {
		Issuer string `json:"iss"`
	}
	read, ok := parseJWT(token)
	return ok && read.claims(&claims) && claims.Issuer == i.options.URL
}

// check returns the identity of a JWT. Errors: CodeUnauthenticated, and CodeUnavailable when the provider
// must be asked and does not answer in time.
func (i *Issuer) check(ctx context.Context, token string) (*Identity, error) {
	read, ok := parseJWT(token)
	if !ok {
		return nil, malformed()
	}
	ctx, cancel := context.WithTimeout(ctx, i.options.Timeout)
	defer cancel()
	verifier, err := i.find(ctx)
	if err != nil {
		return nil, err
	}
	verified, err := verifier.Verify(ctx, token)
	if err != nil {
		return nil, i.refusal(err)
	}
	var claims map[string]any
	if err := verified.Claims(&claims); err != nil {
		return nil, unauthenticated("the token's claims cannot be read", "sign in again")
	}
	who, err := i.principal(claims)
	if err != nil {
		return nil, err
	}
	return &Identity{Principal: who, Method: MethodOIDC, Digest: read.digest(), Expires: verified.Expiry}, nil
}

// principal returns the principal that the claims name.
func (i *Issuer) principal(claims map[string]any) (*dovetail.Principal, error) {
	name, _ := claims[i.options.Name].(string)
	if name == "" {
		return nil, unauthenticated("the token has no claim "+i.options.Name, "ask for a token with it, or set another claim as the name")
	}
	if verified, has := claims["email_verified"]; i.options.Name == "email" && has && verified != true {
		// As the Kubernetes API server: a provider that does not have the claim is trusted to verify addresses.
		return nil, unauthenticated("the email address of the token is not verified", "verify it with the provider, and sign in again")
	}
	if prefix := reservedPrefix(i.options.NamePrefix + name); prefix != "" && prefix != i.options.NamePrefix && prefix != OIDCPrefix {
		return nil, unauthenticated("the token's name begins with "+prefix+", which is reserved", "use another account")
	}
	return named(i.options.NamePrefix+name, prefixed(i.options.GroupsPrefix, texts(claims[i.options.Groups])))
}

// refusal says in words why a token is not accepted.
func (i *Issuer) refusal(err error) *dovetail.Error {
	var expired *oidc.TokenExpiredError
	text := err.Error()
	switch {
	case errors.As(err, &expired):
		return unauthenticated("the token expired", "sign in again")
	case strings.Contains(text, errAsking.Error()): // go-oidc does not keep the error itself
		return i.unreachable(err)
	case strings.Contains(text, "audience"):
		return &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "the token is not for this server", Remedy: "ask for one with the audience " + i.options.Audience, Err: err}
	case strings.Contains(text, "different provider"):
		return &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "the token is of another issuer", Remedy: "sign in at " + i.options.URL, Err: err}
	}
	return &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "the token is not valid", Remedy: "sign in again", Err: err}
}

func (i *Issuer) unreachable(err error) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the issuer " + i.options.URL + " does not answer, so that the token cannot be checked",
		Remedy: "try again", Err: err}
}

// find returns the verifier; of several callers before it is there, one search serves all.
func (i *Issuer) find(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	i.mu.Lock()
	if i.verifier != nil {
		defer i.mu.Unlock()
		return i.verifier, nil
	}
	if i.looking == nil {
		if i.failed != nil && !i.searches.AllowN(i.options.Now(), 1) {
			defer i.mu.Unlock()
			return nil, i.unreachable(i.failed)
		}
		i.looking = make(chan struct{})
		go i.search(i.looking)
	}
	done := i.looking
	i.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
		return nil, i.unreachable(ctx.Err())
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.verifier == nil {
		return nil, i.unreachable(i.failed)
	}
	return i.verifier, nil
}

// search reads the discovery document.
func (i *Issuer) search(done chan struct{}) {
	defer close(done)
	var shown struct {
		Keys string `json:"jwks_uri"`
	}
	provider, err := oidc.NewProvider(oidc.ClientContext(context.Background(), i.options.Client), i.options.URL)
	if err == nil {
		err = provider.Claims(&shown)
	}
	accepted := make([]string, len(algorithms))
	for n, algorithm := range algorithms {
		accepted[n] = string(algorithm)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.looking = nil
	if i.failed = err; err == nil {
		i.verifier = oidc.NewVerifier(i.options.URL, newKeySet(shown.Keys, i.options.Client, i.options.Now),
			&oidc.Config{ClientID: i.options.Audience, SupportedSigningAlgs: accepted, Now: i.options.Now})
	}
}

func texts(claim any) []string {
	switch claim := claim.(type) {
	case string:
		return []string{claim}
	case []any:
		var all []string
		for _, item := range claim {
			if text, ok := item.(string); ok {
				all = append(all, text)
			}
		}
		return all
	}
	return nil
}
