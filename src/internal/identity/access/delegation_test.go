package access_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

// judge is a Kubernetes API server that answers every SubjectAccessReview alike.
type judge struct {
	*httptest.Server
	mu     sync.Mutex
	status string // "" is the answer 500
	asked  []string
}

func newJudge(t *testing.T) *judge {
	t.Helper()
	j := &judge{}
	j.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		j.mu.Lock()
		defer j.mu.Unlock()
		var review struct{ Spec json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || j.status == "" || r.URL.Path != "/apis/authorization.k8s.io/v1/subjectaccessreviews" {
			http.Error(w, "out of order", http.StatusInternalServerError)
			return
		}
		j.asked = append(j.asked, string(review.Spec))
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"status":%s}`, j.status)
	}))
	t.Cleanup(j.Close)
	return j
}

func (j *judge) says(status string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.status = status
}

func (j *judge) questions() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.asked)
}

func (j *judge) delegation(t *testing.T, clock *movingClock) *access.Delegation {
	t.Helper()
	dir := t.TempDir()
	ca, own := filepath.Join(dir, "ca.crt"), filepath.Join(dir, "token")
	for file, text := range map[string][]byte{ca: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: j.Certificate().Raw}), own: []byte("own\n")} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cluster, err := access.NewCluster(access.ClusterOptions{Server: j.URL, CAFile: ca, TokenFile: own, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return access.NewDelegation(cluster, access.DelegationOptions{Now: clock.now, Resource: func(kind string, id dovetail.ID) (access.Resource, bool) {
		return access.Resource{Group: "dovetail.dev", Plural: kind + "s", Name: string(id)}, kind == "app"
	}})
}

// What the cluster answered holds for ten seconds, a refusal too.
func TestDelegationForgets(t *testing.T) {
	j := newJudge(t)
	clock := &movingClock{at: now}
	d := j.delegation(t, clock)
	ann := &dovetail.Principal{Name: "k8s:ann", Groups: []string{"k8s:team", "other"}, Extra: map[string][]string{"scope": {"x"}}}
	may := func() (bool, error) {
		ctx, undecided := access.Deciding(t.Context())
		allowed := d.For(ctx, ann, parse(t, "").Policy.For(ann)).Allows(dovetail.RightCreate, "app", "app/a")
		return allowed, undecided()
	}
	steps := []struct {
		name, status string
		after        time.Duration
		allowed      bool
		code         dovetail.Code
		questions    int
	}{
		{name: "allowed", status: `{"allowed":true}`, allowed: true, questions: 1},
		{name: "still known", status: `{"allowed":false}`, after: 9 * time.Second, allowed: true, questions: 1},
		{name: "asked again", status: `{"allowed":false}`, after: time.Second, questions: 2},
		{name: "a refusal is known, too", status: `{"allowed":true}`, after: 9 * time.Second, questions: 2},
		{name: "denied in spite of it", status: `{"allowed":true,"denied":true}`, after: 2 * time.Second, questions: 3},
		{name: "no answer", after: 11 * time.Second, code: dovetail.CodeUnavailable, questions: 3},
		{name: "an error is not known", status: `{"allowed":true}`, allowed: true, questions: 4},
		{name: "an answer without a status", status: `null`, after: 11 * time.Second, code: dovetail.CodeUnavailable, questions: 5},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			j.says(step.status)
			clock.move(step.after)
			allowed, err := may()
			if allowed != step.allowed || dovetail.CodeOf(err) != step.code || j.questions() != step.questions {
				t.Errorf("%t, %v after %d questions, want %t, %q after %d", allowed, err, j.questions(), step.allowed, step.code, step.questions)
			}
		})
	}
	const want = `{"user":"ann","groups":["team"],"extra":{"scope":["x"]},"resourceAttributes":{"verb":"create","group":"dovetail.dev","version":"*","resource":"apps"}}`
	if j.asked[0] != want {
		t.Errorf("asked %s, want %s", j.asked[0], want)
	}
}

// Only users of the cluster are asked about, under the names that they have there.
func TestDelegationIsForUsersOfTheCluster(t *testing.T) {
	j := newJudge(t)
	j.says(`{"allowed":true}`)
	d := j.delegation(t, &movingClock{at: now})
	tests := []struct {
		name, who, user string
		kind            string
		want            bool
	}{
		{name: "a user", who: "k8s:ann", user: "ann", kind: "app", want: true},
		{name: "a service account", who: "serviceaccount:shop:app", user: "system:serviceaccount:shop:app", kind: "app", want: true},
		{name: "a token of the file", who: "ann", kind: "app"},
		{name: "a user of a provider", who: "oidc:ann", kind: "app"},
		{name: "a client certificate", who: "cert:ann", kind: "app"},
		{name: "a kind that the cluster has no name for", who: "k8s:ann", kind: "other"},
		{name: "metrics", who: "k8s:ann", user: "ann", kind: "_metrics", want: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := j.questions()
			who := &dovetail.Principal{Name: tt.who}
			if got := d.For(t.Context(), who, parse(t, "").Policy.For(who)).Allows(dovetail.RightRead, tt.kind, dovetail.ID(tt.kind+"/a")); got != tt.want {
				t.Errorf("%t", got)
			}
			if asked := j.questions() - before; (asked > 0) != tt.want {
				t.Errorf("%d questions", asked)
			}
		})
	}
	for who, is := range map[string]bool{"": false, "k8s:x": true, "K8S:x": false, "system:x": false} {
		if access.IsClusterUser(&dovetail.Principal{Name: who}) != is {
			t.Errorf("%q is a user of a cluster: %t", who, !is)
		}
	}
}
