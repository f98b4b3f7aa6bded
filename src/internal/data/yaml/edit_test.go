package yaml_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/value"
)

func parseOne(t interface{ Fatalf(string, ...any) }, text string) *value.Value {
	values, err := yaml.Parse("", []byte(text), value.Limits{})
	if err != nil || len(values) != 1 {
		t.Fatalf("%d documents, %v in\n%s", len(values), err, text)
	}
	return values[0]
}

const solution = `# The solution of env-01.
version: 2.1   # of the format
type: "deploy"

# what is deployed
applications:

  # the core
  - version: "core:1.0" # pinned
    deployPostfix: core

  # billing, see the wiki
  - {version: 'billing:2.0', deployPostfix: billing} # in one line
  # crm
  - version: crm:7
    deployPostfix: bss
    note: |
      kept
      as it is
  # the end of the list
deployGraph:
- chunkName: first
  apps: [core:core, "billing:billing"]  # quickly
- chunkName: second
  apps:
  - crm:bss
# the end
`

func TestEdit(t *testing.T) {
	text := value.NewString
	app := func(v *value.Value, i int) *value.Value { return v.Get("applications").Items[i] }
	set := func(v *value.Value, name, s string) { v.Set(name, &value.Value{Kind: value.String, Text: s}) }
	remove := func(list *value.Value, i int) { list.Items = append(list.Items[:i:i], list.Items[i+1:]...) }
	tests := []struct {
		name, text string
		change     func(v *value.Value)
		old, new   string // the part that becomes another
	}{
		{"nothing", solution, func(*value.Value) {}, "", ""},
		{"scalar in double quotes", solution, func(v *value.Value) { set(app(v, 0), "version", "core:1.1") }, `"core:1.0" #`, `"core:1.1" #`},
		{"scalar in single quotes", solution, func(v *value.Value) { set(app(v, 1), "version", "it's:2") }, `'billing:2.0'`, `'it''s:2'`},
		{"plain scalar", solution, func(v *value.Value) { set(app(v, 2), "version", "crm:8") }, `crm:7`, `crm:8`},
		{"plain scalar that needs quotes", solution, func(v *value.Value) { set(app(v, 2), "version", "8") }, `crm:7`, `"8"`},
		{"plain scalar in flow style", solution, func(v *value.Value) { set(app(v, 1), "deployPostfix", "a,b") }, `billing}`, `"a,b"}`},
		{"number", solution, func(v *value.Value) { v.Set("version", &value.Value{Kind: value.Number, Text: "2.2"}) }, `2.1   #`, `2.2   #`},
		{"number becomes text", solution, func(v *value.Value) { set(v, "version", "2.1") }, `2.1   #`, `"2.1"   #`},
		{"literal", solution, func(v *value.Value) { set(app(v, 2), "note", "other\n") }, "kept\n      as it is", "other"},
		{"scalar becomes a map", solution, func(v *value.Value) { v.Set("type", value.NewMap(value.Member{Name: "a", Value: text("b")})) }, `type: "deploy"`, "type:\n  a: b"},
		{"map becomes a scalar", solution, func(v *value.Value) { app(v, 2).Set("note", value.NullValue()) }, "|\n      kept\n      as it is", "null"},

		{"remove a member", solution, func(v *value.Value) { v.Delete("type") }, "type: \"deploy\"\n", ""},
		{"remove the first members", solution, func(v *value.Value) { v.Delete("version"); v.Delete("type") }, "version: 2.1   # of the format\ntype: \"deploy\"\n\n", ""},
		{"remove the last member", solution, func(v *value.Value) { v.Delete("deployGraph") },
			solution[strings.Index(solution, "deployGraph"):strings.Index(solution, "# the end\n")], ""},
		{"remove the first member of an item", solution, func(v *value.Value) { app(v, 0).Delete("version") },
			"- version: \"core:1.0\" # pinned\n    deployPostfix: core", "- deployPostfix: core"},
		{"remove the second member of an item", solution, func(v *value.Value) { app(v, 0).Delete("deployPostfix") }, "    deployPostfix: core\n", ""},
		{"add a member", solution, func(v *value.Value) { set(v, "note", "x") }, "  - crm:bss\n", "  - crm:bss\nnote: x\n"},
		{"add a member to an item", solution, func(v *value.Value) { set(app(v, 0), "alias", "main") }, "deployPostfix: core\n", "deployPostfix: core\n    alias: main\n"},
		{"add a member in flow style", solution, func(v *value.Value) { set(app(v, 1), "alias", "b: c") },
			"{version: 'billing:2.0', deployPostfix: billing}", `{version: billing:2.0, deployPostfix: billing, alias: "b: c"}`},

		{"remove the first item", solution, func(v *value.Value) { remove(v.Get("applications"), 0) },
			"  - version: \"core:1.0\" # pinned\n    deployPostfix: core\n\n", ""},
		{"remove an item with its comment", solution, func(v *value.Value) { remove(v.Get("applications"), 1) },
			"  # billing, see the wiki\n  - {version: 'billing:2.0', deployPostfix: billing} # in one line\n", ""},
		{"remove the last item", solution, func(v *value.Value) { remove(v.Get("applications"), 2) },
			"  # crm\n  - version: crm:7\n    deployPostfix: bss\n    note: |\n      kept\n      as it is\n", ""},
		{"remove all items", solution, func(v *value.Value) { v.Get("applications").Items = nil },
			solution[strings.Index(solution, "applications:"):strings.Index(solution, "  # the end of")], "applications: []\n"},
		{"replace all items", solution, func(v *value.Value) { v.At("deployGraph").Items[1].Get("apps").Items = []*value.Value{text("a")} }, "- crm:bss", "- a"},
		{"add an item", solution, func(v *value.Value) {
			list := v.Get("applications")
			list.Items = append(list.Items, value.NewMap(value.Member{Name: "version", Value: text("new:1")}, value.Member{Name: "deployPostfix", Value: text("x")}))
		}, "as it is\n", "as it is\n  - version: new:1\n    deployPostfix: x\n"},
		{"add an item first", solution, func(v *value.Value) {
			list := v.Get("deployGraph")
			list.Items = append([]*value.Value{value.NewMap(value.Member{Name: "chunkName", Value: text("zero")})}, list.Items...)
		}, "- chunkName: first", "- chunkName: zero\n- chunkName: first"},
		{"add an item without indentation", solution, func(v *value.Value) {
			apps := v.Get("deployGraph").Items[1].Get("apps")
			apps.Items = append(apps.Items, text("new:x"))
		}, "  - crm:bss\n", "  - crm:bss\n  - new:x\n"},
		{"add an item in flow style", solution, func(v *value.Value) {
			apps := v.Get("deployGraph").Items[0].Get("apps")
			apps.Items = append(apps.Items, text("new:x"), text("y"))
		}, `"billing:billing"]`, `"billing:billing", "new:x", "y"]`},
		{"remove an item in flow style", solution, func(v *value.Value) { remove(v.Get("deployGraph").Items[0].Get("apps"), 0) },
			`[core:core, "billing:billing"]`, `[billing:billing]`},

		{"everything at once", "a: 1 # one\nb: [x]\nc: # three\n  - p: 1\n  - p: 2\n", func(v *value.Value) {
			set(v, "a", "z")
			v.Delete("b")
			remove(v.Get("c"), 0)
			set(v.Get("c").Items[0], "q", "r")
			set(v, "d", "e")
		}, "a: 1 # one\nb: [x]\nc: # three\n  - p: 1\n  - p: 2\n", "a: z # one\nc: # three\n  - p: 2\n    q: r\nd: e\n"},
		{"remove what blank lines surround", "# c\n\na: 1\n\n# b\nb: 2\n\n# d\nd: 3\n\n# e\n", func(v *value.Value) { v.Delete("a"); v.Delete("d") }, "# c\n\na: 1\n\n# b\nb: 2\n\n# d\nd: 3\n", "# c\n\n# b\nb: 2\n"},
		{"no line break at the end", "a: 1\nb: 2", func(v *value.Value) { set(v, "c", "x") }, "b: 2", "b: 2\nc: x"},
		{"Windows", "# c\r\na: 1\r\nb:\r\n  - x\r\n", func(v *value.Value) { v.Get("b").Items = append(v.Get("b").Items, text("z")) }, "  - x\r\n", "  - x\r\n  - z\r\n"},
		{"end of the document", "a: 1\n...\n", func(v *value.Value) { set(v, "b", "x") }, "a: 1\n", "a: 1\nb: x\n"},
		{"beginning of the document", "--- # c\na: 1\n", func(v *value.Value) { set(v, "b", "x") }, "a: 1\n", "a: 1\nb: x\n"},
		{"plain text of two lines", "a: one\n  two # c\nb: 1 # d\n", func(v *value.Value) { set(v, "a", "x") }, "a: one\n  two # c", "a: x"},
		{"an empty list gets items", "# c\na: []\n", func(v *value.Value) { v.Get("a").Items = []*value.Value{text("x")} }, "a: []", "a:\n  - x"},
		{"an empty value", "# c\na:\nb: 1\n", func(v *value.Value) { set(v, "a", "x") }, "a:\n", "a: x\n"},
		{"an anchor that is not touched", "a: &x {p: 1} # c\nb: *x\nc: 1\n", func(v *value.Value) { set(v, "c", "x") }, "c: 1", "c: x"},
		{"an alias is replaced", "a: &x {p: 1} # c\nb: *x\n", func(v *value.Value) { v.Set("b", text("x")) }, "*x", "x"},
		{"bytes and characters", "é: [日本, 'ü'] # ö\n", func(v *value.Value) { v.Get("é").Items = append(v.Get("é").Items, text("ß")) }, "'ü'", "'ü', 'ß'"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			from, to := parseOne(t, test.text), parseOne(t, test.text)
			test.change(to)
			want := strings.Replace(test.text, test.old, test.new, 1)
			if got := string(yaml.Edit([]byte(test.text), from, to)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// What cannot be edited is written again.
func TestEditAnew(t *testing.T) {
	tests := []struct {
		name, text string
		change     func(v *value.Value)
	}{
		{"flow style", `{a: 1, b: [x]} # c`, func(v *value.Value) { v.Delete("a") }},
		{"another order", "- a # c\n- b\n", func(v *value.Value) { v.Items[0], v.Items[1] = v.Items[1], v.Items[0] }},
		{"an alias that must not follow", "a: &x\n  p: 1 # c\nb: *x\n", func(v *value.Value) {
			v.Set("a", value.NewMap(value.Member{Name: "p", Value: value.NewNumber(2)}))
		}},
		{"nothing remains", "a: 1 # c\n", func(v *value.Value) { v.Members = nil }},
		{"without position", "a: 1 # c\n", func(v *value.Value) { *v = *value.NewMap(value.Member{Name: "b", Value: value.NewNumber(1)}) }},
		{"explicit keys", "? a # c\n: 1\n? b\n: 2\n", func(v *value.Value) { v.Delete("b") }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			from, to := parseOne(t, test.text), parseOne(t, test.text)
			test.change(to)
			if got := string(yaml.Edit([]byte(test.text), from, to)); got != string(yaml.Marshal(to)) {
				t.Errorf("got\n%s\nwant\n%s", got, yaml.Marshal(to))
			}
		})
	}
}

// Every edited text parses to the new value.
func TestEditMeansTheNewValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(yaml.Marshal(values(3).Draw(t, "from")))
		from, to := parseOne(t, text), parseOne(t, text)
		mutate(t, to, 3)
		edited := yaml.Edit([]byte(text), from, to)
		if got := parseOne(t, string(edited)); !value.Equal(got, to) {
			t.Fatalf("%s became\n%s\nwant %s", text, edited, to.JSON())
		}
	})
}

