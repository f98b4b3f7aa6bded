package solver_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/rounds"
	_ "github.com/dovetail-store/dovetail/src/internal/testheap"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestAgainstDefinition compares with the oracle.
func TestAgainstDefinition(t *testing.T) {
	problems := rounds.Of(500, 2000)
	unsat := 0
	for seed := range uint64(problems) {
		p := generate(rand.New(rand.NewPCG(seed, 4)))
		doc := p.document()
		problem, err := parse(doc)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, doc.JSON())
		}
		got, err := solver.Resolve(t.Context(), problem, solver.Options{Explain: seed%4 == 0})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, doc.JSON())
		}
		selections := p.selections("")
		var constraints []int
		for i := range p.Constraints {
			constraints = append(constraints, i)
		}
		solutions := p.satisfying(selections, constraints)
		switch {
		case len(solutions) == 0 && got.Unsat == nil:
			t.Errorf("seed %d: there is no solution, got %s", seed, names(got.Selections))
		case len(solutions) == 0:
			unsat++
			checkClash(t, p, selections, got.Unsat)
		case !slices.Equal(names(got.Selections), p.prefer(solutions)) || !got.Resolved():
			t.Errorf("seed %d: got %s %s, want %s", seed, names(got.Selections), got.Message, p.prefer(solutions))
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, doc.JSON())
		}
	}
	if unsat < problems/5 || unsat > problems*4/5 {
		t.Errorf("%d of %d have no solution, which tests too little of one kind", unsat, problems)
	}
	t.Logf("%d of %d have no solution", unsat, problems)
}

func checkClash(t *testing.T, p *oProblem, selections [][]*oVersion, got *solver.Unsat) {
	t.Helper()
	if core := p.core(selections); !slices.Equal(got.Core, core) {
		t.Errorf("core %v, want %v", got.Core, core)
		return
	}
	seen := map[string]bool{}
	for _, v := range p.candidates() {
		if name := v.of.Name; !seen[name] {
			seen[name] = true
			if len(p.satisfying(p.selections(name), got.Core)) > 0 && !slices.Contains(got.Packages, name) {
				t.Errorf("without the facts of %s the core is satisfiable, but %s is about %v", name, got.Message, got.Packages)
			}
		}
	}
	for _, fix := range got.Fixes {
		var kept []int
		for i := range p.Constraints {
			if !slices.Contains(fix.Without, i) {
				kept = append(kept, i)
			}
		}
		if len(p.satisfying(selections, kept)) == 0 {
			t.Errorf("giving up %v does not help", fix.Without)
		}
		for _, i := range fix.Without {
			if len(p.satisfying(selections, append(slices.Clone(kept), i))) > 0 {
				t.Errorf("giving up %v is too much", fix.Without)
			}
		}
	}
	if len(got.Fixes) == 0 || len(got.Message) > solver.MaxMessage || got.Incomplete {
		t.Errorf("%d fixes, message of %d bytes", len(got.Fixes), len(got.Message))
	}
}

var (
	someNames    = []string{"a", "b", "c", "d", "e"}
	someVersions = []string{"1.0.0", "1.1.0", "2.0.0-rc.1", "2.0.0", "3.1.0"}
	someBuilds   = []string{"1.0.0", "1.1.0", "1.1.0+7", "1.1.0+12", "2.0.0"}
	someChannels = []string{"fast", "main", "stable"}
	someGVKs     = []string{"K", "L"}
)

// maker draws the parts of small problems.
type maker struct{ *rand.Rand }

func (m maker) one(of []string) string { return of[m.IntN(len(of))] }

func (m maker) chance(percent int) bool { return m.IntN(100) < percent }

func (m maker) rangeText() string {
	v := m.one(someVersions)
	return []string{"", "", ">=" + v, "<" + v, "^" + v, "!=" + v, "=" + v, ">=1.0.0-0 <" + v, "<1.1.0 || >=" + v, "~" + v}[m.IntN(10)]
}

func (m maker) maybeSource() string {
	if m.chance(8) {
		return m.one([]string{"north", "south"})
	}
	return ""
}

func (m maker) selector() oSelector {
	s := oSelector{Name: m.one(someNames), Range: m.rangeText()}
	if m.chance(10) {
		s.Channel = m.one(someChannels)
	}
	s.Source = m.maybeSource()
	if m.chance(12) {
		s.GVK = m.one(someGVKs)
		if m.chance(70) {
			s.Name = ""
		}
	}
	return s
}

func (m maker) expression(depth int) oExpression {
	switch {
	case depth > 2 || m.chance(65):
		return oExpression{Is: m.selector()}
	case m.chance(25):
		x := oExpression{Op: "not"}
		for range 1 + m.IntN(2) {
			x.Parts = append(x.Parts, oExpression{Is: m.selector()})
		}
		return x
	}
	x := oExpression{Op: m.one([]string{"any", "any", "all"})}
	for range 1 + m.IntN(3) {
		x.Parts = append(x.Parts, m.expression(depth+1))
	}
	return x
}

func (m maker) constraint() oConstraint {
	switch m.IntN(10) {
	case 0:
		return oConstraint{Kind: "conflict", Of: []oSelector{m.selector(), m.selector()}}
	case 1:
		if m.chance(40) {
			return oConstraint{Kind: "atMostOne", GVK: true}
		}
		return oConstraint{Kind: "atMostOne", Of: []oSelector{m.selector(), m.selector(), m.selector()}}
	case 2:
		return oConstraint{Kind: "pinned", Name: m.one(someNames), Version: m.one(slices.Concat(someVersions, someBuilds)), Source: m.maybeSource()}
	case 3:
		return oConstraint{Kind: "upgradeFrom", Name: m.one(someNames), Version: m.one(someVersions), Source: m.maybeSource(), Policy: m.one([]string{"", "CatalogProvided", "Semver", "SelfCertified"})}
	case 4, 5, 6:
		return oConstraint{Is: m.expression(0)}
	}
	return oConstraint{Is: oExpression{Is: m.selector()}}
}

