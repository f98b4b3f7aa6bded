package value_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

func parse(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatalf("ParseJSON(%q): %v", text, err)
	}
	return v
}

func TestParseJSONKeepsWhatIsWritten(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"null", `null`, `null`},
		{"booleans", `[true,false]`, `[true,false]`},
		{"empty containers", ` { "a" : [ ] , "b" : { } } `, `{"a":[],"b":{}}`},
		{"member order", `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{"large integer", `123456789012345678901234567890`, `123456789012345678901234567890`},
		{"float text", `[1.0,1.50,1e5,1E+5,-0,-0.0,1e-7]`, `[1.0,1.50,1e5,1E+5,-0,-0.0,1e-7]`},
		{"largest exponent", `[1e1000,1e-1000,1e0001]`, `[1e1000,1e-1000,1e0001]`},
		{"longest number", strings.Repeat("9", 1024), strings.Repeat("9", 1024)},
		{"escapes", `"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00"`, `"\"\\/\b\f\n\r\tAé€😀"`},
		{"control characters", `"\u0000\u001f\u007f"`, "\"\\u0000\\u001f\u007f\""},
		{"not escaped", `"<>& é 😀"`, "\"<>& é 😀\""},
		{"line separators", "\"\u2028\u2029\"", "\"\u2028\u2029\""},
		{"noncharacters", "\"\uFFFD\uFFFF\"", "\"\uFFFD\uFFFF\""},
		{"byte order mark in a string", "\"\uFEFF\"", "\"\uFEFF\""},
		{"empty name", `{"":1}`, `{"":1}`},
		{"escaped names", `{"\u0061":1,"A":2}`, `{"a":1,"A":2}`},
		{"same name in two maps", `[{"a":1},{"a":{"a":2}}]`, `[{"a":1},{"a":{"a":2}}]`},
		{"all white space", "\t\r\n [\t\r\n 1\t\r\n ,\t\r\n 2\t\r\n ]\t\r\n ", `[1,2]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(parse(t, test.text).JSON()); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestParseJSONRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", "1:1: the input is empty; give one JSON value"},
		{"white space", " \n ", "2:2: the input is empty; give one JSON value"},
		{"byte order mark", "\uFEFF{}", "1:1: the text begins with a byte order mark; save it as UTF-8 without a byte order mark"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "1:1: expected a value, found the byte 0xFF, which is not UTF-8"},
		{"two values", "{}\n {}", `2:2: there is more text after the JSON value, beginning with "{"; give exactly one JSON value`},
		{"wrong word", "[nul]", `1:2 /0: expected a value, found "n"`},
		{"NaN", `{"a":NaN}`, `1:6 /a: expected a value, found "N"`},
		{"control character outside", "[1,\x0b2]", `1:4 /1: expected a value, found "\u000b"`},
		{"no-break space", "[\u00a01]", "1:2 /0: expected a value, found \"\u00a0\""},
		{"comment", `[ // one`, `1:3 /0: expected a value, found "/"; remove the comment: JSON has none`},
		{"single quotes", `{'a':1}`, `1:2: expected a member name in double quotes, found "'"; write strings and names in double quotes`},
		{"bare name", `{a:1}`, `1:2: expected a member name in double quotes, found "a"`},
		{"no colon", `{"a" 1}`, `1:6 /a: expected a colon after the member name, found "1"`},
		{"no comma in map", `{"a":1 "b":2}`, `1:8: expected a comma or the closing brace of the map, found "\""`},
		{"no comma in list", "[1\n 2]", `2:2: expected a comma or the closing bracket of the list, found "2"`},
		{"comma before brace", `{"a":1,}`, `1:8: there is a comma before the closing brace; remove the comma`},
		{"comma before bracket", `[1,]`, `1:4: there is a comma before the closing bracket; remove the comma`},
		{"only a comma", `[,]`, `1:2 /0: expected a value, found ","`},
		{"open list", `{"a":[1,`, `1:9 /a/1: the text ends where a value must come; complete the JSON text`},
		{"open map", `{"a":1`, `1:7: the text ends where a comma or the closing brace of the map must come; complete the JSON text`},
		{"open map after comma", `{"a":1,`, `1:8: the text ends where a member name in double quotes must come; complete the JSON text`},
		{"open string", `["abc`, `1:2 /0: the string has no end; close it with a quotation mark`},
		{"open escape", `"abc\`, `1:5: there is an unknown escape in the string; write a backslash as \\`},
		{"unknown escape", `"a\x41"`, `1:3: there is an unknown escape in the string; write a backslash as \\`},
		{"short hexadecimal", `"\u12"`, `1:2: \u must be followed by four hexadecimal digits; write a backslash as \\`},
		{"bad hexadecimal", `"\u12g4"`, `1:2: \u must be followed by four hexadecimal digits; write a backslash as \\`},
		{"lone high surrogate", `"a\ud800b"`, `1:3: the escape \ud800 is half of a surrogate pair; write both halves, or the character itself`},
		{"lone low surrogate", `"\udc00"`, `1:2: the escape \udc00 is half of a surrogate pair; write both halves, or the character itself`},
		{"two high surrogates", `"\ud83d\ud83d"`, `1:2: the escape \ud83d is half of a surrogate pair; write both halves, or the character itself`},
		{"newline in string", "[\"a\nb\"]", `1:4 /0: there is a control character (0x0A) in the string; write it as an escape: \n`},
		{"NUL in string", "[\"a\\nb\x00\"]", `1:7 /0: there is a control character (0x00) in the string; write it as an escape: \u0000`},
		{"invalid UTF-8", "{\"a\":\"é\xc3(\"}", "1:9 /a: the byte 0xC3 is not UTF-8; save the text as UTF-8"},
		{"invalid UTF-8 after an escape", "\"\\n\xff\"", "1:4: the byte 0xFF is not UTF-8; save the text as UTF-8"},
		{"encoded surrogate", "\"\xed\xa0\x80\"", "1:2: the byte 0xED is not UTF-8; save the text as UTF-8"},
		{"leading zero", `{"n":-01}`, `1:6 /n: the number begins with a zero; remove the leading zeros, or write it as a string`},
		{"only a sign", `-`, `1:2: the text ends where a digit must come; complete the JSON text`},
		{"plus sign", `+1`, `1:1: expected a value, found "+"`},
		{"no digit after the point", `1.e5`, `1:3: expected a digit after the decimal point, found "e"`},
		{"no digit in the exponent", `1e+x`, `1:4: expected a digit in the exponent, found "x"`},
		{"duplicate", `{"a":{"b":1, "c":2,` + "\n" + ` "b":3}}`, `2:2 /a/b: duplicate member "b", first in line 1 column 7; remove one of the two`},
		{"duplicate by an escape", `{"a":1,"\u0061":2}`, `1:8 /a: duplicate member "a", first in line 1 column 2; remove one of the two`},
		{"duplicate among many", "{" + members(30) + `"m7":1}`, `1:262 /m7: duplicate member "m7", first in line 1 column 58; remove one of the two`},
		{"path with special names", `{"a/b":{"c~d":[0,{"":x}]}}`, `1:22 /a~1b/c~0d/1/: expected a value, found "x"`},
		{"column in bytes", `{"é":x}`, `1:7 /é: expected a value, found "x"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := value.ParseJSON([]byte(test.text), value.Limits{})
			if err == nil {
				t.Fatal("no error")
			}
			if err.Error() != test.want {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
			if code := dovetail.CodeOf(err); code != dovetail.CodeInvalid {
				t.Errorf("code %s", code)
			}
		})
	}
}

