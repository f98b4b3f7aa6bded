package ciphertext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
)

const (
	first  = "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="
	second = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
)

func keys(t *testing.T, text string) *ciphertext.Keys {
	t.Helper()
	k, err := ciphertext.ParseKeys("keys", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeys(t *testing.T) {
	sealed := keys(t, first).Seal("sesame")
	if !strings.HasPrefix(sealed, ciphertext.FernetMark+"gAAAAA") || !ciphertext.Is(sealed) {
		t.Error(sealed)
	}
	for _, test := range []struct {
		name, keys, text, want string
	}{
		{name: "the key", keys: first, text: sealed, want: "sesame"},
		{name: "with its name, and another one before", keys: "# old\n" + second + "\n\nSECRET_KEY=\"" + first + "\"\n", text: sealed, want: "sesame"},
		{name: "a bare token", keys: first, text: strings.TrimPrefix(sealed, ciphertext.FernetMark), want: "sesame"},
		{name: "plain", keys: second, text: "sesame", want: "sesame"},
		{name: "another key", keys: second, text: sealed},
		{name: "another scheme", keys: first, text: "[encrypted:ROT13]frfnzr"},
		{name: "SOPS", keys: first, text: "ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]"},
	} {
		got, err := keys(t, test.keys).Open(test.text)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
	}
	if _, err := (*ciphertext.Keys)(nil).Open(sealed); err == nil {
		t.Error("opened without keys")
	}
	if text := fmt.Sprintf("%v %s", keys(t, first), keys(t, first)); text != "keys keys" {
		t.Error(text)
	}
}

// TestJoin: keys that are joined open what each of them opens, and encrypt with the first.
func TestJoin(t *testing.T) {
	if joined := ciphertext.Join(nil, nil); joined != nil {
		t.Error("there are keys")
	}
	one, two := keys(t, first), keys(t, second)
	joined := ciphertext.Join(nil, one, two)
	for _, sealed := range []string{one.Seal("sesame"), two.Seal("sesame")} {
		if got, err := joined.Open(sealed); got != "sesame" {
			t.Errorf("%q, %v", got, err)
		}
	}
	if got, err := one.Open(joined.Seal("sesame")); got != "sesame" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := one.Open(two.Seal("sesame")); err == nil {
		t.Error("joining changed the keys")
	}
}

func TestKeysRefused(t *testing.T) {
	for name, text := range map[string]string{"nothing": "# nothing\n", "a password": "hush\n", "a short key": "AAAA\n"} {
		_, err := ciphertext.ParseKeys("keys", []byte(text))
		if dovetail.CodeOf(err) != dovetail.CodeInvalid || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
