package rendering

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	policyMember    = "storagePolicy"
	policyEncrypted = "encrypted"
)

// storagePolicy reads how the data is kept. Documents that do not say it are kept in plaintext.
func storagePolicy(d *Document, f decode.Field) {
	text := f.OptionalText()
	d.Encrypted = text == policyEncrypted
	if !d.Encrypted && text != "" && text != "cleartext" {
		f.FailChoice([]string{"cleartext", policyEncrypted}, "write cleartext or encrypted", "there is no storage policy %s", short(text))
	}
}

// misplacedPolicy refuses a storage policy below a member of metadata: indented wrongly it would have no effect, and the data
// would be kept in plaintext.
func misplacedPolicy(f decode.Field) {
	for name, member := range f.All() {
		if looksLike(name, policyMember) {
			member.Fail("indent it as the members of metadata", "the storagePolicy stands among the %s", f.Name())
		}
		misplacedPolicy(member)
	}
	if f.Kind() == value.List {
		for _, item := range f.List(f.Name()) {
			misplacedPolicy(item)
		}
	}
}

// brokenPolicy refuses, where members that are not known are accepted, those that may have been a storage policy: its name
// wherever it stands but in metadata, its value under another name, and both in one name, as "storagePolicy:encrypted" is in YAML.
func brokenPolicy(f decode.Field, known []string) {
	for name, member := range f.All() {
		if !slices.ContainsFunc(known, func(k string) bool { return name == k || looksLike(name, k) }) && mayBePolicy(name, member.Value) {
			member.Fail("write storagePolicy: encrypted in metadata, or choose another name and value", "the member %s may be a misspelt storagePolicy", short(name))
		}
	}
}

func mayBePolicy(name string, v *value.Value) bool {
	text, _ := v.Str()
	lower := strings.ToLower(name)
	return looksLike(name, policyMember) || strings.EqualFold(text, policyEncrypted) ||
		strings.Contains(lower, policyEncrypted) || strings.Contains(lower, strings.ToLower(policyMember))
}
