package sops

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Identities are secret keys of age. The zero value has none. They are not changed any more, so that any number of goroutines may use them.
type Identities struct{ all []age.Identity }

// IsIdentity reports whether a line of a file of keys is to be an identity of age.
func IsIdentity(line string) bool {
	return strings.HasPrefix(line, "AGE-SECRET-KEY-") || strings.HasPrefix(line, "AGE-PLUGIN-")
}

// ParseIdentities reads identities as age-keygen writes them: one a line. Lines that are empty or begin with # count as absent. The errors show nothing of
// the text.
func ParseIdentities(file string, text []byte) (*Identities, error) {
	identities := new(Identities)
	var errs dovetail.Errors
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		errs.Join(identities.Add(dovetail.Position{File: file, Line: n}, line))
	}
	if lines.Err() != nil || errs.Total() == 0 && len(identities.all) == 0 {
		errs.Add(badIdentity(dovetail.Position{File: file, Line: 1}, "the file has no identity of age"))
	}
	if err := errs.Err("the identities cannot be read"); err != nil {
		return nil, err
	}
	return identities, nil
}

// Add reads one identity. It must not be called once others use the identities.
func (i *Identities) Add(at dovetail.Position, line string) error {
	switch {
	case strings.HasPrefix(line, "AGE-PLUGIN-"):
		return badIdentity(at, "the identity needs a plugin of age, which is not run")
	case strings.HasPrefix(line, "AGE-SECRET-KEY-PQ-"):
		return badIdentity(at, "the identity is a post-quantum one, which is not supported")
	}
	identity, err := age.ParseX25519Identity(line)
	if err != nil { // whose text may have the key
		return badIdentity(at, "the line is no identity of age")
	}
	i.all = append(i.all, identity)
	return nil
}

func badIdentity(at dovetail.Position, message string) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: message, Remedy: "give lines that begin with AGE-SECRET-KEY-1, as age-keygen and `dovetail secrets keygen` write them"}
}

// Join returns the identities of both.
func (i *Identities) Join(other *Identities) *Identities {
	all := new(Identities)
	for _, of := range []*Identities{i, other} {
		if of != nil {
			all.all = append(all.all, of.all...)
		}
	}
	return all
}

// Any reports whether there is one.
func (i *Identities) Any() bool { return i != nil && len(i.all) > 0 }

// String shows no key.
func (i *Identities) String() string { return "identities" }

// maxFile bounds what an encrypted file may hold.
const maxFile = 64 << 20

// binaryHeader begins a file of age that is not armored.
const binaryHeader = "age-encryption.org/v1\n"

// IsAge reports whether a text is a file that age encrypted, armored or not.
func IsAge(text []byte) bool {
	return bytes.HasPrefix(text, []byte(binaryHeader)) || bytes.HasPrefix(bytes.TrimSpace(text), []byte(armor.Header))
}

// Decrypt opens a file of age.
func (i *Identities) Decrypt(file string, text []byte) ([]byte, error) {
	fail := func(message, remedy string) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file, Line: 1}, Message: message, Remedy: remedy}
	}
	switch {
	case !IsAge(text):
		return nil, fail("the file is not encrypted with age", "encrypt it, or give it another name: .age is for files of age")
	case !i.Any():
		return nil, noIdentity(dovetail.Position{File: file, Line: 1}, "the file is encrypted with age, and there is no identity to open it")
	}
	plain, err := i.decrypt(text)
	var missing *age.NoIdentityMatchError
	switch {
	case errors.As(err, &missing):
		return nil, fail("the file is encrypted with age, and none of the identities opens it", "give an identity that it is encrypted for")
	case err != nil:
		return nil, fail("the file of age is damaged", "restore it, or encrypt it again")
	}
	return plain, nil
}

// ErrNoIdentity is the cause of errors where no identity was given.
var ErrNoIdentity = errors.New("no identity of age was given")

func noIdentity(at dovetail.Position, message string) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: message, Remedy: "give a file of identities with --age-key-file, or in SOPS_AGE_KEY_FILE", Err: ErrNoIdentity}
}

// decrypt opens a text of age, armored or not.
func (i *Identities) decrypt(text []byte) ([]byte, error) {
	var from io.Reader = bytes.NewReader(text)
	if !bytes.HasPrefix(text, []byte(binaryHeader)) {
		from = armor.NewReader(from)
	}
	opened, err := age.Decrypt(from, i.all...)
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(opened, maxFile+1))
	if err == nil && len(plain) > maxFile {
		err = errors.New("too large")
	}
	return plain, err
}
