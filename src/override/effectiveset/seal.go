package effectiveset

import (
	"path"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/value"
)

// isSensitive reports whether a file of a set has credentials.
func isSensitive(name string) bool {
	base := path.Base(name)
	return base == "credentials.yaml" || base == "collision-credentials.yaml" || strings.HasSuffix(base, "-credentials.yaml") && strings.HasPrefix(name, "pipeline/")
}

// sealed is a value whose scalars are encrypted, except references to external credentials and what is empty. What stands at two
// places stays one value, and lists stay as they are.
func sealed(v *value.Value, seal func(plain string) string, done map[*value.Value]*value.Value) *value.Value {
	if made := done[v]; made != nil {
		return made
	}
	made := *v
	done[v] = &made
	switch v.Kind {
	case value.Map:
		if v.Get("secretStoreId") != nil {
			return &made
		}
		made.Members = make([]value.Member, len(v.Members))
		for i, m := range v.Members {
			made.Members[i] = m
			if m.Name != "type" {
				made.Members[i].Value = sealed(m.Value, seal, done)
			}
		}
	case value.String, value.Number, value.Bool:
		if v.Text != "" && !strings.HasPrefix(v.Text, "ref+") {
			made.Kind, made.Text = value.String, seal(v.Text)
		}
	case value.List, value.Null:
	}
	return &made
}

// IsEncrypted reports whether the content of a file has encrypted values.
func IsEncrypted(v *value.Value) bool {
	found := false
	ciphertext.Walk(v, func([]string, *value.Value) { found = true })
	return found
}

// Reseal encrypts the content of a file of a set, if it is one with credentials: what before, which may be nil, has already keeps its token, and equal new values get the same
// one, so that what stands at several places stays one value. It returns other files as they are.
func Reseal(name string, v, before *value.Value, open func(token string) (string, error), seal func(plain string) string) *value.Value {
	if !isSensitive(name) {
		return v
	}
	r := resealing{open: open, seal: seal, tokens: make(map[string]string)}
	return r.value(v, before)
}

type resealing struct {
	open   func(token string) (string, error)
	seal   func(plain string) string
	tokens map[string]string // of new values
}

func (r *resealing) value(v, before *value.Value) *value.Value {
	if v.Kind == value.Map && v.Get("secretStoreId") == nil {
		made, was := value.NewMap(), value.IndexOf(before)
		for _, m := range v.Members {
			if m.Name != "type" {
				m.Value = r.value(m.Value, was.Get(m.Name))
			}
			made.Members = append(made.Members, m)
		}
		return made
	}
	return sealed(v, func(plain string) string {
		if ciphertext.Is(plain) { // a parameter for one run, which was not opened
			return plain
		}
		if before != nil && ciphertext.Is(before.Text) {
			if old, err := r.open(before.Text); err == nil && old == plain {
				return before.Text
			}
		}
		if r.tokens[plain] == "" {
			r.tokens[plain] = r.seal(plain)
		}
		return r.tokens[plain]
	}, make(map[*value.Value]*value.Value))
}

// IsSensitive reports whether a file of a set has credentials.
func IsSensitive(name string) bool { return isSensitive(name) }
