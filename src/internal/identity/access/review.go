package access

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// ReviewerOptions say for whom tokens must be.
type ReviewerOptions struct {
	Audience string
	Now      func() time.Time
}

// What is known of a token is taken from the last review for a while: a token that the cluster accepted no longer is
// refused after reviewAccepted at the latest.
const (
	reviewAccepted = 10 * time.Second
	reviewRefused  = 10 * time.Second
	maxReviews     = 10000
)

// Reviewer checks tokens by asking another system. It is safe for concurrent use.
type Reviewer struct {
	now    func() time.Time
	asks   reviews
	asking singleflight.Group

	mu    sync.Mutex
	known *recent[Digest, *review]
}

// reviews are how another system is asked about tokens.
type reviews interface {
	// review asks whose a token is. An error of CodeUnauthenticated is an answer, any other one is none.
	review(ctx context.Context, token string) (*Identity, error)
	// unreviewed is the error, of CodeUnavailable, when there is no answer.
	unreviewed(err error) *dovetail.Error
	timeout() time.Duration
}

// review is the outcome for a token: an identity, or an error of CodeUnauthenticated.
type review struct {
	who *Identity
	err error
}

// NewReviewer returns a Reviewer that asks a Kubernetes cluster by TokenReview, its API for that.
func NewReviewer(cluster *Cluster, options ReviewerOptions) *Reviewer {
	return newReviewer(tokenReviews{cluster, options.Audience}, options.Now)
}

func newReviewer(asks reviews, now func() time.Time) *Reviewer {
	if now == nil {
		now = time.Now
	}
	return &Reviewer{asks: asks, now: now, known: newRecent[Digest, *review](maxReviews)}
}

// check returns the identity of a token. Errors: CodeUnauthenticated, and CodeUnavailable when the other system must be
// asked and gives no answer in time.
func (r *Reviewer) check(ctx context.Context, token string) (*Identity, error) {
	digest := textDigest(token)
	r.mu.Lock()
	found, known := r.known.get(digest, r.now())
	r.mu.Unlock()
	if known {
		return found.who, found.err
	}
	ctx, cancel := context.WithTimeout(ctx, r.asks.timeout())
	defer cancel()
	// The caller's context ends its wait only: others may wait for the same answer.
	asked := r.asking.DoChan(string(digest[:]), func() (any, error) {
		return r.review(context.WithoutCancel(ctx), digest, token)
	})
	select {
	case <-ctx.Done():
		return nil, r.asks.unreviewed(ctx.Err())
	case answer := <-asked:
		if answer.Err != nil {
			return nil, answer.Err
		}
		outcome := answer.Val.(*review)
		return outcome.who, outcome.err
	}
}

// review asks the other system and remembers the outcome.
func (r *Reviewer) review(ctx context.Context, digest Digest, token string) (*review, error) {
	outcome, keep := &review{}, reviewAccepted
	outcome.who, outcome.err = r.asks.review(ctx, token)
	switch dovetail.CodeOf(outcome.err) {
	case "":
	case dovetail.CodeUnauthenticated:
		keep = reviewRefused
	default:
		return nil, r.asks.unreviewed(outcome.err)
	}
	now := r.now()
	until := now.Add(keep)
	if outcome.who != nil && !outcome.who.Expires.IsZero() && outcome.who.Expires.Before(until) {
		until = outcome.who.Expires
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known.put(digest, outcome, until)
	return outcome, nil
}

// tokenReviews asks a Kubernetes cluster.
type tokenReviews struct {
	cluster  *Cluster
	audience string
}

func (t tokenReviews) timeout() time.Duration { return t.cluster.options.Timeout }

func (t tokenReviews) unreviewed(err error) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the Kubernetes API server does not answer, so that the token cannot be checked",
		Remedy: "try again", Err: err}
}

// review implements reviews.
func (t tokenReviews) review(ctx context.Context, token string) (*Identity, error) {
	status, err := t.ask(ctx, token)
	if err != nil {
		return nil, err
	}
	return t.identity(status, token)
}

// reviewStatus is the status of a TokenReview.
type reviewStatus struct {
	Authenticated bool     `json:"authenticated"`
	Audiences     []string `json:"audiences"`
	Error         string   `json:"error"`
	User          struct {
		Username string              `json:"username"`
		Groups   []string            `json:"groups"`
		Extra    map[string][]string `json:"extra"`
	} `json:"user"`
}

// ask sends a TokenReview.
func (t tokenReviews) ask(ctx context.Context, token string) (*reviewStatus, error) {
	var answer struct {
		Status *reviewStatus `json:"status"`
	}
	err := t.cluster.ask(ctx, http.MethodPost, "/apis/authentication.k8s.io/v1/tokenreviews", roleDelegator,
		map[string]any{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
			"spec": map[string]any{"token": token, "audiences": []string{t.audience}}}, &answer)
	if err != nil {
		return nil, err
	}
	if answer.Status == nil {
		return nil, errors.New("the answer of the Kubernetes API server has no status")
	}
	return answer.Status, nil
}

// identity is the identity that a status names.
func (t tokenReviews) identity(status *reviewStatus, token string) (*Identity, error) {
	switch {
	case !status.Authenticated:
		return nil, unauthenticated("the token is not known", "use a token of the access policy file, of the provider or of the cluster")
	case !slices.Contains(status.Audiences, t.audience):
		return nil, unauthenticated("the token is not for this server", "ask for one with the audience "+t.audience)
	}
	who, err := clusterUser(status.User.Username, status.User.Groups, status.User.Extra)
	if err != nil {
		return nil, err
	}
	identity := &Identity{Principal: who, Method: MethodReview, Digest: reviewedDigest(status.User.Username, token), token: token}
	var claims struct { // of a token that the API server has verified
		Expires float64 `json:"exp"`
	}
	if read, ok := parseJWT(token); ok && read.claims(&claims) && claims.Expires > 0 {
		identity.Expires = time.Unix(int64(claims.Expires), 0)
	}
	return identity, nil
}
