package yaml

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/value"
)

// TestClassicScalars has strings as SnakeYAML writes them.
func TestClassicScalars(t *testing.T) {
	const long = "aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffffffffff gggggggggg hhhhhhhhhh iiiiiiiiii"
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "a, b", "a, b"},
		{"empty", "", "''"},
		{"a word for true", "on", "'on'"},
		{"a letter", "y", "y"},
		{"an exponent", "1e3", "'1e3'"},
		{"a time", "12:30:45", "'12:30:45'"},
		{"a date", "2024-01-02", "'2024-01-02'"},
		{"an indicator alone", "-", "'-'"},
		{"an indicator before a letter", "-x", "-x"},
		{"an apostrophe in quotes", "it's: x", "'it''s: x'"},
		{"folded", long, "aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffffffffff gggggggggg\n  hhhhhhhhhh iiiiiiiiii"},
		{"folded in quotes", "# " + long, "'# aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffffffffff gggggggggg\n  hhhhhhhhhh iiiiiiiiii'"},
		{"in quotes with a blank beyond the limit at the end", "# " + long + " " + long[:69] + " ", "'# aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffffffffff gggggggggg\n  hhhhhhhhhh iiiiiiiiii aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffffffffff\n  ggg '"},
		{"in quotes with one word beyond the limit and a blank", strings.Repeat("x", 90) + " ", "'" + strings.Repeat("x", 90) + " '"},
		{"a literal", "a\n b", "|-\n  a\n   b"},
		{"a literal that begins with a blank", " a\nb\n", "|2\n   a\n  b"},
		{"a literal that ends in two newlines", "a\n\n", "|+\n  a\n"},
		{"lines with a blank at the very end", "a\nb ", `"a\nb "`},
		{"a blank after a newline and at the end", "a\n b ", `"a\n b "`},
		{"a blank before a newline", "a \nb", `"a \nb"`},
		{"a tab", "a\tb", `"a\tb"`},
		{"a bell", "\a", `"\a"`},
		{"digits after a zero", "0190", "'0190'"},
		{"a zero before a letter", "019a", "019a"},
		{"a number with a sign before the dot", "-.5", "'-.5'"},
		{"a sexagesimal number", "190:20:30.15", "'190:20:30.15'"},
		{"a line break of Unicode", "a\u2028b", "|-\n  a\u2028  b"},
		{"a next line", "a\u0085", "|\n  a\u0085"},
		{"a byte order mark", "a\ufeffb", "a\ufeffb"},
		{"characters beyond U+FFFF count twice", strings.Repeat("😀", 37) + " a b", strings.Repeat("😀", 37) + "\n  a b"},
		{"in double quotes broken after what is no ASCII", "\t" + strings.Repeat("a", 71) + "漢漢", `"\t` + strings.Repeat("a", 71) + "漢\\\n  漢\""},
		{"escapes of blanks", "\r\u00a0\u0085", `"\r\_\N"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := value.NewMap(value.Member{Name: "keyss", Value: value.NewString(tt.text)})
			want := "keyss: " + tt.want
			if !strings.HasSuffix(tt.want, "\u0085") {
				want += "\n"
			}
			if got := string(MarshalClassic(v)); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			read, err := ParseClassic("", MarshalClassic(v), value.Limits{})
			if text := strings.ReplaceAll(tt.text, "\u0085", "\n"); err != nil || read[0].Get("keyss").Text != text && !strings.Contains(tt.text, "\u00a0") {
				t.Errorf("it is read as %v, %v", read, err)
			}
		})
	}
}

// TestClassicKeys has keys as SnakeYAML writes them: those that are long, empty or of several lines have a line of their own.
func TestClassicKeys(t *testing.T) {
	text := value.NewString("v")
	inner := value.NewMap(value.Member{Name: "a", Value: text}, value.Member{Name: "b", Value: text})
	for _, tt := range []struct {
		name, key string
		v         *value.Value
		want      string
	}{
		{"short enough", strings.Repeat("k", 122), text, strings.Repeat("k", 122) + ": v\n"},
		{"long", strings.Repeat("k", 123), text, "? " + strings.Repeat("k", 123) + "\n: v\n"},
		{"short enough in characters", strings.Repeat("漢", 122), text, strings.Repeat("漢", 122) + ": v\n"},
		{"long in units of Java", strings.Repeat("😀", 62), text, "? " + strings.Repeat("😀", 62) + "\n: v\n"},
		{"long with blanks is folded", strings.Repeat("k", 90) + " " + strings.Repeat("k", 40), text, "? " + strings.Repeat("k", 90) + "\n  " + strings.Repeat("k", 40) + "\n: v\n"},
		{"not folded in one line", strings.Repeat("k", 90) + " k", text, strings.Repeat("k", 90) + " k: v\n"},
		{"in double quotes, not broken in one line", "\t" + strings.Repeat("k", 90) + " k", text, `"\t` + strings.Repeat("k", 90) + " k\": v\n"},
		{"empty", "", text, "? ''\n: v\n"},
		{"of two lines", "a\nb", text, "? |-\n  a\n  b\n: v\n"},
		{"with a map", "", inner, "? ''\n: a: v\n  b: v\n"},
		{"with a list", "", value.NewList(text, inner), "? ''\n: - v\n  - a: v\n    b: v\n"},
		{"with nothing", "", value.NewMap(), "? ''\n: {}\n"},
		{"with lines", "", value.NewString("x\ny"), "? ''\n: |-\n  x\n  y\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := value.NewMap(value.Member{Name: tt.key, Value: tt.v})
			got := string(MarshalClassic(v))
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if read, err := ParseClassic("", []byte(got), value.Limits{}); err != nil || !value.Equal(read[0], v) {
				t.Errorf("it is read as %v, %v", read, err)
			}
		})
	}
}

