// Package logintest is a provider of OpenID Connect for tests: it signs tokens, and logs users in with a code and PKCE, or with
// the code of a device. Refresh tokens are of use once: one that comes twice ends its login, as good providers do.
package logintest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Client is the client that the issuer knows.
const Client = "dovetail"

// Issuer is a provider with one key and one user at a time. Its fields may be changed between requests, by Set.
type Issuer struct {
	*httptest.Server
	key *ecdsa.PrivateKey

	// Pending has a value after the issuer has answered that the code of a device is not yet entered.
	Pending chan struct{}

	mu sync.Mutex
	Behavior
	codes    map[string]code   // by code
	logins   map[string]*login // by refresh token, those that were used included
	counts   map[string]int
	approved bool
}

// Behavior is what an issuer does.
type Behavior struct {
	User      string        // who logs in; "" refuses
	Lifetime  time.Duration // of ID tokens
	Down      bool          // every answer is 503
	NoRefresh bool          // there are no refresh tokens
	NoIDToken bool          // there are no ID tokens
	Nonce     string        // in place of the one that was sent
	Pretends  string        // the issuer that the browser is sent back with, in place of its own
}

type code struct{ user, nonce, challenge, redirect string }

type login struct {
	user  string
	ended bool
	last  string // refresh token
}

// NewIssuer returns an issuer at which alice logs in for an hour.
func NewIssuer(t testing.TB) *Issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &Issuer{key: key, Pending: make(chan struct{}, 1), Behavior: Behavior{User: "alice", Lifetime: time.Hour}, codes: map[string]code{}, logins: map[string]*login{}, counts: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /device", i.device)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("POST /revoke", i.revoke)
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.Down {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(i.Close)
	return i
}

// Set changes what the issuer does from here on.
func (i *Issuer) Set(change func(*Behavior)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change(&i.Behavior)
}

// Approve says that the user entered the code of a device.
func (i *Issuer) Approve() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.approved = true
}

// Counts says how often tokens were given, by the type of grant, and revoked.
func (i *Issuer) Counts() map[string]int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return maps.Clone(i.counts)
}

// Live is the number of logins that can be refreshed.
func (i *Issuer) Live() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	live := map[*login]bool{}
	for _, l := range i.logins {
		if !l.ended {
			live[l] = true
		}
	}
	return len(live)
}

// Token signs a token of a user.
func (i *Issuer) Token(t testing.TB, user string, expires time.Time) string {
	t.Helper()
	return i.sign(user, "", expires)
}

func (i *Issuer) sign(user, nonce string, expires time.Time) string {
	claims := map[string]any{"iss": i.URL, "aud": Client, "sub": user, "groups": []string{"team"}, "exp": expires.Unix(), "iat": time.Now().Unix(), "jti": random()}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	return must(must(must(jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: i.key, KeyID: "k"}}, nil)).Sign(must(json.Marshal(claims)))).CompactSerialize())
}

func (i *Issuer) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys", "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
		"device_authorization_endpoint": i.URL + "/device", "revocation_endpoint": i.URL + "/revoke", "id_token_signing_alg_values_supported": []string{"ES256"},
		"scopes_supported": []string{"openid", "groups", "offline_access"}, "code_challenge_methods_supported": []string{"S256"}})
}

// authorize logs the user in without a question, and sends the browser back.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || back.Scheme != "http" || back.Hostname() != "127.0.0.1" || q.Get("client_id") != Client {
		http.Error(w, "no such client, or another redirect", http.StatusBadRequest)
		return
	}
	answered := url.Values{"state": {q.Get("state")}, "iss": {i.URL}}
	if i.Pretends != "" {
		answered.Set("iss", i.Pretends)
	}
	switch {
	case q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || q.Get("state") == "" || !strings.Contains(q.Get("scope"), "openid"):
		answered.Set("error", "invalid_request")
	case i.User == "":
		answered.Set("error", "access_denied")
		answered.Set("error_description", "the user said no\x1b[31m")
	default:
		given := random()
		i.codes[given] = code{user: i.User, nonce: q.Get("nonce"), challenge: q.Get("code_challenge"), redirect: q.Get("redirect_uri")}
		answered.Set("code", given)
	}
	back.RawQuery = answered.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (i *Issuer) device(w http.ResponseWriter, r *http.Request) {
	if r.PostFormValue("client_id") != Client {
		refuse(w, "invalid_client")
		return
	}
	answer(w, http.StatusOK, map[string]any{"device_code": "device-secret", "user_code": "ABCD-EFGH", "verification_uri": i.URL + "/enter",
		"verification_uri_complete": i.URL + "/enter?user_code=ABCD-EFGH", "expires_in": 300, "interval": 1})
}

func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	grant := r.PostFormValue("grant_type")
	if r.PostFormValue("client_id") != Client {
		refuse(w, "invalid_client")
		return
	}
	switch grant {
	case "authorization_code":
		given, known := i.codes[r.PostFormValue("code")]
		delete(i.codes, r.PostFormValue("code"))
		proof := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if !known || given.redirect != r.PostFormValue("redirect_uri") || given.challenge != base64.RawURLEncoding.EncodeToString(proof[:]) {
			refuse(w, "invalid_grant")
			return
		}
		i.give(w, grant, given.nonce, &login{user: given.user})
	case "refresh_token":
		sent := r.PostFormValue("refresh_token")
		l := i.logins[sent]
		if l == nil || l.ended || l.last != sent {
			if l != nil {
				l.ended = true
			}
			refuse(w, "invalid_grant")
			return
		}
		i.give(w, grant, "", l)
	case "urn:ietf:params:oauth:grant-type:device_code":
		switch {
		case r.PostFormValue("device_code") != "device-secret":
			refuse(w, "invalid_grant")
		case i.User == "":
			refuse(w, "access_denied")
		case !i.approved:
			i.counts["pending"]++
			refuse(w, "authorization_pending")
			select {
			case i.Pending <- struct{}{}:
			default:
			}
		default:
			i.approved = false
			i.give(w, "device_code", "", &login{user: i.User})
		}
	default:
		refuse(w, "unsupported_grant_type")
	}
}

func (i *Issuer) give(w http.ResponseWriter, grant, nonce string, l *login) {
	i.counts[grant]++
	if i.Nonce != "" {
		nonce = i.Nonce
	}
	given := map[string]any{"access_token": random(), "token_type": "Bearer", "expires_in": int(i.Lifetime.Seconds())}
	if !i.NoIDToken {
		given["id_token"] = i.sign(l.user, nonce, time.Now().Add(i.Lifetime))
	}
	if !i.NoRefresh {
		l.last = "refresh-" + random()
		i.logins[l.last] = l
		given["refresh_token"] = l.last
	}
	answer(w, http.StatusOK, given)
}

func (i *Issuer) revoke(w http.ResponseWriter, r *http.Request) {
	i.counts["revoked"]++
	if l := i.logins[r.PostFormValue("token")]; l != nil {
		l.ended = true
	}
	w.WriteHeader(http.StatusOK)
}

func refuse(w http.ResponseWriter, code string) {
	answer(w, http.StatusBadRequest, map[string]any{"error": code})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // to a client that may be gone
}

func random() string { return rand.Text() }

// must is for what only a mistake in this package makes fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
