package overridetest

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

// Server is a running server.
type Server struct {
	t   testing.TB
	url string
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   *value.Value // of JSON; nil without any
	Text   string
}

// ETag is the version that the answer tells.
func (a Answer) ETag() string { return a.Header.Get("Etag") }

// Do sends a request; header is names and values in turn.
func (s *Server) Do(method, path, body string, header ...string) Answer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Error(err)
		return Answer{}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Error(err)
	}
	a := Answer{Status: response.StatusCode, Header: response.Header, Text: string(text)}
	if len(text) > 0 && strings.Contains(response.Header.Get("Content-Type"), "json") {
		if a.Body, err = value.ParseJSON(text, value.Limits{}); err != nil {
			s.t.Errorf("%v: %s", err, text)
		}
	}
	return a
}

// Must is Do that ends the test when the status is another one.
func (s *Server) Must(status int, method, path, body string, header ...string) Answer {
	s.t.Helper()
	a := s.Do(method, path, body, header...)
	if a.Status != status {
		s.t.Fatalf("%s %s: %d, want %d: %s", method, path, a.Status, status, a.Text)
	}
	return a
}

// place is where an override is.
type place struct {
	environment, context, namespace, application string
}

func (p place) String() string {
	switch {
	case p.application != "":
		return p.context + " of an application"
	case p.namespace != "":
		return p.context + " of a namespace"
	}
	return p.context + " of an environment"
}

// query is that of a GET.
func (p place) query() string {
	q := url.Values{"environmentId": {p.environment}, "context": {p.context}}
	if p.namespace != "" {
		q.Set("namespaceName", p.namespace)
	}
	if p.application != "" {
		q.Set("applicationName", p.application)
	}
	return "?" + q.Encode()
}

// body is that of a POST or a PUT.
func (p place) body(parameters string) string {
	members := []value.Member{
		{Name: "environmentId", Value: value.NewString(p.environment)}, {Name: "context", Value: value.NewString(p.context)}}
	for _, m := range []struct{ name, text string }{{"namespaceName", p.namespace}, {"applicationName", p.application}} {
		if m.text != "" {
			members = append(members, value.Member{Name: m.name, Value: value.NewString(m.text)})
		}
	}
	text := string(value.NewMap(members...).JSON())
	return strings.TrimSuffix(text, "}") + `,"parameters":` + parameters + `}`
}
