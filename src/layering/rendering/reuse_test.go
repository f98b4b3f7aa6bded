package rendering_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// Rendering a site after others, of which some were rendered, gives what rendering it alone does: values, secrets, warnings and
// errors.
func TestAfterIsAlone(t *testing.T) {
	taken, changed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		have, last := drawLinked(t), &rendering.Rendering{}
		site := rendering.Resolve(have, rendering.Options{})
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			if rapid.IntRange(0, 3).Draw(t, "rendered") > 0 {
				if r, err := site.Render(); err == nil {
					last = r
				}
			}
			have = drawChange(t, have)
			site = rendering.ResolveAfter(site, have, rendering.Options{})
		}
		got, gotErr := site.Render()
		want, wantErr := rendering.Render(have, rendering.Options{})
		if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Fatalf("after another: %v\nalone: %v", gotErr, wantErr)
		}
		if wantErr != nil {
			return
		}
		if fmt.Sprint(got.Warnings.Kept()) != fmt.Sprint(want.Warnings.Kept()) || len(got.Documents) != len(want.Documents) {
			t.Fatalf("after another: %d documents, %v\nalone: %d documents, %v", len(got.Documents), got.Warnings.Kept(), len(want.Documents), want.Warnings.Kept())
		}
		for i, d := range want.Documents {
			g := got.Documents[i]
			if g.Document != d.Document || !value.Equal(g.Data(), d.Data()) || g.Secret() != d.Secret() || !value.Equal(g.Redacted(), d.Redacted()) {
				t.Fatalf("%s after another: %s\nalone: %s", d.ID, g.Data().JSON(), d.Data().JSON())
			}
			if j := slices.IndexFunc(last.Documents, func(l *rendering.Rendered) bool { return l.Document == d.Document }); j >= 0 && d.Data() != d.Document.Data() {
				if was := last.Documents[j].Data(); was == g.Data() {
					taken++
				} else if !value.Equal(was, g.Data()) {
					changed++
				}
			}
		}
	})
	if taken == 0 || changed == 0 {
		t.Errorf("of documents that did not change, %d were taken over, and %d became something else", taken, changed)
	}
}

// drawChange removes some documents, gives others new data, and changes the layering policy now and then.
func drawChange(t *rapid.T, have []*rendering.Document) (next []*rendering.Document) {
	for _, d := range have {
		v := d.Value().Clone()
		switch rapid.IntRange(0, 11).Draw(t, "change") {
		case 0:
			if d.Control {
				v.Get("data").Set("arrayIndex", value.NewString(rapid.SampledFrom([]string{"append", "element"}).Draw(t, "index")))
				break
			}
			continue
		case 1, 2, 3:
			if d.Control {
				next = append(next, d)
				continue
			}
			data, err := value.FromAny(drawLinkedData(t))
			if err != nil {
				t.Fatal(err)
			}
			v.Set("data", data)
		default:
			next = append(next, d)
			continue
		}
		changed, err := rendering.New("", v)
		if err != nil {
			changed = d
		}
		next = append(next, changed)
	}
	return next
}

// drawLinked makes up a site that can mostly be rendered: each document inherits and substitutes only from those before it.
func drawLinked(t *rapid.T) []*rendering.Document {
	text := "{schema: deckhand/LayeringPolicy/v1, metadata: {schema: metadata/Control/v1, name: policy}, data: {layerOrder: [global, region, site]}}\n"
	layers := []string{"global", "region", "site"}
	var layerOf []int
	for i := range rapid.IntRange(3, 10).Draw(t, "documents") {
		layer := rapid.IntRange(0, 2).Draw(t, "layer")
		definition := "layer: " + layers[layer]
		if parents := above(layerOf, layer); len(parents) > 0 && rapid.IntRange(0, 3).Draw(t, "child") > 0 {
			definition += fmt.Sprintf(", parentSelector: {name: d%d}, actions: [{method: %s, path: %s}]", rapid.SampledFrom(parents).Draw(t, "parent"),
				rapid.SampledFrom([]string{"merge", "replace"}).Draw(t, "method"), rapid.SampledFrom([]string{".", ".a", ".b", `".b[0]"`}).Draw(t, "path"))
		}
		var substitutions []string
		for range rapid.IntRange(0, min(i, 2)).Draw(t, "substitutions") {
			pattern := rapid.SampledFrom([]string{"", "", ", pattern: x", ", pattern: y+"}).Draw(t, "pattern")
			substitutions = append(substitutions, fmt.Sprintf("{src: {schema: example/Kind/v1, name: d%d, path: .c%s}, dest: {path: %s}}", rapid.IntRange(0, i-1).Draw(t, "source"), pattern,
				rapid.SampledFrom([]string{".c", ".a.e", ".f, pattern: x"}).Draw(t, "to")))
		}
		data, err := value.FromAny(drawLinkedData(t))
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("---\n{schema: example/Kind/v1, metadata: {schema: metadata/Document/v1, name: d%d, labels: {name: d%d}, storagePolicy: %s, layeringDefinition: {%s}, substitutions: [%s]}, data: %s}\n",
			i, i, rapid.SampledFrom([]string{"cleartext", "cleartext", "encrypted"}).Draw(t, "policy"), definition, strings.Join(substitutions, ", "), data.JSON())
		layerOf = append(layerOf, layer)
	}
	documents, err := rendering.Parse("", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return documents
}

// above are the numbers of those whose layer is above another one.
func above(layers []int, layer int) (numbers []int) {
	for i, l := range layers {
		if l < layer {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// drawLinkedData is data with all members that others take.
func drawLinkedData(t *rapid.T) any {
	word := rapid.SampledFrom([]string{"x", "xy", "yy", "z"})
	return map[string]any{"a": map[string]any{word.Draw(t, "name"): word.Draw(t, "a")}, "b": []any{map[string]any{word.Draw(t, "item"): word.Draw(t, "b")}},
		"c": word.Draw(t, "c"), "f": "x" + word.Draw(t, "f")}
}
