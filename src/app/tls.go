package app

import (
	"context"
	"crypto/tls"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
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

// read puts the files in force and says whether they are others than before.
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
