package schema_test

import (
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
)

func TestIndexed(t *testing.T) {
	const data = `{"metadata":{"labels":{"tier":"a","n":1,"none":null}},"spec":{"serial":"s","on":true,"m":{"x":1.50,"y":{}},"l":["p",["q"]],"a.b":"c"}}`
	tests := []struct {
		name, index string
		want        []string // "INDEX POINTER TEXT"
	}{
		{"labels by default", "", []string{"metadata.labels.* /metadata/labels/tier a", "metadata.labels.* /metadata/labels/n 1"}},
		{"nothing", "index: {labels: false}", nil},
		{"paths", "index: {labels: false, paths: [spec.serial, spec.on, spec.m, spec.absent]}", []string{"spec.on /spec/on true", "spec.serial /spec/serial s"}},
		{"members and items", "index: {labels: false, paths: ['spec.m.*', 'spec.l[*]', 'spec[\"a.b\"]']}",
			[]string{"spec.l[*] /spec/l/0 p", "spec.m.* /spec/m/x 1.50", `spec["a.b"] /spec/a.b c`}},
		{"labels by name", "index: [metadata.labels]", []string{"metadata.labels.* /metadata/labels/tier a", "metadata.labels.* /metadata/labels/n 1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			kind := kindOf(t, compile(t, "resources:\n- name: device\n  "+test.index+"\n"), "device")
			var got []string
			for pointer, v := range kind.Indexed(parseJSON(t, data)) {
				got = append(got, kind.IndexOf(pointer).String()+" "+pointer+" "+v.Text)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	kind := kindOf(t, compile(t, "resources:\n- name: device\n  index: ['spec.l[*]']\n"), "device")
	for _, pointer := range []string{"", "/spec", "/spec/l", "/spec/l/0/1", "/metadata/labels", "/metadata/labels/a/b", "spec/l/0"} {
		if of := kind.IndexOf(pointer); !of.IsZero() {
			t.Errorf("%s has the index %s", pointer, of)
		}
	}
}

// What is said of labels by default does not count; everything else does.
func TestIndexInHashAndDiff(t *testing.T) {
	with := func(index string) *schema.Model { return compile(t, "resources:\n- name: device\n"+index) }
	for _, test := range []struct {
		name, before, after string
		want                string // the difference
	}{
		{"the default, written", "", "  index: [metadata.labels]\n", ""},
		{"another order", "  index: [spec.a, spec.b]\n", "  index: {labels: true, paths: ['spec[\"b\"]', spec.a]}\n", ""},
		{"another path", "  index: [spec.a]\n", "  index: [spec.b]\n", "device: it is indexed by metadata.labels.*, spec.b, not by metadata.labels.*, spec.a"},
		{"no labels", "", "  index: {labels: false}\n", "device: it is indexed by nothing, not by metadata.labels.*"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := with(test.before), with(test.after)
			got := ""
			for _, d := range schema.Diff(before, after) {
				if d.Change != schema.IndexChanged {
					t.Errorf("%+v", d)
				}
				got += d.Message
			}
			if got != test.want || (before.Hash() == after.Hash()) != (test.want == "") {
				t.Errorf("hashes %s and %s; %q, want %q", before.Hash(), after.Hash(), got, test.want)
			}
		})
	}
}
