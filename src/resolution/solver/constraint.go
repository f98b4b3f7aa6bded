package solver

import (
	"github.com/Masterminds/semver/v3"

	"github.com/dovetail-store/dovetail/src/value"
)

// kind is what a constraint is.
type kind uint8

const (
	isExpression kind = iota
	isConflict
	isAtMostOne
	isPinned
	isUpgrade
)

// policy says what follows a version.
type policy string

const (
	catalogProvided policy = "CatalogProvided"
	semverPolicy    policy = "Semver"
	selfCertified   policy = "SelfCertified"
)

// Constraint is a member of spec.constraints. It is not changed after it was read.
type Constraint struct {
	kind       kind
	expression *expression // of isExpression
	selectors  []*selector // of isConflict and isAtMostOne
	property   string      // of isAtMostOne instead of selectors: the type
	subject    subject     // of isPinned and isUpgrade
	text       string
}

// subject is a version of a package that a constraint is about.
type subject struct {
	name, source string
	version      *semver.Version
	policy       policy
	compatible   *Range // with semverPolicy
}

// String is the constraint as it was written, a map as JSON.
func (c *Constraint) String() string { return c.text }

// packages yields the names of packages that the constraint mentions.
func (c *Constraint) packages(do func(string)) {
	mention := func(s *selector) {
		if s.name != "" {
			do(s.name)
		}
	}
	if c.expression != nil {
		c.expression.each(mention)
	}
	for _, s := range c.selectors {
		mention(s)
	}
	if c.subject.name != "" {
		do(c.subject.name)
	}
}

// excludes says whether a constraint on versions of a package forbids one of them.
func (c *Constraint) excludes(source *Source, p *Package, v *Version) bool {
	of := &c.subject
	if p.Name != of.name {
		return false
	}
	switch {
	case of.source != "" && source.Name != of.source:
		return true
	case isVersion(of.version, v.version):
		return false
	case c.kind == isPinned:
		return true
	}
	switch of.policy {
	case selfCertified:
		return false
	case semverPolicy:
		return !of.compatible.admits(v.version) || of.version.Compare(v.version) >= 0
	}
	return !v.succeeds(of.version)
}

const constraintKinds = "required, prohibited, not, any, all, pinned, upgradeFrom, conflict or atMostOne"

// constraint reads a member of spec.constraints, nil if that fails.
func (r *reader) constraint(v *value.Value, path string) *Constraint {
	var c *Constraint
	if text, ok := v.Str(); ok {
		if c = r.callConstraint(v, path, text); c != nil {
			c.text = text
		}
		return c
	}
	if v.Kind != value.Map {
		r.faults.add(v, path, "write "+constraintKinds, "a constraint is a text or a map, not a %s", v.Kind)
		return nil
	}
	if c = r.constraintMap(v, path); c != nil {
		c.text = string(v.JSON())
	}
	return c
}

func (r *reader) constraintMap(v *value.Value, path string) *Constraint {
	if len(v.Members) != 1 {
		r.oneOf(v, path, constraintKinds)
		return nil
	}
	m := v.Members[0]
	at := path + value.Pointer(m.Name)
	switch m.Name {
	case "conflict":
		c := &Constraint{kind: isConflict, selectors: r.selectors(m.Value, at)}
		if kindOf(m.Value) == value.List && len(m.Value.Items) != 2 {
			r.faults.add(m.Value, at, "write two", "conflict takes two selectors, not %d", len(m.Value.Items))
		}
		return c
	case "atMostOne":
		if m.Value.Kind == value.Map {
			return r.atMostOneOfProperty(m.Value, at)
		}
		return &Constraint{kind: isAtMostOne, selectors: r.selectors(m.Value, at)}
	case "pinned":
		return &Constraint{kind: isPinned, subject: r.subject(m.Value, at, false)}
	case "upgradeFrom":
		return &Constraint{kind: isUpgrade, subject: r.subject(m.Value, at, true)}
	case "required", "prohibited", "not", "any", "all":
		if e := r.expression(v, path, false, 0); e != nil {
			return &Constraint{kind: isExpression, expression: e}
		}
		return nil
	}
	r.unknown(v, m, path, constraintKinds)
	return nil
}

func (r *reader) atMostOneOfProperty(v *value.Value, path string) *Constraint {
	for _, m := range v.Members {
		if m.Name != "property" {
			r.unknown(v, m, path, "property, or a list of selectors")
		}
	}
	c := &Constraint{kind: isAtMostOne}
	switch property := v.Get("property"); {
	case property != nil:
		c.property = r.name(property, path+"/property")
	case len(v.Members) == 0:
		r.faults.add(v, path, "add property, as {property: olm.gvk}, or write a list of selectors", "this is empty")
	}
	return c
}

// subject reads {name, version, source?} and, if upgrade is set, policy.
func (r *reader) subject(v *value.Value, path string, upgrade bool) subject {
	s := subject{policy: catalogProvided}
	if kindOf(v) != value.Map {
		r.faults.add(v, path, "write {name: ..., version: ...}", "this must be a map, not a %s", kindOf(v))
		return s
	}
	for _, m := range v.Members {
		at := path + value.Pointer(m.Name)
		switch {
		case m.Name == "name":
			s.name = r.name(m.Value, at)
		case m.Name == "version":
			s.version = r.version(m.Value, at)
		case m.Name == "source":
			s.source = r.text(m.Value, at)
		case m.Name == "policy" && upgrade:
			s.policy = policy(r.text(m.Value, at))
			if s.policy != catalogProvided && s.policy != semverPolicy && s.policy != selfCertified {
				r.faults.add(m.Value, at, "use CatalogProvided, Semver or SelfCertified", "there is no policy %s", quote(string(s.policy)))
			}
		case upgrade:
			r.unknown(v, m, path, "name, version, source and policy")
		default:
			r.unknown(v, m, path, "name, version and source")
		}
	}
	for _, member := range []string{"name", "version"} {
		if v.Get(member) == nil {
			r.faults.add(v, path, "add it", "%s is missing", member)
		}
	}
	s.finish()
	return s
}

// finish makes what the policy needs.
func (s *subject) finish() {
	if s.policy != semverPolicy || s.version == nil {
		return
	}
	plain, err := s.version.SetMetadata("")
	if err == nil {
		s.compatible, err = ParseRange("^" + plain.String())
	}
	if err != nil { // a version is always a range
		panic(err)
	}
}

// version reads a full version of SemVer 2.0.0.
func (r *reader) version(v *value.Value, path string) *semver.Version {
	text, ok := v.Str()
	if !ok {
		r.faults.add(v, path, "write it in quotes", "a version is a text, not a %s", kindOf(v))
		return nil
	}
	return r.parseVersion(v, path, text)
}

func (r *reader) parseVersion(v *value.Value, path, text string) *semver.Version {
	parsed, err := r.versionOf(text)
	if err != nil {
		r.faults.add(v, path, "write major.minor.patch, as 1.2.3 or 1.2.3-rc.1", "%s is not a version", quote(text))
	}
	return parsed
}
