package solver_test

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestCorpora asks the questions of other projects to their resolvers.
func TestCorpora(t *testing.T) {
	files, err := filepath.Glob("testdata/corpora/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for _, c := range readCase(t, file).Get("cases").Items {
			if text(c.Get("scope")) == "out" {
				continue
			}
			t.Run(text(c.Get("id")), func(t *testing.T) {
				t.Parallel()
				ask(t, c)
			})
		}
	}
}

func ask(t *testing.T, c *value.Value) {
	t.Helper()
	problem, err := translate(c)
	if err != nil {
		t.Fatalf("%v", err)
	}
	result, err := solver.Resolve(context.Background(), problem, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	expect := c.Get("expect")
	if text(expect.Get("unsatisfiable")) == "true" || expect.Get("unsatisfiable") != nil {
		if result.Unsat == nil {
			t.Errorf("selected %s, and it cannot be satisfied", names(result.Selections))
		}
		return
	}
	if result.Unsat != nil {
		t.Fatalf("not satisfied: %s", result.Unsat.Message)
	}
	if expect.Get("selections") == nil {
		return
	}
	got, want := map[string]string{}, map[string]string{}
	for _, s := range result.Selections {
		got[s.Package] = s.Version
	}
	for _, m := range expect.Get("selections").Members {
		want[m.Name] = m.Value.Text
	}
	if !maps.Equal(got, want) {
		t.Errorf("selected %v, want %v", got, want)
	}
	if plan := expect.Get("plan"); plan != nil {
		checkPlan(t, result.Plan, plan)
	}
}

func checkPlan(t *testing.T, got []solver.Step, want *value.Value) {
	t.Helper()
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if shown, err := value.ParseJSON(data, value.Limits{}); err != nil || !value.Equal(shown, want) {
		t.Errorf("plan %s, want %s (%v)", data, want.JSON(), err)
	}
}

// translate writes a case of the neutral format as sources and a spec.
func translate(c *value.Value) (*solver.Problem, error) {
	question := c.Get("ask")
	r := translator{prereleases: text(question.Get("prereleases")), order: text(question.Get("order"))}
	if follow := question.Get("optional"); follow != nil {
		r.withoutOptional = follow.Text == "false"
	}
	spec := value.NewMap()
	if r.prereleases == "last" || r.prereleases == "if-necessary" {
		spec.Set("prereleases", value.NewString(r.prereleases))
	}
	constraints := value.NewList()
	for _, need := range items(question.Get("require")) {
		constraints.Items = append(constraints.Items, r.expression(need))
	}
	for _, need := range items(question.Get("forbid")) {
		constraints.Items = append(constraints.Items, one("not", r.selector(need)))
	}
	for _, group := range items(question.Get("atMostOne")) {
		constraints.Items = append(constraints.Items, one("atMostOne", r.selectors(group.Items)))
	}
	for _, name := range []string{"installed", "policy", "maxChanges"} {
		if v := question.Get(name); v != nil {
			spec.Set(name, v)
		}
	}
	spec.Set("constraints", constraints)
	if catalogs := question.Get("catalogs"); catalogs != nil {
		spec.Set("sources", catalogs)
	}
	parsed, _ := solver.ParseSpec(spec)
	parser := solver.NewParser()
	var sources []*solver.Source
	for _, catalog := range items(c.Get("catalogs")) {
		sources = append(sources, parser.Source(r.source(catalog)))
	}
	return solver.NewProblem(parsed, sources)
}

// translator writes parts of a question.
type translator struct {
	prereleases, order string
	withoutOptional    bool
}

func items(v *value.Value) []*value.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

func one(name string, v *value.Value) *value.Value {
	return value.NewMap(value.Member{Name: name, Value: v})
}

func (r translator) source(catalog *value.Value) *value.Value {
	source := one("name", catalog.Get("name"))
	if priority := catalog.Get("priority"); priority != nil {
		source.Set("priority", priority)
	}
	packages := value.NewList()
	for _, m := range catalog.Get("packages").Members {
		p := one("name", value.NewString(m.Name))
		if channel := m.Value.Get("defaultChannel"); channel != nil && r.order != "version" {
			p.Set("defaultChannel", channel)
		}
		versions := value.NewList()
		for _, v := range items(m.Value.Get("versions")) {
			versions.Items = append(versions.Items, r.version(v))
		}
		p.Set("versions", versions)
		packages.Items = append(packages.Items, p)
	}
	source.Set("packages", packages)
	return source
}

func (r translator) version(v *value.Value) *value.Value {
	out := one("version", v.Get("version"))
	channels := v.Get("channels")
	if channels == nil || len(channels.Items) == 0 {
		channels = value.NewList(value.NewString("main"))
	}
	out.Set("channels", channels)
	for _, name := range []string{"replaces", "skips", "skipRange", "deprecated", "withdrawn"} {
		if part := v.Get(name); part != nil {
			out.Set(name, part)
		}
	}
	properties := value.NewList()
	property := func(kind string, v *value.Value) {
		properties.Items = append(properties.Items, value.NewMap(value.Member{Name: "type", Value: value.NewString(kind)}, value.Member{Name: "value", Value: v}))
	}
	for _, gvk := range items(v.Get("gvks")) {
		property("olm.gvk", gvk)
	}
	properties.Items = append(properties.Items, items(v.Get("properties"))...)
	for _, p := range items(v.Get("provides")) {
		property("capability", p)
	}
	out.Set("properties", properties)
	dependencies := value.NewList()
	for _, need := range items(v.Get("needs")) {
		dependencies.Items = append(dependencies.Items, r.expression(need))
	}
	if !r.withoutOptional {
		for _, need := range items(v.Get("optional")) {
			dependencies.Items = append(dependencies.Items, one("optional", r.expression(need)))
		}
	}
	out.Set("dependencies", dependencies)
	if conflicts := v.Get("conflicts"); conflicts != nil {
		out.Set("conflicts", r.selectors(conflicts.Items))
	}
	return out
}

func (r translator) selectors(needs []*value.Value) *value.Value {
	out := value.NewList()
	for _, need := range needs {
		out.Items = append(out.Items, r.selector(need))
	}
	return out
}

func (r translator) expression(need *value.Value) *value.Value {
	for _, name := range []string{"any", "all"} {
		if parts := need.Get(name); parts != nil {
			out := value.NewList()
			for _, part := range parts.Items {
				out.Items = append(out.Items, r.expression(part))
			}
			return one(name, out)
		}
	}
	if part := need.Get("optional"); part != nil {
		return one("optional", r.expression(part))
	}
	if parts := need.Get("not"); parts != nil {
		return one("not", r.selectors(parts.Items))
	}
	return one("required", r.selector(need))
}

func (r translator) selector(need *value.Value) *value.Value {
	if tree := need.Get("one"); tree != nil {
		return one("match", r.tree(tree))
	}
	out := value.NewMap()
	for from, to := range map[string]string{"cel": "cel", "name": "name", "channel": "channel", "channels": "channels", "catalog": "source", "gvk": "gvk", "property": "provides"} {
		if v := need.Get(from); v != nil {
			out.Set(to, v)
		}
	}
	versions := r.versions(text(need.Get("range")))
	if capability := need.Get("provides"); capability != nil {
		provides := value.NewMap(value.Member{Name: "type", Value: value.NewString("capability")}, value.Member{Name: "name", Value: capability})
		if versions != "" {
			provides.Set("versionRange", value.NewString(versions))
		}
		out.Set("provides", provides)
		return out
	}
	if versions != "" {
		out.Set("versionRange", value.NewString(versions))
	}
	return out
}

func (r translator) tree(tree *value.Value) *value.Value {
	for _, name := range []string{"all", "any", "not"} {
		if parts := tree.Get(name); parts != nil {
			out := value.NewList()
			for _, part := range parts.Items {
				out.Items = append(out.Items, r.tree(part))
			}
			return one(name, out)
		}
	}
	return r.selector(tree)
}

// strictUpper is a bound that leaves out the pre-releases of a version, too.
var strictUpper = regexp.MustCompile(`<([0-9]+\.[0-9]+\.[0-9]+)\b`)

// versions writes a range by the policy of the question for pre-releases.
func (r translator) versions(text string) string {
	if r.prereleases != "any" && r.prereleases != "any-exclusive" {
		return text
	}
	if text == "" {
		return ">=0.0.0-0"
	}
	var groups []string
	for _, group := range strings.Split(text, "||") {
		if r.prereleases == "any-exclusive" {
			group = strictUpper.ReplaceAllString(group, "<$1-0")
		}
		groups = append(groups, strings.TrimSpace(group)+" >=0.0.0-0")
	}
	return strings.Join(groups, " || ")
}
