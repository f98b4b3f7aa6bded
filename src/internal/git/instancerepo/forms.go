package instancerepo

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

// mapsOf are the members of a file that have to be maps if they are there.
func (c *content) mapsOf() [][]string {
	parameters := [][]string{{"deployParameters"}, {"e2eParameters"}, {"technicalConfigurationParameters"}}
	switch {
	case c.shape == inventoryShape:
		all := [][]string{{templateMember}, {"inventory"}}
		for _, section := range sections {
			all = append(all, []string{templateMember, section.member})
		}
		return all
	case c.kind == "deployPostfix":
		return append(parameters, []string{"profile"})
	case c.kind == "environment" && c.member == "cloud":
		return append(parameters, []string{"profile"}, []string{"maasConfig"}, []string{"vaultConfig"}, []string{"consulConfig"})
	case c.kind == "environment" && c.member == "compositeStructure":
		return [][]string{{"baseline"}}
	case c.kind == "application", c.kind == "environmentApplication", c.kind == "environment" && c.member == "tenant":
		return parameters
	case c.kind == "bgDomain":
		return [][]string{{"originNamespace"}, {"peerNamespace"}, {"controllerNamespace"}}
	}
	return nil
}

// listsOf are the members of maps in a file that have to be lists if they are there.
func (c *content) listsOf() []known {
	switch {
	case c.kind == "renderedProfile":
		return []known{{nil, []string{"applications"}}, {[]string{"applications", "*"}, []string{"services"}}, {[]string{"applications", "*", "services", "*"}, []string{"parameters"}}}
	case c.kind == "environment" && c.member == "cloud":
		return []known{{nil, []string{"dbaasConfigs"}}}
	case c.kind == "environment" && c.member == "compositeStructure":
		return []known{{nil, []string{"satellites"}}}
	}
	return nil
}

// misformed reports members that are not of the form that the pipelines need: the calculation of effective sets ends, or they count as missing.
func (c *Contents) misformed() (found []*dovetail.Error) {
	report := func(f *content, v *value.Value, path []string, message, remedy string) {
		found = append(found, newDefect(ReasonMemberMalformed, at(f.file, v, value.Pointer(path...)), message, remedy))
	}
	for _, f := range c.files {
		for _, path := range f.mapsOf() {
			if v := f.data.At(path...); v != nil && v.Kind != value.Map && v.Kind != value.Null {
				report(f, v, path, path[len(path)-1]+" is a "+v.Kind.String()+", not a map", "write a map")
			}
		}
		for _, k := range f.listsOf() {
			walkMaps(f.data, k.path, nil, func(in *value.Value, path []string) {
				for _, name := range k.members {
					if v := in.Get(name); v != nil && v.Kind != value.List && v.Kind != value.Null {
						report(f, v, append(slices.Clip(path), name), name+" is a "+v.Kind.String()+", not a list", "write a list")
					}
				}
			})
		}
		switch f.kind {
		case "deployPostfix":
			if said := f.data.Get(fileNameMember); said == nil || said.Kind == value.Null || said.Kind == value.String && said.Text == "" {
				at := f.data
				if said != nil {
					at = said
				}
				report(f, at, []string{fileNameMember}, "the namespace has no name", "add its name on the cluster")
			}
		case "solutionDescriptor":
			f.checkApplications(f.data.Get("applications"), report)
		case "credential", "environmentCredential", "credentialSet", "clusterCredentialSet", "environmentCredentialSet":
			for _, m := range f.data.Members {
				switch {
				case m.Name == sops.Member:
				case m.Value.Kind == value.Map:
					f.checkCredential(m, report)
				case f.shape != manySpecs: // where it is malformed, since it is a document
					report(f, m.Value, []string{m.Name}, m.Name+" is no credential", "write a map with type and data")
				}
			}
		}
	}
	return found
}

// A reporter takes a finding about a value at a path of a file.
type reporter = func(f *content, v *value.Value, path []string, message, remedy string)

// checkApplications checks the form of the applications of an SD.
func (c *content) checkApplications(all *value.Value, report reporter) {
	if all == nil {
		return
	}
	for i, item := range all.Items {
		path := []string{"applications", strconv.Itoa(i)}
		version, _ := item.Get("version").Str()
		name, number, _ := strings.Cut(version, ":")
		if name == "" || number == "" {
			report(c, item, path, "the application has no version of the form APPLICATION:VERSION", "write {version: APPLICATION:VERSION, deployPostfix: FOLDER}")
		} else if postfix, ok := item.Get("deployPostfix").Str(); !ok || postfix == "" {
			report(c, item, path, "the application "+name+" has no deployPostfix that is a text", "write the folder of its namespace, in quotes if it looks like a number")
		}
	}
}

// checkCredential checks the form of a credential.
func (c *content) checkCredential(m value.Member, report reporter) {
	said := m.Value.Get("type")
	kind, _ := said.Str()
	data := m.Value.Get("data")
	switch {
	case said == nil || said.Kind == value.Null:
		report(c, m.Value, []string{m.Name}, "the credential "+m.Name+" has no type", "add one of "+strings.Join(credentialTypes, ", "))
	case ciphertext.Is(kind) || nearest(kind, credentialTypes) != "": // which is named as misspelt
	case !slices.Contains(credentialTypes, kind):
		report(c, said, []string{m.Name, "type"}, "the credential "+m.Name+" has an unknown type", "write one of "+strings.Join(credentialTypes, ", "))
	case kind != "external" && (data == nil || data.Kind != value.Map):
		where := m.Value
		if data != nil {
			where = data
		}
		report(c, where, []string{m.Name, "data"}, "the credential "+m.Name+" has no data", "add a map with what belongs to the type "+kind)
	}
}
