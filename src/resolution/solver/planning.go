package solver

import (
	"maps"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/value"
)

// ChangePolicy says how much of what is installed a plan may change.
type ChangePolicy string

// The policies.
const (
	Latest        ChangePolicy = "latest"         // whatever the preferred solution changes
	MinimalChange ChangePolicy = "minimal-change" // as few packages as possible
	Frozen        ChangePolicy = "frozen"         // nothing
)

var changePolicies = []string{string(Latest), string(MinimalChange), string(Frozen)}

// anyNumber is the maxChanges of specs without one.
const anyNumber = -1

// planning is what a spec says about what is installed and how it may change.
type planning struct {
	installed  []subject // with the policy of their upgrades
	policy     ChangePolicy
	policies   map[string]ChangePolicy // of single packages
	maxChanges int

	installedGiven bool // the spec says what is installed, if only nothing

	policyAt map[string]decode.Field // where they stand
}

// Planned reports whether the spec asks for a plan.
func (p *planning) Planned() bool { return p.policy != "" }

// policyFor is the policy of a package.
func (p *planning) policyFor(name string) ChangePolicy {
	if own, has := p.policies[name]; has {
		return own
	}
	return p.policy
}

// digested is what of a planning decides answers.
func (p *planning) digested() string {
	text := string(p.policy) + strconv.Itoa(p.maxChanges)
	for _, of := range p.installed {
		text += strconv.Quote(of.name) + strconv.Quote(of.source) + of.version.Original() + string(of.policy)
	}
	for _, name := range slices.Sorted(maps.Keys(p.policies)) {
		text += strconv.Quote(name) + string(p.policies[name])
	}
	return text
}

// upgrades are the spellings of what follows an installed version.
var upgrades = map[string]policy{"catalog": catalogProvided, "semver": semverPolicy, "any": selfCertified}

// readInstalled reads [{name, version, source?, upgrades?}].
func (r *reader) readInstalled(f decode.Field) []subject {
	var list []subject
	seen := map[string]bool{}
	for _, item := range f.List("an installed version") {
		s := subject{policy: catalogProvided}
		for name, m := range item.Members("name", "version", "source", "upgrades") {
			switch name {
			case "name":
				s.name = m.Text()
			case "version":
				s.version = r.version(m)
			case "source":
				s.source = optionalText(m)
			case "upgrades":
				s.policy = upgrades[oneOfTexts(m, "kind of upgrades", "catalog", "semver", "any")]
			}
		}
		item.Require("name", "version")
		switch {
		case s.name == "" || s.version == nil:
			continue
		case seen[s.name]:
			item.Fail("keep one", "duplicate installed package %s", decode.Quote(s.name))
			continue
		}
		seen[s.name] = true
		s.finish()
		list = append(list, s)
	}
	return list
}

// readPolicy reads a policy, or {default, packages: {name: policy}}.
func (p *planning) readPolicy(f decode.Field) {
	if f.Kind() != value.Map {
		p.policy = ChangePolicy(oneOfTexts(f, "policy", changePolicies...))
		return
	}
	for name, m := range f.As("policy").Members("default", "packages") {
		if name == "default" {
			p.policy = ChangePolicy(oneOfTexts(m, "policy", changePolicies...))
			continue
		}
		if !m.IsMap() {
			continue
		}
		p.policies, p.policyAt = map[string]ChangePolicy{}, map[string]decode.Field{}
		for name, of := range m.All() {
			p.policyAt[name] = of
			p.policies[name] = ChangePolicy(oneOfTexts(of, "policy", changePolicies...))
		}
	}
	f.Require("default")
}

// readMaxChanges reads a number of packages.
func (p *planning) readMaxChanges(f decode.Field) {
	n, err := strconv.Atoi(f.Value.Text)
	if f.Kind() != value.Number || err != nil || n < 0 {
		f.Fail("write 0 or more", "maxChanges must be a whole number of packages")
		return
	}
	p.maxChanges = n
}

// oneOfTexts reads one of several texts; of is what messages call it.
func oneOfTexts(f decode.Field, of string, known ...string) string {
	text, ok := f.AnyText()
	if !ok || slices.Contains(known, text) {
		return text
	}
	remedy := "use " + orList(known)
	if near := suggest.Nearest(text, known); near != "" {
		remedy = "did you mean " + decode.Quote(near) + "? It is " + orList(known)
	}
	f.Fail(remedy, "there is no %s %s", of, decode.Quote(text))
	return ""
}

// orList is "a, b or c".
func orList(list []string) string {
	text := list[0]
	for i, one := range list[1:] {
		if i == len(list)-2 {
			text += " or " + one
		} else {
			text += ", " + one
		}
	}
	return text
}

// upgradesOnly are the constraints that let only successors of what is installed be selected, for a spec without a plan.
func (p *planning) upgradesOnly() []*Constraint {
	var list []*Constraint
	for _, of := range p.installed {
		list = append(list, &Constraint{kind: isUpgrade, subject: of, text: "installed " + of.name + " " + of.version.Original()})
	}
	return list
}

// checkPolicies refuses policies of packages that there are not.
func (p *Problem) checkPolicies(errs *dovetail.Errors) {
	var unknown dovetail.Errors
	known := map[string]bool{}
	for _, of := range p.spec.installed {
		known[of.name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(p.spec.policies)) {
		exists := known[name] || slices.ContainsFunc(p.sources, func(s *Source) bool { return s.byName[name] != nil })
		if exists {
			continue
		}
		var names []string
		for _, s := range p.sources {
			names = append(names, slices.Collect(maps.Keys(s.byName))...)
		}
		slices.Sort(names)
		remedy := "take the policy away"
		if near := suggest.Nearest(name, slices.Concat(slices.Sorted(maps.Keys(known)), names)); near != "" {
			remedy = "did you mean " + decode.Quote(near) + "?"
		}
		at := p.spec.policyAt[name]
		fail(&unknown, at.Value, at.Path(), remedy, "there is no package %s", decode.Quote(name))
	}
	into(errs, ReasonInvalidSpec, -1, &unknown)
}
