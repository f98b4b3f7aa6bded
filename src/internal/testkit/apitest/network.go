package apitest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Network is a network in memory with one server. In a bubble of testing/synctest its deadlines follow the clock of the bubble.
type Network struct {
	accepted chan net.Conn
	closed   chan struct{}
	close    func()
}

// ServeInMemory serves on a network in memory until the test ends.
func ServeInMemory(t testing.TB, server *http.Server) *Network {
	t.Helper()
	n := &Network{accepted: make(chan net.Conn), closed: make(chan struct{})}
	n.close = sync.OnceFunc(func() { close(n.closed) })
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(n)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return n
}

// Dial connects a client with the server.
func (n *Network) Dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.accepted <- server:
		return client, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Client returns a client whose requests go to the server, whatever host they name.
func (n *Network) Client(t testing.TB, protocols *http.Protocols) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: n.Dial, Protocols: protocols}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Accept implements net.Listener.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.accepted:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (n *Network) Close() error {
	n.close()
	return nil
}

// Addr implements net.Listener.
func (n *Network) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "memory" }

func (address) String() string { return "memory:0" }
