package solver

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
)

// Reach is what of the sources a problem looks at: the packages that it names, those that provide a property that it wants, and whatever
// these lead to. Other packages decide nothing of a solution. It is not changed after it was made.
type Reach struct {
	whole      bool // all packages, since something is wanted that any may be
	packages   []string
	properties []property
	digest     string
}

// Reach returns what the problem looks at.
func (p *Problem) Reach() *Reach {
	r := &Reach{}
	named, wanted := map[string]bool{}, map[property]bool{}
	var open []string
	name := func(name string) {
		if !named[name] {
			named[name] = true
			open = append(open, name)
		}
	}
	look := func(s *selector) {
		of := s.name
		if of == "" && s.match != nil {
			of = s.match.name()
		}
		switch {
		case of != "":
			name(of)
		case len(s.provides) == 0:
			r.whole = true
		case !wanted[s.provides[0]]:
			wanted[s.provides[0]] = true
			for _, source := range p.sources {
				for _, by := range source.providers[s.provides[0]] {
					name(by.pkg.Name)
				}
			}
		}
	}
	for _, c := range p.spec.Constraints {
		if c.expression != nil {
			c.expression.each(look)
		}
		for _, s := range c.selectors {
			look(s)
		}
		if c.subject.name != "" {
			name(c.subject.name)
		}
	}
	for _, of := range p.spec.installed {
		name(of.name)
	}
	for len(open) > 0 && !r.whole {
		next := open[len(open)-1]
		open = open[:len(open)-1]
		for _, source := range p.sources {
			if of := source.byName[next]; of != nil {
				for _, v := range of.Versions {
					for _, need := range v.dependencies {
						need.each(look)
					}
				}
			}
		}
	}
	if !r.whole {
		for name := range named {
			r.packages = append(r.packages, name)
		}
		slices.Sort(r.packages)
		for of := range wanted {
			r.properties = append(r.properties, of)
		}
		slices.SortFunc(r.properties, func(a, b property) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.value, b.value)) })
	}
	r.digest = p.digest(r)
	return r
}

// Digest is the same for the same spec and the same content of what the problem looks at. The time limit is not part of it.
func (r *Reach) Digest() string { return r.digest }

// Same reports whether the problem of the spec and these sources looks at the same as the one that the reach is of.
func (r *Reach) Same(spec *Spec, sources []*Source) bool {
	p, err := NewProblem(spec, sources)
	return err == nil && p.digest(r) == r.digest
}

// digest is that of the spec and of what is reached.
func (p *Problem) digest(r *Reach) string {
	h := sha256.New()
	for _, c := range p.spec.Constraints {
		h.Write([]byte(strconv.Quote(c.text)))
	}
	h.Write([]byte(p.spec.prereleases))
	if p.spec.facts != nil {
		h.Write([]byte(p.spec.facts.source.digest))
	}
	if p.spec.Planned() || p.spec.installed != nil {
		h.Write([]byte(p.spec.digested()))
	}
	for _, s := range p.sources {
		if r.whole {
			h.Write([]byte(s.digest))
			continue
		}
		h.Write([]byte(strconv.Quote(s.Name) + strconv.FormatInt(s.Priority, 10)))
		for _, name := range r.packages {
			if of := s.byName[name]; of != nil {
				h.Write(of.digest[:])
			} else {
				h.Write([]byte{0})
			}
		}
		for _, of := range r.properties {
			for _, by := range s.providers[of] {
				h.Write([]byte(strconv.Quote(by.pkg.Name)))
			}
			h.Write([]byte{0})
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
