package effectiveset

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// pipeline writes the parameters of pipelines, whole and for each consumer.
func (c *calculation) pipeline() {
	var errs dovetail.Errors
	read := func(o *object, member string) parameters {
		p, err := c.user(o, member)
		tellOnce(&errs, err)
		return p
	}
	tenant, cloud := read(c.repo.tenant, deployMember), read(c.repo.cloud, deployMember)
	merged := isTrue(c.repo.cloud.data.Get("mergeDeployParametersAndE2EParameters"))
	if !merged { // then they are no part of this context: what is wrong with them is reported with the applications
		errs = dovetail.Errors{}
	}
	e2e := read(c.repo.cloud, e2eMember)
	if err := errs.Err("the pipeline context cannot be calculated"); err != nil {
		c.fail(err)
		return
	}
	c.tenantLevel(tenant)
	c.cloudLevel(cloud)
	all := e2e
	if merged {
		all = c.merge(cloud, e2e)
	}
	c.flow = valsFlow
	paths := map[string]parameters{"tenant": tenant, "tenant.cloud": cloud}
	c.comesFrom("pipeline", paths, given{LevelCloud, all})
	resolved, err := c.newScope(paths, all).all(all)
	if err != nil {
		c.fail(err)
		return
	}
	d := c.divide(resolved)
	c.write("pipeline/parameters.yaml", asMap(d.plain))
	c.write("pipeline/credentials.yaml", asMap(d.secret))
	for _, name := range sortedNames(c.Consumers) {
		c.fail(c.consumer(name, c.Consumers[name], d))
	}
}

// consumer writes what one of the readers of the pipeline context gets.
func (c *calculation) consumer(name string, schema *value.Value, d divided) error {
	properties, required := schema.Get("properties"), schema.Get("required")
	at := dovetail.Position{File: name}
	if properties == nil || required == nil {
		return invalid(at, "the schema of a consumer needs properties and required")
	}
	plain, secret := make(map[string]*value.Value), make(map[string]*value.Value)
	var errs dovetail.Errors
	for _, m := range properties.Members {
		fallback := m.Value.Get("default")
		switch {
		case d.plain[m.Name] != nil:
			plain[m.Name] = d.plain[m.Name]
		case d.secret[m.Name] != nil:
			secret[m.Name] = d.secret[m.Name]
		case fallback != nil && fallback.Kind == value.String && fallback.Text != "":
			plain[m.Name] = fallback
		case slices.ContainsFunc(required.Items, func(r *value.Value) bool { return text(r) == m.Name }):
			errs.Add(invalid(at, "the consumer %s requires %s, and the pipeline context does not have it", name, m.Name))
		}
	}
	if err := errs.Err("the consumer " + name + " cannot be served"); err != nil {
		return err
	}
	name, _, _ = strings.Cut(name, ".")
	c.write("pipeline/"+name+"-parameters.yaml", asMap(plain))
	c.write("pipeline/"+name+"-credentials.yaml", asMap(secret))
	return nil
}
