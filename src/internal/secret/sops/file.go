package sops

import (
	"bytes"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"hash"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Source is a file as it was read.
type Source struct {
	Name   string
	Text   []byte
	Values []*value.Value // of the text; the first one has the metadata
	// Unordered says that the values are not in the order of the file any more, so that the MAC cannot be checked: each value is proven by itself.
	Unordered bool
}

// File is one that was opened.
type File struct {
	Plain []*value.Value // in plaintext and without the metadata, at the same places

	key *Key
	had map[string][]string // the encrypted values, in their order, by what they are in plaintext and are bound to
}

// Open opens a file whose first value Is says of that SOPS encrypted it. It returns an error unless each value that has to be encrypted is, is
// where it was encrypted, and the MAC over all of them is right.
func Open(source Source, identities *Identities) (*File, error) {
	metadata, err := ReadMetadata(source.Name, source.Values[0])
	if err != nil {
		return nil, err
	}
	key, err := metadata.Unlock(identities)
	if err != nil {
		return nil, err
	}
	f := &File{key: key, had: make(map[string][]string)}
	w := key.walk(source)
	w.leaf = func(v *value.Value, path []string) (*value.Value, error) {
		plain, err := key.Open(v.Text, path)
		if err == nil {
			plain.Place = v.Place
			is := identity(plain, path)
			f.had[is] = append(f.had[is], v.Text)
		}
		return plain, err
	}
	f.Plain, err = w.run()
	if err != nil {
		return nil, err
	}
	if source.Unordered {
		return f, nil
	}
	mac, _, err := key.open(metadata.mac, []byte(metadata.modified))
	if err != nil || subtle.ConstantTimeCompare([]byte(strings.ToUpper(mac)), []byte(w.sum())) != 1 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: metadata.macAt, Message: "the MAC of SOPS is not that of the file: something in it was changed, removed or moved",
			Remedy: "restore the file, or, if you made the change, repair it with `sops edit --ignore-mac`"}
	}
	return f, nil
}

// OpenKey opens only the data key of a file, of whose values none are at hand: those that Seal gets are proven there.
func OpenKey(name string, v *value.Value, identities *Identities) (*File, error) {
	metadata, err := ReadMetadata(name, v)
	if err != nil {
		return nil, err
	}
	key, err := metadata.Unlock(identities)
	if err != nil {
		return nil, err
	}
	return &File{key: key}, nil
}

// identity tells values in plaintext apart that are bound to different places, or are of different types.
func identity(plain *value.Value, path []string) string {
	return string(bound(path)) + "\x00" + kindOf(plain) + "\x00" + plain.Text
}

// Seal returns changed content, in plaintext or with encrypted values of the file, with all values encrypted that have to be, and with the
// metadata as they were. What is in plaintext as it was at the same names keeps its ciphertext. Sign has to follow.
func (f *File) Seal(name string, to *value.Value) (*value.Value, error) {
	w := f.key.walk(Source{Name: name, Values: []*value.Value{to}})
	w.clear = true
	used := make(map[string]int)
	w.leaf = func(v *value.Value, path []string) (*value.Value, error) {
		if v.Kind == value.String && IsValue(v.Text) {
			_, err := f.key.Open(v.Text, path)
			if errors.Is(err, errComment) {
				err = nil
			}
			return v, err
		}
		is := identity(v, path)
		if had := f.had[is]; used[is] < len(had) {
			used[is]++
			return &value.Value{Kind: value.String, Text: had[used[is]-1], Place: v.Place}, nil
		}
		text, err := f.key.seal(v, path)
		if err != nil {
			return nil, err
		}
		return &value.Value{Kind: value.String, Text: text, Place: v.Place}, nil
	}
	sealed, err := w.run()
	if err != nil {
		return nil, err
	}
	sealed[0].Set(Member, f.key.metadata.of)
	return sealed[0], nil
}

// Sign returns the metadata of the file for a text that Seal made the content of, with the MAC over what is in it now.
func (f *File) Sign(source Source, now time.Time) (*value.Value, error) {
	w := f.key.walk(source)
	w.leaf = func(v *value.Value, path []string) (*value.Value, error) { return f.key.Open(v.Text, path) }
	if _, err := w.run(); err != nil {
		return nil, err
	}
	modified := now.UTC().Format(time.RFC3339)
	mac, err := f.key.sealText(w.sum(), "str", []byte(modified))
	if err != nil {
		return nil, err
	}
	metadata := f.key.metadata.of.Clone()
	metadata.Set("lastmodified", value.NewString(modified))
	metadata.Set("mac", value.NewString(mac))
	return metadata, nil
}

// comment stands for an item of a list that is a comment, which does not count in the MAC.
var comment = new(value.Value)

// walker goes through the values of a file in their order, and makes others of them.
type walker struct {
	Source

	key   *Key
	clear bool // values may be in plaintext
	leaf  func(v *value.Value, path []string) (*value.Value, error)
	mac   hash.Hash
	errs  dovetail.Errors
}

