package access_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

// cluster is a Kubernetes API server that reviews tokens.
type cluster struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]string // status by token
	reviews atomic.Int32
	most    atomic.Int32 // reviews at the same time
	running atomic.Int32
	full    chan struct{} // closed when 16 reviews run
	hangs   chan struct{} // while not nil, answers wait for it
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{answers: make(map[string]string), full: make(chan struct{})}
	isFull := sync.OnceFunc(func() { close(c.full) })
	c.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.reviews.Add(1)
		running := c.running.Add(1)
		left := sync.OnceFunc(func() { c.running.Add(-1) })
		defer left()
		if running == 16 {
			isFull()
		}
		for most := c.most.Load(); running > most && !c.most.CompareAndSwap(most, running); most = c.most.Load() {
		}
		var review struct {
			Spec struct {
				Token     string
				Audiences []string
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || r.URL.Path != "/apis/authentication.k8s.io/v1/tokenreviews" ||
			r.Header.Get("Authorization") != "Bearer own" || fmt.Sprint(review.Spec.Audiences) != "[dovetail]" {
			http.Error(w, "forbidden", http.StatusForbidden)
			return
		}
		c.mu.Lock()
		answer, hangs := c.answers[review.Spec.Token], c.hangs
		c.mu.Unlock()
		if hangs != nil {
			<-hangs
		}
		if answer == "" {
			answer = `{"authenticated":false,"error":"invalid bearer token"}`
		}
		left() // before the client knows
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"kind":"TokenReview","status":%s}`, answer)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *cluster) answer(token, status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[token] = status
}

// reviewer asks the cluster.
func (c *cluster) reviewer(t *testing.T, clock *movingClock, timeout time.Duration) *access.Reviewer {
	t.Helper()
	dir := t.TempDir()
	ca, own := filepath.Join(dir, "ca.crt"), filepath.Join(dir, "token")
	for file, text := range map[string][]byte{ca: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw}), own: []byte("own\n")} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	asked, err := access.NewCluster(access.ClusterOptions{Server: c.URL, CAFile: ca, TokenFile: own, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return access.NewReviewer(asked, access.ReviewerOptions{Audience: "dovetail", Now: clock.now})
}

func TestTokenReview(t *testing.T) {
	c := newCluster(t)
	p := newProvider(t)
	key := p.key(t, "k1", true)
	clock := &movingClock{at: now}
	a := access.NewAuthenticator(access.Authenticators{Reviewer: c.reviewer(t, clock, time.Minute), Now: clock.now,
		Issuer: access.NewIssuer(access.IssuerOptions{URL: p.URL, Audience: "dovetail", NamePrefix: "oidc:", Timeout: time.Minute, Now: clock.now})})
	jwt := func(issuer string) string {
		return sign(t, jose.ES256, key, map[string]any{"iss": issuer, "aud": "dovetail", "sub": "alice", "exp": now.Add(time.Hour).Unix()})
	}
	account := jwt("https://kubernetes.default.svc")
	status := func(user, groups, audience string) string {
		return fmt.Sprintf(`{"authenticated":true,"audiences":[%q],"user":{"username":%q,"groups":[%s]}}`, audience, user, groups)
	}
	c.answer(account, status("system:serviceaccount:shop:app", `"system:serviceaccounts"`, "dovetail"))
	c.answer("human", status("alice", "", "dovetail"))
	c.answer("admin", status("system:admin", `"system:masters"`, "dovetail"))
	c.answer("odd", status("system:serviceaccount:shop:app:x", "", "dovetail"))
	c.answer("hidden", status("ali\u200bce", "", "dovetail"))
	c.answer("elsewhere", status("alice", "", "other"))
	tests := []struct {
		name, token, who string
		groups           string
		expires          time.Time
	}{
		{name: "a service account", token: account, who: "serviceaccount:shop:app", groups: "[k8s:system:serviceaccounts]", expires: now.Add(time.Hour)},
		{name: "a user", token: "human", who: "k8s:alice", groups: "[]"},
		{name: "an administrator", token: "admin", who: "k8s:system:admin", groups: "[k8s:system:masters]"},
		{name: "a name with another colon", token: "odd", who: "k8s:system:serviceaccount:shop:app:x", groups: "[]"},
		{name: "a name that looks like another", token: "hidden"},
		{name: "another audience", token: "elsewhere"},
		{name: "unknown", token: "forged"},
		{name: "of the provider", token: jwt(p.URL), who: "oidc:alice", groups: "[]", expires: now.Add(time.Hour)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 3 {
				who, err := a.Authenticate(t.Context(), "Bearer "+tt.token, nil)
				switch {
				case tt.who == "":
					if dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
						t.Errorf("got %v, %v, want a refusal", who, err)
					}
				case err != nil:
					t.Error(err)
				case who.Principal.Name != tt.who || fmt.Sprint(who.Principal.Groups) != tt.groups || !who.Expires.Equal(tt.expires):
					t.Errorf("got %+v until %s, want %s %s", who.Principal, who.Expires, tt.who, tt.groups)
				}
			}
		})
	}
	if got := c.reviews.Load(); got != 7 {
		t.Errorf("7 tokens of the cluster, each three times: %d reviews", got)
	}
	c.answer(account, "")
	if _, err := a.Authenticate(t.Context(), "Bearer "+account, nil); err != nil {
		t.Errorf("while the outcome is cached: %v", err)
	}
	clock.move(10 * time.Second)
	if _, err := a.Authenticate(t.Context(), "Bearer "+account, nil); dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
		t.Errorf("ten seconds after it was revoked: %v", err)
	}
}

// However many tokens come, few reviews are under way.
func TestTokenReviewIsBounded(t *testing.T) {
	c := newCluster(t)
	c.hangs = make(chan struct{})
	clock := &movingClock{at: now}
	a := access.NewAuthenticator(access.Authenticators{Reviewer: c.reviewer(t, clock, time.Minute), Now: clock.now})
	var all sync.WaitGroup
	for n := range 100 {
		all.Go(func() {
			if _, err := a.Authenticate(t.Context(), fmt.Sprint("Bearer forged-", n), nil); dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
				t.Errorf("got %v, want a refusal", err)
			}
		})
	}
	<-c.full
	close(c.hangs)
	all.Wait()
	if most, reviews := c.most.Load(), c.reviews.Load(); most != 16 || reviews != 100 {
		t.Errorf("%d reviews at the same time of %d, want 16 of 100", most, reviews)
	}
}

// An API server that hangs delays a request for the timeout, also those that wait for their turn.
func TestTokenReviewHangs(t *testing.T) {
	c := newCluster(t)
	c.hangs = make(chan struct{})
	defer close(c.hangs)
	clock := &movingClock{at: now}
	a := access.NewAuthenticator(access.Authenticators{Reviewer: c.reviewer(t, clock, 100*time.Millisecond), Now: clock.now})
	var all sync.WaitGroup
	for n := range 40 {
		all.Go(func() {
			if _, err := a.Authenticate(t.Context(), fmt.Sprint("Bearer forged-", n), nil); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
				t.Errorf("got %v, want that the API server does not answer", err)
			}
		})
	}
	all.Wait()
}

// An open stream ends when the cluster revokes its token.
func TestTokenReviewIsRenewed(t *testing.T) {
	c := newCluster(t)
	clock := &movingClock{at: now}
	a := access.NewAuthenticator(access.Authenticators{Reviewer: c.reviewer(t, clock, time.Minute), Now: clock.now})
	sessions := access.NewSessions(a)
	c.answer("token", `{"authenticated":true,"audiences":["dovetail"],"user":{"username":"alice"}}`)
	who, err := a.Authenticate(t.Context(), "Bearer token", nil)
	if err != nil {
		t.Fatal(err)
	}
	request, err := sessions.Use(who, "192.0.2.1:1")
	if err != nil {
		t.Fatal(err)
	}
	streaming, done := request.Stream(t.Context())
	defer done()
	clock.move(11 * time.Second)
	sessions.Recheck(t.Context())
	if _, err := a.Authenticate(t.Context(), "Bearer token", nil); err != nil || c.reviews.Load() != 2 { // waits for the same review
		t.Fatalf("%v after %d reviews", err, c.reviews.Load())
	}
	if streaming.Err() != nil {
		t.Fatal("the stream of a good token ended")
	}
	c.answer("token", `{"authenticated":false}`)
	next, doneNext := request.Stream(t.Context()) // of which no review can be under way
	defer doneNext()
	clock.move(11 * time.Second)
	sessions.Recheck(t.Context())
	<-next.Done()
	if err := context.Cause(next); dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
		t.Errorf("the stream ended with %v", err)
	}
	alone, doneToo := request.Stream(t.Context())
	defer doneToo()
	c.CloseClientConnections()
	c.Close()
	clock.move(time.Minute)
	sessions.Recheck(t.Context())
	if err := context.Cause(alone); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Errorf("a minute without a review the stream has %v", err)
	}
}
