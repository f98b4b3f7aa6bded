package rendering_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestListsOfDocuments merges lists of documents that are no Kubernetes objects.
func TestListsOfDocuments(t *testing.T) {
	const policy = `{schema: deckhand/LayeringPolicy/v1, metadata: {schema: metadata/Control/v1, name: p}, data: {layerOrder: [global, site]}}
---
`
	const keyed = "[{method: merge, path: .hosts, mergeKey: name}]"
	site := func(base, layering, data string) string {
		return policy + `{schema: example/Net/v1, metadata: {schema: metadata/Document/v1, name: base, storagePolicy: cleartext, labels: {is: base}, layeringDefinition: {layer: global, abstract: true}}, data: ` + base + `}
---
{schema: example/Net/v1, metadata: {schema: metadata/Document/v1, name: net, storagePolicy: cleartext, layeringDefinition: {layer: site, parentSelector: {is: base}, ` + layering + `}}, data: ` + data + `}
`
	}
	tests := []struct {
		name, text string
		want       string // the rendered data
		err        string // or the error
	}{
		{name: "by the key of an action", text: site("{hosts: [{name: a, ip: 1}, {name: b, ip: 2}]}", "actions: "+keyed, "{hosts: [{name: b, ip: 3}, {name: c, ip: 4}]}"),
			want: `{"hosts":[{"name":"a","ip":1},{"name":"b","ip":3},{"name":"c","ip":4}]}`},
		{name: "by keys of paths", text: site("{hosts: [{name: a, ports: [{no: 1, up: false}]}]}", "mergeKeys: {.hosts: name, '.data.hosts[*].ports': no}, actions: [{method: merge, path: .}]", "{hosts: [{name: a, ports: [{no: 1, up: true}, {no: 2}]}]}"),
			want: `{"hosts":[{"name":"a","ports":[{"no":1,"up":true},{"no":2}]}]}`},
		{name: "an item is deleted", text: site("{hosts: [{name: a}, {name: b}]}", "actions: "+keyed, "{hosts: [{name: a, $patch: delete}]}"), want: `{"hosts":[{"name":"b"}]}`},
		{name: "a map is replaced", text: site("{hosts: [{name: a, ip: {v4: 1, v6: 2}}]}", "actions: "+keyed, "{hosts: [{name: a, ip: {$patch: replace, v4: 3}}]}"), want: `{"hosts":[{"name":"a","ip":{"v4":3}}]}`},
		{name: "null is a value", text: site("{hosts: [{name: a, ip: 1}]}", "actions: "+keyed, "{hosts: [{name: a, ip: null}]}"), want: `{"hosts":[{"name":"a","ip":null}]}`},
		{name: "$patch without keys is data", text: site("{hosts: [{name: a}]}", "actions: [{method: merge, path: .}]", "{hosts: [{name: a, $patch: delete}]}"), want: `{"hosts":[{"name":"a","$patch":"delete"}]}`},
		{name: "an item that is not there", text: site("{hosts: [{name: a}]}", "actions: "+keyed, "{hosts: [{name: b, $patch: delete}]}"), err: `has no item with the name "b" to delete`},
		{name: "a duplicate", text: site("{hosts: []}", "actions: "+keyed, "{hosts: [{name: b}, {name: b}]}"), err: "items 0 and 1 both have"},
		{name: "an item without the key", text: site("{hosts: [{ip: 1}]}", "actions: "+keyed, "{hosts: [{name: b}]}"), err: "it has no name"},
		{name: "a misspelt directive", text: site("{hosts: [{name: a}]}", "actions: "+keyed, "{hosts: [{name: a, $patch: delet}]}"), err: "$patch has nothing to change"},
		{name: "a misspelt key", text: site("{hosts: [{name: a}]}", "actions: [{method: merge, path: .hosts, mergekey: name}]", "{hosts: [{name: a}]}"), err: "did you mean mergeKey?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			documents, err := rendering.Parse("", []byte(tt.text))
			var got string
			if err == nil {
				var rendered *rendering.Rendering
				if rendered, err = rendering.Render(documents, rendering.Options{}); err == nil {
					got = string(rendered.Documents[len(rendered.Documents)-1].Data().JSON())
				}
			}
			if tt.err == "" && (err != nil || got != tt.want) || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %s, %v; want %s%s", got, err, tt.want, tt.err)
			}
		})
	}
	t.Run("not of Deckhand", func(t *testing.T) {
		text := strings.ReplaceAll(site("{hosts: []}", "actions: "+keyed, "{hosts: []}"), "---\n", "")
		for _, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "mergeKey") {
				values, err := yaml.Parse("", []byte(line), value.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err = rendering.ProfileDeckhand.Read("", values); err == nil || !strings.Contains(err.Error(), `unknown member "mergeKey"`) {
					t.Errorf("got %v", err)
				}
			}
		}
	})
}
