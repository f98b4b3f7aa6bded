package sops

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// Member is the member of a file that has the metadata.
const Member = "sops"

// Is reports whether a value is one that SOPS encrypted, with its metadata.
func Is(v *value.Value) bool {
	return v != nil && v.Kind == value.Map && (v.At(Member, "mac") != nil || v.At(Member, "lastmodified") != nil)
}

// kinds are the members that name recipients, and what these are.
var kinds = []struct{ member, name string }{{"age", "age"}, {"pgp", "PGP"}, {"kms", "AWS KMS"}, {"gcp_kms", "GCP KMS"}, {"hckms", "Huawei Cloud KMS"},
	{"azure_kv", "Azure Key Vault"}, {"hc_vault", "HashiCorp Vault"}}

// Recipients names the kinds of keys that open a file that SOPS encrypted.
func Recipients(v *value.Value) string { return kindsIn(v.Get(Member)) }

func kindsIn(metadata *value.Value) string {
	var names []string
	for _, kind := range kinds {
		if of := metadata.Get(kind.member); of != nil && len(of.Items) > 0 {
			names = append(names, kind.name)
		}
	}
	if names == nil {
		return "keys that it does not name"
	}
	return strings.Join(names, " and ")
}

// Metadata are what a file says of how it is encrypted.
type Metadata struct {
	of         *value.Value
	at         dovetail.Position
	keys       []string // the data key, encrypted by age for each recipient
	recipients []string
	mac        string
	macAt      dovetail.Position
	modified   string // with the MAC, which is bound to it
	onlyOwn    bool   // the MAC is over encrypted values only
	encrypts   func(path []string) bool
	otherKeys  string
}

// maxRecipients bounds the work of opening a data key.
const maxRecipients = 1000

// ReadMetadata reads the metadata of a file. What is not understood is refused, since it would not be known which values are encrypted.
func ReadMetadata(file string, v *value.Value) (*Metadata, error) {
	var errs dovetail.Errors
	d := decode.Decoder{File: file, Errors: &errs}
	f := d.Root(v.Get(Member), "the metadata of SOPS", "/"+Member)
	m := &Metadata{of: v.Get(Member), at: f.Position()}
	known := []string{"lastmodified", "mac", "version", "mac_only_encrypted", "key_groups", "shamir_threshold"}
	for _, kind := range kinds {
		known = append(known, kind.member)
	}
	for _, rule := range rules {
		known = append(known, rule.member)
	}
	if f.Map(known...) {
		m.read(f)
	}
	if err := errs.Err("the metadata of SOPS cannot be used"); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Metadata) read(f decode.Field) {
	m.modified, m.mac = f.Get("lastmodified").Text(), f.Get("mac").Text()
	m.macAt = f.Get("mac").Position()
	if modified, err := time.Parse(time.RFC3339, m.modified); err != nil {
		f.Get("lastmodified").Fail("restore it: the MAC is bound to it", "this is no time")
	} else {
		m.modified = modified.Format(time.RFC3339) // as SOPS binds it
	}
	if of := f.Get("mac_only_encrypted"); !of.IsMissing() {
		m.onlyOwn = of.Bool()
	}
	keys := f
	if groups := f.Get("key_groups").Items("a key group"); len(groups) > 1 {
		f.Get("key_groups").Fail("encrypt it with one group of keys", "the data key is divided among %d key groups (Shamir), which is not supported", len(groups))
		return
	} else if len(groups) == 1 {
		keys = groups[0]
	}
	recipients := keys.Get("age").Items("a recipient")
	if len(recipients) > maxRecipients {
		keys.Get("age").Fail("encrypt it for fewer", "there are %d recipients, more than %d", len(recipients), maxRecipients)
		return
	}
	for _, r := range recipients {
		if r.Map("recipient", "enc") {
			m.keys, m.recipients = append(m.keys, r.Get("enc").Text()), append(m.recipients, r.Get("recipient").Text())
		}
	}
	m.otherKeys = kindsIn(keys.Value)
	m.readRules(f)
}

// rules say which values are encrypted, by the names that lead to them. A file has one of them.
var rules = []struct {
	member    string
	encrypted bool // what it matches is encrypted, and not the rest
	suffix    bool
	comments  bool // it is about comments, which are no values
}{
	{member: "unencrypted_suffix", suffix: true}, {member: "encrypted_suffix", suffix: true, encrypted: true},
	{member: "unencrypted_regex"}, {member: "encrypted_regex", encrypted: true},
	{member: "unencrypted_comment_regex", comments: true}, {member: "encrypted_comment_regex", comments: true},
}

// defaultSuffix is that of members that are not encrypted where the metadata have no rule.
const defaultSuffix = "_unencrypted"

func (m *Metadata) readRules(f decode.Field) {
	m.encrypts = func(path []string) bool { return !slices.ContainsFunc(path, hasSuffix(defaultSuffix)) }
	first := ""
	for _, rule := range rules {
		of := f.Get(rule.member)
		text := of.OptionalText()
		switch {
		case text == "":
			continue
		case first != "":
			of.Fail("remove one of the two, and encrypt the file again", "there is %s, too: a file has one rule", first)
		case rule.comments:
			of.Fail("choose the values by encrypted_regex, encrypted_suffix or the like", "values that are chosen by their comments are not supported")
		}
		first = rule.member
		matches := hasSuffix(text)
		if !rule.suffix {
			pattern, err := regexp.Compile(text)
			if err != nil { // of which SOPS says that it matches nothing
				of.Fail("correct it, and encrypt the file again", "this is no regular expression")
				continue
			}
			matches = pattern.MatchString
		}
		m.encrypts = func(path []string) bool { return slices.ContainsFunc(path, matches) == rule.encrypted }
	}
}

func hasSuffix(suffix string) func(string) bool {
	return func(name string) bool { return strings.HasSuffix(name, suffix) }
}

// Unlock opens the data key with the identities.
func (m *Metadata) Unlock(identities *Identities) (*Key, error) {
	fail := func(message, remedy string) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Position: m.at, Message: message, Remedy: remedy}
	}
	switch {
	case len(m.keys) == 0:
		return nil, fail("the file is encrypted with SOPS for "+m.otherKeys+", and not for age", "add a recipient of age to it: `sops rotate --in-place --add-age age1... FILE`")
	case !identities.Any():
		return nil, noIdentity(m.at, "the file is encrypted with SOPS for age, and there is no identity to open it")
	}
	for _, enc := range m.keys {
		plain, err := identities.decrypt([]byte(enc))
		if err != nil {
			continue
		}
		if len(plain) != keySize {
			return nil, fail(fmt.Sprintf("the data key has %d bytes, and not %d", len(plain), keySize), "restore the file")
		}
		return &Key{metadata: m, data: plain}, nil
	}
	return nil, fail(fmt.Sprintf("the file is encrypted with SOPS for %d recipients of age, and none of the identities is one of them", len(m.keys)),
		"give an identity that it is encrypted for, or let one of its recipients add yours: `sops rotate --in-place --add-age age1... FILE`")
}
