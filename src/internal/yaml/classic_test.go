package yaml

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/value"
)

// TestClassicScalars has strings as SnakeYAML and PyYAML write them.
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
		{"lines with a blank at the very end", "a\nb ", "'a\n\n  b '"},
		{"a blank after a newline and at the end", "a\n b ", `"a\n b "`},
		{"a blank before a newline", "a \nb", `"a \nb"`},
		{"a tab", "a\tb", `"a\tb"`},
		{"a bell", "\a", `"\a"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := value.NewMap(value.Member{Name: "keyss", Value: value.NewString(tt.text)})
			if got := string(MarshalClassic(v)); got != "keyss: "+tt.want+"\n" {
				t.Errorf("%q, want %q", got, "keyss: "+tt.want+"\n")
			}
			read, err := ParseClassic("", MarshalClassic(v), value.Limits{})
			if err != nil || !value.Equal(read[0], v) {
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
		{"2024-01-02", `"2024-01-02"`}, {"'on'", `"on"`}, {"0b11", "3"}, {"1e3", "1e3"}, {"08", `"08"`}, {"1.", "1.0"}, {"-12.", "-12.0"},
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
