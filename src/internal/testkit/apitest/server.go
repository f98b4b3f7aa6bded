package apitest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// Patience is how long a request may take, on a slow machine and with the race detector.
const Patience = 10 * time.Minute

// Server serves the API of a store until the test ends.
type Server struct {
	URL string
	t   testing.TB
	api *httpapi.API
}

// Serve serves a store with the services of the options.
func Serve(t testing.TB, s *store.Store, options httpapi.Options) *Server {
	t.Helper()
	if options.Limits.Request == 0 {
		options.Limits.Request = Patience
	}
	api := httpapi.New(s, options)
	server := httptest.NewServer(api)
	t.Cleanup(func() { api.Close(); server.Close() })
	return &Server{URL: server.URL, t: t, api: api}
}

// With is the same server, of which failures belong to another test.
func (s *Server) With(t testing.TB) *Server {
	c := *s
	c.t = t
	return &c
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Text   string
}

// Send sends a request, with headers in pairs of a name and a value. Where no whole answer comes, the test fails and goes on,
// so that it may run beside others.
func (s *Server) Send(method, path, body string, header ...string) Answer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return Answer{}
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := (&http.Client{Timeout: Patience}).Do(request)
	if err != nil {
		s.t.Error(err)
		return Answer{}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Error(err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Text: string(text)}
}

// Must sends a request that must be answered with the status.
func (s *Server) Must(status int, method, path, body string, header ...string) Answer {
	s.t.Helper()
	a := s.Send(method, path, body, header...)
	if a.Status != status {
		s.t.Fatalf("%s %s: %d, want %d: %s", method, path, a.Status, status, a.Text)
	}
	return a
}
