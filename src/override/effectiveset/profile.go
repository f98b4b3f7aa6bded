package effectiveset

import (
	"encoding/base64"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// profile is the resource profile of a namespace: a baseline of the SBOMs and what is laid over it.
type profile struct {
	baseline string
	override *object // nil for none
}

// profileOf returns the profile of a namespace, or, where that has no baseline, of the cloud.
func (c *calculation) profileOf(ns *namespace) (*profile, error) {
	of, from := &ns.object, ns.data.Get("profile")
	if text(from.Get("baseline")) == "" {
		of, from = c.repo.cloud, c.repo.cloud.data.Get("profile")
	}
	name := text(from.Get("name"))
	if name == "" {
		return &profile{baseline: text(from.Get("baseline"))}, nil
	}
	override := c.repo.profiles[name]
	if override == nil {
		err := invalid(of.at(from), "there is no resource profile %s", name)
		err.Remedy = "add a file with this name below Profiles"
		return nil, err
	}
	return &profile{text(override.data.Get("baseline")), override}, nil
}

// resources are the parameters that the profile gives a service.
func (c *calculation) resources(e entry, s *sbom, one *component, p *profile) (map[string]*value.Value, error) {
	if p.baseline == "" {
		return nil, nil
	}
	base, err := baselineOf(s, one, p.baseline)
	if err != nil || base == nil {
		return nil, err
	}
	all := value.NewMap()
	for _, m := range base.Members {
		setDotted(all, m.Name, below(m.Value))
	}
	if p.override != nil {
		for _, application := range items(p.override.data.Get("applications")) {
			if text(application.Get("name")) != e.name {
				continue
			}
			for _, service := range items(application.Get("services")) {
				if text(service.Get("name")) != one.name {
					continue
				}
				for _, parameter := range items(service.Get("parameters")) {
					setDotted(all, text(parameter.Get("name")), below(orNullValue(parameter.Get("value"))))
				}
			}
		}
	}
	made := make(map[string]*value.Value)
	for _, m := range all.Members {
		made[m.Name] = m.Value
	}
	return made, nil
}

func orNullValue(v *value.Value) *value.Value {
	if v == nil {
		return &value.Value{Kind: value.Null}
	}
	return v
}

// setDotted sets a member by a name with dots, which opens into maps.
func setDotted(to *value.Value, name string, v *value.Value) {
	names := strings.Split(name, ".")
	for _, n := range names[:len(names)-1] {
		inner := to.Get(n)
		if inner == nil || inner.Kind != value.Map {
			inner = value.NewMap()
			to.Set(n, inner)
		}
		to = inner
	}
	to.Set(names[len(names)-1], v)
}

// baselineOf reads the baseline of a service; nil where it has none of the name.
func baselineOf(s *sbom, one *component, name string) (*value.Value, error) {
	for _, data := range items(subComponent(one.data, mimeBaseline).Get("data")) {
		if stem, _, _ := strings.Cut(text(data.Get("name")), "."); stem != name {
			continue
		}
		at := data.In(s.file)
		raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text(data.At("contents", "attachment", "content"))), ""))
		if err != nil {
			return nil, invalid(at, "the baseline %s of the service %s is not base64", name, one.name)
		}
		values, err := yaml.ParseClassic(s.file, raw, value.Limits{})
		if err != nil || len(values) != 1 || values[0].Kind != value.Map {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: "the baseline " + name + " of the service " + one.name + " is no map of YAML or JSON", Err: err}
		}
		return values[0], nil
	}
	return nil, nil
}
