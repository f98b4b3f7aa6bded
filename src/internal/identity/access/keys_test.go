package access_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

// movingClock is a clock that a test moves.
type movingClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *movingClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *movingClock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func (p *provider) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reads
}

// TestForgedTokens sends tokens that name keys which do not exist: the provider is asked a bounded number of times, and a
// new key is found all the same.
func TestForgedTokens(t *testing.T) {
	p := newProvider(t)
	clock := &movingClock{at: now}
	issuer := access.NewIssuer(access.IssuerOptions{URL: p.URL, Audience: "dovetail", Timeout: time.Minute, Now: clock.now})
	a := access.NewAuthenticator(access.Authenticators{Issuer: issuer, Now: clock.now})
	claims := map[string]any{"iss": p.URL, "aud": "dovetail", "sub": "alice", "exp": now.Add(24 * time.Hour).Unix()}
	code := func(key jose.JSONWebKey) dovetail.Code {
		_, err := a.Authenticate(t.Context(), "Bearer "+sign(t, jose.ES256, key, claims), nil)
		return dovetail.CodeOf(err)
	}
	good := p.key(t, "k1", true)
	if got := code(good); got != "" || p.count() != 1 {
		t.Fatalf("a good token: %q after reading the keys %d times", got, p.count())
	}
	forged := p.key(t, "forged", false)
	for range 50 {
		if got := code(forged); got != dovetail.CodeUnauthenticated {
			t.Fatalf("a forged token: %q", got)
		}
	}
	if p.count() != 2 {
		t.Errorf("50 tokens of one missing key: the keys were read %d times, want 2", p.count())
	}
	stolenID := p.key(t, "k1", false)
	for range 50 {
		if got := code(stolenID); got != dovetail.CodeUnauthenticated {
			t.Fatalf("a token with the id of a known key: %q", got)
		}
	}
	if p.count() != 3 {
		t.Errorf("50 tokens with the id of a known key: the keys were read %d times, want 3", p.count())
	}
	for n := range 200 {
		forged.KeyID = fmt.Sprint("forged-", n)
		code(forged)
	}
	if got := p.count(); got != 5 {
		t.Errorf("200 tokens of different missing keys: the keys were read %d times, want 5", got)
	}
	if got := code(good); got != "" {
		t.Errorf("a token of a known key: %q", got)
	}
	rotated := p.key(t, "k2", true)
	if got := code(rotated); got != dovetail.CodeUnavailable {
		t.Errorf("a new key while forged tokens use up the rate: %q, want that it is tried again", got)
	}
	clock.move(5 * time.Second)
	if got := code(rotated); got != "" || p.count() != 6 {
		t.Errorf("a new key five seconds later: %q after reading the keys %d times", got, p.count())
	}
	back := p.key(t, "forged", true) // a key of an id that was missing before
	clock.move(time.Minute)
	if got := code(back); got != "" {
		t.Errorf("a key that was missing, a minute later: %q", got)
	}
}

// TestIdentityOfIssuer checks the claims that name a principal.
func TestIdentityOfIssuer(t *testing.T) {
	p := newProvider(t)
	key := p.key(t, "k1", true)
	tests := []struct {
		name, claim, prefix string // how the issuer is set up
		claims              map[string]any
		who, groups         string
		refused             bool
	}{
		{name: "with the prefix", prefix: "oidc:", claims: map[string]any{"sub": "admin", "groups": []string{"ops"}}, who: "oidc:admin", groups: "[oidc:ops]"},
		{name: "without a prefix", claims: map[string]any{"sub": "alice", "groups": "ops"}, who: "alice", groups: "[ops]"},
		{name: "a reserved name with the prefix", prefix: "oidc:", claims: map[string]any{"sub": "system:x"}, who: "oidc:system:x", groups: "[]"},
		{name: "a reserved name without a prefix", claims: map[string]any{"sub": "system:x"}, refused: true},
		{name: "the name of a client certificate", claims: map[string]any{"sub": "cert:x"}, refused: true},
		{name: "the name of a service account", claims: map[string]any{"sub": "serviceaccount:a:b"}, refused: true},
		{name: "a prefix that the name completes", prefix: "s", claims: map[string]any{"sub": "ystem:x"}, refused: true},
		{name: "a verified address", claim: "email", claims: map[string]any{"email": "a@example.org", "email_verified": true}, who: "a@example.org", groups: "[]"},
		{name: "an address without a word on it", claim: "email", claims: map[string]any{"email": "a@example.org"}, who: "a@example.org", groups: "[]"},
		{name: "an address that is not verified", claim: "email", claims: map[string]any{"email": "a@example.org", "email_verified": false}, refused: true},
		{name: "an address that is verified in words", claim: "email", claims: map[string]any{"email": "a@example.org", "email_verified": "true"}, refused: true},
		{name: "an address that is no name", claims: map[string]any{"sub": "alice", "email_verified": false}, who: "alice", groups: "[]"},
		{name: "a line break", claims: map[string]any{"sub": "alice\nroot"}, refused: true},
		{name: "text that runs backwards", claims: map[string]any{"sub": "alice\u202eroot"}, refused: true},
		{name: "a character without width", claims: map[string]any{"sub": "ad\u200bmin"}, refused: true},
		{name: "a Cyrillic letter among Latin ones", claims: map[string]any{"sub": "\u0430dmin"}, refused: true},
		{name: "letters of full width", claims: map[string]any{"sub": "\uff41dmin"}, refused: true},
		{name: "a decomposed letter", claims: map[string]any{"sub": "re\u0301ne"}, refused: true},
		{name: "every user", claims: map[string]any{"sub": "*"}, refused: true},
		{name: "a Cyrillic name", claims: map[string]any{"sub": "\u0418\u0432\u0430\u043d admin"}, who: "\u0418\u0432\u0430\u043d admin", groups: "[]"},
		{name: "a group with a control character", claims: map[string]any{"sub": "alice", "groups": []string{"ops\x00"}}, refused: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clock := func() time.Time { return now }
			a := access.NewAuthenticator(access.Authenticators{Now: clock, Issuer: access.NewIssuer(access.IssuerOptions{URL: p.URL, Audience: "dovetail",
				Timeout: time.Minute, Name: tt.claim, NamePrefix: tt.prefix, GroupsPrefix: tt.prefix, Now: clock})})
			all := map[string]any{"iss": p.URL, "aud": "dovetail", "sub": "someone", "exp": now.Add(time.Hour).Unix()}
			for name, value := range tt.claims {
				all[name] = value
			}
			who, err := a.Authenticate(t.Context(), "Bearer "+sign(t, jose.ES256, key, all), nil)
			switch {
			case tt.refused:
				if dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
					t.Errorf("got %v, %v, want a refusal", who, err)
				}
			case err != nil:
				t.Error(err)
			case who.Principal.Name != tt.who || fmt.Sprint(who.Principal.Groups) != tt.groups || who.Method != access.MethodOIDC || !who.Expires.Equal(now.Add(time.Hour)):
				t.Errorf("got %v of %+v until %s, want %s %s", who.Method, who.Principal, who.Expires, tt.who, tt.groups)
			}
		})
	}
}

func FuzzCheckName(f *testing.F) {
	for _, name := range []string{"alice", "\u0430dmin", "a\u202eb", "system:x", "re\u0301ne", " a", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if access.CheckName(name) != "" {
			return
		}
		for _, r := range name {
			if r < ' ' || r == 0x7f || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e {
				t.Errorf("%q is a name", name)
			}
		}
	})
}
