package access

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Resource is a document as a Kubernetes cluster calls what rights are about.
type Resource struct{ Group, Plural, Namespace, Name string }

// DelegationOptions say how rights are asked for.
type DelegationOptions struct {
	// Resource is what the cluster calls a document of a kind, which need not exist; known is false for what it has no name for.
	Resource func(kind string, id dovetail.ID) (r Resource, known bool)
	Now      func() time.Time
	Log      *slog.Logger
}

// What the cluster answers is taken for a while: a right that was taken away is refused after that.
const (
	delegated    = 10 * time.Second
	maxDecisions = 50000 // that are remembered
	maxQuestions = 200   // of one request in the time of delegated
)

// Delegation asks a Kubernetes cluster what its users may do, by SubjectAccessReview. It is safe for concurrent use.
type Delegation struct {
	options DelegationOptions
	cluster *Cluster
	asking  singleflight.Group

	mu    sync.Mutex
	known *recent[Digest, bool]
}

// NewDelegation returns a Delegation to a cluster.
func NewDelegation(cluster *Cluster, options DelegationOptions) *Delegation {
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Delegation{options: options, cluster: cluster, known: newRecent[Digest, bool](maxDecisions)}
}

// For returns what a principal may do: what its grants of the access policy allow, and if it is a user of the cluster, what the cluster
// allows besides. The permissions are for use within the context.
func (d *Delegation) For(ctx context.Context, who *dovetail.Principal, own *Grants) dovetail.Permissions {
	if d == nil || !IsClusterUser(who) {
		return own
	}
	return &delegation{Grants: own, ctx: ctx, to: d, subject: subjectOf(who), digest: sha256.Sum256(encodeUser(who))}
}

// subject is a user as the cluster knows it.
type subject struct {
	User   string              `json:"user"`
	Groups []string            `json:"groups,omitempty"`
	Extra  map[string][]string `json:"extra,omitempty"`
}

// question is the spec of a SubjectAccessReview.
type question struct {
	subject

	Resource *resourceAttributes `json:"resourceAttributes,omitempty"`
	Path     *pathAttributes     `json:"nonResourceAttributes,omitempty"`
}

type resourceAttributes struct {
	Verb      string `json:"verb"`
	Group     string `json:"group"`
	Version   string `json:"version,omitempty"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
}

type pathAttributes struct {
	Verb string `json:"verb"`
	Path string `json:"path"`
}

// allowed answers a question about a user of a digest. Errors have CodeUnavailable.
func (d *Delegation) allowed(ctx context.Context, user Digest, q *question) (bool, error) {
	text, err := json.Marshal([]any{user, q.Resource, q.Path})
	if err != nil {
		return false, err
	}
	digest := Digest(sha256.Sum256(text))
	d.mu.Lock()
	allowed, known := d.known.get(digest, d.options.Now())
	d.mu.Unlock()
	if known {
		return allowed, nil
	}
	if err := decisionOf(ctx).count(d.options.Now()); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.cluster.options.Timeout)
	defer cancel()
	// The caller's context ends its wait only: others may wait for the same answer.
	asked := d.asking.DoChan(string(digest[:]), func() (any, error) { return d.ask(context.WithoutCancel(ctx), digest, q) })
	select {
	case <-ctx.Done():
		return false, d.unanswered(ctx.Err())
	case answer := <-asked:
		if answer.Err != nil {
			return false, d.unanswered(answer.Err)
		}
		return answer.Val.(bool), nil
	}
}

// ask sends a SubjectAccessReview and remembers the answer.
func (d *Delegation) ask(ctx context.Context, digest Digest, q *question) (bool, error) {
	var answer struct {
		Status *struct {
			Allowed bool `json:"allowed"`
			Denied  bool `json:"denied"`
		} `json:"status"`
	}
	err := d.cluster.ask(ctx, http.MethodPost, "/apis/authorization.k8s.io/v1/subjectaccessreviews", roleDelegator,
		map[string]any{"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": q}, &answer)
	if err != nil {
		return false, err
	}
	if answer.Status == nil {
		return false, errors.New("the answer of the Kubernetes API server has no status")
	}
	allowed := answer.Status.Allowed && !answer.Status.Denied
	now := d.options.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known.put(digest, allowed, now.Add(delegated))
	return allowed, nil
}

func (d *Delegation) unanswered(err error) *dovetail.Error {
	if d.options.Log != nil && !errors.Is(err, context.Canceled) { // who gave up is not waiting
		d.options.Log.Warn("the Kubernetes API server does not say what a user may do", "error", err)
	}
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the Kubernetes API server does not answer, so that rights cannot be checked",
		Remedy: "try again", Err: err}
}

// IsClusterUser reports whether a principal is a user of a Kubernetes cluster, whose rights the cluster knows. No other way to
// authenticate gives such names.
func IsClusterUser(who *dovetail.Principal) bool {
	return who != nil && (strings.HasPrefix(who.Name, ClusterPrefix) || strings.HasPrefix(who.Name, ServiceAccountPrefix))
}

// subjectOf is what clusterUser was made of.
func subjectOf(who *dovetail.Principal) subject {
	s := subject{Extra: who.Extra}
	if name, is := strings.CutPrefix(who.Name, ClusterPrefix); is {
		s.User = name
	} else {
		s.User = dovetail.SystemPrefix + who.Name
	}
	for _, group := range who.Groups {
		if name, is := strings.CutPrefix(group, ClusterPrefix); is {
			s.Groups = append(s.Groups, name)
		}
	}
	return s
}
