package effectiveset

import (
	"path"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// application calculates the deployment and runtime files of one application.
func (c *calculation) application(e entry, ns *namespace) error {
	s, err := c.readSBOM(e)
	if err != nil {
		return err
	}
	l, err := c.levels(ns, e.name, s)
	if err != nil {
		return err
	}
	technical, technicalLevels, err := c.technical(ns, e.name)
	if err != nil {
		return err
	}
	custom := c.customOf(ns.folder)
	merged := c.merge(l.tenant, l.appUser, l.cloud, l.cloudApp, l.namespace, l.app)
	flow, err := c.secretFlow(merged, s, e)
	if err != nil {
		return err
	}
	c.flow = flow
	deploy := c.newScope(l.paths(), custom.deployment, merged)
	resolved, err := deploy.all(without(merged, custom.deployment, custom.runtime))
	var errs dovetail.Errors
	tellOnce(&errs, err)
	added, err := deploy.all(custom.deployment)
	tellOnce(&errs, err)
	runtimeScope := c.newScope(l.paths(), custom.over(technical), technical, custom.deployment, merged)
	runtime, err := runtimeScope.all(without(technical, custom.deployment, custom.runtime))
	tellOnce(&errs, err)
	runtimeAdded, err := runtimeScope.all(custom.over(technical))
	tellOnce(&errs, err)
	services, err := c.services(e, ns, s)
	tellOnce(&errs, err)
	if err := errs.Err("the application " + e.name + " of " + ns.folder + " cannot be calculated"); err != nil {
		return inApplication(err, e, ns)
	}
	folder := path.Join("deployment", ns.folder, e.name, "values")
	deployed := c.comesFrom(path.Dir(folder), l.paths(), append(l.given(), given{LevelCustom, custom.deployment})...)
	c.deployment(folder, ns, s, resolved)
	c.write(path.Join(folder, "custom-params.yaml"), c.whole(added))
	c.write(path.Join(folder, "deploy-descriptor.yaml"), services.descriptor)
	for name, v := range services.perService {
		c.comesFrom(path.Join(folder, "per-service-parameters", name), nil, services.levels[name]...)
		c.write(path.Join(folder, "per-service-parameters", name, "deployment-parameters.yaml"), v)
	}
	folder = path.Join("runtime", ns.folder, e.name)
	if from := c.comesFrom(folder, l.paths(), append([]given{{LevelCustom, custom.runtime}}, technicalLevels...)...); from != nil {
		from.beside = deployed
	}
	d := c.divide(runtime)
	for name := range d.secret {
		c.find(SecretLost, technical[name].at(), "the technical parameter "+name+" is secret: EnvGene writes it nowhere")
	}
	for name, p := range technical {
		if custom.runtime[name].value != nil {
			c.find(CustomIgnored, p.at(), "the custom parameter "+name+" hides a technical parameter, of which EnvGene keeps the value")
		}
	}
	c.write(path.Join(folder, "parameters.yaml"), asMap(d.plain))
	c.write(path.Join(folder, "credentials.yaml"), c.whole(runtimeAdded))
	return nil
}

// inApplication says in each error which application it is about.
func inApplication(err error, e entry, ns *namespace) error {
	all := *dovetail.AsError(err)
	of := "application " + e.name + ", namespace " + ns.name + ": "
	if len(all.Errors) == 0 {
		all.Message = of + all.Message
		return &all
	}
	var errs dovetail.Errors
	for _, part := range all.Errors {
		tellOnce(&errs, inApplication(part, e, ns))
	}
	return errs.Err(all.Message)
}

// without leaves out the parameters that others have.
func without(p parameters, others ...parameters) parameters {
	left := make(parameters, len(p))
	for name, v := range p {
		if !slices.ContainsFunc(others, func(o parameters) bool { _, has := o[name]; return has }) {
			left[name] = v
		}
	}
	return left
}

// whole are parameters with all that they have, secrets too.
func (c *calculation) whole(all map[string]*value.Value) *value.Value {
	made := make(map[string]*value.Value, len(all))
	for name, v := range all {
		if v = c.pruned(v); v != nil {
			made[name] = sorted(v)
		}
	}
	return asMap(made)
}
