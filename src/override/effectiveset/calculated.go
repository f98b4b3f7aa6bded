package effectiveset

import (
	"cmp"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// hosts are those that calculated parameters are made with.
type hosts struct {
	protocol, public, private string
}

func (c *calculation) hosts() hosts {
	cloud := c.repo.cloud.data
	get := func(name string) string {
		s := text(cloud.Get(name))
		if blank(s) {
			return ""
		}
		return s
	}
	public := cmp.Or(get("publicUrl"), text(cloud.Get("apiUrl")))
	return hosts{strings.ToLower(cmp.Or(get("protocol"), "https")), public, cmp.Or(get("privateUrl"), public)}
}

// tenantLevel adds what is calculated for the tenant.
func (c *calculation) tenantLevel(p parameters) {
	c.hard(p, "TENANTNAME", str(text(c.repo.tenant.data.Get("name"))))
}

// cloudLevel adds what is calculated for the cloud.
func (c *calculation) cloudLevel(p parameters) {
	cloud, h := c.repo.cloud.data, c.hosts()
	get := func(path ...string) string { return text(cloud.At(path...)) }
	c.hard(p, "CLOUDNAME", str(get("name")))
	c.hard(p, "PRODUCTION_MODE", boolean(isTrue(cloud.Get("productionMode"))))
	c.soft(p, "CLOUD_PROTOCOL", str(h.protocol))
	c.soft(p, "CLOUD_API_HOST", str(get("apiUrl")))
	port := get("apiPort")
	if blank(port) {
		port = "8443"
	}
	c.hard(p, "CLOUD_API_PORT", str(port))
	c.soft(p, "CLOUD_PUBLIC_HOST", str(get("publicUrl")))
	private := get("privateUrl")
	if blank(private) {
		private = get("publicUrl")
	}
	c.soft(p, "CLOUD_PRIVATE_HOST", str(private))
	c.soft(p, "CUSTOM_HOST", str(h.private))
	c.soft(p, "SERVER_HOSTNAME", str(h.public))
	c.soft(p, "OPENSHIFT_SERVER", str("https://"+get("apiUrl")+":"+get("apiPort")))
	c.maas(p, cloud.Get("maasConfig"))
	c.dbaas(p, cloud.Get("dbaasConfigs"))
	c.vault(p, cloud.Get("vaultConfig"))
	c.consul(p, cloud.Get("consulConfig"))
}

func (c *calculation) maas(p parameters, config *value.Value) {
	enabled := isTrue(config.Get("enable"))
	c.soft(p, "MAAS_ENABLED", boolean(enabled))
	if !enabled {
		return
	}
	c.hard(p, "MAAS_SERVICE_ADDRESS", str(text(config.Get("maasUrl"))))
	c.hard(p, "MAAS_EXTERNAL_ROUTE", str(text(config.Get("maasUrl"))))
	c.hard(p, "MAAS_INTERNAL_ADDRESS", str(text(config.Get("maasInternalAddress"))))
	c.calculatedPair(p, text(config.Get("credentialsId")), "MAAS_CREDENTIALS")
}

// calculatedPair adds user name and password of a credential under the names that begin alike, where one is named.
func (c *calculation) calculatedPair(p parameters, id string, prefixes ...string) {
	if blank(id) {
		return
	}
	for _, prefix := range prefixes {
		user, password := c.pair(id)
		if c.external[user] != nil {
			c.hard(p, prefix+"_USERNAME", user)
			c.hard(p, prefix+"_PASSWORD", password)
			continue
		}
		c.soft(p, prefix+"_USERNAME", user)
		c.soft(p, prefix+"_PASSWORD", password)
	}
}

// dbaas adds the parameters of the first database service that is enabled, or of the first one.
func (c *calculation) dbaas(p parameters, configs *value.Value) {
	all := items(configs)
	if len(all) == 0 {
		return
	}
	config := all[0]
	for _, candidate := range all {
		if isTrue(candidate.Get("enable")) {
			config = candidate
			break
		}
	}
	enabled := isTrue(config.Get("enable"))
	c.soft(p, "DBAAS_ENABLED", boolean(enabled))
	if !enabled {
		return
	}
	c.soft(p, "API_DBAAS_ADDRESS", str(text(config.Get("apiUrl"))))
	c.soft(p, "DBAAS_AGGREGATOR_ADDRESS", str(text(config.Get("aggregatorUrl"))))
	c.calculatedPair(p, text(config.Get("credentialsId")), "DBAAS_AGGREGATOR", "DBAAS_CLUSTER_DBA_CREDENTIALS")
}

func (c *calculation) vault(p parameters, config *value.Value) {
	if !isTrue(config.Get("enable")) {
		return
	}
	url, public := text(config.Get("url")), text(config.Get("publicUrl"))
	c.soft(p, "VAULT_ADDR", str(url))
	c.soft(p, "PUBLIC_VAULT_URL", str(cmp.Or(strings.TrimSpace(public), url)))
	id := text(config.Get("credentialsId"))
	if blank(id) {
		return
	}
	cred := c.repo.credentials[id]
	if cred != nil && cred.kind == externalKind {
		c.hard(p, "VAULT_TOKEN", c.calculatedReference(cred, ""))
		return
	}
	if cred != nil && cred.kind == vaultAppRole {
		c.find(TokenNotFetched, c.repo.cloud.at(config), "VAULT_TOKEN is empty: EnvGene fetches a token from Vault here, and that is not done")
	}
	c.soft(p, "VAULT_TOKEN", str(""))
}

func (c *calculation) consul(p parameters, config *value.Value) {
	if !isTrue(config.Get("enabled")) {
		return
	}
	c.soft(p, "CONSUL_URL", str(text(config.Get("internalUrl"))))
	c.soft(p, "CONSUL_PUBLIC_URL", str(text(config.Get("publicUrl"))))
	id := text(config.Get("tokenSecret"))
	if blank(id) {
		return
	}
	token := c.token(id)
	if c.external[token] != nil {
		c.hard(p, "CONSUL_ADMIN_TOKEN", token)
		return
	}
	c.soft(p, "CONSUL_ADMIN_TOKEN", token)
}

// namespaceLevel adds what is calculated for a namespace; in cleanup one less.
func (c *calculation) namespaceLevel(p parameters, ns *namespace, cleanup bool) {
	c.soft(p, "NAMESPACE", str(ns.name))
	if blank(text(c.repo.cloud.data.Get("apiUrl"))) {
		return
	}
	h := c.hosts()
	c.soft(p, "GATEWAY_URL", str("http://internal-gateway-service:8080"))
	c.soft(p, "STATIC_CACHE_SERVICE_ROUTE_HOST", str("static-cache-service-"+ns.name+"."+h.public))
	c.soft(p, "BUILD_TAG_NEW", str("keycloak-database"))
	if !cleanup {
		c.hard(p, "CLIENT_PREFIX", str(ns.name))
	}
	gateway, identity := ns.name, ns.name
	domain := c.repo.domain
	switch {
	case domain != nil && text(domain.data.Get("type")) == "bgdomain":
		gateway, identity = text(domain.data.At("originNamespace", "name")), text(domain.data.Get("name"))
	case c.repo.composite != nil:
		identity = text(c.repo.composite.data.At("baseline", "name"))
	}
	for _, route := range []struct{ kind, prefix, host string }{{"PUBLIC", "public-gateway-", h.public}, {"PRIVATE", "private-gateway-", h.private}} {
		gatewayName, identityName := route.kind+"_GATEWAY_URL", route.kind+"_IDENTITY_PROVIDER_URL"
		if user, set := p[gatewayName]; set {
			if _, both := p[identityName]; !both {
				p[identityName] = user
			}
			continue
		}
		c.soft(p, gatewayName, str(h.protocol+"://"+route.prefix+gateway+"."+route.host))
		c.soft(p, identityName, str(h.protocol+"://"+route.prefix+identity+"."+route.host))
	}
	if domain == nil {
		c.hard(p, "ORIGIN_NAMESPACE", str(ns.name))
	} else {
		c.blueGreen(p, ns, h)
	}
	c.baseline(p, ns)
}

// blueGreen adds what the origin and the controller of a domain know of the three namespaces.
func (c *calculation) blueGreen(p parameters, ns *namespace, h hosts) {
	domain := c.repo.domain.data
	name := func(role string) string { return text(domain.At(role, "name")) }
	if ns.name != name("originNamespace") && ns.name != name("controllerNamespace") {
		return
	}
	c.hard(p, "ORIGIN_NAMESPACE", str(name("originNamespace")))
	c.hard(p, "PEER_NAMESPACE", str(name("peerNamespace")))
	c.hard(p, "CONTROLLER_NAMESPACE", str(name("controllerNamespace")))
	if ns.name != name("controllerNamespace") {
		return
	}
	controller := domain.Get("controllerNamespace")
	url := text(controller.Get("url"))
	if blank(url) {
		url = h.protocol + "://bluegreen-controller-" + ns.name + "." + h.private
	}
	c.hard(p, "BG_CONTROLLER_URL", str(url))
	user, password := c.pair(text(controller.Get("credentials")))
	c.hard(p, "BG_CONTROLLER_LOGIN", user)
	c.hard(p, "BG_CONTROLLER_PASSWORD", password)
	c.find(SecretInPlainFile, c.repo.domain.at(controller), "BG_CONTROLLER_LOGIN and BG_CONTROLLER_PASSWORD stand in plain files")
	c.hard(p, "CMDB_CALLBACK_URL", str(""))
	c.hard(p, "CMDB_CALLBACK_TOKEN", str(""))
}

// baseline adds what a satellite of a composite structure knows of its baseline.
func (c *calculation) baseline(p parameters, ns *namespace) {
	if c.repo.composite == nil {
		return
	}
	base := c.repo.composite.data.Get("baseline")
	name := text(base.Get("name"))
	switch kind := text(base.Get("type")); {
	case kind == "namespace" && name != ns.name:
		c.hard(p, "BASELINE_ORIGIN", str(name))
		c.hard(p, "BASELINE_PROJ", str(name))
	case kind == "bgdomain" && c.repo.domain != nil:
		domain := c.repo.domain.data
		controller := text(domain.At("controllerNamespace", "name"))
		c.hard(p, "BASELINE_ORIGIN", str(text(domain.At("originNamespace", "name"))))
		c.hard(p, "BASELINE_PEER", str(text(domain.At("peerNamespace", "name"))))
		c.hard(p, "BASELINE_CONTROLLER", str(controller))
		c.hard(p, "BASELINE_PROJ", str(controller))
	}
}
