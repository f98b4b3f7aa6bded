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

// Reviewer checks tokens by TokenReview, the API of Kubernetes for it. It is safe for concurrent use.
type Reviewer struct {
	options ReviewerOptions
	cluster *Cluster
	asking  singleflight.Group

	mu    sync.Mutex
	known *recent[Digest, *review]
}

// review is the outcome for a token: an identity, or an error of CodeUnauthenticated.
type review struct {
	who *Identity
	err error
}

// NewReviewer returns a Reviewer that asks a cluster.
func NewReviewer(cluster *Cluster, options ReviewerOptions) *Reviewer {
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Reviewer{options: options, cluster: cluster, known: newRecent[Digest, *review](maxReviews)}
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
	ctx, cancel := context.WithTimeout(ctx, r.cluster.options.Timeout)
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
		Username string              `json:"username"`
		Groups   []string            `json:"groups"`
		Extra    map[string][]string `json:"extra"`
	} `json:"user"`
}

// ask sends a TokenReview.
func (r *Reviewer) ask(ctx context.Context, token string) (*reviewStatus, error) {
	var answer struct {
		Status *reviewStatus `json:"status"`
	}
	err := r.cluster.ask(ctx, http.MethodPost, "/apis/authentication.k8s.io/v1/tokenreviews", roleDelegator,
		map[string]any{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
			"spec": map[string]any{"token": token, "audiences": []string{r.options.Audience}}}, &answer)
	if err != nil {
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
	who, err := clusterUser(status.User.Username, status.User.Groups, status.User.Extra)
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
