package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

func parsePath(t testing.TB, text string) schema.Path {
	t.Helper()
	p, err := schema.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPathValues(t *testing.T) {
	data := parseJSON(t, `{"metadata":{"labels":{"a":"1","b":null}},"spec":{"a.b":"dots","q\"'\\":"quotes","":"empty","none":null,
		"ports":[{"name":"p0"},{"name":null},{"other":1},"p3"],"intent":{"x":{"n":1},"y/z":{"n":2}}}}`)
	for _, c := range []struct {
		text, canonical string
		want            []string
	}{
		{"spec.intent.x.n", "", []string{"/spec/intent/x/n 1"}},
		{"metadata.labels", "", []string{`/metadata/labels {"a":"1","b":null}`}},
		{"metadata.labels.*", "", []string{`/metadata/labels/a "1"`}},
		{"spec.ports[*].name", "", []string{`/spec/ports/0/name "p0"`}},
		{"spec.ports.*", "", nil},
		{"spec.intent[*].n", "", []string{"/spec/intent/x/n 1", "/spec/intent/y~1z/n 2"}},
		{"spec.intent.*.n", "", []string{"/spec/intent/x/n 1", "/spec/intent/y~1z/n 2"}},
		{`spec["a.b"]`, "", []string{`/spec/a.b "dots"`}},
		{`['spec']['a.b']`, `spec["a.b"]`, []string{`/spec/a.b "dots"`}},
		{`spec['q"\'\\']`, `spec["q\"'\\"]`, []string{`/spec/q"'\ "quotes"`}},
		{`spec[""]`, "", []string{`/spec/ "empty"`}},
		{`spec["ports"][*]["name"]`, "spec.ports[*].name", []string{`/spec/ports/0/name "p0"`}},
		{"spec.none", "", nil},
		{"spec.none.below", "", nil},
		{"spec.ports.name", "", nil},
		{"missing", "", nil},
	} {
		t.Run(c.text, func(t *testing.T) {
			p := parsePath(t, c.text)
			if c.canonical == "" {
				c.canonical = c.text
			}
			if p.String() != c.canonical || p != parsePath(t, c.canonical) {
				t.Errorf("written as %s, want %s", p, c.canonical)
			}
			var got []string
			for pointer, v := range p.Values(data) {
				if at, ok := data.Find(pointer); !ok || at != v {
					t.Errorf("%s leads elsewhere", pointer)
				}
				got = append(got, pointer+" "+string(v.JSON()))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestPathEndsEarly(t *testing.T) {
	data := parseJSON(t, `{"spec":{"l":[1,2,3],"m":{"a":1,"b":2}}}`)
	for _, text := range []string{"spec.l[*]", "spec.m.*"} {
		n := 0
		for range parsePath(t, text).Values(data) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%s: %d values after a break", text, n)
		}
	}
	var zero schema.Path
	for range zero.Values(data) {
		t.Error("the zero path names something")
	}
	if !zero.IsZero() || parsePath(t, "spec").IsZero() {
		t.Error("IsZero")
	}
}

func TestPathErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "column 1: the name of a member is missing"},
		{"leading dot", ".spec", "column 1: the name of a member is missing"},
		{"trailing dot", "spec.", "column 6: the name of a member is missing"},
		{"two dots", "spec..a", "column 6: the name of a member is missing"},
		{"any at the root", "*.a", "column 1: a path begins with the name of a member"},
		{"items at the root", "[*].a", "column 1: a path begins with the name of a member"},
		{"an index", "spec.a[0]", "column 7: a bracket holds * or a name in quotes"},
		{"a space", "spec.my name", "column 8: the name of a member cannot hold this character outside of brackets"},
		{"a star in a name", "spec.a*", "column 7: the name of a member cannot hold this character outside of brackets"},
		{"open quotes", `spec["a`, "column 5: the quotes are not closed"},
		{"open bracket", `spec["a"`, "column 5: the bracket is not closed behind the name"},
		{"an escape", `spec["\n"]`, "column 5: a backslash stands before a quote or another backslash only"},
		{"a control character", "spec['\n']", "column 5: a name cannot hold control characters"},
		{"no dot behind a bracket", `spec[*]name`, `column 8: "n" follows a bracket, not a dot or another bracket`},
		{"too long", strings.Repeat("a", 2000), "column 1025: the path has more than 1024 bytes"},
		{"not UTF-8", "spec.\xff", "column 1: the path is not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := schema.ParsePath(c.text)
			e := dovetail.AsError(err)
			if e == nil || e.Code != dovetail.CodeInvalid || e.Message != c.want || e.Remedy == "" {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// A path finds the member that it was made of, whatever its name is.
func TestPathOfAnyName(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.StringMatching(`[ -~äß€]{0,8}`).Draw(r, "name")
		p, err := schema.ParsePath(`spec['` + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name) + `']`)
		if err != nil {
			r.Fatal(err)
		}
		data := value.NewMap(value.Member{Name: "spec", Value: value.NewMap(value.Member{Name: name, Value: value.NewNumber(1)})})
		found := 0
		for pointer := range p.Values(data) {
			if found++; pointer != value.Pointer("spec", name) {
				r.Errorf("%s leads to %s", p, pointer)
			}
		}
		if again, err := schema.ParsePath(p.String()); found != 1 || err != nil || again != p {
			r.Errorf("%s: %d places; read again %s, %v", p, found, again, err)
		}
	})
}

func FuzzParsePath(f *testing.F) {
	for _, text := range []string{"spec.a", "spec.ports[*].name", "spec.intent.*", `spec["a.b"]`, `spec['x'][*].*`, `spec["\"\\"]`, "spec..a", "[*]", "ä.ö"} {
		f.Add(text)
	}
	data := parseJSON(f, `{"spec":{"a":1,"ports":[{"name":"p"}],"intent":{"x":1},"a.b":2},"metadata":{"labels":{"x":"y"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := schema.ParsePath(text)
		if err != nil {
			if e := dovetail.AsError(err); e.Code != dovetail.CodeInvalid || e.Remedy == "" || !p.IsZero() {
				t.Errorf("incomplete error %+v with %s", e, p)
			}
			return
		}
		if again, err := schema.ParsePath(p.String()); err != nil || again != p {
			t.Errorf("%s is read again as %s, %v", p, again, err)
		}
		for pointer, v := range p.Values(data) {
			if at, ok := data.Find(pointer); !ok || at != v || v.Kind == value.Null {
				t.Errorf("%s leads elsewhere", pointer)
			}
		}
	})
}

func ExampleParsePath() {
	data, err := value.ParseJSON([]byte(`{"spec":{"ports":[{"name":"http"},{"name":"https"}]}}`), value.Limits{})
	if err != nil {
		panic(err)
	}
	path, err := schema.ParsePath("spec.ports[*].name")
	if err != nil {
		panic(err)
	}
	for pointer, v := range path.Values(data) {
		fmt.Println(pointer, v.Text)
	}
	// Output:
	// /spec/ports/0/name http
	// /spec/ports/1/name https
}
