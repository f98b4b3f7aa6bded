package sealing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/store"
)

// Reasons of errors.
const (
	ReasonNoKey      = store.ReasonNotEncrypted // there is no key file
	ReasonKeyMissing = "ENCRYPTION_KEY_MISSING" // a data key does not exist, or its main key is not in the key file
	ReasonDamaged    = "SEALED_DATA_DAMAGED"    // sealed data were changed or moved
)

// Data keys are internal documents, "_key/1" and so on. The one with the highest number seals. One that only the history still needs
// becomes "_key/retired-1": no writer finds it to seal with.
const (
	keyKind     = "_key"
	keyHome     = dovetail.ID(keyKind + "/")
	retiredHome = keyHome + "retired-"
)

var errPlaceGone = errors.New("the place of a sealed value is gone")

// keyRecord is the data of a data key.
type keyRecord struct {
	Name      string `json:"name"`      // "k1-" and random letters: its number, and what tells it from those of other databases
	Wrapped   string `json:"wrapped"`   // under the main key, in base64
	Recipient string `json:"recipient"` // the main key, by its public half
	// History names the policies that earlier versions are sealed by, with this key; "" while it is not known that all are.
	History string `json:"history,omitempty"`
}

// MainKeys are what data keys are wrapped under: *envelope.KeyFile, or envelope.At.
type MainKeys interface {
	envelope.Wrapper
	// Recipient names the main key that wraps, by its public half.
	Recipient() (string, error)
}

// keyring finds, makes and opens the data keys of a database. It is safe for concurrent use, by any number of
// processes on one database.
type keyring struct {
	backend store.Backend
	main    MainKeys // nil when there is no key file
	options Options

	mu      sync.Mutex
	opened  map[string]*envelope.Key // of this database, by name
	foreign map[string]*envelope.Key // of exports, by name and wrapped form
	sealer  *envelope.Key
	checked time.Time // when sealer was known to be the newest
	some    bool      // without a key file: whether there are data keys
	looked  time.Time // and when that was looked for
}

const (
	// fresh is how long a process seals with a data key without looking for a newer one.
	fresh = time.Second
	// maxForeign bounds the keys of exports that are kept.
	maxForeign  = 64
	nameLetters = 8
)

func newKeyring(backend store.Backend, options Options) *keyring {
	return &keyring{backend: backend, main: options.Keys, options: options,
		opened: make(map[string]*envelope.Key), foreign: make(map[string]*envelope.Key)}
}

func numberOf(name string) int {
	digits, _, _ := strings.Cut(strings.TrimPrefix(name, "k"), "-")
	number, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return number
}

func keyID(name string) dovetail.ID { return keyHome + dovetail.ID(strconv.Itoa(numberOf(name))) }

func retiredID(name string) dovetail.ID {
	return retiredHome + dovetail.ID(strconv.Itoa(numberOf(name)))
}

func keyReference(name string) dovetail.Reference {
	return dovetail.Reference{ID: keyID(name), Kind: keyKind}
}

// withoutKey returns references without those to data keys.
func withoutKey(references []dovetail.Reference) []dovetail.Reference {
	isKey := func(r dovetail.Reference) bool { return r.Kind == keyKind }
	if !slices.ContainsFunc(references, isKey) {
		return references
	}
	if len(references) == 1 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(references), isKey)
}

// current returns the data key that seals; the first one is made when it is needed. forget has it looked for again.
func (k *keyring) current(ctx context.Context, forget bool) (*envelope.Key, error) {
	if k.main == nil {
		return nil, noKey()
	}
	now := k.options.Clock.Now()
	k.mu.Lock()
	sealer := k.sealer
	if forget || now.Sub(k.checked) >= fresh {
		sealer = nil
	}
	k.mu.Unlock()
	if sealer != nil {
		return sealer, nil
	}
	for {
		records, err := k.records(ctx)
		if err != nil {
			return nil, err
		}
		var newest *envelope.Key
		if len(records) > 0 {
			newest, err = k.open(ctx, records[len(records)-1])
		} else if newest, err = k.make(ctx, 1, nil); dovetail.CodeOf(err) == dovetail.CodeExists {
			continue // another process made it
		}
		if err != nil {
			return nil, err
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.sealer, k.checked = newest, now
		return newest, nil
	}
}

// exist reports whether the database has data keys, for a process that has no key file.
func (k *keyring) exist(ctx context.Context) (bool, error) {
	now := k.options.Clock.Now()
	k.mu.Lock()
	known := k.some || !k.looked.IsZero() && now.Sub(k.looked) < fresh
	some := k.some
	k.mu.Unlock()
	if known {
		return some, nil
	}
	for _, err := range k.backend.List(ctx, store.Query{Kind: keyKind, Limit: 1}) {
		if err != nil {
			return false, err
		}
		some = true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.some, k.looked = some, now
	return some, nil
}

// records returns those of all data keys that are not retired, by number.
func (k *keyring) records(ctx context.Context) ([]keyRecord, error) { return k.recordsOf(ctx, false) }

func (k *keyring) recordsOf(ctx context.Context, retired bool) ([]keyRecord, error) {
	var all []keyRecord
	for doc, err := range k.backend.List(ctx, store.Query{Kind: keyKind}) {
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(string(doc.ID), string(retiredHome)) != retired {
			continue
		}
		r, err := readRecord(doc)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b keyRecord) int { return cmp.Compare(numberOf(a.Name), numberOf(b.Name)) })
	return all, nil
}

// record returns that of a data key of this database, retired or not; nil if there is none of that name.
func (k *keyring) record(ctx context.Context, name string) (*keyRecord, error) {
	documents, err := k.backend.GetAll(ctx, []dovetail.ID{keyID(name), retiredID(name)})
	if err != nil {
		return nil, err
	}
	for _, doc := range documents {
		if doc == nil {
			continue
		}
		if r, err := readRecord(doc); err != nil || r.Name == name {
			return &r, err
		}
	}
	return nil, nil
}

func readRecord(doc *dovetail.Document) (r keyRecord, err error) {
	if err := json.Unmarshal(doc.Data, &r); err != nil {
		return r, &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "the data key " + string(doc.ID) + " cannot be read",
			Remedy: "restore the database from a backup", Err: err}
	}
	return r, nil
}

