package soak_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
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
			time.Sleep(lateness) // the network that is simulated
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
	t.Helper()
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
			uri := mongotest.Location(t)
			l := newLink(t, uri.Host)
			through := url.URL{Scheme: uri.Scheme, Host: l.address, Path: uri.Path,
				RawQuery: "serverSelectionTimeoutMS=500&timeoutMS=1500"}
			server := apptest.StartProcess(t, "--store", through.String(), "--request-timeout", "6s")
			// The limits are short, for what follows: on a slow machine a request may need more than one attempt.
			created := func(name, key string) {
				t.Helper()
				apptest.Eventually(t, name+" is created", func() bool {
					answer := send(t, server, "POST", "/v2/clusters", named(name), key)
					if answer.Status != 201 && answer.Status != 503 && answer.Status != 504 {
						t.Fatalf("%s: %d %s", name, answer.Status, answer.Text)
					}
					return answer.Status == 201
				})
			}
			created("before", "before")

			l.become(t, test.how)
			for n := range 3 {
				read := send(t, server, "GET", "/v2/clusters/before", "", "")
				if read.Status != 503 || read.Header.Get("Retry-After") == "" {
					t.Errorf("a read was answered with %+v", read)
				}
				write := send(t, server, "POST", "/v2/clusters", named(fmt.Sprintf("c%d", n)), fmt.Sprintf("key %d", n))
				isUnknown := write.Status == 504 && strings.Contains(write.Text, `"unknown"`)
				if !isUnknown && (write.Status != 503 || write.Header.Get("Retry-After") == "") {
					t.Errorf("a write was answered with %+v", write)
				}
			}
			server.Must(t, 200, "GET", "/livez", "")
			server.Must(t, 503, "GET", "/readyz", "")

			l.become(t, sound)
			apptest.Eventually(t, "the server is ready", func() bool {
				return server.Ready(t.Context())
			})
			for n := range 3 {
				name := fmt.Sprintf("c%d", n)
				created(name, fmt.Sprintf("key %d", n))
				apptest.Eventually(t, name+" is there", func() bool {
					read := send(t, server, "GET", "/v2/clusters/"+name, "", "")
					if read.Status == 200 && !strings.HasSuffix(read.Header.Get("Etag"), `-1"`) {
						t.Errorf("done more than once: %+v", read)
					}
					return read.Status == 200
				})
			}
			server.Kill()
			requireWhole(t, uri.String())
		})
	}
}

// TestSlowNetwork delays all packets: everything still succeeds.
func TestSlowNetwork(t *testing.T) {
	rounds.Soak(t)
	uri := mongotest.Location(t)
	l := newLink(t, uri.Host)
	uri.Host = l.address
	server := apptest.StartProcess(t, "--store", uri.String())
	l.become(t, slow)
	server.Must(t, 201, "POST", "/v2/clusters", named("c"))
	server.Must(t, 201, "POST", "/v2/clusters/c/environments", named("dev"))
	server.Must(t, 409, "DELETE", "/v2/clusters/c", "")
	server.Must(t, 200, "GET", "/readyz", "")
	l.become(t, sound)
	server.Kill()
	requireWhole(t, uri.String())
}

// send sends a request with an idempotency key, "" if there is none. The test fails when there is no answer.
func send(t *testing.T, server *apptest.Process, method, path, body, key string) apitest.Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), apptest.Patience)
	defer cancel()
	var header []string
	if key != "" {
		header = []string{"Idempotency-Key", key}
	}
	answer, err := server.Send(ctx, method, path, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
