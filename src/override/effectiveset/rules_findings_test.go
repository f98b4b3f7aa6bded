package effectiveset

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestRulesOfFindings has what is found beside a set.
func TestRulesOfFindings(t *testing.T) {
	runRules(t, []ruleCase{
		{name: "syntax of templates", files: map[string]string{namespaceFile: namespaceWith("A: a << b", "B: [<%= x %>]")}, want: map[string][]string{plainFile: {"A: a << b", "B: &id001\n- <%= x %>"}}, finds: TemplateSyntax},
		{name: "an application called cloud", files: map[string]string{envFolder + "Namespaces/core/Applications/cloud.yml": "name: cloud\n"}, finds: AmbiguousFile},
		{name: "a placeholder", files: map[string]string{namespaceFile: namespaceWith("A: envgeneNullValue")}, want: map[string][]string{plainFile: {"A: envgeneNullValue"}}, finds: ValueNotEntered},
		{name: "a placeholder in a credential", files: map[string]string{namespaceFile: namespaceWith("A: ${creds.get('sec').secret}")}, edits: []edit{{credentialsFile, "secret: s3", "secret: envgeneNullValue"}}, finds: ValueNotEntered},
		{name: "a reserved name", files: map[string]string{namespaceFile: namespaceWith("services: x")}, want: map[string][]string{gonePlain: {"services: x"}}, not: map[string][]string{plainFile: {"services: x"}}, finds: ReservedName},
		{name: "a parameter called global", files: map[string]string{namespaceFile: namespaceWith("global: y")}, want: map[string][]string{gonePlain: {"global: y"}, plainFile: {"  global: y"}}, finds: ReservedName},
		{name: "boolean keys", files: map[string]string{namespaceFile: namespaceWith("A: {yes: 1}")}, finds: AmbiguousKey},
		{name: "a namespace whose name is a number", files: map[string]string{namespaceFile: "name: 0123\ndeployParameters: {}\n"}, want: map[string][]string{topoPlain: {"      '83':\n        deployPostfix: core"}}, finds: NameNotText},
		{name: "a namespace of another environment whose name is a boolean", files: map[string]string{"environments/c1/e2/Namespaces/core/namespace.yml": "name: on\n"}, want: map[string][]string{topoPlain: {"      'true':\n        deployPostfix: core"}}, finds: NameNotText},
		{name: "a cloud whose name is a number", edits: []edit{{cloudFile, "name: ", "name: 1e3 # "}}, want: map[string][]string{plainFile: {"CLOUDNAME: '1e3'"}}, finds: NameNotText},
		{name: "folders of a cluster and of the site that are none of environments", files: map[string]string{"environments/c1/parameters/Namespaces/x/namespace.yml": "name: of-parameters\n", "environments/credentials/e/Namespaces/x/namespace.yml": "name: of-credentials\n",
			"environments/c1/.old/Namespaces/x/namespace.yml": "name: of-old\n"}, not: map[string][]string{topoPlain: {"of-parameters", "of-credentials", "of-old", "c1/parameters"}}, finds: FolderReserved},
		{name: "a namespace whose name has a blank at its end", files: map[string]string{namespaceFile: "name: 'core '\ndeployParameters: {}\n"}, finds: NameWithBlanks},
		{name: "a profile of a namespace that is a text", files: map[string]string{namespaceFile: "name: core\nprofile: dev\ndeployParameters: {}\n"}, finds: MemberMalformed},
		{name: "a profile of a cloud that is a list", edits: []edit{{cloudFile, "name: ", "profile: [dev]\nname: "}}, finds: MemberMalformed},
		{name: "a hidden folder of a namespace", files: map[string]string{envFolder + "Namespaces/.old/namespace.yml": "name: of-old\n"}, not: map[string][]string{topoPlain: {"of-old"}}, finds: FolderReserved},
		{name: "a folder of a namespace without its file", files: map[string]string{envFolder + "Namespaces/x/Applications/a.yml": "name: a\n"}, not: map[string][]string{topoPlain: {" x"}}, finds: NamespaceUnnamed},
		{name: "a folder of a namespace of another environment without its file", files: map[string]string{"environments/c1/e2/Namespaces/x/Applications/a.yml": "name: a\n"}, not: map[string][]string{topoPlain: {"e2"}}, finds: NamespaceUnnamed},
		{name: "two namespaces of one name", files: map[string]string{envFolder + "Namespaces/x/namespace.yml": "name: e1-core\n"}, finds: NameTwice},
		{name: "two profiles of one name", files: map[string]string{envFolder + "Profiles/a.yml": "name: p\n", envFolder + "Profiles/b.yml": "name: p\n"}, finds: NameTwice},
		{name: "an application whose file has other letters", files: map[string]string{envFolder + "Namespaces/core/Applications/App-A.yml": "name: app-a\ndeployParameters: {A: 1}\n"}, not: map[string][]string{plainFile: {"A: 1"}}, finds: FileUnused},
		{name: "a file in letters of another case", files: map[string]string{envFolder + "Bg_Domain.yml": "name: d\n"}, finds: FileUnused},
		{name: "an ending in capitals", files: map[string]string{envFolder + "composite_structure.YAML": "name: d\n"}, finds: FileUnused},
		{name: "a folder in small letters", files: map[string]string{envFolder + "profiles/p.yml": "name: p\n"}, finds: FileUnused},
		{name: "a folder of a namespace in small letters", files: map[string]string{envFolder + "Namespaces/core/applications/app-a.yml": "name: app-a\n"}, finds: FileUnused},
		{name: "a descriptor in capitals", files: map[string]string{envFolder + "Inventory/solution-descriptor/SD.yml": "applications: []\n"}, finds: FileUnused},
		{name: "a marker at the end of a file", files: map[string]string{namespaceFile: namespaceWith("A: 1") + "---\n"}, want: map[string][]string{plainFile: {"A: 1"}}, finds: DocumentEmpty},
		{name: "satellites that are a text", files: map[string]string{envFolder + "composite_structure.yml": "name: c\nbaseline: {name: e1-core, type: namespace}\nsatellites: x\n"}, finds: MemberMalformed},
		{name: "services of a profile that are a map", files: map[string]string{envFolder + "Profiles/a.yml": "name: p\napplications: [{name: a, services: {b: c}}]\n"}, finds: MemberMalformed},
		{name: "a second document", files: map[string]string{namespaceFile: namespaceWith("A: 1") + "---\nname: more\n"}, fails: "namespace.yml:5:1: a second document begins here"},
		{name: "a list in place of a namespace", files: map[string]string{namespaceFile: "- a\n"}, fails: "namespace.yml:1:1: it is a list, not a map"},
		{name: "an empty descriptor", files: map[string]string{sdFile: "# none yet\n"}, missing: []string{plainFile}, finds: DescriptorEmpty},
		{name: "a registry that there is not", edits: []edit{inSBOM("registry_id=reg", "registry_id=nowhere")}, want: map[string][]string{plainFile: {"ARTIFACT_DESCRIPTOR_MAVEN_REPO: null"}}, finds: RegistryUnknown},
		{name: "an empty file of registries", files: map[string]string{"configuration/registry.yml": "{}\n"}, want: map[string][]string{plainFile: {"ARTIFACT_DESCRIPTOR_MAVEN_REPO: null"}}, finds: RegistryUnknown},
	})
}

