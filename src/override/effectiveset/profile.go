package effectiveset

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// profile is the resource profile of a namespace: a baseline of the SBOMs and what is laid over it.
type profile struct {
	baseline string
	override *object // nil if there is none
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

// resources are the parameters that the profile gives a service, and the levels that they come from.
func (c *calculation) resources(e entry, s *sbom, one *component, p *profile) (map[string]*value.Value, []given, error) {
	if p.baseline == "" {
		return nil, nil, nil
	}
	base, err := baselineOf(s, one, p.baseline)
	if err != nil {
		return nil, nil, err
	}
	var laid []value.Member
	if p.override != nil {
		laid = laidOver(p.override.data, e.name, one.name)
	}
	if base == nil {
		if len(laid) > 0 {
			c.find(ProfileWithoutData, laid[0].Value.In(p.override.file), "the profile has no effect on the service "+one.name+" of the application "+e.name+": its SBOM has no baseline "+p.baseline)
		}
		return nil, nil, nil
	}
	levels := []given{{LevelSBOM, from(opened(base.Members), s.file)}}
	if len(laid) > 0 {
		levels = append(levels, given{LevelProfile, from(opened(laid), p.override.file)})
	}
	return opened(slices.Concat(base.Members, laid)), levels, nil
}

// laidOver are the parameters that an override of a profile has for a service.
func laidOver(profile *value.Value, application, service string) []value.Member {
	var laid []value.Member
	for _, a := range items(profile.Get("applications")) {
		if text(a.Get("name")) != application {
			continue
		}
		for _, s := range items(a.Get("services")) {
			if text(s.Get("name")) != service {
				continue
			}
			for _, p := range items(s.Get("parameters")) {
				laid = append(laid, value.Member{Name: text(p.Get("name")), Value: orNullValue(p.Get("value"))})
			}
		}
	}
	return laid
}

// opened are parameters whose names with dots are opened into maps, later ones over earlier ones.
func opened(members []value.Member) map[string]*value.Value {
	all := value.NewMap()
	for _, m := range members {
		setDotted(all, m.Name, below(m.Value))
	}
	made := make(map[string]*value.Value)
	for _, m := range all.Members {
		made[m.Name] = m.Value
	}
	return made
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

// baselineOf reads the baseline of a service; nil if it has none of the name.
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
