package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// upstream is how a gateway connects to its servers with TLS: whose certificates it accepts, and the certificate that
// it shows. Its files are watched; those that do not fit are refused, and the last good ones stay.
type upstream struct {
	ca    string       // PEM file; "" for what the machine trusts
	own   *certificate // nil if there is none
	log   *slog.Logger
	roots atomic.Pointer[x509.CertPool]
	seen  string // the text of the file in force
}

// newUpstream reads the files that the configuration names, nil when it names none. The error has CodeInvalid.
func newUpstream(config Config, servers []string, log *slog.Logger) (*upstream, error) {
	if config.UpstreamCA == "" && config.UpstreamCert == "" && config.UpstreamKey == "" {
		return nil, nil //nolint:nilnil // no configuration of its own
	}
	for _, server := range servers {
		if strings.HasPrefix(server, "http://") {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: server + " would be reached without TLS, although certificates for the servers are given",
				Remedy: "write https://, or leave --upstream-ca, --upstream-cert and --upstream-key out"}
		}
	}
	u := &upstream{ca: config.UpstreamCA, log: log}
	if config.UpstreamCert != "" || config.UpstreamKey != "" {
		own, err := newCertificate(config.UpstreamCert, config.UpstreamKey, log)
		if err != nil {
			e := *dovetail.AsError(err)
			e.Remedy = "name PEM files that belong together with --upstream-cert and --upstream-key"
			return nil, &e
		}
		u.own = own
	}
	if _, err := u.read(); err != nil {
		return nil, err
	}
	return u, nil
}

// read puts the file of CA certificates in force and reports whether it is another than before.
func (u *upstream) read() (changed bool, err error) {
	if u.ca == "" {
		return false, nil
	}
	wrong := &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: u.ca}, Remedy: "name a PEM file with the certificates of the CA of the servers with --upstream-ca"}
	text, err := os.ReadFile(u.ca)
	if err != nil {
		wrong.Message, wrong.Err = "the CA certificates cannot be read: "+plainCause(err), err
		return false, wrong
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		wrong.Message = "there are no CA certificates"
		return false, wrong
	}
	changed = u.seen != string(text)
	u.seen = string(text)
	u.roots.Store(roots)
	return changed, nil
}

// run keeps what is in force equal to the files until the context ends.
func (u *upstream) run(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	if u.own != nil {
		all.Go(func() { u.own.run(ctx) })
	}
	if u.ca == "" {
		return
	}
	const settle, poll = 200 * time.Millisecond, 30 * time.Second
	watchDirectory(ctx, filepath.Dir(u.ca), settle, poll, u.log, func(context.Context) {
		changed, err := u.read()
		switch {
		case err != nil:
			u.log.Error("the changed CA certificates are refused, the last good ones stay in force", "file", u.ca, "error", err)
		case changed:
			u.log.Info("changed CA certificates are in force", "file", u.ca)
		}
	})
}

// config is that of the next connection.
func (u *upstream) config() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: u.roots.Load()}
	if u.own != nil {
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return u.own.current.Load(), nil }
	}
	return config
}
