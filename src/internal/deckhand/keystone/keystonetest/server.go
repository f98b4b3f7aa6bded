// Package keystonetest is a Keystone for tests: POST and GET /v3/auth/tokens by the documentation of the Identity API v3.
package keystonetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// The account that may check tokens.
const (
	User     = "dovetail"
	Password = "swordfish"
	AppID    = "app-1"
	AppKey   = "app-secret"
)

// Server is a Keystone. Its members may be changed between requests, with the lock.
type Server struct {
	*httptest.Server
	sync.Mutex
	Tokens    map[string]string // what is said of tokens, without expires_at, by the token
	Expires   time.Time         // of all tokens
	Forbidden bool              // whether the account lacks the role
	Hangs     chan struct{}     // while not nil, answers wait for it
	Logins    int               // tokens that the account was given
	Checks    int               // tokens that were asked about

	own string
}

// New starts a Keystone, which ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{Tokens: make(map[string]string), Expires: time.Now().Add(time.Hour)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// Account writes the file with the account of a password.
func (s *Server) Account(t testing.TB) string {
	t.Helper()
	return s.AccountWith(t, fmt.Sprintf("username: %s, password: %s, project_name: service", User, Password))
}

// AccountWith writes a file with other members of auth.
func (s *Server) AccountWith(t testing.TB, members string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keystone.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, "auth: {auth_url: %q, %s}\n", s.URL+"/v3", members), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Give makes a token of a user of the domain Default with roles on the project service.
func (s *Server) Give(token, user string, roles ...string) {
	s.GiveOn(token, user, `"project":{"id":"p-service","name":"service","domain":{"id":"default","name":"Default"}}`, roles...)
}

// GiveOn is Give with another scope.
func (s *Server) GiveOn(token, user, scope string, roles ...string) {
	list := []map[string]string{}
	for _, role := range roles {
		list = append(list, map[string]string{"id": "r-" + role, "name": role})
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // texts can be written
	}
	if scope != "" {
		scope = "," + scope
	}
	s.Lock()
	defer s.Unlock()
	s.Tokens[token] = fmt.Sprintf(`"methods":["password"],"user":{"id":"u-%s","name":%q,"domain":{"id":"default","name":"Default"}},"roles":%s%s`, user, user, text, scope)
}

// Revoke makes a token unknown.
func (s *Server) Revoke(token string) {
	s.Lock()
	defer s.Unlock()
	delete(s.Tokens, token)
}

// RevokeOwn makes the token of the account invalid.
func (s *Server) RevokeOwn() {
	s.Lock()
	defer s.Unlock()
	s.own = ""
}

// Counts returns how often the account authenticated, and how often a token was asked about.
func (s *Server) Counts() (logins, checks int) {
	s.Lock()
	defer s.Unlock()
	return s.Logins, s.Checks
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	hangs := s.Hangs
	s.Unlock()
	if hangs != nil {
		<-hangs
	}
	s.Lock()
	defer s.Unlock()
	fail := func(status int) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"code":%d,"title":%q,"message":"refused"}}`, status, http.StatusText(status))
	}
	if r.URL.Path != "/v3/auth/tokens" {
		fail(http.StatusNotFound)
		return
	}
	show := func(status int, token, says string) {
		w.Header().Set("X-Subject-Token", token)
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"token":{%s,"expires_at":%q,"issued_at":"2026-01-01T00:00:00.000000Z"}}`, says, s.Expires.UTC().Format("2006-01-02T15:04:05.000000Z"))
	}
	if r.Method == http.MethodPost {
		if !accepted(r) {
			fail(http.StatusUnauthorized)
			return
		}
		s.Logins++
		s.own = fmt.Sprint("own-", s.Logins)
		show(http.StatusCreated, s.own, `"methods":["password"],"user":{"id":"u-dovetail","name":"dovetail","domain":{"id":"default","name":"Default"}}`)
		return
	}
	switch says, known := s.Tokens[r.Header.Get("X-Subject-Token")]; {
	case s.own == "" || r.Header.Get("X-Auth-Token") != s.own:
		fail(http.StatusUnauthorized)
	case s.Forbidden:
		fail(http.StatusForbidden)
	default:
		s.Checks++
		if !known || !time.Now().Before(s.Expires) {
			fail(http.StatusNotFound)
			return
		}
		show(http.StatusOK, r.Header.Get("X-Subject-Token"), says)
	}
}

// accepted reports whether a request authenticates the account, as the documentation demands: methods, the user with its domain, and a scope.
func accepted(r *http.Request) bool {
	var body struct {
		Auth struct {
			Identity struct {
				Methods  []string
				Password struct {
					User struct {
						Name, Password string
						Domain         struct{ ID, Name string }
					}
				}
				Application struct{ ID, Secret string } `json:"application_credential"`
			}
			Scope struct {
				Project struct {
					Name   string
					Domain struct{ ID, Name string }
				}
			}
		}
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || len(body.Auth.Identity.Methods) != 1 {
		return false
	}
	identity, scope := body.Auth.Identity, body.Auth.Scope.Project
	switch identity.Methods[0] {
	case "password":
		user := identity.Password.User
		return user.Name == User && user.Password == Password && user.Domain.ID == "default" && scope.Name == "service" && scope.Domain.ID == "default"
	case "application_credential":
		return identity.Application.ID == AppID && identity.Application.Secret == AppKey && scope.Name == "" // which the credential brings
	}
	return false
}
