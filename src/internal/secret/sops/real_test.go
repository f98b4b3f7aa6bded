package sops_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

func read(t testing.TB, name string) sops.Source {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "real", name))
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, name, text)
}

func parsed(t testing.TB, name string, text []byte) sops.Source {
	t.Helper()
	if filepath.Ext(name) == ".json" {
		v, err := value.ParseJSON(text, value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return sops.Source{Name: name, Text: text, Values: []*value.Value{v}}
	}
	values, err := yaml.Parse(name, text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return sops.Source{Name: name, Text: text, Values: values}
}

func identities(t testing.TB, names ...string) *sops.Identities {
	t.Helper()
	all := new(sops.Identities)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", "real", name+".key"))
		if err != nil {
			t.Fatal(err)
		}
		of, err := sops.ParseIdentities(name, text)
		if err != nil {
			t.Fatal(err)
		}
		all = all.Join(of)
	}
	return all
}

// realFiles are those of which there is what SOPS decrypts.
var realFiles = []string{"all.yaml", "two.yaml", "many.yaml", "all.json", "unencrypted-suffix.yaml", "encrypted-suffix.yaml", "unencrypted-regex.yaml", "encrypted-regex.yaml",
	"mac-only-encrypted.yaml", "credentials.yml", "credentials-data.yml"}

// TestRealFiles opens what SOPS wrote.
func TestRealFiles(t *testing.T) {
	for _, name := range realFiles {
		t.Run(name, func(t *testing.T) {
			source := read(t, name)
			if !sops.Is(source.Values[0]) {
				t.Fatal("not recognized")
			}
			file, err := sops.Open(source, identities(t, "other", "first"))
			if err != nil {
				t.Fatal(err)
			}
			want := read(t, "plain."+name)
			if len(file.Plain) != len(want.Values) {
				t.Fatalf("%d documents, want %d", len(file.Plain), len(want.Values))
			}
			for i, v := range file.Plain {
				if got, want := string(yaml.Marshal(v)), string(yaml.Marshal(want.Values[i])); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				if v.Position() != source.Values[i].Position() {
					t.Error("the position is lost")
				}
			}
		})
	}
}

func TestSecondRecipient(t *testing.T) {
	if _, err := sops.Open(read(t, "two.yaml"), identities(t, "second")); err != nil {
		t.Error(err)
	}
}

func TestAgeFiles(t *testing.T) {
	for _, name := range []string{"some.yaml.age", "armored.yaml.age"} {
		text, err := os.ReadFile(filepath.Join("testdata", "real", name))
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := identities(t, "first").Decrypt(name, text); err != nil || !strings.Contains(string(plain), "c2VzYW1l") {
			t.Errorf("%s: %q, %v", name, plain, err)
		}
		for who, of := range map[string]*sops.Identities{"none": nil, "another": identities(t, "other")} {
			if _, err := of.Decrypt(name, text); dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Errorf("%s with %s: %v", name, who, err)
			}
		}
		for _, end := range []int{len(text) / 2, len(text) - 60} {
			if plain, err := identities(t, "first").Decrypt(name, text[:end]); err == nil {
				t.Errorf("%s, truncated, is %q", name, plain)
			}
		}
	}
}

// TestRewrite changes, adds and removes values of real files: what stays keeps its ciphertext, and the result opens again.
func TestRewrite(t *testing.T) {
	for _, name := range realFiles {
		if name == "many.yaml" || name == "two.yaml" || filepath.Ext(name) == ".json" {
			continue // of which Rewrite does not write
		}
		t.Run(name, func(t *testing.T) {
			source := read(t, name)
			file, err := sops.Open(source, identities(t, "first"))
			if err != nil {
				t.Fatal(err)
			}
			to := file.Plain[0].Clone()
			to.Set("added", value.NewMap(value.Member{Name: "data", Value: value.NewString("new-sesame")}))
			sealed, err := file.Seal(name, to)
			if err != nil {
				t.Fatal(err)
			}
			text := yaml.Rewrite(source.Text, sealed)
			now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
			metadata, err := file.Sign(parsed(t, name, text), now)
			if err != nil {
				t.Fatal(err)
			}
			sealed.Set(sops.Member, metadata)
			text = yaml.Rewrite(text, sealed)
			again, err := sops.Open(parsed(t, name, text), identities(t, "first"))
			if err != nil {
				t.Fatalf("%v of\n%s", err, text)
			}
			if !value.Equal(again.Plain[0], to) {
				t.Errorf("got %s", again.Plain[0].JSON())
			}
			lines := strings.Split(string(source.Text), "\n")
			changed := 0
			for _, line := range lines {
				if !strings.Contains(string(text), line+"\n") && line != "" {
					changed++
				}
			}
			if changed > 3 { // the MAC, its time, and a comment in a list
				t.Errorf("%d lines changed of\n%s", changed, text)
			}
		})
	}
}
