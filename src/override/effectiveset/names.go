package effectiveset

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
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

// checkCase finds files and folders of the environment, beside those of namespaces, that are not read since their names have letters of another case.
func (c *calculation) checkCase(root string) {
	c.otherCase(root, []string{"Applications", "Credentials", "Inventory", "Namespaces", "Profiles"}, []string{"tenant", "cloud", "bg_domain", "composite_structure"})
	c.otherCase(path.Join(root, "Credentials"), nil, []string{"credentials"})
	c.otherCase(path.Join(root, "Inventory"), []string{"solution-descriptor"}, nil)
	c.otherCase(path.Join(root, "Inventory/solution-descriptor"), nil, []string{"sd"})
}

// otherCase finds what in a folder has the name of one of its folders, or of its YAML files, in letters of another case.
func (c *calculation) otherCase(folder string, folders, files []string) {
	for _, name := range c.names(folder) {
		stem, read := name, folders
		if end := path.Ext(name); strings.EqualFold(end, shortYAML) || strings.EqualFold(end, otherYAML) {
			stem, read = strings.TrimSuffix(name, end), files
		}
		for _, other := range read {
			if other += strings.ToLower(name[len(stem):]); other != name && strings.EqualFold(other, name) {
				c.find(FileUnused, dovetail.Position{File: path.Join(folder, name)}, "what is read is called "+other+", with letters of another case: this does not count")
			}
		}
	}
}
