package sops_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	theirs "github.com/getsops/sops/v3"
	"github.com/getsops/sops/v3/aes"
	"github.com/getsops/sops/v3/age"
	"github.com/getsops/sops/v3/cmd/sops/common"
	"github.com/getsops/sops/v3/cmd/sops/formats"
	"github.com/getsops/sops/v3/config"
	"github.com/getsops/sops/v3/decrypt"
	yamlstore "github.com/getsops/sops/v3/stores/yaml"
	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

const written = "../../src/internal/secret/sops/testdata/real/"

// key returns the text of a file of identities, and its recipient, and gives SOPS the first.
func key(t *testing.T) (*ciphertext.Keys, string) {
	t.Helper()
	text, err := os.ReadFile(written + "first.key")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SOPS_AGE_KEY", string(text))
	keys, err := ciphertext.ParseKeys("key", text)
	if err != nil {
		t.Fatal(err)
	}
	return keys, regexp.MustCompile(`age1\w+`).FindString(string(text))
}

// rule is one of those that say what is encrypted.
type rule func(*theirs.Metadata)

var rules = map[string]rule{
	"default":            func(m *theirs.Metadata) { m.UnencryptedSuffix = "_unencrypted" },
	"encrypted suffix":   func(m *theirs.Metadata) { m.EncryptedSuffix = "_s" },
	"encrypted regex":    func(m *theirs.Metadata) { m.EncryptedRegex = "^(a|pass.*)$" },
	"unencrypted regex":  func(m *theirs.Metadata) { m.UnencryptedRegex = "^(b|kind)$" },
	"mac only encrypted": func(m *theirs.Metadata) { m.EncryptedRegex, m.MACOnlyEncrypted = "^(a|c)$", true },
}

// encrypt is what SOPS makes of a text in plaintext.
func encrypt(t testing.TB, text []byte, recipient string, of rule) []byte {
	t.Helper()
	store := yamlstore.NewStore(&config.YAMLStoreConfig{})
	branches, err := store.LoadPlainFile(text)
	if err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	master, err := age.MasterKeyFromRecipient(recipient)
	if err != nil {
		t.Fatal(err)
	}
	tree := theirs.Tree{Branches: branches, Metadata: theirs.Metadata{KeyGroups: []theirs.KeyGroup{{master}}, Version: "3.13.3"}}
	of(&tree.Metadata)
	data, errs := tree.GenerateDataKey()
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if err := common.EncryptTree(common.EncryptTreeOpts{DataKey: data, Tree: &tree, Cipher: aes.NewCipher()}); err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	encrypted, err := store.EmitEncryptedFile(tree)
	if err != nil {
		t.Fatal(err)
	}
	return encrypted
}

// decrypted is what SOPS makes of a text that we wrote.
func decrypted(t testing.TB, text []byte) *value.Value {
	t.Helper()
	plain, err := decrypt.DataWithFormat(text, formats.Yaml)
	if err != nil {
		t.Fatalf("SOPS does not read it: %v\n%s", err, text)
	}
	return parse(t, plain)
}

func parse(t testing.TB, text []byte) *value.Value {
	t.Helper()
	values, err := yaml.Parse("f", text, value.Limits{})
	if err != nil || len(values) != 1 {
		t.Fatalf("%v of\n%s", err, text)
	}
	return values[0]
}