// members gives n members with a comma after each.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":"",`, i)
	}
	return b.String()
}

func TestParseJSONLimits(t *testing.T) {
	tests := []struct {
		name, text string
		limits     value.Limits
		want       string // "" when it is within the limits
	}{
		{"bytes", `[1,2]`, value.Limits{Bytes: 5}, ""},
		{"too many bytes", `[1,22]`, value.Limits{Bytes: 5}, "1:1: the JSON text has 6 bytes, more than the 5 that are allowed; split the input into smaller ones"},
		{"depth", `[{"a":1},[]]`, value.Limits{Depth: 2}, ""},
		{"depth of siblings", `[[],[],[]]`, value.Limits{Depth: 2}, ""},
		{"too deep", `[{"a":[1]}]`, value.Limits{Depth: 2}, "1:7 /0/a: lists and maps are nested more than 2 deep; make the document simpler, or split it"},
		{"default depth", nested(100), value.Limits{}, ""},
		{"over the default depth", nested(101), value.Limits{}, "1:101 " + strings.Repeat("/0", 100) + ": lists and maps are nested more than 100 deep; make the document simpler, or split it"},
		{"very deep, never closed", strings.Repeat("[", 1_000_000), value.Limits{Depth: 1}, "1:2 /0: lists and maps are nested more than 1 deep; make the document simpler, or split it"},
		{"values", `{"a":[1,2]}`, value.Limits{Values: 4}, ""},
		{"too many values", `{"a":[1,2,3]}`, value.Limits{Values: 4}, "1:11 /a/2: there are more than 4 values; make the document simpler, or split it"},
		{"number too long", `{"n":` + strings.Repeat("1", 1025) + `}`, value.Limits{}, "1:6 /n: the number has more than 1024 bytes; write it as a string"},
		{"exponent too large", `[1e1001]`, value.Limits{}, "1:2 /0: the number's exponent is beyond 1000; write it as a string"},
		{"exponent too small", `[-1.5E-1001]`, value.Limits{}, "1:2 /0: the number's exponent is beyond 1000; write it as a string"},
		{"exponent absurd", `[1e99999999999999999999]`, value.Limits{}, "1:2 /0: the number's exponent is beyond 1000; write it as a string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := value.ParseJSON([]byte(test.text), test.limits)
			switch {
			case err == nil && test.want == "":
			case err == nil || err.Error() != test.want:
				t.Errorf("got  %v\nwant %s", err, test.want)
			case dovetail.CodeOf(err) != dovetail.CodeTooLarge:
				t.Errorf("code %s", dovetail.CodeOf(err))
			}
		})
	}
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestParseJSONPositions(t *testing.T) {
	v := parse(t, "\n{\"é\": [1,\r\n  \"x\"],\n\t\"b\": null}")
	tests := []struct {
		name, pointer string
		want          value.Place
	}{
		{"root", "", value.At(2, 1)},
		{"list", "/é", value.At(2, 8)},
		{"item on the same line", "/é/0", value.At(2, 9)},
		{"item on the next line", "/é/1", value.At(3, 3)},
		{"after a tab", "/b", value.At(4, 7)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			at, ok := v.Find(test.pointer)
			if !ok {
				t.Fatal("not found")
			}
			if got := at.Place; got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	if m := v.Members[1]; m.Line != 4 || m.Column != 2 {
		t.Errorf("name at %d:%d", m.Line, m.Column)
	}
}

// What is taken from the parser's blocks must not grow into its neighbours.
func TestParseJSONValuesAreIndependent(t *testing.T) {
	v := parse(t, `[{"a":1},{"b":2},[3],[4]]`)
	v.Items[0].Set("x", value.NewBool(true))
	v.Items[2].Items = append(v.Items[2].Items, value.NewNumber(9))
	const want = `[{"a":1,"x":true},{"b":2},[3,9],[4]]`
	if got := string(v.JSON()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseJSONReturnsDomainErrors(t *testing.T) {
	_, err := value.ParseJSON([]byte("["), value.Limits{})
	var e *dovetail.Error
	if !errors.As(err, &e) || e.Position.Line != 1 || e.Position.Column != 2 || e.Position.Path != "/0" {
		t.Errorf("got %#v", err)
	}
}
