package keyring

import (
	"context"
	"encoding/base64"
	"io"
	"iter"
	"slices"
	"strconv"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReasonNoKey is the reason of the error when a secret needs a main key and none is configured.
const ReasonNoKey = "EncryptionNotConfigured"

// The names that documents with secrets have in common.
const (
	Element       = "secretKey" // the kind of data keys, and the member of spec that names one
	MemberContent = "content"   // of spec: what the secret is about
	MemberSealed  = "sealed"    // of the data: the secret
	memberWrapped = "wrapped"   // of the spec of a data key
)

// Store is where data keys are kept. *store.Store is one; its methods are described there.
type Store interface {
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)
	Documents(ctx context.Context, q store.ListQuery) iter.Seq2[*dovetail.Document, error]
	Referrers(ctx context.Context, id, after dovetail.ID, limit int) ([]dovetail.ID, error)
	Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)
}

// Keyring seals and opens secrets with the data keys of a store, which are named k1, k2 and so on; the last one seals.
// It is safe for concurrent use, by any number of processes on one database.
type Keyring struct {
	store   Store
	stored  *Keyring // that of the store itself, where store is a view with staged documents; otherwise nil
	wrapper envelope.Wrapper
	random  io.Reader

	mu   sync.Mutex
	keys map[string]*envelope.Key // by name, opened once
}

// New returns the keyring of a store. Without a wrapper nothing can be sealed or opened. random gives keys and nonces.
func New(s Store, w envelope.Wrapper, random io.Reader) *Keyring {
	v := &Keyring{store: s, wrapper: w, random: random, keys: make(map[string]*envelope.Key)}
	if view, is := s.(*store.Store); is && view.Stored() != view {
		v.stored = New(view.Stored(), w, random)
	}
	return v
}

func keyID(name string) dovetail.ID { return dovetail.ID("").Child(Element, name) }

// Seal encrypts a secret, and returns the name of the data key, which the document that holds it must refer to.
// Where there is no data key yet it makes the first. Errors: CodeConflict with ReasonNoKey, those of the wrapper and
// the store.
func (v *Keyring) Seal(ctx context.Context, secret []byte, about string) (sealed, key string, err error) {
	sealer, err := v.sealer(ctx)
	if err != nil {
		return "", "", err
	}
	sealed, err = sealer.Seal(secret, about)
	return sealed, sealer.ID, err
}

// Open decrypts what was sealed with a data key. Errors: those of Seal, CodeNotFound for the key, CodeCorrupt.
func (v *Keyring) Open(ctx context.Context, sealed, key, about string) ([]byte, error) {
	opener, err := v.key(ctx, key)
	if err != nil {
		return nil, err
	}
	return opener.Open(sealed, about)
}

func (v *Keyring) key(ctx context.Context, name string) (*envelope.Key, error) {
	v.mu.Lock()
	have := v.keys[name]
	v.mu.Unlock()
	if have != nil {
		return have, nil
	}
	doc, err := v.store.Get(ctx, keyID(name))
	if code := dovetail.CodeOf(err); v.stored != nil && (code == dovetail.CodeNotFound || code == dovetail.CodeExpired) {
		return v.stored.key(ctx, name) // a rotation has sealed again what is staged, or erased what the view is based on
	}
	if err != nil {
		return nil, err
	}
	return v.open(ctx, doc)
}

// open opens the data key that a document holds.
func (v *Keyring) open(ctx context.Context, doc *dovetail.Document) (*envelope.Key, error) {
	if v.wrapper == nil {
		return nil, noKey()
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	text, _ := data.At("spec", memberWrapped).Str()
	wrapped, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, dovetail.UnreadableData(doc.ID, err)
	}
	key, err := envelope.OpenKey(ctx, nameOf(doc.ID), v.wrapper, wrapped, v.random)
	if err != nil {
		return nil, err
	}
	v.keep(key)
	return key, nil
}

func (v *Keyring) keep(key *envelope.Key) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.keys[key.ID] = key
}

// sealer returns the data key that seals now.
func (v *Keyring) sealer(ctx context.Context) (*envelope.Key, error) {
	if v.wrapper == nil {
		return nil, noKey()
	}
	for {
		names, err := v.names(ctx)
		if err != nil {
			return nil, err
		}
		if len(names) > 0 {
			return v.key(ctx, names[len(names)-1])
		}
		first := func() (*envelope.Key, error) { return v.make(ctx, 1) }
		if v.stored != nil {
			first = func() (*envelope.Key, error) { return v.take(ctx) }
		}
		key, err := first()
		if dovetail.CodeOf(err) != dovetail.CodeExists { // otherwise another process made one at the same time
			return key, err
		}
	}
}

// make makes and stores the data key of a number. Errors: CodeExists when there is one of that number.
func (v *Keyring) make(ctx context.Context, number int) (*envelope.Key, error) {
	name := "k" + strconv.Itoa(number)
	key, wrapped, err := envelope.NewKey(ctx, name, v.wrapper, v.random)
	if err != nil {
		return nil, err
	}
	data := value.NewMap(
		value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: "name", Value: value.NewString(name)})},
		value.Member{Name: "spec", Value: value.NewMap(value.Member{Name: memberWrapped, Value: value.NewString(base64.StdEncoding.EncodeToString(wrapped))})})
	if _, err := v.store.Apply(ctx, []store.Operation{{Verb: store.Create, ID: keyID(name), Data: data}}, store.Options{Managed: true}); err != nil {
		return nil, err
	}
	v.keep(key)
	return key, nil
}

// take stages the data key that seals in the store itself, for a view that has none: two change sets that make the first secrets have the
// same one, and so does a secret that is stored meanwhile. Errors: CodeExists when there is one of that name.
func (v *Keyring) take(ctx context.Context) (*envelope.Key, error) {
	key, err := v.stored.sealer(ctx)
	if err != nil {
		return nil, err
	}
	doc, err := v.stored.store.Get(ctx, keyID(key.ID))
	if err != nil {
		return nil, err
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	if _, err := v.store.Apply(ctx, []store.Operation{{Verb: store.Create, ID: doc.ID, Data: data}}, store.Options{Managed: true}); err != nil {
		return nil, err
	}
	v.keep(key)
	return key, nil
}

// names returns those of the data keys, in the order of their numbers.
func (v *Keyring) names(ctx context.Context) ([]string, error) {
	var names []string
	for doc, err := range v.store.Documents(ctx, store.ListQuery{Kind: Element}) {
		if err != nil {
			return nil, err
		}
		names = append(names, nameOf(doc.ID))
	}
	slices.SortFunc(names, func(a, b string) int { return numberOf(a) - numberOf(b) })
	return names, nil
}

func numberOf(name string) int {
	number, err := strconv.Atoi(name[min(1, len(name)):])
	if err != nil {
		return 0
	}
	return number
}

func nameOf(id dovetail.ID) string {
	key := id.Key()
	return key[len(key)-1].Value
}

func noKey() error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonNoKey, Message: "a secret cannot be kept without a key to encrypt it with",
		Remedy: "give a key file with --encryption-key-file, to the server or with --store; `dovetail secrets keygen` makes one"}
}
