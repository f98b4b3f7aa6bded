package framing

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// host serves requests, and keeps what it took for requests.
func host(t *testing.T, secured bool) (server *httptest.Server, got func() string) {
	t.Helper()
	var mu sync.Mutex
	var lines []string
	server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, fmt.Sprintf("%s %s %q %v", r.Method, r.RequestURI, body, err))
	}))
	Protect(server.Config, func(w http.ResponseWriter, _ *http.Request, fault Fault) {
		http.Error(w, string(fault), http.StatusBadRequest)
	})
	if secured {
		server.StartTLS()
	} else {
		server.Listener = Listen(server.Listener)
		server.Start()
	}
	t.Cleanup(server.Close)
	return server, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(lines, ", ")
	}
}

// answers sends bytes, in pieces of that size, and returns the statuses until the connection ends.
func answers(t *testing.T, c net.Conn, text string, size int) (statuses []int, last string) {
	t.Helper()
	defer c.Close()
	for piece := range slices.Chunk([]byte(text), size) {
		if _, err := c.Write(piece); err != nil {
			break // it has been closed
		}
	}
	in := bufio.NewReader(c)
	for {
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			return statuses, last
		}
		body, _ := io.ReadAll(response.Body) // the next one comes after it
		response.Body.Close()
		statuses, last = append(statuses, response.StatusCode), string(body)
	}
}

const (
	hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	last   = "Host: x\r\nConnection: close\r\n\r\n"
)

func TestRequests(t *testing.T) {
	tests := []struct {
		name, text string
		statuses   []int
		fault      Fault // of the last answer
		got        string
	}{
		{name: "one", text: "GET /a HTTP/1.1\r\n" + last, statuses: []int{200}, got: `GET /a "" <nil>`},
		{name: "several on one connection", text: "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n\n\n\nPUT /b HTTP/1.1\r\nHost: x\r\ncontent-length:\t05 \r\n\r\nx y\n GET /c HTTP/1.1\r\n" + last,
			statuses: []int{200, 200, 200}, got: `POST /a "\n\n\n" <nil>, PUT /b "x y\n " <nil>, GET /c "" <nil>`},
		{name: "an empty line after a body", text: "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nb\r\nGET /c HTTP/1.1\r\n" + last,
			statuses: []int{200, 200}, got: `POST /a "b" <nil>, GET /c "" <nil>`},
		{name: "the same length twice", text: "POST /a HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n" + last + "b", statuses: []int{200}, got: `POST /a "b" <nil>`},
		{name: "a chunked one is the last", text: "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n" + hidden, statuses: []int{200}, got: `POST /a "b" <nil>`},
		{name: "length and encoding", text: "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden, statuses: []int{400}, fault: TwoLengths},
		{name: "encoding and length", text: "POST /a HTTP/1.1\r\nHost: x\r\ntransfer-encoding: chunked\r\ncontent-length: 0\r\n\r\n0\r\n\r\n" + hidden, statuses: []int{400}, fault: TwoLengths},
		{name: "the second request has both", text: "GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nxPOST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
			statuses: []int{400}, fault: TwoLengths},
		{name: "long lines", text: "POST /a?" + strings.Repeat("x", 5000) + " HTTP/1.0\r\nX-A: " + strings.Repeat("content-length: 0 ", 1000) + "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
			statuses: []int{400}, fault: OldEncoded},
		{name: "a length with many zeros", text: "POST /a HTTP/1.1\r\nContent-Length: " + strings.Repeat("0", 200) + "1\r\n" + last + "b", statuses: []int{400}},
		{name: "several lengths", text: "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 52\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "a list of lengths", text: "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 52, 52\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "a length with a sign", text: "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: +52\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "an encoding of an old request", text: "POST /a HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden, statuses: []int{400}, fault: OldEncoded},
		{name: "a folded header", text: "GET /a HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n" + hidden, statuses: []int{400}, fault: Folded},
		{name: "a folded length", text: "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\t52\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "a folded encoding", text: "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + hidden, statuses: []int{501}},
		{name: "a fold in place of the first header", text: "GET /a HTTP/1.1\r\n Host: x\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "a bare line feed in a header", text: "GET /a HTTP/1.1\r\nHost: x\r\nX-A: b\nX-C: d\r\n\r\n" + hidden, statuses: []int{400}, fault: BareLF},
		{name: "a bare line feed at the end of a header", text: "GET /a HTTP/1.1\r\nHost: x\r\n\n" + hidden, statuses: []int{400}, fault: BareLF},
		{name: "a bare line feed in the request line", text: "GET /a HTTP/1.1\nHost: x\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "bare line feeds", text: "GET /a HTTP/1.1\nHost: x\n\n" + hidden, statuses: []int{400}},
		{name: "a bare carriage return", text: "GET /a HTTP/1.1\r\nHost: x\r\nX-A: b\rX-C: d\r\n\r\n" + hidden, statuses: []int{400}},
		{name: "a null byte", text: "GET /a HTTP/1.1\r\nHost: x\r\nX-A: b\x00\r\n\r\n" + hidden, statuses: []int{400}},
	}
	for _, tt := range tests {
		for _, size := range []int{1 << 20, 1, 7} {
			t.Run(fmt.Sprint(tt.name, ", ", size), func(t *testing.T) {
				server, got := host(t, false)
				c, err := net.Dial("tcp", server.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				statuses, text := answers(t, c, tt.text, size)
				server.Close()
				if size > 1000 && (!slices.Equal(statuses, tt.statuses) || !strings.HasPrefix(text, string(tt.fault))) {
					t.Errorf("answers %v, want %v: %s", statuses, tt.statuses, text)
				}
				if size > 1000 && got() != tt.got || strings.Contains(got(), "hidden") {
					t.Errorf("got %s, want %s", got(), tt.got)
				}
			})
		}
	}
}

// What arrives by TLS goes by what net/http understands, and nothing follows a request that has both.
func TestTLS(t *testing.T) {
	server, got := host(t, true)
	c, err := tls.Dial("tcp", server.Listener.Addr().String(), server.Client().Transport.(*http.Transport).TLSClientConfig)
	if err != nil {
		t.Fatal(err)
	}
	statuses, _ := answers(t, c, "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+hidden, 1<<20)
	if want := `POST /a "" <nil>`; !slices.Equal(statuses, []int{200}) || got() != want {
		t.Errorf("answers %v, got %s, want %s", statuses, got(), want)
	}
}

// However the bytes of a connection are split, the scanner finds the same fault in the same place.
func FuzzScanner(f *testing.F) {
	f.Add([]byte("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nX: y\r\n z\r\n\r\n"), uint8(3))
	f.Add([]byte("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"), uint8(1))
	f.Add([]byte("GET / HTTP/1.0\n\n"), uint8(2))
	f.Add([]byte("GET /"+strings.Repeat("a", 300)+" HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: "+strings.Repeat("0", 200)+"\r\n\r\n"), uint8(20))
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		var whole, pieces scanner
		good, fault := whole.scan(text)
		at := 0
		for piece := range slices.Chunk(text, int(size)+1) {
			n, found := pieces.scan(piece)
			if at += n; found != "" {
				if found != fault || at < good {
					t.Fatalf("%q at %d, in pieces %q at %d", fault, good, found, at)
				}
				return
			}
		}
		if fault != "" || whole.state != pieces.state || whole.left != pieces.left {
			t.Fatalf("%q at %d, in pieces none", fault, good)
		}
	})
}
