package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// slow sends the first part of a body and returns once it is counted; rest sends the others and returns the status.
func (s *server) slow(who string, part string) (rest func(text string) int) {
	s.t.Helper()
	body, in := io.Pipe()
	done := make(chan int, 1)
	go func() {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/v2/projects", body)
		r.Header.Set("Authorization", who)
		s.api.ServeHTTP(w, r)
		body.Close()
		done <- w.Code
	}()
	for _, piece := range []string{part, " ", " ", " ", " "} { // when one is taken, those before it are counted
		if _, err := in.Write([]byte(piece)); err != nil {
			s.t.Fatal(err)
		}
	}
	return func(text string) int {
		_, _ = in.Write([]byte(text))
		in.Close()
		return <-done
	}
}

func TestMemoryOfBodies(t *testing.T) {
	const half = 512 << 10
	values := func(n int) string { return `{"metadata":{"name":"p"},"spec":[` + strings.Repeat("0,", n) + "0]}" }
	tests := []struct {
		name   string
		other  string // who sends half a megabyte at the same time
		who    string
		body   string
		status int
		code   string
	}{
		{name: "alone", who: "ann", body: values(1000), status: 201},
		{name: "few bytes, many values", who: "ann", body: values(9000), status: 413, code: "too-large"},
		{name: "without principals one may have all", body: values(7000), status: 201},
		{name: "beside another principal", other: "bob", who: "ann", body: values(1000), status: 201},
		{name: "all taken by others", other: "bob", who: "ann", body: values(5000), status: 503, code: "unavailable"},
		{name: "share taken by oneself", other: "ann", who: "ann", body: values(3000), status: 429, code: "rate-limited"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			options := httpapi.Options{Limits: httpapi.Limits{Body: 1 << 20, Batch: 1 << 20, Bodies: 1 << 20}}
			if tt.who != "" {
				options.Authenticate = byName
			}
			s := newServer(t, options)
			post := func() *httptest.ResponseRecorder {
				return s.do(call{method: "POST", path: "/v2/projects", header: map[string]string{"Authorization": tt.who}, body: tt.body})
			}
			finish := func(string) int { return 201 }
			if tt.other != "" {
				finish = s.slow(tt.other, strings.Repeat(" ", half))
			}
			w := post()
			check(t, w, tt.status, nil, "")
			if tt.code != "" && !strings.Contains(w.Body.String(), `"code":"`+tt.code+`"`) {
				t.Errorf("%s", w.Body)
			}
			if again := w.Header().Get("Retry-After") != ""; again != (tt.status == 429 || tt.status == 503) {
				t.Errorf("retry after %q", w.Header().Get("Retry-After"))
			}
			if code := finish(named("other")); code != 201 {
				t.Errorf("the other request got %d", code)
			}
			if tt.status == 429 || tt.status == 503 {
				check(t, post(), 201, nil, "") // what was held is free again
			}
		})
	}
}

// Requests that cost little to send must not cost much to refuse.
func TestCheapRequestsStayCheap(t *testing.T) {
	aliases := "a0: &a0 [" + strings.Repeat("x, ", 70) + "x]\n"
	for i := range 4 {
		from, to := string(rune('0'+i)), string(rune('1'+i))
		aliases += "a" + to + ": &a" + to + " [" + strings.TrimSuffix(strings.Repeat("*a"+from+", ", 70), ", ") + "]\n"
	}
	tests := []struct {
		name         string
		method, path string
		contentType  string
		body         string
		answer       int // bytes at most
		allocated    int // bytes at most, in all
	}{
		{name: "empty operations", method: "POST", path: "/v2/batch", body: "[" + strings.Repeat("{},", 599_999) + "{}]", answer: 100 << 10, allocated: 300 << 20},
		{name: "operations that are none", method: "POST", path: "/v2/batch", body: "[" + strings.Repeat("1,", 899_999) + "1]", answer: 100 << 10, allocated: 300 << 20},
		{name: "aliases", method: "PUT", path: "/v2/projects/p", contentType: "application/yaml", body: aliases, answer: 2000, allocated: 10 << 20},
		{name: "a list of flow values", method: "PUT", path: "/v2/projects/p", contentType: "application/yaml", body: "a: [" + strings.Repeat("x,", 4<<20) + "x]", answer: 2000, allocated: 150 << 20},
		{name: "a list", method: "PUT", path: "/v2/projects/p", body: `{"a":[` + strings.Repeat("0,", 7<<20) + "0]}", answer: 2000, allocated: 250 << 20},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{Limits: httpapi.Limits{Bodies: 170 << 20}})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := s.do(call{method: tt.method, path: tt.path, header: map[string]string{"Content-Type": tt.contentType}, body: tt.body})
			runtime.ReadMemStats(&after)
			if w.Code < 400 || w.Code == 500 {
				t.Errorf("status %d", w.Code)
			}
			if w.Body.Len() > tt.answer {
				t.Errorf("the answer has %d bytes", w.Body.Len())
			}
			grown := int(after.TotalAlloc - before.TotalAlloc)
			t.Logf("%d: a body of %d bytes, %d allocated, %d answered", w.Code, len(tt.body), grown, w.Body.Len())
			if grown > tt.allocated {
				t.Errorf("%d bytes were allocated", grown)
			}
		})
	}
}

// A request that has ended is not parsed to the end.
func TestParsingEndsWithTheRequest(t *testing.T) {
	s := newServer(t, httpapi.Options{Limits: httpapi.Limits{Request: time.Nanosecond}})
	for _, contentType := range []string{"application/json", "application/yaml"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := s.do(call{method: "POST", path: "/v2/batch", header: map[string]string{"Content-Type": contentType}, body: "[" + strings.Repeat("{},", 599_999) + "{}]"})
		runtime.ReadMemStats(&after)
		check(t, w, 504, nil, "")
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 20<<20 {
			t.Errorf("%d bytes were allocated", grown)
		}
	}
}
