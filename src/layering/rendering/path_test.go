package rendering

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/value"
)

func TestParsePath(t *testing.T) {
	tests := []struct {
		name, text, want, problem string
	}{
		{name: "dot", text: ".", want: "."},
		{name: "dollar", text: "$", want: "."},
		{name: "dollar and dot", text: "$.", want: "."},
		{name: "member", text: ".a", want: ".a"},
		{name: "members", text: ".a.b-c.d_1", want: ".a.b-c.d_1"},
		{name: "without dot", text: "a.b", want: ".a.b"},
		{name: "with dollar", text: "$.a", want: ".a"},
		{name: "bracket after dollar", text: "$['a b'][1]", want: ".'a b'[1]"},
		{name: "single quotes", text: ".'filter:auth'.x", want: ".'filter:auth'.x"},
		{name: "double quotes", text: `."a.b"`, want: `.'a.b'`},
		{name: "escapes", text: `.'it\'s \\'`, want: `.'it\'s \\'`},
		{name: "empty name", text: ".''", want: ".''"},
		{name: "name that needs no quotes", text: ".'a'", want: ".a"},
		{name: "index", text: ".a[0].b", want: ".a[0].b"},
		{name: "index after dot", text: ".a.[10]", want: ".a[10]"},
		{name: "index of the root", text: ".[1]", want: "[1]"},
		{name: "wildcards", text: ".a[*].*", want: ".a[*].*"},
		{name: "other characters", text: ".a:b/c@d", want: ".'a:b/c@d'"},

		{name: "nothing", text: "", problem: "the path is empty"},
		{name: "any depth", text: "..a", problem: "at any depth"},
		{name: "any depth inside", text: ".a..b", problem: "at any depth"},
		{name: "dot at the end", text: ".a.", problem: "ends with a dot"},
		{name: "after dollar", text: "$a", problem: "after $ comes"},
		{name: "open bracket", text: ".a[", problem: "after [ comes"},
		{name: "bracket not closed", text: ".a[0", problem: "not closed"},
		{name: "negative index", text: ".a[-1]", problem: "after [ comes"},
		{name: "slice", text: ".a[0:2]", problem: "not closed"},
		{name: "filter", text: ".a[?(@.x)]", problem: "after [ comes"},
		{name: "large index", text: ".a[10000]", problem: "over 9999"},
		{name: "huge index", text: ".a[99999999999999999999]", problem: "over 9999"},
		{name: "quote not closed", text: ".'a", problem: "quote is not closed"},
		{name: "member after quote", text: ".'a'b", problem: "comes . or ["},
		{name: "space", text: ".a b", problem: "stands in a name"},
		{name: "bracket in a name", text: ".a]b", problem: "stands in a name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, problem := parsePath(test.text)
			switch {
			case test.problem == "" && (problem != "" || p.String() != test.want):
				t.Errorf("%s, %q; want %s", p, problem, test.want)
			case test.problem != "" && !strings.Contains(problem, test.problem):
				t.Errorf("%s, %q; want %q", p, problem, test.problem)
			}
		})
	}
}

func TestFind(t *testing.T) {
	v, err := value.ParseJSON([]byte(`{"a":[{"y":1},{"x":2},{"x":3}],"m":{"k":{"x":null},"l":{"x":4}},"s":"text"}`), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, path, want string }{
		{name: "member", path: ".s", want: `"text"`},
		{name: "item", path: ".a[1].x", want: "2"},
		{name: "first item that has it", path: ".a[*].x", want: "2"},
		{name: "first member that has it", path: ".m.*.x", want: "null"},
		{name: "first at all", path: ".*[*].y", want: "1"},
		{name: "no member", path: ".b"},
		{name: "no item", path: ".a[3]"},
		{name: "member of a text", path: ".s.x"},
		{name: "item of a map", path: ".m[0]"},
		{name: "member of a list", path: ".a.x"},
		{name: "nothing anywhere", path: ".a[*].z"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, problem := parsePath(test.path)
			if problem != "" {
				t.Fatal(problem)
			}
			found := p.find(v)
			if found == nil && test.want != "" || found != nil && string(found.JSON()) != test.want {
				t.Errorf("%s, want %s", found.JSON(), test.want)
			}
			if found != nil && p.locate(v).find(v) != found {
				t.Errorf("located at %s", p.locate(v))
			}
		})
	}
}

func TestWithoutData(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{name: "alone", text: ".data", want: "."},
		{name: "before a member", text: ".data.a", want: ".a"},
		{name: "before an item", text: ".data[0]", want: "[0]"},
		{name: "only once", text: ".data.data", want: ".data"},
		{name: "part of a name", text: ".database", want: ".database"},
		{name: "quoted", text: ".'data'.a", want: ".data.a"},
		{name: "inside", text: ".a.data", want: ".a.data"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, problem := parsePath(test.text)
			if got := p.withoutData(test.text).String(); problem != "" || got != test.want {
				t.Errorf("%s %s, want %s", got, problem, test.want)
			}
		})
	}
}

// TestPathRoundTrip shows that every path is read again as it is written.
func TestPathRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p path
		for range rapid.IntRange(0, 5).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				p = append(p, step{item: true, index: rapid.IntRange(0, maxIndex).Draw(t, "index")})
			case 1:
				p = append(p, step{any: true, item: rapid.Bool().Draw(t, "item")})
			default:
				p = append(p, step{name: rapid.String().Draw(t, "name")})
			}
		}
		read, problem := parsePath(p.String())
		if problem != "" || len(read) != len(p) || !read.isBelow(p) {
			t.Fatalf("%s was read as %s: %s", p, read, problem)
		}
	})
}

// FuzzPath reads anything as a path, and what was read again.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{".", "$", ".a.b", "$.a[0]", ".'a b'", "['a'][*]", ".data.x", "..a", ".a[", `."\""`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, problem := parsePath(text)
		if problem != "" {
			return
		}
		again, problem := parsePath(p.String())
		if problem != "" || len(again) != len(p) || !again.isBelow(p) {
			t.Fatalf("%q is %s, which is read as %s: %s", text, p, again, problem)
		}
	})
}

// FuzzPattern replaces with anything as a pattern.
func FuzzPattern(f *testing.F) {
	f.Add("INSERT_[A-Z]+_HERE", "http://INSERT_X_HERE/", `$1\1`)
	f.Add("(a)|(b)", "ab", "")
	f.Add("", "ab", "x")
	f.Add("a.b", "a.b", "a.b")
	f.Fuzz(func(t *testing.T, pattern, text, by string) {
		p, err := newPattern(pattern)
		if err != nil {
			return
		}
		want := p.regexp.ReplaceAllLiteralString(text, by)
		if replaced, ok := p.replace(text, by, 1<<30); !ok || replaced != want {
			t.Fatalf("%q with %q in %q is %q, want %q", pattern, by, text, replaced, want)
		}
		if replaced, ok := p.replace(text, by, len(text)); ok && (replaced != want || len(replaced) > len(text)) {
			t.Fatalf("%q with %q in %q is %q, want %q or too much", pattern, by, text, replaced, want)
		}
		part, ok := p.part(text, p.groups())
		if ok != p.regexp.MatchString(text) || !strings.Contains(text, part) {
			t.Fatalf("%q takes %q out of %q", pattern, part, text)
		}
	})
}
