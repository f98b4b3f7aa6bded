package problem

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Every code of the domain has a status, and no other has.
func TestStatusesAreTotal(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../../dovetail/error.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[dovetail.Code]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && len(spec.Values) == 1 && strings.HasPrefix(spec.Names[0].Name, "Code") {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes[dovetail.Code(text)] = true
		}
		return true
	})
	if len(codes) < 20 {
		t.Fatalf("found only %d codes", len(codes))
	}
	for code := range codes {
		if statuses[code] == 0 || Title(statuses[code]) == "" {
			t.Errorf("%s has no status", code)
		}
	}
	for code := range statuses {
		if !codes[code] {
			t.Errorf("%s is no code", code)
		}
	}
	if Status("new") != http.StatusInternalServerError {
		t.Error("an unknown code is not the server's fault")
	}
}

func TestAnswer(t *testing.T) {
	tests := []struct {
		name       string
		err        *dovetail.Error
		before     map[string]string // headers that are there already
		status     int
		retryAfter string
		body       string
	}{
		{name: "plain", err: &dovetail.Error{Code: dovetail.CodeNotFound, Message: "no <b>", Remedy: "look"}, status: 404,
			body: `{"type":"about:blank","title":"Not Found","status":404,"detail":"no <b>","instance":"/v2/a%2Fb","code":"not-found","remedy":"look"}`},
		{name: "to try again", err: dovetail.Errorf(dovetail.CodeUnavailable, "down"), status: 503, retryAfter: "1",
			body: `{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"down","instance":"/v2/a%2Fb","code":"unavailable"}`},
		{name: "its own delay", err: dovetail.Errorf(dovetail.CodeRateLimited, "often"), before: map[string]string{"Retry-After": "7"}, status: 429, retryAfter: "7",
			body: `{"type":"about:blank","title":"Too Many Requests","status":429,"detail":"often","instance":"/v2/a%2Fb","code":"rate-limited"}`},
		{name: "headers of another answer", err: dovetail.Errorf(dovetail.CodeCanceled, "gone"), before: map[string]string{"Etag": `"1"`, "Location": "/x"}, status: 499,
			body: `{"type":"about:blank","title":"Client Closed Request","status":499,"detail":"gone","instance":"/v2/a%2Fb","code":"canceled"}`},
		{name: "a document that nothing writes", err: &dovetail.Error{Code: dovetail.CodeStale, Message: "old", Index: 2, Current: &dovetail.Document{ID: "a/b"}}, status: 412,
			body: `{"type":"about:blank","title":"Precondition Failed","status":412,"detail":"old","instance":"/v2/a%2Fb","code":"stale","errors":[{"index":2,"code":"stale","message":"old"}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			for name, text := range tt.before {
				w.Header().Set(name, text)
			}
			Answer(w, httptest.NewRequest(http.MethodGet, "/v2/a%2Fb?q=1", nil), tt.err)
			h := w.Header()
			if w.Code != tt.status || w.Body.String() != tt.body || !json.Valid(w.Body.Bytes()) {
				t.Errorf("%d %s\nwant %d %s", w.Code, w.Body, tt.status, tt.body)
			}
			if h.Get("Content-Type") != MediaType || h.Get("Content-Length") != strconv.Itoa(len(tt.body)) || h.Get("Retry-After") != tt.retryAfter || h.Get("Etag")+h.Get("Location") != "" {
				t.Errorf("headers %v", h)
			}
		})
	}
}
