package instancerepo_test

import (
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/value"
)

var update = flag.Bool("update", false, "write the golden files")

// filesOf yields files in memory.
func filesOf(files []instancerepo.File) func(func(instancerepo.File, error) bool) {
	return func(yield func(instancerepo.File, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	}
}

func surveyOf(t testing.TB, files []instancerepo.File) *instancerepo.Contents {
	t.Helper()
	contents, err := instancerepo.Survey(filesOf(files))
	if err != nil {
		t.Fatal(err)
	}
	return contents
}

// show gives a document a line, of at most this many bytes of data.
func show(documents []instancerepo.Document, most int) string {
	var b strings.Builder
	for _, d := range documents {
		data := d.Data.JSON()
		fmt.Fprintf(&b, "%s %s\n", d.ID, data[:min(most, len(data))])
	}
	return b.String()
}

// everything is more than any document has.
const everything = 1 << 30

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := path.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is otherwise:\n%s", file, got)
	}
}

// The documents of the sample; and what they are written as is read as the same again.
func TestDocumentsOfTheSample(t *testing.T) {
	documents := survey(t, sample).Documents()
	kinds := map[string]int{}
	for _, d := range documents {
		key := d.ID.Key()
		kinds[key[len(key)-1].Name]++
		if name, _ := d.Data.At("metadata", "name").Str(); name != key[len(key)-1].Value || d.Position.File == "" {
			t.Errorf("%s: called %q, from %v", d.ID, name, d.Position)
		}
		if other, err := instancerepo.FromStored(&dovetail.Document{ID: d.ID, Data: d.Data.JSON()}); err != nil || !value.Equal(other.Data, d.Data) {
			t.Errorf("%s: %v", d.ID, err)
		}
	}
	golden(t, "sample.kinds.golden", fmt.Sprintln(kinds))
	golden(t, "sample.documents.golden", show(documents, 400))
	files, problems := instancerepo.Files(documents)
	if len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	var paths strings.Builder
	for _, f := range files {
		fmt.Fprintln(&paths, f.Path)
	}
	golden(t, "sample.files.golden", paths.String())
	again := surveyOf(t, files)
	if got := show(again.Documents(), everything); got != show(documents, everything) {
		t.Errorf("written and read again:\n%s", got)
	}
	before := survey(t, sample)
	if got, want := reasons(again.Defects), reasons(before.Defects); !slices.Equal(got, want) {
		t.Errorf("the defects are\n%v, want\n%v", got, want)
	}
}

func reasons(defects []*dovetail.Error) []string {
	var all []string
	for _, d := range defects {
		if d.Reason == instancerepo.ReasonFileOther { // which documents know nothing of
			continue
		}
		all = append(all, d.Reason+" "+strings.TrimSuffix(d.Position.File, path.Ext(d.Position.File))+" "+d.Position.Path)
	}
	slices.Sort(all)
	return all
}

// Each file of the sample, written over itself, stays byte for byte.
func TestEditOfTheSampleChangesNothing(t *testing.T) {
	documents := survey(t, sample).Documents()
	repository, err := instancerepo.Open(sample)
	if err != nil {
		t.Fatal(err)
	}
	edited := 0
	for f, err := range repository.Files(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var of []instancerepo.Document
		for _, d := range documents {
			if paths := instancerepo.Paths(d.ID); slices.Contains(paths, f.Path) {
				of = append(of, stored(t, d))
			}
		}
		if of == nil {
			continue
		}
		text, err := instancerepo.Edit(f.Path, f.Data, of)
		if err != nil || string(text) != string(f.Data) {
			t.Errorf("%s: %v\n%s", f.Path, err, text)
		}
		edited++
	}
	if edited < 90 {
		t.Errorf("%d files", edited)
	}
}

