package gitsync_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/sealing"
	"github.com/dovetail-store/dovetail/src/store"
)

func ofSOPS(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "secret", "sops", "testdata", "real", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCredentialsOfSOPS attaches a repository whose credentials SOPS encrypted, and writes one.
func TestCredentialsOfSOPS(t *testing.T) {
	t.Parallel()
	const file = "configuration/credentials/credentials.yml"
	keys, err := ciphertext.ParseKeys("keys", []byte(ofSOPS(t, "second.key")))
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
	for name, test := range map[string]struct {
		sealed sealing.MainKeys
		keys   *ciphertext.Keys
		code   dovetail.Code
	}{"a store that encrypts": {sealed: main, keys: keys}, "a store that does not": {keys: keys}, "without a key": {code: dovetail.CodeUnprocessable}, "a store that encrypts, without a key": {sealed: main, code: dovetail.CodeUnprocessable}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := ofSOPS(t, "credentials.yml")
			b := newRemote(t, map[string]string{file: before})
			b.openStore(func(inner store.Backend) store.Backend { return sealing.New(inner, sealing.Options{Keys: test.sealed}) })
			if err := b.attach(gitsync.Options{Keys: test.keys}); err != nil {
				t.Fatal(err)
			}
			if got := string(b.get("credential/registry").Data); strings.Contains(got, "sesame") || !strings.Contains(got, "ENC[AES256_GCM,") {
				t.Errorf("the store holds %s", got)
			}
			_, err := b.apply(t.Context(), b.put("credential/registry", strings.Replace(specOf(b.get("credential/registry")), passwordIn(before), "swordfish", 1)))
			now := b.show(file)
			if strings.Contains(now, "swordfish") || strings.Contains(string(b.get("credential/registry").Data), "swordfish") {
				t.Errorf("it is in clear:\n%s", now)
			}
			if test.code != "" {
				if wantCode(t, err, test.code); now != before {
					t.Errorf("%v\n%s", err, now)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			plain, err := keys.OpenFile(file, []byte(now))
			if err != nil || plain.At("registry", "data", "password").Text != "swordfish" || plain.At("cluster-token", "data", "secret").Text != "sesame-of-the-cluster" {
				t.Errorf("%v\n%s", err, now)
			}
			if !strings.Contains(string(b.get("credential/registry").Data), passwordIn(now)) {
				t.Error("the store does not hold what the file says")
			}
			changed := 0
			for _, line := range strings.SplitAfter(before, "\n") {
				if !strings.Contains(now, line) {
					changed++
				}
			}
			if changed > 3 { // the password, the time and the MAC
				t.Errorf("%d lines changed:\n%s", changed, now)
			}
			b.agree()

			b.push(map[string]string{file: strings.Replace(now, "    version: ", "    unencrypted_regex: ^x$\n    version: ", 1)})
			if err := b.a.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.push(map[string]string{file: strings.Replace(now, passwordIn(now), passwordIn(before), 1)})
			if err := b.a.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if first := b.recorded().Defects.First; len(first) != 1 || !strings.Contains(first[0].Message, "the MAC of SOPS is not that of the file") {
				t.Errorf("an old value that was put back is not noticed: %v", first)
			}
			_, err = b.apply(t.Context(), b.put("credential/more", `{"type":"secret","data":{"secret":"swordfish"}}`))
			if wantCode(t, err, dovetail.CodeUnprocessable); !strings.Contains(err.Error(), "the MAC of SOPS") {
				t.Errorf("it is signed again: %v", err)
			}
		})
	}
}

// passwordIn is the encrypted password in a file.
func passwordIn(text string) string {
	_, rest, _ := strings.Cut(text, "password: ")
	token, _, _ := strings.Cut(rest, "\n")
	return token
}

// specOf is the spec of a document.
func specOf(doc *dovetail.Document) string {
	_, rest, _ := strings.Cut(string(doc.Data), `"spec":`)
	return strings.TrimSuffix(rest, "}")
}
