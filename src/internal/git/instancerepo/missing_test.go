package instancerepo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

// TestMissing has what only a look at the whole repository shows.
func TestMissing(t *testing.T) {
	const root = "environments/c/e/"
	const inventory = root + "Inventory/env_definition.yml"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string // reason, position, and a part of the remedy
	}{
		{"all there", map[string]string{inventory: "inventory: {cloudPassport: p}\nenvTemplate:\n  sharedTemplateVariables: [a, b, c]\n  sharedMasterCredentialFiles: [d]\n  envSpecificResourceProfiles: {x: e, y: f}\n",
			root + "Inventory/shared-template-variables/a.yml": "{}", "environments/c/shared_template_variables/b.yaml": "{}", "environments/shared-template-variables/c.yml.j2": "{{",
			"environments/credentials/d.yml": "{}", "environments/c/resource_profiles/e.yml": "name: e", root + "Inventory/resource_profiles/f.yml": "[", "environments/c/cloud-passport/p.yml": "{}"}, nil},
		{"none there", map[string]string{inventory: "inventory:\n  cloudPassport: p\nenvTemplate:\n  sharedTemplateVariables:\n  - a\n  sharedMasterCredentialFiles:\n  - b\n  envSpecificResourceProfiles:\n    x: c\n"},
			[]string{"REPO_FILE_MISSING " + inventory + ":5 add it to environments/c/e/Inventory/shared-template-variables, environments/c/shared-template-variables or environments/shared-template-variables",
				"REPO_FILE_MISSING " + inventory + ":7 add it to environments/c/e/Inventory/credentials", "REPO_FILE_MISSING " + inventory + ":9 add it to environments/c/e/Inventory/resource_profiles",
				"REPO_FILE_MISSING " + inventory + ":2 add it to environments/c/e/Inventory/cloud-passport or environments/c/cloud-passport, or"}},
		{"registries of definitions", map[string]string{"appdefs/a.yml": "name: a\nregistryName: site\n", root + "AppDefs/b.yml": "registryName: site\n", root + "AppDefs/c.yaml": "registryName: own\n", "appdefs/d.yml": "registryName: made\n",
			"regdefs/site.yaml": "name: site\n", root + "RegDefs/own.yml": "[", "regdefs/made.yml.j2": "{{", "appdefs/e.yml": "name: e\n", "appdefs/f.yml": "registryName: ''\n"}, nil},
		{"definitions without registries", map[string]string{"appdefs/a.yml": "name: a\nregistryName: own\n", root + "AppDefs/b.yml": "registryName: sites\n", "environments/c/other/AppDefs/c.yml": "registryName: own\n",
			"regdefs/site.yml": "name: site\n", root + "RegDefs/own.yml": "name: own\n"},
			[]string{"REPO_DEFINITION_WITHOUT_REGISTRY appdefs/a.yml:2 add it to regdefs, or remove the entry", "REPO_DEFINITION_WITHOUT_REGISTRY environments/c/e/AppDefs/b.yml:1 did you mean site? Otherwise add it to environments/c/e/RegDefs or regdefs, or remove the entry",
				"REPO_DEFINITION_WITHOUT_REGISTRY environments/c/other/AppDefs/c.yml:1 add it to environments/c/other/RegDefs or regdefs"}},
		{"of another cluster", map[string]string{inventory: "envTemplate: {sharedMasterCredentialFiles: [d]}", "environments/other/credentials/d.yml": "{}"}, []string{"REPO_FILE_MISSING " + inventory + ":1 add it"}},
		{"a slip of the fingers", map[string]string{inventory: "envTemplate: {sharedMasterCredentialFiles: [integration-cred]}", "environments/credentials/integration-creds.yml": "{}"},
			[]string{"REPO_FILE_MISSING " + inventory + ":1 did you mean integration-creds?"}},
		{"misspelt members", map[string]string{inventory: "envTemplate:\n  envSpecificParamset: {}\n  name: t\n  another: x\ninventory:\n  cloudPasport: p\nenvTemplat: {}\n"},
			[]string{"REPO_MEMBER_MISSPELT " + inventory + ":7 did you mean envTemplate?", "REPO_MEMBER_MISSPELT " + inventory + ":2 did you mean envSpecificParamsets?",
				"REPO_MEMBER_MISSPELT " + inventory + ":6 did you mean cloudPassport?"}},
		{"misspelt members of other files", map[string]string{
			"environments/parameters/p.yml":               "name: p\nparameter: {A: 1}\napplications:\n- appNam: x\n  appName: x\n  parameterz: {}\n",
			root + "Credentials/credentials.yml":          "x:\n  type: usernamePasword\n  data: {pasword: b, username: c}\ny:\n  typ: secret\n",
			root + "Namespaces/a/namespace.yml":           "name: a\ndeployParameter: {}\n",
			root + "Namespaces/a/Applications/x.yml":      "name: x\ntechnicalConfigurationParametrs: {}\n",
			root + "Inventory/solution-descriptor/sd.yml": "applications:\n- {version: 'a:1', deployPostfx: a}\n",
			root + "cloud.yml":                            "name: c\ne2eParameter: {}\n"},
			[]string{"REPO_MEMBER_MISSPELT " + root + "Credentials/credentials.yml:5 did you mean type?", "REPO_MEMBER_MISSPELT " + root + "Credentials/credentials.yml:3 did you mean password?",
				"REPO_MEMBER_MISSPELT " + root + "Credentials/credentials.yml:2 did you mean usernamePassword?", "REPO_MEMBER_MISSPELT " + root + "Inventory/solution-descriptor/sd.yml:2 did you mean deployPostfix?",
				"REPO_MEMBER_MISSPELT " + root + "Namespaces/a/Applications/x.yml:2 did you mean technicalConfigurationParameters?", "REPO_MEMBER_MISSPELT " + root + "Namespaces/a/namespace.yml:2 did you mean deployParameters?",
				"REPO_MEMBER_MISSPELT " + root + "cloud.yml:2 did you mean e2eParameters?", "REPO_MEMBER_MISSPELT environments/parameters/p.yml:2 did you mean parameters?",
				"REPO_MEMBER_MISSPELT environments/parameters/p.yml:4 did you mean appName?", "REPO_MEMBER_MISSPELT environments/parameters/p.yml:6 did you mean parameters?",
				"REPO_MEMBER_MALFORMED " + root + "Credentials/credentials.yml:5 add one of", "REPO_MEMBER_MALFORMED " + root + "Inventory/solution-descriptor/sd.yml:2 write the folder"}},
		{"misspelt members of objects of an environment", map[string]string{
			root + "Applications/a.yml":         "nam: a\n",
			root + "Profiles/p.yml":             "name: p\nbaselin: b\napplications:\n- name: a\n  servces: []\n- services:\n  - {name: s, parameters: [{nam: x, value: 1}]}\n",
			root + "bg_domain.yml":              "name: d\npeerNamespce: {name: p}\noriginNamespace: {nme: o}\n",
			root + "cloud.yml":                  "name: c\nprofile: {basline: x}\ndefaultCredentialId: y\n",
			root + "composite_structure.yml":    "baselin: {}\nsatellites:\n- {typ: namespace}\n",
			root + "tenant.yml":                 "globalE2EParameter: {}\n",
			root + "Namespaces/n/namespace.yml": "name: n\ncredentialId: x\n"},
			[]string{"REPO_MEMBER_MISSPELT " + root + "Applications/a.yml:1 did you mean name?", "REPO_MEMBER_MISSPELT " + root + "Namespaces/n/namespace.yml:2 did you mean credentialsId?",
				"REPO_MEMBER_MISSPELT " + root + "Profiles/p.yml:2 did you mean baseline?", "REPO_MEMBER_MISSPELT " + root + "Profiles/p.yml:5 did you mean services?", "REPO_MEMBER_MISSPELT " + root + "Profiles/p.yml:7 did you mean name?",
				"REPO_MEMBER_MISSPELT " + root + "bg_domain.yml:2 did you mean peerNamespace?", "REPO_MEMBER_MISSPELT " + root + "bg_domain.yml:3 did you mean name?",
				"REPO_MEMBER_MISSPELT " + root + "cloud.yml:3 did you mean defaultCredentialsId?", "REPO_MEMBER_MISSPELT " + root + "cloud.yml:2 did you mean baseline?",
				"REPO_MEMBER_MISSPELT " + root + "composite_structure.yml:1 did you mean baseline?", "REPO_MEMBER_MISSPELT " + root + "composite_structure.yml:3 did you mean type?",
				"REPO_MEMBER_MISSPELT " + root + "tenant.yml:1 did you mean globalE2EParameters?", "REPO_APPLICATION_NAME_UNLIKE_FILE " + root + "Applications/a.yml:1"}},
		{"names unlike files", map[string]string{
			root + "Applications/a.yml":              "name: A\n",
			root + "Namespaces/n/namespace.yml":      "name: n\n",
			root + "Namespaces/n/Applications/b.yml": "deployParameters: {}\n",
			root + "Namespaces/n/Applications/c.yml": "name: c\n",
			root + "Profiles/p.yml":                  "name: same\n",
			root + "Profiles/q.yml":                  "name: same\n",
			root + "Profiles/r.yml":                  "baseline: b\n",
			"environments/c/f/Profiles/s.yml":        "name: same\n"},
			[]string{"REPO_APPLICATION_NAME_UNLIKE_FILE " + root + "Applications/a.yml:1", "REPO_APPLICATION_NAME_UNLIKE_FILE " + root + "Namespaces/n/Applications/b.yml:1",
				"REPO_FILE_TWICE " + root + "Profiles/q.yml:1 give each", "REPO_MEMBER_MALFORMED " + root + "Profiles/r.yml:1 add its name"}},
		{"parameters that are none", map[string]string{"environments/parameters/p.yml": "name: p\nparameters: [1]\napplications:\n- appName: x\n  parameters: y\n"},
			[]string{"REPO_PARAMSET_MALFORMED environments/parameters/p.yml:2", "REPO_PARAMSET_MALFORMED environments/parameters/p.yml:5"}},
		{"a file that is malformed is one", map[string]string{inventory: "["}, nil},
		{"templates are named already", map[string]string{"templates/env_templates/dev.yml": "a: b"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var files []instancerepo.File
			for name, text := range tt.files {
				files = append(files, instancerepo.File{Path: name, Data: []byte(text)})
			}
			contents, err := instancerepo.Survey(filesOf(files))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range contents.Missing() {
				at := d.Position
				at.Path, at.Column = "", 0
				got = append(got, d.Reason+" "+at.String()+" "+d.Remedy)
			}
			if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
				t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}
