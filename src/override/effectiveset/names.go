package effectiveset

import (
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// checkNames finds names in the files of the environment that YAML 1.1 does not read as texts: 0123 is 83, and on is true.
func (c *calculation) checkNames(r *repository) {
	c.checkName(r.tenant, "name")
	for _, path := range [][]string{{"name"}, {"defaultCredentialsId"}, {"profile", "name"}, {"profile", "baseline"}} {
		c.checkName(r.cloud, path...)
	}
	for _, ns := range r.namespaces {
		for _, path := range [][]string{{"name"}, {"credentialsId"}, {"profile", "name"}, {"profile", "baseline"}} {
			c.checkName(&ns.object, path...)
		}
		c.checkAll(ns.apps)
	}
	c.checkAll(r.apps)
	c.checkAll(r.profiles)
	if r.domain != nil {
		for _, path := range [][]string{{"name"}, {"originNamespace", "name"}, {"peerNamespace", "name"}, {"controllerNamespace", "name"}} {
			c.checkName(r.domain, path...)
		}
	}
}

func (c *calculation) checkAll(objects map[string]*object) {
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		c.checkName(objects[name], "name")
	}
}

// checkName finds a name that is a number or a boolean.
func (c *calculation) checkName(o *object, path ...string) {
	if v := o.data.At(path...); v != nil && (v.Kind == value.Number || v.Kind == value.Bool) {
		c.find(NameNotText, o.at(v), "the name is a "+v.Kind.String()+" by YAML 1.1, and "+v.Text+" is taken for it: write it in quotes")
	}
}
