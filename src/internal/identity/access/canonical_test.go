package access_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone/keystonetest"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

// unusedBit flips the last bit of a text in base64url whose last character has unused ones.
func unusedBit(token string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(alphabet, token[len(token)-1])
	return token[:len(token)-1] + alphabet[last^1:last^1+1]
}

// twin returns the JWT with the other signature of the curve P-256 that is as good: r and the order minus s.
func twin(t *testing.T, token string) string {
	t.Helper()
	end := strings.LastIndex(token, ".") + 1
	signature, err := base64.RawURLEncoding.DecodeString(token[end:])
	if err != nil {
		t.Fatal(err)
	}
	s := new(big.Int).SetBytes(signature[32:])
	s.Sub(elliptic.P256().Params().N, s).FillBytes(signature[32:])
	return token[:end] + base64.RawURLEncoding.EncodeToString(signature)
}

// otherTexts are those of a JWT which lenient readers take for the same.
func otherTexts(t *testing.T, token string) map[string]string {
	t.Helper()
	parts := strings.Split(token, ".")
	return map[string]string{
		"unused bit":       unusedBit(token),
		"the other s":      twin(t, token),
		"tab inside":       token[:len(token)-5] + "\t" + token[len(token)-5:],
		"tab in header":    token[:5] + "\t" + token[5:],
		"no-break space":   token[:len(token)-5] + "\u00a0" + token[len(token)-5:],
		"space before":     " " + token,
		"space after":      token + " ",
		"line end":         token[:len(token)-5] + "\n" + token[len(token)-5:],
		"padding":          token + "==",
		"another alphabet": strings.NewReplacer("-", "+", "_", "/").Replace(token),
		"as JSON":          fmt.Sprintf(`{"x":".%[2]s.","protected":"%[1]s","payload":"%[2]s","signature":"%[3]s"}`, parts[0], parts[1], parts[2]),
	}
}

// A session that was ended stays so for every text of its token or certificate that would authenticate, and another one of the same user goes on.
func TestEndedSessionInAnotherText(t *testing.T) {
	p := newProvider(t)
	key := p.key(t, "k1", true)
	jwt := func(id string) string {
		for { // a token whose other alphabet is another text
			token := sign(t, jose.ES256, key, map[string]any{"iss": p.URL, "aud": "dovetail", "sub": "alice", "exp": now.Add(time.Hour).Unix(), "jti": id})
			if strings.ContainsAny(token, "-_") {
				return token
			}
		}
	}
	clock := &movingClock{at: now}
	check := func(t *testing.T, a *access.Authenticator, first, second string, others map[string]string) {
		t.Helper()
		sessions := access.NewSessions(a)
		enter := func(token string) (*access.Request, error) {
			who, err := a.Authenticate(t.Context(), "Bearer "+token, nil)
			if err != nil {
				return nil, err
			}
			return sessions.Use(who, "192.0.2.1:1")
		}
		request, err := enter(first)
		if err != nil {
			t.Fatal(err)
		}
		sessions.SetEnded(map[access.SessionID]time.Time{request.Digest.Session(): {}})
		others["the same text"] = first
		for name, text := range others {
			if request, err := enter(text); dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
				t.Errorf("%s: got %v, %v, want a refusal", name, request, err)
			}
		}
		if _, err := enter(second); err != nil {
			t.Errorf("another token of the user: %v", err)
		}
	}
	t.Run("OpenID Connect", func(t *testing.T) {
		first := jwt("1")
		check(t, authenticator(nil, p, time.Minute), first, jwt("2"), otherTexts(t, first))
	})
	const user = `{"authenticated":true,"audiences":["dovetail"],"user":{"username":"alice"}}`
	reviewed := func(t *testing.T, first, second string, others map[string]string) {
		c := newCluster(t)
		c.answer(first, user)
		c.answer(second, user)
		for _, text := range others { // the cluster is lenient
			c.answer(text, user)
		}
		check(t, access.NewAuthenticator(access.Authenticators{Reviewer: c.reviewer(t, clock, time.Minute), Now: clock.now}), first, second, others)
	}
	t.Run("JWT of a cluster", func(t *testing.T) {
		first := jwt("1")
		reviewed(t, first, jwt("2"), otherTexts(t, first))
	})
	t.Run("opaque token of a cluster", func(t *testing.T) {
		first := "k8s-aws-v1." + base64.RawURLEncoding.EncodeToString([]byte("https://sts/?a=\xff\xfe~~"))
		reviewed(t, first, "k8s-aws-v1.b3RoZXI", map[string]string{"unused bit": unusedBit(first), "padding": first + "==", "another alphabet": strings.ReplaceAll(first, "_", "/")})
	})
	t.Run("Keystone", func(t *testing.T) {
		server := keystonetest.New(t)
		says := func(token, audit string) {
			server.Give(token, "ann", "admin")
			server.Tokens[token] += audit
		}
		said, other := `,"audit_ids":["VcxU2JYqT8OzfUVvrjEITQ","qNUTIJntTzO1-XUk5STybw"]`, `,"audit_ids":["another","qNUTIJntTzO1-XUk5STybw"]`
		says("gAAAAABab", said)
		says("gAAAA~AAB+ab", said)
		says("gAAAAABac", other)
		moving := &movingClock{at: time.Now()}
		check(t, byKeystone(t, server, moving, time.Minute), "gAAAAABab", "gAAAAABac", map[string]string{"skipped character": "gAAAA~AAB+ab"})
		says("gAAAAAB-YQ", "")
		says("gAAAAAB-YR", "")
		says("gAAAAAB+YQ==", "")
		says("gAAAAAB-Yg", "")
		check(t, byKeystone(t, server, moving, time.Minute), "gAAAAAB-YQ", "gAAAAAB-Yg", map[string]string{"unused bit": "gAAAAAB-YR", "padding": "gAAAAAB+YQ=="})
	})
}