// TestClassicAnchors has values that stand at several places.
func TestClassicAnchors(t *testing.T) {
	inner := value.NewMap(value.Member{Name: "x", Value: value.NewString("1")})
	outer := value.NewMap(value.Member{Name: "a", Value: inner}, value.Member{Name: "b", Value: value.NewList(inner, value.NewList(value.NewString("y")))})
	v := value.NewMap(value.Member{Name: "first", Value: outer}, value.Member{Name: "second", Value: outer}, value.Member{Name: "none", Value: value.NewMap()})
	const want = "first: &id002\n  a: &id001\n    x: '1'\n  b:\n  - *id001\n  - - y\nsecond: *id002\nnone: {}\n"
	if got := string(MarshalClassic(v)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := MarshalClassic(value.NewMap()); len(got) != 0 {
		t.Errorf("an empty map is %q", got)
	}
	many := value.NewMap(value.Member{Name: "big", Value: outer})
	for i := range 2000 {
		many.Set(string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676)), outer)
	}
	if !expands(many) == (len(MarshalClassic(many)) > 100_000) {
		t.Error("what a reader would refuse for its aliases is not expanded, or the other way round")
	}
}

// TestParseClassic has scalars that YAML 1.1 and 1.2 read differently.
func TestParseClassic(t *testing.T) {
	for _, tt := range []struct {
		text, want string
	}{
		{"yes", "true"}, {"Off", "false"}, {"y", `"y"`}, {"010", "8"}, {"0x1F", "31"}, {"1_000", "1000"}, {"1:30", "90"}, {"-1:30", "-90"}, {"1.5", "1.5"}, {"~", "null"},
		{"2024-01-02", `"2024-01-02"`}, {"'on'", `"on"`}, {"0b11", "3"}, {"1e3", "1e3"}, {"08", `"08"`}, {"0_7", "7"}, {"-.5", "-0.5"}, {"190:20:30.15", "685230.15"}, {"-1:30.", "-90.0"}, {"._", `"._"`}, {"1.", "1.0"}, {"-12.", "-12.0"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			read, err := ParseClassic("", []byte("k: "+tt.text), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(read[0].Get("k").JSON()); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
	if _, err := ParseClassic("f.yml", []byte("a: [1"), value.Limits{}); err == nil {
		t.Error("a syntax error is none")
	}
}

func FuzzMarshalClassic(f *testing.F) {
	f.Add("a: b", "x\ny ")
	f.Fuzz(func(t *testing.T, name, text string) {
		if !utf8.ValidString(name) || !utf8.ValidString(text) {
			t.Skip()
		}
		v := value.NewMap(value.Member{Name: name, Value: value.NewList(value.NewString(text))})
		read, err := ParseClassic("", MarshalClassic(v), value.Limits{})
		if err != nil {
			t.Skip() // of characters that YAML has not
		}
		if !value.Equal(read[0], v) {
			t.Errorf("%q: %q is read as %s from\n%s", name, text, read[0].JSON(), MarshalClassic(v))
		}
	})
}

// TestMayBeNumber draws texts like numbers and times: no pattern of these matches one that does not begin like them.
func TestMayBeNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+.0-9_xXbeE:TZ aInNf]{1,12}`).Draw(t, "text")
		if is := classicInt.MatchString(text) || classicFloat.MatchString(text) || classicTime.MatchString(text); is && !mayBeNumber(text) {
			t.Fatalf("%q is a number or a time", text)
		}
	})
}
