package envelope

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"io"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// KeySize is the length of a data key in bytes.
const KeySize = 32

// Key is a data key. It is safe for concurrent use, and never shown.
type Key struct {
	ID     string // names it; not secret
	aead   cipher.AEAD
	random io.Reader
}

// NewKey makes a data key from random, which also gives the nonces of what it seals, and returns it with
// its wrapped form. The errors are those of the wrapper.
func NewKey(ctx context.Context, id string, w Wrapper, random io.Reader) (*Key, []byte, error) {
	secret := make([]byte, KeySize)
	if _, err := io.ReadFull(random, secret); err != nil {
		return nil, nil, &dovetail.Error{Code: dovetail.CodeInternal, Message: "the system gives no random numbers", Err: err}
	}
	wrapped, err := w.Wrap(ctx, secret)
	if err != nil {
		return nil, nil, err
	}
	key, err := newKey(id, secret, random)
	return key, wrapped, err
}

// OpenKey returns a data key from its wrapped form. The errors are those of the wrapper, and CodeCorrupt.
func OpenKey(ctx context.Context, id string, w Wrapper, wrapped []byte, random io.Reader) (*Key, error) {
	secret, err := w.Unwrap(ctx, wrapped)
	if err != nil {
		return nil, err
	}
	return newKey(id, secret, random)
}

func newKey(id string, secret []byte, random io.Reader) (*Key, error) {
	if len(secret) != KeySize {
		return nil, dovetail.Errorf(dovetail.CodeCorrupt, "the data key %s has %d bytes, not %d", id, len(secret), KeySize)
	}
	block, err := aes.NewCipher(secret)
	var aead cipher.AEAD
	if err == nil {
		aead, err = cipher.NewGCM(block)
	}
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInternal, Message: "the data key " + id + " cannot be used", Err: err}
	}
	return &Key{ID: id, aead: aead, random: random}, nil
}

// Seal encrypts a secret (AES-256-GCM with a random nonce) and returns base64. What it is about, usually the id of
// the document that holds it, must be the same when it is opened: a sealed secret cannot be moved to
// another document.
func (k *Key) Seal(secret []byte, about string) (string, error) {
	sealed, err := k.SealBytes(secret, about)
	return base64.StdEncoding.EncodeToString(sealed), err
}

// SealBytes is Seal without base64.
func (k *Key) SealBytes(secret []byte, about string) ([]byte, error) {
	nonce := make([]byte, k.aead.NonceSize(), k.aead.NonceSize()+len(secret)+k.aead.Overhead())
	if _, err := io.ReadFull(k.random, nonce); err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInternal, Message: "the system gives no random numbers", Err: err}
	}
	return k.aead.Seal(nonce, nonce, secret, []byte(about)), nil
}

// Open decrypts what Seal returned. The error has the code CodeCorrupt.
func (k *Key) Open(sealed, about string) ([]byte, error) {
	text, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return nil, cannotOpen(" of "+about, err)
	}
	return k.open(text, about, " of "+about)
}

// OpenBytes decrypts what SealBytes returned. The error has the code CodeCorrupt.
func (k *Key) OpenBytes(sealed []byte, about string) ([]byte, error) {
	return k.open(sealed, about, "")
}

func (k *Key) open(sealed []byte, about, shown string) ([]byte, error) {
	n := k.aead.NonceSize()
	if len(sealed) < n {
		return nil, cannotOpen(shown, nil)
	}
	secret, err := k.aead.Open(nil, sealed[:n], sealed[n:], []byte(about))
	if err != nil {
		return nil, cannotOpen(shown, err)
	}
	return secret, nil
}

func cannotOpen(of string, err error) error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "a sealed secret" + of + " cannot be opened",
		Remedy: "restore it: it was changed, moved, or sealed with another key", Err: err}
}
