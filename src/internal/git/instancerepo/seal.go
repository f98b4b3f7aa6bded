package instancerepo

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/value"
)

// credentialFile matches the names, without extension, of files whose values pipelines encrypt.
var credentialFile = regexp.MustCompile(`^credentials$|^creds$|-(credentials|creds)($|-)`)

// isCredentialFile reports whether pipelines encrypt the values of a file.
func isCredentialFile(name string) bool {
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	folder := path.Base(path.Dir(name))
	return credentialFile.MatchString(stem) || folder == "Credentials" || folder == "credentials"
}

// Sealing says what becomes of new values of credentials in files that have encrypted ones. The zero value refuses them.
type Sealing struct {
	Keys  *ciphertext.Keys // encrypt them, and those of new files; nil if there is none
	Clear bool             // write them in plaintext if there is no key
}

// sealer encrypts what becomes new in a file of credentials.
type sealer struct {
	Sealing
	set      *set                          // for problems
	made     map[*value.Value]*value.Value // what maps became, which may stand at several places
	problems []*dovetail.Error
}

// document is the one that a value is of.
func (s *sealer) document(at []string) *Document {
	if s.set.shape == manySpecs {
		for _, d := range s.set.documents {
			if key := d.ID.Key(); key[len(key)-1].Value == at[0] {
				return d
			}
		}
	}
	return s.set.documents[0]
}

// sealed returns the content of a file with its new values encrypted, if the file has encrypted values, or is new and there is a
// key. What it says already keeps its token, or stays in plaintext. Without a key new values are problems: they are not written.
func (s *set) sealed(name string, old, content *value.Value, sealing Sealing) (*value.Value, []*dovetail.Error) {
	if !isCredentialFile(name) {
		return content, nil
	}
	encrypted := false
	ciphertext.Walk(old, func([]string, *value.Value) { encrypted = true })
	isNew := old == nil || len(old.Members) == 0
	if !encrypted && (!isNew || !sealing.Keys.CanSeal()) {
		return content, nil
	}
	of := sealer{Sealing: sealing, set: s, made: make(map[*value.Value]*value.Value)}
	to := of.value(content, old, nil)
	return to, of.problems
}

func (s *sealer) value(v, old *value.Value, at []string) *value.Value {
	switch v.Kind {
	case value.Map:
		if kind, _ := v.Get("type").Str(); kind == "external" { // it has names only
			return v
		}
		if made := s.made[v]; made != nil {
			return made
		}
		changed := shallow(v)
		s.made[v] = changed
		was := value.IndexOf(old)
		for i, m := range v.Members {
			if m.Name != "type" {
				changed.Members[i].Value = s.value(m.Value, was.Get(m.Name), append(slices.Clone(at), m.Name))
			}
		}
		return changed
	case value.String, value.Number, value.Bool:
		return s.leaf(v, old, at)
	case value.List, value.Null: // which pipelines do not encrypt
	}
	return v
}

func (s *sealer) leaf(v, old *value.Value, at []string) *value.Value {
	switch {
	case v.Text == "" || ciphertext.Is(v.Text) || value.Equal(v, old):
		return v
	case old != nil && ciphertext.Is(old.Text):
		if plain, err := s.Keys.Open(old.Text); err == nil && plain == v.Text {
			return old
		}
	}
	if s.Keys.CanSeal() {
		return value.NewString(s.Keys.Seal(v.Text))
	}
	if !s.Clear {
		problem := cannotHold(s.document(at), value.Pointer(at...)+" would be written in clear beside values that are encrypted", "give the key with --credential-keys")
		problem.Reason = ReasonInClear
		s.problems = append(s.problems, problem)
	}
	return v
}
