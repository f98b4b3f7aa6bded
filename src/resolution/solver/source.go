package solver

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// Parser reads sources and their parts. It remembers the ranges and versions that it parsed, as
// catalogs repeat them; it is not for concurrent use.
type Parser struct {
	File string // what errors of whole sources call the input
	// Stop, where not nil, is called every few hundred sources, packages and versions. Once it has an error the parser
	// reads nothing more, and Stopped is that error.
	Stop func() error

	texts
	read    int
	stopped error
}

// Stopped is the error of Stop: what was read since is not whole.
func (p *Parser) Stopped() error { return p.stopped }

// ended reports whether to read no more.
func (p *Parser) ended() bool {
	if p.stopped == nil {
		p.stopped = every(p.Stop, p.read)
		p.read++
	}
	return p.stopped != nil
}

// NewParser returns a parser.
func NewParser() *Parser { return &Parser{texts: newTexts()} }

// Package is a package of a source: versions, the most preferred by number first. It is not changed
// after it was made.
type Package struct {
	Name           string
	DefaultChannel string
	Deprecated     bool
	Versions       []*Version

	best   []string // of each version its best channel
	digest [sha256.Size]byte
	own    dovetail.Errors // of the package without its versions
	errs   dovetail.Errors
}

// Err tells all that is wrong with the package and its versions, with ReasonInvalidSource.
func (p *Package) Err() error {
	return errOf(&p.errs, "invalid package", ReasonInvalidSource)
}

// With returns the package with other versions.
func (p *Package) With(versions ...*Version) *Package {
	out := *p
	out.Versions, out.best = nil, nil
	out.fill(givenParts(versions, "/versions"))
	return &out
}

// Package reads a package: {name, defaultChannel?, deprecated?, versions?}. What is wrong is reported by
// its Err.
func (p *Parser) Package(v *value.Value) *Package {
	out := &Package{}
	if p.ended() {
		return out
	}
	var errs dovetail.Errors
	root := newReader(p.texts, &errs).Root(v, "a package", "")
	var versions []part[*Version]
	for name, m := range root.Members("name", "defaultChannel", "deprecated", "versions") {
		switch name {
		case "name":
			out.Name = m.Text()
		case "defaultChannel":
			out.DefaultChannel = optionalText(m)
		case "deprecated":
			out.Deprecated = m.Bool()
		case "versions":
			versions = readParts(m, "a version", p.Version)
		}
	}
	root.Require("name")
	below(&out.own, "", out.Name, &errs)
	out.fill(versions)
	return out
}

// fill puts the versions in order and works out what depends on them.
func (p *Package) fill(versions []part[*Version]) {
	p.errs = clone(&p.own)
	texts := map[string]bool{}
	for _, one := range versions {
		v := one.made
		below(&p.errs, one.path, strings.TrimSpace(p.Name+" "+v.Text), &v.errs)
		if texts[v.Text] && v.version != nil {
			fail(&p.errs, one.place, one.path, "keep one", "duplicate version %s of package %s", v.Text, decode.Quote(p.Name))
		}
		texts[v.Text] = true
		if v.version != nil {
			p.Versions = append(p.Versions, v)
		}
	}
	slices.SortStableFunc(p.Versions, func(a, b *Version) int { return compareVersions(b.version, a.version) })
	for _, v := range p.Versions {
		p.best = append(p.best, p.bestOf(v))
	}
	h := sha256.New()
	h.Write([]byte(strconv.Quote(p.Name) + strconv.Quote(p.DefaultChannel) + strconv.FormatBool(p.Deprecated)))
	for _, v := range p.Versions {
		h.Write(v.digest[:])
	}
	h.Sum(p.digest[:0])
}

// bestOf is the default channel if the version is in it, otherwise the first by name.
func (p *Package) bestOf(v *Version) string {
	if len(v.Channels) == 0 || p.DefaultChannel != "" && slices.Contains(v.Channels, p.DefaultChannel) {
		return p.DefaultChannel
	}
	return slices.Min(v.Channels)
}

// compareChannels orders channels of the package: the default, then by name.
func (p *Package) compareChannels(a, b string) int {
	if a == b {
		return 0
	}
	switch p.DefaultChannel {
	case a:
		return -1
	case b:
		return 1
	}
	return cmp.Compare(a, b)
}

// Source is a set of packages with a name. It is not changed after it was made.
type Source struct {
	Name     string
	Priority int64
	Packages []*Package // by name

	byName    map[string]*Package
	providers map[property][]*provider
	digest    string
	errs      dovetail.Errors
}

// provider is a version that has a property.
type provider struct {
	pkg   *Package
	index int // of the version
}

// Err tells all that is wrong with the source, with ReasonInvalidSource; nil if it is valid.
func (s *Source) Err() error {
	return errOf(&s.errs, "invalid source", ReasonInvalidSource)
}

// Digest is the same for sources of the same content, in whatever order it was given.
func (s *Source) Digest() string { return s.digest }

// NewSource makes a source of packages. What is wrong is reported by its Err.
func NewSource(name string, priority int64, packages ...*Package) *Source {
	s := &Source{Name: name, Priority: priority}
	s.fill(givenParts(packages, "/packages"))
	return s
}

// Source reads a whole source: {name, priority?, packages?}. What is wrong is reported by its Err.
func (p *Parser) Source(v *value.Value) *Source {
	s := &Source{}
	if p.ended() {
		return s
	}
	root := newReader(p.texts, &s.errs).Root(v, "a source", "")
	var packages []part[*Package]
	for name, m := range root.Members("name", "priority", "packages") {
		switch name {
		case "name":
			s.Name = m.Text()
		case "priority":
			s.Priority = integer(m)
		case "packages":
			packages = readParts(m, "a package", p.Package)
		}
	}
	root.Require("name")
	s.fill(packages)
	for _, e := range s.errs.Kept() {
		e.Position.File = p.File
	}
	return s
}

// fill puts the packages in order and finds what they provide.
func (s *Source) fill(packages []part[*Package]) {
	s.byName = make(map[string]*Package, len(packages))
	s.providers = map[property][]*provider{}
	for _, one := range packages {
		p := one.made
		below(&s.errs, one.path, "", &p.errs)
		if p.Name != "" && s.byName[p.Name] != nil {
			fail(&s.errs, one.place, one.path, "keep one", "duplicate package %s", decode.Quote(p.Name))
			continue
		}
		s.byName[p.Name] = p
		s.Packages = append(s.Packages, p)
	}
	slices.SortStableFunc(s.Packages, func(a, b *Package) int { return cmp.Compare(a.Name, b.Name) })
	h := sha256.New()
	h.Write([]byte(strconv.Quote(s.Name) + strconv.FormatInt(s.Priority, 10)))
	for _, p := range s.Packages {
		h.Write(p.digest[:])
		for i, v := range p.Versions {
			for _, of := range v.properties {
				s.providers[of] = append(s.providers[of], &provider{p, i})
			}
		}
	}
	s.digest = hex.EncodeToString(h.Sum(nil))
}
