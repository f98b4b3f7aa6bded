package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

// accessFile gives each name a token of its own and then says the rest.
func accessFile(t *testing.T, rest string, names ...string) (path string, tokens map[string]string) {
	t.Helper()
	tokens = make(map[string]string)
	var b strings.Builder
	b.WriteString(rest + "\ntokens:\n")
	for i, name := range names {
		token, digest, err := access.NewToken(strings.NewReader(strings.Repeat(string(rune('a'+i)), 32)))
		if err != nil {
			t.Fatal(err)
		}
		tokens[name] = token
		fmt.Fprintf(&b, "- {name: %s, sha256: %x}\n", name, digest)
	}
	path = filepath.Join(t.TempDir(), "access.yaml")
	writeFile(t, path, b.String())
	return path, tokens
}

const accessRoles = `roles:
- name: environment-editor
  rules:
  - {kinds: [environment, deployPostfix, application], verbs: [read, create, update, delete]}
bindings:
- {role: editor, users: [root]}
- {role: viewer, users: [reader]}
- {role: environment-editor, users: [ann], on: [cluster/c1/*]}`

// as sends a request with a token.
func (r *running) as(t testing.TB, token, method, path, body string) (int, http.Header, string) {
	t.Helper()
	request := r.request(t, method, path, body)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return roundTrip(t, request)
}

func TestAccess(t *testing.T) {
	file, tokens := accessFile(t, accessRoles, "root", "reader", "ann", "norole")
	server := start(t, map[string]string{"access": file})
	steps := []struct {
		who, method, path, body string
		status                  int
		says                    string
	}{
		{who: "root", method: "POST", path: "/v2/clusters", body: named("c1"), status: 201},
		{who: "root", method: "POST", path: "/v2/clusters", body: named("c2"), status: 201},
		{who: "ann", method: "POST", path: "/v2/clusters/c1/environments", body: named("dev"), status: 201},
		{who: "ann", method: "POST", path: "/v2/clusters/c2/environments", body: named("dev"), status: 403, says: "ann may not create any environment below cluster/c2"},
		{who: "ann", method: "GET", path: "/v2/clusters/c1", status: 403, says: "ann may not read cluster/c1"},
		{who: "ann", method: "GET", path: "/v2/clusters", status: 200, says: "[]"},
		{who: "norole", method: "GET", path: "/v2/access?right=read&id=cluster/c1", status: 200, says: `"right":"read","id":"cluster/c1","allowed":false`},
		{who: "ann", method: "GET", path: "/v2/access?right=update&id=cluster/c1/environment/dev", status: 200, says: `"allowed":true`},
		{who: "ann", method: "GET", path: "/v2/access?right=fly&id=cluster/c1", status: 400},
		{method: "GET", path: "/v2/clusters", status: 401, says: "send a token"},
		{method: "GET", path: "/v2/no/such/place", status: 401},
		{method: "GET", path: "/livez", status: 200},
		{method: "GET", path: "/readyz", status: 200, says: "access"},
	}
	for _, step := range steps {
		t.Run(step.method+" "+step.path+" by "+step.who, func(t *testing.T) {
			status, header, text := server.as(t, tokens[step.who], step.method, step.path, step.body)
			if status != step.status || !strings.Contains(text, step.says) {
				t.Errorf("got %d %s, want %d with %s", status, text, step.status, step.says)
			}
			if status == http.StatusUnauthorized && !strings.HasPrefix(header.Get("WWW-Authenticate"), "Bearer") {
				t.Error("a 401 does not say how to authenticate")
			}
		})
	}
	may := func(token string) bool {
		c, err := client.New(server.URL(), client.Options{Token: token})
		if err != nil {
			t.Fatal(err)
		}
		allowed, err := c.Allowed(t.Context(), dovetail.RightDelete, "cluster/c1/environment/dev")
		if err != nil {
			t.Fatal(err)
		}
		return allowed
	}
	if !may(tokens["ann"]) || may(tokens["reader"]) {
		t.Error("the client gets the wrong answer")
	}
	for who, want := range map[string]string{"ann": "yes\n", "reader": "no\n"} {
		t.Setenv(cli.TokenVariable, tokens[who])
		var out, errs bytes.Buffer
		code := cli.Run(t.Context(), cli.Deps{Out: &out, Err: &errs, Env: os.LookupEnv, Connect: Connect},
			[]string{"auth", "can-i", "delete", "cluster/c1/environment/dev", "--server", server.URL()})
		if out.String() != want || (code == 0) != (want == "yes\n") {
			t.Errorf("can-i tells %s %q with code %d, want %q: %s", who, out.String(), code, want, errs.String())
		}
	}
}