// make makes and stores the data key of a number. Errors: CodeExists when there is one of that number, and that of the
// fence.
func (k *keyring) make(ctx context.Context, number int, fence *store.Condition) (*envelope.Key, error) {
	letters := make([]byte, nameLetters)
	if _, err := io.ReadFull(k.options.Random, letters); err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInternal, Message: "the system gives no random numbers", Err: err}
	}
	for i := range letters {
		letters[i] = 'a' + letters[i]%26
	}
	recipient, err := k.main.Recipient()
	if err != nil {
		return nil, err
	}
	name := "k" + strconv.Itoa(number) + "-" + string(letters)
	key, wrapped, err := envelope.NewKey(ctx, name, k.main, k.options.Random)
	if err != nil {
		return nil, err
	}
	r := keyRecord{Name: name, Wrapped: base64.StdEncoding.EncodeToString(wrapped), Recipient: recipient}
	doc, err := k.document(keyID(name), r)
	if err != nil {
		return nil, err
	}
	txn := store.Txn{Require: []store.Condition{{Test: store.Absent, ID: doc.ID}}, Puts: []*dovetail.Document{doc}}
	if fence != nil {
		txn.Require = append(txn.Require, *fence)
	}
	if err := k.backend.Commit(ctx, txn); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.opened[name], k.sealer, k.checked = key, key, k.options.Clock.Now()
	return key, nil
}

// document returns the document that a data key is stored as.
func (k *keyring) document(id dovetail.ID, r keyRecord) (*dovetail.Document, error) {
	data, err := encode(r)
	now := k.options.Clock.Now().UTC().Truncate(time.Millisecond)
	return &dovetail.Document{ID: id, Kind: keyKind, Data: data, UID: r.Name, Revision: 1, Created: now, Updated: now}, err
}

// retire keeps a data key for the history, in a transaction that deletes the key, which nothing else needs any more.
func (k *keyring) retire(r keyRecord, txn *store.Txn) error {
	doc, err := k.document(retiredID(r.Name), r)
	txn.Deletes, txn.Puts = []dovetail.ID{keyID(r.Name)}, []*dovetail.Document{doc}
	return err
}

// open opens a data key of this database.
func (k *keyring) open(ctx context.Context, r keyRecord) (*envelope.Key, error) {
	k.mu.Lock()
	have := k.opened[r.Name]
	k.mu.Unlock()
	if have != nil {
		return have, nil
	}
	key, err := k.unwrap(ctx, r)
	if err == nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.opened[r.Name] = key
	}
	return key, err
}

func (k *keyring) unwrap(ctx context.Context, r keyRecord) (*envelope.Key, error) {
	if k.main == nil {
		return nil, missing(r.Name, r.Recipient, noKey())
	}
	wrapped, err := base64.StdEncoding.DecodeString(r.Wrapped)
	if err != nil {
		return nil, missing(r.Name, r.Recipient, err)
	}
	key, err := envelope.OpenKey(ctx, r.Name, k.main, wrapped, k.options.Random)
	if err != nil {
		return nil, missing(r.Name, r.Recipient, err)
	}
	return key, nil
}

// of returns the key that a sealed document names: one of this database, or the one that came along with an export.
func (k *keyring) of(ctx context.Context, h *header) (*envelope.Key, error) {
	k.mu.Lock()
	have := k.opened[h.Key]
	k.mu.Unlock()
	if have != nil {
		return have, nil
	}
	r, err := k.record(ctx, h.Key)
	switch {
	case err != nil:
		return nil, err
	case r != nil:
		return k.open(ctx, *r)
	case h.Wrapped == "":
		return nil, missing(h.Key, h.Recipient, nil)
	}
	sum := sha256.Sum256([]byte(h.Wrapped))
	name := h.Key + string(sum[:])
	k.mu.Lock()
	have = k.foreign[name]
	k.mu.Unlock()
	if have != nil {
		return have, nil
	}
	key, err := k.unwrap(ctx, keyRecord{Name: h.Key, Wrapped: h.Wrapped, Recipient: h.Recipient})
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.foreign) >= maxForeign {
		clear(k.foreign)
	}
	k.foreign[name] = key
	return key, nil
}

func missing(name, recipient string, err error) error {
	e := &dovetail.Error{Code: dovetail.CodeUnavailable, Reason: ReasonKeyMissing, Err: err,
		Message: fmt.Sprintf("the data key %s cannot be opened", name),
		Remedy:  "restore the data key from a backup of the database that sealed with it"}
	if recipient != "" {
		e.Remedy = "give a key file that holds the main key " + recipient + " with --encryption-key-file"
	}
	return e
}

func noKey() error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonNoKey, Message: "there is no key to encrypt with",
		Remedy: "give a key file with --encryption-key-file; `dovetail secrets keygen` makes one"}
}
