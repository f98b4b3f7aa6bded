package access

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Method is a way to authenticate.
type Method string

// The methods.
const (
	MethodToken       Method = "token"        // a token of the access policy file
	MethodOIDC        Method = "oidc"         // a JWT of the OpenID Connect provider
	MethodCertificate Method = "certificate"  // a TLS client certificate
	MethodReview      Method = "token-review" // a token that a Kubernetes cluster knows
	MethodKeystone    Method = "keystone"     // a token that OpenStack Keystone knows
	MethodFrontProxy  Method = "front-proxy"  // headers of a front proxy, such as the API server of a Kubernetes cluster
)

// Identity is whose a request is, how that is known, and until when. It is immutable.
type Identity struct {
	Principal *dovetail.Principal
	Method    Method
	Digest    Digest    // of what was verified of the token or the certificate
	Expires   time.Time // the zero value is never

	token string              // only where it must be reviewed again
	roots []*x509.Certificate // only of a certificate, that of a front proxy too: the CA certificates that it stands on
	proxy string              // the name (CN) of the front proxy
}

// Digest is the SHA-256 of what was verified of a token or certificate, by which they are known: not of their text, of which there may be several.
type Digest [sha256.Size]byte

// Session returns the id under which the use of the token or certificate is listed.
func (d Digest) Session() SessionID { return SessionID(d[:len(SessionID{})]) }

// SessionID names the use of one token or certificate.
type SessionID [10]byte

func (id SessionID) String() string { return hex.EncodeToString(id[:]) }

// ParseSessionID reads the text of a SessionID.
func ParseSessionID(text string) (id SessionID, err error) {
	if n, err := hex.Decode(id[:], []byte(text)); err != nil || n != len(id) || len(text) != 2*len(id) {
		return id, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the session is \"" + text + "\", which is no id of one",
			Remedy: "write 20 hexadecimal digits, as `dovetail auth sessions` shows them"}
	}
	return id, nil
}
