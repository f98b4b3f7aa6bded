package solver

import (
	"math/big"
	"slices"
	"strings"

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
func (r *reader) selector(v *value.Value, path string) *selector {
	if v == nil || v.Kind != value.Map {
		r.faults.add(v, path, "write {name: ..., versionRange: ...}", "a selector is a map, not a %s", kindOf(v))
		return nil
	}
	before := r.faults.total()
	s := &selector{versions: anyVersion}
	for _, m := range v.Members {
		at := path + value.Pointer(m.Name)
		switch m.Name {
		case "name":
			s.name = r.name(m.Value, at)
		case "versionRange":
			s.versions = r.versionRange(m.Value, at)
		case "channel":
			s.channel = r.text(m.Value, at)
		case "source":
			s.source = r.text(m.Value, at)
		case "gvk":
			if m.Value.Kind != value.Map {
				r.faults.add(m.Value, at, "write {group: ..., version: ..., kind: ...}", "gvk is a map, not a %s", m.Value.Kind)
			}
			s.provides = append(s.provides, property{typeGVK, canonical(m.Value)})
		case "provides":
			if p, ok := r.property(m.Value, at); ok {
				s.provides = append(s.provides, p)
			}
		default:
			r.unknown(v, m, path, "name, versionRange, channel, source, gvk or provides")
		}
	}
	if v.Get("name") == nil && len(s.provides) == 0 && r.faults.total() == before {
		r.faults.add(v, path, "add one of them", "a selector needs name, gvk or provides")
	}
	if r.faults.total() > before {
		return nil
	}
	s.finish()
	return s
}

// selectors reads a list of selectors.
func (r *reader) selectors(v *value.Value, path string) []*selector {
	var list []*selector
	for i, item := range r.list(v, path) {
		if s := r.selectorOrCall(item, path+index(i)); s != nil {
			list = append(list, s)
		}
	}
	return list
}

// property reads {type, value}.
func (r *reader) property(v *value.Value, path string) (property, bool) {
	if v.Kind != value.Map || v.Get("type") == nil || v.Get("value") == nil {
		r.faults.add(v, path, "write {type: ..., value: ...}", "a property is a map of type and value")
		return property{}, false
	}
	for _, m := range v.Members {
		if m.Name != "type" && m.Name != "value" {
			r.unknown(v, m, path, "type and value")
			return property{}, false
		}
	}
	kind := r.name(v.Get("type"), path+"/type")
	return property{kind, canonical(v.Get("value"))}, kind != ""
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
