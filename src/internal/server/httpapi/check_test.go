package httpapi_test

import (
	"net/http/httptest"
	"testing"
)

// check compares an answer. An empty header value means that the header is absent; an empty body is
// not compared.
func check(t *testing.T, w *httptest.ResponseRecorder, status int, header map[string]string, body string) {
	t.Helper()
	if w.Code != status {
		t.Fatalf("got %d, want %d: %s", w.Code, status, w.Body)
	}
	for name, want := range header {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if body != "" && w.Body.String() != body {
		t.Errorf("got  %s\nwant %s", w.Body, body)
	}
	if w.Code >= 400 && w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("the problem is of type %q", w.Header().Get("Content-Type"))
	}
	if w.Header().Get("X-Request-Id") == "" {
		t.Error("no X-Request-Id")
	}
}
