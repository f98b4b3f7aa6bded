package yaml_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

const paramSet = `# for the core
name: core-params   # as the file
parameters:
  URL: "http://core"  # of the gateway

  "a.b": 1
  $x: '${creds.get("db").password}'
  deep: {a: [1, 2], b: x}
applications:
  # the shop
  - appName: shop
    parameters:
      A: 1 # one
  - appName: crm
    parameters: {}
  # last
  - parameters:
      B: |
        two
        lines
    appName: late
`

func TestRewrite(t *testing.T) {
	one := value.NewNumber(1)
	tests := []struct {
		name, text string
		change     func(v *value.Value)
		old, new   string // the part that becomes another
	}{
		{"nothing", paramSet, func(*value.Value) {}, "", ""},
		{"a value", paramSet, func(v *value.Value) { v.Get("parameters").Set("a.b", value.NewNumber(2)) }, `"a.b": 1`, `"a.b": 2`},
		{"a value in flow style", paramSet, func(v *value.Value) { v.At("parameters", "deep").Set("b", value.NewString("z")) }, `b: x`, `b: z`},
		{"another order of members", paramSet, func(v *value.Value) {
			m := v.Members
			m[0], m[1], m[2] = m[2], m[0], m[1]
		}, "", ""},
		{"another order and a value", "a: 1 # x\nb: 2\n", func(v *value.Value) {
			v.Members[0], v.Members[1] = v.Members[1], v.Members[0]
			v.Set("a", value.NewNumber(3))
		}, "a: 1", "a: 3"},
		{"new members come last", "b: 1 # x\n", func(v *value.Value) {
			v.Members = append([]value.Member{{Name: "a", Value: one}}, v.Members...)
		}, "b: 1 # x\n", "b: 1 # x\na: 1\n"},
		{"a value in an item", paramSet, func(v *value.Value) {
			v.Get("applications").Items[0].Get("parameters").Set("A", value.NewNumber(7))
		}, "A: 1 # one", "A: 7 # one"},
		{"an item goes", paramSet, func(v *value.Value) {
			list := v.Get("applications")
			list.Items = list.Items[1:]
		}, "  # the shop\n  - appName: shop\n    parameters:\n      A: 1 # one\n", "  # the shop\n"},
		{"an item goes and another changes", "- n: a\n  v: 1 # one\n- n: b\n  v: 2 # two\n- n: c # three\n", func(v *value.Value) {
			v.Items = v.Items[1:]
			v.Items[0].Set("v", value.NewNumber(5))
		}, "- n: a\n  v: 1 # one\n- n: b\n  v: 2 # two\n", "- n: b\n  v: 5 # two\n"},
		{"an item comes between", "l:\n  - a # one\n  - c # three\n", func(v *value.Value) {
			list := v.Get("l")
			list.Items = []*value.Value{list.Items[0], value.NewString("b"), list.Items[1]}
		}, "one\n", "one\n  - b\n"},
		{"a scalar item becomes another", "l:\n  - a # one\n  - b # two\n  - c\n", func(v *value.Value) {
			v.Get("l").Items[1] = value.NewString("x")
		}, "- b #", "- x #"},
		{"items move", "l:\n  - a # one\n  - b # two\n  - c # three\n", func(v *value.Value) {
			l := v.Get("l").Items
			l[0], l[1], l[2] = l[2], l[0], l[1]
		}, "  - a # one\n  - b # two\n  - c # three\n", "  - c\n  - a # one\n  - b # two\n"},
		{"only comments", "# a file\n# of nothing", func(v *value.Value) { *v = *value.NewMap(value.Member{Name: "a", Value: one}) }, "nothing", "nothing\na: 1\n"},
		{"a beginning and comments", "---\n# none\n", func(v *value.Value) { *v = *value.NewMap(value.Member{Name: "a", Value: one}) }, "none\n", "none\na: 1\n"},
		{"an empty text", "", func(v *value.Value) { *v = *value.NewMap(value.Member{Name: "a", Value: one}) }, "", "a: 1\n"},
		{"Windows", "a: 1\r\nb: 2 # x\r\n", func(v *value.Value) { v.Set("a", value.NewNumber(3)) }, "a: 1", "a: 3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			to := value.NullValue()
			if values, err := yaml.Parse("", []byte(test.text), value.Limits{}); err != nil {
				t.Fatal(err)
			} else if len(values) == 1 {
				to = values[0]
			}
			test.change(to)
			want := strings.Replace(test.text, test.old, test.new, 1)
			if got := string(yaml.Rewrite([]byte(test.text), to.Unplaced())); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestRewriteAnew(t *testing.T) {
	to := value.NewMap(value.Member{Name: "b", Value: value.NewNumber(1)})
	for _, text := range []string{"a: [", "a: 1\n---\nb: 2\n", "a: 1\na: 2\n", "[1]", "--- # c\n...\n"} {
		if got := yaml.Rewrite([]byte(text), to); string(got) != "b: 1\n" && !strings.HasSuffix(string(got), "\nb: 1\n") {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Every rewritten text parses to the new value, and a text that already does stays the same to the byte.
func TestRewriteMeansTheNewValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := yaml.Marshal(values(3).Draw(t, "from"))
		to := parseOne(t, string(text))
		mutate(t, to, 3)
		edited := yaml.Rewrite(text, to.Unplaced())
		if got := parseOne(t, string(edited)); !value.Equal(got, to) {
			t.Fatalf("%s became\n%s\nwant %s", text, edited, to.JSON())
		}
		if again := yaml.Rewrite(edited, to.Unplaced()); string(again) != string(edited) {
			t.Fatalf("the second time\n%s\nbecame\n%s", edited, again)
		}
	})
}

// A scalar that changes changes its own line only, however the text is written.
func TestRewriteTouchesOneLine(t *testing.T) {
	var places [][]string
	var walk func(v *value.Value, path []string)
	walk = func(v *value.Value, path []string) {
		for _, m := range v.Members {
			walk(m.Value, append(path[:len(path):len(path)], m.Name))
		}
		if v.Kind == value.String || v.Kind == value.Number {
			places = append(places, path)
		}
	}
	walk(parseOne(t, paramSet), nil)
	if len(places) < 4 {
		t.Fatal("the sample has too few scalars")
	}
	for _, path := range places {
		to := parseOne(t, paramSet)
		*to.At(path...) = *value.NewString("other: #thing")
		before, after := strings.Split(paramSet, "\n"), strings.Split(string(yaml.Rewrite([]byte(paramSet), to.Unplaced())), "\n")
		differ := 0
		for i := range min(len(before), len(after)) {
			if before[i] != after[i] {
				differ++
			}
		}
		if len(before) != len(after) || differ != 1 {
			t.Errorf("%v: %d lines differ in\n%s", path, differ, strings.Join(after, "\n"))
		}
	}
}

// TestRewriteClassic keeps and changes what YAML 1.1 reads as something else than YAML 1.2.
func TestRewriteClassic(t *testing.T) {
	const text = "# made\na: yes # on\nb: 08\nc: 1:30\nd: {e: Off, f: y}\n"
	for _, tt := range []struct {
		name, old, new string
		change         func(v *value.Value)
	}{
		{name: "nothing", change: func(*value.Value) {}},
		{name: "another member", old: "f: y", new: "f: x", change: func(v *value.Value) { v.Get("d").Set("f", value.NewString("x")) }},
		{name: "a word", old: "a: yes", new: "a: false", change: func(v *value.Value) { v.Set("a", value.NewBool(false)) }},
		{name: "a word that is a string", old: "a: yes", new: `a: "yes"`, change: func(v *value.Value) { v.Set("a", value.NewString("yes")) }},
		{name: "a number that is a string", old: "c: 1:30", new: `c: "-1:30"`, change: func(v *value.Value) { v.Set("c", value.NewString("-1:30")) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			read, err := yaml.ParseClassic("", []byte(text), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			to := read[0].Unplaced()
			tt.change(to)
			want := strings.Replace(text, tt.old, tt.new, 1)
			if got := string(yaml.RewriteClassic([]byte(text), to)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if again, err := yaml.ParseClassic("", []byte(want), value.Limits{}); err != nil || !value.Equal(again[0], to) {
				t.Errorf("it is read as %s, %v", again[0].JSON(), err)
			}
		})
	}
}
