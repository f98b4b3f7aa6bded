package sealing_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

func keyText(t *testing.T) string {
	t.Helper()
	text, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// wantVersions fails unless the history of a document has versions with these specs, newest first; "" is a deletion.
func wantVersions(t *testing.T, d *database, id dovetail.ID, want []string) {
	t.Helper()
	var got []string
	for v, err := range d.History(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		if v.Document != nil {
			data, err := value.DataOf(v.Document, nil)
			if err != nil {
				t.Fatal(err)
			}
			text = string(data.Get("spec").JSON())
		}
		got = append(got, text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s has the versions %q, want %q", id, got, want)
	}
}

// TestRotationSealsHistory rotates, broken off after each write, and looks for the old keys in the bytes of the files.
func TestRotationSealsHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	old, young := keyText(t), keyText(t)
	d := open(t, file, parseKeys(t, old), kinds)
	specs := []string{`"one"`, `"two"`, `"three"`}
	for _, spec := range specs {
		put(t, d.Store, "secret/s", `{"spec":`+spec+`}`)
	}
	put(t, d.Store, "secret/gone", `{"spec":"one"}`)
	if _, err := d.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: "secret/gone"}}, store.Options{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(specs)
	retired := d.stored(t, "_key/1")
	var record struct{ Wrapped string }
	if err := json.Unmarshal(retired.Data, &record); err != nil {
		t.Fatal(err)
	}
	d.close(t)
	for rest, done := 0, false; !done; rest++ {
		inner, err := bolt.Open(file, bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d = openOn(t, &brokenOff{Backend: inner, rest: rest}, parseKeys(t, young+old), kinds)
		_, err = d.Rotate(t.Context(), "")
		if done = err == nil; !done && !errors.Is(err, errBrokenOff) {
			t.Fatal(err)
		}
		wantVersions(t, d, "secret/s", specs)
		wantVersions(t, d, "secret/gone", []string{"", `"one"`})
		d.close(t)
	}
	if found := grep(t, filepath.Dir(file), record.Wrapped); len(found) > 0 {
		t.Errorf("the retired data key is in %v", found)
	}
	d = open(t, file, parseKeys(t, young), kinds)
	wantVersions(t, d, "secret/s", specs)
	wantVersions(t, d, "secret/gone", []string{"", `"one"`})
	if findings := check(t, d); len(findings) > 0 {
		t.Errorf("fsck finds %v", findings)
	}
	if replay, err := d.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: "secret/gone"}}, store.Options{Key: "k"}); err != nil {
		t.Errorf("the answer is lost: %+v, %v", replay, err)
	}
}

var errBrokenOff = errors.New("broken off")

// brokenOff fails after so many writes.
type brokenOff struct {
	store.Backend
	rest int
}

func (b *brokenOff) take() error {
	if b.rest--; b.rest < 0 {
		return errBrokenOff
	}
	return nil
}

func (b *brokenOff) Commit(ctx context.Context, txn store.Txn) error {
	if err := b.take(); err != nil {
		return err
	}
	return b.Backend.Commit(ctx, txn)
}

func (b *brokenOff) Rewrite(ctx context.Context, change func(*dovetail.Document) (*dovetail.Document, error)) error {
	return b.Backend.Rewrite(ctx, func(doc *dovetail.Document) (*dovetail.Document, error) {
		next, err := change(doc)
		if err == nil && next != nil {
			err = b.take()
		}
		return next, err
	})
}

func (b *brokenOff) Wipe(ctx context.Context) error {
	if err := b.take(); err != nil {
		return err
	}
	return b.Backend.Wipe(ctx)
}
