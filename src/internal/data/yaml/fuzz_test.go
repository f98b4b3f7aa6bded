package yaml_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
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

// Every edited text parses to the new value.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{solution, "a: &x {p: [1, 'b c']} # c\nb: *x\n", "- - a\n  - b # c\n- ? c\n  : d\n", "a: |\n  b\n # c\n", "a:\r\n- b\r\n", "x: >-\n  a\n\n  b\n...\n", "--- !!map\na: 'b\n  c'\n"} {
		f.Add([]byte(seed), uint16(0x1234))
	}
	f.Fuzz(func(t *testing.T, data []byte, choice uint16) {
		limits := value.Limits{Depth: 20, Values: 1000, Bytes: 1 << 16}
		from, err := yaml.Parse("f", data, limits)
		if err != nil || len(from) != 1 {
			return
		}
		to := from[0].Clone()
		change(to, choice)
		edited := yaml.Edit(data, from[0], to)
		if again, err := yaml.Parse("f", edited, value.Limits{}); err != nil || len(again) != 1 || !value.Equal(again[0], to) {
			t.Fatalf("%q became %q (%v), want %s", data, edited, err, to.JSON())
		}
	})
}

// change walks into the value by the bits of the choice and changes, removes or adds something there.
func change(v *value.Value, choice uint16) {
	n := int(choice >> 3)
	switch what := choice & 7; {
	case v.Kind == value.List && len(v.Items) > 0 && what < 4:
		change(v.Items[n%len(v.Items)], choice>>3)
	case v.Kind == value.List && len(v.Items) > 0 && what < 6:
		i := n % len(v.Items)
		v.Items = append(v.Items[:i:i], v.Items[i+1:]...)
	case v.Kind == value.List:
		v.Items = append(v.Items, value.NewString("a: b"))
	case v.Kind == value.Map && len(v.Members) > 0 && what < 4:
		change(v.Members[n%len(v.Members)].Value, choice>>3)
	case v.Kind == value.Map && len(v.Members) > 0 && what < 6:
		v.Delete(v.Members[n%len(v.Members)].Name)
	case v.Kind == value.Map:
		v.Set("new", value.NewList(value.NewString("x, y")))
	default:
		v.Kind, v.Text = value.String, "it's [new]"
	}
}

// checkError requires every error to have a code and a position within the text.
func checkError(t *testing.T, data []byte, e *dovetail.Error) {
	if e.Code != dovetail.CodeInvalid && e.Code != dovetail.CodeTooLarge || e.Message == "" || strings.Contains(e.Message, "yaml:") {
		t.Fatalf("%q: code %s, message %q", data, e.Code, e.Message)
	}
	if len(e.Errors) > 0 {
		return
	}
	// Carriage returns are line breaks in YAML; line feeds are line breaks everywhere.
	lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + 1
	if at := e.Position; at.Line < 1 || at.Line > lines || at.Column < 1 || at.Column > len(data)+1 {
		t.Fatalf("%q: %s", data, e)
	}
}
