package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testCA is a CA of client certificates.
type testCA struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newTestCA(t *testing.T, name string) *testCA {
	t.Helper()
	ca := &testCA{}
	var err error
	if ca.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, ca.key.Public(), ca.key)
	if err != nil {
		t.Fatal(err)
	}
	if ca.certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return ca
}

func (ca *testCA) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.certificate.Raw}))
}

// issue makes a client certificate.
func (ca *testCA) issue(t *testing.T, subject pkix.Name, until time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: subject, NotBefore: time.Now().Add(-time.Hour), NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.certificate, key.Public(), ca.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// secured is a server with TLS and a CA of clients, with what is needed to speak to it.
type secured struct {
	*running
	trusted  *x509.CertPool
	clientCA string
	tokens   map[string]string
}

func startSecured(t *testing.T, ca *testCA, clientAuth string) *secured {
	t.Helper()
	dir := t.TempDir()
	s := &secured{trusted: x509.NewCertPool(), clientCA: filepath.Join(t.TempDir(), "clients.pem")}
	s.trusted.AddCert(certify(t, dir, "server"))
	writeFile(t, s.clientCA, ca.pem())
	var file string
	file, s.tokens = accessFile(t, accessRoles+"\n- {role: viewer, groups: ['cert:robots']}", "root")
	s.running = start(t, map[string]string{"access": file, "tls-cert": filepath.Join(dir, "cert.pem"), "tls-key": filepath.Join(dir, "key.pem"),
		"client-ca": s.clientCA, "client-auth": clientAuth, "log-level": "error"})
	return s
}

// client speaks with a certificate, or without for nil.
func (s *secured) client(t *testing.T, certificate *tls.Certificate) *http.Client {
	config := &tls.Config{RootCAs: s.trusted}
	if certificate != nil { // shown even if the server asks for none, as an attacker does
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return certificate, nil }
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// ask sends a GET; the status is 0 where the connection is refused.
func (s *secured) ask(t *testing.T, c *http.Client, path, token string) (int, string) {
	t.Helper()
	request := s.request(t, "GET", path, "")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := c.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

func TestClientCertificates(t *testing.T) {
	ca, stranger := newTestCA(t, "clients"), newTestCA(t, "clients")
	issue := func(ca *testCA, subject pkix.Name, until time.Duration) *tls.Certificate {
		certificate := ca.issue(t, subject, time.Now().Add(until))
		return &certificate
	}
	robot := pkix.Name{CommonName: "ci", Organization: []string{"robots"}}
	open, strict := startSecured(t, ca, "request"), startSecured(t, ca, "require")
	tests := []struct {
		name        string
		server      *secured
		certificate *tls.Certificate
		token       string
		path        string
		status      int
		says        string
	}{
		{name: "a certificate", server: open, certificate: issue(ca, robot, time.Hour), status: 200, says: `"principal":"cert:ci","groups":["cert:robots"],"authenticated":"certificate"`},
		{name: "its groups have roles", server: open, certificate: issue(ca, robot, time.Hour), path: "/v2/clusters", status: 200},
		{name: "the name of a token is not its name", server: open, certificate: issue(ca, pkix.Name{CommonName: "root"}, time.Hour), path: "/v2/documents", status: 200, says: `"items":[]`},
		{name: "a token goes first", server: open, certificate: issue(ca, robot, time.Hour), token: "root", status: 200, says: `"principal":"root"`},
		{name: "a token alone", server: open, token: "root", status: 200, says: `"principal":"root"`},
		{name: "nothing", server: open, status: 401},
		{name: "a wrong token beside a certificate", server: open, certificate: issue(ca, robot, time.Hour), token: "none", status: 401},
		{name: "no name", server: open, certificate: issue(ca, pkix.Name{Organization: []string{"robots"}}, time.Hour), status: 401, says: "no common name"},
		{name: "a name that looks like another", server: open, certificate: issue(ca, pkix.Name{CommonName: "c\u0456"}, time.Hour), status: 401},
		{name: "an expired one", server: open, certificate: issue(ca, robot, -time.Minute), status: 0},
		{name: "one of another CA", server: open, certificate: issue(stranger, robot, time.Hour), status: 0},
		{name: "required and shown", server: strict, certificate: issue(ca, robot, time.Hour), status: 200},
		{name: "required and missing", server: strict, token: "root", status: 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, token := tt.path, tt.token
			if path == "" {
				path = "/v2/access"
			}
			if known := tt.server.tokens[token]; known != "" {
				token = known
			}
			status, text := tt.server.ask(t, tt.server.client(t, tt.certificate), path, token)
			if status != tt.status || !strings.Contains(text, tt.says) {
				t.Errorf("got %d %s, want %d with %s", status, text, tt.status, tt.says)
			}
		})
	}
}

// What was verified in the handshake may not hold as long as the connection lasts.
func TestClientCertificateEndsWatches(t *testing.T) {
	t.Parallel()
	ca := newTestCA(t, "clients")
	server := startSecured(t, ca, "request")
	long := ca.issue(t, pkix.Name{CommonName: "long"}, time.Now().Add(time.Hour))
	longLived := server.client(t, &long)
	removed, err := server.tryWatch(t, longLived, "")
	if err != nil {
		t.Fatal(err)
	}
	var shortLived *http.Client
	var expires <-chan string
	whileItHolds(t, func(until time.Time) (err error) {
		short := ca.issue(t, pkix.Name{CommonName: "short"}, until)
		shortLived = server.client(t, &short)
		expires, err = server.tryWatch(t, shortLived, "")
		return err
	})
	endsUnauthenticated(t, expires, "the certificate expired")
	if status, text := server.ask(t, shortLived, "/v2/access", ""); status != http.StatusUnauthorized && status != 0 {
		t.Errorf("the expired certificate on an open connection: %d %s", status, text)
	}
	replaceFile(t, server.clientCA, "no certificate")
	eventually(t, "the broken file is refused", func() bool { return strings.Contains(server.logs.String(), "CA certificates of clients are refused") })
	if status, text := server.ask(t, longLived, "/v2/access", ""); status != 200 {
		t.Errorf("the last good CA certificates are not in force: %d %s", status, text)
	}
	replaceFile(t, server.clientCA, newTestCA(t, "others").pem())
	endsUnauthenticated(t, removed, "of a CA that is no longer trusted")
	if status, text := server.ask(t, longLived, "/v2/access", ""); status != http.StatusUnauthorized && status != 0 {
		t.Errorf("a certificate of the removed CA: %d %s", status, text)
	}
}

// Settings of identities that do not fit together are refused when the server starts.
func TestIdentitySettings(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		says   string
	}{
		{name: "client certificates without TLS", config: Config{ClientCA: "x", Access: "a"}, says: "--client-ca needs"},
		{name: "client certificates without an access policy", config: Config{ClientCA: "x", TLSCert: "c"}, says: "--client-ca needs"},
		{name: "required ones without a CA", config: Config{RequireClient: true}, says: "needs --client-ca"},
		{name: "token review without an access policy", config: Config{TokenReview: TokenReview{Enabled: true}}, says: "--token-review needs"},
		{name: "access review without an access policy", config: Config{AccessReview: true}, says: "--subject-access-review needs"},
		{name: "Keystone without an access policy", config: Config{Keystone: "k"}, says: "--keystone needs"},
		{name: "Keystone and token review", config: Config{Keystone: "k", Access: "a", TokenReview: TokenReview{Enabled: true}}, says: "exclude each other"},
		{name: "a policy of Deckhand without its profile", config: Config{DeckhandPolicy: "p", Access: "a"}, says: "--deckhand-policy needs"},
		{name: "front proxies without TLS", config: Config{FrontProxy: FrontProxy{Enabled: true}, Access: "a"}, says: "--front-proxy needs"},
		{name: "front proxies without an access policy", config: Config{FrontProxy: FrontProxy{Enabled: true}, TLSCert: "c"}, says: "--front-proxy needs"},
		{name: "CAs of front proxies that are off", config: Config{FrontProxy: FrontProxy{CAFile: "x", Names: []string{"n"}}}, says: "need --front-proxy on"},
		{name: "any certificate of a CA as a front proxy", config: Config{FrontProxy: FrontProxy{Enabled: true, CAFile: "x"}, Access: "a", TLSCert: "c"}, says: "go together"},
		{name: "a provider without an access policy", config: Config{OIDCIssuer: "https://x"}, says: "--oidc-issuer needs"},
		{name: "a client of no provider", config: Config{OIDCClientID: "ui", Access: "a"}, says: "--oidc-client-id needs"},
		{name: "all of it", config: Config{Access: "a", TLSCert: "c", ClientCA: "x", RequireClient: true, OIDCIssuer: "https://x", OIDCClientID: "ui", TokenReview: TokenReview{Enabled: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := checkIdentities(tt.config)
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
		})
	}
	for prefix, want := range map[string]string{"-": "", "oidc:": "oidc:", "corp/": "corp/"} {
		if got, err := parsePrefix(prefix); err != nil || got != want {
			t.Errorf("the prefix %q: got %q, %v", prefix, got, err)
		}
	}
	for _, prefix := range []string{"", "system:", "cert:", "CERT:x", "serviceaccount:", "k8s:", "a\u202e"} {
		if got, err := parsePrefix(prefix); err == nil {
			t.Errorf("the prefix %q is accepted as %q", prefix, got)
		}
	}
}
