package yaml_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// nasty are texts, and parts of texts, that YAML could take for something else.
var nasty = []string{"", "~", "null", "Null", "true", "no", "y", "1e3", "0x1", "0o7", "1_000", ".5", "1.", "-.inf", ".nan", "+1", "007", "2001-12-14", "12:30:45",
	"- a", "-", "--", "---", "...", "--- a", "? a", "?", ": ", ":", "a: b", "a:", ":a", "#", "# a", "a #b", "a#b", "[", "]", "{", "}", "[a]", "{a: b}", ",", "&a", "*a", "!a", "!!str a",
	"|", ">", "|\n", "'", "''", "\"", "\\", "\\n", "%a", "%YAML 1.2", "@", "`", "<<", "=", " ", "  ", " a", "a ", "\t", "\ta", "a\t", "\n", "\n\n", "\na", "a\n", "a\n\n", "a\nb", "a\n b", " a\nb",
	"a\n\nb\n", "a \nb", "a\n  \nb", "\n  a\n", "a\n# b", "a\n--- b\n", "# a\nb\n", "a\n\tb\n", "\r", "a\rb", "a\r\nb", "\u0000", "\u0007", "\u007f", "\u0080", "\u0085", "a\u0085b", "\u00a0", "\u2028", "a\u2029b",
	"\uFEFF", "\uFEFFa", "\uFFFD", "\uFFFF", "é", "日本語", "😀", "e\u0301", "\U0010FFFF", "a'b\"c\\d", "C:\\dir", "http://a/b?c=d&e#f", "%TAG ! a", "a,b", "a]b", "x: y\n"}

var texts = rapid.Custom(func(t *rapid.T) string {
	part := rapid.OneOf(rapid.SampledFrom(nasty), rapid.String(), rapid.StringMatching(`[ \na#:\-]{0,8}`))
	parts := rapid.SliceOfN(part, 1, 3).Draw(t, "parts")
	return strings.ToValidUTF8(strings.Join(parts, ""), "")
})

func values(depth int) *rapid.Generator[*value.Value] {
	return rapid.Custom(func(t *rapid.T) *value.Value {
		most := 5
		if depth == 0 {
			most = 3
		}
		switch rapid.IntRange(0, most).Draw(t, "kind") {
		case 0:
			return value.NullValue()
		case 1:
			return value.NewBool(rapid.Bool().Draw(t, "bool"))
		case 2:
			return &value.Value{Kind: value.Number, Text: rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,9})?([eE][-+]?[0-9]{1,3})?`).Draw(t, "number")}
		case 3:
			return value.NewString(texts.Draw(t, "text"))
		case 4:
			return value.NewList(rapid.SliceOfN(values(depth-1), 0, 4).Draw(t, "items")...)
		}
		v := value.NewMap()
		for _, name := range rapid.SliceOfNDistinct(texts, 0, 4, rapid.ID).Draw(t, "names") {
			v.Set(name, values(depth-1).Draw(t, "value"))
		}
		return v
	})
}

func TestMarshalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(values(3), 1, 3).Draw(t, "values")
		text := yaml.Marshal(want...)
		got, err := yaml.Parse("", text, value.Limits{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(got) != len(want) {
			t.Fatalf("%d documents, want %d:\n%s", len(got), len(want), text)
		}
		for i := range want {
			if string(got[i].JSON()) != string(want[i].JSON()) {
				t.Fatalf("got  %s\nwant %s\nfrom\n%s", got[i].JSON(), want[i].JSON(), text)
			}
		}
	})
}

// Every nasty text comes back from every place where a text can stand.
func TestMarshalNastyTexts(t *testing.T) {
	for _, text := range nasty {
		s := value.NewString(text)
		places := []*value.Value{s, value.NewList(s, s), value.NewMap(value.Member{Name: text, Value: s}),
			value.NewMap(value.Member{Name: "a", Value: value.NewList(value.NewList(s), value.NewMap(value.Member{Name: text, Value: s}))}, value.Member{Name: "b", Value: s})}
		out := yaml.Marshal(places...)
		got, err := yaml.Parse("", out, value.Limits{})
		if err != nil || len(got) != len(places) {
			t.Errorf("%q: %d documents, %v in\n%s", text, len(got), err, out)
			continue
		}
		for i := range places {
			if !value.Equal(got[i], places[i]) {
				t.Errorf("%q became %s in\n%s", text, got[i].JSON(), out)
			}
		}
	}
}

// JSON is YAML: what ParseJSON reads, Parse reads alike, also as one of several documents.
func TestParseJSONTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		text := string(v.JSON())
		if strings.ContainsFunc(text, func(r rune) bool {
			return r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xFEFF || r == 0xFFFF || r == 0xFFFE
		}) {
			t.Skip("YAML does not allow these characters, or takes them for line breaks")
		}
		if longKey(v) {
			t.Skip("YAML allows keys of 1024 characters only")
		}
		got, err := yaml.Parse("", []byte("--- "+text+"\n--- "+text), value.Limits{})
		if err != nil || len(got) != 2 || !value.Equal(got[0], v) || !value.Equal(got[1], v) {
			t.Fatalf("%s: %v, %v", text, got, err)
		}
	})
}

func longKey(v *value.Value) bool {
	for _, m := range v.Members {
		if len(m.Name) > 100 || longKey(m.Value) {
			return true
		}
	}
	for _, item := range v.Items {
		if longKey(item) {
			return true
		}
	}
	return false
}
