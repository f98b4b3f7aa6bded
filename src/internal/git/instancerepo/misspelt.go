package instancerepo

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// A known has members that mean something, in the map at a path, in which "*" is each member or item.
type known struct {
	path    []string
	members []string
}

// The members of files that mean something here, or to the calculation of effective sets. Files may have others.
var (
	ofInventory = []known{
		{nil, []string{templateMember, "inventory", metadataMember}},
		{[]string{templateMember}, []string{"envSpecificParamsets", "envSpecificTechnicalParamsets", "envSpecificE2EParamsets", "sharedTemplateVariables", "sharedMasterCredentialFiles", "envSpecificResourceProfiles"}},
		{[]string{"inventory"}, []string{"cloudPassport"}},
	}
	ofParamSet = []known{
		{nil, []string{"name", "parameters", "applications"}},
		{[]string{"applications", "*"}, []string{"appName", "parameters"}},
	}
	ofApplication = []known{{nil, []string{"name", "deployParameters", "e2eParameters", "technicalConfigurationParameters"}}}
	ofTenant      = []known{{nil, []string{"name", "globalE2EParameters", "deployParameters", "e2eParameters", "technicalConfigurationParameters"}}}
	ofComposite   = []known{
		{nil, []string{"name", "version", "id", "baseline", "satellites"}},
		{[]string{"baseline"}, []string{"name", "type"}},
		{[]string{"satellites", "*"}, []string{"name", "type"}},
	}
	ofNamespace = []known{
		{nil, []string{"name", "credentialsId", "profile", "deployParameters", "e2eParameters", "technicalConfigurationParameters"}},
		{[]string{"profile"}, []string{"name", "baseline"}},
	}
	ofCloud = []known{
		{nil, []string{"name", "apiUrl", "apiPort", "privateUrl", "publicUrl", "protocol", "defaultCredentialsId", "deployParameters", "e2eParameters", "technicalConfigurationParameters",
			"mergeDeployParametersAndE2EParameters", "productionMode", "profile", "dbaasConfigs", "maasConfig", "vaultConfig", "consulConfig"}},
		{[]string{"profile"}, []string{"name", "baseline"}},
	}
	ofDomain = []known{
		{nil, []string{"name", "type", "originNamespace", "peerNamespace", "controllerNamespace"}},
		{[]string{"*"}, []string{"name", "type", "credentials", "url"}},
	}
	ofProfile = []known{
		{nil, []string{"name", "baseline", "applications"}},
		{[]string{"applications", "*"}, []string{"name", "services"}},
		{[]string{"applications", "*", "services", "*"}, []string{"name", "parameters"}},
		{[]string{"applications", "*", "services", "*", "parameters", "*"}, []string{"name", "value"}},
	}
	ofDescriptor  = []known{{nil, []string{"applications"}}, {[]string{"applications", "*"}, []string{"version", "deployPostfix"}}}
	ofCredentials = []known{
		{[]string{"*"}, []string{"type", "data"}},
		{[]string{"*", "data"}, []string{"username", "password", "secret", "secretFile", "roleId", "secretId", "path", "namespace"}},
	}
	// credentialTypes are what the type of a credential may be.
	credentialTypes = []string{"usernamePassword", "secret", "secretFile", "vaultAppRole", "external"}
)

// known are the members of a file that mean something.
func (c *content) known() []known {
	switch c.kind {
	case "siteParamSet", "clusterParamSet", "environmentParamSet":
		return ofParamSet
	case "solutionDescriptor":
		return ofDescriptor
	case "deployPostfix":
		return ofNamespace
	case "bgDomain":
		return ofDomain
	case "renderedProfile":
		return ofProfile
	case "application", "environmentApplication":
		return ofApplication
	case "credential", "environmentCredential", "credentialSet", "clusterCredentialSet", "environmentCredentialSet":
		return ofCredentials
	case "environment":
		switch {
		case c.shape == inventoryShape:
			return ofInventory
		case c.member == "cloud":
			return ofCloud
		case c.member == "compositeStructure":
			return ofComposite
		}
		return ofTenant
	}
	return nil
}

