package solver

import (
	"math/big"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// TypeGVK is the type of the property that provides a Kubernetes API.
const TypeGVK = "olm.gvk"

// property is a typed value that a version provides. Properties are equal if their values are
// equal as JSON.
type property struct{ kind, value string }

// text shows the property in a message: an API as "Kafka of kafka.example.com/v1".
func (p property) text() string {
	v, err := value.ParseJSON([]byte(p.value), value.Limits{})
	kind, hasKind := v.Get("kind").Str()
	version, hasVersion := v.Get("version").Str()
	if p.kind != TypeGVK || err != nil || !hasKind || !hasVersion {
		return p.kind + " " + p.value
	}
	if group, _ := v.Get("group").Str(); group != "" {
		version = group + "/" + version
	}
	return kind + " of " + version
}

// selector picks candidates: all that it says has to hold. The zero range is any.
type selector struct {
	name      string
	versions  *Range
	channel   string
	channels  []string // or one of several
	source    string
	provides  []property
	versioned []versioned // capabilities in ranges of versions
	match     *match      // nil if there is none
	rule      *celRule    // nil if there is none
	key       string      // equal for equal selectors
	text      string      // as messages show it
}

// concerns reports whether everything but the range holds of a version of a package in a source.
func (s *selector) concerns(in *Problem, source *Source, p *Package, v *Version) bool {
	return (s.name == "" || s.name == p.Name) && (s.source == "" || s.source == source.Name) &&
		(s.channel == "" || slices.Contains(v.Channels, s.channel)) && s.inChannels(v) && s.provided(v) &&
		(s.match == nil || s.match.holds(in, source, p, v)) && (s.rule == nil || s.rule.holds(p, v))
}

// ruled reports whether rules decide, which take time.
func (s *selector) ruled() bool { return s.rule != nil || s.match != nil && s.match.ruled() }

// inChannels reports whether a version is in one of several channels.
func (s *selector) inChannels(v *Version) bool {
	return s.channels == nil || slices.ContainsFunc(s.channels, func(c string) bool { return slices.Contains(v.Channels, c) })
}

// namesChannel reports whether channels filter, and do not order.
func (s *selector) namesChannel() bool { return s.channel != "" || s.channels != nil }

// namesOnlyPackage reports whether the selector leaves open which versions: then those that are no pre-releases come first.
func (s *selector) namesOnlyPackage() bool {
	return s.name != "" && s.versions == anyVersion && !s.namesChannel()
}

// channelOf is the channel that the selector names, of several the best that the version is in.
func (s *selector) channelOf(p *Package, v *Version) string {
	if s.channels == nil {
		return s.channel
	}
	in := slices.DeleteFunc(slices.Clone(v.Channels), func(c string) bool { return !slices.Contains(s.channels, c) })
	return slices.MinFunc(in, p.compareChannels)
}

func (s *selector) provided(v *Version) bool {
	for _, p := range s.provides {
		if !slices.Contains(v.properties, p) {
			return false
		}
	}
	for _, c := range s.versioned {
		if !c.providedBy(v) {
			return false
		}
	}
	return true
}

// finish fills in key and text.
func (s *selector) finish() {
	var text []string
	if s.name != "" {
		text = append(text, s.name)
	}
	if s.versions.text != "*" && s.versions != anyVersion {
		text = append(text, s.versions.text)
	}
	if s.channel != "" {
		text = append(text, "in channel "+s.channel)
	}
	if s.channels != nil {
		text = append(text, "in one of the channels "+strings.Join(s.channels, ", "))
	}
	if s.source != "" {
		text = append(text, "of source "+s.source)
	}
	parts := []string{s.name, s.versions.text, s.channel, s.source, strings.Join(s.channels, "\x01")}
	for _, p := range s.provides {
		text = append(text, "with "+p.text())
		parts = append(parts, p.kind, p.value)
	}
	for _, c := range s.versioned {
		text = append(text, "with "+c.text())
		parts = append(parts, "\x02", c.kind, c.name, c.versions.text)
	}
	if s.match != nil {
		text = append(text, "that is "+s.match.text())
		parts = append(parts, s.match.key())
	}
	if s.rule != nil {
		text = append(text, "with the rule "+s.rule.text)
		parts = append(parts, "\x03", s.rule.text)
	}
	s.text = strings.Join(text, " ")
	s.key = strings.Join(parts, "\x00")
}

// selector reads the map form.
func (r *reader) selector(f decode.Field) *selector { return r.selectorOf(f, false) }

// selectorOf reads the map form. One that is part of a condition may be a range alone.
func (r *reader) selectorOf(f decode.Field, part bool) *selector {
	before := r.Errors.Total()
	s := &selector{versions: anyVersion}
	for name, m := range f.As("a selector").Members("name", "versionRange", "channel", "channels", "source", "gvk", "provides", "match", "cel") {
		switch name {
		case "name":
			s.name = m.Text()
		case "versionRange":
			s.versions = r.versionRange(m)
		case "channel":
			s.channel = optionalText(m)
		case "channels":
			for _, item := range m.NonEmptyList("a channel") {
				s.channels = append(s.channels, item.Text())
			}
		case "match":
			s.match = r.match(m, 0)
		case "cel":
			s.rule = r.rule(m)
		case "source":
			s.source = optionalText(m)
		case "gvk":
			m.IsMap()
			s.provides = append(s.provides, property{TypeGVK, canonical(m.Value)})
		case "provides":
			if m.Value.Get("versionRange") != nil || m.Value.Get("name") != nil {
				if c := r.versioned(m); c != nil {
					s.versioned = append(s.versioned, *c)
				}
			} else if p, ok := readProperty(m); ok {
				s.provides = append(s.provides, p)
			}
		}
	}
	if s.channel != "" && s.channels != nil {
		f.Fail("keep one of them", "a selector has channel or channels, not both")
	}
	if r.Errors.Total() == before && f.Value.Get("name") == nil && len(s.provides)+len(s.versioned) == 0 && s.match == nil && s.rule == nil && (!part || s.versions == anyVersion) {
		f.Fail("add one of them", "a selector needs name, gvk, provides, match or cel")
	}
	if r.Errors.Total() > before {
		return nil
	}
	s.finish()
	return s
}

// selectors reads a list of selectors.
func (r *reader) selectors(f decode.Field) []*selector {
	var list []*selector
	for _, item := range f.NonEmptyList("a selector") {
		if s := r.selectorOrCall(item); s != nil {
			list = append(list, s)
		}
	}
	return list
}

// readProperty reads {type, value}.
func readProperty(f decode.Field) (property, bool) {
	if f.Value.Get("type") == nil || f.Value.Get("value") == nil {
		f.Fail("write {type: ..., value: ...}", "a property is a map of type and value")
		return property{}, false
	}
	known := f.As("a property").Map("type", "value")
	kind := f.Get("type").Text()
	return property{kind, canonical(f.Value.Get("value"))}, known && kind != ""
}

// canonical writes a value as JSON so that equal values are equal texts: members by name, numbers with
// the digits that they need.
func canonical(v *value.Value) string { return string(normal(v).JSON()) }

func normal(v *value.Value) *value.Value {
	switch v.Kind {
	case value.Number:
		if n, ok := new(big.Rat).SetString(v.Text); ok {
			digits, _ := n.FloatPrec()
			return &value.Value{Kind: value.Number, Text: n.FloatString(digits)}
		}
	case value.List:
		list := value.NewList()
		for _, item := range v.Items {
			list.Items = append(list.Items, normal(item))
		}
		return list
	case value.Map:
		m := value.NewMap()
		for _, member := range v.Members {
			m.Members = append(m.Members, value.Member{Name: member.Name, Value: normal(member.Value)})
		}
		slices.SortFunc(m.Members, func(a, b value.Member) int { return strings.Compare(a.Name, b.Name) })
		return m
	}
	return v
}
