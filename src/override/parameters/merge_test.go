package parameters_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

func read(t testing.TB, text string) *value.Value {
	t.Helper()
	values, err := yaml.Parse("test", []byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return values[0]
}

// layersOf reads maps, named a, b, c ...; one that begins with ? is an input.
func layersOf(t testing.TB, texts ...string) []parameters.Layer {
	var layers []parameters.Layer
	for i, text := range texts {
		text, input := strings.CutPrefix(text, "?")
		layers = append(layers, parameters.Layer{Source: parameters.Source{Name: string(rune('a' + i))}, Values: read(t, text), Input: input})
	}
	return layers
}

func TestMerge(t *testing.T) {
	tests := []struct {
		name     string
		layers   []string
		want     string
		leaves   string // path of each with the layers that say something, the winner in brackets
		overlaps string
	}{
		{name: "nothing", want: `{}`},
		{name: "one", layers: []string{`{a: 1, b: {c: [x]}}`}, want: `{"a":1,"b":{"c":["x"]}}`, leaves: "/a=[a] /b/c=[a]"},
		{name: "maps are merged", layers: []string{`{a: {b: 1}}`, `{a: {c: 2}}`}, want: `{"a":{"b":1,"c":2}}`, leaves: "/a/b=[a] /a/c=[b]"},
		{name: "the later value wins", layers: []string{`{a: 1, b: 2}`, `{a: 3}`}, want: `{"a":3,"b":2}`, leaves: "/a=a[b] /b=[a]", overlaps: "/a"},
		{name: "lists are replaced", layers: []string{`{a: [1, 2]}`, `{a: [3]}`}, want: `{"a":[3]}`, leaves: "/a=a[b]", overlaps: "/a"},
		{name: "equal values overlap, too", layers: []string{`{a: 1}`, `{a: 1}`}, want: `{"a":1}`, leaves: "/a=a[b]", overlaps: "/a"},
		{name: "null is a value", layers: []string{`{a: 1}`, `{a: null}`}, want: `{"a":null}`, leaves: "/a=a[b]", overlaps: "/a"},
		{name: "an empty map adds nothing", layers: []string{`{a: {b: 1}}`, `{a: {}}`}, want: `{"a":{"b":1}}`, leaves: "/a/b=[a]"},
		{name: "two empty maps", layers: []string{`{a: {}}`, `{a: {}}`}, want: `{"a":{}}`, leaves: "/a=a[b]"},
		{name: "a value replaces a map", layers: []string{`{a: {b: 1}}`, `{a: x}`}, want: `{"a":"x"}`, leaves: "/a=a[b]", overlaps: "/a"},
		{name: "a map replaces a value", layers: []string{`{a: x}`, `{a: {b: 1}}`}, want: `{"a":{"b":1}}`, leaves: "/a/b=a(/a)[b]", overlaps: "/a"},
		{name: "only what comes after the value is left", layers: []string{`{a: {b: 1}}`, `{a: x}`, `{a: {c: 2}}`, `{a: {c: 3}}`},
			want: `{"a":{"c":3}}`, leaves: "/a/c=a(/a)b(/a)c[d]", overlaps: "/a /a/c"},
		{name: "an empty map replaces a value", layers: []string{`{a: {b: 1}}`, `{a: x}`, `{a: {}}`}, want: `{"a":{}}`, leaves: "/a=ab[c]", overlaps: "/a"},
		{name: "names of every kind", layers: []string{`{"a.b": 1, $x: 2, "y/z": 3, "~": 4, "": 5, "ключ": 6}`, `{a: {b: 7}}`},
			want:   `{"a.b":1,"$x":2,"y/z":3,"~":4,"":5,"ключ":6,"a":{"b":7}}`,
			leaves: "/a.b=[a] /$x=[a] /y~1z=[a] /~0=[a] /=[a] /ключ=[a] /a/b=[b]"},
		{name: "an input is listed", layers: []string{`?{a: 1, z: 9}`, `{b: 0, a: 2}`}, want: `{"b":0,"a":2}`, leaves: "/b=[b] /a=a[b]"},
		{name: "an input under a map", layers: []string{`?{a: {b: 1, z: 9}}`, `{a: {b: 2}}`}, want: `{"a":{"b":2}}`, leaves: "/a/b=a[b]"},
		{name: "an input above a map", layers: []string{`?{a: 1}`, `{a: {b: 2}}`}, want: `{"a":{"b":2}}`, leaves: "/a/b=a(/a)[b]"},
		{name: "an input with a map for a value", layers: []string{`?{a: {b: 1}}`, `{a: 2}`}, want: `{"a":2}`, leaves: "/a=a[b]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			layers := layersOf(t, test.layers...)
			m := parameters.Merge(layers)
			if got := string(m.Value.JSON()); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			if got := describe(layers, m.Leaves); got != test.leaves {
				t.Errorf("leaves %s, want %s", got, test.leaves)
			}
			var overlaps []string
			for _, o := range parameters.Overlaps(slices.DeleteFunc(layers, func(l parameters.Layer) bool { return l.Input })) {
				overlaps = append(overlaps, o.Path)
			}
			if got := strings.Join(overlaps, " "); got != test.overlaps {
				t.Errorf("overlaps %q, want %q", got, test.overlaps)
			}
		})
	}
}