// Misread reports what the pipelines would pass over in single files without a word, or end with: members whose names are misspelt, or that have another form, and ParamSets of another form.
func (c *Contents) Misread() []*dovetail.Error {
	return slices.Concat(c.misspelt(), c.misformed(), c.malformed(), c.misnamed())
}

// misspelt reports members that look like others that mean something, and types of credentials that look like others.
func (c *Contents) misspelt() (found []*dovetail.Error) {
	for _, f := range c.files {
		report := func(v *value.Value, path []string, what, remedy string) {
			found = append(found, newDefect(ReasonMemberMisspelt, at(f.file, v, value.Pointer(path...)), what+" means nothing", remedy))
		}
		for _, k := range f.known() {
			walkMaps(f.data, k.path, nil, func(in *value.Value, path []string) {
				for _, m := range in.Members {
					if near := nearest(m.Name, k.members); near != "" {
						report(m.Value, append(slices.Clip(path), m.Name), "the member "+m.Name, "did you mean "+near+"?")
					}
				}
			})
		}
		if slices.Equal(first(f.known()), ofCredentials[0].members) {
			walkMaps(f.data, []string{"*"}, nil, func(in *value.Value, path []string) {
				said := in.Get("type")
				if text, ok := said.Str(); ok && nearest(text, credentialTypes) != "" {
					report(said, append(slices.Clip(path), "type"), "the type "+text+" of a credential", "did you mean "+nearest(text, credentialTypes)+"?")
				}
			})
		}
	}
	return found
}

func first(all []known) []string {
	if len(all) == 0 {
		return nil
	}
	return all[0].members
}

// nearest is what a name misspells, "" for a name that is right or looks like none.
func nearest(name string, all []string) string {
	if slices.Contains(all, name) {
		return ""
	}
	if i := slices.IndexFunc(all, func(one string) bool { return suggest.Misspells(name, one) }); i >= 0 {
		return all[i]
	}
	return ""
}

// walkMaps visits the maps at a path.
func walkMaps(v *value.Value, path, at []string, visit func(in *value.Value, at []string)) {
	switch {
	case v == nil:
	case len(path) == 0:
		if v.Kind == value.Map {
			visit(v, at)
		}
	case path[0] != "*":
		walkMaps(v.Get(path[0]), path[1:], append(slices.Clip(at), path[0]), visit)
	default:
		for i, item := range v.Items {
			walkMaps(item, path[1:], append(slices.Clip(at), strconv.Itoa(i)), visit)
		}
		for _, m := range v.Members {
			walkMaps(m.Value, path[1:], append(slices.Clip(at), m.Name), visit)
		}
	}
}

// malformed reports ParamSets whose parameters are none.
func (c *Contents) malformed() (found []*dovetail.Error) {
	for _, p := range c.ParamSets {
		var errs dovetail.Errors
		parameters.CheckParamSet(p.Data, &errs)
		for _, e := range errs.Kept() {
			where := e.Position
			where.File = p.File
			found = append(found, newDefect(ReasonParamSetMalformed, where, e.Message, e.Remedy))
		}
	}
	return found
}

// misnamed reports files of applications in which the name is another one: an application is searched for by both, and found by neither. Of rendered profiles, which are found by
// their name, those that have none, or that of another file.
func (c *Contents) misnamed() (found []*dovetail.Error) {
	profiles := make(map[string]string) // files by folder and name
	for _, f := range c.files {
		name, _ := f.data.Get(fileNameMember).Str()
		where := at(f.file, cmp.Or(f.data.Get(fileNameMember), f.data), value.Pointer(fileNameMember))
		switch f.kind {
		case "application", "environmentApplication":
			if name != f.name() {
				found = append(found, newDefect(ReasonApplicationNameUnlikeFile, where, fmt.Sprintf("the name is %q, that of the file %q: the application gets nothing of it", name, f.name()), "give both the name that the application has in the solution descriptor"))
			}
		case "renderedProfile":
			key := path.Dir(f.file) + "/" + name
			if other, twice := profiles[key]; name == "" {
				found = append(found, newDefect(ReasonMemberMalformed, where, "the profile has no name, by which it is found", "add its name"))
			} else if twice {
				found = append(found, newDefect(ReasonFileTwice, where, "the profile of "+other+" has the same name, and one of them counts", "give each a name of its own"))
			}
			profiles[key] = f.file
		}
	}
	return found
}
