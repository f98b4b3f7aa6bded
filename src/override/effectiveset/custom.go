package effectiveset

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// customParameters are those of one run for the applications of a namespace.
type customParameters struct{ deployment, runtime parameters }

// over are the custom runtime parameters, of which the calculator of EnvGene replaces the value by that of a technical parameter of the same name.
func (p customParameters) over(technical parameters) parameters {
	made := make(parameters, len(p.runtime))
	for name, v := range p.runtime {
		if hidden, is := technical[name]; is {
			v = hidden
		}
		made[name] = v
	}
	return made
}

const customFile = "custom parameters"

// checkCustom refuses custom parameters of an unknown form.
func (c *calculation) checkCustom() error {
	if c.Custom == nil {
		return nil
	}
	at := dovetail.Position{File: customFile}
	if c.Custom.Kind != value.Map {
		return invalid(at, "they are no object")
	}
	var errs dovetail.Errors
	known := func(v *value.Value, names ...string) {
		for _, m := range v.Members {
			if !slices.Contains(names, m.Name) {
				errs.Add(invalid(m.In(customFile), "%s is none of deployment, runtime and namespaces", m.Name))
			}
			if m.Value.Kind != value.Map {
				errs.Add(invalid(m.In(customFile), "%s is no object", m.Name))
			}
		}
	}
	known(c.Custom, "deployment", "runtime", "namespaces")
	spaces := c.Custom.Get("namespaces")
	if spaces != nil && (c.Custom.Get("deployment") != nil || c.Custom.Get("runtime") != nil) {
		errs.Add(invalid(at, "they are either for all applications (deployment, runtime) or by namespaces, not both"))
	}
	if spaces != nil {
		for _, m := range spaces.Members {
			if !slices.ContainsFunc(c.repo.namespaces, func(ns *namespace) bool { return ns.folder == m.Name }) {
				errs.Add(invalid(m.In(customFile), "the environment %s/%s has no namespace folder %s", c.Cluster, c.Name, m.Name))
			}
			known(m.Value, "deployment", "runtime")
		}
	}
	return errs.Err("the custom parameters cannot be used")
}

// customOf are the custom parameters of a namespace folder.
func (c *calculation) customOf(folder string) customParameters {
	custom := customParameters{make(parameters), make(parameters)}
	if c.Custom == nil {
		return custom
	}
	from := c.Custom
	if spaces := from.Get("namespaces"); spaces != nil {
		from = spaces.Get(folder)
	}
	for _, kind := range []struct {
		to   parameters
		name string
	}{{custom.deployment, "deployment"}, {custom.runtime, "runtime"}} {
		if all := from.Get(kind.name); all != nil {
			for _, m := range all.Members {
				kind.to[m.Name] = parameter{below(m.Value), customFile}
			}
		}
	}
	return custom
}
