package schema_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestMisspelt(t *testing.T) {
	model := compile(t, readText(t, "datacentre.yaml"))
	for _, c := range []struct {
		name, kind, data string
		want             []string // of each its path and remedy
	}{
		{"spec", "site", `{"metadata":{"name":"s"},"sepc":{}}`, []string{`/sepc did you mean "spec"? If not, name it in the schema of site`}},
		{"several at once", "site", `{"metdata":{},"Spec":{},"sttus":{},"revison":3}`, []string{
			`/metdata did you mean "metadata"? If not, name it in the schema of site`, `/Spec did you mean "spec"? If not, name it in the schema of site`,
			`/sttus did you mean "status"? If not, name it in the schema of site`, `/revison did you mean "revision"? If not, name it in the schema of site`}},
		{"other members", "site", `{"metadata":{},"spec":{},"data":{},"kind":"x","document":{},"state":"x","spec2":{},"aspect":1,"statistics":1}`, nil},
		{"named by the JSON Schema", "outlet", `{"specs":{},"spec":{"l":[{"rack":"r1","devices":"d"}]}}`, nil},

		{"an element at a slot", "cable", `{"spec":{"a":{"rack":"r1","devcie":"d1","port":"p1"},"b":{"rack":"r1","device":"d1","prot":"p1","label":"x"}}}`, []string{
			`/spec/a/devcie did you mean "device"? If not, name it in the schema of cable`, `/spec/b/prot did you mean "port"? If not, name it in the schema of cable`}},
		{"an element of the own key at a slot", "cable", `{"spec":{"a":{"rack":"r1","device":"d1","port":"p1","sit":"s2"},"b":{}}}`, []string{
			`/spec/a/sit did you mean "site"? If not, name it in the schema of cable`}},
		{"the slot itself", "bundle", `{"spec":{"edns":[]}}`, []string{`/spec/edns did you mean "ends"? If not, name it in the schema of bundle`}},
		{"in a list", "bundle", `{"spec":{"ends":[{"rack":"r1","device":"d1","port":"p1"},{"rack":"r1","device":"d1","Port":"p1"}]}}`, []string{
			`/spec/ends/1/Port did you mean "port"? If not, name it in the schema of bundle`}},
		{"a mapped member", "peer", `{"spec":{"to":{"cabient":"r1","dev":"d1"}}}`, []string{`/spec/to/cabient did you mean "cabinet"? If not, name it in the schema of peer`}},
		{"beside the right one", "cable", `{"spec":{"a":{"rack":"r1","racks":"x","device":"d1","port":"p1"},"b":{}}}`, nil},
		{"not a text", "cable", `{"spec":{"a":{"rack":"r1","ports":["x"],"device":"d1","port":"p1"},"b":{}}}`, nil},

		{"type many", "flat", `{"spec":{"l":[{"rack":"r1","device":"d1","port":"p1"},{"rack":"r1","devcie":"d1","port":"p2"}]}}`, []string{
			`/spec/l/1/devcie did you mean "device"? If not, name it in the schema of flat`}},
		{"type many with nothing else", "flat", `{"spec":{"l":[{"ports":"80"},{"deviec":"d"}]}}`, nil},
		{"type many with nothing else but a long name", "consumer", `{"spec":{"l":[{"powerSuply":"p"}]}}`, []string{
			`/spec/l/0/powerSuply did you mean "powerSupply"? If not, name it in the schema of consumer`}},
		{"the default type in spec itself", "consumer", `{"spec":{"siet":"s"}}`, []string{`/spec/siet did you mean "site"? If not, name it in the schema of consumer`}},
		{"the default type below spec", "consumer", `{"spec":{"x":{"siet":"s"}}}`, nil},
		{"the default type where the right one is elsewhere", "consumer", `{"spec":{"x":{"site":"s"},"sites":"s"}}`, nil},
		{"another kind's element", "flat", `{"spec":{"l":[{"rack":"r1","device":"d1","peer":"x"}]}}`, nil},
		{"no spec", "flat", `{"metadata":{}}`, nil},
		{"spec is a text", "cable", `{"spec":"x"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			errs := kindOf(t, model, c.kind).Misspelt(parseJSON(t, c.data))
			for _, e := range errs.Kept() {
				if e.Message != "is not a known member" || e.Position.Line == 0 {
					t.Errorf("got %v", e)
				}
				got = append(got, e.Position.Path+" "+e.Remedy)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// No case of the source document has a member that looks like a misspelt one.
func TestReferenceCasesAreSpeltRightly(t *testing.T) {
	models := map[string]*schema.Model{
		"ref-schema.yaml":             compileEMCO(t, "ref-schema.yaml"),
		"reference-cases-schema.yaml": compileEMCO(t, "reference-cases-schema.yaml"),
	}
	for _, c := range readYAML(t, "emco/reference-cases.yaml").Get("cases").Items {
		errs := kindOf(t, models[str(c, "schema")], str(c, "resource")).Misspelt(parseJSON(t, str(c, "data")))
		if errs.Total() > 0 {
			t.Errorf("%s: %v", str(c, "id"), errs.Kept())
		}
	}
}

// Whatever data is made of, members with the right names are never refused, and everything that is refused is there.
func TestMisspeltMembersAreThere(t *testing.T) {
	models := []*schema.Model{compile(t, readText(t, "rules.yaml")), compile(t, readText(t, "datacentre.yaml"))}
	rapid.Check(t, func(r *rapid.T) {
		which := rapid.IntRange(0, 1).Draw(r, "model")
		kind, data := drawKind(r, models[which], always), dataOf(r, false)
		before := data.Clone()
		errs := kind.Misspelt(data)
		for _, e := range errs.Kept() {
			// The names of the data are those that the first model looks for, except one.
			if which == 0 && !strings.HasSuffix(e.Position.Path, "/clouds") {
				r.Errorf("%s: %v", data.JSON(), e)
			}
			if _, ok := data.Find(e.Position.Path); !ok {
				r.Errorf("%s is not in %s", e.Position.Path, data.JSON())
			}
		}
		if !value.Equal(data, before) {
			r.Errorf("the data has become %s", data.JSON())
		}
	})
}

func BenchmarkMisspelt(b *testing.B) {
	kind := kindOf(b, compileEMCO(b, "ref-schema.yaml"), "genericAppPlacementIntent")
	data, err := value.ParseJSON([]byte(placement), value.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if errs := kind.Misspelt(data); errs.Total() > 0 {
			b.Fatal(errs.Kept())
		}
	}
}
