package catalog

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// bundle reads an olm.bundle. Properties of unknown types are kept, because constraints may select by
// them; manifests are dropped, because no selector reads them.
func (im *importer) bundle(p *pkg, b blob) {
	of := &bundle{from: b}
	name := im.text(b, b.doc, "name")
	for _, property := range items(b.doc, "properties") {
		v := get(property, "value")
		switch str(property, "type") {
		case "olm.package":
			of.version = str(v, "version")
		case "olm.package.required":
			im.depend(of, b, constraint("package", v))
		case "olm.gvk.required":
			im.depend(of, b, constraint("gvk", v))
		case "olm.constraint":
			im.depend(of, b, v)
		case "olm.bundle.object", "olm.csv.metadata":
		default:
			of.properties = append(of.properties, property.Unplaced())
		}
	}
	switch {
	case !version.MatchString(of.version):
		im.refuse(b, nil, "give it a property olm.package with a full version", "bundle %s has the version %q", name, of.version)
	case p.byName[name] != nil:
		im.refuse(b, nil, "keep one", "duplicate bundle %s", name)
	case p.versions[of.version]:
		im.refuse(b, nil, "keep one", "package %s has the version %s twice", p.name, of.version)
	}
	p.byName[name], p.versions[of.version] = of, true
	p.bundles = append(p.bundles, of)
}

func constraint(kind string, v *value.Value) *value.Value {
	m := value.NewMap(value.Member{Name: kind, Value: v})
	if v != nil {
		m.Place = v.Place
	}
	return m
}

func (im *importer) depend(of *bundle, b blob, c *value.Value) {
	if e := im.expression(b, c); e != nil {
		of.depends = append(of.depends, e)
	}
}

// expression rewrites a constraint of a bundle, nil if it is refused. One bundle has to meet all of it: an any of plain
// selections is a choice between bundles, everything else a condition on one.
func (im *importer) expression(b blob, c *value.Value) *value.Value {
	if selector := im.selector(b, c); selector != nil {
		return value.NewMap(value.Member{Name: "required", Value: selector})
	}
	if group := get(c, "any"); group != nil && !slices.ContainsFunc(items(group, "constraints"), isGroup) {
		list := value.NewList()
		for _, part := range items(group, "constraints") {
			if rewritten := im.expression(b, part); rewritten != nil {
				list.Items = append(list.Items, rewritten)
			}
		}
		return value.NewMap(value.Member{Name: "any", Value: list})
	}
	if match := im.condition(b, c); match != nil {
		return value.NewMap(value.Member{Name: "required", Value: value.NewMap(value.Member{Name: "match", Value: match})})
	}
	return nil
}

// groups are the kinds of constraints that hold others, and what conditions call them.
var groups = []struct{ kind, condition string }{{"all", "all"}, {"any", "any"}, {"not", "not"}, {"none", "not"}}

// isGroup reports whether a constraint holds others.
func isGroup(c *value.Value) bool {
	for _, g := range groups {
		if get(c, g.kind) != nil {
			return true
		}
	}
	return false
}

// condition rewrites a constraint as a condition on one bundle, nil if it is refused.
func (im *importer) condition(b blob, c *value.Value) *value.Value {
	if selector := im.selector(b, c); selector != nil {
		return selector
	}
	for _, g := range groups {
		group := get(c, g.kind)
		if group == nil {
			continue
		}
		list := value.NewList()
		for _, part := range items(group, "constraints") {
			if rewritten := im.condition(b, part); rewritten != nil {
				list.Items = append(list.Items, rewritten)
			}
		}
		return value.NewMap(value.Member{Name: g.condition, Value: list})
	}
	im.refuse(b, c, "use package, gvk, cel, all, any or not", "bundle %s has a constraint that is not supported", str(b.doc, "name"))
	return nil
}

// selector rewrites a constraint on a package, an API or properties, nil if it is none of them.
func (im *importer) selector(b blob, c *value.Value) *value.Value {
	if of := get(c, "package"); of != nil {
		selector := value.NewMap(value.Member{Name: "name", Value: value.NewString(im.text(b, of, "packageName"))})
		text, err := Range(str(of, "versionRange"))
		if err != nil {
			im.refuse(b, get(of, "versionRange"), dovetail.AsError(err).Remedy, "%s", dovetail.AsError(err).Message)
		}
		if text != "" {
			selector.Set("versionRange", value.NewString(text))
		}
		return selector
	}
	if gvk := get(c, "gvk"); gvk != nil {
		return value.NewMap(value.Member{Name: "gvk", Value: gvk.Unplaced()})
	}
	if of := get(c, "cel"); of != nil {
		rule := im.text(b, of, "rule")
		if err := solver.CheckRule(rule); rule != "" && err != nil {
			im.refuse(b, get(of, "rule"), dovetail.AsError(err).Remedy, "bundle %s: %s", str(b.doc, "name"), dovetail.AsError(err).Message)
		}
		return value.NewMap(value.Member{Name: "cel", Value: value.NewString(rule)})
	}
	return nil
}
