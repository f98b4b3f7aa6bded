package mongo

import (
	"context"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// wire is a network between a client and a server that can be cut.
type wire struct {
	listener net.Listener
	target   string

	mutex       sync.Mutex
	cut         bool
	connections map[net.Conn]bool
}

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	w := &wire{listener: listener, target: target, connections: make(map[net.Conn]bool)}
	t.Cleanup(func() {
		_ = listener.Close()
		w.set(true)
	})
	go w.serve()
	return w
}

func (w *wire) serve() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", w.target)
		if err != nil || !w.join(client, server) {
			_ = client.Close()
			continue
		}
		go pipe(client, server)
		go pipe(server, client)
	}
}

func pipe(from, to net.Conn) {
	_, _ = io.Copy(to, from)
	_, _ = from.Close(), to.Close()
}

// join notes a pair of connections, unless the wire is cut.
func (w *wire) join(pair ...net.Conn) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, c := range pair {
		if w.cut {
			_ = c.Close()
		} else {
			w.connections[c] = true
		}
	}
	return !w.cut
}

// set cuts the wire, or repairs it.
func (w *wire) set(cut bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.cut = cut
	if cut {
		for c := range w.connections {
			_ = c.Close()
		}
		clear(w.connections)
	}
}

// TestNetworkCut cuts all connections again and again while documents are created and deleted. Every
// answer is right, and when that stops everything goes on.
func TestNetworkCut(t *testing.T) {
	uri, err := url.Parse(freshURI(t))
	must(t, err)
	direct := mustOpen(t, uri.String())
	defer direct.Close()
	w := newWire(t, uri.Host)
	uri.Host = w.listener.Addr().String()
	uri.RawQuery = "serverSelectionTimeoutMS=300&timeoutMS=2000"
	b, err := Open(t.Context(), uri.String(), Options{})
	for began := time.Now(); err != nil; b, err = Open(t.Context(), uri.String(), Options{}) {
		if time.Since(began) > patience {
			t.Fatal(err)
		}
	}
	defer b.Close()

	stop := make(chan struct{})
	var cutting sync.WaitGroup
	cutting.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(25 * time.Millisecond):
				w.set(true)
				w.set(false)
			}
		}
	})
	target := doc("t/1", 1)
	must(t, direct.Commit(t.Context(), store.Txn{Puts: documents(target)}))
	counts := make(map[dovetail.Code]int)
	const rounds = 24
	for round := range rounds {
		d := doc(dovetail.ID("x/"+strings.Repeat("x", round+1)), 1, "t/1")
		txn := creating(d, "t/1")
		if round%2 == 1 {
			must(t, direct.Commit(t.Context(), txn))
			txn = deleting(d)
		}
		err := b.Commit(t.Context(), txn)
		code := dovetail.CodeOf(err)
		counts[code]++
		_, getErr := direct.Get(t.Context(), d.ID)
		done := (getErr == nil) == (round%2 == 0)
		if code == "" && !done || code == dovetail.CodeUnavailable && done ||
			code != "" && code != dovetail.CodeUnavailable && code != dovetail.CodeUnknown {
			t.Errorf("round %d: done: %v, but the answer was %v", round, done, err)
		}
	}
	close(stop)
	cutting.Wait()
	t.Logf("answers: %v", counts)
	last := creating(doc("x/last", 1, "t/1"), "t/1")
	for began := time.Now(); ; { // its limits are short, so that on a slow machine it may need more than one attempt
		err := b.Commit(t.Context(), last)
		if _, getErr := direct.Get(t.Context(), "x/last"); err == nil || getErr == nil {
			must(t, getErr)
			break
		}
		if time.Since(began) > patience {
			t.Fatalf("the network is whole again, but %v", err)
		}
	}
}

// TestNoServer opens a store where nothing listens.
func TestNoServer(t *testing.T) {
	_, err := Open(t.Context(), "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100", Options{})
	if dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Errorf("%v, want code unavailable", err)
	}
	for _, uri := range []string{"", "http://x/", "mongodb://h:99999/", "mongodb://host/?timeoutMS=x"} {
		if _, err := Open(t.Context(), uri, Options{}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%q: %v, want code invalid", uri, err)
		}
	}
}
