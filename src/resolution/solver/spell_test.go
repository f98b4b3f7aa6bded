package solver_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// object is a JSON object; members without a value are left out.
type object map[string]any

func (o object) with(name string, v any) object {
	switch v := v.(type) {
	case string:
		if v == "" {
			return o
		}
	case bool:
		if !v {
			return o
		}
	}
	o[name] = v
	return o
}

func (s oSelector) json() object {
	o := object{}.with("name", s.Name).with("versionRange", s.Range).with("channel", s.Channel).with("source", s.Source)
	if s.Channels != nil {
		o["channels"] = s.Channels
	}
	if s.GVK != "" {
		o["gvk"] = object{"kind": s.GVK, "version": "v1"}
	}
	if s.Has != nil {
		o["provides"] = object{"type": s.Has.Type, "name": s.Has.Name}.with("versionRange", s.Has.Range)
	}
	if s.Match != nil {
		o["match"] = s.Match.json()
	}
	if s.Rule != nil {
		o["cel"] = s.Rule.text()
	}
	return o
}

func (m *oMatch) json() object {
	if m.Op == "" {
		return m.Is.json()
	}
	parts := []any{}
	for _, part := range m.Parts {
		parts = append(parts, part.json())
	}
	return object{m.Op: parts}
}

func (x oExpression) json() object {
	var parts []any
	for _, part := range x.Parts {
		if x.Op == "not" {
			parts = append(parts, part.Is.json())
		} else {
			parts = append(parts, part.json())
		}
	}
	switch x.Op {
	case "":
		return object{"required": x.Is.json()}
	case "optional":
		return object{x.Op: parts[0]}
	}
	return object{x.Op: parts}
}

func (c oConstraint) json() object {
	var of []any
	for _, s := range c.Of {
		of = append(of, s.json())
	}
	switch {
	case c.Kind == "":
		return c.Is.json()
	case c.GVK:
		return object{c.Kind: object{"property": "olm.gvk"}}
	case c.Of != nil:
		return object{c.Kind: of}
	}
	return object{c.Kind: object{"name": c.Name, "version": c.Version}.with("policy", c.Policy).with("source", c.Source)}
}

func (v *oVersion) json() object {
	o := object{"version": v.Version, "channels": v.Channels}.with("deprecated", v.Deprecated).with("withdrawn", v.Withdrawn).with("replaces", v.Replaces).with("skipRange", v.SkipRange)
	if v.Skips != nil {
		o["skips"] = v.Skips
	}
	needs, conflicts, properties := []any{}, []any{}, []any{}
	for _, need := range v.Needs {
		needs = append(needs, need.json())
	}
	for _, s := range v.Conflicts {
		conflicts = append(conflicts, s.json())
	}
	for _, gvk := range v.GVK {
		properties = append(properties, object{"type": "olm.gvk", "value": object{"version": "v1", "kind": gvk}})
	}
	for _, has := range v.Offers {
		if has.Bare {
			properties = append(properties, object{"type": has.Type, "value": has.Name})
		} else {
			properties = append(properties, object{"type": has.Type, "value": object{"name": has.Name}.with("version", has.Version)})
		}
	}
	o["dependencies"], o["conflicts"], o["properties"] = needs, conflicts, properties
	return o
}

// document is the problem as a case.
func (p *oProblem) document() *value.Value {
	var sources, constraints []any
	spec := object{}
	var order []string
	for _, s := range p.Sources {
		packages := []any{}
		for _, k := range s.Packages {
			versions := []any{}
			for _, v := range k.Versions {
				versions = append(versions, v.json())
			}
			packages = append(packages, object{"name": k.Name, "versions": versions}.with("defaultChannel", k.Default).with("deprecated", k.Deprecated))
		}
		sources = append(sources, object{"name": s.Name, "priority": s.Priority, "packages": packages})
		order = append(order, s.Name)
	}
	for _, c := range p.Constraints {
		constraints = append(constraints, c.json())
	}
	if p.Listed {
		spec["sources"] = order
	}
	spec["constraints"] = constraints
	spec.with("prereleases", p.Prereleases)
	return fromJSON(object{"sources": sources, "spec": spec})
}

func fromJSON(v any) *value.Value {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	out, err := value.ParseJSON(data, value.Limits{})
	if err != nil {
		panic(fmt.Sprintf("%s: %v", strings.TrimSpace(string(data)), err))
	}
	return out
}