// onlyOwnBegin begins the MAC over encrypted values only, so that it is never that over all.
var onlyOwnBegin, _ = hex.DecodeString("8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69")

func (k *Key) walk(source Source) *walker {
	w := &walker{Source: source, key: k, mac: sha512.New()}
	if k.metadata.onlyOwn {
		_, _ = w.mac.Write(onlyOwnBegin) // a hash takes everything
	}
	return w
}

func (w *walker) sum() string { return strings.ToUpper(hex.EncodeToString(w.mac.Sum(nil))) }

func (w *walker) run() ([]*value.Value, error) {
	made := make([]*value.Value, len(w.Values))
	for i, v := range w.Values {
		if v.Get(Member) != nil { // each document has it
			c := *v
			c.Members = append([]value.Member(nil), v.Members...)
			c.Delete(Member)
			v = &c
		}
		if v.Kind != value.Map && v.Kind != value.Null {
			w.fail(v, nil, "a file that SOPS encrypts has maps only", "encrypt a map")
			continue
		}
		made[i] = w.value(v, nil)
	}
	return made, w.errs.Err("the file cannot be decrypted")
}

func (w *walker) fail(v *value.Value, path []string, message, remedy string) {
	at := v.In(w.Name)
	if path != nil {
		at.Path = value.Pointer(path...)
	}
	w.errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: message, Remedy: remedy})
}

func (w *walker) value(v *value.Value, path []string) *value.Value {
	made := *v
	switch v.Kind {
	case value.Map:
		made.Members = make([]value.Member, len(v.Members))
		for i, m := range v.Members {
			at := append(slices.Clone(path), m.Name)
			of := w.value(m.Value, at)
			if of == comment {
				w.fail(m.Value, at, "the value cannot be decrypted: "+errComment.Error(), "restore the file, or encrypt it again")
			}
			made.Members[i], made.Members[i].Value = m, of
		}
	case value.List:
		made.Items = nil
		for _, item := range v.Items {
			if of := w.value(item, path); of != comment {
				made.Items = append(made.Items, of)
			}
		}
	case value.String, value.Number, value.Bool:
		return w.scalar(v, path)
	case value.Null: // which is not encrypted, and does not count
	}
	return &made
}

func (w *walker) scalar(v *value.Value, path []string) *value.Value {
	encrypted := w.key.metadata.encrypts(path)
	made := v
	switch {
	case !encrypted && v.Kind == value.String && IsValue(v.Text):
		w.fail(v, path, "the value is encrypted, and the metadata of SOPS say that it is not", "restore the file, or encrypt it again")
		return v
	case encrypted && !w.clear && v.Kind != value.String:
		w.fail(v, path, "the value cannot be decrypted: "+errForm.Error(), "encrypt the file again: `sops edit` does it")
		return v
	case encrypted && (w.clear || v.Text != ""):
		var err error
		if made, err = w.leaf(v, path); errors.Is(err, errComment) {
			return comment
		}
		if err != nil {
			w.fail(v, path, "the value cannot be decrypted: "+err.Error(), "restore the file, or encrypt it again")
			return v
		}
	}
	if w.clear || w.key.metadata.onlyOwn && !encrypted {
		return made
	}
	text, err := canonical(made)
	if err != nil {
		w.fail(v, path, err.Error(), "write it as a text, in quotes")
	}
	if t, is := w.isTime(v); is && !encrypted {
		text = t
	}
	_, _ = w.mac.Write([]byte(text))
	return made
}

// timeForms are those of plain times in YAML.
var timeForms = []string{"2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2"}

// isTime reports whether a text is a time without quotes, for which SOPS counts its long form.
func (w *walker) isTime(v *value.Value) (string, bool) {
	if v.Kind != value.String || len(v.Text) < len("2006-1-2") || v.Text[4] != '-' || v.Line == 0 {
		return "", false
	}
	for _, form := range timeForms {
		t, err := time.Parse(form, v.Text)
		if err != nil {
			continue
		}
		text, err := t.MarshalText()
		return string(text), err == nil && w.isPlain(v)
	}
	return "", false
}

// isPlain reports whether a text stands without quotes where it was read.
func (w *walker) isPlain(v *value.Value) bool {
	rest := w.Text
	for range v.Line - 1 {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	at := int(v.Column) - 1
	return at < len(rest) && bytes.HasPrefix(rest[at:], []byte(v.Text))
}

// Stray refuses encrypted values in a file that has no metadata to decrypt them with.
func Stray(name string, values []*value.Value) error {
	w := walker{Source: Source{Name: name}}
	for _, v := range values {
		w.stray(v, nil)
	}
	return w.errs.Err("the file has encrypted values")
}

func (w *walker) stray(v *value.Value, path []string) {
	for _, m := range v.Members {
		w.stray(m.Value, append(path[:len(path):len(path)], m.Name))
	}
	for _, item := range v.Items {
		w.stray(item, path)
	}
	if v.Kind == value.String && IsValue(v.Text) {
		w.fail(v, path, "the value is encrypted with SOPS, and the file has no metadata of SOPS", "give the file as SOPS wrote it, with its member sops")
	}
}
