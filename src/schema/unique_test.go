package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

func TestUniqueValues(t *testing.T) {
	const head = "resources:\n- name: site\n- name: rack.unit\n  parent: site\n- name: device\n  parent: unit\n  unique: "
	tests := []struct {
		name, unique, data string
		want               []string // "POINTER VALUE..."
	}{
		{"one", "[spec.serial]", `{"spec":{"serial":"1"}}`, []string{`/spec/serial "1"`}},
		{"none", "[spec.serial]", `{"spec":{"other":"1"}}`, nil},
		{"null", "[spec.serial]", `{"spec":{"serial":null}}`, nil},
		{"a name with a dot", `['spec["a.b"]']`, `{"spec":{"a.b":1}}`, []string{"/spec/a.b 1"}},
		{"an object", "[spec]", `{"spec":{"b":1}}`, []string{`/spec {"b":1}`}},
		{"several", "{paths: [spec.b, spec.a]}", `{"spec":{"a":1,"b":2}}`, []string{"/spec/a 1 2"}},
		{"several, one absent", "{paths: [spec.b, spec.a]}", `{"spec":{"a":1}}`, nil},
		{"each item", "['spec.macs[*]']", `{"spec":{"macs":["x",null,"y"]}}`, []string{`/spec/macs/0 "x"`, `/spec/macs/2 "y"`}},
		{"each member", "[spec.m.*]", `{"spec":{"m":{"a/b":1,"c":2}}}`, []string{"/spec/m/a~1b 1", "/spec/m/c 2"}},
		{"values of one element", "{paths: ['spec.l[*].a', 'spec.l[*].b.c', spec.z]}", `{"spec":{"z":0,"l":[{"a":1,"b":{"c":2}},{"a":3},{"b":{"c":4},"a":5}]}}`,
			[]string{"/spec/l/0/a 1 2 0", "/spec/l/2/a 5 4 0"}},
		{"elements in elements", "{paths: ['spec.l[*].m[*].a', 'spec.l[*].m[*].b']}", `{"spec":{"l":[{"m":[{"a":1,"b":2}]},{"m":[{"a":3},{"a":4,"b":5}]}]}}`,
			[]string{"/spec/l/0/m/0/a 1 2", "/spec/l/1/m/1/a 4 5"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			kind := kindOf(t, compile(t, head+test.unique+"\n"), "device")
			var got []string
			for _, one := range kind.Unique[0].Values(parseJSON(t, test.data)) {
				line := one.Path
				for _, v := range one.Values {
					line += " " + string(v.JSON())
				}
				got = append(got, line)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	for _, test := range []struct{ within, want string }{
		{"site", "site/s"}, {"rack", "site/s/rack/r"}, {"unit", "site/s/rack/r/unit/u"}, {"rack.unit", "site/s/rack/r/unit/u"},
	} {
		kind := kindOf(t, compile(t, head+"{paths: [spec.a], within: "+test.within+"}\n"), "device")
		if got := kind.Unique[0].Scope("site/s/rack/r/unit/u/device/d"); got != dovetail.ID(test.want) {
			t.Errorf("within %s: %q, want %s", test.within, got, test.want)
		}
	}
}

// The order in which constraints and paths are written does not count; everything else does.
func TestUniqueInHashAndDiff(t *testing.T) {
	with := func(unique string) *schema.Model {
		return compile(t, "resources:\n- name: site\n- name: device\n  parent: site\n"+unique)
	}
	base := with("  unique: [spec.a, {paths: [spec.b, spec.c], within: site}]\n")
	for _, test := range []struct {
		name, unique string
		want         string // the difference
	}{
		{"another order", "  unique: [{within: site, paths: ['spec[\"c\"]', spec.b]}, {paths: [spec.a]}]\n", ""},
		{"another path", "  unique: [spec.d, {paths: [spec.b, spec.c], within: site}]\n", "device: what is unique of its data is spec.b and spec.c, within one site; spec.d, not spec.a; spec.b and spec.c, within one site"},
		{"everywhere", "  unique: [spec.a, {paths: [spec.b, spec.c]}]\n", "device: what is unique of its data is spec.a; spec.b and spec.c, not spec.a; spec.b and spec.c, within one site"},
		{"none", "", "device: what is unique of its data is nothing, not spec.a; spec.b and spec.c, within one site"},
	} {
		t.Run(test.name, func(t *testing.T) {
			next := with(test.unique)
			var got []string
			for _, d := range schema.Diff(base, next) {
				if d.Change != schema.UniqueChanged {
					t.Errorf("%+v", d)
				}
				got = append(got, d.Message)
			}
			if strings.Join(got, "\n") != test.want || (next.Hash() == base.Hash()) != (test.want == "") {
				t.Errorf("hash %s, that of the base %s; %q, want %q", next.Hash(), base.Hash(), got, test.want)
			}
		})
	}
}
