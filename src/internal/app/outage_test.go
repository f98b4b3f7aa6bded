package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/apptest"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
)

// What a link between a server and its database can be.
type condition int

const (
	sound  condition = iota
	down             // connections are refused
	resets           // every connection is reset
	slow             // everything comes late
	mute             // connections stay, but nothing comes through
)

// lateness is how late everything comes on a slow link, one way.
const lateness = 100 * time.Millisecond

// link is a network between a server and a database, through which all connections go. A library that
// simulates networks would pin gorilla/mux to the version that answers 404 for 405.
type link struct {
	address, target string

	mutex       sync.Mutex
	now         condition
	listener    net.Listener
	connections map[net.Conn]bool
}

func newLink(t *testing.T, target string) *link {
	t.Helper()
	l := &link{address: "127.0.0.1:0", target: target, connections: make(map[net.Conn]bool)}
	l.listen(t)
	t.Cleanup(func() { l.become(t, down) })
	return l
}

func (l *link) listen(t *testing.T) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", l.address)
	if err != nil {
		t.Fatal(err)
	}
	l.listener, l.address = listener, listener.Addr().String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go l.join(client)
		}
	}()
}

// join connects a client with the database.
func (l *link) join(client net.Conn) {
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", l.target)
	if err != nil {
		_ = client.Close()
		return
	}
	l.mutex.Lock()
	l.connections[client], l.connections[server] = true, true
	if l.now == resets {
		cut(client)
	}
	l.mutex.Unlock()
	go l.pipe(client, server)
	go l.pipe(server, client)
}

// cut ends a connection with a reset.
func cut(c net.Conn) {
	_ = c.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
}

func (l *link) pipe(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		switch l.condition() {
		case slow:
			time.Sleep(lateness)
		case mute:
			continue
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (l *link) condition() condition {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.now
}

// become changes what the link is.
func (l *link) become(t *testing.T, now condition) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.now == down && now != down {
		l.listen(t)
	}
	if now == down {
		_ = l.listener.Close()
	}
	if now == down || now == resets || l.now == mute {
		for c := range l.connections {
			cut(c)
		}
		clear(l.connections)
	}
	l.now = now
}

// TestOutage breaks the network between a server and its database in every way. While it is broken the
// server says so; when it is repaired all goes on, and what was sent again was done once.
func TestOutage(t *testing.T) {
	rounds.Soak(t)
	tests := []struct {
		name string
		how  condition
	}{{"down", down}, {"reset", resets}, {"half-open", mute}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			uri := freshMongo(t)
			l := newLink(t, uri.Host)
			through := url.URL{Scheme: uri.Scheme, Host: l.address, Path: uri.Path,
				RawQuery: "serverSelectionTimeoutMS=500&timeoutMS=1500"}
			server := start(t, map[string]string{"store": through.String(), "request-timeout": "6s", "log-level": "error"})
			// The limits are short, for what follows: on a slow machine a request may need more than one attempt.
			created := func(name, key string) {
				t.Helper()
				eventually(t, name+" is created", func() bool {
					status, text, _ := send(t, server, "POST", "/v2/clusters", named(name), key)
					if status != 201 && status != 503 && status != 504 {
						t.Fatalf("%s: %d %s", name, status, text)
					}
					return status == 201
				})
			}
			created("before", "before")

			l.become(t, test.how)
			for n := range 3 {
				status, _, header := send(t, server, "GET", "/v2/clusters/before", "", "")
				if status != 503 || header.Get("Retry-After") == "" {
					t.Errorf("a read answered %d, Retry-After %q", status, header.Get("Retry-After"))
				}
				status, text, header := send(t, server, "POST", "/v2/clusters", named(fmt.Sprintf("c%d", n)), fmt.Sprintf("key %d", n))
				if unknown := status == 504 && strings.Contains(text, `"unknown"`); status != 503 && !unknown || status == 503 && header.Get("Retry-After") == "" {
					t.Errorf("a write answered %d %s, Retry-After %q", status, text, header.Get("Retry-After"))
				}
			}
			server.must(t, 200, "GET", "/livez", "")
			server.must(t, 503, "GET", "/readyz", "")

			l.become(t, sound)
			eventually(t, "the server is ready", func() bool {
				status, _ := server.call(t, "GET", "/readyz", "")
				return status == 200
			})
			for n := range 3 {
				name := fmt.Sprintf("c%d", n)
				created(name, fmt.Sprintf("key %d", n))
				eventually(t, name+" is there", func() bool {
					status, text, header := send(t, server, "GET", "/v2/clusters/"+name, "", "")
					if status == 200 && !strings.HasSuffix(header.Get("Etag"), `-1"`) {
						t.Errorf("done more than once: %s %s", header.Get("Etag"), text)
					}
					return status == 200
				})
			}
			if err := server.stop(); err != nil {
				t.Fatal(err)
			}
			requireWhole(t, uri.String())
		})
	}
}

// TestSlowNetwork delays all packets: everything still succeeds.
func TestSlowNetwork(t *testing.T) {
	rounds.Soak(t)
	uri := freshMongo(t)
	l := newLink(t, uri.Host)
	uri.Host = l.address
	server := start(t, map[string]string{"store": uri.String(), "log-level": "error"})
	l.become(t, slow)
	server.must(t, 201, "POST", "/v2/clusters", named("c"))
	server.must(t, 201, "POST", "/v2/clusters/c/environments", named("dev"))
	server.must(t, 409, "DELETE", "/v2/clusters/c", "")
	server.must(t, 200, "GET", "/readyz", "")
	l.become(t, sound)
	server.fsck(t)
}

// send is call with an idempotency key that fails the test when there is no answer.
func send(t *testing.T, server *running, method, path, body, key string) (int, string, http.Header) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), apptest.Patience)
	defer cancel()
	request := server.request(t, method, path, body).WithContext(ctx)
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	status, header, text := roundTrip(t, request)
	return status, text, header
}
