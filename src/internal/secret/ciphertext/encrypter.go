package ciphertext

import (
	"time"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

// Encrypter encrypts whole files with SOPS for the recipients of another one.
type Encrypter struct {
	keys *Keys
	like *sops.Metadata
}

// Encrypter returns one for the recipients of a file that SOPS encrypted; nil where it did not.
func (k *Keys) Encrypter(name string, file *value.Value) (*Encrypter, error) {
	if !sops.Is(file) {
		return nil, nil
	}
	like, err := sops.ReadMetadata(name, file)
	if err != nil {
		return nil, err
	}
	return &Encrypter{k, like}, nil
}

// Encrypt returns a file of YAML encrypted. Of what it was before, which may be nil, the data key and what did not change stay.
func (e *Encrypter) Encrypt(name string, text, before []byte) ([]byte, error) {
	plain, err := yaml.Parse(name, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	if len(plain) != 1 || plain[0].Kind != value.Map || len(plain[0].Members) == 0 {
		return text, nil // there is nothing to encrypt
	}
	file, err := e.file(name, before)
	if err != nil {
		return nil, err
	}
	if file.Plain != nil && value.Equal(file.Plain[0], plain[0]) {
		return before, nil
	}
	sealed, err := file.Seal(name, plain[0])
	if err != nil {
		return nil, err
	}
	metadata, err := file.Sign(sops.Source{Name: name, Values: []*value.Value{sealed}}, time.Now())
	if err != nil {
		return nil, err
	}
	sealed.Set(sops.Member, metadata)
	return yaml.Marshal(sealed), nil
}

// file is the one that was there, or a new one.
func (e *Encrypter) file(name string, before []byte) (*sops.File, error) {
	read, err := yaml.Parse(name, before, value.Limits{})
	if err != nil || len(read) != 1 || !sops.Is(read[0]) {
		return sops.Create(e.like)
	}
	return sops.Open(sops.Source{Name: name, Text: before, Values: read}, e.keys.Identities())
}
