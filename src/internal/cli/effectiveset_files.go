package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/value"
)

// writeSet writes the files of a set into a folder, and removes those that were there before and are no part of it.
func writeSet(folder string, set *effectiveset.Set, before map[string][]byte) error {
	for name, text := range set.Files {
		if old, there := before[name]; there && bytes.Equal(old, text) {
			continue
		}
		file := filepath.Join(folder, filepath.FromSlash(name))
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return &dovetail.Error{Code: dovetail.CodeInternal, Message: "the set has the file " + name + ", which would not be in its folder"}
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			return unwritable(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return unwritable(err)
		}
	}
	for name := range before {
		if _, stays := set.Files[name]; stays {
			continue
		}
		if err := removeFile(folder, name); err != nil {
			return err
		}
	}
	return nil
}

// encrypterOf encrypts with SOPS if the credentials of the environment are encrypted so; otherwise it is nil.
func (o *generateOptions) encrypterOf(keys *ciphertext.Keys) (*ciphertext.Encrypter, error) {
	env, err := inventory.ParseEnvironment(o.environment)
	if err != nil {
		return nil, err
	}
	file, read, err := instancerepo.ReadMap(o.files, instancerepo.Folder(env)+"/Credentials/credentials")
	if err != nil || read == nil {
		return nil, err
	}
	return keys.Encrypter(filepath.Join(o.repository, file), read)
}

// encryptFiles encrypts the files of a set with credentials.
func (o *generateOptions) encryptFiles(set *effectiveset.Set, before map[string][]byte) error {
	if o.encrypter == nil {
		return nil
	}
	for name, text := range set.Files {
		if !effectiveset.IsSensitive(name) {
			continue
		}
		encrypted, err := o.encrypter.Encrypt(filepath.Join(o.out, filepath.FromSlash(name)), text, before[name])
		if err != nil {
			return err
		}
		set.Files[name] = encrypted
	}
	return nil
}

// show says what was written, and what one should know of it.
func (o *generateOptions) show(s *session, set *effectiveset.Set) {
	result := shown{}
	for _, name := range sortedKeys(set.Files) {
		result.names = append(result.names, name)
		result.items = append(result.items, value.NewMap(value.Member{Name: "file", Value: value.NewString(name)}))
		result.table.add(name)
	}
	s.warn(warningsOf(set.Findings))
	if s.output == formatTable || s.output == formatWide {
		fmt.Fprintf(s.Out, "%s written to %s\n", count(len(set.Files), "file"), o.out)
		return
	}
	s.show(result)
}

// warningsOf are findings as warnings.
func warningsOf(found []effectiveset.Finding) []*dovetail.Error {
	var warnings []*dovetail.Error
	for _, f := range found {
		warnings = append(warnings, &dovetail.Error{Position: f.Position, Message: string(f.Reason) + ": " + f.Message})
	}
	return warnings
}

func sortedKeys[T any](m map[string]T) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// compare shows where the set that is there differs from the one that was calculated.
func (o *generateOptions) compare(s *session, set *effectiveset.Set, before map[string][]byte, failed error) error {
	result := shown{table: table{header: []string{"FILE", "DIFFERENCE"}}}
	add := func(name, difference string) {
		result.names = append(result.names, name)
		result.items = append(result.items, value.NewMap(value.Member{Name: "file", Value: value.NewString(name)}, value.Member{Name: "difference", Value: value.NewString(difference)}))
		result.table.add(name, difference)
	}
	for _, name := range sortedKeys(set.Files) {
		old, there := before[name]
		switch {
		case !there:
			add(name, "it is not there")
		case bytes.Equal(old, set.Files[name]):
		case bytes.Contains(old, []byte(ciphertext.FernetMark)), bytes.Contains(old, []byte("\nsops:")):
			same, err := o.sameOpened(s, name, old, set.Files[name])
			if err != nil {
				return err
			}
			if !same {
				add(name, "it is encrypted, and has other values")
			}
		default:
			add(name, firstDifference(string(old), string(set.Files[name]), isSecretFile(name)))
		}
	}
	for _, name := range sortedKeys(before) {
		if _, made := set.Files[name]; !made && failed == nil {
			add(name, "it is no part of the set")
		}
	}
	s.warn(warningsOf(set.Findings))
	s.show(result)
	if s.output == formatTable || s.output == formatWide {
		verdict := "the set is what is calculated"
		if n := len(result.items); n > 0 {
			verdict = count(n, "file") + " of " + fmt.Sprint(len(set.Files)) + " differ"
		}
		fmt.Fprintln(s.Out, verdict)
	}
	if failed != nil {
		return failed
	}
	return different(len(result.items) > 0)
}

// sameOpened reports whether an encrypted file has the values of one in plaintext. Encrypted values are texts, whatever they were.
func (o *generateOptions) sameOpened(s *session, name string, sealed, plain []byte) (bool, error) {
	keys, err := o.readKeys(s)
	if err != nil {
		return false, err
	}
	read, err := yaml.ParseClassic(name, sealed, value.Limits{})
	if err != nil {
		return false, err
	}
	calculated, err := yaml.ParseClassic(name, plain, value.Limits{})
	if err != nil || len(read) != 1 || len(calculated) != 1 {
		return false, err
	}
	if sops.Is(read[0]) {
		opened, err := keys.OpenFile(name, sealed)
		if err != nil {
			return false, err
		}
		return sameTexts(opened, calculated[0]), nil
	}
	var failed error
	ciphertext.Walk(read[0], func(path []string, v *value.Value) {
		text, err := keys.Open(v.Text)
		if err != nil && failed == nil {
			at := v.In(name)
			at.Path = value.Pointer(path...)
			failed = &dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: err.Error(), Remedy: "set SECRET_KEY, or give --credential-keys"}
		}
		v.Text = text
	})
	return sameTexts(read[0], calculated[0]), failed
}

// sameTexts reports whether two values have the same texts at the same places.
func sameTexts(a, b *value.Value) bool {
	if len(a.Members) != len(b.Members) || len(a.Items) != len(b.Items) || a.Text != b.Text {
		return false
	}
	for _, m := range a.Members {
		if other := b.Get(m.Name); other == nil || !sameTexts(m.Value, other) {
			return false
		}
	}
	for i := range a.Items {
		if !sameTexts(a.Items[i], b.Items[i]) {
			return false
		}
	}
	return true
}

// isSecretFile reports whether lines of a file must not be shown.
func isSecretFile(name string) bool { return strings.Contains(filepath.Base(name), "credentials") }

// firstDifference says where two texts differ first.
func firstDifference(old, calculated string, secret bool) string {
	before, after := strings.Split(old, "\n"), strings.Split(calculated, "\n")
	for i := range max(len(before), len(after)) {
		line := func(lines []string) string {
			switch {
			case i >= len(lines):
				return "nothing"
			case secret:
				name, _, _ := strings.Cut(lines[i], ":")
				return strings.TrimSpace(name) + ": ..."
			}
			return strings.TrimSpace(lines[i])
		}
		if i >= len(before) || i >= len(after) || before[i] != after[i] {
			return fmt.Sprintf("line %d has %s, calculated is %s", i+1, line(before), line(after))
		}
	}
	return "none"
}