func TestAccessFileChanges(t *testing.T) {
	file, tokens := accessFile(t, accessRoles, "root", "reader")
	server := start(t, map[string]string{"access": file})
	status := func(who string) int {
		got, _, _ := server.as(t, tokens[who], "POST", "/v2/clusters", named("c"))
		return got
	}
	if got := status("reader"); got != 403 {
		t.Fatalf("a reader writes: %d", got)
	}
	changed, _ := accessFile(t, strings.ReplaceAll(accessRoles, "users: [reader]", "users: [root]")+"\n- {role: editor, users: [reader]}", "root", "reader")
	if err := os.Rename(changed, file); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the changed file is in force", func() bool { return status("reader") != 403 })
	replaceFile(t, file, "roles: 7")
	eventually(t, "the invalid file is refused", func() bool { return strings.Contains(server.logs.String(), "is refused, the last good one stays") })
	if got := status("reader"); got == 403 || got == 401 {
		t.Errorf("the last good file is no more in force: %d", got)
	}
	if _, text := server.call(t, "GET", "/readyz", ""); !strings.Contains(text, "the last good one is in force") {
		t.Errorf("/readyz says nothing of it: %s", text)
	}
}

// TestPoliciesNameKnownKinds shows that a misspelt kind, which would allow, protect or record nothing, is refused with its position.
func TestPoliciesNameKnownKinds(t *testing.T) {
	tests := []struct{ name, setting, text, want string }{
		{name: "a role", setting: "access", text: "roles: [{name: r, rules: [{kinds: [environments], verbs: [read]}]}]", want: "policy.yaml:1:27: the role r names the unknown kind environments; did you mean environment?"},
		{name: "use", setting: "access", text: "use: [credental]", want: "policy.yaml:1:6: use names the unknown kind credental; did you mean credential?"},
		{name: "a place", setting: "access", text: "bindings: [{role: viewer, users: [ann], on: [clster/c1]}]", want: "policy.yaml:1:12: a binding of the role viewer holds on clster/c1"},
		{name: "an audit rule", setting: "audit-policy", text: "rules: [{level: metadata, kinds: [credentials]}]", want: "policy.yaml:1:9: a rule names the unknown kind credentials; did you mean credential?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "policy.yaml")
			writeFile(t, file, tt.text)
			config, err := Load(map[string]string{"listen": "127.0.0.1:0", "store": "bolt:" + filepath.Join(t.TempDir(), "x.db"), "audit": "log", tt.setting: file}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Start(t.Context(), config, io.Discard); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// Of logins that are refused from one address one is recorded in a while, with how many there were.
func TestRefusedLoginsAreCounted(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var got []string
	l := &refusedLogins{now: func() time.Time { return at }, since: make(map[string]*loginWindow),
		record: func(_ context.Context, address, reason string, count int) error {
			got = append(got, fmt.Sprint(address, " ", reason, " ", count))
			return nil
		}}
	refuse := func(address string) {
		if err := l.refused(t.Context(), address, dovetail.Errorf(dovetail.CodeUnauthenticated, "unknown")); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		refuse("a")
	}
	refuse("b")
	at = at.Add(loginEvery)
	refuse("a")
	if want := []string{"a unknown 1", "b unknown 1", "a unknown 5"}; !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
	for n := range loginAddresses + 1000 {
		refuse(fmt.Sprint(n))
	}
	if len(l.since) > loginAddresses+1 {
		t.Errorf("%d addresses are known", len(l.since))
	}
}

func TestExposure(t *testing.T) {
	file, _ := accessFile(t, accessRoles, "root")
	tests := []struct {
		name, listen string
		given        Config
		refused      bool
	}{
		{name: "loopback", listen: "127.0.0.1:0"},
		{name: "loopback of IPv6", listen: "[::1]:0"},
		{name: "localhost", listen: "localhost:0"},
		{name: "every interface", listen: ":0", refused: true},
		{name: "an address", listen: "10.1.2.3:80", refused: true},
		{name: "a name", listen: "dovetail.example:80", refused: true},
		{name: "every interface, with access", listen: ":0", given: Config{Access: file}},
		{name: "every interface, knowingly", listen: ":0", given: Config{Anonymous: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.given.Listen = tt.listen
			if err := checkExposure(tt.given); (err != nil) != tt.refused {
				t.Errorf("got %v, want a refusal: %v", err, tt.refused)
			}
		})
	}
}

// A provider that hangs delays only requests with one of its tokens, and those are answered with Retry-After.
func TestHangingProvider(t *testing.T) {
	t.Parallel()
	hung, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer hung.Close()
	file, tokens := accessFile(t, accessRoles, "root")
	server := start(t, map[string]string{"access": file, "oidc-issuer": "http://" + hung.Addr().String(), "log-level": "error"})
	const waiting = 20
	answered := make(chan int, waiting)
	for range waiting {
		go func() {
			status, header, _ := server.as(t, "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.e30.c2ln", "GET", "/v2/clusters", "")
			if header.Get("Retry-After") == "" {
				t.Error("there is no Retry-After")
			}
			answered <- status
		}()
	}
	served := 0 // while the provider hangs
	for served < 20 && len(answered) < waiting {
		if status, _, text := server.as(t, tokens["root"], "GET", "/v2/clusters", ""); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
		if len(answered) < waiting {
			served++
		}
	}
	if served == 0 {
		t.Error("the others waited for the provider")
	}
	for range waiting {
		if status := <-answered; status != http.StatusServiceUnavailable {
			t.Errorf("a token of the provider: %d", status)
		}
	}
}

// Malformed and unknown tokens are refused before anything else of the request is read.
func TestTokensThatAreNone(t *testing.T) {
	file, tokens := accessFile(t, accessRoles, "root")
	server := start(t, map[string]string{"access": file, "log-level": "error"})
	for name, token := range map[string]string{
		"unknown":             "dovetail_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"with something more": tokens["root"] + "A",
		"with something less": tokens["root"][:len(tokens["root"])-1],
		"oversized":           strings.Repeat("a", access.MaxToken+1),
		"alg none":            "eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb290In0.",
		"a JWT, no issuer":    "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJyb290In0.c2ln",
	} {
		if status, header, text := server.as(t, token, "GET", "/v2/clusters", ""); status != http.StatusUnauthorized ||
			header.Get("Content-Type") != "application/problem+json" || !strings.Contains(text, `"code":"unauthenticated"`) {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}

// A principal over its rate limit gets Retry-After, and others are not affected.
func TestRate(t *testing.T) {
	file, tokens := accessFile(t, accessRoles, "root", "reader")
	server := start(t, map[string]string{"access": file, "rate": "1", "rate-burst": "3", "log-level": "error"})
	var limited atomic.Bool
	eventually(t, "a request is limited", func() bool { // many at the same time, for machines where each takes a second
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				switch status, header, text := server.as(t, tokens["root"], "GET", "/v2/clusters", ""); {
				case status == http.StatusTooManyRequests && header.Get("Retry-After") == "1" && strings.Contains(text, "root sends requests too often"):
					limited.Store(true)
				case status != http.StatusOK:
					t.Errorf("%d %s %s", status, header, text)
				}
			})
		}
		all.Wait()
		return limited.Load()
	})
	if status, _, text := server.as(t, tokens["reader"], "GET", "/v2/clusters", ""); status != http.StatusOK {
		t.Errorf("another one: %d %s", status, text)
	}
	c, err := client.New(server.URL(), client.Options{Token: tokens["root"]})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Allowed(t.Context(), dovetail.RightRead, "cluster/c1"); err != nil {
		t.Errorf("the client does not wait and retry: %v", err)
	}
}

// TestKeystoneHeader sends a token in X-Auth-Token, which only the profile for clients of Airship Deckhand takes.
func TestKeystoneHeader(t *testing.T) {
	file, tokens := accessFile(t, "bindings: [{role: viewer, users: [ann]}]", "ann")
	for _, c := range []struct {
		name, profile, token string
		status               int
	}{
		{name: "no profile", profile: "dovetail", token: tokens["ann"], status: 401},
		{name: "the profile", profile: "deckhand", token: tokens["ann"], status: 200},
		{name: "an unknown token", profile: "deckhand", token: "gAAAAAB", status: 401},
		{name: "no token", profile: "deckhand", status: 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := start(t, map[string]string{"access": file, "layering-profile": c.profile})
			request := server.request(t, "GET", "/api/v1.0/revisions", "")
			request.Header.Set("X-Auth-Token", c.token)
			if status, _, text := roundTrip(t, request); status != c.status {
				t.Errorf("got %d, want %d: %s", status, c.status, text)
			}
		})
	}
}
