package access

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Readers of base64 and of signatures are lenient: they skip white space, ignore unused bits, and an ECDSA signature has a twin that is as good. So one
// token has many texts. A session is therefore known by what was verified, so that it stays ended whatever text comes next.

// bearer reads the token of a header Authorization. It has the characters of RFC 6750, section 2.1 only. Errors have CodeUnauthenticated.
func bearer(authorization string) (string, error) {
	scheme, token, _ := strings.Cut(authorization, " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer") || token == "":
		return "", unauthenticated("the header Authorization has no bearer token", "write it as Authorization: Bearer TOKEN")
	case len(token) > MaxToken:
		return "", unauthenticated("the token is longer than 16 KiB", "ask for one with fewer claims")
	case strings.ContainsFunc(strings.TrimRight(token, "="), func(r rune) bool { return !inToken(r) }):
		return "", unauthenticated("the token contains characters that no bearer token has, such as white space", "send it as it was issued")
	}
	return token, nil
}

func inToken(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._~+/", r)
}

// jwt is a JWT in its compact form, by its parts as bytes. It is not verified.
type jwt struct{ header, payload, signature []byte }

// parseJWT reads the only text of a JWT that is accepted: three parts in base64url without padding, whose unused bits are zero.
func parseJWT(token string) (*jwt, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || strings.ContainsAny(token, "\r\n") { // which base64 skips even if it is strict
		return nil, false
	}
	var read [3][]byte
	for n, part := range parts {
		var err error
		if read[n], err = base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			return nil, false
		}
	}
	return &jwt{read[0], read[1], read[2]}, json.Valid(read[0])
}

// claims reads the claims, and reports whether it could.
func (j *jwt) claims(to any) bool { return json.Unmarshal(j.payload, to) == nil }

// digest is that of what the signature is of.
func (j *jwt) digest() Digest { return digestOf("jwt", j.header, j.payload) }

// reviewedDigest is that of a token which another system accepted as one of a user. How that system reads a token is not known here: the digest is the same
// for all texts with the same bytes.
func reviewedDigest(user, token string) Digest {
	texts := strings.Split(standardBase64.Replace(token), ".")
	parts := make([][]byte, len(texts))
	for n, text := range texts {
		parts[n] = []byte(text)
		if read, err := base64.RawURLEncoding.DecodeString(text); err == nil {
			parts[n] = read
		}
	}
	if len(parts) == 3 && json.Valid(parts[0]) && json.Valid(parts[1]) {
		return (&jwt{header: parts[0], payload: parts[1]}).digest()
	}
	return digestOf(user, parts...)
}

// standardBase64 turns the other alphabet of base64 into that of base64url without padding.
var standardBase64 = strings.NewReplacer("+", "-", "/", "_", "=", "")

// digestOf is that of parts, whose bounds count, of something of a kind.
func digestOf(of string, parts ...[]byte) (digest Digest) {
	sum := sha256.New()
	for _, part := range append([][]byte{[]byte(of)}, parts...) {
		one := sha256.Sum256(part)
		sum.Write(one[:])
	}
	sum.Sum(digest[:0])
	return digest
}

// textDigest is that of the text of a token, by which the access policy file and the cache of reviews know it: another text is another token to them.
func textDigest(token string) Digest { return sha256.Sum256([]byte(token)) }

// malformed is the error for a JWT with another text than the one that it was issued with.
func malformed() *dovetail.Error {
	return unauthenticated("the token is not valid: it is no JWT in the compact form, in base64url without padding and with unused bits zero",
		"send it as it was issued, or sign in again")
}
