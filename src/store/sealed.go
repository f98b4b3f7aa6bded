package store

import (
	"bytes"
	"context"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// Sealer is a Backend that encrypts documents of sensitive kinds before they are stored, and decrypts them when they are
// read, so that everything above it sees them in plaintext.
type Sealer interface {
	Backend
	// UseModel says which kinds are sensitive. The store calls it before it writes under the model.
	UseModel(model *schema.Model)
	// ListSealed is List with documents of sensitive kinds as they may leave the database: sealed, together with their
	// wrapped data keys, so that a holder of the main key can open them with Unseal. The store's own documents count
	// within the limit of the query, as for List, and are as they are stored: they do not leave the database.
	ListSealed(ctx context.Context, q Query) iter.Seq2[*dovetail.Document, error]
	// Unseal opens a document of ListSealed, of this or of another database. One that is not sealed stays as it is.
	Unseal(ctx context.Context, doc *dovetail.Document) (*dovetail.Document, error)
	// Rotate begins a rotation of data keys, or, given the key that it made, continues with it for a while.
	Rotate(ctx context.Context, key string) (*Rotation, error)
	// Encryption says what is encrypted.
	Encryption() Encryption
}

// ReasonNotEncrypted is the reason of the error when something wants a key to encrypt with and there is none.
const ReasonNotEncrypted = "EncryptionNotConfigured"

// Encryption says what a database encrypts.
type Encryption struct {
	Sensitive []string `json:"sensitive"` // kinds, sorted
	Sealed    bool     `json:"encrypted"` // whether new documents of these kinds are encrypted
}

// Rotation is what a step of a rotation of data keys did.
type Rotation struct {
	Key     string   `json:"key"`               // the new data key
	Retired []string `json:"retired,omitempty"` // data keys that were deleted
	Sealed  int      `json:"sealed"`            // documents, and earlier versions, that were encrypted with the new one
	Done    bool     `json:"done"`              // there is no other data key any more
}

// sealedPrefix is how the data of a sealed document begin.
const sealedPrefix = `{"_sealed":{`

// IsSealed reports whether data are those of a sealed document.
func IsSealed(data []byte) bool { return bytes.HasPrefix(data, []byte(sealedPrefix)) }

// Encryption says what is encrypted where it is stored; nothing on a backend that does not.
func (s *Store) Encryption() Encryption {
	if sealer, ok := s.sealer(); ok {
		return sealer.Encryption()
	}
	return Encryption{}
}

// Rotate begins a rotation of the data keys of sensitive kinds: a new key seals from here on. Given that key, it goes on
// encrypting with it what is stored, and deletes the others; call it until the rotation is done. It may be broken off
// at any time. Earlier versions are encrypted again, too. Who rotates must have the right to update everything. CodeConflict if there is
// no key to encrypt with.
func (s *Store) Rotate(ctx context.Context, key string) (*Rotation, error) {
	if err := s.mayEverywhere(ctx, dovetail.RightUpdate, "rotate keys"); err != nil {
		return nil, err
	}
	sealer, ok := s.backend.(Sealer)
	if !ok {
		return nil, notSealing()
	}
	return sealer.Rotate(ctx, key)
}

func notSealing() *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonNotEncrypted, Message: "this database does not encrypt sensitive kinds",
		Remedy: "start the server with --encryption-key-file"}
}

// useModel tells a backend that encrypts which kinds are sensitive.
func (s *Store) useModel(model *schema.Model) {
	if sealer, ok := s.backend.(Sealer); ok && model != nil {
		sealer.UseModel(model)
	}
}

// listSealed yields what a query selects, sealed.
func (s *Store) listSealed(ctx context.Context, q ListQuery, inner Query) iter.Seq2[*dovetail.Document, error] {
	failed := func(err error) iter.Seq2[*dovetail.Document, error] {
		return func(yield func(*dovetail.Document, error) bool) { yield(nil, err) }
	}
	sealer, ok := s.sealedReader()
	switch {
	case !q.Labels.Empty() || !q.Fields.Empty() || !q.Text.Empty():
		return failed(&dovetail.Error{Code: dovetail.CodeInvalid, Message: "selectors cannot match encrypted data", Remedy: "leave out the selectors, or sealed"})
	case s.overlay() != nil:
		return failed(&dovetail.Error{Code: dovetail.CodeInvalid, Message: "staged documents are not sealed", Remedy: "export what is merged"})
	case !ok:
		return failed(notSealing())
	}
	return sealer.ListSealed(ctx, inner)
}

// unseal returns a document that is to be imported in plaintext.
func (s *Store) unseal(ctx context.Context, doc *dovetail.Document) (*dovetail.Document, error) {
	if !IsSealed(doc.Data) {
		return doc, nil
	}
	sealer, ok := s.sealer()
	if !ok {
		return nil, notSealing()
	}
	return sealer.Unseal(ctx, doc)
}
