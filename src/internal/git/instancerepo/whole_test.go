package instancerepo_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/value"
)

// everyFile are files of all kinds that repositories have, by what becomes of them: the kind of the document, or the
// reason that names them.
var everyFile = map[string]string{
	"README.md":            instancerepo.ReasonFileOther,
	"appdefs/app.yml":      "appDefinition",
	"regdefs/registry.yml": "registryDefinition",
	"configuration/artifact_definitions/template.yaml":           "artifactDefinition",
	"configuration/config.yml":                                   "configurationFile",
	"configuration/credentials/credentials.yml":                  "credential",
	"configuration/deployer.yml":                                 "configurationFile",
	"configuration/integration.yml":                              "configurationFile",
	"configuration/registry.yml":                                 "configurationFile",
	"configuration/secret-stores.yaml":                           "configurationFile",
	"environments/credentials/shared.yml":                        "credentialSet",
	"environments/parameters/p.yaml":                             "siteParamSet",
	"environments/parameters/below/q.json":                       "siteParamSet",
	"environments/parameters/r.yml.j2":                           instancerepo.ReasonFileTemplate,
	"environments/resource_profiles/dev.yml":                     "resourceProfile",
	"environments/shared-template-variables/v.yml":               "variableSet",
	"environments/c/app-deployer/deployer.yml":                   "clusterConfigurationFile",
	"environments/c/cloud-passport/c.yml":                        "cloudPassport",
	"environments/c/cloud-passport/c-creds.yml":                  "cloudPassport",
	"environments/c/credentials/shared.yaml":                     "clusterCredentialSet",
	"environments/c/parameters/below/more/p.yml":                 "clusterParamSet",
	"environments/c/parameters/t.j2":                             instancerepo.ReasonFileTemplate,
	"environments/c/resource_profiles/dev.yml":                   "clusterResourceProfile",
	"environments/c/shared_template_variables/v.yml":             "clusterVariableSet",
	"environments/c/e/AppDefs/app.yml":                           "environmentAppDefinition",
	"environments/c/e/Applications/app.yml":                      "environmentApplication",
	"environments/c/e/Credentials/credentials.yml":               "environmentCredential",
	"environments/c/e/Inventory/cloud-passport/c.yml":            "environmentCloudPassport",
	"environments/c/e/Inventory/credentials/own.yml":             "environmentCredentialSet",
	"environments/c/e/Inventory/env_definition.yml":              "environment",
	"environments/c/e/Inventory/parameters/below/own.json":       "environmentParamSet",
	"environments/c/e/Inventory/resource_profiles/dev.yml":       "environmentResourceProfile",
	"environments/c/e/Inventory/shared-template-variables/v.yml": "environmentVariableSet",
	"environments/c/e/Inventory/solution-descriptor/sd.yml":      "solutionDescriptor",
	"environments/c/e/Inventory/solution-descriptor/s.sbom.json": instancerepo.ReasonFileOther,
	"environments/c/e/Namespaces/core/Applications/app.yml":      "application",
	"environments/c/e/Namespaces/core/namespace.yml":             "deployPostfix",
	"environments/c/e/Profiles/dev.yml":                          "renderedProfile",
	"environments/c/e/RegDefs/registry.yml":                      "environmentRegistryDefinition",
	"environments/c/e/bg_domain.yml":                             "bgDomain",
	"environments/c/e/cloud.yml":                                 "environment",
	"environments/c/e/composite_structure.yml":                   "environment",
	"environments/c/e/effective-set/pipeline/parameters.yaml":    "effectiveSetPart",
	"environments/c/e/notes.yml":                                 instancerepo.ReasonFileMisplaced,
	"environments/c/e/tenant.yml":                                "environment",
	"sboms/app/app-1.0.sbom.json":                                instancerepo.ReasonFileOther,
}

