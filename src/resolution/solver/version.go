package solver

import (
	"crypto/sha256"

	"github.com/Masterminds/semver/v3"

	"github.com/dovetail-store/dovetail/src/value"
)

// Version is one version of a package. It is not changed after it was read, so that any number of
// packages, sources and resolutions may share it.
type Version struct {
	Text       string // "1.2.3"
	Channels   []string
	Image      string // "" if there is none
	Deprecated bool

	version      *semver.Version
	properties   []property
	replaces     *semver.Version
	skips        []*semver.Version
	skipRange    *Range
	dependencies []*expression
	conflicts    []*selector
	digest       [sha256.Size]byte
	faults       faults
}

// Err tells all that is wrong with the version, with ReasonInvalidSource; nil if it is valid.
func (v *Version) Err() error {
	return v.faults.err("invalid version", ReasonInvalidSource)
}

// succeeds says whether the catalog provides an upgrade from another version to this one.
func (v *Version) succeeds(from *semver.Version) bool {
	if v.replaces != nil && isVersion(v.replaces, from) || v.skipRange != nil && v.skipRange.admits(from) {
		return true
	}
	for _, skipped := range v.skips {
		if isVersion(skipped, from) {
			return true
		}
	}
	return false
}

// Version reads a version: {version, channels, image?, deprecated?, properties?, replaces?, skips?,
// skipRange?, dependencies?, conflicts?}. What is wrong is reported by its Err.
func (p *Parser) Version(v *value.Value) *Version {
	r := &reader{texts: p.texts}
	out := &Version{}
	if p.ended() {
		return out
	}
	if kindOf(v) != value.Map {
		r.faults.add(v, "", "write {version: ..., channels: [...]}", "a version is a map, not a %s", kindOf(v))
		out.faults = r.faults
		return out
	}
	for _, m := range v.Members {
		r.versionMember(out, v, m)
	}
	if v.Get("version") == nil {
		r.faults.add(v, "", "add it", "version is missing")
	}
	if v.Get("channels") == nil {
		r.faults.add(v, "", "add one or more", "channels is missing")
	}
	out.digest = sha256.Sum256([]byte(canonical(v)))
	out.faults = r.faults
	return out
}

func (r *reader) versionMember(out *Version, v *value.Value, m value.Member) {
	at := value.Pointer(m.Name)
	switch m.Name {
	case "version":
		out.version = r.version(m.Value, at)
		out.Text, _ = m.Value.Str()
	case "channels":
		for i, item := range r.list(m.Value, at) {
			out.Channels = append(out.Channels, r.name(item, at+index(i)))
		}
	case "image":
		out.Image = r.text(m.Value, at)
	case "deprecated":
		out.Deprecated = r.boolean(m.Value, at)
	case "properties":
		for i, item := range r.optional(m.Value, at) {
			if p, ok := r.property(item, at+index(i)); ok {
				out.properties = append(out.properties, p)
			}
		}
	case "replaces":
		out.replaces = r.version(m.Value, at)
	case "skips":
		for i, item := range r.optional(m.Value, at) {
			if skipped := r.version(item, at+index(i)); skipped != nil {
				out.skips = append(out.skips, skipped)
			}
		}
	case "skipRange":
		out.skipRange = r.versionRange(m.Value, at)
	case "dependencies":
		for i, item := range r.optional(m.Value, at) {
			if e := r.expression(item, at+index(i), true, 0); e != nil {
				out.dependencies = append(out.dependencies, e)
			}
		}
	case "conflicts":
		for i, item := range r.optional(m.Value, at) {
			if s := r.selectorOrCall(item, at+index(i)); s != nil {
				out.conflicts = append(out.conflicts, s)
			}
		}
	default:
		r.unknown(v, m, "", "version, channels, image, deprecated, properties, replaces, skips, skipRange, dependencies or conflicts")
	}
}
