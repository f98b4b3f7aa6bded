package catalog

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
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
	same := func(other *bundle) bool { return other.version == of.version }
	switch {
	case !version.MatchString(of.version):
		im.refuse(b, nil, "give it a property olm.package with a full version", "bundle %s has the version %q", name, of.version)
	case p.byName[name] != nil:
		im.refuse(b, nil, "keep one", "duplicate bundle %s", name)
	case slices.ContainsFunc(p.bundles, same):
		im.refuse(b, nil, "keep one", "package %s has the version %s twice", p.name, of.version)
	}
	p.byName[name] = of
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

// expression rewrites a constraint of a bundle, nil if it is refused.
func (im *importer) expression(b blob, c *value.Value) *value.Value {
	if selector := im.selector(b, c); selector != nil {
		return value.NewMap(value.Member{Name: "required", Value: selector})
	}
	for _, kind := range []string{"all", "any", "not", "none"} {
		group := get(c, kind)
		if group == nil {
			continue
		}
		list := value.NewList()
		for _, part := range items(group, "constraints") {
			var rewritten *value.Value
			if kind == "all" || kind == "any" {
				rewritten = im.expression(b, part)
			} else if rewritten = im.selector(b, part); rewritten == nil {
				im.refuse(b, part, "write one with package or gvk", "%s holds a constraint that is no selection of packages", kind)
			}
			if rewritten != nil {
				list.Items = append(list.Items, rewritten)
			}
		}
		if kind == "none" {
			kind = "not"
		}
		return value.NewMap(value.Member{Name: kind, Value: list})
	}
	im.refuse(b, c, "use package, gvk, all, any or not", "bundle %s has a constraint that is not supported", str(b.doc, "name"))
	return nil
}

// selector rewrites a constraint on a package or an API, nil if it is neither.
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
	return nil
}
