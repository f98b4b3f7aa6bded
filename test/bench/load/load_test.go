package load

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

func TestPlanRun(t *testing.T) {
	const requests = 500
	tests := []struct {
		name   string
		answer func(http.ResponseWriter)
		status int
		want   string // part of the error
	}{
		{"no body", func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }, 204, ""},
		{"a length", func(w http.ResponseWriter) { _, _ = io.WriteString(w, "short") }, 200, ""},
		{"chunks", func(w http.ResponseWriter) { _, _ = io.WriteString(w, strings.Repeat("long", 10_000)) }, 200, ""},
		{"another status", func(w http.ResponseWriter) { w.WriteHeader(http.StatusConflict) }, 200, "was answered 409, not 200"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var seen sync.Map
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen.Store(r.URL.Path, true)
				test.answer(w)
			}))
			defer server.Close()
			address := strings.TrimPrefix(server.URL, "http://")
			result, err := Plan{
				Address: address, Connections: 8, Requests: requests, Status: test.status,
				Request: func(buffer []byte, n int) []byte {
					return fmt.Appendf(buffer, "GET /%d HTTP/1.1\r\nHost: %s\r\n\r\n", n, address)
				},
			}.Run(t.Context())
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Fatalf("got error %v, want %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			paths := 0
			seen.Range(func(any, any) bool { paths++; return true })
			if paths != requests || len(result.latencies) != requests {
				t.Errorf("%d requests arrived and %d were measured, want %d", paths, len(result.latencies), requests)
			}
			if p50, p99 := result.Quantile(0.5), result.Quantile(0.99); p50 <= 0 || p99 < p50 {
				t.Errorf("p50 %v, p99 %v", p50, p99)
			}
		})
	}
}
