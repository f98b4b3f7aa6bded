package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"
)

// maxKeys is the number of bytes of a key set that are read.
const maxKeys = 1 << 20

// keySet holds the keys that an issuer shows at an address. It asks for them when it first needs one, and again
// when a token has a key that it does not know; callers who need them at the same time share a question.
//
// It is an oidc.KeySet, in place of oidc.RemoteKeySet: that one gives the answer to an ended question, which cannot
// have a newer key, also to callers who come just after it. It is safe for concurrent use.
type keySet struct {
	url    string
	client *http.Client

	known  atomic.Pointer[[]jose.JSONWebKey] // nil until they were read
	asking singleflight.Group
}

// errAsking marks that the issuer could not be asked for its keys. It is recognized by its text.
var errAsking = errors.New("the issuer's keys cannot be read")

// VerifySignature returns the payload of a token that one of the keys signed.
func (k *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	signed, err := jose.ParseSigned(token, algorithms)
	if err != nil {
		return nil, err
	}
	if known := k.known.Load(); known != nil {
		if payload, ok := verify(signed, *known); ok {
			return payload, nil
		}
	}
	// The caller's context ends its wait only: others may wait for the same answer.
	asked := k.asking.DoChan("", func() (any, error) { return k.ask() })
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", errAsking, ctx.Err())
	case answer := <-asked:
		if answer.Err != nil {
			return nil, fmt.Errorf("%w: %w", errAsking, answer.Err)
		}
		if payload, ok := verify(signed, answer.Val.([]jose.JSONWebKey)); ok {
			return payload, nil
		}
		return nil, errors.New("no key of the issuer signed the token")
	}
}

// verify returns the payload if one of the keys signed it. A token has one signature (jose.ParseSigned of the
// compact form).
func verify(signed *jose.JSONWebSignature, keys []jose.JSONWebKey) ([]byte, bool) {
	id := signed.Signatures[0].Header.KeyID
	for _, key := range keys {
		if id != "" && key.KeyID != id {
			continue
		}
		if payload, err := signed.Verify(&key); err == nil {
			return payload, true
		}
	}
	return nil, false
}

// ask reads the keys. Those of a type or algorithm that is not known here are left out, as RFC 7517, section 5, says.
func (k *keySet) ask() ([]jose.JSONWebKey, error) {
	response, err := k.client.Get(k.url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", k.url, response.Status)
	}
	var shown struct{ Keys []json.RawMessage }
	if err := json.NewDecoder(io.LimitReader(response.Body, maxKeys)).Decode(&shown); err != nil {
		return nil, fmt.Errorf("the answer of %s: %w", k.url, err)
	}
	keys := make([]jose.JSONWebKey, 0, len(shown.Keys))
	for _, raw := range shown.Keys {
		var key jose.JSONWebKey
		if err := json.Unmarshal(raw, &key); err == nil {
			keys = append(keys, key)
		}
	}
	k.known.Store(&keys)
	return keys, nil
}
