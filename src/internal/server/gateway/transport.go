package gateway

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
)

// newTransport makes what carries requests to servers. With a TLS configuration of the gateway's own, each connection
// takes the one that is in force then.
func newTransport(secure func() *tls.Config) *http.Transport {
	const idle = 100
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = idle
	if secure == nil {
		return t
	}
	t.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := t.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		config := secure().Clone()
		if config.ServerName == "" {
			if config.ServerName, _, err = net.SplitHostPort(address); err != nil {
				_ = conn.Close()
				return nil, err
			}
		}
		secured := tls.Client(conn, config)
		handshake, cancel := context.WithTimeout(ctx, t.TLSHandshakeTimeout)
		defer cancel()
		if err := secured.HandshakeContext(handshake); err != nil {
			_ = conn.Close()
			return nil, &net.OpError{Op: "dial", Net: network, Addr: conn.RemoteAddr(), Err: err} // nothing was sent
		}
		return secured, nil
	}
	return t
}
