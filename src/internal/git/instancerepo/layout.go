package instancerepo

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
)

// shape says how the content of a file and documents become each other.
type shape uint8

const (
	wholeSpec      shape = iota // the content is the spec
	namespaceSpec               // the same, but what the file calls name, the spec calls namespace
	domainSpec                  // the content is the spec, and its name the last element of the key
	parameterSpec               // the content is the parameters of the spec
	manySpecs                   // each member is the spec of one document
	inventoryShape              // a member of the environment's spec, and the associations
	specMember                  // a member of the environment's spec
)

// place is where documents of a kind lie. Its path has the elements of their keys in braces.
type place struct {
	path    string
	kind    string // the last element's name
	fixed   string // its value, where the path does not tell it
	shape   shape
	member  string // of the spec of an environment
	deep    bool   // also in folders below, by the name of the file, and as JSON
	empty   bool   // an empty file stands for an empty map
	classic bool   // the pipelines read it by YAML 1.1, and take the last of duplicate keys
}

// places are all of them. This table is the layout of an instance repository, for reading files and for
// writing them.
var places = [...]place{
	{path: "appdefs/{}.yml", kind: "appDefinition", classic: true},
	{path: "regdefs/{}.yml", kind: "registryDefinition", classic: true},
	{path: "configuration/artifact_definitions/{}.yaml", kind: "artifactDefinition"},
	{path: "configuration/credentials/credentials.yml", kind: "credential", shape: manySpecs},
	{path: "configuration/{}.yml", kind: "configurationFile", empty: true, classic: true},
	{path: "environments/parameters/{}.yaml", kind: "siteParamSet", deep: true},
	{path: "environments/credentials/{}.yml", kind: "credentialSet", empty: true},
	{path: "environments/shared-template-variables/{}.yml", kind: "variableSet", empty: true},
	{path: "environments/resource_profiles/{}.yml", kind: "resourceProfile"},
	{path: "environments/{cluster}/parameters/{}.yaml", kind: "clusterParamSet", deep: true},
	{path: "environments/{cluster}/credentials/{}.yml", kind: "clusterCredentialSet", empty: true},
	{path: "environments/{cluster}/shared-template-variables/{}.yml", kind: "clusterVariableSet", empty: true},
	{path: "environments/{cluster}/app-deployer/{}.yml", kind: "clusterConfigurationFile", empty: true},
	{path: "environments/{cluster}/resource_profiles/{}.yml", kind: "clusterResourceProfile"},
	{path: "environments/{cluster}/cloud-passport/{}.yml", kind: "cloudPassport"},
	{path: environmentFolder + "Inventory/env_definition.yml", kind: "environment", shape: inventoryShape, member: "definition"},
	{path: environmentFolder + "cloud.yml", kind: "environment", shape: specMember, member: "cloud", classic: true},
	{path: environmentFolder + "tenant.yml", kind: "environment", shape: specMember, member: "tenant", classic: true},
	{path: environmentFolder + "composite_structure.yml", kind: "environment", shape: specMember, member: "compositeStructure", classic: true},
	{path: environmentFolder + "bg_domain.yml", kind: "bgDomain", shape: domainSpec, classic: true},
	{path: environmentFolder + "Inventory/parameters/{}.yaml", kind: "environmentParamSet", deep: true},
	{path: environmentFolder + "Inventory/credentials/{}.yml", kind: "environmentCredentialSet", empty: true},
	{path: environmentFolder + "Inventory/shared-template-variables/{}.yml", kind: "environmentVariableSet", empty: true},
	{path: environmentFolder + "Inventory/resource_profiles/{}.yml", kind: "environmentResourceProfile"},
	{path: environmentFolder + "Inventory/cloud-passport/{}.yml", kind: "environmentCloudPassport"},
	{path: environmentFolder + "Inventory/solution-descriptor/sd.yml", kind: "solutionDescriptor", fixed: "full", classic: true},
	{path: environmentFolder + "Inventory/solution-descriptor/delta_sd.yml", kind: "solutionDescriptor", fixed: "delta", classic: true},
	{path: environmentFolder + "Credentials/credentials.yml", kind: "environmentCredential", shape: manySpecs, classic: true},
	{path: environmentFolder + "Applications/{}.yml", kind: "environmentApplication", classic: true},
	{path: environmentFolder + "Profiles/{}.yml", kind: "renderedProfile", classic: true},
	{path: environmentFolder + "AppDefs/{}.yml", kind: "environmentAppDefinition", classic: true},
	{path: environmentFolder + "RegDefs/{}.yml", kind: "environmentRegistryDefinition", classic: true},
	{path: environmentFolder + "Namespaces/{}/namespace.yml", kind: "deployPostfix", shape: namespaceSpec, classic: true},
	{path: environmentFolder + "Namespaces/{deployPostfix}/Applications/{}.yml", kind: "application", classic: true},
	{path: environmentFolder + "effective-set/{}", kind: "effectiveSetPart", shape: parameterSpec, classic: true},
}

// environmentFolder is where the files of an environment are.
const environmentFolder = "environments/{cluster}/{environment}/"

// AssociationKind is the kind of what is listed in the inventory of an environment.
const AssociationKind = "paramSetAssociation"

// variablesFolder is the folder of template variables, which some repositories write with underscores.
const (
	variablesFolder    = "shared-template-variables"
	variablesFolderToo = "shared_template_variables"
)

// spot is one file of a place.
type spot struct {
	*place
	key  dovetail.Key // of the documents in the file; without its last element where content tells it
	path string       // of the file, as Files writes it
}

// name is the last element of the key, as far as that is known.
func (s spot) name() string {
	if len(s.key) == 0 {
		return ""
	}
	return s.key[len(s.key)-1].Value
}

