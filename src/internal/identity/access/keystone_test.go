package access_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone/keystonetest"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

// byKeystone authenticates with a Keystone. Time begins at that of the machine, by which Keystone's own tokens expire.
func byKeystone(t *testing.T, server *keystonetest.Server, clock *movingClock, timeout time.Duration) *access.Authenticator {
	t.Helper()
	client, err := keystone.New(keystone.Options{File: server.Account(t), Timeout: timeout, Now: clock.now})
	if err != nil {
		t.Fatal(err)
	}
	return access.NewAuthenticator(access.Authenticators{Reviewer: access.NewKeystoneReviewer(client, clock.now), Now: clock.now})
}

func TestKeystone(t *testing.T) {
	server, clock := keystonetest.New(t), &movingClock{at: time.Now()}
	a := byKeystone(t, server, clock, time.Minute)
	server.Give("ann", "ann", "admin", "reader")
	server.GiveOn("bob", "bob", `"domain":{"id":"d1","name":"Ops"}`, "admin")
	server.GiveOn("root", "root", `"system":{"all":true}`, "admin")
	server.GiveOn("unscoped", "cyd", "")
	server.GiveOn("odd", "o/p:q", `"project":{"id":"p1","name":"a:b","domain":{"id":"d1","name":"x/y"}}`, "r")
	server.Give("hidden", "ali\u200bce", "admin")
	server.Tokens["empty"] = `"methods":[]`
	tests := []struct {
		name, token, who, groups, extra string
		code                            dovetail.Code
	}{
		{name: "of a project", token: "ann", who: "keystone:Default/ann",
			groups: "[keystone:role:admin keystone:project:Default/service:admin keystone:role:reader keystone:project:Default/service:reader]",
			extra:  "map[project_domain_id:[default] project_id:[p-service] roles:[admin reader] user_domain_id:[default] user_id:[u-ann]]"},
		{name: "of a domain", token: "bob", who: "keystone:Default/bob", groups: "[keystone:role:admin]",
			extra: "map[domain_id:[d1] roles:[admin] user_domain_id:[default] user_id:[u-bob]]"},
		{name: "of the system", token: "root", who: "keystone:Default/root", groups: "[keystone:role:admin]",
			extra: "map[roles:[admin] system_scope:[all] user_domain_id:[default] user_id:[u-root]]"},
		{name: "without a scope", token: "unscoped", who: "keystone:Default/cyd", groups: "[]", extra: "map[user_domain_id:[default] user_id:[u-cyd]]"},
		{name: "separators in names", token: "odd", who: "keystone:Default/o%2Fp%3Aq", groups: "[keystone:role:r keystone:project:x%2Fy/a%3Ab:r]",
			extra: "map[project_domain_id:[d1] project_id:[p1] roles:[r] user_domain_id:[default] user_id:[u-o/p:q]]"},
		{name: "a name that looks like another", token: "hidden", code: dovetail.CodeUnauthenticated},
		{name: "unknown", token: "forged", code: dovetail.CodeUnauthenticated},
		{name: "an answer without a user", token: "empty", code: dovetail.CodeUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			who, err := a.Authenticate(t.Context(), "Bearer "+tt.token, nil)
			switch {
			case dovetail.CodeOf(err) != tt.code:
				t.Errorf("got %v, %v, want %q", who, err, tt.code)
			case err == nil && (who.Principal.Name != tt.who || fmt.Sprint(who.Principal.Groups) != tt.groups || fmt.Sprint(who.Principal.Extra) != tt.extra || who.Expires.IsZero()):
				t.Errorf("got %+v until %s, want %s %s %s", who.Principal, who.Expires, tt.who, tt.groups, tt.extra)
			}
		})
	}
}