// Every file is a document, or is named in the report; and each document says what its file does.
func TestEveryFileIsStoredOrNamed(t *testing.T) {
	var files []instancerepo.File
	for name := range everyFile {
		text := `{"name": "x", "a": {"type": "secret"}}`
		if strings.HasSuffix(name, "/sd.yml") {
			text = "applications: []\n"
		}
		files = append(files, instancerepo.File{Path: name, Data: []byte(text)})
	}
	contents := surveyOf(t, files)
	for name, want := range everyFile {
		kind, _, _ := instancerepo.Holder(name)
		named := slices.IndexFunc(contents.Defects, func(d *dovetail.Error) bool { return d.Position.File == name && d.Reason == want })
		if kind != want && named < 0 {
			t.Errorf("%s is %q, want %s", name, kind, want)
		}
	}
	checkComplete(t, files, contents)
	// What documents are written as is the same documents again.
	documents := contents.Documents()
	written, problems := instancerepo.Files(documents)
	if len(problems) > 0 {
		t.Error(problems)
	}
	if got := show(surveyOf(t, written).Documents(), everything); got != show(documents, everything) {
		t.Errorf("written and read again:\n%s", got)
	}
	edits, problems := instancerepo.Edits(files, documents, instancerepo.Sealing{})
	if len(edits)+len(problems) > 0 {
		t.Errorf("without a change %d files are edited, %v", len(edits), problems)
	}
}

