package effectiveset

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

func member(name string, v *value.Value) value.Member { return value.Member{Name: name, Value: v} }

// orNull is a scalar as text, null where it is not there.
func orNull(v *value.Value) *value.Value {
	if v == nil || v.Kind == value.Null {
		return &value.Value{Kind: value.Null}
	}
	return str(text(v))
}

// topology writes what the environment is.
func (c *calculation) topology() {
	cloud := c.repo.cloud.data
	cluster := value.NewMap(member("api_port", str(text(cloud.Get("apiPort")))), member("api_url", str(text(cloud.Get("apiUrl")))),
		member("protocol", str(text(cloud.Get("protocol")))), member("public_url", str(text(cloud.Get("publicUrl")))))
	domain, domainSecrets := c.domainTopology()
	environments := value.NewMap()
	for _, env := range sortedNames(c.repo.environments) {
		spaces := make(map[string]*value.Value)
		for name, folder := range c.repo.environments[env] {
			spaces[name] = value.NewMap(member("deployPostfix", str(folder)))
		}
		environments.Members = append(environments.Members, member(env, value.NewMap(member("namespaces", asMap(spaces)))))
	}
	c.write("topology/parameters.yaml", value.NewMap(member("bg_domain", domain), member("cluster", cluster),
		member("composite_structure", c.compositeTopology()), member("environments", environments)))
	c.write("topology/credentials.yaml", value.NewMap(member("bg_domain", domainSecrets), member("k8s_tokens", c.tokens())))
}

func (c *calculation) domainTopology() (shown, secrets *value.Value) {
	if c.repo.domain == nil {
		return value.NewMap(), value.NewMap()
	}
	domain := c.repo.domain.data
	role := func(name string) *value.Value {
		v := domain.Get(name)
		return value.NewMap(member("name", orNull(v.Get("name"))), member("type", orNull(v.Get("type"))), member("credentials", orNull(v.Get("credentials"))))
	}
	controller := role("controllerNamespace")
	controller.Members = append(controller.Members, member("url", orNull(domain.At("controllerNamespace", "url"))))
	shown = value.NewMap(member("name", orNull(domain.Get("name"))), member("type", orNull(domain.Get("type"))), member("originNamespace", role("originNamespace")),
		member("peerNamespace", role("peerNamespace")), member("controllerNamespace", controller))
	id := text(domain.At("controllerNamespace", "credentials"))
	cred := c.repo.credentials[id]
	switch {
	case cred != nil && cred.kind == externalKind:
		return shown, value.NewMap(member("controllerNamespace", value.NewMap(member("password", str("")), member("username", str("")))))
	case cred == nil || cred.kind != usernamePassword:
		c.fail(invalid(c.repo.domain.at(domain.Get("controllerNamespace")), "the controller of the domain needs a credential of the type usernamePassword, and %q is none", id))
		return shown, value.NewMap()
	}
	user, password := c.pair(id)
	return shown, value.NewMap(member("controllerNamespace", value.NewMap(member("password", password), member("username", user))))
}

func (c *calculation) compositeTopology() *value.Value {
	if c.repo.composite == nil {
		return value.NewMap()
	}
	composite := c.repo.composite.data
	place := func(v *value.Value) *value.Value {
		return value.NewMap(member("name", orNull(v.Get("name"))), member("type", orNull(v.Get("type"))))
	}
	version := "0.0"
	if v := composite.Get("version"); v != nil && v.Kind != value.Null {
		version = decimal(text(v))
	}
	satellites := value.NewList()
	for _, v := range items(composite.Get("satellites")) {
		satellites.Items = append(satellites.Items, place(v))
	}
	return value.NewMap(member("name", orNull(composite.Get("name"))), member("version", &value.Value{Kind: value.Number, Text: version}), member("id", orNull(composite.Get("id"))),
		member("baseline", place(composite.Get("baseline"))), member("satellites", satellites))
}

// tokens are those of all namespaces, in the order of a hash table of Java, into which those of the descriptor come first.
func (c *calculation) tokens() *value.Value {
	m := value.NewMap()
	add := func(ns *namespace) {
		if token := c.shownToken(ns); token.Kind != value.Null {
			m.Set(ns.name, token)
		}
	}
	for _, e := range c.repo.entries {
		if ns, err := c.repo.folder(e); err == nil {
			add(ns)
		}
	}
	for _, ns := range c.repo.namespaces {
		add(ns)
	}
	size := 16
	for float64(len(m.Members)) >= 0.75*float64(size) {
		size *= 2
	}
	slot := func(name string) uint32 {
		h := hashCode(name)
		return (h ^ h>>16) & uint32(size-1)
	}
	slices.SortStableFunc(m.Members, func(a, b value.Member) int { return int(slot(a.Name)) - int(slot(b.Name)) })
	return m
}
