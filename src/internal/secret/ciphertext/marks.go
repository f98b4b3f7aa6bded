package ciphertext

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

// FernetMark is how EnvGene marks a value that it encrypted with Fernet; the token follows.
const FernetMark = "[encrypted:AES256_Fernet]"

// marks are how encrypted values begin: those with a mark of EnvGene, those of SOPS, and bare Fernet tokens.
var marks = []string{"[encrypted:", "ENC[", "gAAAAA"}

// Is reports whether a text is an encrypted value.
func Is(text string) bool {
	for _, mark := range marks {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return false
}

// Scheme names how a text was encrypted, "" for one that was not.
func Scheme(text string) string {
	switch {
	case strings.HasPrefix(text, "ENC["):
		return "SOPS"
	case strings.HasPrefix(text, FernetMark), strings.HasPrefix(text, "gAAAAA"):
		return "Fernet"
	case Is(text):
		return "an unknown scheme"
	}
	return ""
}

// MetadataName is the name of the document that has what SOPS says of a file of credentials, beside those of its credentials.
const MetadataName = sops.Member

// Walk calls visit with the path of every encrypted value.
func Walk(v *value.Value, visit func(path []string, v *value.Value)) { walk(v, nil, visit) }

func walk(v *value.Value, path []string, visit func([]string, *value.Value)) {
	if v == nil {
		return
	}
	switch v.Kind {
	case value.Map:
		for _, m := range v.Members {
			walk(m.Value, append(path[:len(path):len(path)], m.Name), visit)
		}
	case value.List:
		for _, item := range v.Items {
			walk(item, path, visit)
		}
	case value.String:
		if Is(v.Text) {
			visit(path, v)
		}
	case value.Null, value.Bool, value.Number:
	}
}
