package envelope_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
)

func Example() {
	ctx := context.Background()
	text, _ := envelope.NewKeyFile()
	main, _ := envelope.ParseKeyFile("main.key", text)
	key, wrapped, _ := envelope.NewKey(ctx, "k1", main, rand.Reader)
	sealed, _ := key.Seal([]byte("swordfish"), "credential/db")

	again, _ := envelope.OpenKey(ctx, "k1", main, wrapped, rand.Reader)
	secret, _ := again.Open(sealed, "credential/db")
	fmt.Println(string(secret))
	_, err := again.Open(sealed, "credential/other")
	fmt.Println(err)
	// Output:
	// swordfish
	// a sealed secret of credential/other cannot be opened; restore it: it was changed, moved, or sealed with another key
}

// newFile returns the text of a key file.
func newFile(t *testing.T) string {
	t.Helper()
	text, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func parse(t *testing.T, text string) *envelope.KeyFile {
	t.Helper()
	file, err := envelope.ParseKeyFile("k", text)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestReplacedMainKey(t *testing.T) {
	ctx := t.Context()
	before, after := newFile(t), newFile(t)
	old, both, alone := parse(t, before), parse(t, after+before), parse(t, after)
	key, wrapped, err := envelope.NewKey(ctx, "k", old, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := key.Seal([]byte("s"), "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := envelope.OpenKey(ctx, "k", alone, wrapped, rand.Reader); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Errorf("the new key alone opens it: %v", err)
	}
	opened, err := envelope.OpenKey(ctx, "k", both, wrapped, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if secret, err := opened.Open(sealed, "a"); err != nil || string(secret) != "s" {
		t.Errorf("opened %q: %v", secret, err)
	}
	secret, err := both.Unwrap(ctx, wrapped)
	if err != nil {
		t.Fatal(err)
	}
	again, err := both.Wrap(ctx, secret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := envelope.OpenKey(ctx, "k", alone, again, rand.Reader); err != nil {
		t.Errorf("the new key alone does not open it after it is wrapped again: %v", err)
	}
}

// A file that changes is read again: what it wrapped before opens as long as the old key is in it.
func TestAt(t *testing.T) {
	name := filepath.Join(t.TempDir(), "main.key")
	at := envelope.At(name)
	if _, err := at.Wrap(t.Context(), nil); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("wrapped without a file: %v", err)
	}
	if _, err := at.Unwrap(t.Context(), nil); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("unwrapped without a file: %v", err)
	}
	before, after := newFile(t), newFile(t)
	var wrapped []byte
	for i, step := range []struct {
		text  string
		opens bool
	}{{before, true}, {after + before, true}, {after, false}} {
		if err := os.WriteFile(name, []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			var err error
			if wrapped, err = at.Wrap(t.Context(), []byte("key")); err != nil {
				t.Fatal(err)
			}
		}
		if key, err := at.Unwrap(t.Context(), wrapped); (err == nil && string(key) == "key") != step.opens {
			t.Errorf("step %d: %q: %v", i, key, err)
		}
	}
}

func TestReadKeyFile(t *testing.T) {
	folder := t.TempDir()
	name := func(file, text string) string {
		path := filepath.Join(folder, file)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct{ name, file, says string }{
		{name: "missing", file: filepath.Join(folder, "none"), says: "does not exist"},
		{name: "empty", file: name("empty", ""), says: "no usable key"},
		{name: "comment", file: name("comment", "# nothing\n"), says: "no usable key"},
		{name: "other text", file: name("other", "hunter2\n"), says: "no usable key"},
		{name: "good", file: name("good", newFile(t))},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := envelope.ReadKeyFile(test.file)
			if test.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestSealing(t *testing.T) {
	key, _, err := envelope.NewKey(t.Context(), "k", parse(t, newFile(t)), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		secret, about := rapid.SliceOf(rapid.Byte()).Draw(t, "secret"), rapid.String().Draw(t, "about")
		sealed, err := key.Seal(secret, about)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := key.Open(sealed, about)
		if err != nil || string(opened) != string(secret) {
			t.Fatalf("%q opened as %q: %v", secret, opened, err)
		}
		if again, err := key.Seal(secret, about); err != nil || again == sealed {
			t.Fatalf("sealed twice it is the same: %v", err)
		}
		at := rapid.IntRange(0, len(sealed)-1).Draw(t, "at")
		changed := sealed[:at] + "!" + sealed[at+1:]
		if _, err := key.Open(changed, about); dovetail.CodeOf(err) != dovetail.CodeCorrupt {
			t.Fatalf("opened what was changed: %v", err)
		}
	})
}

// away is a key service that cannot be reached, and one that returns too little.
type away struct{ err error }

func (a away) Wrap(context.Context, []byte) ([]byte, error)   { return nil, a.err }
func (a away) Unwrap(context.Context, []byte) ([]byte, error) { return []byte("short"), a.err }

func TestFailures(t *testing.T) {
	gone := dovetail.Errorf(dovetail.CodeUnavailable, "gone")
	if _, _, err := envelope.NewKey(t.Context(), "k", away{gone}, rand.Reader); !errors.Is(err, gone) {
		t.Errorf("made without the service: %v", err)
	}
	if _, err := envelope.OpenKey(t.Context(), "k", away{gone}, nil, rand.Reader); !errors.Is(err, gone) {
		t.Errorf("opened without the service: %v", err)
	}
	if _, err := envelope.OpenKey(t.Context(), "k", away{}, nil, rand.Reader); dovetail.CodeOf(err) != dovetail.CodeCorrupt {
		t.Errorf("a short key: %v", err)
	}
	if _, _, err := envelope.NewKey(t.Context(), "k", parse(t, newFile(t)), io.LimitReader(rand.Reader, 3)); dovetail.CodeOf(err) != dovetail.CodeInternal {
		t.Errorf("made of too few random numbers: %v", err)
	}
	key, _, err := envelope.NewKey(t.Context(), "k", parse(t, newFile(t)), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, sealed := range []string{"", "AAAA", "%"} {
		if _, err := key.Open(sealed, "a"); dovetail.CodeOf(err) != dovetail.CodeCorrupt {
			t.Errorf("opened %q: %v", sealed, err)
		}
	}
}
