package solver

import (
	"crypto/sha256"
	"sync/atomic"

	"github.com/Masterminds/semver/v3"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// Version is one version of a package. It is not changed after it was read, so that any number of
// packages, sources and resolutions may share it.
type Version struct {
	Text       string // "1.2.3"
	Channels   []string
	Image      string // "" if there is none
	Deprecated bool
	Withdrawn  bool // only selected where a constraint requires exactly this version

	version      *semver.Version
	properties   []property
	capabilities []capability // the properties with names
	replaces     *semver.Version
	skips        []*semver.Version
	skipRange    *Range
	dependencies []*expression
	conflicts    []*selector
	cluster      clusterNeeds
	digest       [sha256.Size]byte
	errs         dovetail.Errors
	shown        atomic.Pointer[value.Value] // the properties as rules read them, made when the first one does
}

// capability is what a version provides by a name, version nil where that has none.
type capability struct {
	kind, name string
	version    *semver.Version
}

// Err tells all that is wrong with the version, with ReasonInvalidSource; nil if it is valid.
func (v *Version) Err() error {
	return errOf(&v.errs, "invalid version", ReasonInvalidSource)
}

// succeeds reports whether the catalog provides an upgrade from another version to this one.
func (v *Version) succeeds(from *semver.Version) bool { return v.succeedsBy(from) != "" }

// succeedsBy says what provides it, "" where nothing does.
func (v *Version) succeedsBy(from *semver.Version) string {
	if v.replaces != nil && compareVersions(v.replaces, from) == 0 {
		return UpgradeReplaces
	}
	for _, skipped := range v.skips {
		if compareVersions(skipped, from) == 0 {
			return UpgradeSkips
		}
	}
	if v.skipRange != nil && v.skipRange.admits(from) {
		return UpgradeSkipRange
	}
	return ""
}

// Version reads a version: {version, channels, image?, deprecated?, withdrawn?, properties?, replaces?, skips?,
// skipRange?, dependencies?, conflicts?}. What is wrong is reported by its Err.
func (p *Parser) Version(v *value.Value) *Version {
	out := &Version{}
	if p.ended() {
		return out
	}
	r := newReader(p.texts, &out.errs)
	root := r.Root(v, "a version", "")
	for name, m := range root.Members("version", "channels", "image", "deprecated", "withdrawn", "properties", "replaces", "skips", "skipRange",
		"dependencies", "conflicts") {
		r.versionMember(out, name, m)
	}
	root.Require("version", "channels")
	if root.Kind() == value.Map {
		out.digest = sha256.Sum256([]byte(canonical(v)))
	}
	return out
}

func (r *reader) versionMember(out *Version, name string, m decode.Field) {
	switch name {
	case "version":
		out.version = r.version(m)
		out.Text, _ = m.Value.Str()
	case "channels":
		for _, item := range m.NonEmptyList("a channel") {
			out.Channels = append(out.Channels, item.Text())
		}
	case "image":
		out.Image = optionalText(m)
	case "deprecated":
		out.Deprecated = m.Bool()
	case "withdrawn":
		out.Withdrawn = m.Bool()
	case "properties":
		for _, item := range m.List("a property") {
			if p, ok := readProperty(item); ok {
				out.properties = append(out.properties, p)
				out.cluster.read(p.kind, item.Value.Get("value"))
				if c, is := r.capability(p.kind, item.Value.Get("value")); is {
					out.capabilities = append(out.capabilities, c)
				}
			}
		}
	case "replaces":
		out.replaces = r.version(m)
	case "skips":
		for _, item := range m.List("a version") {
			if skipped := r.version(item); skipped != nil {
				out.skips = append(out.skips, skipped)
			}
		}
	case "skipRange":
		if skips := r.versionRange(m); skips != anyVersion {
			out.skipRange = skips
		}
	case "dependencies":
		for _, item := range m.List("a dependency") {
			if e := r.expression(item, true, 0); e != nil {
				out.dependencies = append(out.dependencies, e)
			}
		}
	case "conflicts":
		for _, item := range m.List("a selector") {
			if s := r.selectorOrCall(item); s != nil {
				out.conflicts = append(out.conflicts, s)
			}
		}
	}
}

// typeMediaType is the property that says of what media type the bundle in the image is.
const typeMediaType = "olm.bundle.mediatype"

// typeManifests is the property that holds the objects of Kubernetes that a version consists of.
const typeManifests = "manifests"

// manifests are the objects that the version consists of, a list as JSON; "" where no property says it.
func (v *Version) manifests() string {
	for _, p := range v.properties {
		if p.kind == typeManifests {
			return p.value
		}
	}
	return ""
}

// mediaType is that of the bundle in the image, "" where no property says it.
func (v *Version) mediaType() string {
	for _, p := range v.properties {
		if p.kind == typeMediaType {
			v, err := value.ParseJSON([]byte(p.value), value.Limits{})
			if text, ok := v.Str(); ok && err == nil {
				return text
			}
		}
	}
	return ""
}
