package gitsync_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/sealing"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// A store that encrypts credentials does not commit them in plaintext, unless that is wanted; what is encrypted already it does.
func TestSensitiveInClear(t *testing.T) {
	t.Parallel()
	const (
		file   = "configuration/credentials/credentials.yml"
		fernet = `[encrypted:AES256_Fernet]gAAAAABmZm9v`
	)
	text, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := envelope.ParseKeyFile("main.key", text)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{file: "there:\n  type: secret   # ours\n  data: {secret: \"" + fernet + "\"}\n"}
	for _, test := range []struct {
		name    string
		keys    sealing.MainKeys
		options gitsync.Options
		secret  string
		refused bool
	}{
		{"clear in a store that encrypts", keys, gitsync.Options{}, "swordfish", true},
		{"encrypted elsewhere", keys, gitsync.Options{}, fernet, false},
		{"clear is wanted", keys, gitsync.Options{Clear: true}, "swordfish", false},
		{"clear beside what is encrypted", nil, gitsync.Options{}, "swordfish", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newRemote(t, files)
			b.openStore(func(inner store.Backend) store.Backend { return sealing.New(inner, sealing.Options{Keys: test.keys}) })
			if err := b.attach(test.options); err != nil {
				t.Fatal(err)
			}
			op := store.Operation{Verb: store.Put, ID: "credential/new", Data: b.put("credential/new", `{"type":"secret","data":{"secret":"`+test.secret+`"}}`).Data}
			_, err := b.apply(t.Context(), op)
			now := b.show(file)
			if !strings.HasPrefix(now, files[file]) {
				t.Errorf("what was there changed: %s", now)
			}
			if test.refused {
				if e := dovetail.AsError(err); e == nil || e.Code != dovetail.CodeUnprocessable || e.Reason != gitsync.ReasonSensitive || strings.Contains(e.Error(), test.secret) {
					t.Errorf("not refused: %v", err)
				}
				if strings.Contains(now, test.secret) {
					t.Error("it is committed in clear")
				}
				return
			}
			if err != nil || !strings.Contains(now, test.secret) {
				t.Errorf("%v: %s", err, now)
			}
		})
	}
}

// With a key, what is new is committed encrypted, and the store holds what the file says.
func TestCredentialsAreCommittedEncrypted(t *testing.T) {
	t.Parallel()
	const file = "configuration/credentials/credentials.yml"
	keys, err := ciphertext.ParseKeys("keys", []byte("cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="))
	if err != nil {
		t.Fatal(err)
	}
	text, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	main, err := envelope.ParseKeyFile("main.key", text)
	if err != nil {
		t.Fatal(err)
	}
	for name, sealed := range map[string]sealing.MainKeys{"a store that encrypts": main, "a store that does not": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := "there:\n  type: secret   # ours\n  data: {secret: '" + keys.Seal("other") + "'}\n"
			b := newRemote(t, map[string]string{file: before})
			b.openStore(func(inner store.Backend) store.Backend { return sealing.New(inner, sealing.Options{Keys: sealed}) })
			if err := b.attach(gitsync.Options{Keys: keys}); err != nil {
				t.Fatal(err)
			}
			op := store.Operation{Verb: store.Put, ID: "credential/new", Data: b.put("credential/new", `{"type":"secret","data":{"secret":"swordfish"}}`).Data}
			if _, err := b.apply(t.Context(), op); err != nil {
				t.Fatal(err)
			}
			now := b.show(file)
			if !strings.HasPrefix(now, before) || strings.Contains(now, "swordfish") {
				t.Error(now)
			}
			doc, err := b.store.Get(t.Context(), "credential/new")
			if err != nil {
				t.Fatal(err)
			}
			data, err := value.DataOf(doc, nil)
			if err != nil {
				t.Fatal(err)
			}
			token, _ := data.At("spec", "data", "secret").Str()
			if plain, err := keys.Open(token); err != nil || plain != "swordfish" || !strings.Contains(now, token) {
				t.Errorf("the store holds %q, %v", token, err)
			}
		})
	}
}
