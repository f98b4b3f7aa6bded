package access_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

// provider is a provider of OpenID Connect that a test can turn and stop.
type provider struct {
	*httptest.Server
	mu    sync.Mutex
	keys  []jose.JSONWebKey
	shows string        // in place of the keys, if not empty; with the status 500 if it is "error"
	hangs chan struct{} // while not nil, answers wait for it
	reads int           // how often the keys were read
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		p.wait()
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q,"id_token_signing_alg_values_supported":["ES256"]}`, p.URL, p.URL+"/keys")
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		p.wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reads++
		switch p.shows {
		case "":
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: p.keys})
		case "error":
			http.Error(w, "out of order", http.StatusInternalServerError)
		default:
			fmt.Fprint(w, p.shows)
		}
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) wait() {
	p.mu.Lock()
	hangs := p.hangs
	p.mu.Unlock()
	if hangs != nil {
		<-hangs
	}
}

func (p *provider) hang(t *testing.T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hangs = make(chan struct{})
	t.Cleanup(func() { close(p.hangs) })
}

// key makes a key pair that the provider shows, in place of others, or not.
func (p *provider) key(t *testing.T, id string, shown bool) jose.JSONWebKey {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if shown {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.keys = []jose.JSONWebKey{{Key: private.Public(), KeyID: id, Algorithm: string(jose.ES256), Use: "sig"}}
	}
	return jose.JSONWebKey{Key: private, KeyID: id}
}

func sign(t *testing.T, algorithm jose.SignatureAlgorithm, key any, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func authenticator(tokens *access.Tokens, p *provider, timeout time.Duration) *access.Authenticator {
	clock := func() time.Time { return now }
	issuer := access.NewIssuer(access.IssuerOptions{URL: p.URL, Audience: "dovetail", Timeout: timeout, Now: clock})
	return access.NewAuthenticator(access.Authenticators{Tokens: func() *access.Tokens { return tokens }, Issuer: issuer, Now: clock})
}

func TestAuthenticate(t *testing.T) {
	p := newProvider(t)
	key := p.key(t, "k1", true)
	stranger := p.key(t, "k1", false)
	claims := func(change map[string]any) map[string]any {
		all := map[string]any{"iss": p.URL, "aud": "dovetail", "sub": "alice", "groups": []string{"team-a"}, "exp": now.Add(time.Hour).Unix(), "iat": now.Unix()}
		for name, value := range change {
			all[name] = value
		}
		return all
	}
	jwt := func(change map[string]any) string { return sign(t, jose.ES256, key, claims(change)) }
	b64 := base64.RawURLEncoding
	unsigned := func() string {
		payload, _ := json.Marshal(claims(nil))
		return b64.EncodeToString([]byte(`{"alg":"none"}`)) + "." + b64.EncodeToString(payload) + "."
	}
	public := key.Key.(*ecdsa.PrivateKey).PublicKey
	shared, err := json.Marshal(jose.JSONWebKey{Key: crypto.PublicKey(&public)})
	if err != nil {
		t.Fatal(err)
	}
	good, digest, err := access.NewToken(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	old, oldDigest, err := access.NewToken(bytes.NewReader(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	file := parse(t, fmt.Sprintf("tokens:\n- {name: ci, groups: [machines], sha256: %s, expires: 2026-11-22}\n- {name: old, sha256: %s, expires: '2026-11-21T12:00:00Z'}\n",
		hex.EncodeToString(digest[:]), hex.EncodeToString(oldDigest[:])))

	tests := []struct {
		name, header string
		who          string   // whose it is
		groups       []string // and of which groups
		refused      string   // a part of the message
	}{
		{name: "a machine", header: "Bearer " + good, who: "ci", groups: []string{"machines"}},
		{name: "a JWT", header: "Bearer " + jwt(nil), who: "alice", groups: []string{"team-a"}},
		{name: "the scheme in small letters", header: "bearer " + good, who: "ci", groups: []string{"machines"}},
		{name: "several audiences", header: "Bearer " + jwt(map[string]any{"aud": []string{"other", "dovetail"}}), who: "alice", groups: []string{"team-a"}},
		{name: "one group as text", header: "Bearer " + jwt(map[string]any{"groups": "one"}), who: "alice", groups: []string{"one"}},
		{name: "groups that are none", header: "Bearer " + jwt(map[string]any{"groups": 7}), who: "alice"},
		{name: "nothing", refused: "requires authentication"},
		{name: "another scheme", header: "Basic YWJj", refused: "has no bearer token"},
		{name: "no token", header: "Bearer ", refused: "has no bearer token"},
		{name: "an unknown token", header: "Bearer dovetail_x", refused: "the token is not known"},
		{name: "a machine's expired token", header: "Bearer " + old, refused: "the token expired"},
		{name: "expired", header: "Bearer " + jwt(map[string]any{"exp": now.Add(-time.Minute).Unix()}), refused: "the token expired"},
		{name: "not yet", header: "Bearer " + jwt(map[string]any{"nbf": now.Add(time.Hour).Unix()}), refused: "the token is not valid"},
		{name: "another audience", header: "Bearer " + jwt(map[string]any{"aud": "other"}), refused: "the token is not for this server"},
		{name: "another issuer", header: "Bearer " + jwt(map[string]any{"iss": "https://other"}), refused: "the token is of another issuer"},
		{name: "another key", header: "Bearer " + sign(t, jose.ES256, stranger, claims(nil)), refused: "the token is not valid"},
		{name: "signed with the public key as a shared secret", header: "Bearer " + sign(t, jose.HS256, shared, claims(nil)), refused: "the token is not valid"},
		{name: "not signed", header: "Bearer " + unsigned(), refused: "the token is not valid"},
		{name: "without its signature", header: "Bearer " + jwt(nil)[:strings.LastIndex(jwt(nil), ".")+1], refused: "the token is not valid"},
		{name: "no token at all", header: "Bearer a.b.c", refused: "the token is not valid"},
		{name: "oversized", header: "Bearer " + jwt(map[string]any{"x": strings.Repeat("x", access.MaxToken)}), refused: "longer than 16 KiB"},
		{name: "no name", header: "Bearer " + jwt(map[string]any{"sub": ""}), refused: "has no claim sub"},
		{name: "the system's name", header: "Bearer " + jwt(map[string]any{"sub": "system:sync"}), refused: "begins with system:, which is reserved"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			who, err := authenticator(file.Tokens, p, time.Minute).Authenticate(t.Context(), tt.header, nil)
			switch {
			case tt.refused != "":
				if dovetail.CodeOf(err) != dovetail.CodeUnauthenticated || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("got %v and %v, want a refusal: %s", who, err, tt.refused)
				}
			case err != nil:
				t.Error(err)
			case who.Principal.Name != tt.who || !slices.Equal(who.Principal.Groups, tt.groups):
				t.Errorf("got %v, want %s of %v", who, tt.who, tt.groups)
			}
		})
	}
}

func TestNewKeyOfIssuer(t *testing.T) {
	p := newProvider(t)
	a := authenticator(nil, p, time.Minute)
	claims := map[string]any{"iss": p.URL, "aud": "dovetail", "sub": "alice", "exp": now.Add(time.Hour).Unix()}
	for _, id := range []string{"k1", "k2", "k3"} {
		key := p.key(t, id, true)
		if _, err := a.Authenticate(t.Context(), "Bearer "+sign(t, jose.ES256, key, claims), nil); err != nil {
			t.Errorf("with the key %s: %v", id, err)
		}
	}
}

func TestKeysOfIssuer(t *testing.T) {
	p := newProvider(t)
	key := p.key(t, "k1", true)
	shown, err := json.Marshal(p.keys[0])
	if err != nil {
		t.Fatal(err)
	}
	token := sign(t, jose.ES256, key, map[string]any{"iss": p.URL, "aud": "dovetail", "sub": "alice", "exp": now.Add(time.Hour).Unix()})
	tests := []struct {
		name, shows string
		code        dovetail.Code
	}{
		{name: "a key of an unknown type", shows: fmt.Sprintf(`{"keys":[{"kty":"NEW","kid":"k0"},%s]}`, shown)},
		{name: "none", shows: `{"keys":[]}`, code: dovetail.CodeUnauthenticated},
		{name: "no JSON", shows: "<html>", code: dovetail.CodeUnavailable},
		{name: "too long", shows: `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, code: dovetail.CodeUnavailable},
		{name: "an error", shows: "error", code: dovetail.CodeUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.mu.Lock()
			p.shows = tt.shows
			p.mu.Unlock()
			if _, err := authenticator(nil, p, time.Minute).Authenticate(t.Context(), "Bearer "+token, nil); dovetail.CodeOf(err) != tt.code {
				t.Errorf("got %v, want %q", err, tt.code)
			}
		})
	}
}

