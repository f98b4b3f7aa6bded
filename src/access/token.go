package access

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// tokenPrefix begins the tokens of files, so that a leaked one can be recognised.
const tokenPrefix = "dovetail_"

// Token is a token of a machine as a file keeps it: by its digest.
type Token struct {
	Name     string // of the principal
	Groups   []string
	Digest   [sha256.Size]byte
	Expires  time.Time // the zero value is never
	Position dovetail.Position
}

// NewToken makes a token of 256 bits from the random source, with its digest. Only the digest is kept;
// the token itself is shown once. The error is that of the source.
func NewToken(random io.Reader) (token string, digest [sha256.Size]byte, err error) {
	var secret [32]byte
	if _, err := io.ReadFull(random, secret[:]); err != nil {
		return "", digest, err
	}
	token = tokenPrefix + base64.RawURLEncoding.EncodeToString(secret[:])
	return token, sha256.Sum256([]byte(token)), nil
}

// Tokens are those of a file. They are immutable, and safe for concurrent use.
type Tokens struct{ byDigest map[[sha256.Size]byte]*Token }

// NewTokens indexes tokens. Errors, all together, have CodeInvalid: a name that is missing or reserved, a
// digest that is there twice.
func NewTokens(list []Token) (*Tokens, error) {
	t := &Tokens{byDigest: make(map[[sha256.Size]byte]*Token, len(list))}
	var errs dovetail.Errors
	fail := func(token Token, message, remedy string) {
		errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: token.Position, Message: message, Remedy: remedy})
	}
	for _, token := range list {
		switch {
		case token.Name == "":
			fail(token, "a token has no name", "name who uses it")
		case strings.HasPrefix(token.Name, dovetail.SystemPrefix):
			fail(token, "the token "+token.Name+" has a name that only Dovetail itself may have", "choose one that does not begin with "+dovetail.SystemPrefix)
		case t.byDigest[token.Digest] != nil:
			fail(token, "the token "+token.Name+" is also that of "+t.byDigest[token.Digest].Name, "make one for each with `dovetail auth token`")
		default:
			t.byDigest[token.Digest] = &token
		}
	}
	if err := errs.Err("the tokens are invalid"); err != nil {
		return nil, err
	}
	return t, nil
}

// find returns the principal of a token; known is false where the token is not one of these. A token is
// looked up by its digest, so that the time this takes tells nothing about others.
func (t *Tokens) find(token string, now time.Time) (who *dovetail.Principal, known bool, err error) {
	if t == nil || !strings.HasPrefix(token, tokenPrefix) {
		return nil, false, nil
	}
	found := t.byDigest[sha256.Sum256([]byte(token))]
	switch {
	case found == nil:
		return nil, true, unauthenticated("the token is not known", "ask for a new one")
	case !found.Expires.IsZero() && !now.Before(found.Expires):
		return nil, true, unauthenticated("the token expired", "ask for a new one")
	}
	return &dovetail.Principal{Name: found.Name, Groups: found.Groups}, true, nil
}

func unauthenticated(message, remedy string) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: message, Remedy: remedy}
}