// tree is a random map.
func tree(depth int) *rapid.Generator[*value.Value] {
	names := rapid.SampledFrom([]string{"a", "b", "c", "password", "kind", "a_s", "b_unencrypted", "with space", "x:y", "ü"})
	// SOPS's library writes some texts as YAML that is none, or another one: such as << and what begins with spaces before a line break.
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "yes", "1", "1.50", "2020-01-02", "null", "a\nb\n", " x ", "# no comment", "ENC[x]", "true"}), rapid.StringN(1, 20, -1).Filter(func(s string) bool {
		return s != "<<" && !strings.ContainsFunc(s, func(r rune) bool {
			return r < ' ' || r == 0x7f || r == 0x85 || r == 0xfeff || r == 0x2028 || r == 0x2029 || r >= 0xfffe
		})
	}))
	scalar := rapid.Custom(func(t *rapid.T) *value.Value {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return value.NewNumber(rapid.Int64().Draw(t, "integer"))
		case 1:
			return &value.Value{Kind: value.Number, Text: rapid.SampledFrom([]string{"0.5", "-2.25", "1234.5678", "0.001"}).Draw(t, "float")}
		case 2:
			return &value.Value{Kind: value.Bool, Text: rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")}
		case 3:
			return &value.Value{Kind: value.Null}
		}
		return value.NewString(text.Draw(t, "text"))
	})
	return rapid.Custom(func(t *rapid.T) *value.Value {
		v := value.NewMap()
		for _, name := range rapid.SliceOfNDistinct(names, 1, 5, rapid.ID[string]).Draw(t, "names") {
			switch kind := rapid.IntRange(0, 3).Draw(t, "member"); {
			case depth > 0 && kind == 0:
				v.Set(name, tree(depth-1).Draw(t, "map"))
			case depth > 0 && kind == 1:
				v.Set(name, value.NewList(rapid.SliceOfN(rapid.OneOf(scalar, tree(depth-1)), 1, 4).Draw(t, "list")...))
			default:
				v.Set(name, scalar.Draw(t, "scalar"))
			}
		}
		return v
	})
}

// TestWeReadSOPS opens what SOPS made of random trees by each rule.
func TestWeReadSOPS(t *testing.T) {
	keys, recipient := key(t)
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				want := tree(3).Draw(r, "tree")
				encrypted := encrypt(t, yaml.Marshal(want), recipient, rules[name])
				got, err := keys.OpenFile("f", encrypted)
				if err != nil || !value.Equal(got, want) {
					r.Fatalf("%v: got %s, want %s of\n%s", err, got.JSON(), want.JSON(), encrypted)
				}
			})
		})
	}
}

// TestSOPSReadsChanges changes what SOPS wrote, and SOPS reads it.
func TestSOPSReadsChanges(t *testing.T) {
	keys, recipient := key(t)
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				before, want := tree(2).Draw(r, "before"), tree(2).Draw(r, "after")
				text := encrypt(t, yaml.Marshal(before), recipient, rules[name])
				file, err := sops.Open(sops.Source{Name: "f", Text: text, Values: []*value.Value{parse(t, text)}}, keys.Identities())
				if err != nil {
					r.Fatal(err)
				}
				sealed, err := file.Seal("f", want)
				if err != nil {
					r.Fatal(err)
				}
				written := yaml.Rewrite(text, sealed)
				metadata, err := file.Sign(sops.Source{Name: "f", Text: written, Values: []*value.Value{parse(t, written)}}, time.Now())
				if err != nil {
					r.Fatal(err)
				}
				sealed.Set(sops.Member, metadata)
				written = yaml.Rewrite(written, sealed)
				if got := decrypted(t, written); !value.Equal(got, want) {
					r.Fatalf("got %s, want %s of\n%s", got.JSON(), want.JSON(), written)
				}
			})
		})
	}
}

// TestSOPSReadsNewFiles lets SOPS read files that are new.
func TestSOPSReadsNewFiles(t *testing.T) {
	keys, _ := key(t)
	like, err := os.ReadFile(filepath.Join(written, "credentials.yml"))
	if err != nil {
		t.Fatal(err)
	}
	encrypter, err := keys.Encrypter("f", parse(t, like))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		want := tree(3).Draw(r, "tree")
		text, err := encrypter.Encrypt("f", yaml.Marshal(want), nil)
		if err != nil {
			r.Fatal(err)
		}
		if got := decrypted(t, text); !value.Equal(got, want) {
			r.Fatalf("got %s, want %s of\n%s", got.JSON(), want.JSON(), text)
		}
	})
}
