package yaml_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
	"github.com/dovetail-store/dovetail/src/yaml"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"a: 1\nb: [x, 0x1F, 0o17, 1_000, +1, .5, 1.]\n---\n- c: {d: e}\n", "a: &x {p: 1}\nb: {<<: *x, q: *x}\n", "a: &a [*a]", "a: |2-\n   x\n  y\n", "? a\n: b\n",
		"a: !!binary aGk=\nb: !c d\n", "a: .inf\n~: b\na: c\n", "# c\n- # d\n  e # f\n# g\n", "'a\n\n b'", `"\x41\u00e9\` + "\n" + ` b"`, "%YAML 1.2\n---\na\n...\n", "\uFEFFa: \u2028\u0085",
		`{"a":"\ud83d\ude00","b":[1,{}]}`, "a:\n\t- b", "[[[[[[", "{a: b, c", "- - - - a", "a: >-\n  b\n\n  c\n", "*a", "&a *a", "<<: {a: 1}", "!!map [a]", "? ? a",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		values, err := yaml.Parse("f", data, value.Limits{Depth: 20, Values: 1000, Bytes: 1 << 16})
		if err != nil {
			e := dovetail.AsError(err)
			for _, e := range append(e.Errors, e) {
				checkError(t, data, e)
			}
			return
		}
		text := yaml.Marshal(values...)
		again, err := yaml.Parse("f", text, value.Limits{Bytes: 1 << 24})
		if err != nil || len(again) != len(values) {
			t.Fatalf("%q became\n%s, %d documents, %v", data, text, len(again), err)
		}
		for i, v := range values {
			if !value.Equal(v, again[i]) {
				t.Fatalf("%q became %s in\n%s", data, again[i].JSON(), text)
			}
			if _, err := value.ParseJSON(v.JSON(), value.Limits{Bytes: 1 << 24}); err != nil {
				t.Fatalf("%q makes bad JSON: %v", data, err)
			}
		}
	})
}

// checkError wants every error to have a code and a place that is in the text.
func checkError(t *testing.T, data []byte, e *dovetail.Error) {
	if e.Code != dovetail.CodeInvalid && e.Code != dovetail.CodeTooLarge || e.Message == "" || strings.Contains(e.Message, "yaml:") {
		t.Fatalf("%q: code %s, message %q", data, e.Code, e.Message)
	}
	if len(e.Errors) > 0 {
		return
	}
	// Carriage returns are line breaks for YAML, line feeds for everybody.
	lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + 1
	if at := e.Position; at.Line < 1 || at.Line > lines || at.Column < 1 || at.Column > len(data)+1 {
		t.Fatalf("%q: %s", data, e)
	}
}
