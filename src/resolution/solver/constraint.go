package solver

import (
	"github.com/Masterminds/semver/v3"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
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
	reason       string // of a pin, for messages
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

// excludes reports whether a constraint on versions of a package forbids one of them.
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
	return !of.leads(of.version, v)
}

var constraintKinds = []string{"required", "prohibited", "not", "any", "all", "pinned", "upgradeFrom", "conflict", "atMostOne", "optional"}

// constraint reads a member of spec.constraints, nil if that fails.
func (r *reader) constraint(f decode.Field) *Constraint {
	var c *Constraint
	if text, ok := f.Value.Str(); ok {
		if c = r.callConstraint(f, text); c != nil {
			c.text = text
		}
		return c
	}
	if !isTextOrMap(f, constraintKinds) || !oneOf(f, constraintKinds) {
		return nil
	}
	for name, m := range f.Members(constraintKinds...) {
		c = r.constraintMember(f, name, m)
	}
	if c != nil {
		c.text = string(f.Value.JSON())
	}
	return c
}

// constraintMember reads the one member of a constraint in map form.
func (r *reader) constraintMember(f decode.Field, name string, m decode.Field) *Constraint {
	switch name {
	case "conflict":
		c := &Constraint{kind: isConflict, selectors: r.selectors(m)}
		if m.Kind() == value.List && len(m.Value.Items) != 2 {
			m.Fail("write two", "conflict takes two selectors, not %d", len(m.Value.Items))
		}
		return c
	case "atMostOne":
		if m.Kind() == value.Map {
			return atMostOneOfProperty(m)
		}
		return &Constraint{kind: isAtMostOne, selectors: r.selectors(m)}
	case "pinned":
		return &Constraint{kind: isPinned, subject: r.subject(m, "name", "version", "source", "reason")}
	case "upgradeFrom":
		return &Constraint{kind: isUpgrade, subject: r.subject(m, "name", "version", "source", "policy")}
	}
	if e := r.expression(f, false, 0); e != nil {
		return &Constraint{kind: isExpression, expression: e}
	}
	return nil
}

func atMostOneOfProperty(f decode.Field) *Constraint {
	c := &Constraint{kind: isAtMostOne}
	if len(f.Value.Members) == 0 {
		f.Fail("add property, as {property: olm.gvk}, or write a list of selectors", "this is empty")
	}
	for _, property := range f.Members("property") {
		c.property = property.Text()
	}
	return c
}

// subject reads {name, version, source?, policy?}, as far as its members are known.
func (r *reader) subject(f decode.Field, known ...string) subject {
	s := subject{policy: catalogProvided}
	for name, m := range f.Members(known...) {
		switch name {
		case "name":
			s.name = m.Text()
		case "version":
			s.version = r.version(m)
		case "source":
			s.source = optionalText(m)
		case "reason":
			s.reason = m.Text()
		case "policy":
			s.policy = policy(optionalText(m))
			if s.policy != catalogProvided && s.policy != semverPolicy && s.policy != selfCertified {
				m.Fail("use CatalogProvided, Semver or SelfCertified", "there is no policy %s", decode.Quote(string(s.policy)))
			}
		}
	}
	f.Require("name", "version")
	s.finish()
	return s
}

// finish makes what the policy needs.
func (s *subject) finish() {
	if s.policy == semverPolicy && s.version != nil {
		s.compatible = compatibleWith(s.version)
	}
}

// compatibleWith is the range of the versions that are compatible with one.
func compatibleWith(v *semver.Version) *Range {
	plain, err := v.SetMetadata("")
	if err != nil { // nothing is always metadata
		panic(err)
	}
	return mustRange("^" + plain.String())
}