// A client can change the signature of its own certificate, which no key of its own made, to the twin.
func TestEndedSessionOfCertificate(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	client := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "ann"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)}
	issue := func(template *x509.Certificate) *x509.Certificate {
		der, err := x509.CreateCertificate(rand.Reader, template, ca, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		return parseCertificate(t, der)
	}
	root, leaf := issue(ca), issue(client)
	clients, err := access.ParseClients("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Raw}))
	if err != nil {
		t.Fatal(err)
	}
	a := access.NewAuthenticator(access.Authenticators{Clients: func() *access.Clients { return clients }, Now: func() time.Time { return now }})
	session := func(certificate *x509.Certificate) access.SessionID {
		if err := certificate.CheckSignatureFrom(root); err != nil {
			t.Fatal(err)
		}
		who, err := a.Authenticate(t.Context(), "", &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{certificate, root}}})
		if err != nil {
			t.Fatal(err)
		}
		return who.Digest.Session()
	}
	var parts struct {
		TBS       asn1.RawValue
		Algorithm asn1.RawValue
		Signature asn1.BitString
	}
	var signature struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(leaf.Raw, &parts); err != nil {
		t.Fatal(err)
	}
	if _, err := asn1.Unmarshal(parts.Signature.Bytes, &signature); err != nil {
		t.Fatal(err)
	}
	signature.S.Sub(elliptic.P256().Params().N, signature.S)
	encode := func(of any) []byte {
		der, err := asn1.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	parts.Signature = asn1.BitString{Bytes: encode(signature)}
	parts.Signature.BitLength = 8 * len(parts.Signature.Bytes)
	if session(parseCertificate(t, encode(parts))) != session(leaf) {
		t.Error("the same certificate with the other signature is another session")
	}
	client.SerialNumber = big.NewInt(3)
	if session(issue(client)) == session(leaf) {
		t.Error("another certificate of the client is the same session")
	}
}

func parseCertificate(t *testing.T, der []byte) *x509.Certificate {
	t.Helper()
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}
