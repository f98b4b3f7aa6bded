package deckhand

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

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
	// Refused says why the payload is not known, and Forbidden that it may not be read.
	Refused   string `json:"-"`
	Forbidden bool   `json:"-"`
}

// NewSecret returns a secret with its payload as Barbican answers it: an opaque one is what Deckhand wrote, as it is or in base64.
func NewSecret(ref, kind string, payload []byte) Secret {
	s := Secret{Ref: ref, Type: kind, Payload: string(payload)}
	if s.isOpaque() {
		if _, err := parseLiteral(s.Payload); err == nil { // which no base64 of a literal is
			s.Payload = base64.StdEncoding.EncodeToString(payload)
		}
	}
	return s
}

func (s Secret) isOpaque() bool { return s.Type == "" || s.Type == "opaque" }

// References are the URLs of secrets that encrypted documents of the tables have as data, each once.
func References(tables []*Table) []string {
	var all []string
	r := &reader{tables: make(map[string]*Table)}
	for _, t := range tables {
		r.tables[t.Name] = t
	}
	if r.tables["documents"] == nil {
		return nil // which Read reports
	}
	for _, row := range r.rows("documents", true) {
		metadata, ok := r.json(row, "meta", value.NewMap())
		data, also := r.json(row, "data", value.NullValue())
		if !ok || !also || row.deleted() {
			continue // as before
		}
		if ref, is := reference(metadata, data); is {
			all = append(all, ref)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// reference is the URL of the secret that a document has as data.
func reference(metadata, data *value.Value) (ref string, is bool) {
	policy, _ := metadata.Get("storagePolicy").Str()
	ref, is = data.Str()
	return ref, is && policy == "encrypted" && strings.HasPrefix(ref, "http")
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
	if !s.isOpaque() {
		return value.NewString(s.Payload), nil
	}
	text, err := base64.StdEncoding.DecodeString(s.Payload)
	if err != nil {
		return nil, err
	}
	return parseLiteral(string(text))
}
