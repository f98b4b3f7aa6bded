package deckhand

import (
	"encoding/base64"
	"encoding/json"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Secrets are what Barbican holds, by the URLs that encrypted documents have as data.
type Secrets map[string]Secret

// Secret is a secret of Barbican.
type Secret struct {
	Ref     string `json:"ref"`
	Type    string `json:"secret_type"`
	Payload string `json:"payload"` // of an opaque secret in base64, of any other as it is
}

// ParseSecrets reads a JSON list of secrets.
func ParseSecrets(file string, text []byte) (Secrets, error) {
	var list []Secret
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the secrets cannot be read: " + err.Error(), Position: dovetail.Position{File: file}, Err: err,
			Remedy: "give a JSON list of objects with ref, secret_type and payload"}
	}
	secrets := make(Secrets, len(list))
	for _, s := range list {
		secrets[s.Ref] = s
	}
	return secrets, nil
}

// data is what an encrypted document says. Deckhand writes it as a Python literal into opaque secrets. Errors never show any of it.
func (s Secret) data() (*value.Value, error) {
	if s.Type != "" && s.Type != "opaque" {
		return value.NewString(s.Payload), nil
	}
	text, err := base64.StdEncoding.DecodeString(s.Payload)
	if err != nil {
		return nil, err
	}
	return parseLiteral(string(text))
}
