package access

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// The prefixes of names, one for each way to authenticate other than the tokens of the access policy file, so that no
// name of one way is that of a principal of another.
const (
	OIDCPrefix           = "oidc:"           // the default for an OpenID Connect provider
	CertificatePrefix    = "cert:"           // client certificates
	ServiceAccountPrefix = "serviceaccount:" // service accounts of a Kubernetes cluster
	ClusterPrefix        = "k8s:"            // other users of a cluster, and its groups
	KeystonePrefix       = "keystone:"       // users of OpenStack Keystone, and their roles
)

// reservedPrefixes are those that no token of the file may use.
var reservedPrefixes = []string{dovetail.SystemPrefix, OIDCPrefix, CertificatePrefix, ServiceAccountPrefix, ClusterPrefix, KeystonePrefix}

// reservedPrefix returns the reserved prefix that a name begins with, whatever its case; "" if there is none.
func reservedPrefix(name string, more ...string) string {
	for _, list := range [][]string{reservedPrefixes, more} {
		for _, prefix := range list {
			if prefix != "" && len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
				return prefix
			}
		}
	}
	return ""
}

// ReservedPrefix returns the prefix by which a name belongs to another way to authenticate than the tokens of the
// file; "" if there is none.
func ReservedPrefix(name string) string { return reservedPrefix(name) }

// maxName is the longest name of a principal or group, in bytes.
const maxName = 256

// CheckName says in words why a text cannot be the name of a principal or group, "" if it can. Names that look like
// others are refused: those with characters that do not show, that are not in their normal form (NFKC), or that mix
// letters of alphabets which share shapes.
func CheckName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxName:
		return "is longer than 256 bytes"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case name == Any:
		return "is *, which stands for every user"
	case strings.TrimSpace(name) != name:
		return "begins or ends with a space"
	}
	for _, r := range name {
		if !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800' {
			return "contains a control or invisible character"
		}
	}
	if !norm.NFKC.IsNormalString(name) {
		return "is not in Unicode normal form NFKC, so that it looks like another name"
	}
	if mixesAlphabets(name) {
		return "mixes letters of several alphabets in one word, so that it looks like another name"
	}
	return ""
}

// alphabets share shapes: а is Cyrillic, a Latin.
var alphabets = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Cherokee, unicode.Coptic}

func mixesAlphabets(name string) bool {
	var word *unicode.RangeTable // of the letters of the word so far
	for _, r := range name {
		if r < utf8.RuneSelf && !unicode.IsLetter(r) {
			word = nil
			continue
		}
		for _, alphabet := range alphabets {
			if !unicode.Is(alphabet, r) {
				continue
			}
			if word != nil && word != alphabet {
				return true
			}
			word = alphabet
		}
	}
	return false
}

// named returns the principal of these names if all of them can be names.
func named(name string, groups []string) (*dovetail.Principal, error) {
	if why := CheckName(name); why != "" {
		return nil, unauthenticated("the name of the principal "+why, "use another account, or rename this one")
	}
	for _, group := range groups {
		if why := CheckName(group); why != "" {
			return nil, unauthenticated("the name of a group of "+name+" "+why, "rename the group, or leave it out of the token")
		}
	}
	return &dovetail.Principal{Name: name, Groups: groups}, nil
}

// prefixed returns the names with a prefix in front.
func prefixed(prefix string, names []string) []string {
	if prefix == "" {
		return names
	}
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = prefix + name
	}
	return all
}