func describe(layers []parameters.Layer, leaves []parameters.Leaf) string {
	var all []string
	for _, leaf := range leaves {
		text := leaf.Path + "="
		winner := leaf.Winner()
		for _, s := range leaf.Steps {
			name := layers[s.Layer].Name
			if s.Path != leaf.Path {
				name += "(" + s.Path + ")"
			}
			if s.Layer == winner.Layer {
				name = "[" + name + "]"
			}
			text += name
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// drawValue draws values whose names are few, so that layers meet.
func drawValue(t *rapid.T, depth int) *value.Value {
	kinds := 5
	if depth == 0 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 0:
		return value.NewNumber(int64(rapid.IntRange(0, 3).Draw(t, "number")))
	case 1:
		return value.NewString(rapid.SampledFrom([]string{"", "x", "${creds.get('x').password}"}).Draw(t, "text"))
	case 2:
		return value.NullValue()
	case 3:
		return value.NewList(value.NewMap(value.Member{Name: "i", Value: value.NewBool(true)}))
	case 4:
		return value.NewMap()
	}
	return drawMap(t, depth-1)
}

func drawMap(t *rapid.T, depth int) *value.Value {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "a.b", "$", "ж/~"}), 0, 4, rapid.ID[string]).Draw(t, "names")
	m := value.NewMap()
	for _, name := range names {
		m.Members = append(m.Members, value.Member{Name: name, Value: drawValue(t, depth)})
	}
	return m
}

// over is the rule of the merge, for two values at a time.
func over(lower, upper *value.Value) *value.Value {
	if lower == nil || lower.Kind != value.Map || upper.Kind != value.Map {
		return upper.Clone()
	}
	merged := lower.Clone()
	for _, m := range upper.Members {
		merged.Set(m.Name, over(merged.Get(m.Name), m.Value))
	}
	return merged
}

// collides reports whether two values set the same parameter.
func collides(a, b *value.Value) bool {
	if a.Kind != value.Map || b.Kind != value.Map {
		return true
	}
	for _, m := range a.Members {
		if other := b.Get(m.Name); other != nil && collides(m.Value, other) {
			return true
		}
	}
	return false
}

// Merging many layers at once is the same as one by one, whatever inputs are among them, and the leaves
// tell the truth: they make up the result, each with the value that its winner has there.
func TestMergeAgreesWithTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var layers []parameters.Layer
		want := value.NewMap()
		wantOverlap := false
		for i := range rapid.IntRange(0, 5).Draw(t, "layers") {
			layer := parameters.Layer{Source: parameters.Source{Name: fmt.Sprint(i)}, Values: drawMap(t, 3), Input: rapid.IntRange(0, 3).Draw(t, "input") == 0}
			if !layer.Input {
				for _, before := range layers {
					wantOverlap = wantOverlap || !before.Input && collides(before.Values, layer.Values)
				}
				want = over(want, layer.Values)
			}
			layers = append(layers, layer)
		}
		m := parameters.Merge(layers)
		if string(m.Value.JSON()) != string(want.JSON()) {
			t.Fatalf("merged %s\nwant   %s", m.Value.JSON(), want.JSON())
		}
		overlaps := parameters.Overlaps(slices.DeleteFunc(slices.Clone(layers), func(l parameters.Layer) bool { return l.Input }))
		if got := len(overlaps) > 0; got != wantOverlap {
			t.Fatalf("overlaps %v, want any: %t", overlaps, wantOverlap)
		}
		if got, want := len(m.Leaves), countLeaves(m.Value, true); got != want {
			t.Fatalf("%d leaves of %d", got, want)
		}
		for _, leaf := range m.Leaves {
			checkLeaf(t, m, layers, leaf)
		}
	})
}

func checkLeaf(t *rapid.T, m *parameters.Merged, layers []parameters.Layer, leaf parameters.Leaf) {
	at, ok := m.Value.Find(leaf.Path)
	if !ok || !value.Equal(at, leaf.Value) {
		t.Fatalf("%s is not %s", leaf.Path, leaf.Value.JSON())
	}
	if winner := leaf.Winner(); winner.Path != leaf.Path || layers[winner.Layer].Input || !value.Equal(winner.Value, leaf.Value) {
		t.Fatalf("%s: %+v won", leaf.Path, winner)
	}
	for _, s := range leaf.Steps {
		if said, ok := layers[s.Layer].Values.Find(s.Path); !ok || !value.Equal(said, s.Value) || !strings.HasPrefix(leaf.Path, s.Path) {
			t.Fatalf("%s: %+v is not what the layer says", leaf.Path, s)
		}
	}
}

func countLeaves(v *value.Value, top bool) int {
	if v.Kind != value.Map || len(v.Members) == 0 && !top {
		return 1
	}
	n := 0
	for _, m := range v.Members {
		n += countLeaves(m.Value, false)
	}
	return n
}

func FuzzMerge(f *testing.F) {
	f.Add(`{"a":{"b":1}}`, `{"a":2}`, `{"a":{"c":[null,""]}}`)
	f.Add(`{"a.b":"$x"}`, `{"":{}}`, `{"~":"ж"}`)
	f.Add(`1`, `null`, `[]`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var layers []parameters.Layer
		want := value.NewMap()
		for _, text := range []string{a, b, c} {
			v, err := value.ParseJSON([]byte(text), value.Limits{})
			if err != nil {
				return
			}
			layers = append(layers, parameters.Layer{Values: v})
			if v.Kind == value.Map {
				want = over(want, v)
			}
		}
		if m := parameters.Merge(layers); string(m.Value.JSON()) != string(want.JSON()) {
			t.Fatalf("%s, want %s", m.Value.JSON(), want.JSON())
		}
		set, err := parameters.Effective(layers[:1], layers[1:2], layers[2:], parameters.OverlapLaterWins)
		if err != nil || len(parameters.Explain(&set.Merged, set.Layers)) != len(set.Leaves) {
			t.Fatal(err)
		}
	})
}

// example reads what an example shows.
func example(text string) *value.Value {
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		panic(err)
	}
	return v
}
