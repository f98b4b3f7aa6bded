package keyring_test

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

func newStore(t *testing.T) *store.Store {
	t.Helper()
	source, err := schema.ReadFile("ref-schemas/v1.yaml")
	if err != nil {
		t.Fatal(err)
	}
	notes := schema.Source{Name: "notes.yaml", Data: []byte("resources: [{name: note, references: [secretKey]}]")}
	model, err := schema.Compile([]schema.Source{source, notes})
	if err != nil {
		t.Fatal(err)
	}
	backend, err := bolt.Open(filepath.Join(t.TempDir(), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := store.Open(t.Context(), backend, model, store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newKeys(t *testing.T) *envelope.KeyFile {
	t.Helper()
	text, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := envelope.ParseKeyFile("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// write stores a secret as a note.
func write(ctx context.Context, s *store.Store, v *keyring.Keyring, name, secret string) error {
	sealed, key, err := v.Seal(ctx, []byte(secret), name)
	if err != nil {
		return err
	}
	data := value.NewMap(
		value.Member{Name: "spec", Value: value.NewMap(value.Member{Name: keyring.Element, Value: value.NewString(key)}, value.Member{Name: keyring.MemberContent, Value: value.NewString(name)})},
		value.Member{Name: keyring.MemberSealed, Value: value.NewString(sealed)})
	_, err = s.Put(ctx, store.Operation{ID: dovetail.ID("").Child("note", name), Data: data})
	return err
}

// read returns the secret of a note, and the name of the key.
func read(ctx context.Context, s *store.Store, v *keyring.Keyring, name string) (secret, key string, err error) {
	doc, err := s.Get(ctx, dovetail.ID("").Child("note", name))
	if err != nil {
		return "", "", err
	}
	data, err := value.ParseJSON(doc.Data, value.Limits{})
	if err != nil {
		return "", "", err
	}
	key = data.At("spec", keyring.Element).Text
	text, err := v.Open(ctx, data.Get(keyring.MemberSealed).Text, key, name)
	return string(text), key, err
}

// TestRotationAmongWriters rotates while others write: every secret can be read afterwards, with the last key alone.
func TestRotationAmongWriters(t *testing.T) {
	s, keys := newStore(t), newKeys(t)
	ctx := t.Context()
	first := keyring.New(s, keys, rand.Reader)
	for i := range 250 { // more than one transaction seals again
		if err := write(ctx, s, first, "old"+strconv.Itoa(i), "s"); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for w := range 4 {
		v := keyring.New(s, keys, rand.Reader) // each as in a process of its own
		all.Go(func() {
			for i := range 50 {
				name := "w" + strconv.Itoa(w) + "-" + strconv.Itoa(i)
				err := write(ctx, s, v, name, name)
				for dovetail.CodeOf(err) == dovetail.CodeMissing { // the key went before the note came
					err = write(ctx, s, v, name, name)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	var last *keyring.Rotation
	for range 3 {
		r, err := keyring.New(s, keys, rand.Reader).Rotate(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		last = r
	}
	all.Wait()
	if last.Key != "k4" {
		t.Errorf("the last key is %s", last.Key)
	}
	v := keyring.New(s, keys, rand.Reader)
	for w := range 4 {
		for i := range 50 {
			name := "w" + strconv.Itoa(w) + "-" + strconv.Itoa(i)
			if secret, key, err := read(ctx, s, v, name); err != nil || secret != name || key != last.Key {
				t.Errorf("%s is %q with %s: %v", name, secret, key, err)
			}
		}
	}
	if secret, key, err := read(ctx, s, v, "old249"); err != nil || secret != "s" || key != last.Key {
		t.Errorf("old249 is %q with %s: %v", secret, key, err)
	}
	for _, name := range []string{"k1", "k2", "k3"} {
		if _, err := s.Get(ctx, dovetail.ID("").Child(keyring.Element, name)); dovetail.CodeOf(err) != dovetail.CodeNotFound {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
}

func TestFailures(t *testing.T) {
	s, keys := newStore(t), newKeys(t)
	none := keyring.New(s, nil, rand.Reader)
	if _, _, err := none.Seal(t.Context(), nil, "a"); dovetail.AsError(err).Reason != keyring.ReasonNoKey {
		t.Errorf("sealed without a key: %v", err)
	}
	if _, err := none.Rotate(t.Context(), nil); dovetail.AsError(err).Reason != keyring.ReasonNoKey {
		t.Errorf("rotated without a key: %v", err)
	}
	if err := write(t.Context(), s, keyring.New(s, keys, rand.Reader), "n", "s"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := read(t.Context(), s, none, "n"); dovetail.AsError(err).Reason != keyring.ReasonNoKey {
		t.Errorf("read without a key: %v", err)
	}
	other := keyring.New(s, newKeys(t), rand.Reader)
	if _, _, err := read(t.Context(), s, other, "n"); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Errorf("read with another key: %v", err)
	}
	if _, err := other.Open(t.Context(), "", "k9", "n"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("opened with a key that does not exist: %v", err)
	}
	for _, wrapped := range []string{"%", ""} {
		data := value.NewMap(value.Member{Name: "spec", Value: value.NewMap(value.Member{Name: "wrapped", Value: value.NewString(wrapped)})})
		if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: dovetail.ID("").Child(keyring.Element, "k7"), Data: data}}, store.Options{Managed: true}); err != nil {
			t.Fatal(err)
		}
		_, _, err := keyring.New(s, keys, rand.Reader).Seal(t.Context(), nil, "a")
		if code := dovetail.CodeOf(err); code != dovetail.CodeCorrupt && code != dovetail.CodeUnavailable {
			t.Errorf("sealed with a damaged key: %v", err)
		}
	}
	gone := errors.New("gone")
	if _, err := keyring.New(failing{s, gone}, keys, rand.Reader).Rotate(t.Context(), nil); !errors.Is(err, gone) {
		t.Errorf("rotated without a store: %v", err)
	}
}

// failing is a store whose transactions fail.
type failing struct {
	*store.Store
	err error
}

func (f failing) Apply(context.Context, []store.Operation, store.Options) (*store.Result, error) {
	return nil, f.err
}