// The sample, file by file.
func TestSampleIsStoredOrNamed(t *testing.T) {
	repository, err := instancerepo.Open(sample)
	if err != nil {
		t.Fatal(err)
	}
	var files []instancerepo.File
	for f, err := range repository.Files(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	checkComplete(t, files, surveyOf(t, files))
}

// TestEveryFileOfAFolderIsStoredOrNamed walks a folder itself: hidden files and folders, binary ones, names that are no UTF-8, links and pipes are named as well. What Git keeps is not of the repository.
func TestEveryFileOfAFolderIsStoredOrNamed(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		full := filepath.Join(root, name)
		for _, err := range []error{os.MkdirAll(filepath.Dir(full), 0o750), os.WriteFile(full, []byte(text), 0o600)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	const parameters = "environments/parameters/"
	for name, text := range map[string]string{".gitlab-ci.yml": "stages: []\n", ".hidden/x.yml": "a: 1\n", "environments/.secret/e/Inventory/env_definition.yml": "a: 1\n", "environments/c/e/.hidden.yml": "a: 1\n",
		".git/config": "[core]\n", "below/.git": "gitdir: elsewhere\n", parameters + "binary.yml": "\x00\xff\xfe", "binary.bin": "\x00\xff", parameters + "empty.yml": "", parameters + "control\x01.yml": "name: x\n",
		parameters + "latin\xff.yml": "name: x\n", parameters + "p.yml": "name: p\n", parameters + ".old/q.yml": "name: q\n", "environments/c/e/Inventory/env_definition.yml": "envTemplate: {}\n"} {
		put(name, text)
	}
	for name, to := range map[string]string{parameters + "dangling.yml": "nowhere", parameters + "folder": "/etc", ".link": "README.md"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	repository, err := instancerepo.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	contents, err := instancerepo.Survey(repository.Files(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		within, err := filepath.Rel(root, name)
		if err == nil && !slices.Contains(strings.Split(within, "/"), ".git") {
			want = append(want, within)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if got := contents.FileNames(); len(want) < 14 || !slices.Equal(got, want) {
		t.Errorf("read or named are %q, and there are %q", got, want)
	}
	for _, d := range contents.Documents() {
		if strings.Contains(string(d.ID), "secret") || strings.Contains(string(d.ID), "siteParamSet/q") {
			t.Errorf("a hidden folder is %s", d.ID)
		}
	}
}

// TestFolderNamesOfOtherEncodings: a folder whose name is not UTF-8 is named, and keeps nothing else from being read.
func TestFolderNamesOfOtherEncodings(t *testing.T) {
	root := t.TempDir()
	const latin, other = "environments/c/caf\xe9/", "environments/c/e/tenant.yml"
	for _, name := range []string{latin + "tenant.yml", other, "environments/d\xe9.md"} {
		full := filepath.Join(root, name)
		for _, err := range []error{os.MkdirAll(filepath.Dir(full), 0o750), os.WriteFile(full, []byte("name: t\n"), 0o600)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	repository, err := instancerepo.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	contents, err := instancerepo.Survey(repository.Files(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := contents.FileNames(), []string{strings.TrimSuffix(latin, "/"), other, "environments/d\xe9.md"}; !slices.Equal(got, want) || contents.Defects[0].Reason != instancerepo.ReasonFileIrregular {
		t.Errorf("read or named are %q, want %q; %v", got, want, contents.Defects)
	}
}

// TestRealRepositoriesAreStoredOrNamed has the other real repository, with SBOMs and an effective set.
func TestRealRepositoriesAreStoredOrNamed(t *testing.T) {
	for _, folder := range []string{"../../../override/effectiveset/testdata/pl-01/repo", sample} {
		repository, err := instancerepo.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		contents, err := instancerepo.Survey(repository.Files(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		var files []instancerepo.File
		err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			within, err := filepath.Rel(folder, name)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(name)
			files = append(files, instancerepo.File{Path: filepath.ToSlash(within), Data: text})
			return err
		})
		if err != nil || len(files) < 20 {
			t.Fatalf("%s has %d files, %v", folder, len(files), err)
		}
		checkComplete(t, files, contents)
	}
}

// checkComplete wants each file to be what a document is of, or in a defect.
func checkComplete(t *testing.T, files []instancerepo.File, contents *instancerepo.Contents) {
	t.Helper()
	stored := make(map[string]bool)
	for _, d := range contents.Documents() {
		stored[d.Position.File] = true
		key := d.ID.Key()
		if key[len(key)-1].Name != "environment" {
			continue
		}
		for member, file := range map[string]string{"cloud": "cloud.yml", "tenant": "tenant.yml", "compositeStructure": "composite_structure.yml"} {
			if d.Data.At("spec", member) != nil {
				stored["environments/"+key[0].Value+"/"+key[1].Value+"/"+file] = true
			}
		}
	}
	for _, d := range contents.Defects {
		stored[d.Position.File] = true
	}
	for _, f := range files {
		if kind, _, _ := instancerepo.Holder(f.Path); !stored[f.Path] && (kind != "credential" && kind != "environmentCredential" || len(f.Data) > 3) {
			t.Errorf("%s is neither stored nor named", f.Path)
		}
	}
}

// A ParamSet that is JSON, or in a folder below, is edited where it is.
func TestEditsOfParamSets(t *testing.T) {
	files := []instancerepo.File{{Path: "environments/parameters/below/q.json", Data: []byte(`{"name":"q","parameters":{"A":1}}`)},
		{Path: "environments/parameters/below/p.yml", Data: []byte("# kept\nname: p\nparameters:\n  A: 1\n")}}
	documents := surveyOf(t, files).Documents()
	for i := range documents {
		documents[i].Data = readText(t, strings.Replace(string(documents[i].Data.JSON()), `"A":1`, `"A":2`, 1))
	}
	edits, problems := instancerepo.Edits(files, documents, instancerepo.Sealing{})
	if len(problems) > 0 || len(edits) != 2 || string(edits[files[1].Path]) != "# kept\nname: p\nparameters:\n  A: 2\n" ||
		string(edits[files[0].Path]) != "{\n  \"name\": \"q\",\n  \"parameters\": {\n    \"A\": 2\n  }\n}\n" {
		t.Errorf("%q, %v", edits, problems)
	}
}

func readText(t *testing.T, text string) *value.Value {
	t.Helper()
	values, err := yaml.Parse("text", []byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return values[0]
}

func TestMetadata(t *testing.T) {
	for _, test := range []struct {
		name, metadata string
		want           string // the reason; "" if there is none
	}{
		{name: "none", metadata: "null"},
		{name: "all of it", metadata: "{type: DESIGN_TIME, status: IN_USE, owners: [a, b], teams: c, labels: [], expirationDate: 2027-06-30, role: QA}"},
		{name: "with a time", metadata: "{expirationDate: '2027-06-30T10:00:00Z'}"},
		{name: "the last day", metadata: "{expirationDate: '2027-06-29'}"},
		{name: "expired", metadata: "{expirationDate: '2027-06-28'}", want: instancerepo.ReasonEnvironmentExpired},
		{name: "no day", metadata: "{expirationDate: '2027-06-31'}", want: instancerepo.ReasonMetadataMalformed},
		{name: "any text", metadata: "{expirationDate: soon}", want: instancerepo.ReasonMetadataMalformed},
		{name: "a status of several words", metadata: "{status: in use by us}", want: instancerepo.ReasonMetadataMalformed},
		{name: "a number for a type", metadata: "{type: 1}", want: instancerepo.ReasonMetadataMalformed},
		{name: "labels that are a map", metadata: "{labels: {a: b}}", want: instancerepo.ReasonMetadataMalformed},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := surveyOf(t, []instancerepo.File{{Path: "environments/c/e/Inventory/env_definition.yml", Data: []byte("metadata: " + test.metadata + "\n")}})
			got := ""
			for _, d := range append(c.Defects, c.Expired(time.Date(2027, 6, 29, 23, 59, 0, 0, time.UTC))...) {
				got += d.Reason
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