// stored returns a document as a store gives it back.
func stored(t testing.TB, d instancerepo.Document) instancerepo.Document {
	t.Helper()
	again, err := instancerepo.FromStored(&dovetail.Document{ID: d.ID, Data: d.Data.JSON()})
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// document makes one with a spec in YAML.
func document(t *testing.T, id dovetail.ID, spec string) instancerepo.Document {
	t.Helper()
	values, err := yaml.Parse("", []byte(spec), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return instancerepo.Document{ID: id, Data: value.NewMap(value.Member{Name: "spec", Value: values[0]})}
}

// Documents that no file can hold are reported; the others are written.
func TestFilesTellWhatTheyCannotHold(t *testing.T) {
	const env = "cluster/c/environment/e"
	tests := []struct {
		name  string
		id    dovetail.ID
		spec  string
		says  string // "" when it can be held
		files []string
	}{
		{"a ParamSet", "siteParamSet/p", "{parameters: {}}", "", []string{"environments/parameters/p.yaml"}},
		{"a name with a slash", "siteParamSet/a%2Fb", "{}", "name of a file", nil},
		{"a hidden name", "siteParamSet/.p", "{}", "name of a file", nil},
		{"an environment called as another folder", "cluster/c/environment/parameters", "{}", "name of a file", nil},
		{"a credential of any name", "credential/a%2Fb", "{type: x}", "", []string{"configuration/credentials/credentials.yml"}},
		{"a part of an effective set", env + "/effectiveSetPart/pipeline%2Fparameters.yaml", "{parameters: {a: 1}, generated: '2026-01-01T00:00:00Z'}", "", []string{"environments/c/e/effective-set/pipeline/parameters.yaml"}},
		{"one that is no YAML", env + "/effectiveSetPart/sbom.json", "{parameters: {}}", "name of a file", nil},
		{"one that leads out", env + "/effectiveSetPart/a%2F..%2F..%2Fx.yaml", "{parameters: {}}", "name of a file", nil},
		{"a namespace", env + "/deployPostfix/core", "{namespace: e-core, a: 1}", "", []string{"environments/c/e/Namespaces/core/namespace.yml"}},
		{"a namespace with a name", env + "/deployPostfix/core", "{name: x}", "spec.name", []string{"environments/c/e/Namespaces/core/namespace.yml"}},
		{"an environment", env, "{definition: {a: 1}, tenant: {name: t}}", "", []string{"environments/c/e/Inventory/env_definition.yml", "environments/c/e/tenant.yml"}},
		{"an environment with a member of its own", env, "{owner: me}", "spec.owner", []string{"environments/c/e/Inventory/env_definition.yml"}},
		{"a domain that is called otherwise", env + "/bgDomain/d", "{name: x}", "called otherwise", []string{"environments/c/e/bg_domain.yml"}},
		{"a cluster without anything", "cluster/c", "{}", "without anything", nil},
		{"another kind", "project/p", "{}", "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files, problems := instancerepo.Files([]instancerepo.Document{document(t, test.id, test.spec)})
			var paths []string
			for _, f := range files {
				paths = append(paths, f.Path)
			}
			if !slices.Equal(paths, test.files) {
				t.Errorf("it is written to %v", paths)
			}
			if test.says == "" && len(problems) > 0 || test.says != "" && (len(problems) != 1 || !strings.Contains(problems[0].Message, test.says) || problems[0].Key != test.id) {
				t.Errorf("%v", problems)
			}
		})
	}
}

// An inventory names ParamSets, and the nearest of that name is meant.
func TestFilesTellOfHiddenParamSets(t *testing.T) {
	const env = "cluster/c/environment/e"
	documents := []instancerepo.Document{document(t, "cluster/c", "{}"), document(t, env, "{}"),
		document(t, "siteParamSet/p", "{}"), document(t, env+"/environmentParamSet/p", "{}"),
		document(t, env+"/paramSetAssociation/x", "{context: deploy, associatedObject: cloud, order: 0, siteParamSet: p}")}
	_, problems := instancerepo.Files(documents)
	if len(problems) != 1 || problems[0].Key != env+"/paramSetAssociation/x" || problems[0].Reason != instancerepo.ReasonNoPlace {
		t.Errorf("%v", problems)
	}
}

// Files are edited in place.
func TestEdit(t *testing.T) {
	const inventory = `# who
envTemplate:
  name: t # which
  envSpecificParamsets:
    cloud: # all
      - a # first
      - gone
      - b
    core: [c]
`
	const env = "cluster/c/environment/e"
	associate := func(n, spec string) instancerepo.Document {
		return document(t, dovetail.ID(env+"/paramSetAssociation/"+n), "{context: deploy, associatedObject: "+spec+"}")
	}
	environment := document(t, env, "{definition: {envTemplate: {name: t}}, unresolved: [{context: deploy, associatedObject: cloud, order: 1, name: gone}]}")
	tests := []struct {
		name      string
		file, old string
		documents []instancerepo.Document
		want      string
	}{
		{"the same", "environments/c/e/Inventory/env_definition.yml", inventory,
			[]instancerepo.Document{environment, associate("1", "cloud, order: 0, siteParamSet: a"), associate("2", "cloud, order: 1, siteParamSet: b"), associate("3", "core, deployPostfix: core, order: 0, siteParamSet: c")}, inventory},
		{"one more", "environments/c/e/Inventory/env_definition.yml", inventory,
			[]instancerepo.Document{environment, associate("1", "cloud, order: 0, siteParamSet: a"), associate("2", "cloud, order: 1, siteParamSet: b"), associate("3", "core, deployPostfix: core, order: 0, siteParamSet: c"),
				associate("4", "cloud, order: 2, environmentParamSet: deploy-ui-override")}, strings.Replace(inventory, "      - b\n", "      - b\n      - deploy-ui-override\n", 1)},
		{"one less", "environments/c/e/Inventory/env_definition.yml", inventory,
			[]instancerepo.Document{environment, associate("2", "cloud, order: 0, siteParamSet: b"), associate("3", "core, deployPostfix: core, order: 0, siteParamSet: c")},
			strings.Replace(strings.Replace(inventory, "      - a # first\n", "", 1), "- gone\n      - b", "- b\n      - gone", 1)},
		{"a ParamSet", "environments/parameters/p.yml", "name: p # its name\nparameters: {a: 1}\napplications: [ ]\n",
			[]instancerepo.Document{document(t, "siteParamSet/p", "{name: p, parameters: {a: 1, b.c: $x}, applications: []}")}, "name: p # its name\nparameters: {a: 1, b.c: $x}\napplications: [ ]\n"},
		{"a credential", "configuration/credentials/credentials.yml", "# a\na: {type: x}\nbroken: 1\n",
			[]instancerepo.Document{document(t, "credential/a", "{type: x}"), document(t, "credential/b", "{type: other}")}, "# a\na: {type: x}\nbroken: 1\nb:\n  type: other\n"},
		{"a namespace", "environments/c/e/Namespaces/n/namespace.yml", "# n\nname: x\nnamespace: odd\n",
			[]instancerepo.Document{document(t, env+"/deployPostfix/n", "{namespace: z}")}, "# n\nname: z\nnamespace: odd\n"},
		{"an empty file", "environments/c/e/effective-set/pipeline/parameters.yaml", "# generated\n",
			[]instancerepo.Document{document(t, env+"/effectiveSetPart/pipeline%2Fparameters.yaml", "{parameters: {a: 1}}")}, "# generated\na: 1\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := instancerepo.Edit(test.file, []byte(test.old), test.documents)
			if err != nil || string(got) != test.want {
				t.Errorf("%v\n%s\nwant\n%s", err, got, test.want)
			}
		})
	}
	for name, old := range map[string]string{"environments/parameters/q.yml": "", "README.md": "", "environments/parameters/p.yml": "["} {
		if _, err := instancerepo.Edit(name, []byte(old), []instancerepo.Document{document(t, "siteParamSet/p", "{}")}); dovetail.CodeOf(err) != dovetail.CodeUnprocessable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPlan(t *testing.T) {
	documents := []instancerepo.Document{document(t, "cluster/c", "{}"), document(t, "cluster/c/environment/e", "{}"), document(t, "cluster/c/environment/e/environmentParamSet/p", "{}"),
		document(t, "cluster/c/environment/f", "{}"), document(t, "siteParamSet/p", "{}")}
	stored := []dovetail.ID{"siteParamSet/p", "siteParamSet/q", "cluster/c/environment/e/paramSetAssociation/1", "cluster/c/environment/e/environmentParamSet/q",
		"cluster/c/environment/e/otherKind/x", "cluster/c/environment/g", "cluster/c/environment/g/paramSetAssociation/1"}
	tests := []struct {
		name  string
		prune bool
		want  string
	}{
		{"add", false, "+cluster/c +siteParamSet/p; +cluster/c/environment/e +cluster/c/environment/e/environmentParamSet/p -cluster/c/environment/e/paramSetAssociation/1; +cluster/c/environment/f; "},
		{"prune", true, "+cluster/c +siteParamSet/p; +cluster/c/environment/e +cluster/c/environment/e/environmentParamSet/p -cluster/c/environment/e/paramSetAssociation/1 " +
			"-cluster/c/environment/e/environmentParamSet/q; +cluster/c/environment/f; -siteParamSet/q -cluster/c/environment/g -cluster/c/environment/g/paramSetAssociation/1; "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got strings.Builder
			for _, b := range instancerepo.Plan(documents, stored, test.prune) {
				var all []string
				for _, d := range b.Puts {
					all = append(all, "+"+string(d.ID))
				}
				for _, id := range b.Deletes {
					all = append(all, "-"+string(id))
				}
				got.WriteString(strings.Join(all, " ") + "; ")
			}
			if got.String() != test.want {
				t.Errorf("%s\nwant\n%s", got.String(), test.want)
			}
		})
	}
}

// FuzzDocuments puts any text into a file of each shape: what comes of it is written and read as the same,
// and the file itself stays as it is.
func FuzzDocuments(f *testing.F) {
	f.Add([]byte("name: a\nenvTemplate:\n  envSpecificParamsets:\n    cloud: [a, b, a]\n    x-origin: [a]\n"))
	f.Add([]byte("# comment\n"))
	f.Add([]byte("a: &a {type: x}\nb: *a\nname: [a]\nnamespace: c\n"))
	f.Add([]byte("applications: []\noriginNamespace: {name: x}\n"))
	f.Add([]byte("? complex\n: {a: .inf, b: 0x1F, c: ~}\n\"\\u0001\": 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var files []instancerepo.File
		for _, name := range []string{"parameters/a.yml", "c/e/bg_domain.yml", "c/e/Inventory/env_definition.yml", "c/e/Inventory/solution-descriptor/sd.yml", "c/e/cloud.yml",
			"c/e/Namespaces/x/namespace.yml", "c/e/Namespaces/x/Applications/a.yml", "c/e/Credentials/credentials.yml", "c/e/effective-set/pipeline/parameters.yaml"} {
			files = append(files, instancerepo.File{Path: "environments/" + name, Data: data})
		}
		documents := surveyOf(t, files).Documents()
		written, problems := instancerepo.Files(documents)
		if len(problems) > 0 {
			t.Fatalf("%v", problems)
		}
		if got, want := show(surveyOf(t, written).Documents(), everything), show(documents, everything); got != want {
			t.Fatalf("%s\nwant\n%s", got, want)
		}
		if edits, problems := instancerepo.Edits(files, documents, instancerepo.Sealing{}); len(edits) > 0 || len(problems) > 0 {
			t.Fatalf("%q %v", edits, problems)
		}
	})
}
