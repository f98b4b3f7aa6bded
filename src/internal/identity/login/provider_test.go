package login_test

import (
	"context"
	"crypto/rand"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/login"
	"github.com/dovetail-store/dovetail/src/internal/identity/login/logintest"
)

func find(t *testing.T, i *logintest.Issuer, change ...func(*login.Options)) *login.Provider {
	t.Helper()
	o := login.Options{Issuer: i.URL, Now: time.Now, Random: rand.Reader}
	for _, c := range change {
		c(&o)
	}
	p, err := login.Find(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// browse does what a browser does, and returns the page in the end.
func browse(t *testing.T, page string) string {
	t.Helper()
	answer, err := http.Get(page) //nolint:gosec,noctx // of this test
	if err != nil {
		t.Error(err)
		return ""
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	if answer.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a page that is kept: %s", text)
	}
	return string(text)
}

func TestBrowser(t *testing.T) {
	issuer := logintest.NewIssuer(t)
	shown := make(chan string, 1)
	token, err := find(t, issuer).Browser(t.Context(), login.DefaultRedirect, func(url string) { go func() { shown <- browse(t, url) }() })
	if err != nil || token.Subject != "alice" || token.Refresh == "" || !token.IsFresh(time.Now()) || token.IsFresh(time.Now().Add(time.Hour)) {
		t.Fatalf("%v: %v until %s", err, token.Subject, token.Expires)
	}
	if counts := issuer.Counts(); counts["authorization_code"] != 1 || issuer.Live() != 1 {
		t.Errorf("%v", counts)
	}
	if page := <-shown; !strings.Contains(page, "Logged in") || strings.Contains(page, token.ID) {
		t.Errorf("the page is %s", page)
	}
}

// logIn logs a user in, in a browser.
func logIn(t *testing.T, p *login.Provider) login.Token {
	t.Helper()
	token, err := p.Browser(t.Context(), login.DefaultRedirect, func(url string) { go browse(t, url) })
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// Logins that do not succeed say why, and show no secret.
func TestBrowserRefusals(t *testing.T) {
	tests := []struct {
		name, says string
		code       dovetail.Code
		issuer     func(*logintest.Behavior)
		options    func(*login.Options)
		page       func(string) string // what becomes of the URL on its way to the browser
	}{
		{name: "the user says no", issuer: func(b *logintest.Behavior) { b.User = "" }, code: dovetail.CodeForbidden, says: "refused: access_denied (the user said no [31m)"},
		{name: "another nonce", issuer: func(b *logintest.Behavior) { b.Nonce = "other" }, code: dovetail.CodeUnauthenticated, says: "the nonce is another one"},
		{name: "another issuer", issuer: func(b *logintest.Behavior) { b.Pretends = "https://evil" }, code: dovetail.CodeUnauthenticated, says: "comes from another issuer"},
		{name: "no ID token", issuer: func(b *logintest.Behavior) { b.NoIDToken = true }, code: dovetail.CodeInvalid, says: "gave no ID token"},
		{name: "an expired ID token", issuer: func(b *logintest.Behavior) { b.Lifetime = -time.Hour }, code: dovetail.CodeUnauthenticated, says: "is not valid"},
		{name: "without PKCE", page: func(u string) string { return strings.Replace(u, "S256", "plain", 1) }, code: dovetail.CodeInvalid, says: "invalid_request"},
		{name: "a code of another challenge", page: func(u string) string { return strings.Replace(u, "code_challenge=", "code_challenge=x", 1) }, code: dovetail.CodeUnauthenticated, says: "invalid_grant"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			issuer := logintest.NewIssuer(t)
			if test.issuer != nil {
				issuer.Set(test.issuer)
			}
			shown := make(chan string, 1)
			token, err := find(t, issuer).Browser(t.Context(), login.DefaultRedirect, func(url string) {
				if test.page != nil {
					url = test.page(url)
				}
				go func() { shown <- browse(t, url) }()
			})
			e := dovetail.AsError(err)
			if e == nil || e.Code != test.code || !strings.Contains(e.Message, test.says) || e.Remedy == "" || token != (login.Token{}) {
				t.Errorf("got %v", err)
			}
			if page := <-shown; !strings.Contains(page, "The login failed") || strings.Contains(page, "\x1b") {
				t.Errorf("the page is %s", page)
			}
		})
	}
}

// What is not of the login has no effect on it.
func TestStrangersInTheBrowser(t *testing.T) {
	issuer := logintest.NewIssuer(t)
	token, err := find(t, issuer).Browser(t.Context(), login.DefaultRedirect, func(page string) {
		u, err := url.Parse(page)
		if err != nil {
			t.Error(err)
			return
		}
		back := u.Query().Get("redirect_uri")
		for _, stranger := range []struct {
			method, url string
			status      int
		}{
			{http.MethodGet, back + "?code=x", http.StatusBadRequest},
			{http.MethodGet, back + "?code=x&state=guess", http.StatusBadRequest},
			{http.MethodGet, back + "?error=access_denied&state=", http.StatusBadRequest},
			{http.MethodGet, strings.TrimSuffix(back, "callback") + "favicon.ico", http.StatusNotFound},
			{http.MethodPost, back + "?code=x&state=" + u.Query().Get("state"), http.StatusNotFound},
		} {
			request, err := http.NewRequestWithContext(t.Context(), stranger.method, stranger.url, nil)
			if err != nil {
				t.Error(err)
				return
			}
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
			if answer.StatusCode != stranger.status {
				t.Errorf("%s %s: %s", stranger.method, stranger.url, answer.Status)
			}
		}
		go browse(t, page)
	})
	if err != nil || token.Subject != "alice" {
		t.Error(err, token.Subject)
	}
}

func TestBrowserIsCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := find(t, logintest.NewIssuer(t)).Browser(ctx, login.DefaultRedirect, func(string) { cancel() })
	if dovetail.CodeOf(err) != dovetail.CodeCanceled {
		t.Error(err)
	}
}

func TestRedirects(t *testing.T) {
	for redirect, good := range map[string]bool{
		login.DefaultRedirect: true, "http://localhost:8400/": true, "http://[::1]:1/a/b": true, "http://127.0.0.2": true,
		"https://127.0.0.1/": false, "http://example.org/": false, "http://10.0.0.1/": false, "http://127.0.0.1/?a": false, "http://me@127.0.0.1/": false, "": false, "callback": false,
	} {
		if err := login.CheckRedirect(redirect); (err == nil) != good {
			t.Errorf("%q: %v", redirect, err)
		}
	}
}

func TestDevice(t *testing.T) {
	tests := []struct {
		name   string
		does   func(*logintest.Issuer)
		code   dovetail.Code
		says   string
		issuer func(*logintest.Behavior)
	}{
		{name: "the code is entered", does: func(i *logintest.Issuer) { i.Approve() }},
		{name: "the user says no", does: func(i *logintest.Issuer) { i.Set(func(b *logintest.Behavior) { b.User = "" }) }, code: dovetail.CodeForbidden, says: "access_denied"},
		{name: "the provider goes down", does: func(i *logintest.Issuer) { i.Set(func(b *logintest.Behavior) { b.Down = true }) }, code: dovetail.CodeUnavailable, says: "503"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			issuer := logintest.NewIssuer(t)
			var shown login.Code
			token, err := find(t, issuer).Device(t.Context(), func(code login.Code) {
				shown = code
				go func() { // once it has waited
					select {
					case <-issuer.Pending:
						test.does(issuer)
					case <-t.Context().Done():
					}
				}()
			})
			if shown.Code != "ABCD-EFGH" || shown.URL != issuer.URL+"/enter" || !strings.Contains(shown.Whole, shown.Code) || !shown.Expires.After(time.Now()) {
				t.Errorf("shown %+v", shown)
			}
			if test.code == "" {
				if err != nil || token.Subject != "alice" || token.Refresh == "" {
					t.Error(err)
				}
			} else if dovetail.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A token is refreshed once by each refresh token, and a login that ended stays ended.
func TestRefresh(t *testing.T) {
	issuer := logintest.NewIssuer(t)
	p := find(t, issuer)
	first := logIn(t, p)
	second, err := p.Refresh(t.Context(), first)
	if err != nil || second.ID == first.ID || second.Refresh == first.Refresh || second.Subject != "alice" {
		t.Fatal(err)
	}
	issuer.Set(func(b *logintest.Behavior) { b.NoRefresh = true })
	third, err := p.Refresh(t.Context(), second)
	if err != nil || third.Refresh != second.Refresh {
		t.Fatalf("a refresh token that stays: %v", err)
	}
	issuer.Set(func(b *logintest.Behavior) { b.NoRefresh = false })
	other := third
	other.Subject = "bob"
	if _, err := p.Refresh(t.Context(), other); dovetail.CodeOf(err) != dovetail.CodeUnauthenticated || !strings.Contains(err.Error(), "another user") {
		t.Errorf("another user: %v", err)
	}
	_, err = p.Refresh(t.Context(), first)
	if e := dovetail.AsError(err); e == nil || e.Code != dovetail.CodeUnauthenticated || !strings.Contains(e.Message, "expired, or was ended there") || !strings.Contains(e.Remedy, "dovetail login") || strings.Contains(e.Message, first.Refresh) {
		t.Errorf("a refresh token that was used: %v", err)
	}
	if issuer.Live() != 0 {
		t.Error("the test provider takes refresh tokens twice")
	}
	if _, err := p.Refresh(t.Context(), login.Token{ID: "x"}); dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
		t.Errorf("without a refresh token: %v", err)
	}
	issuer.Set(func(b *logintest.Behavior) { b.Down = true })
	if _, err := p.Refresh(t.Context(), second); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Errorf("a provider that is down: %v", err)
	}
}

func TestRevoke(t *testing.T) {
	issuer := logintest.NewIssuer(t)
	p := find(t, issuer)
	token := logIn(t, p)
	if revoked, err := p.Revoke(t.Context(), token); !revoked || err != nil || issuer.Live() != 0 {
		t.Errorf("%v %v", revoked, err)
	}
	issuer.Set(func(b *logintest.Behavior) { b.Down = true })
	if _, err := p.Revoke(t.Context(), token); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Error(err)
	}
}

// What is no provider is named as such.
func TestFind(t *testing.T) {
	other := logintest.NewIssuer(t)
	pages := map[string]string{"/none/": "", "/text/": "hello", "/other/": `{"issuer":"` + other.URL + `"}`}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := pages[strings.TrimSuffix(r.URL.Path, ".well-known/openid-configuration")]
		if text == "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	secure := httptest.NewTLSServer(server.Config.Handler)
	t.Cleanup(secure.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	for _, test := range []struct {
		name      string
		issuer    string
		authority []byte
		code      dovetail.Code
		says      string
	}{
		{name: "nothing there", issuer: "http://127.0.0.1:1", code: dovetail.CodeUnavailable, says: "cannot be reached"},
		{name: "not found", issuer: server.URL + "/none", code: dovetail.CodeInvalid, says: "404"},
		{name: "a page", issuer: server.URL + "/text", code: dovetail.CodeInvalid, says: "no provider"},
		{name: "another issuer", issuer: server.URL + "/other", code: dovetail.CodeInvalid, says: "calls itself"},
		{name: "a certificate of an unknown CA", issuer: secure.URL + "/none", code: dovetail.CodeUnavailable, says: "certificate"},
		{name: "the certificate of the context", issuer: secure.URL + "/none", authority: authority, code: dovetail.CodeInvalid, says: "404"},
		{name: "no certificate", issuer: secure.URL, authority: []byte("x"), code: dovetail.CodeInvalid, says: "certificate authority"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := login.Find(t.Context(), login.Options{Issuer: test.issuer, Authority: test.authority, Now: time.Now, Random: rand.Reader})
			if e := dovetail.AsError(err); e == nil || e.Code != test.code || !strings.Contains(e.Message, test.says) || e.Remedy == "" {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A code or token is sent to no other place than the provider's.
func TestTokensAreNotRedirected(t *testing.T) {
	var got string
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.FormValue("refresh_token") }))
	t.Cleanup(thief.Close)
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"issuer":"`+server.URL+`","token_endpoint":"`+server.URL+`/token","jwks_uri":"`+server.URL+`/keys"}`)
	}))
	t.Cleanup(server.Close)
	p, err := login.Find(t.Context(), login.Options{Issuer: server.URL, Now: time.Now, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Refresh(t.Context(), login.Token{Refresh: "hunter2"}); err == nil || got != "" {
		t.Errorf("%v; the other got %q", err, got)
	}
	if _, err := p.Device(t.Context(), func(login.Code) {}); dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), "no codes for other devices") {
		t.Errorf("a provider without device codes: %v", err)
	}
}
