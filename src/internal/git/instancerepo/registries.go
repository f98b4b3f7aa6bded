package instancerepo

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	// registryMember is the member of an application's definition that names that of its registry.
	registryMember = "registryName"

	applicationKind    = "appDefinition"
	ownApplicationKind = "environmentAppDefinition"
	registriesFolder   = "regdefs"
)

// registryFolders are those in which the definition of an application finds that of its registry, the nearest first; nil for other files.
func (c *content) registryFolders() []string {
	switch c.kind {
	case applicationKind:
		return []string{registriesFolder}
	case ownApplicationKind:
		cluster, _ := c.key.Value("cluster")
		name, _ := c.key.Value("environment")
		return []string{pathOf(inventory.Environment{Cluster: cluster, Name: name}, "RegDefs"), registriesFolder}
	}
	return nil
}

// FoldersNamedIn are the folders of which a file outside of environments may name files.
func FoldersNamedIn(file string) []string {
	if at, ok := find(file); ok && at.kind == applicationKind {
		return []string{registriesFolder}
	}
	return nil
}

// withoutRegistry reports definitions of applications that name a registry without definition.
func (c *Contents) withoutRegistry(there stems) (found []*dovetail.Error) {
	for _, f := range c.files {
		folders := f.registryFolders()
		v := f.data.Get(registryMember)
		name, ok := v.Str()
		if folders == nil || !ok || name == "" || there.has(name, folders) {
			continue
		}
		found = append(found, newDefect(ReasonDefinitionWithoutRegistry, at(f.file, v, value.Pointer(registryMember)), "there is no definition of the registry "+name, there.remedy(name, folders)))
	}
	return found
}
