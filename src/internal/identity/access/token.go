package access

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
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
	Digest   Digest
	Expires  time.Time // the zero value is never
	Position dovetail.Position

	principal dovetail.Principal
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
type Tokens struct{ byDigest map[Digest]*Token }

// NewTokens indexes tokens. Errors, all together, have CodeInvalid: a name that is missing, looks like another or has a
// reserved prefix, one of those given here included, or a duplicate digest.
func NewTokens(list []Token, reserved ...string) (*Tokens, error) {
	t := &Tokens{byDigest: make(map[Digest]*Token, len(list))}
	var errs dovetail.Errors
	fail := func(token Token, message, remedy string) {
		errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: token.Position, Message: message, Remedy: remedy})
	}
	for _, token := range list {
		switch {
		case token.Name == "":
			fail(token, "a token has no name", "name who uses it")
		case CheckName(token.Name) != "":
			fail(token, fmt.Sprintf("the name %+q of a token %s", token.Name, CheckName(token.Name)), "choose another name")
		case reservedPrefix(token.Name, reserved...) != "":
			prefix := reservedPrefix(token.Name, reserved...)
			fail(token, "the token "+token.Name+" has a reserved name: "+prefix+" begins names that no token of the file may have",
				"choose one that does not begin with "+prefix)
		case t.byDigest[token.Digest] != nil:
			fail(token, "the token "+token.Name+" is also that of "+t.byDigest[token.Digest].Name, "make one for each with `dovetail auth token`")
		default:
			token.principal = dovetail.Principal{Name: token.Name, Groups: token.Groups}
			t.byDigest[token.Digest] = &token
		}
	}
	if err := errs.Err("the tokens are invalid"); err != nil {
		return nil, err
	}
	return t, nil
}

// find returns the identity of a token; known is false where the token is not one of these. A token is
// looked up by its digest, so that the time this takes tells nothing about others.
func (t *Tokens) find(token string, now time.Time) (who *Identity, known bool, err error) {
	if t == nil || !strings.HasPrefix(token, tokenPrefix) {
		return nil, false, nil
	}
	who, err = t.identity(textDigest(token), now)
	return who, true, err
}

// identity returns that of the token with a digest.
func (t *Tokens) identity(digest Digest, now time.Time) (*Identity, error) {
	var found *Token
	if t != nil {
		found = t.byDigest[digest]
	}
	switch {
	case found == nil:
		return nil, unauthenticated("the token is not known", "ask for a new one")
	case !found.Expires.IsZero() && !now.Before(found.Expires):
		return nil, unauthenticated("the token expired", "ask for a new one")
	}
	return &Identity{Principal: &found.principal, Method: MethodToken, Digest: digest, Expires: found.Expires}, nil
}

func unauthenticated(message, remedy string) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: message, Remedy: remedy}
}
