package sops

import (
	"bytes"
	"crypto/rand"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// formatVersion is the version of SOPS whose format new files have.
const formatVersion = "3.13.3"

// Create returns a new file, without values, for the recipients of another one, who must all be of age. All values of it are encrypted.
func Create(like *Metadata) (*File, error) {
	fail := func(message, remedy string) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Position: like.at, Message: message, Remedy: remedy}
	}
	if like.otherKeys != "age" {
		return nil, fail("a new file cannot be encrypted for "+like.otherKeys, "encrypt it with SOPS itself, or for age only")
	}
	data := make([]byte, keySize)
	_, _ = rand.Read(data) // never fails
	recipients := value.NewList()
	for _, name := range like.recipients {
		enc, err := wrapped(name, data)
		if err != nil {
			return nil, fail("a new file cannot be encrypted for the recipient "+decode.Quote(name)+", which is no X25519 key of age", "encrypt it with SOPS itself")
		}
		recipients.Items = append(recipients.Items, value.NewMap(value.Member{Name: "enc", Value: value.NewString(enc)}, value.Member{Name: "recipient", Value: value.NewString(name)}))
	}
	of := value.NewMap(value.Member{Name: "age", Value: recipients})
	of.Set("encrypted_regex", value.NewString("."))
	of.Set("version", value.NewString(formatVersion))
	metadata := &Metadata{of: of, at: like.at, encrypts: func([]string) bool { return true }}
	return &File{key: &Key{metadata: metadata, data: data}}, nil
}

// wrapped is a data key, encrypted for a recipient, as SOPS writes it.
func wrapped(name string, data []byte) (string, error) {
	recipient, err := age.ParseX25519Recipient(name)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	armored := armor.NewWriter(&text)
	w, err := age.Encrypt(armored, recipient)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = armored.Close()
	}
	return text.String(), err
}
