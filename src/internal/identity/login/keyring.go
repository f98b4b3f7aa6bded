package login

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Token is what a provider gives who logs in.
type Token struct {
	ID      string    `json:"idToken"`                // that servers are shown
	Refresh string    `json:"refreshToken,omitempty"` // for the next one; "" where the provider gives none
	Subject string    `json:"subject"`                // whose it is, at the provider
	Expires time.Time `json:"expires"`                // of ID
}

// Leeway is how long before its end a token is replaced, so that it holds until a server has read it.
const Leeway = 30 * time.Second

// IsFresh reports whether the token holds for a while.
func (t Token) IsFresh(now time.Time) bool { return t.Expires.After(now.Add(Leeway)) }

// Login is a token with the server that it is for, and where it comes from.
type Login struct {
	Context  string `json:"context,omitempty"` // whose login it is; "" for commands that name the server itself
	Server   string `json:"server"`            // URL; the token is sent to no other
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientId"`
	Scope    string `json:"scope,omitempty"` // that was asked for beside the usual
	Token
}

// Keyring is a list of logins, at most one for each context and server.
type Keyring struct {
	Logins []Login `json:"logins"`
}

// ParseKeyring reads the file of a keyring. The error has CodeInvalid.
func ParseKeyring(name string, text []byte) (*Keyring, error) {
	var k Keyring
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&k)
	if err == nil {
		if _, next := d.Token(); !errors.Is(next, io.EOF) {
			err = errors.New("something follows the keyring")
		}
	}
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: "the keyring cannot be read",
			Remedy: "remove the file, and log in again with `dovetail login`", Err: err}
	}
	return &k, nil
}

// Text is the file of the keyring.
func (k *Keyring) Text() []byte {
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		panic(err) // of texts and times that were read
	}
	return append(text, '\n')
}

// Find returns the login of a context, or with "" the one without, at a server.
func (k *Keyring) Find(context, server string) (Login, bool) {
	i := k.index(context, server)
	if i < 0 {
		return Login{}, false
	}
	return k.Logins[i], true
}

// Put adds a login, in place of the one of its context and server.
func (k *Keyring) Put(l Login) {
	if i := k.index(l.Context, l.Server); i >= 0 {
		k.Logins[i] = l
		return
	}
	k.Logins = append(k.Logins, l)
}

// Remove takes logins out, and returns them.
func (k *Keyring) Remove(unwanted func(Login) bool) []Login {
	var removed []Login
	k.Logins = slices.DeleteFunc(k.Logins, func(l Login) bool {
		if !unwanted(l) {
			return false
		}
		removed = append(removed, l)
		return true
	})
	return removed
}

func (k *Keyring) index(context, server string) int {
	return slices.IndexFunc(k.Logins, func(l Login) bool { return l.Context == context && l.Server == server })
}