// What Keystone said is taken for ten seconds, and for no longer than the token is good.
func TestKeystoneIsAskedAgain(t *testing.T) {
	server, clock := keystonetest.New(t), &movingClock{at: time.Now()}
	a := byKeystone(t, server, clock, time.Minute)
	server.Expires = clock.at.Add(75 * time.Second)
	server.Give("ann", "ann", "admin")
	steps := []struct {
		name   string
		before func()
		moves  time.Duration
		code   dovetail.Code
		logins int
		checks int
	}{
		{name: "a first time", logins: 1, checks: 1},
		{name: "again", logins: 1, checks: 1},
		{name: "later", moves: 10 * time.Second, logins: 1, checks: 2},
		{name: "when the account's own token was revoked", before: server.RevokeOwn, moves: 10 * time.Second, logins: 2, checks: 3},
		{name: "when the account has no role", before: func() { server.Forbidden = true }, moves: 10 * time.Second, code: dovetail.CodeUnavailable, logins: 2, checks: 3},
		{name: "when it has it again", before: func() { server.Forbidden = false }, logins: 2, checks: 4},
		{name: "while the outcome is kept", before: func() { server.Revoke("ann") }, moves: 9 * time.Second, logins: 2, checks: 4},
		{name: "when it was revoked", moves: time.Second, code: dovetail.CodeUnauthenticated, logins: 2, checks: 5},
		{name: "while the refusal is kept", before: func() { server.Give("ann", "ann") }, code: dovetail.CodeUnauthenticated, logins: 2, checks: 5},
		{name: "half a minute before the account's token expires", moves: 10 * time.Second, logins: 3, checks: 6},
	}
	for _, step := range steps {
		if step.before != nil {
			step.before()
		}
		clock.move(step.moves)
		_, err := a.Authenticate(t.Context(), "Bearer ann", nil)
		if logins, checks := server.Counts(); dovetail.CodeOf(err) != step.code || logins != step.logins || checks != step.checks {
			t.Errorf("%s: %v after %d logins and %d checks", step.name, err, logins, checks)
		}
	}
	server.Lock()
	server.Expires = time.Now().Add(-time.Second)
	server.Unlock()
	clock.move(10 * time.Second)
	if _, err := a.Authenticate(t.Context(), "Bearer ann", nil); dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
		t.Errorf("after it expired: %v", err)
	}
}

// A Keystone that hangs or is down delays a request for the timeout, and authenticates no one.
func TestKeystoneDoesNotAnswer(t *testing.T) {
	server, clock := keystonetest.New(t), &movingClock{at: time.Now()}
	server.Give("ann", "ann", "admin")
	server.Hangs = make(chan struct{})
	a := byKeystone(t, server, clock, 100*time.Millisecond)
	var all sync.WaitGroup
	for n := range 40 {
		all.Go(func() {
			if _, err := a.Authenticate(t.Context(), fmt.Sprint("Bearer token-", n), nil); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
				t.Errorf("got %v, want that Keystone does not answer", err)
			}
		})
	}
	all.Wait()
	close(server.Hangs)
	server.CloseClientConnections()
	server.Close()
	_, err := a.Authenticate(t.Context(), "Bearer ann", nil)
	if dovetail.CodeOf(err) != dovetail.CodeUnavailable || !strings.Contains(err.Error(), "cannot be checked with Keystone") {
		t.Errorf("got %v", err)
	}
}

// An open stream ends when Keystone revokes its token.
func TestKeystoneEndsStreams(t *testing.T) {
	server, clock := keystonetest.New(t), &movingClock{at: time.Now()}
	a := byKeystone(t, server, clock, time.Minute)
	sessions := access.NewSessions(a)
	server.Give("ann", "ann", "admin")
	who, err := a.Authenticate(t.Context(), "Bearer ann", nil)
	if err != nil {
		t.Fatal(err)
	}
	request, err := sessions.Use(who, "192.0.2.1:1")
	if err != nil {
		t.Fatal(err)
	}
	streaming, done := request.Stream(t.Context())
	defer done()
	server.Revoke("ann")
	clock.move(11 * time.Second)
	sessions.Recheck(t.Context())
	<-streaming.Done()
	if err := context.Cause(streaming); dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
		t.Errorf("the stream ended with %v", err)
	}
}
