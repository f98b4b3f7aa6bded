package rendering_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

func TestDiff(t *testing.T) {
	document := func(name, layer, more, data string) string {
		return fmt.Sprintf("---\nschema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: %s, layeringDefinition: {layer: %s}%s}\ndata: %s\n", name, layer, more, data)
	}
	tests := []struct {
		name, from, to string
		want           string
	}{
		{name: "nothing", from: document("a", "site", "", "{a: 1, b: 2}"), to: document("a", "site", "", "{b: 2, a: 1}")},
		{name: "added", to: document("a", "site", "", "1"), want: "added a in site\n"},
		{name: "removed", from: document("a", "site", "", "1"), want: "removed a in site\n"},
		{name: "values", from: document("a", "site", "", "{a: 1, b: {c: 2}, d: null}"), to: document("a", "site", "", "{a: 2, b: {}, e: []}"),
			want: "changed a in site\n  /data/a 1 2\n  /data/b/c 2 \n  /data/d null \n  /data/e  []\n"},
		{name: "lists", from: document("a", "site", "", "[1, {x: 1}, 3]"), to: document("a", "site", "", "[1, {x: 2}]"),
			want: "changed a in site\n  /data/1/x 1 2\n  /data/2 3 \n"},
		{name: "kinds", from: document("a", "site", "", "{a: []}"), to: document("a", "site", "", "{a: {}}"), want: "changed a in site\n  /data/a [] {}\n"},
		{name: "metadata", from: document("a", "site", "", "1"), to: document("a", "site", ", labels: {k: v}", "1"),
			want: "changed a in site\n  /metadata/labels  {\"k\":\"v\"}\n"},
		{name: "another layer", from: document("a", "site", "", "1"), to: document("a", "global", "", "1"),
			want: "changed a in global\n  /metadata/layeringDefinition/layer \"site\" \"global\"\n"},
		{name: "secrets", from: document("a", "site", ", storagePolicy: encrypted", "{x: 1}"), to: document("a", "site", ", storagePolicy: encrypted", "{x: 2, y: 3}"),
			want: "changed a in site\n  /data/x \"REDACTED\" \"REDACTED\"\n  /data/y  \"REDACTED\"\n"},
		{name: "no longer secret", from: document("a", "site", ", storagePolicy: encrypted", "1"), to: document("a", "site", ", storagePolicy: cleartext", "2"),
			want: "changed a in site\n  /metadata/storagePolicy \"encrypted\" \"cleartext\"\n  /data \"REDACTED\" 2\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var renderings [2]*rendering.Rendering
			for i, text := range []string{test.from, test.to} {
				documents, err := rendering.Parse("", []byte(policy+text))
				if err != nil {
					t.Fatal(err)
				}
				if renderings[i], err = rendering.Render(documents, rendering.Options{}); err != nil {
					t.Fatal(err)
				}
			}
			var b strings.Builder
			for _, d := range rendering.Diff(renderings[0], renderings[1]) {
				fmt.Fprintf(&b, "%s %s in %s\n", d.Change, d.Document.Name, d.Document.Layer)
				for _, v := range d.Values {
					var from, to string
					if v.Old != nil {
						from = string(v.Old.JSON())
					}
					if v.New != nil {
						to = string(v.New.JSON())
					}
					fmt.Fprintf(&b, "  %s %s %s\n", v.Path, from, to)
				}
			}
			if b.String() != test.want {
				t.Errorf("got\n%swant\n%s", b.String(), test.want)
			}
		})
	}
}
