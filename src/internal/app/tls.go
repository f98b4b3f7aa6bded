package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

// certificate is that of the server, read again when its files change. Files that do not fit are refused,
// and the last good certificate stays.
type certificate struct {
	cert, key string // PEM files
	log       *slog.Logger
	current   atomic.Pointer[tls.Certificate]
}

// newCertificate reads the files. The error has CodeInvalid.
func newCertificate(cert, key string, log *slog.Logger) (*certificate, error) {
	c := &certificate{cert: cert, key: key, log: log}
	if _, err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// read puts the files in force and reports whether they are others than before.
func (c *certificate) read() (changed bool, err error) {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return false, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: c.cert}, Err: err,
			Message: "the certificate cannot be used: " + plainCause(err), Remedy: "name PEM files that belong together with --tls-cert and --tls-key"}
	}
	before := c.current.Swap(&pair)
	return before == nil || !before.Leaf.Equal(pair.Leaf), nil
}

// run keeps the certificate in force equal to the files until the context ends.
func (c *certificate) run(ctx context.Context) {
	const settle, poll = 200 * time.Millisecond, 30 * time.Second
	watchDirectory(ctx, filepath.Dir(c.cert), settle, poll, c.log, func(context.Context) {
		changed, err := c.read()
		switch {
		case err != nil:
			c.log.Error("the changed certificate is refused, the last good one stays in force", "file", c.cert, "error", err)
		case changed:
			c.log.Info("a changed certificate is in force", "file", c.cert, "until", c.current.Load().Leaf.NotAfter)
		}
	})
}

// config is that of the server.
func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return c.current.Load(), nil
	}}
}

// clientCAs are the CA certificates whose client certificates authenticate, read again when their file changes. A file
// that is invalid is refused, and the last good one stays.
type clientCAs struct {
	path    string
	require bool
	log     *slog.Logger
	text    string
	trusted atomic.Pointer[access.Clients]
}

// newClientCAs reads the file. The error has CodeInvalid.
func newClientCAs(path string, require bool, log *slog.Logger) (*clientCAs, error) {
	c := &clientCAs{path: path, require: require, log: log}
	if _, err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// read puts the file in force and reports whether it changed.
func (c *clientCAs) read() (changed bool, err error) {
	text, err := os.ReadFile(c.path)
	if err != nil {
		return false, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: c.path}, Err: err,
			Message: "the CA certificates of clients cannot be read: " + plainCause(err), Remedy: "name a PEM file with --client-ca"}
	}
	if string(text) == c.text {
		return false, nil
	}
	trusted, err := access.ParseClients(c.path, text)
	if err != nil {
		return false, err
	}
	c.text = string(text)
	c.trusted.Store(trusted)
	return true, nil
}

// run keeps the CA certificates in force equal to the file until the context ends.
func (c *clientCAs) run(ctx context.Context, changed func()) {
	const settle, poll = 100 * time.Millisecond, time.Second
	refused := ""
	watchDirectory(ctx, filepath.Dir(c.path), settle, poll, c.log, func(context.Context) {
		news, err := c.read()
		switch {
		case err != nil && err.Error() != refused:
			refused = err.Error()
			c.log.Error("the changed CA certificates of clients are refused, the last good ones stay in force", "file", c.path, "error", err)
		case err == nil:
			if refused = ""; news {
				c.log.Info("changed CA certificates of clients are in force", "file", c.path)
				changed()
			}
		}
	})
}

// askClients makes a server ask its clients for certificates of the CA certificates in force: those of clients, and those of front
// proxies.
func (g *gatekeeper) askClients(server *tls.Config) {
	if g.clients == nil && g.proxied == nil {
		return
	}
	server.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return g.tlsConfig(server), nil }
}

// tlsConfig is that of one connection.
func (g *gatekeeper) tlsConfig(server *tls.Config) *tls.Config {
	config := &tls.Config{MinVersion: server.MinVersion, GetCertificate: server.GetCertificate, NextProtos: []string{"h2", "http/1.1"},
		ClientCAs: x509.NewCertPool(), ClientAuth: tls.VerifyClientCertIfGiven}
	if g.clients != nil {
		g.clients.trusted.Load().AddTo(config.ClientCAs)
		if g.clients.require {
			config.ClientAuth = tls.RequireAndVerifyClientCert
		}
	}
	if g.proxied != nil {
		if proxies := g.proxied.trusted.Load(); proxies != nil {
			proxies.CAs.AddTo(config.ClientCAs)
		}
	}
	return config
}
