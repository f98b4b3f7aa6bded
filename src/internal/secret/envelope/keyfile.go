package envelope

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"filippo.io/age"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// KeyFile is a Wrapper whose main keys are age identities, as age-keygen and NewKeyFile write them: lines
// that begin with AGE-SECRET-KEY-1, and comments. The first identity wraps, all of them unwrap, so that a main
// key is replaced by putting a new one before it.
type KeyFile struct {
	identities []age.Identity
	recipient  *age.X25519Recipient
}

// NewKeyFile makes a new main key and returns the text of a key file that holds it.
func NewKeyFile() (string, error) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return "", &dovetail.Error{Code: dovetail.CodeInternal, Message: "no key could be made", Err: err}
	}
	return "# public key: " + identity.Recipient().String() + "\n" + identity.String() + "\n", nil
}

// ReadKeyFile reads the main keys in a file. The error has the code CodeInvalid and does not show what is
// in the file.
func ReadKeyFile(name string) (*KeyFile, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		why := "cannot be read"
		if errors.Is(err, os.ErrNotExist) {
			why = "does not exist"
		}
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name},
			Message: "the key file " + why, Remedy: "make one with `dovetail secrets keygen`", Err: err}
	}
	return ParseKeyFile(name, string(text))
}

// ParseKeyFile is ReadKeyFile for a text; name is what errors call it.
func ParseKeyFile(name, text string) (*KeyFile, error) {
	identities, err := age.ParseIdentities(strings.NewReader(text))
	if err != nil {
		return nil, badKeyFile(name, err)
	}
	first, ok := identities[0].(*age.X25519Identity)
	if !ok {
		return nil, badKeyFile(name, nil)
	}
	return &KeyFile{identities: identities, recipient: first.Recipient()}, nil
}

func badKeyFile(name string, err error) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name},
		Message: "the key file holds no usable key", Remedy: "give lines that begin with AGE-SECRET-KEY-1, as `dovetail secrets keygen` writes them", Err: err}
}

// Recipient is the public half of the main key that wraps, "age1...". It is not secret.
func (f *KeyFile) Recipient() (string, error) { return f.recipient.String(), nil }

// Wrap implements Wrapper.
func (f *KeyFile) Wrap(_ context.Context, key []byte) ([]byte, error) {
	var wrapped bytes.Buffer
	w, err := age.Encrypt(&wrapped, f.recipient)
	if err == nil {
		_, err = w.Write(key)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInternal, Message: "a data key could not be wrapped", Err: err}
	}
	return wrapped.Bytes(), nil
}

// Unwrap implements Wrapper.
func (f *KeyFile) Unwrap(_ context.Context, wrapped []byte) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(wrapped), f.identities...)
	var key []byte
	if err == nil {
		key, err = io.ReadAll(r)
	}
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the key file does not open what is stored",
			Remedy: "give the file that it was encrypted with; after a change of keys, with the old ones after the new one", Err: err}
	}
	return key, nil
}

// At is the Wrapper of a key file that is read each time it is used, so that a changed file, as of a mounted
// Kubernetes secret, is in force at once. Data keys are opened once, so that it is not used often.
type At string

// Wrap implements Wrapper. It may return the errors of ReadKeyFile, too.
func (a At) Wrap(ctx context.Context, key []byte) ([]byte, error) {
	file, err := ReadKeyFile(string(a))
	if err != nil {
		return nil, err
	}
	return file.Wrap(ctx, key)
}

// Unwrap implements Wrapper. It may return the errors of ReadKeyFile, too.
func (a At) Unwrap(ctx context.Context, wrapped []byte) ([]byte, error) {
	file, err := ReadKeyFile(string(a))
	if err != nil {
		return nil, err
	}
	return file.Unwrap(ctx, wrapped)
}

// Recipient is that of the file. It may return the errors of ReadKeyFile.
func (a At) Recipient() (string, error) {
	file, err := ReadKeyFile(string(a))
	if err != nil {
		return "", err
	}
	return file.Recipient()
}
