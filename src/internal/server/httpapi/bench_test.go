package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// connections is how many clients the benchmarks over the network have.
const connections = 64

// discard is a response writer that drops everything, so that a benchmark measures the server alone.
type discard struct{ header http.Header }

func (n *discard) Header() http.Header         { return n.header }
func (n *discard) Write(p []byte) (int, error) { return len(p), nil }
func (n *discard) WriteHeader(int)             {}

// BenchmarkHandlerGet is one read without the network.
func BenchmarkHandlerGet(b *testing.B) {
	s := newServer(b, httpapi.Options{})
	s.seed()
	r := httptest.NewRequest(http.MethodGet, app, nil)
	b.ReportAllocs()
	for b.Loop() {
		s.api.ServeHTTP(&discard{http.Header{}}, r)
	}
}

// BenchmarkHandlerRoute is the way to a handler alone: a path that the tree knows and the store does not ask for.
func BenchmarkHandlerRoute(b *testing.B) {
	s := newServer(b, httpapi.Options{})
	r := httptest.NewRequest(http.MethodOptions, app, nil)
	b.ReportAllocs()
	for b.Loop() {
		s.api.ServeHTTP(&discard{http.Header{}}, r)
	}
}

// BenchmarkGet reads one document over 64 connections.
func BenchmarkGet(b *testing.B) {
	s := newServer(b, httpapi.Options{})
	s.seed()
	request := []byte("GET " + app + " HTTP/1.1\r\nHost: x\r\n\r\n")
	load(b, s, 200, func(int64) []byte { return request })
}

// BenchmarkCreate creates documents, each with a parent and a reference, over 64 connections.
func BenchmarkCreate(b *testing.B) {
	s := newServer(b, httpapi.Options{})
	s.seed()
	load(b, s, 201, func(n int64) []byte {
		body := fmt.Sprintf(`{"metadata":{"name":"a%d","description":"an app","userData1":"","userData2":""},"spec":{"controller":"c1","replicas":3}}`, n)
		return fmt.Appendf(nil, "POST /v2/projects/p1/composite-apps/CA/v3/apps HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	})
}

// load makes b.N requests and wants all answered with the status. It reads no more of an answer than
// it must, since it shares the processors with the server.
func load(b *testing.B, s *server, status int, request func(n int64) []byte) {
	server := s.listen()
	var next atomic.Int64
	var wait sync.WaitGroup
	want := fmt.Appendf(nil, "HTTP/1.1 %d ", status)
	b.ResetTimer()
	for range connections {
		wait.Go(func() {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			answer := bufio.NewReader(conn)
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if _, err := conn.Write(request(n)); err != nil {
					b.Error(err)
					return
				}
				if err := readAnswer(answer, want); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}

// readAnswer skips an answer that begins as wanted.
func readAnswer(r *bufio.Reader, want []byte) error {
	length, first := 0, true
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, want) {
			return fmt.Errorf("got %s", line)
		}
		first = false
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			if _, err := fmt.Sscan(strings.TrimSpace(string(value)), &length); err != nil {
				return err
			}
		}
		if len(line) <= len("\r\n") {
			_, err := io.CopyN(io.Discard, r, int64(length))
			return err
		}
	}
}
