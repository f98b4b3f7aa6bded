package instancerepo_test

import (
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

// TestForms has members of another form than the pipelines need.
func TestForms(t *testing.T) {
	const root = "environments/c/e/"
	const inventory, space, sd, credentials = root + "Inventory/env_definition.yml", root + "Namespaces/n/namespace.yml", root + "Inventory/solution-descriptor/sd.yml", root + "Credentials/credentials.yml"
	for _, tt := range []struct {
		name, file, text string
		want             []string // positions and messages
	}{
		{"a namespace as it should be", space, "name: n\nprofile: {name: p}\ndeployParameters: {}\ne2eParameters:\n", nil},
		{"parameters and a profile that are no maps", space, "name: n\nprofile: dev\ndeployParameters: [A]\ne2eParameters: x\n",
			[]string{":3:19 deployParameters is a list, not a map", ":4:16 e2eParameters is a string, not a map", ":2:10 profile is a string, not a map"}},
		{"an empty name", space, "name: ''\n", []string{":1:7 the namespace has no name"}},
		{"no name", space, "labels: []\n", []string{":1:1 the namespace has no name"}},
		{"parameters of a cloud", root + "cloud.yml", "profile: 1\ntechnicalConfigurationParameters: [A]\n", []string{":2:35 technicalConfigurationParameters is a list, not a map", ":1:10 profile is a number, not a map"}},
		{"parameters of a tenant and an application", root + "Applications/a.yml", "profile: 1\ndeployParameters: A\n", []string{":2:19 deployParameters is a string, not a map"}},
		{"an inventory", inventory, "inventory: []\nenvTemplate: {envSpecificParamsets: own, envSpecificE2EParamsets: {}}\n", []string{":1:12 inventory is a list, not a map", ":2:37 envSpecificParamsets is a string, not a map"}},
		{"a domain", root + "bg_domain.yml", "name: d\noriginNamespace: o\n", []string{":2:18 originNamespace is a string, not a map"}},
		{"objects of a cloud", root + "cloud.yml", "maasConfig: []\nvaultConfig:\nconsulConfig: x\ndbaasConfigs: {a: b}\n", []string{":1:13 maasConfig is a list, not a map", ":3:15 consulConfig is a string, not a map", ":4:15 dbaasConfigs is a map, not a list"}},
		{"a composite structure", root + "composite_structure.yml", "baseline: x\nsatellites: {name: a}\n", []string{":1:11 baseline is a string, not a map", ":2:13 satellites is a map, not a list"}},
		{"a profile", root + "Profiles/p.yml", "name: p\napplications:\n- {name: a, services: {}}\n- name: b\n  services:\n  - {name: s, parameters: {A: 1}}\n", []string{":3:23 services is a map, not a list", ":6:27 parameters is a map, not a list"}},
		{"applications of an SD", sd, "applications:\n- {version: 'a:1', deployPostfix: n}\n- {version: a, deployPostfix: n}\n- a:1\n- {version: 'b:1'}\n- {version: 'c:1', deployPostfix: 012}\n-\n",
			[]string{":3:3 the application has no version of the form APPLICATION:VERSION", ":4:3 the application has no version of the form APPLICATION:VERSION", ":5:3 the application b has no deployPostfix that is a text",
				":6:3 the application c has no deployPostfix that is a text", ":7:2 the application has no version of the form APPLICATION:VERSION"}},
		{"credentials", credentials, "a: {type: secret, data: {secret: x}}\nb: {data: {}}\nc: {type: zzz}\nd: {type: secret}\ne: {type: usernamePassword, data: x}\nf: {type: external}\n",
			[]string{":2:4 the credential b has no type", ":3:11 the credential c has an unknown type", ":4:4 the credential d has no data", ":5:35 the credential e has no data"}},
		{"shared credentials", "environments/credentials/a.yml", "b: {data: {}}\nc: x\n", []string{":1:4 the credential b has no type", ":2:4 c is no credential"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, d := range surveyOf(t, []instancerepo.File{{Path: tt.file, Data: []byte(tt.text)}}).Misread() {
				if d.Reason != instancerepo.ReasonMemberMalformed {
					continue
				}
				if d.Position.File != tt.file || instancerepo.SeverityOf(d) != instancerepo.Error {
					t.Errorf("%v", d)
				}
				at := d.Position
				at.File, at.Path = "", ""
				got = append(got, ":"+at.String()+" "+d.Message)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("found\n%q\nwant\n%q", got, tt.want)
			}
		})
	}
}
