package solver

import (
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// versioned is a capability that a version provides in a version of its own: a property of the type with the value {name, version}.
type versioned struct {
	kind, name string
	versions   *Range
}

func (c *versioned) text() string {
	text := c.kind + " " + c.name
	if c.versions != anyVersion {
		text += " " + c.versions.text
	}
	return text
}

// providedBy reports whether a version has the capability in the range. A capability without a version is in no range but that of all.
func (c *versioned) providedBy(v *Version) bool {
	for _, has := range v.capabilities {
		if has.kind == c.kind && has.name == c.name && (has.version == nil && c.versions == anyVersion || has.version != nil && c.versions.admits(has.version)) {
			return true
		}
	}
	return false
}

// versioned reads {type, name, versionRange?}.
func (r *reader) versioned(f decode.Field) *versioned {
	c := &versioned{versions: anyVersion}
	for name, m := range f.As("a capability").Members("type", "name", "versionRange") {
		switch name {
		case "type":
			c.kind = m.Text()
		case "name":
			c.name = m.Text()
		case "versionRange":
			c.versions = r.versionRange(m)
		}
	}
	f.Require("type", "name")
	if c.kind == "" || c.name == "" {
		return nil
	}
	return c
}

// capability reads what a property provides by name, in a version or without one; nothing for other properties.
func (r *reader) capability(kind string, v *value.Value) (c capability, is bool) {
	if name, ok := v.Str(); ok {
		return capability{kind: kind, name: name}, true
	}
	name, ok := v.Get("name").Str()
	if !ok {
		return c, false
	}
	text, has := v.Get("version").Str()
	if !has {
		return capability{kind: kind, name: name}, true
	}
	version, err := r.versionOf(text)
	return capability{kind, name, version}, err == nil
}