// TestFindingsOfOtherEnvironments: duplicate keys of other environments are not told of this one.
func TestFindingsOfOtherEnvironments(t *testing.T) {
	in, files := base(t)
	files["environments/c1/e2/Namespaces/core/namespace.yml"] = &fstest.MapFile{Data: []byte(namespaceWith("A: 1", "A: 2"))}
	set, err := Calculate(in)
	if err != nil || len(set.Findings) > 0 {
		t.Errorf("%v, %v", set.Findings, err)
	}
}

// TestNamespaceWithoutName: a namespace without a name is an error of its own environment, and a finding where it is of another one, of which the topology has the others.
func TestNamespaceWithoutName(t *testing.T) {
	for _, tt := range []struct{ name, text, at string }{
		{name: "no name", text: "deployParameters: {}\n", at: ":1:1"},
		{name: "an empty name", text: "deployParameters: {}\nname: ''\n", at: ":2:7"},
		{name: "null", text: "name:\n", at: ":1:6"},
		{name: "a map", text: "name: {a: b}\n", at: ":1:7"},
		{name: "an empty file", text: "", at: ":1:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const other = "environments/c1/e2/Namespaces/"
			in, files := base(t)
			files[other+"core/namespace.yml"] = &fstest.MapFile{Data: []byte(tt.text)}
			files[other+"named/namespace.yml"] = &fstest.MapFile{Data: []byte("name: e2-named\n")}
			files["environments/c1/e3/Namespaces/core/namespace.yml"] = &fstest.MapFile{Data: []byte(tt.text)}
			set, err := Calculate(in)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range set.Findings {
				got = append(got, string(f.Reason)+" "+f.Position.String())
			}
			want := []string{"namespace-unnamed " + other + "core/namespace.yml" + tt.at, "namespace-unnamed environments/c1/e3/Namespaces/core/namespace.yml" + tt.at}
			if !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
			}
			if topology := string(set.Files["topology/parameters.yaml"]); !strings.Contains(topology, "e2-named:\n") || strings.Contains(topology, "'':") || strings.Contains(topology, "c1/e3") {
				t.Errorf("the topology is\n%s", topology)
			}
			files[namespaceFile] = &fstest.MapFile{Data: []byte(tt.text)}
			if _, err := Calculate(in); err == nil || !strings.Contains(everythingOf(err), namespaceFile+tt.at) || !strings.Contains(everythingOf(err), "the namespace has no name") {
				t.Errorf("of its own environment: %v", allOf(err))
			}
		})
	}
}

// TestFindingsOfDocumentation: the documentation has every reason of findings.
func TestFindingsOfDocumentation(t *testing.T) {
	docs := string(mustRead(t, "../../../docs/overrides.md"))
	code, err := os.ReadFile("calculate.go")
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`Reason += +"([a-z-]+)"`).FindAllStringSubmatch(string(code), -1)
	for _, reason := range all {
		if !strings.Contains(docs, "`"+reason[1]+"`") {
			t.Errorf("the documentation does not explain %s", reason[1])
		}
	}
	if len(all) < 15 {
		t.Errorf("%d reasons", len(all))
	}
}
