package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
)

// Trust has a policy's clients trust a certificate.
func Trust(p *Policy, certificate *x509.Certificate) {
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
	p.transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// UseProxy gives a policy a proxy, as the environment does.
func UseProxy(p *Policy, proxy *url.URL) {
	p.proxyOf = func(*http.Request) (*url.URL, error) { return proxy, nil }
}
