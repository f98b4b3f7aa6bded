package effectiveset

import (
	"crypto/md5" //nolint:gosec // a fingerprint that EnvGene writes, no protection
	"encoding/hex"
	"path"

	"github.com/dovetail-store/dovetail/src/value"
)

// reserved are names that EnvGene uses itself in the deployment context.
var reserved = []string{"services", "configurations", "frontends", "smartplug", "cdn", "sampleRepo", "deploy_desc", "common_deploy_desc", "per_service_deploy_params",
	"colliding_image_deploy_params", "appChartName", "eso_support"}

// deployment writes the parameters of an application.
func (c *calculation) deployment(folder string, ns *namespace, s *sbom, resolved map[string]*value.Value) {
	d := c.divide(resolved)
	for _, all := range []map[string]*value.Value{d.plain, d.secret, d.external} {
		for _, name := range reserved {
			if v, lost := all[name]; lost {
				c.find(ReservedName, v.Position(), "the parameter "+name+" is lost in the deployment context: EnvGene uses this name itself")
				delete(all, name)
			}
		}
	}
	for name, v := range d.plain {
		if isSecretName(name) {
			d.secret[name] = v
			delete(d.plain, name)
		}
	}
	c.certificates(d)
	d.secret["K8S_TOKEN"] = c.shownToken(ns)
	c.write(path.Join(folder, "deployment-parameters.yaml"), c.withGlobal(folder, "collision-deployment-parameters.yaml", d.plain, s))
	c.write(path.Join(folder, "credentials.yaml"), c.withGlobal(folder, "collision-credentials.yaml", d.secret, s))
	if len(d.external) > 0 {
		c.write(path.Join(folder, "external-credentials.yaml"), asMap(d.external))
	}
}

// shownToken is the token of a namespace as files have it: null where none is named, empty where it is external.
func (c *calculation) shownToken(ns *namespace) *value.Value {
	token := c.kubernetesToken(ns)
	switch {
	case token == nil:
		return &value.Value{Kind: value.Null}
	case c.external[token] != nil:
		return str("")
	}
	return token
}

// certificates adds what follows from a bundle of certificates.
func (c *calculation) certificates(d divided) {
	if d.plain["SSL_SECRET"] == nil && d.secret["SSL_SECRET"] == nil {
		d.plain["SSL_SECRET"] = str("defaultsslcertificate")
	}
	const name = "DEFAULT_SSL_CERTIFICATES_BUNDLE"
	bundle := d.plain[name]
	if bundle == nil {
		bundle = d.secret[name]
	}
	if bundle == nil {
		return
	}
	d.secret["SSL_SECRET_VALUE"], d.secret["CA_BUNDLE_CERTIFICATE"] = bundle, bundle
	if s := javaText(bundle); s != "" {
		inner := md5.Sum([]byte(s)) //nolint:gosec // as above
		outer := md5.Sum(inner[:])  //nolint:gosec // as above
		d.plain["CERTIFICATE_BUNDLE_MD5SUM"] = str(hex.EncodeToString(outer[:]))
	}
}

// globalName is below what all parameters stand once more.
const globalName = "global"

// withGlobal are parameters at the top, all of them once more as global, and that for each service. Those with the name of a service go to a file
// of their own, and to global.
func (c *calculation) withGlobal(folder, collisions string, all map[string]*value.Value, s *sbom) *value.Value {
	colliding := make(map[string]*value.Value)
	m := value.NewMap()
	for _, name := range sortedNames(all) {
		if name == globalName {
			c.find(ReservedName, all[name].Position(), "the parameter "+name+" stands below "+globalName+" alone: EnvGene uses this name itself")
		} else if !s.has(name) {
			m.Members = append(m.Members, value.Member{Name: name, Value: all[name]})
		} else if _, image := s.images[name]; !image {
			colliding[name] = all[name]
		}
	}
	c.write(path.Join(folder, collisions), asMap(colliding))
	global := asMap(all)
	m.Members = append(m.Members, value.Member{Name: globalName, Value: global})
	for _, name := range s.names() {
		m.Members = append(m.Members, value.Member{Name: name, Value: global})
	}
	return m
}