func (m maker) version(text string) *oVersion {
	v := &oVersion{Version: text, Deprecated: m.chance(10)}
	for _, c := range someChannels {
		if m.chance(40) {
			v.Channels = append(v.Channels, c)
		}
	}
	if len(v.Channels) == 0 {
		v.Channels = []string{"main"}
	}
	for _, gvk := range someGVKs {
		if m.chance(15) {
			v.GVK = append(v.GVK, gvk)
		}
	}
	if m.chance(30) {
		v.Replaces = m.one(someVersions)
	}
	if m.chance(15) {
		v.SkipRange = ">=1.0.0 <" + text
	}
	if m.chance(15) {
		v.Skips = []string{m.one(someVersions), m.one(someVersions)}
	}
	for range m.IntN(8) / 3 {
		v.Needs = append(v.Needs, m.expression(0))
	}
	if m.chance(20) {
		v.Conflicts = append(v.Conflicts, m.selector())
	}
	return v
}

func generate(r *rand.Rand) *oProblem {
	m := maker{r}
	p := &oProblem{Listed: m.chance(30)}
	candidates := 0
	for _, name := range []string{"south", "north"} {
		s := &oSource{Name: name, Priority: m.IntN(2) * 5}
		for _, of := range someNames {
			if m.chance(35) {
				continue
			}
			k := &oPackage{Name: of, Deprecated: m.chance(5)}
			if m.chance(50) {
				k.Default = m.one(someChannels)
			}
			versions := someVersions
			if m.chance(15) {
				versions = someBuilds
			}
			for _, text := range versions {
				if m.chance(40) && candidates < 14 {
					candidates++
					k.Versions = append(k.Versions, m.version(text))
				}
			}
			s.Packages = append(s.Packages, k)
		}
		p.Sources = append(p.Sources, s)
	}
	for range 1 + m.IntN(4) {
		p.Constraints = append(p.Constraints, m.constraint())
	}
	p.link()
	return p
}

// object is a JSON object; members without a value are left out.
type object map[string]any

func (o object) with(name string, v any) object {
	switch v := v.(type) {
	case string:
		if v == "" {
			return o
		}
	case bool:
		if !v {
			return o
		}
	}
	o[name] = v
	return o
}

func (s oSelector) json() object {
	o := object{}.with("name", s.Name).with("versionRange", s.Range).with("channel", s.Channel).with("source", s.Source)
	if s.GVK != "" {
		o["gvk"] = object{"kind": s.GVK, "version": "v1"}
	}
	return o
}

func (x oExpression) json() object {
	var parts []any
	for _, part := range x.Parts {
		if x.Op == "not" {
			parts = append(parts, part.Is.json())
		} else {
			parts = append(parts, part.json())
		}
	}
	if x.Op == "" {
		return object{"required": x.Is.json()}
	}
	return object{x.Op: parts}
}

func (c oConstraint) json() object {
	var of []any
	for _, s := range c.Of {
		of = append(of, s.json())
	}
	switch {
	case c.Kind == "":
		return c.Is.json()
	case c.GVK:
		return object{c.Kind: object{"property": "olm.gvk"}}
	case c.Of != nil:
		return object{c.Kind: of}
	}
	return object{c.Kind: object{"name": c.Name, "version": c.Version}.with("policy", c.Policy).with("source", c.Source)}
}

func (v *oVersion) json() object {
	o := object{"version": v.Version, "channels": v.Channels}.with("deprecated", v.Deprecated).with("replaces", v.Replaces).with("skipRange", v.SkipRange)
	if v.Skips != nil {
		o["skips"] = v.Skips
	}
	needs, conflicts, properties := []any{}, []any{}, []any{}
	for _, need := range v.Needs {
		needs = append(needs, need.json())
	}
	for _, s := range v.Conflicts {
		conflicts = append(conflicts, s.json())
	}
	for _, gvk := range v.GVK {
		properties = append(properties, object{"type": "olm.gvk", "value": object{"version": "v1", "kind": gvk}})
	}
	o["dependencies"], o["conflicts"], o["properties"] = needs, conflicts, properties
	return o
}

// document is the problem as a case.
func (p *oProblem) document() *value.Value {
	var sources, constraints []any
	spec := object{}
	var order []string
	for _, s := range p.Sources {
		packages := []any{}
		for _, k := range s.Packages {
			versions := []any{}
			for _, v := range k.Versions {
				versions = append(versions, v.json())
			}
			packages = append(packages, object{"name": k.Name, "versions": versions}.with("defaultChannel", k.Default).with("deprecated", k.Deprecated))
		}
		sources = append(sources, object{"name": s.Name, "priority": s.Priority, "packages": packages})
		order = append(order, s.Name)
	}
	for _, c := range p.Constraints {
		constraints = append(constraints, c.json())
	}
	if p.Listed {
		spec["sources"] = order
	}
	spec["constraints"] = constraints
	return fromJSON(object{"sources": sources, "spec": spec})
}

func fromJSON(v any) *value.Value {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	out, err := value.ParseJSON(data, value.Limits{})
	if err != nil {
		panic(fmt.Sprintf("%s: %v", strings.TrimSpace(string(data)), err))
	}
	return out
}
