package solver_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

const ruledCatalog = `
sources:
- name: main
  packages:
  - name: bar
    versions:
    - version: 2.0.0
      channels: [main]
      properties: [{type: weight, value: 1.5}, {type: label, value: blue}]
    - version: 1.0.0
      channels: [main]
      properties: [{type: weight, value: 2}, {type: certified, value: true}, {type: label, value: {key: a, level: 1.0}}]
  - name: foo
    versions:
    - version: 3.0.0-rc.1+build.7
      channels: [main]
      properties: [{type: minKube, value: v1.29}, {type: olm.package, value: {packageName: other, version: 9.0.0}}]
`

// TestRules selects by rules in CEL on the properties of versions.
func TestRules(t *testing.T) {
	for _, c := range []struct{ name, constraint, want string }{
		{"a property", `required: {cel: "properties.exists(p, p.type == 'certified' && p.value)"}`, "main:bar:1.0.0:main"},
		{"by the name of a member", `required: {cel: "properties.exists(p, p['type'] == 'certified' && 'value' in p)"}`, "main:bar:1.0.0:main"},
		{"an object", `required: {cel: "properties.exists(p, p.value == {'key': 'a', 'level': 1})"}`, "main:bar:1.0.0:main"},
		{"a fraction", `required: {cel: "properties.exists(p, p.type == 'weight' && p.value < 1.6)"}`, "main:bar:2.0.0:main"},
		{"none of the properties", `required: {name: bar, cel: "!properties.exists(p, p.type == 'certified')"}`, "main:bar:2.0.0:main"},
		{"the package", `required: {cel: "properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'bar' && semver_compare(p.value.version, '2') < 0)"}`, "main:bar:1.0.0:main"},
		{"an olm.package of its own", `required: {cel: "properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'other')"}`, "main:foo:3.0.0-rc.1+build.7:main"},
		{"a version with a v", `required: {cel: "properties.exists(p, p.type == 'minKube' && semver_compare(p.value, '1.29.0') == 0)"}`, "main:foo:3.0.0-rc.1+build.7:main"},
		{"all of a name and a rule", `required: {match: {all: [{name: bar}, {cel: "properties.exists(p, p.type == 'weight' && p.value == 2)"}]}}`, "main:bar:1.0.0:main"},
		{"an error is no match", `required: {name: bar, cel: "properties.all(p, p.value.key == 'a')"}`, ""},
		{"none of an error", `required: {match: {all: [{name: bar}, {not: [{cel: "properties.all(p, p.value.key == 'a')"}]}]}}`, "main:bar:2.0.0:main"},
		{"an error beside what holds", `required: {cel: "properties.exists(p, p.value.key == 'a')"}`, "main:bar:1.0.0:main"},
		{"prohibited", `all: [{required: {name: bar}}, {not: {cel: "properties.exists(p, p.type == 'label' && p.value == 'blue')"}}]`, "main:bar:1.0.0:main"},
		{"what is too expensive is no match", `required: {cel: "[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, [1,2,3,4,5,6,7,8,9].all(f, a+b+c+d+e+f > 0))))))"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := document(t, ruledCatalog)
			doc.Set("spec", document(t, "constraints: [{"+c.constraint+"}]"))
			problem, err := parse(doc)
			if err != nil {
				t.Fatal(err)
			}
			out, err := solver.Resolve(t.Context(), problem, solver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(names(out.Selections), " "); got != c.want {
				t.Errorf("selected %s (%s), want %s", got, out.Message, c.want)
			}
			if out.Resolved() {
				if err := solver.Verify(problem, out.Selections); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestRuleInMessage shows a rule that nothing meets.
func TestRuleInMessage(t *testing.T) {
	doc := document(t, ruledCatalog)
	doc.Set("spec", document(t, `constraints: [{required: {name: bar, cel: "properties.exists(p, p.type == 'red')"}}]`))
	problem, err := parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	out, err := solver.Resolve(t.Context(), problem, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "[0] required bar with the rule properties.exists(p, p.type == 'red') cannot hold: no version of bar meets the rule properties.exists(p, p.type == 'red'); without [0]: nothing is selected"
	if out.Message != want {
		t.Errorf("got %s, want %s", out.Message, want)
	}
}
