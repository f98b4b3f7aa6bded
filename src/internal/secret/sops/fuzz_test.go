package sops_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

// FuzzOpen reads any text as a file of SOPS: it is refused, or is what SOPS signed.
func FuzzOpen(f *testing.F) {
	of := identities(f, "first")
	signed := make(map[string]bool)
	for _, name := range realFiles {
		source := read(f, name)
		f.Add(string(source.Text))
		file, err := sops.Open(source, of)
		if err != nil {
			f.Fatal(err)
		}
		signed[string(yaml.Marshal(file.Plain...))] = true
	}
	f.Add("sops: {mac: x, lastmodified: '2026-01-01T00:00:00Z', age: [{recipient: a, enc: b}]}\na: 1\n")
	f.Add("sops: {mac: x, key_groups: [{age: []}], encrypted_regex: '('}\n")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := yaml.Parse("f", []byte(text), value.Limits{Bytes: 1 << 20})
		if err != nil || len(values) == 0 || !sops.Is(values[0]) {
			return
		}
		file, err := sops.Open(sops.Source{Name: "f", Text: []byte(text), Values: values}, of)
		if err == nil && !signed[string(yaml.Marshal(file.Plain...))] {
			t.Errorf("opened: %s", text)
		}
	})
}
