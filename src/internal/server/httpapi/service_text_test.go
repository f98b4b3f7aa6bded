package httpapi_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// upperCase is a service that reads and writes texts of its own, and errors too.
func upperCase() httpapi.Service {
	const plain = "application/x-yaml"
	echo := func(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
		if len(call.Text) == 0 {
			return nil, dovetail.Errorf(dovetail.CodeConflict, "there is nothing")
		}
		return &httpapi.Response{Text: &httpapi.Text{MediaType: plain, Data: append([]byte("got "), call.Text...), Header: http.Header{"Next": {"n"}}}}, nil
	}
	long := func(context.Context, *httpapi.Request) (*httpapi.Response, error) {
		part := make([]byte, 1)
		return &httpapi.Response{Text: &httpapi.Text{MediaType: plain, Header: http.Header{"Next": {"n"}}, Parts: func(yield func([]byte) bool) {
			for part[0] = 'a'; part[0] <= 'e'; part[0]++ { // each in the memory of the one before
				if !yield(part) {
					return
				}
			}
		}}}, nil
	}
	text := httpapi.Schema{"type": "string"}
	return httpapi.Service{Name: "upper", Endpoints: []httpapi.Endpoint{
		{Method: "PUT", Path: "/api/text", MediaType: plain, Needs: anyone, Body: text, Answer: text, Code: 200, Handle: echo, Summary: "echo"},
		{Method: "GET", Path: "/api/text", MediaType: plain, Answer: text, Code: 200, Handle: long, Summary: "long"},
		{Method: "DELETE", Path: "/api/text", Summary: "nothing", Handle: func(context.Context, *httpapi.Request) (*httpapi.Response, error) {
			return &httpapi.Response{}, nil
		}}},
		Problem: func(e *dovetail.Error) *httpapi.Text {
			return &httpapi.Text{Status: 418, MediaType: plain, Data: []byte("no: " + e.Message)}
		}}
}

func TestServiceOfTexts(t *testing.T) {
	s := newServer(t, httpapi.Options{Services: []httpapi.Service{upperCase()}, Limits: httpapi.Limits{Body: 20}})
	of := func(contentType string) map[string]string {
		return map[string]string{"Content-Type": contentType, "Accept": "text/csv"}
	}
	for _, test := range []struct {
		name   string
		call   call
		status int
		body   string
	}{
		{name: "the body as it is", call: call{method: "PUT", path: "/api/text", body: "a: [", header: of("application/x-yaml")}, status: 200, body: "got a: ["},
		{name: "another name of the type", call: call{method: "PUT", path: "/api/text", body: "a", header: of("text/yaml; charset=utf-8")}, status: 200, body: "got a"},
		{name: "another type", call: call{method: "PUT", path: "/api/text", body: "{}", header: of("application/json")}, status: 418,
			body: `no: the media type "application/json" is not supported here`},
		{name: "no type", call: call{method: "PUT", path: "/api/text", body: "a", header: of("")}, status: 418, body: `no: the media type "" is not supported here`},
		{name: "no body", call: call{method: "PUT", path: "/api/text"}, status: 418, body: "no: there is nothing"},
		{name: "large body", call: call{method: "PUT", path: "/api/text", body: "012345678901234567890", header: of("application/x-yaml")}, status: 418, body: "no: the body has more than the 20 bytes that are allowed"},
		{name: "part by part", call: call{method: "GET", path: "/api/text"}, status: 200, body: "abcde"},
		{name: "another verb", call: call{method: "POST", path: "/api/text"}, status: 418, body: "no: POST is not allowed on /api/text"},
		{name: "without text", call: call{method: "DELETE", path: "/api/text"}, status: 204},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := s.do(test.call)
			if w.Code != test.status || w.Body.String() != test.body {
				t.Fatalf("%d %s, want %d %s", w.Code, w.Body, test.status, test.body)
			}
			if got := w.Header().Get("Content-Type"); test.body != "" && got != "application/x-yaml" {
				t.Errorf("the answer is %s", got)
			}
			if got := w.Header().Get("Next"); (got == "n") != (test.status == 200) {
				t.Errorf("the header is %q", got)
			}
		})
	}
}
