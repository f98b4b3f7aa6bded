package yaml_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestParts writes what Marshal writes, in parts that are not much longer than requested, and reads no more values
// when its consumer stops.
func TestParts(t *testing.T) {
	for _, tt := range []struct {
		name             string
		documents, parts int
	}{{"nothing", 0, 0}, {"one part", 5, 1}, {"several", 1000, 2}} {
		t.Run(tt.name, func(t *testing.T) {
			values := make([]*value.Value, tt.documents)
			for i := range values {
				values[i] = value.NewMap(value.Member{Name: "a", Value: value.NewString(strings.Repeat("x", i%200))})
			}
			var all []byte
			parts := 0
			for part := range yaml.Parts(slices.Values(values)) {
				if len(part) > 66<<10 {
					t.Errorf("a part has %d bytes", len(part))
				}
				all = append(all, part...)
				parts++
			}
			if parts != tt.parts || !bytes.Equal(all, yaml.Marshal(values...)) {
				t.Errorf("%d parts, want %d, with\n%.300s", parts, tt.parts, all)
			}
			asked := 0
			for range yaml.Parts(func(yield func(*value.Value) bool) {
				for asked < len(values) && yield(values[asked]) {
					asked++
				}
			}) {
				break
			}
			if tt.parts > 1 && asked > 900 {
				t.Errorf("for one part it was asked for %d values", asked)
			}
		})
	}
}

func TestMarshal(t *testing.T) {
	long := strings.Repeat("k", 1001)
	tests := []struct{ name, json, want string }{
		{"map", `{"b":1,"a":{"x":true,"z":null},"c":{}}`, "b: 1\na:\n  x: true\n  z: null\nc: {}\n"},
		{"list", `["a",[],["b",["c"]],{"d":1,"e":[2]}]`, "- a\n- []\n- - b\n  - - c\n- d: 1\n  e:\n    - 2\n"},
		{"list in a map", `{"a":[{"b":1,"c":{"d":2}},3]}`, "a:\n  - b: 1\n    c:\n      d: 2\n  - 3\n"},
		{"scalar", `"text"`, "text\n"},
		{"other order", `{"a\u202Eb":"c\u2066d","e":"f\n\u202Ag\n"}`, `"a\u202Eb": "c\u2066d"` + "\n" + `e: "f\n\u202Ag\n"` + "\n"},
		{"marks that reorder nothing", `"a\u200Fb"`, "a\u200Fb\n"},
		{"null", `null`, "null\n"},
		{"empty map", `{}`, "{}\n"},
		{"numbers", `[1.50,1e5,123456789012345678901234567890,-0]`, "- 1.50\n- 1e5\n- 123456789012345678901234567890\n- -0\n"},

		{"plain", `["a b","a-b","a:b","a#b","é","http://x/y?z=1","1.2.3","v1","[0]"]`, "- a b\n- a-b\n- a:b\n- a#b\n- é\n- http://x/y?z=1\n- 1.2.3\n- v1\n- \"[0]\"\n"},
		{"like other types", `["","~","null","true","1","1.5","1e3","0x1","0o7","1_0",".5",".inf","yes","Off","2001-12-14","12:30"]`,
			"- \"\"\n- \"~\"\n- \"null\"\n- \"true\"\n- \"1\"\n- \"1.5\"\n- \"1e3\"\n- \"0x1\"\n- \"0o7\"\n- \"1_0\"\n- \".5\"\n- \".inf\"\n- \"yes\"\n- \"Off\"\n- \"2001-12-14\"\n- \"12:30\"\n"},
		{"special characters", `["- a","a: b","a #b","a:","@a","%a","'a'","\"a\"","C:\\x","it's \"x\""," a","a ","*a","{a}","---"]`,
			"- \"- a\"\n- \"a: b\"\n- \"a #b\"\n- \"a:\"\n- \"@a\"\n- \"%a\"\n- \"'a'\"\n- '\"a\"'\n- C:\\x\n- it's \"x\"\n- \" a\"\n- \"a \"\n- \"*a\"\n- \"{a}\"\n- \"---\"\n"},
		{"control characters", `["a\tb","a\rb","\u0000","\u007f","\u0085","\u2028","\ufeff","\uffff"]`,
			"- \"a\\tb\"\n- \"a\\rb\"\n- \"\\x00\"\n- \"\\x7F\"\n- \"\\x85\"\n- \"\\u2028\"\n- \"\\uFEFF\"\n- \"\\uFFFF\"\n"},
		{"keys", `{"a b":1,"":2,"1":3,"a: b":4,"<<":5,"x\ny":6,"no":7}`, "a b: 1\n\"\": 2\n\"1\": 3\n\"a: b\": 4\n\"<<\": 5\n\"x\\ny\": 6\n\"no\": 7\n"},
		{"long keys", `{"` + long + `":1,"a":{"` + long + `":{"b":[2]}}}`, "? " + long + "\n: 1\na:\n  ? " + long + "\n  : b:\n      - 2\n"},

		{"literal", `{"a":"x\n  y\n","b":["x\ny","x\n\n"]}`, "a: |\n  x\n    y\nb:\n  - |-\n    x\n    y\n  - |+\n    x\n\n"},
		{"literal that begins with white space", `["  x\ny","\nx\n","\tx\ny"]`, "- |2-\n    x\n  y\n- |2\n\n  x\n- |2-\n  \tx\n  y\n"},
		{"literal at the top", `"x\n--- y\n# z\n"`, "|\n  x\n  --- y\n  # z\n"},
		{"no literal", `["\n","x \ny","x\n\u0085","x\r\ny","x\n "]`, "- \"\\n\"\n- \"x \\ny\"\n- \"x\\n\\x85\"\n- \"x\\r\\ny\"\n- \"x\\n \"\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, err := value.ParseJSON([]byte(test.json), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got := yaml.Marshal(v)
			if string(got) != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
			if again := parse(t, string(got)); again != string(v.JSON()) {
				t.Errorf("read again: %s", again)
			}
		})
	}
}

func TestMarshalStream(t *testing.T) {
	got := string(yaml.Marshal(value.NewMap(), value.NewString("a\n\n"), value.NullValue(), value.NewList(value.NewNumber(1))))
	const want = "{}\n---\n|+\n  a\n\n---\nnull\n---\n- 1\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if again := parse(t, got); again != "{}\n\"a\\n\\n\"\nnull\n[1]" {
		t.Errorf("read again: %s", again)
	}
	if got := yaml.Marshal(); len(got) != 0 {
		t.Errorf("nothing becomes %q", got)
	}
}

func TestAppendOfMadeValues(t *testing.T) {
	v := value.NewMap(value.Member{Name: "nil"}, value.Member{Name: "bad", Value: value.NewString("a\xffb")})
	got := string(yaml.Append([]byte("# kept\n"), v))
	if want := "# kept\nnil: null\nbad: a\uFFFDb\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