// mutate changes, adds and removes a few things.
func mutate(t *rapid.T, v *value.Value, depth int) {
	switch what := rapid.IntRange(0, 3).Draw(t, "what"); {
	case v.Kind == value.List && len(v.Items) > 0 && what > 0:
		i := rapid.IntRange(0, len(v.Items)-1).Draw(t, "item")
		switch what {
		case 1:
			mutate(t, v.Items[i], depth-1)
		case 2:
			v.Items = append(v.Items[:i:i], v.Items[i+1:]...)
		case 3:
			v.Items = append(v.Items, values(1).Draw(t, "new"))
		}
	case v.Kind == value.Map && len(v.Members) > 0 && what > 0:
		i := rapid.IntRange(0, len(v.Members)-1).Draw(t, "member")
		switch what {
		case 1:
			mutate(t, v.Members[i].Value, depth-1)
		case 2:
			v.Delete(v.Members[i].Name)
		case 3:
			v.Set(rapid.StringMatching(`[a-z]{1,3}`).Draw(t, "name"), values(1).Draw(t, "new"))
		}
	default:
		place := v.Place
		*v = *values(1).Draw(t, "new")
		v.Place = place
	}
	if depth > 0 && rapid.Bool().Draw(t, "more") {
		mutate(t, v, depth-1)
	}
}
