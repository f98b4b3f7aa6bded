package solver

import (
	"math/big"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// typeGVK is the type of the property that provides a Kubernetes API.
const typeGVK = "olm.gvk"

// property is a typed value that a version provides. Properties are equal if their values are
// equal as JSON.
type property struct{ kind, value string }

// text shows the property in a message: an API as "Kafka of kafka.example.com/v1".
func (p property) text() string {
	v, err := value.ParseJSON([]byte(p.value), value.Limits{})
	kind, hasKind := v.Get("kind").Str()
	version, hasVersion := v.Get("version").Str()
	if p.kind != typeGVK || err != nil || !hasKind || !hasVersion {
		return p.kind + " " + p.value
	}
	if group, _ := v.Get("group").Str(); group != "" {
		version = group + "/" + version
	}
	return kind + " of " + version
}

// selector picks candidates: all that it says has to hold. The zero range is any.
type selector struct {
	name     string
	versions *Range
	channel  string
	source   string
	provides []property
	key      string // equal for equal selectors
	text     string // as messages show it
}

// admits says whether a version of a package in a source is selected.
func (s *selector) admits(source *Source, p *Package, v *Version) bool {
	return s.concerns(source, p, v) && s.versions.admits(v.version)
}

// concerns says whether everything but the range holds.
func (s *selector) concerns(source *Source, p *Package, v *Version) bool {
	return (s.name == "" || s.name == p.Name) && (s.source == "" || s.source == source.Name) &&
		(s.channel == "" || slices.Contains(v.Channels, s.channel)) && s.provided(v)
}

func (s *selector) provided(v *Version) bool {
	for _, p := range s.provides {
		if !slices.Contains(v.properties, p) {
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
	if s.versions.text != "*" {
		text = append(text, s.versions.text)
	}
	if s.channel != "" {
		text = append(text, "in channel "+s.channel)
	}
	if s.source != "" {
		text = append(text, "of source "+s.source)
	}
	parts := []string{s.name, s.versions.text, s.channel, s.source}
	for _, p := range s.provides {
		text = append(text, "with "+p.text())
		parts = append(parts, p.kind, p.value)
	}
	s.text = strings.Join(text, " ")
	s.key = strings.Join(parts, "\x00")
}

// selector reads the map form.
func (r *reader) selector(f decode.Field) *selector {
	before := r.Errors.Total()
	s := &selector{versions: anyVersion}
	for name, m := range f.As("a selector").Members("name", "versionRange", "channel", "source", "gvk", "provides") {
		switch name {
		case "name":
			s.name = m.Text()
		case "versionRange":
			s.versions = r.versionRange(m)
		case "channel":
			s.channel = optionalText(m)
		case "source":
			s.source = optionalText(m)
		case "gvk":
			m.IsMap()
			s.provides = append(s.provides, property{typeGVK, canonical(m.Value)})
		case "provides":
			if p, ok := readProperty(m); ok {
				s.provides = append(s.provides, p)
			}
		}
	}
	if r.Errors.Total() == before && f.Value.Get("name") == nil && len(s.provides) == 0 {
		f.Fail("add one of them", "a selector needs name, gvk or provides")
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

// canonical writes a value as JSON so that equal values are equal texts: members by name, numbers as
// fractions in lowest terms.
func canonical(v *value.Value) string { return string(normal(v).JSON()) }

func normal(v *value.Value) *value.Value {
	switch v.Kind {
	case value.Number:
		if n, ok := new(big.Rat).SetString(v.Text); ok {
			return &value.Value{Kind: value.Number, Text: n.RatString()}
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