func TestIssuerHangs(t *testing.T) {
	t.Parallel()
	claims := func(p *provider) map[string]any {
		return map[string]any{"iss": p.URL, "aud": "dovetail", "sub": "alice", "exp": now.Add(time.Hour).Unix()}
	}
	check := func(t *testing.T, a *access.Authenticator, header string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		if _, err := a.Authenticate(ctx, header, nil); dovetail.CodeOf(err) != dovetail.CodeUnavailable || ctx.Err() != nil {
			t.Errorf("got %v, want that the issuer is unavailable, within the time of a question", err)
		}
	}
	t.Run("from the start", func(t *testing.T) {
		p := newProvider(t)
		key := p.key(t, "k1", true)
		p.hang(t)
		check(t, authenticator(nil, p, 50*time.Millisecond), "Bearer "+sign(t, jose.ES256, key, claims(p)))
	})
	t.Run("when a key is new", func(t *testing.T) {
		p := newProvider(t)
		key := p.key(t, "k1", true)
		known := "Bearer " + sign(t, jose.ES256, key, claims(p))
		var a *access.Authenticator
		for timeout := 2 * time.Second; ; timeout *= 4 { // more for a machine that is too slow to find the key within it
			a = authenticator(nil, p, timeout)
			if _, err := a.Authenticate(t.Context(), known, nil); err == nil {
				break
			} else if timeout > time.Minute {
				t.Fatal(err)
			}
		}
		unknown := p.key(t, "k2", false)
		p.hang(t)
		check(t, a, "Bearer "+sign(t, jose.ES256, unknown, claims(p)))
		if _, err := a.Authenticate(t.Context(), known, nil); err != nil {
			t.Errorf("a token of a known key: %v", err)
		}
	})
	t.Run("and comes back", func(t *testing.T) {
		p := newProvider(t)
		key := p.key(t, "k1", true)
		clock := &movingClock{at: now}
		a := access.NewAuthenticator(access.Authenticators{Now: clock.now, Issuer: access.NewIssuer(access.IssuerOptions{URL: p.URL, Audience: "dovetail", Timeout: time.Second, Now: clock.now})})
		header := "Bearer " + sign(t, jose.ES256, key, claims(p))
		p.mu.Lock()
		p.hangs = make(chan struct{})
		p.mu.Unlock()
		check(t, a, header)
		p.mu.Lock()
		close(p.hangs)
		p.hangs = nil
		p.mu.Unlock()
		var err error
		for began := time.Now(); time.Since(began) < 5*time.Minute; { // the search that hung must end first
			if _, err = a.Authenticate(t.Context(), header, nil); err == nil {
				return
			}
			clock.move(5 * time.Second) // so that it may search again
		}
		t.Error(err)
	})
}

func ExampleAuthenticator_Authenticate() {
	token, digest, err := access.NewToken(bytes.NewReader(make([]byte, 32)))
	if err != nil {
		panic(err)
	}
	file, err := access.Parse("access.yaml", fmt.Appendf(nil, "tokens: [{name: ci, sha256: %x}]\nbindings: [{role: viewer, users: [ci]}]", digest))
	if err != nil {
		panic(err)
	}
	a := access.NewAuthenticator(access.Authenticators{Tokens: func() *access.Tokens { return file.Tokens }})
	identity, err := a.Authenticate(context.Background(), "Bearer "+token, nil)
	if err != nil {
		panic(err)
	}
	who := identity.Principal
	fmt.Println(who.Name, file.Policy.For(who).Allows(dovetail.RightRead, "cluster", "cluster/c1"), file.Policy.For(who).Allows(dovetail.RightDelete, "cluster", "cluster/c1"))
	// Output: ci true false
}
