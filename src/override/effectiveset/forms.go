package effectiveset

import (
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// checkForms finds what is there and counts as if it were not: members that are no maps, where members of them are read, and a descriptor
// without applications. Names with blanks at an end it finds, too: no namespace of a cluster has such a name.
func (c *calculation) checkForms(r *repository) {
	c.checkMaps(r.cloud, "profile", "maasConfig", "vaultConfig", "consulConfig")
	c.checkLists(r.cloud.file, r.cloud.data, "dbaasConfigs")
	for _, name := range slices.Sorted(maps.Keys(r.profiles)) {
		p := r.profiles[name]
		c.checkLists(p.file, p.data, "applications", "services", "parameters")
	}
	for _, ns := range r.namespaces {
		c.checkMaps(&ns.object, "profile")
		if name := ns.data.Get("name"); strings.TrimSpace(ns.name) != ns.name {
			c.find(NameWithBlanks, ns.at(name), "the name has blanks at an end, which belong to it here")
		}
	}
	if r.domain != nil {
		c.checkMaps(r.domain, "originNamespace", "peerNamespace", "controllerNamespace")
	}
	if r.composite != nil {
		c.checkMaps(r.composite, "baseline")
		c.checkLists(r.composite.file, r.composite.data, "satellites")
	}
	if r.descriptor != nil && len(r.entries) == 0 {
		c.find(DescriptorEmpty, r.descriptor.at(r.descriptor.data), "the solution descriptor has no applications: the set is one of none")
	}
}

// checkMaps finds those of the members that are neither maps nor null.
func (c *calculation) checkMaps(o *object, members ...string) {
	for _, member := range members {
		if v := o.data.Get(member); v != nil && v.Kind != value.Map && v.Kind != value.Null {
			c.find(MemberMalformed, o.at(v), member+" is a "+v.Kind.String()+", not a map, and counts as missing")
		}
	}
}

// checkLists finds a member that is neither a list nor null, and, in the items of a list, the next member.
func (c *calculation) checkLists(file string, in *value.Value, members ...string) {
	v := in.Get(members[0])
	if v == nil || v.Kind == value.Null {
		return
	}
	if v.Kind != value.List {
		c.find(MemberMalformed, v.In(file), members[0]+" is a "+v.Kind.String()+", not a list, and counts as missing")
		return
	}
	for _, item := range v.Items {
		if len(members) > 1 {
			c.checkLists(file, item, members[1:]...)
		}
	}
}
