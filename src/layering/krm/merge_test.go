package krm_test

import (
	"fmt"
	"strings"
	"testing"
)

// layersOf are two layers of a Deployment, with the containers of each, as YAML in one line, and annotations of the second layer.
func layersOf(base, site string, annotations ...string) string {
	return kindLayers("apps/v1", "Deployment", "spec: {template: {spec: {containers: "+base+"}}}", "spec: {template: {spec: {containers: "+site+"}}}", annotations...)
}

func kindLayers(api, kind, base, site string, annotations ...string) string {
	object := func(name, members string, annotations ...string) string {
		text := "- apiVersion: " + api + "\n  kind: " + kind + "\n  " + members + "\n  metadata:\n    name: " + name + "\n    annotations:\n"
		for _, a := range annotations {
			text += "      layering.dovetail.dev/" + a + "\n"
		}
		return text
	}
	if len(annotations) == 0 {
		annotations = []string{merges}
	}
	return configured + "items:\n" + object("base", base, "layer: base", `abstract: "true"`, "labels: '{is: base}'") +
		object("x", site, append(annotations, "layer: site", child)...)
}

func TestListsMergeByKey(t *testing.T) {
	const two = "[{name: a, image: a1, ports: [{containerPort: 53}, {containerPort: 53, protocol: UDP}], env: [{name: K, value: '1'}, {name: L, value: '2'}]}, {name: b, image: b1}]"
	containers := func(json string) string {
		return `"spec":{"template":{"spec":{"containers":` + json + `}}}`
	}
	const ports, env = `"ports":[{"containerPort":53},{"containerPort":53,"protocol":"UDP"}]`, `"env":[{"name":"K","value":"1"},{"name":"L","value":"2"}]`
	tests := []struct {
		name, text string
		want       string // in the rendered object
	}{
		{"an item is merged, others keep their order, new ones are at the end", layersOf(two, "[{name: c, image: c1}, {name: b, image: b2, tty: true}]"),
			containers(`[{"name":"a","image":"a1",` + ports + `,` + env + `},{"name":"b","image":"b2","tty":true},{"name":"c","image":"c1"}]`)},
		{"lists in items", layersOf(two, "[{name: a, env: [{name: M, value: '3'}, {name: K, value: '9'}]}]"),
			containers(`[{"name":"a","image":"a1",` + ports + `,"env":[{"name":"K","value":"9"},{"name":"L","value":"2"},{"name":"M","value":"3"}]},{"name":"b","image":"b1"}]`)},
		{"ports by protocol, too, which is TCP by default", layersOf(two, "[{name: a, ports: [{containerPort: 53, protocol: TCP, name: tcp}, {containerPort: 53, protocol: UDP, name: udp}]}]"),
			containers(`[{"name":"a","image":"a1","ports":[{"containerPort":53,"protocol":"TCP","name":"tcp"},{"containerPort":53,"protocol":"UDP","name":"udp"}],` + env + `},{"name":"b","image":"b1"}]`)},
		{"items are deleted", layersOf(two, "[{$patch: delete, name: a}, {name: c, image: c1}]"),
			containers(`[{"name":"b","image":"b1"},{"name":"c","image":"c1"}]`)},
		{"several are deleted", layersOf("[{name: a}, {name: b}, {name: c}, {name: d}]", "[{$patch: delete, name: c}, {$patch: delete, name: a}, {name: d, image: d2}]"),
			containers(`[{"name":"b"},{"name":"d","image":"d2"}]`)},
		{"an item is replaced", layersOf(two, "[{$patch: replace, name: a, image: a2}]"), containers(`[{"name":"a","image":"a2"},{"name":"b","image":"b1"}]`)},
		{"a list is replaced", layersOf(two, "[{$patch: replace}, {name: c, image: c1}]"), containers(`[{"name":"c","image":"c1"}]`)},
		{"a list is replaced by an action", layersOf(two, "[{name: c, image: c1}]", "actions: '[{method: replace, path: .spec.template.spec.containers}]'"),
			containers(`[{"name":"c","image":"c1"}]`)},
		{"maps are deleted and replaced", layersOf("[{name: a, resources: {limits: {cpu: 1}, requests: {cpu: 1}}, securityContext: {}, lifecycle: {preStop: {exec: {}}}}]",
			"[{name: a, resources: {limits: {cpu: null, memory: 1Gi}, requests: {$patch: delete}}, lifecycle: {$patch: replace, postStart: {exec: {}}}}]"),
			containers(`[{"name":"a","resources":{"limits":{"memory":"1Gi"}},"securityContext":{},"lifecycle":{"postStart":{"exec":{}}}}]`)},
		{"nothing to merge with", layersOf("[]", "[{name: a, env: [{name: K}]}]"), containers(`[{"name":"a","env":[{"name":"K"}]}]`)},
		{"lists without a key are replaced", layersOf("[{name: a, args: [x, y], envFrom: [{prefix: a}]}]", "[{name: a, args: [z], envFrom: [{prefix: b}]}]"),
			containers(`[{"name":"a","args":["z"],"envFrom":[{"prefix":"b"}]}]`)},
		{"of a kind that is not known", kindLayers("example.net/v1", "Pool", "spec: {members: [{name: a, x: 1}]}", "spec: {members: [{name: b}]}"), `"spec":{"members":[{"name":"b"}]}`},
		{"by the key of an action", kindLayers("example.net/v1", "Pool", "spec: {members: [{id: a, x: 1}]}", "spec: {members: [{id: b}, {id: a, y: 2}]}",
			"actions: '[{method: merge, path: .spec.members, mergeKey: id}]'"), `"spec":{"members":[{"id":"a","x":1,"y":2},{"id":"b"}]}`},
		{"by the keys of an annotation", kindLayers("example.net/v1", "Pool", "spec: {members: [{id: a, disks: [{slot: 1, size: 1}]}]}", "spec: {members: [{id: a, disks: [{slot: 2}]}, {id: b}]}",
			merges, "merge-keys: '{.spec.members: id, \".spec.members[*].disks\": slot}'"),
			`"spec":{"members":[{"id":"a","disks":[{"slot":1,"size":1},{"slot":2}]},{"id":"b"}]}`},
		{"by another key than usual, and below it as usual", layersOf("[{name: a, image: i, env: [{name: K}]}]", "[{name: b, image: i, env: [{name: L}]}]",
			merges, "merge-keys: '{.spec.template.spec.containers: image}'"), containers(`[{"name":"b","image":"i","env":[{"name":"K"},{"name":"L"}]}]`)},
		{"a member named data", kindLayers("example.net/v1", "Pool", "data: {members: [{id: a}]}", "data: {members: [{id: b}]}", merges, "merge-keys: '{.data.members: id}'"),
			`"data":{"members":[{"id":"a"},{"id":"b"}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := run(t, test.text)
			if len(out.Errors) > 0 {
				t.Fatal(out.Errors)
			}
			if got := string(out.List.Get("items").JSON()); !strings.HasSuffix(got, `,`+test.want+`}]`) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestListsAreRefused(t *testing.T) {
	const at = "spec.template.spec.containers"
	tests := []struct {
		name, text string
		want       string // class, field, and a part of the message
	}{
		{"an item without the key", layersOf("[{name: a}]", "[{name: b}, {image: x}]"), "MissingDocumentKey " + at + "[1] it has no name"},
		{"an inherited item without the key", layersOf("[{image: a}]", "[{name: b}]"), "MissingDocumentKey " + at + " the list that is inherited here is merged by name, but of its item 0: it has no name"},
		{"duplicate items", layersOf("[{name: a}]", "[{name: b}, {name: b}]"), "InvalidDocumentFormat " + at + `[1] its items 0 and 1 both have "b"`},
		{"duplicate inherited items", layersOf("[{name: a}, {name: a}]", "[{name: b}]"), "InvalidDocumentFormat " + at + ` its items 0 and 1 both have "a"`},
		{"an item that is no map", layersOf("[{name: a}]", "[b]"), "MissingDocumentKey " + at + "[0] it is a string, not a map"},
		{"a key that is no scalar", layersOf("[{name: a}]", "[{name: [b]}]"), "MissingDocumentKey " + at + "[0] its name is a list"},
		{"nothing to delete", layersOf("[{name: a}]", "[{name: b, $patch: delete}]"), `MissingDocumentKey ` + at + `[0] has no item with the name "b" to delete`},
		{"no list to delete from", layersOf("[{name: a}]", "[{name: a, env: [{name: b, $patch: delete}]}]"), "MissingDocumentKey " + at + "[0].env[0].$patch $patch has nothing to change"},
		{"no map to delete", layersOf("[{name: a}]", "[{name: a, resources: {$patch: delete}}]"), "MissingDocumentKey " + at + "[0].resources inherits nothing"},
		{"another directive", layersOf("[{name: a}]", "[{name: a, $patch: remove}]"), "MissingDocumentKey " + at + "[0].$patch $patch has nothing to change"},
		{"a directive that is not supported", layersOf("[{name: a}]", "[{name: a, $retainKeys: [name]}]"), "InvalidDocumentFormat " + at + "[0].$retainKeys $retainKeys is not supported"},
		{"a directive in what inherits nothing", configured + "items:\n" + object("a", "  data: {$patch: delete}\n", "layer: site"), "MissingDocumentKey data.$patch $patch has nothing to change"},
		{"a key of an action that is no merge", layersOf("[]", "[{name: a}]", "actions: '[{method: replace, path: .spec, mergeKey: name}]'"),
			"InvalidDocumentFormat metadata.annotations.layering.dovetail.dev/actions[0].mergeKey not of replace"},
		{"a key of an item", layersOf("[]", "[{name: a}]", "actions: '[{method: merge, path: \".spec.template.spec.containers[0]\", mergeKey: name}]'"),
			"InvalidDocumentFormat metadata.annotations.layering.dovetail.dev/actions[0].mergeKey leads to an item"},
		{"a key of a map", layersOf("[]", "[{name: a}]", "actions: '[{method: merge, path: .spec, mergeKey: name}]'"),
			"MissingDocumentKey metadata.annotations.layering.dovetail.dev/actions[0].path must be lists"},
		{"keys that are misspelt", layersOf("[]", "[{name: a}]", merges, "merge-key: '{.spec: name}'"), "InvalidDocumentFormat metadata.annotations.layering.dovetail.dev/merge-key did you mean layering.dovetail.dev/merge-keys?"},
		{"keys of no path", layersOf("[]", "[{name: a}]", merges, "merge-keys: '{\".spec[0]\": name}'"), "InvalidDocumentFormat metadata.annotations.layering.dovetail.dev/merge-keys..spec[0] is not a path of lists"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := run(t, test.text)
			if len(out.Errors) != 1 {
				t.Fatalf("%d errors: %v; %s", len(out.Errors), out.Errors, out.List.Get("items").JSON())
			}
			result := out.List.Get("results").Items[0]
			text := func(path ...string) string { s, _ := result.At(path...).Str(); return s }
			class, rest, _ := strings.Cut(test.want, " ")
			field, message, _ := strings.Cut(rest, " ")
			if text("tags", "class") != class || text("field", "path") != field || !strings.Contains(text("message"), message) {
				t.Error(fmt.Sprint(text("tags", "class"), " ", text("field", "path"), " ", text("message")), "; want", test.want)
			}
		})
	}
}
