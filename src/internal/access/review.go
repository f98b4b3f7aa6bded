package access

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// ReviewerOptions say which Kubernetes API server is asked about tokens.
type ReviewerOptions struct {
	Server   string // its URL
	Audience string // that tokens must be for
	CAFile   string // PEM file with the CA certificates of the server; "" for those of the system
	// TokenFile holds the token of this process, read again for every request, since it is replaced before it expires.
	TokenFile string
	Timeout   time.Duration // of a request, waiting for others included; default 5 s
	Now       func() time.Time
}

// What is known of a token is taken from the last review for a while: a token that the cluster accepted no longer is
// refused after reviewAccepted at the latest.
const (
	reviewAccepted = 10 * time.Second
	reviewRefused  = 10 * time.Second
	maxReviews     = 10000
	maxReviewing   = 16 // reviews at the same time
	maxReview      = 1 << 20
)

// Reviewer checks tokens by TokenReview, the API of Kubernetes for it. It is safe for concurrent use.
type Reviewer struct {
	options ReviewerOptions
	client  *http.Client
	running chan struct{} // a place for each review
	asking  singleflight.Group

	mu    sync.Mutex
	known *recent[Digest, *review]
}

// review is the outcome for a token: an identity, or an error of CodeUnauthenticated.
type review struct {
	who *Identity
	err error
}

// NewReviewer returns a Reviewer. The error, of CodeInvalid, is that of the file of CA certificates or of the URL.
func NewReviewer(options ReviewerOptions) (*Reviewer, error) {
	if options.Timeout == 0 {
		options.Timeout = 5 * time.Second
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if options.CAFile != "" {
		text, err := os.ReadFile(options.CAFile)
		roots := x509.NewCertPool()
		if err != nil || !roots.AppendCertsFromPEM(text) {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: options.CAFile}, Err: err,
				Message: "the CA certificates of the Kubernetes API server cannot be read", Remedy: "name a PEM file with --token-review-ca"}
		}
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	}
	options.Server = strings.TrimSuffix(options.Server, "/")
	if _, err := http.NewRequest(http.MethodPost, options.Server, nil); err != nil || !strings.Contains(options.Server, "://") {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the Kubernetes API server is \"" + options.Server + "\"",
			Remedy: "run in a cluster, or name its URL with --token-review-server"}
	}
	return &Reviewer{options: options, running: make(chan struct{}, maxReviewing), known: newRecent[Digest, *review](maxReviews),
		client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// check returns the identity of a token. Errors: CodeUnauthenticated, and CodeUnavailable when the API server must be
// asked and gives no answer in time.
func (r *Reviewer) check(ctx context.Context, token string) (*Identity, error) {
	digest := digestOf(token)
	r.mu.Lock()
	found, known := r.known.get(digest, r.options.Now())
	r.mu.Unlock()
	if known {
		return found.who, found.err
	}
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	// The caller's context ends its wait only: others may wait for the same answer.
	asked := r.asking.DoChan(string(digest[:]), func() (any, error) {
		return r.review(context.WithoutCancel(ctx), digest, token)
	})
	select {
	case <-ctx.Done():
		return nil, unreviewed(ctx.Err())
	case answer := <-asked:
		if answer.Err != nil {
			return nil, answer.Err
		}
		outcome := answer.Val.(*review)
		return outcome.who, outcome.err
	}
}

func unreviewed(err error) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the Kubernetes API server does not answer, so that the token cannot be checked",
		Remedy: "try again", Err: err}
}

// review asks the API server and remembers the outcome.
func (r *Reviewer) review(ctx context.Context, digest Digest, token string) (*review, error) {
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	select {
	case r.running <- struct{}{}:
		defer func() { <-r.running }()
	case <-ctx.Done():
		return nil, unreviewed(ctx.Err())
	}
	status, err := r.ask(ctx, token)
	if err != nil {
		return nil, unreviewed(err)
	}
	outcome, keep := &review{}, reviewAccepted
	if outcome.who, outcome.err = r.identity(status, digest, token); outcome.err != nil {
		keep = reviewRefused
	}
	now := r.options.Now()
	until := now.Add(keep)
	if outcome.who != nil && !outcome.who.Expires.IsZero() && outcome.who.Expires.Before(until) {
		until = outcome.who.Expires
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known.put(digest, outcome, until)
	return outcome, nil
}

// reviewStatus is the status of a TokenReview.
type reviewStatus struct {
	Authenticated bool     `json:"authenticated"`
	Audiences     []string `json:"audiences"`
	Error         string   `json:"error"`
	User          struct {
		Username string   `json:"username"`
		Groups   []string `json:"groups"`
	} `json:"user"`
}

// ask sends a TokenReview.
func (r *Reviewer) ask(ctx context.Context, token string) (*reviewStatus, error) {
	body, err := json.Marshal(map[string]any{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
		"spec": map[string]any{"token": token, "audiences": []string{r.options.Audience}}})
	if err != nil {
		return nil, err
	}
	own, err := os.ReadFile(r.options.TokenFile)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.options.Server+"/apis/authentication.k8s.io/v1/tokenreviews", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(own)))
	response, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated && response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the Kubernetes API server answered %s; this needs the role system:auth-delegator", response.Status)
	}
	var answer struct {
		Status *reviewStatus `json:"status"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxReview)).Decode(&answer); err != nil {
		return nil, err
	}
	if answer.Status == nil {
		return nil, errors.New("the answer of the Kubernetes API server has no status")
	}
	return answer.Status, nil
}

// identity is the identity that a status names.
func (r *Reviewer) identity(status *reviewStatus, digest Digest, token string) (*Identity, error) {
	switch {
	case !status.Authenticated:
		return nil, unauthenticated("the token is not known", "use a token of the access policy file, of the provider or of the cluster")
	case !slices.Contains(status.Audiences, r.options.Audience):
		return nil, unauthenticated("the token is not for this server", "ask for one with the audience "+r.options.Audience)
	}
	who, err := named(clusterName(status.User.Username), prefixed(ClusterPrefix, status.User.Groups))
	if err != nil {
		return nil, err
	}
	identity := &Identity{Principal: who, Method: MethodReview, Digest: digest, token: token}
	var claims struct { // of a token that the API server has verified
		Expires float64 `json:"exp"`
	}
	if unverified(token, &claims) && claims.Expires > 0 {
		identity.Expires = time.Unix(int64(claims.Expires), 0)
	}
	return identity, nil
}

// clusterName is the name here of a user of a cluster: system:serviceaccount:NAMESPACE:NAME, whose prefix is reserved,
// is serviceaccount:NAMESPACE:NAME, and any other one begins with ClusterPrefix.
func clusterName(name string) string {
	if account, ok := strings.CutPrefix(name, dovetail.SystemPrefix+ServiceAccountPrefix); ok && strings.Count(account, ":") == 1 {
		return ServiceAccountPrefix + account
	}
	return ClusterPrefix + name
}
