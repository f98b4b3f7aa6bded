package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/dovetail-store/dovetail/src/internal/data/limit"
)

// maxKeys is the number of bytes of a key set that are read.
const maxKeys = 1 << 20

// Anyone can send a token that names a key which does not exist. So that forged tokens cause no flood of requests to
// the provider, keys are read at most keysBurst times in one burst and otherwise every keysEvery, and the id of a key that
// the provider did not have is not looked for again for keyMissing. A new key is found with the first token that names
// it, or, while others use up the rate, with the next time that the keys are read.
const (
	keysEvery  = 5 * time.Second
	keysBurst  = 5
	keyMissing = time.Minute
	maxMissing = 1000 // cached ids of keys that the issuer does not have
	// maxKeyID is the longest id of a key that is cached, in bytes.
	maxKeyID = 256
	// forgedEvery is how often keys are read because of a wrong signature by a key that is known: a provider that
	// gives a new key the id of the old one is found out, slowly.
	forgedEvery = time.Minute
)

// keySet holds the keys that an issuer shows at an address. It asks for them when it first needs one, and again
// when a token has a key that it does not know; callers who need them at the same time share a request.
//
// It is an oidc.KeySet, in place of oidc.RemoteKeySet: that one reads the keys for every token with an unknown key, and
// gives the answer to an ended request, which cannot have a newer key, also to callers who come just after it. It is safe
// for concurrent use.
type keySet struct {
	url    string
	client *http.Client
	now    func() time.Time

	known  atomic.Pointer[[]jose.JSONWebKey] // nil until they were read
	asking singleflight.Group

	mu      sync.Mutex
	reads   *rate.Limiter
	forged  *rate.Limiter
	missing *recent[string, struct{}] // ids of keys that the issuer did not have
}

func newKeySet(url string, client *http.Client, now func() time.Time) *keySet {
	return &keySet{url: url, client: client, now: now, missing: newRecent[string, struct{}](maxMissing),
		reads: rate.NewLimiter(rate.Every(keysEvery), keysBurst), forged: rate.NewLimiter(rate.Every(forgedEvery), 1)}
}

// errAsking is the error of reading the issuer's keys. It is recognized by its text.
var errAsking = errors.New("the issuer's keys cannot be read")

var (
	errNoKey   = errors.New("no key of the issuer signed the token")
	errTooSoon = errors.New("they were read too often in the last seconds")
)

// VerifySignature returns the payload of a token that one of the keys signed.
func (k *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return nil, err
	}
	id := signed.Signatures[0].Header.KeyID
	if known := k.known.Load(); known != nil {
		if payload, ok := verify(signed, *known); ok {
			return payload, nil
		}
		if k.isForged(id, *known) {
			return nil, errNoKey
		}
	}
	for {
		keys, own, err := k.refresh(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errAsking, err)
		}
		if payload, ok := verify(signed, keys); ok {
			return payload, nil
		}
		if own {
			k.lacks(id, keys)
			return nil, errNoKey
		} // the request that answered may have begun before the issuer had the key
	}
}

// isForged reports whether it is not worth to read the keys again for a token that none of the known ones signed.
func (k *keySet) isForged(id string, known []jose.JSONWebKey) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, missing := k.missing.get(id, k.now()); missing || len(id) > maxKeyID {
		return true
	}
	return hasKey(known, id) && !k.forged.AllowN(k.now(), 1)
}

// lacks remembers that the issuer has no key of the id.
func (k *keySet) lacks(id string, keys []jose.JSONWebKey) {
	if id == "" || len(id) > maxKeyID || hasKey(keys, id) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.missing.put(id, struct{}{}, k.now().Add(keyMissing))
}

func hasKey(keys []jose.JSONWebKey, id string) bool {
	return slices.ContainsFunc(keys, func(key jose.JSONWebKey) bool { return key.KeyID == id })
}

// refresh reads the keys, or waits for those that another caller reads; own says that they were read for this one.
func (k *keySet) refresh(ctx context.Context) (keys []jose.JSONWebKey, own bool, err error) {
	// The caller's context ends its wait only: others may wait for the same answer.
	first := false // not own, which a caller whose wait ends returns while the search goes on
	asked := k.asking.DoChan("", func() (any, error) {
		first = true
		if !k.reads.AllowN(k.now(), 1) {
			return nil, errTooSoon
		}
		return k.ask()
	})
	select {
	case <-ctx.Done():
		return nil, false, ctx.Err()
	case answer := <-asked:
		if answer.Err != nil {
			return nil, false, answer.Err
		}
		return answer.Val.([]jose.JSONWebKey), first, nil
	}
}

// verify returns the payload if one of the keys signed it. A token has one signature, as
// the compact form has.
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
	if err := (limit.Limit{Bytes: maxKeys, Of: "the key set"}).DecodeJSON(response.Body, &shown); err != nil {
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
