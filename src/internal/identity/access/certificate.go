package access

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Clients are the CA certificates whose client certificates authenticate. They are immutable, and safe for concurrent
// use. Certificate revocation lists are not read: end the session, or let certificates live for hours.
type Clients struct {
	all []*x509.Certificate
}

// AddTo adds the CA certificates to a pool.
func (c *Clients) AddTo(pool *x509.CertPool) {
	if c == nil {
		return
	}
	for _, certificate := range c.all {
		pool.AddCert(certificate)
	}
}

// ParseClients reads CA certificates in PEM. name is for errors only, which have CodeInvalid.
func ParseClients(name string, text []byte) (*Clients, error) {
	invalid := func(message string, err error) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Err: err, Message: message,
			Remedy: "name a file with CA certificates in PEM, each between BEGIN CERTIFICATE and END CERTIFICATE"}
	}
	c := &Clients{}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return nil, invalid("the CA certificates of clients contain a block "+block.Type, nil)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, invalid("a CA certificate of clients cannot be read: "+err.Error(), err)
		}
		if certificate.BasicConstraintsValid && !certificate.IsCA {
			return nil, invalid("the certificate of "+certificate.Subject.String()+" is not that of a CA", nil)
		}
		c.all = append(c.all, certificate)
	}
	if len(c.all) == 0 {
		return nil, invalid("there is no CA certificate of clients", nil)
	}
	return c, nil
}

// identify returns the identity of the client of a connection, nil where it showed no certificate. The handshake
// verified the certificate; what may have changed since, time and the CA certificates, is checked here.
func (c *Clients) identify(connection *tls.ConnectionState, now time.Time) (*Identity, error) {
	if c == nil || connection == nil || len(connection.VerifiedChains) == 0 {
		return nil, nil //nolint:nilnil // there is nothing to identify, which is no error
	}
	leaf := connection.VerifiedChains[0][0]
	who := &Identity{Method: MethodCertificate, Digest: sha256.Sum256(leaf.RawTBSCertificate)}
	who.roots, who.Expires = c.standing(connection)
	switch {
	case len(who.roots) == 0:
		return nil, untrusted()
	case !now.Before(who.Expires):
		return nil, unauthenticated("the certificate expired", "connect with a new one")
	case leaf.Subject.CommonName == "":
		return nil, unauthenticated("the client certificate has no common name (CN)", "use one whose subject names who it is for")
	}
	var err error
	who.Principal, err = named(CertificatePrefix+leaf.Subject.CommonName, prefixed(CertificatePrefix, leaf.Subject.Organization))
	if err != nil {
		return nil, err
	}
	return who, nil
}

// standing returns those of the CA certificates that the certificate of a connection stands on, and until when.
func (c *Clients) standing(connection *tls.ConnectionState) (roots []*x509.Certificate, expires time.Time) {
	for _, chain := range connection.VerifiedChains {
		until := chain[0].NotAfter
		for _, certificate := range chain {
			if certificate.NotAfter.Before(until) {
				until = certificate.NotAfter
			}
		}
		if root := chain[len(chain)-1]; c.trust([]*x509.Certificate{root}) {
			roots = append(roots, root)
			if until.After(expires) {
				expires = until
			}
		}
	}
	return roots, expires
}

// trust reports whether one of the certificates is among these CA certificates.
func (c *Clients) trust(roots []*x509.Certificate) bool {
	return c != nil && slices.ContainsFunc(roots, func(root *x509.Certificate) bool { return slices.ContainsFunc(c.all, root.Equal) })
}

func untrusted() *dovetail.Error {
	return unauthenticated("the client certificate is of a CA that is no longer trusted", "connect with a new one")
}
