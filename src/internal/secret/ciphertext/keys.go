package ciphertext

import (
	"crypto/aes"
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

// Keys open encrypted values. The zero value opens none. They are not changed any more, so that any number of
// goroutines may use them.
type Keys struct {
	fernet     []fernetKey
	identities sops.Identities // of age, for files that SOPS encrypted
}

// keyName is the variable by which EnvGene takes its key; it may stand before a key.
const keyName = "SECRET_KEY"

// ReadKeys reads a file as ParseKeys does.
func ReadKeys(file string) (*Keys, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file}, Message: "the file of credential keys cannot be read",
			Remedy: "check its name and its permissions", Err: err}
	}
	return ParseKeys(file, data)
}

// ParseKeys reads a file of keys: one a line, a Fernet key (32 bytes in URL-safe base64), alone or after SECRET_KEY=, or an identity of age, for files that SOPS
// encrypted. Lines that are empty or begin with # count as absent. The first Fernet key encrypts single values, each opens. The error shows nothing of the file.
func ParseKeys(file string, data []byte) (*Keys, error) {
	keys := new(Keys)
	var errs dovetail.Errors
	for i, line := range strings.Split(string(data), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if rest, ok := strings.CutPrefix(line, keyName+"="); ok {
			line = strings.Trim(strings.TrimSpace(rest), `"'`)
		}
		if sops.IsIdentity(line) {
			errs.Join(keys.identities.Add(dovetail.Position{File: file, Line: i + 1}, line))
			continue
		}
		if key, ok := parseFernetKey(line); ok {
			keys.fernet = append(keys.fernet, key)
			continue
		}
		errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file, Line: i + 1},
			Message: "the line is no key", Remedy: "write a Fernet key, 32 bytes in URL-safe base64, or an identity of age, AGE-SECRET-KEY-1..."})
	}
	if errs.Total() == 0 && len(keys.fernet) == 0 && !keys.identities.Any() {
		errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file, Line: 1}, Message: "the file has no key", Remedy: "write one a line"})
	}
	if err := errs.Err("the keys cannot be read"); err != nil {
		return nil, err
	}
	return keys, nil
}

// Join returns the keys of all, nil if there are none. The first Fernet key of the first that has one encrypts.
func Join(all ...*Keys) *Keys {
	var joined *Keys
	for _, keys := range all {
		if keys == nil {
			continue
		}
		if joined == nil {
			joined = new(Keys)
		}
		joined.fernet = append(joined.fernet, keys.fernet...)
		joined.identities = *joined.identities.Join(&keys.identities)
	}
	return joined
}

// String shows no key.
func (k *Keys) String() string { return "keys" }

// OpenFile returns the content in plaintext of a file of YAML that SOPS encrypted.
func (k *Keys) OpenFile(name string, text []byte) (*value.Value, error) {
	return k.openFile(sops.Source{Name: name, Text: text})
}

// OpenUnordered is OpenFile of a text whose members are not in the order of the file that SOPS wrote, as when it is made of documents: each value is proven, but not
// that all are there.
func (k *Keys) OpenUnordered(name string, text []byte) (*value.Value, error) {
	return k.openFile(sops.Source{Name: name, Text: text, Unordered: true})
}

// OpenMember returns a member in plaintext of a file that SOPS encrypted, of which only this member and the metadata are at hand: each value is proven. The error is that of the
// first of them.
func (k *Keys) OpenMember(name string, member, metadata *value.Value) (*value.Value, error) {
	file := value.NewMap(value.Member{Name: name, Value: member}, value.Member{Name: sops.Member, Value: metadata})
	opened, err := sops.Open(sops.Source{Values: []*value.Value{file}, Unordered: true}, k.Identities())
	if err != nil {
		if e := dovetail.AsError(err); len(e.Errors) > 0 {
			return nil, e.Errors[0]
		}
		return nil, err
	}
	return opened.Plain[0].Get(name), nil
}

func (k *Keys) openFile(source sops.Source) (*value.Value, error) {
	var err error
	if source.Values, err = yaml.Parse(source.Name, source.Text, value.Limits{}); err != nil {
		return nil, err
	}
	if len(source.Values) != 1 || !sops.Is(source.Values[0]) {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: source.Name, Line: 1}, Message: "the file is not one map that SOPS encrypted", Remedy: "encrypt it with SOPS"}
	}
	opened, err := sops.Open(source, k.Identities())
	if err != nil {
		return nil, err
	}
	return opened.Plain[0], nil
}

// Identities are those of age among the keys.
func (k *Keys) Identities() *sops.Identities {
	if k == nil {
		return nil
	}
	return &k.identities
}

// CanEncrypt reports whether there is a key that may encrypt: single values, or those of a file that SOPS encrypted and that it opens.
func (k *Keys) CanEncrypt() bool { return k.CanSeal() || k.Identities().Any() }

// CanSeal reports whether there is a key that encrypts single values.
func (k *Keys) CanSeal() bool { return k != nil && len(k.fernet) > 0 }

// Open returns the plain text of a single encrypted value, and a text that is not encrypted as it is. What SOPS encrypted can
// be opened only with its file. The error says what is missing, and nothing of the text.
func (k *Keys) Open(text string) (string, error) {
	switch Scheme(text) {
	case "":
		return text, nil
	case "Fernet":
	case "SOPS":
		return "", errors.New("it is encrypted with SOPS, and can be opened only in its file")
	default:
		return "", errors.New("it is encrypted in a way that is not known: only Fernet and SOPS are")
	}
	if !k.CanSeal() {
		return "", errors.New("it is encrypted with Fernet, and there is no key for it")
	}
	token := strings.TrimPrefix(text, FernetMark)
	for _, key := range k.fernet {
		if plain, err := key.open(token); err == nil {
			return string(plain), nil
		}
	}
	return "", errors.New("it is encrypted with Fernet, and no key that was given opens it")
}

// Seal encrypts a single value with the first Fernet key. It must not be called unless CanSeal says so.
func (k *Keys) Seal(plain string) string {
	var iv [aes.BlockSize]byte
	_, _ = rand.Read(iv[:]) // never fails
	return FernetMark + k.fernet[0].seal([]byte(plain), time.Now(), iv)
}
