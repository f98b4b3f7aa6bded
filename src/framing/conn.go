package framing

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

// Protect makes a server refuse requests whose framing is ambiguous, and close their connections. The listener that is
// given to its Serve must come from Listen. refuse answers such a request.
//
// What arrives by TLS cannot be looked at before net/http reads it. There, as everywhere, a chunked request is the last
// one of its connection, so that nothing that comes after it is ever taken for a request (RFC 9112, section 6.1).
func Protect(server *http.Server, refuse func(http.ResponseWriter, *http.Request, Fault)) {
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if c, ok := c.(*conn); ok {
			return context.WithValue(ctx, connKey{}, c)
		}
		return ctx
	}
	inner := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 {
			if len(r.TransferEncoding) > 0 {
				w.Header().Set("Connection", "close")
			}
			if c, ok := r.Context().Value(connKey{}).(*conn); ok {
				if fault := c.fault.Load(); fault != nil {
					w.Header().Set("Connection", "close")
					refuse(w, r, *fault)
					return
				}
			}
		}
		inner.ServeHTTP(w, r)
	})
}

type connKey struct{}

// Listen returns the listener with connections that Protect looks at.
func Listen(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

// conn is a connection that ends at the first fault: nothing after it is read as a request.
type conn struct {
	net.Conn
	scanner scanner
	rest    []byte                // what is read in place of the rest of a header that has a fault
	fault   atomic.Pointer[Fault] // set before anything of the faulty header's end is read, so that its request finds it
}

// Read implements net.Conn. The header that has a fault ends there, so that its request gets an answer.
func (c *conn) Read(p []byte) (int, error) {
	if c.fault.Load() != nil {
		return c.end(p)
	}
	n, err := c.Conn.Read(p)
	good, fault := c.scanner.scan(p[:n])
	if fault == "" {
		return n, err
	}
	c.fault.Store(&fault)
	c.rest = []byte("\r\n\r\n")
	if good > 0 {
		return good, nil
	}
	return c.end(p)
}

func (c *conn) end(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// CloseWrite lets net/http end an answer before the connection.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
