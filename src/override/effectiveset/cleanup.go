package effectiveset

import "path"

// cleanup writes the parameters of a namespace.
func (c *calculation) cleanup(ns *namespace) error {
	l, err := c.levels(ns, "", nil)
	if err != nil {
		return err
	}
	custom := c.customOf(ns.folder)
	merged := c.merge(l.tenant, l.cloud, l.namespace)
	c.flow = valsFlow
	resolved, err := c.newScope(l.paths(), merged).all(merged)
	if err != nil {
		return err
	}
	d := c.divide(resolved)
	technical, _, err := c.technical(ns, "")
	if err != nil {
		return err
	}
	runtime := custom.over(technical)
	added, err := c.newScope(l.paths(), runtime, technical, custom.deployment, merged).all(runtime)
	if err != nil {
		return err
	}
	d.secret["K8S_TOKEN"] = c.shownToken(ns)
	for name, v := range added {
		if v = c.pruned(v); v != nil {
			d.secret[name] = sorted(v)
		}
	}
	for name := range d.plain {
		if isSecretName(name) && name != "SSL_SECRET_VALUE" {
			c.find(SecretInPlainFile, merged[name].at(), name+" stands in the plain file of the cleanup context")
		}
	}
	folder := path.Join("cleanup", ns.folder)
	c.comesFrom(folder, l.paths(), append(l.given(), given{LevelCustom, runtime})...)
	c.write(path.Join(folder, "parameters.yaml"), asMap(d.plain))
	c.write(path.Join(folder, "credentials.yaml"), asMap(d.secret))
	return nil
}