// find tells what a file is for. It returns false for files that are not of the layout.
func find(name string) (spot, bool) {
	ext := path.Ext(name)
	if ext != ".yml" && ext != ".yaml" && ext != ".json" {
		return spot{}, false
	}
	stem := strings.Split(strings.TrimSuffix(name, ext), "/")
	if i := slices.Index(stem, variablesFolderToo); i >= 0 {
		stem[i] = variablesFolder
	}
	for i := range places {
		p := &places[i]
		if ext == ".json" && !p.deep {
			continue
		}
		if key, ok := p.match(stem, name); ok {
			s := spot{place: p, key: key}
			s.path = p.pathOf(key)
			return s, true
		}
	}
	return spot{}, false
}

// findTemplate tells what a template becomes when the pipeline renders it. It returns false for other files.
func findTemplate(name string) (spot, bool) {
	stem, ok := strings.CutSuffix(name, ".j2")
	if !ok {
		return spot{}, false
	}
	if at, ok := find(stem); ok {
		return at, true
	}
	return find(stem + ".yml")
}

// match compares the parts of a path, without extension, with those of the place.
func (p *place) match(parts []string, name string) (dovetail.Key, bool) {
	var key dovetail.Key
	pattern := p.path
	for i := 0; ; i++ {
		want, rest, more := strings.Cut(pattern, "/")
		if i == len(parts) {
			return nil, false
		}
		if p.shape == parameterSpec && !more { // all that is below
			key = append(key, dovetail.Element{Name: p.kind, Value: strings.Join(strings.Split(name, "/")[i:], "/")})
			return key, isWritable(p.kind, key[len(key)-1].Value)
		}
		if !more {
			want = strings.TrimSuffix(want, path.Ext(want))
			if p.deep {
				if slices.ContainsFunc(parts[i:], func(part string) bool { return !isName(part) || part[0] == '.' }) {
					return nil, false
				}
				i = len(parts) - 1
			}
		}
		if !strings.HasPrefix(want, "{") {
			if want != parts[i] {
				return nil, false
			}
		} else {
			element := cmp.Or(strings.Trim(want, "{}"), p.kind)
			if !isWritable(element, parts[i]) {
				return nil, false
			}
			key = append(key, dovetail.Element{Name: element, Value: parts[i]})
		}
		if !more {
			return p.named(key), i == len(parts)-1
		}
		pattern = rest
	}
}

// named adds the last element of the key where the path does not tell it, but the place does.
func (p *place) named(key dovetail.Key) dovetail.Key {
	if p.fixed != "" {
		key = append(key, dovetail.Element{Name: p.kind, Value: p.fixed})
	}
	return key
}

// pathOf returns the path of the file that holds the document of a key.
func (p *place) pathOf(key dovetail.Key) string {
	parts := strings.Split(p.path, "/")
	for i, part := range parts {
		if !strings.HasPrefix(part, "{") {
			continue
		}
		end := strings.IndexByte(part, '}')
		element := cmp.Or(part[1:end], p.kind)
		at := slices.IndexFunc(key, func(e dovetail.Element) bool { return e.Name == element })
		parts[i] = key[at].Value + part[end+1:]
	}
	return strings.Join(parts, "/")
}

// placesOf returns where a document lies: in several places for an environment, and in none for what is not
// kept in instance repositories.
func placesOf(key dovetail.Key) []*place {
	if len(key) == 0 {
		return nil
	}
	last := key[len(key)-1]
	kind := last.Name
	if kind == AssociationKind {
		kind = "environment"
	}
	var all []*place
	for i := range places {
		if p := &places[i]; p.kind == kind && (p.fixed == "" || p.fixed == last.Value) {
			all = append(all, p)
		}
	}
	if last.Name == AssociationKind {
		all = all[:1] // the inventory
	}
	return all
}

// Paths returns the paths that the file of a document may have, with one extension or another, that
// which Files writes first. A ParamSet may also be in a folder below. Of an environment it is the inventory, which also holds its associations. It
// is nil for kinds that instance repositories do not keep in a file of this kind, as clusters, which are
// folders.
func Paths(id dovetail.ID) []string {
	key := id.Key()
	all := placesOf(key)
	if len(all) == 0 {
		return nil
	}
	return bothExtensions(all[0], all[0].pathOf(key))
}

func bothExtensions(p *place, name string) []string {
	if p.shape == parameterSpec {
		return []string{name}
	}
	ext := path.Ext(name)
	other := ".yaml"
	if ext == other {
		other = ".yml"
	}
	stem := strings.TrimSuffix(name, ext)
	all := []string{name, stem + other}
	if p.deep {
		all = append(all, stem+".json")
	}
	return all
}

// SharesFile reports whether a document is a member of a file that holds several of its kind, by their names.
func SharesFile(id dovetail.ID) bool {
	all := placesOf(id.Key())
	return len(all) == 1 && all[0].shape == manySpecs
}

// mayBeEmpty reports whether an empty file stands for an empty map.
func (p *place) mayBeEmpty() bool { return p.empty || p.shape == parameterSpec || p.shape == manySpecs }

// isWritable reports whether the value of a key element can be that of a document and the name of a file or
// folder that is read again.
func isWritable(element, text string) bool {
	if dovetail.CheckValue(text) != "" {
		return false
	}
	switch element {
	case "effectiveSetPart":
		parts := strings.Split(text, "/")
		ext := path.Ext(text)
		return (ext == ".yml" || ext == ".yaml") && !slices.ContainsFunc(parts, func(part string) bool { return !isName(part) || part[0] == '.' })
	case "cluster", "environment":
		if !inventory.IsFolder(text) {
			return false
		}
	}
	return isName(text) && text[0] != '.'
}
