package yaml_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// parse reads documents and gives their JSON, one in a line.
func parse(t *testing.T, text string) string {
	t.Helper()
	values, err := yaml.Parse("", []byte(text), value.Limits{})
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	var lines []string
	for _, v := range values {
		lines = append(lines, string(v.JSON()))
	}
	return strings.Join(lines, "\n")
}

func TestParse(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"order", "b: 1\na: 2\n", `{"b":1,"a":2}`},
		{"JSON", `{"b": [1, "x", null, true], "a": {}}`, `{"b":[1,"x",null,true],"a":{}}`},
		{"JSON that YAML libraries stumble over", "\t{\t\"a\":\n\t\"\\/\\ud83d\\ude00\"}\n", `{"a":"/😀"}`},
		{"JSON without spaces", `{"b":1,"a":[]}`, `{"b":1,"a":[]}`},
		{"block list", "- a\n- - b\n  - c\n- d: e\n", `["a",["b","c"],{"d":"e"}]`},
		{"literal", "a: |\n  x\n   y\n\n", `{"a":"x\n y\n"}`},
		{"literal without the last line break", "a: |-\n  x\n", `{"a":"x"}`},
		{"folded", "a: >\n  x\n  y\n", `{"a":"x y\n"}`},
		{"escapes", `"\x41\u00e9\U0001F600\e\0\N\_\L\P"`, "\"Aé😀\\u001b\\u0000\u0085\u00a0\u2028\u2029\""},
		{"windows line breaks", "a: 1\r\nb:\r\n  - x\r\n", `{"a":1,"b":["x"]}`},
		{"byte order mark", "\uFEFFa: 1\n", `{"a":1}`},
		{"document that is a scalar", "just text", `"just text"`},

		{"no document", "", ""},
		{"only comments", "# nothing\n\n# here\n", ""},
		{"stream", "a: 1\n---\nb: 2\n...\n---\n- c\n", "{\"a\":1}\n{\"b\":2}\n[\"c\"]"},
		{"empty documents", "---\n---\n# x\n---\na: 1\n---\n", `{"a":1}`},
		{"null is a document", "--- null\n--- ~\n--- ''\n", "null\nnull\n\"\""},

		{"nulls", "[~, null, Null, NULL, '', nUll]", `[null,null,null,null,"","nUll"]`},
		{"empty values", "a:\nb: \n- \n"[:6], `{"a":null,"b":null}`},
		{"booleans", "[true, True, FALSE, tRUE]", `[true,true,false,"tRUE"]`},
		{"no booleans", "[yes, No, on, OFF, y, n]", `["yes","No","on","OFF","y","n"]`},
		{"integers of any size", "[9223372036854775808, -99999999999999999999999999999999]", `[9223372036854775808,-99999999999999999999999999999999]`},
		{"text of numbers", "[1.50, 1e5, 1E+5, -0, 0.10, 1e400, -1.0e-7]", `[1.50,1e5,1E+5,-0,0.10,1e400,-1.0e-7]`},
		{"hexadecimal", "[0x1F, 0Xff, -0x10, +0x1, 0xFFFFFFFFFFFFFFFFFF]", `[31,255,-16,1,4722366482869645213695]`},
		{"octal", "[0o17, 0644, 00, -0o7]", `[15,420,0,-7]`},
		{"binary numbers", "[0b101, -0b1]", `[5,-1]`},
		{"decimal with zeros", "[08, 09.5, 0099]", `[8,9.5,99]`},
		{"underscores", "[1_000, 1_0.5_0, 0x_1F, _1]", `[1000,10.50,31,"_1"]`},
		{"incomplete floats", "[.5, -.5, +.5, 1., 1.e3, +1, .5e1]", `[0.5,-0.5,0.5,1,1e3,1,0.5e1]`},
		{"no numbers", "[1.2.3, 0x, 0xG, 1e, 1e+, ., +, '-', -., 1-2, 12:30:45, 1 2, 0b2, 0o8, e5, .e5]",
			`["1.2.3","0x","0xG","1e","1e+",".","+","-","-.","1-2","12:30:45","1 2","0b2","0o8","e5",".e5"]`},
		{"quoted numbers", `["1", '2', "true"]`, `["1","2","true"]`},
		{"timestamps", "[2001-12-14, 2001-12-14t21:59:43.10-05:00, 2001-12-14 21:59:43.10]", `["2001-12-14","2001-12-14t21:59:43.10-05:00","2001-12-14 21:59:43.10"]`},

		{"tags", "[!!str 1, !!str true, !!str '', !!int '7', !!float 1, !!bool 'true', !!null '', !!timestamp 2001-12-14, ! 'x']",
			`["1","true","",7,1,true,null,"2001-12-14","x"]`},
		{"tags of containers", "!!map {a: !!seq [1]}", `{"a":[1]}`},
		{"long tags", "!<tag:yaml.org,2002:str> 1", `"1"`},
		{"binary", "a: !!binary |\n  aGVs\n  bG8=\n", `{"a":"aGVsbG8="}`},

		{"keys by their text", "{1: a, 0x1F: b, true: c, 2001-12-14: d, 1.50: e, .inf: f}", `{"1":"a","0x1F":"b","true":"c","2001-12-14":"d","1.50":"e",".inf":"f"}`},
		{"quoted null as a key", `{"null": a, '~': b, "": c}`, `{"null":"a","~":"b","":"c"}`},
		{"explicit keys", "? a\n: 1\n? b\n", `{"a":1,"b":null}`},

		{"aliases", "a: &x {p: [1]}\nb: *x\nc: [*x, *x]\n", `{"a":{"p":[1]},"b":{"p":[1]},"c":[{"p":[1]},{"p":[1]}]}`},
		{"alias as a key", "a: &x k\n*x : 1\n", `{"a":"k","k":1}`},
		{"anchor twice", "[&x 1, *x, &x 2, *x]", `[1,1,2,2]`},
		{"merge", "a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n  r: 4\n", `{"a":{"p":1,"q":2},"b":{"q":3,"r":4,"p":1}}`},
		{"merge of several", "a: &x {p: 1, q: 2}\nb: &y {q: 3, r: 4}\nc:\n  <<: [*x, *y, {s: 5}]\n", `{"a":{"p":1,"q":2},"b":{"q":3,"r":4},"c":{"p":1,"q":2,"r":4,"s":5}}`},
		{"merge of merged", "a: &x {p: 1}\nb: &y {<<: *x, q: 2}\nc: {<<: *y, p: 3}\n", `{"a":{"p":1},"b":{"q":2,"p":1},"c":{"p":3,"q":2}}`},
		{"merge through an alias of a list", "a: &l [{p: 1}, {p: 2, q: 2}]\nb: {<<: *l}\n", `{"a":[{"p":1},{"p":2,"q":2}],"b":{"p":1,"q":2}}`},
		{"no merge", "a: {'<<': 1}\nb: <<\n", `{"a":{"<<":1},"b":"<<"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := parse(t, test.text); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestParsePositions(t *testing.T) {
	values, err := yaml.Parse("", []byte("é: {ü: 1, ö: [\"\u2028\", x]}\nb: &a\n  c: 2\r\nd: *a\n---\n\n- z\n"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name         string
		document     int
		pointer      string
		line, column int
	}{
		{"root", 0, "", 1, 1},
		{"after two bytes", 0, "/é", 1, 5},
		{"in flow", 0, "/é/ü", 1, 10},
		{"after a character that YAML takes for a line break", 0, "/é/ö/1", 1, 25},
		{"anchor", 0, "/b", 2, 4},
		{"after an anchor", 0, "/b/c", 3, 6},
		{"alias", 0, "/d", 4, 4},
		{"inside of an alias", 0, "/d/c", 3, 6},
		{"second document", 1, "/0", 7, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, ok := values[test.document].Find(test.pointer)
			if !ok {
				t.Fatal("not found")
			}
			if v.Place != value.At(test.line, test.column) {
				t.Errorf("at %d:%d, want %d:%d", v.Line, v.Column, test.line, test.column)
			}
		})
	}
	if m := values[0].Get("é").Members[1]; m.Line != 1 || m.Column != 13 {
		t.Errorf("name at %d:%d", m.Line, m.Column)
	}
}

// Values that an alias brings in are copies.
func TestParseAliasesAreIndependent(t *testing.T) {
	values, err := yaml.Parse("", []byte("a: &x {p: 1}\nb: *x\n"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	values[0].Get("a").Set("p", value.NewNumber(2))
	if got, want := string(values[0].JSON()), `{"a":{"p":2},"b":{"p":1}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseLimits(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'i'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+", ", 9) + "]\n"
	}
	tests := []struct {
		name, text string
		limits     value.Limits
		want       string // "" when it is within the limits
	}{
		{"bytes", "a: 1", value.Limits{Bytes: 4}, ""},
		{"too many bytes", "a: 12", value.Limits{Bytes: 4}, "f:1:1: the YAML text has 5 bytes, more than the 4 that are allowed; split the input into smaller ones"},
		{"depth", "a: [{}]", value.Limits{Depth: 3}, ""},
		{"too deep", "a: [b, {c: []}]", value.Limits{Depth: 3}, "f:1:12 /a/1/c: lists and maps are nested more than 3 deep; make the document simpler, or split it"},
		{"too deep by an alias", "a: &x [[1]]\nb:\n- - *x", value.Limits{Depth: 4}, "f:3:5 /b/0/0: lists and maps are nested more than 4 deep; make the document simpler, or split it"},
		{"much too deep", strings.Repeat("[", 100_000), value.Limits{}, "f:1:1: lists and maps are nested too deep; make the document simpler, or split it"},
		{"much too deep in block style", strings.Repeat("- ", 100_000), value.Limits{}, "f:1:1: lists and maps are nested too deep; make the document simpler, or split it"},
		{"values", "a: [1, 2]", value.Limits{Values: 4}, ""},
		{"too many values", "a: [1, 2]\nb: 3", value.Limits{Values: 4}, "f:1:1: there are more than 4 values; split the input, or use fewer aliases"},
		{"too many values in all documents", "[1, 2]\n---\n[3, 4]", value.Limits{Values: 5}, "f:3:1: there are more than 5 values; split the input, or use fewer aliases"},
		{"too many values by aliases", "a: &x [1, 2]\nb: *x\nc: *x", value.Limits{Values: 9}, "f:1:1: there are more than 9 values; split the input, or use fewer aliases"},
		{"alias bomb", bomb, value.Limits{}, "f:7:4 /g: there are more than 2000000 values; split the input, or use fewer aliases"},
		{"bomb of a long text", "a: &a " + strings.Repeat("x", 1000) + "\nb: &b [" + strings.Repeat("*a, ", 100) + "]\nc: [" + strings.Repeat("*b, ", 100) + "]\n",
			value.Limits{Bytes: 1 << 20}, "f:3:4 /c: with its aliases expanded this has more than 1048576 bytes; use fewer aliases"},
		{"bomb of merges", "a: &a {p: [1, 2, 3, 4]}\nb: &b {<<: [*a, *a, *a, *a]}\nc: {<<: [*b, *b, *b, *b]}\n",
			value.Limits{Values: 100}, "f:3:9 /c/<<: there are more than 100 values; split the input, or use fewer aliases"},
		{"too many values to try", strings.Repeat("- 1\n", 100_000), value.Limits{Values: 99_999}, "f:1:1: there are more than 99999 values; split the input, or use fewer aliases"},
		{"punctuation in a text", "a: '" + strings.Repeat("[: -, ", 30_000) + "'", value.Limits{Values: 2}, ""},
		{"number too long", "n: " + strings.Repeat("7", 1025), value.Limits{}, "f:1:4 /n: the number has more than 1024 bytes; write it as a string, in quotes"},
		{"hexadecimal number too long", "n: 0x" + strings.Repeat("7", 1024), value.Limits{}, "f:1:4 /n: the number has more than 1024 bytes; write it as a string, in quotes"},
		{"exponent too large", "n: 1.e+1001", value.Limits{}, "f:1:4 /n: the number's exponent is beyond 1000; write it as a string, in quotes"},
		{"directives", strings.Repeat("%TAG !a! b\n", 102) + "--- a", value.Limits{}, "f:1:1: there are more than 100 %TAG directives; remove them"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := yaml.Parse("f", []byte(test.text), test.limits)
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

func TestParseReportsTheFirstOfManyErrors(t *testing.T) {
	_, err := yaml.Parse("", []byte(strings.Repeat("- !a b\n", 5000)), value.Limits{})
	e := dovetail.AsError(err)
	if e == nil || len(e.Errors) != dovetail.MaxErrors || e.Total != 5000 || e.Errors[99].Position.Line != 100 {
		t.Fatalf("got %v", err)
	}
}
