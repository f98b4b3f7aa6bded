package sops

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/value"
)

// The sizes of AES-256-GCM as SOPS uses it.
const (
	keySize   = 32
	nonceSize = 32
)

// Key opens and makes the encrypted values of a file.
type Key struct {
	metadata *Metadata
	data     []byte
}

// String shows no key.
func (k *Key) String() string { return "key" }

// token is the form of an encrypted value.
var token = regexp.MustCompile(`^ENC\[AES256_GCM,data:([^,]+),iv:([^,]+),tag:([^,]+),type:([a-z]+)\]$`)

// IsValue reports whether a text is an encrypted value.
func IsValue(text string) bool { return token.MatchString(text) }

var (
	errForm   = errors.New("it is not encrypted, although the metadata of SOPS say that it is")
	errOpened = errors.New("it was changed, moved from another place, or is of another file")
	errKind   = errors.New("it is of a type that is not known")
	// errComment says that a value is a comment, which SOPS makes an item of its list.
	errComment = errors.New("it is a comment")
)

// bound is what a value is bound to: the names that lead to it. Items of a list have none.
func bound(path []string) []byte { return []byte(strings.Join(path, ":") + ":") }

func (k *Key) gcm(nonce int) (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.data)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithNonceSize(block, nonce)
}

// open returns the text of an encrypted value, and its type.
func (k *Key) open(text string, additional []byte) (plain, kind string, err error) {
	parts := token.FindStringSubmatch(text)
	if parts == nil {
		return "", "", errForm
	}
	var decoded [3][]byte
	for i := range decoded {
		if decoded[i], err = base64.StdEncoding.DecodeString(parts[1+i]); err != nil {
			return "", "", errOpened
		}
	}
	data, iv, tag := decoded[0], decoded[1], decoded[2]
	if len(tag) != aes.BlockSize || len(iv) == 0 || len(iv) > 1024 {
		return "", "", errOpened
	}
	gcm, err := k.gcm(len(iv))
	if err != nil {
		return "", "", err
	}
	opened, err := gcm.Open(nil, iv, append(data, tag...), additional)
	if err != nil {
		return "", "", errOpened
	}
	return string(opened), parts[4], nil
}

// Open returns an encrypted value as it is in plaintext. The error says nothing of the value.
func (k *Key) Open(text string, path []string) (*value.Value, error) {
	plain, kind, err := k.open(text, bound(path))
	if err != nil {
		return nil, err
	}
	switch kind {
	case "str", "bytes":
		return value.NewString(plain), nil
	case "int":
		n, err := strconv.ParseInt(plain, 10, 64)
		if err != nil {
			return nil, errKind
		}
		return value.NewNumber(n), nil
	case "float":
		f, err := strconv.ParseFloat(plain, 64)
		if err != nil {
			return nil, errKind
		}
		v := value.NewNumber(0)
		if v.Text = strconv.FormatFloat(f, 'f', -1, 64); strings.Trim(v.Text, "-.0123456789") != "" {
			return nil, errKind // infinite, which no JSON number is
		}
		return v, nil
	case "bool":
		b, err := strconv.ParseBool(plain)
		if err != nil {
			return nil, errKind
		}
		return &value.Value{Kind: value.Bool, Text: strconv.FormatBool(b)}, nil
	case "time":
		var t time.Time
		if err := t.UnmarshalText([]byte(plain)); err != nil {
			return nil, errKind
		}
		return value.NewString(plain), nil
	case "comment":
		return nil, errComment
	}
	return nil, errKind
}

// seal encrypts a value in plaintext.
func (k *Key) seal(v *value.Value, path []string) (string, error) {
	if v.Kind == value.String && v.Text == "" {
		return "", nil // which SOPS leaves as it is
	}
	plain, err := canonical(v)
	if err != nil {
		return "", err
	}
	if v.Kind == value.Number && !value.Equal(v, &value.Value{Kind: value.Number, Text: plain}) {
		return "", errDigits
	}
	return k.sealText(plain, kindOf(v), bound(path))
}

func (k *Key) sealText(plain, kind string, additional []byte) (string, error) {
	iv := make([]byte, nonceSize)
	_, _ = rand.Read(iv) // never fails
	gcm, err := k.gcm(nonceSize)
	if err != nil {
		return "", err
	}
	out := gcm.Seal(nil, iv, []byte(plain), additional)
	data, tag := out[:len(out)-aes.BlockSize], out[len(out)-aes.BlockSize:]
	encode := base64.StdEncoding.EncodeToString
	return "ENC[AES256_GCM,data:" + encode(data) + ",iv:" + encode(iv) + ",tag:" + encode(tag) + ",type:" + kind + "]", nil
}

func kindOf(v *value.Value) string {
	switch {
	case v.Kind == value.Bool:
		return "bool"
	case v.Kind == value.Number && isInteger(v):
		return "int"
	case v.Kind == value.Number:
		return "float"
	}
	return "str"
}

func isInteger(v *value.Value) bool {
	_, err := strconv.ParseInt(v.Text, 10, 64)
	return err == nil
}

var errDigits = errors.New("the number has more digits than SOPS keeps")

// canonical is the text of a scalar in plaintext that SOPS encrypts, and that counts in the MAC.
func canonical(v *value.Value) (string, error) {
	switch v.Kind {
	case value.Bool:
		if v.Text == "true" {
			return "True", nil
		}
		return "False", nil
	case value.Number:
		if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			return strconv.FormatInt(n, 10), nil
		}
		f, err := strconv.ParseFloat(v.Text, 64)
		if err != nil {
			return "", errDigits
		}
		return strconv.FormatFloat(f, 'f', -1, 64), nil
	case value.String, value.Null, value.List, value.Map:
	}
	return v.Text, nil
}
