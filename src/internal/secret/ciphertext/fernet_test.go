package ciphertext

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

type vector struct {
	Desc   string    `json:"desc"`
	Token  string    `json:"token"`
	Now    time.Time `json:"now"`
	IV     []int     `json:"iv"`
	Source string    `json:"src"`
	Secret string    `json:"secret"`
}

func vectors(t *testing.T, name string) []vector {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "fernet", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(data, &all); err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	return all
}

func (v vector) key(t *testing.T) fernetKey {
	t.Helper()
	key, ok := parseFernetKey(v.Secret)
	if !ok {
		t.Fatal("no key")
	}
	return key
}

// The vectors of the specification.
func TestFernetVectors(t *testing.T) {
	for _, v := range vectors(t, "generate.json") {
		var iv [16]byte
		for i, b := range v.IV {
			iv[i] = byte(b)
		}
		if got := v.key(t).seal([]byte(v.Source), v.Now, iv); got != v.Token {
			t.Errorf("%s, want %s", got, v.Token)
		}
	}
	for _, v := range vectors(t, "verify.json") {
		if got, err := v.key(t).open(v.Token); err != nil || string(got) != v.Source {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, v := range vectors(t, "invalid.json") {
		switch v.Desc {
		case "expired TTL", "far-future TS (unacceptable clock skew)":
			continue // what is at rest has no end
		}
		if got, err := v.key(t).open(v.Token); err == nil {
			t.Errorf("%s is opened: %q", v.Desc, got)
		}
	}
}

// A token of which any bit was changed is not opened.
func TestFernetAltered(t *testing.T) {
	v := vectors(t, "verify.json")[0]
	key := v.key(t)
	for i := range v.Token {
		altered := []byte(v.Token)
		if altered[i] = 'A'; v.Token[i] == 'A' {
			altered[i] = 'B'
		}
		if _, err := key.open(string(altered)); err == nil && i < len(v.Token)-3 { // the last character has bits that count for nothing
			t.Errorf("altered at %d", i)
		}
	}
}
