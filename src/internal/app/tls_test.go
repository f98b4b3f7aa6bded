package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certify writes a certificate of the name for 127.0.0.1, with its key, and returns it.
func certify(t *testing.T, dir, name string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{"key.pem": {Type: "PRIVATE KEY", Bytes: private}, "cert.pem": {Type: "CERTIFICATE", Bytes: der}} {
		writeFile(t, filepath.Join(dir, file+".new"), string(pem.EncodeToMemory(block)))
		if err := os.Rename(filepath.Join(dir, file+".new"), filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := certify(t, dir, "first")
	server := start(t, map[string]string{"tls-cert": filepath.Join(dir, "cert.pem"), "tls-key": filepath.Join(dir, "key.pem")})
	// served is the certificate that a client sees that trusts the one given.
	served := func(trusted *x509.Certificate) string {
		roots := x509.NewCertPool()
		roots.AddCert(trusted)
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}}
		response, err := client.Get(server.URL() + "/livez")
		if err != nil {
			return err.Error()
		}
		_ = response.Body.Close()
		return response.TLS.PeerCertificates[0].Subject.CommonName
	}
	if !strings.HasPrefix(server.URL(), "https://") {
		t.Errorf("the URL is %s", server.URL())
	}
	if got := served(first); got != "first" {
		t.Fatal(got)
	}
	second := certify(t, dir, "second")
	eventually(t, "the new certificate is served", func() bool { return served(second) == "second" })
	writeFile(t, filepath.Join(dir, "cert.pem"), "no certificate")
	eventually(t, "the broken one is refused", func() bool { return strings.Contains(server.logs.String(), "the changed certificate is refused") })
	if got := served(second); got != "second" {
		t.Error(got)
	}
}
