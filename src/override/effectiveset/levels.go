package effectiveset

import "github.com/dovetail-store/dovetail/src/dovetail"

const (
	deployMember    = "deployParameters"
	technicalMember = "technicalConfigurationParameters"
	e2eMember       = "e2eParameters"
)

// levels are those of a namespace, and of an application in it.
type levels struct {
	tenant, cloud, cloudApp, namespace, app parameters
	appUser                                 parameters // what the user set for the application: it counts right after the tenant, too
}

// paths are the names of levels in macros.
func (l *levels) paths() map[string]parameters {
	return map[string]parameters{"tenant": l.tenant, "tenant.cloud": l.cloud, "tenant.cloud.namespace": l.namespace, "application": l.app}
}

// appFile is the file of an application in the namespace, or else in the environment.
func (c *calculation) appFile(name string, ns *namespace) *object {
	if o := ns.apps[name]; o != nil {
		return o
	}
	return c.repo.apps[name]
}

// levels reads those of the deployment context. Without an application they are those of cleanup.
func (c *calculation) levels(ns *namespace, app string, s *sbom) (*levels, error) {
	var errs dovetail.Errors
	c.space = ns.name
	user := func(o *object) parameters {
		p, err := c.user(o, deployMember)
		tellOnce(&errs, err)
		if p == nil {
			p = make(parameters)
		}
		return p
	}
	l := &levels{tenant: user(c.repo.tenant), cloud: user(c.repo.cloud), namespace: user(&ns.object), cloudApp: make(parameters), app: make(parameters)}
	if s != nil {
		l.cloudApp, l.app = user(c.repo.apps[app]), user(ns.apps[app])
		l.appUser = user(c.appFile(app, ns))
	}
	c.tenantLevel(l.tenant)
	c.cloudLevel(l.cloud)
	for _, kind := range []string{"PUBLIC", "PRIVATE"} {
		for _, name := range []string{kind + "_GATEWAY_URL", kind + "_IDENTITY_PROVIDER_URL"} {
			for _, level := range []parameters{l.tenant, l.cloud} {
				if p, set := level[name]; set && !blank(text(c.repo.cloud.data.Get("apiUrl"))) {
					c.find(ValueReplaced, p.at(), name+" is calculated for the namespace: the value here has no effect")
				}
			}
		}
	}
	c.namespaceLevel(l.namespace, ns, s == nil)
	if s != nil {
		c.applicationLevel(l.app, app, s)
	}
	return l, errs.Err("the parameters cannot be read")
}

// applicationLevel adds what the SBOM says.
func (c *calculation) applicationLevel(p parameters, app string, s *sbom) {
	c.hard(p, "APPLICATION_NAME", str(app))
	c.hard(p, "DEPLOYMENT_SESSION_ID", str(c.Session))
	if at, registry := s.unknownRegistry(c.repo.registries); at != nil {
		c.find(RegistryUnknown, at.In(s.file), "configuration/registry.yml has no mavenConfig of the registry "+registry+": ARTIFACT_DESCRIPTOR_MAVEN_REPO is null")
	}
	for name, v := range s.descriptor(c.repo.registries) {
		c.sboms[v] = s.file
		c.hard(p, name, v)
	}
	for name, image := range s.images {
		v := str(image)
		c.sboms[v] = s.file
		c.hard(p, name, v)
	}
}

// given are the levels of the user, and what is calculated for them.
func (l *levels) given() []given {
	return []given{{LevelTenant, l.tenant}, {LevelCloud, l.cloud}, {LevelCloudApplication, l.cloudApp}, {LevelNamespace, l.namespace}, {LevelApplication, l.app}}
}

// technical reads the parameters of the runtime context, merged and by their levels.
func (c *calculation) technical(ns *namespace, app string) (parameters, []given, error) {
	c.space = ns.name
	levels := []given{{level: LevelTenant}, {level: LevelCloud}, {level: LevelCloudApplication}, {level: LevelNamespace}, {level: LevelApplication}}
	var all []parameters
	var errs dovetail.Errors
	for i, o := range []*object{c.repo.tenant, c.repo.cloud, c.repo.apps[app], &ns.object, ns.apps[app]} {
		p, err := c.user(o, technicalMember)
		tellOnce(&errs, err)
		all, levels[i].parameters = append(all, p), p
	}
	return c.merge(all...), levels, errs.Err("the technical parameters cannot be read")
}
