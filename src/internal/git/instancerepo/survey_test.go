package instancerepo_test

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo/instancerepotest"
	"github.com/dovetail-store/dovetail/src/value"
)

// sample is a whole instance repository; expected.yaml in it lists the content.
const sample = "testdata/sample"

func survey(t testing.TB, dir string) *instancerepo.Contents {
	t.Helper()
	repository, err := instancerepo.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	contents, err := instancerepo.Survey(repository.Files(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return contents
}

func TestSurveyOfTheSample(t *testing.T) {
	c, want := survey(t, sample), readYAML(t, sample+"/expected.yaml")
	same := func(name string, got, want []string) {
		t.Helper()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s is\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	var namespaces, sdApplications, resolved []string
	counts := map[string]int{"clusters": len(c.Clusters), "environments": len(c.Environments), "paramsets": len(c.ParamSets)}
	for _, e := range c.Environments {
		env := e.String()
		for _, ns := range e.Namespaces {
			counts["namespaces"]++
			counts["applicationObjects"] += len(ns.Applications)
			namespaces = append(namespaces, env+" "+ns.Name+" "+ns.DeployPostfix)
		}
		counts["associations"] += len(e.Associations)
		if e.Descriptor != nil {
			counts["solutionDescriptors"]++
			sdApplications = append(sdApplications, fmt.Sprint(env, " ", len(e.Descriptor.Get("applications").Items)))
		}
		if e.BGDomain != nil {
			counts["bgDomains"]++
		}
		for _, a := range e.Associations {
			if a.ParamSet != nil && !strings.HasPrefix(a.ParamSet.Location, "environments/"+env) {
				resolved = append(resolved, strings.Join([]string{env, string(a.Context), a.Object, a.Name, a.ParamSet.Location}, " "))
			}
		}
	}
	for _, m := range want.Get("counts").Members {
		if got := fmt.Sprint(counts[m.Name]); got != m.Value.Text {
			t.Errorf("%s: %s, want %s", m.Name, got, m.Value.Text)
		}
	}
	var wantNamespaces, wantApplications []string
	for _, env := range want.Get("namespaces").Members {
		for _, ns := range env.Value.Members {
			wantNamespaces = append(wantNamespaces, env.Name+" "+ns.Name+" "+ns.Value.Text)
		}
	}
	for _, env := range want.Get("sdApplications").Members {
		wantApplications = append(wantApplications, env.Name+" "+env.Value.Text)
	}
	same("namespaces", namespaces, wantNamespaces)
	same("sdApplications", sdApplications, wantApplications)
	same("resolvedOutsideEnvironment", resolved, rows(want.Get("resolvedOutsideEnvironment"), "environment", "context", "object", "paramset", "location"))

	defects := map[string][]string{}
	for _, d := range c.Defects {
		if d.Position.File == "" || d.Position.Line == 0 {
			t.Errorf("the defect has no position: %v", d)
		}
		if d.Reason == instancerepo.ReasonFileOther { // the description of the sample, and an SBOM
			continue
		}
		reason := d.Reason
		if reason == instancerepo.ReasonDescriptorByDomain { // which the list does not tell apart
			reason = instancerepo.ReasonDescriptorWithoutNamespace
		}
		defects[reason] = append(defects[reason], describe(t, c, d))
	}
	for _, test := range []struct {
		reason, list string
		columns      []string
	}{
		{instancerepo.ReasonParamSetNameUnlikeFile, "paramsetNameUnlikeFile", []string{"file", "name"}},
		{instancerepo.ReasonAssociationWithoutParamSet, "associationWithoutParamset", []string{"environment", "context", "object", "paramset"}},
		{instancerepo.ReasonAssociationWithoutNamespace, "associationWithoutNamespace", []string{"environment", "object", "count"}},
		{instancerepo.ReasonDescriptorWithoutNamespace, "sdWithoutNamespace", []string{"environment", "deployPostfixes"}},
		{instancerepo.ReasonDescriptorRepeats, "sdRepeatedApplication", []string{"environment", "application", "deployPostfix"}},
		{instancerepo.ReasonOverrideNotLast, "uiOverrideNotLast", []string{"environment", "context", "object", "paramsets"}},
		{instancerepo.ReasonPipelineOnNamespace, "pipelineOnNamespace", []string{"environment", "object", "paramset"}},
		{instancerepo.ReasonParamSetUnreferenced, "unreferencedParamsets", nil},
	} {
		wanted := rows(want.At("defects", test.list), test.columns...)
		switch test.reason {
		case instancerepo.ReasonAssociationWithoutNamespace: // each is reported, they are counted there
			defects[test.reason] = counted(defects[test.reason])
		case instancerepo.ReasonDescriptorWithoutNamespace: // each entry is reported
			slices.Sort(defects[test.reason])
			defects[test.reason] = slices.Compact(defects[test.reason])
		}
		same(test.list, defects[test.reason], wanted)
		delete(defects, test.reason)
	}
	if len(defects) > 0 {
		t.Errorf("there are other defects: %v", defects)
	}
}

// rows are the wanted lines of a list of maps; a member that is a list makes several.
func rows(list *value.Value, columns ...string) []string {
	var all []string
	for _, item := range list.Items {
		if columns == nil {
			all = append(all, item.Text)
			continue
		}
		lines := []string{""}
		for _, column := range columns {
			v := item.Get(column)
			var next []string
			for _, line := range lines {
				for _, part := range append(slices.Clone(v.Items), v) {
					if part.Kind != value.List {
						next = append(next, strings.TrimSpace(line+" "+part.Text))
					}
				}
			}
			lines = next
		}
		all = append(all, lines...)
	}
	return all
}

// describe gives the line of a defect, from what stands at its position.
func describe(t *testing.T, c *instancerepo.Contents, d *dovetail.Error) string {
	t.Helper()
	file := readYAML(t, path.Join(sample, d.Position.File))
	found, ok := file.Find(d.Position.Path)
	if !ok {
		t.Fatalf("%s has nothing at %s", d.Position.File, d.Position.Path)
	}
	parts := strings.Split(d.Position.File, "/")
	env := parts[1] + "/" + parts[2]
	switch d.Reason {
	case instancerepo.ReasonParamSetNameUnlikeFile:
		return d.Position.File + " " + found.Text
	case instancerepo.ReasonParamSetUnreferenced:
		return d.Position.File
	case instancerepo.ReasonDescriptorWithoutNamespace, instancerepo.ReasonDescriptorByDomain:
		return env + " " + found.Text
	case instancerepo.ReasonDescriptorRepeats:
		name, _, _ := strings.Cut(found.Get("version").Text, ":")
		return env + " " + name + " " + found.Get("deployPostfix").Text
	}
	for _, e := range c.Environments {
		for _, a := range e.Associations {
			if a.Position != d.Position {
				continue
			}
			switch d.Reason {
			case instancerepo.ReasonAssociationWithoutNamespace:
				return env + " " + a.Object
			case instancerepo.ReasonPipelineOnNamespace:
				return env + " " + a.Object + " " + a.Name
			}
			return env + " " + string(a.Context) + " " + a.Object + " " + a.Name
		}
	}
	return "nothing is there"
}

func counted(lines []string) []string {
	n := map[string]int{}
	for _, line := range lines {
		n[line]++
	}
	var all []string
	for line, count := range n {
		all = append(all, fmt.Sprint(line, " ", count))
	}
	return all
}

func TestSurveyDefects(t *testing.T) {
	const root = "environments/c/e/"
	tests := []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"nothing", nil, nil},
		{"malformed YAML", map[string]string{root + "Inventory/env_definition.yml": "a: [\n"}, []string{instancerepo.ReasonFileMalformed + " " + root + "Inventory/env_definition.yml:1"}},
		{"a list", map[string]string{"environments/parameters/p.yml": "- a\n"}, []string{instancerepo.ReasonFileMalformed + " environments/parameters/p.yml:1"}},
		{"a pointer of LFS", map[string]string{"environments/parameters/p.yml": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"}, []string{instancerepo.ReasonFileMalformed + " environments/parameters/p.yml:1"}},
		{"two extensions", map[string]string{root + "Inventory/env_definition.yaml": "{}", root + "Inventory/env_definition.yml": "{}"},
			[]string{instancerepo.ReasonFileTwice + " " + root + "Inventory/env_definition.yaml:1"}},
		{"two namespaces of a name", map[string]string{root + "Namespaces/a/namespace.yml": "name: n", root + "Namespaces/b/namespace.yml": "name: n"},
			[]string{instancerepo.ReasonNamespaceTwice + " " + root + "Namespaces/b/namespace.yml:1"}},
		{"ParamSets that are no list", map[string]string{root + "Inventory/env_definition.yml": "envTemplate:\n  envSpecificParamsets:\n    cloud: x\n"},
			[]string{instancerepo.ReasonFileMalformed + " " + root + "Inventory/env_definition.yml:3"}},
		{"a ParamSet without a string for a name", map[string]string{root + "Inventory/env_definition.yml": "envTemplate:\n  envSpecificParamsets:\n    cloud:\n      - 1\n"},
			[]string{instancerepo.ReasonFileMalformed + " " + root + "Inventory/env_definition.yml:4"}},
		{"an SD without applications", map[string]string{root + "Inventory/solution-descriptor/sd.yml": "version: 1\napplications: x\n"},
			[]string{instancerepo.ReasonFileMalformed + " " + root + "Inventory/solution-descriptor/sd.yml:2"}},
		{"an encrypted file", map[string]string{root + "Credentials/credentials.yml": "a:\n  type: x\nsops:\n  mac: ENC[]\n  lastmodified: '2026-01-01T00:00:00Z'\n  encrypted_regexp: x\n"},
			[]string{instancerepo.ReasonFileEncrypted + " " + root + "Credentials/credentials.yml:6"}},
		{"a credential that is no map", map[string]string{root + "Credentials/credentials.yml": "a: {}\nb: x\n"},
			[]string{instancerepo.ReasonFileMalformed + " " + root + "Credentials/credentials.yml:2"}},
		{"credentials that are not there", map[string]string{root + "Credentials/credentials.yml": "# none yet\n"}, nil},
		{"a namespace with a member of documents", map[string]string{root + "Namespaces/a/namespace.yml": "name: n\nnamespace: m\n"},
			[]string{instancerepo.ReasonMemberTaken + " " + root + "Namespaces/a/namespace.yml:2"}},
		{"a ParamSet twice in a list", map[string]string{root + "Inventory/env_definition.yml": "envTemplate:\n  envSpecificParamsets:\n    cloud:\n      - p\n      - p\n", "environments/parameters/p.yml": "name: p"},
			[]string{instancerepo.ReasonAssociationTwice + " " + root + "Inventory/env_definition.yml:5"}},
		{"a blue-green namespace", map[string]string{root + "Inventory/env_definition.yml": "envTemplate:\n  envSpecificParamsets:\n    a-origin: [p]\n    a-peer: [p]\n", "environments/parameters/p.yml": "name: p",
			root + "bg_domain.yml": "originNamespace: {name: n}", root + "Namespaces/a/namespace.yml": "name: n"},
			[]string{instancerepo.ReasonAssociationWithoutNamespace + " " + root + "Inventory/env_definition.yml:4"}},
		{"an SD of a blue-green domain", map[string]string{root + "Inventory/solution-descriptor/sd.yml": "applications:\n- {version: 'a:1', deployPostfix: a}\n- {version: 'b:1', deployPostfix: b}\n",
			root + "bg_domain.yml": "originNamespace: {name: N}", root + "Namespaces/a-origin/namespace.yml": "name: n", root + "Namespaces/b-peer/namespace.yml": "name: m"},
			[]string{instancerepo.ReasonDescriptorByDomain + " " + root + "Inventory/solution-descriptor/sd.yml:2", instancerepo.ReasonDescriptorWithoutNamespace + " " + root + "Inventory/solution-descriptor/sd.yml:3"}},
		{"ParamSets in folders of folders", map[string]string{"environments/parameters/c/e/p.yml": "name: p", "environments/c/parameters/x/q.json": `{"name": "q"}`, root + "Inventory/parameters/x/r.yml": "name: r",
			root + "Inventory/env_definition.yml": "envTemplate: {envSpecificParamsets: {cloud: [p, q, r]}}"}, nil},
		{"one ParamSet in two folders", map[string]string{"environments/parameters/a/p.yml": "name: p", "environments/parameters/p.json": "{}", root + "Inventory/env_definition.yml": "envTemplate: {envSpecificParamsets: {cloud: [p]}}"},
			[]string{instancerepo.ReasonFileTwice + " environments/parameters/p.json:1"}},
		{"templates of ParamSets", map[string]string{"environments/parameters/a/p.yml.j2": "{{", "environments/c/parameters/q.j2": "{{", root + "Inventory/env_definition.yml": "envTemplate: {envSpecificParamsets: {cloud: [p, q, r]}}"},
			[]string{instancerepo.ReasonAssociationOfTemplate + " " + root + "Inventory/env_definition.yml:1", instancerepo.ReasonAssociationOfTemplate + " " + root + "Inventory/env_definition.yml:1",
				instancerepo.ReasonAssociationWithoutParamSet + " " + root + "Inventory/env_definition.yml:1", instancerepo.ReasonFileTemplate + " environments/c/parameters/q.j2:1", instancerepo.ReasonFileTemplate + " environments/parameters/a/p.yml.j2:1"}},
		{"files that are not stored", map[string]string{"environments/c/e/notes.yml": "[", "README.md": "[", ".git/x/y.yml": "[", root + "Inventory/a.txt": "["},
			[]string{instancerepo.ReasonFileOther + " README.md:1", instancerepo.ReasonFileOther + " " + root + "Inventory/a.txt:1", instancerepo.ReasonFileMisplaced + " " + root + "notes.yml:1"}},
		{"a file beside a template", map[string]string{root + "cloud.yml": "name: c", root + "cloud.yml.j2": "{{"},
			[]string{instancerepo.ReasonFileTwice + " " + root + "cloud.yml:1", instancerepo.ReasonFileTemplate + " " + root + "cloud.yml.j2:1"}},
		{"three files that are malformed or not", map[string]string{"environments/parameters/p.yml": "[", "environments/parameters/p.yaml": "name: p", "environments/parameters/p.json": "["},
			[]string{instancerepo.ReasonFileTwice + " environments/parameters/p.json:1", instancerepo.ReasonFileTwice + " environments/parameters/p.yaml:1", instancerepo.ReasonFileMalformed + " environments/parameters/p.yml:1"}},
		{"a repository of templates", map[string]string{"templates/env_templates/dev.yml": "a: b", "templates/env_templates/dev/tenant.yml.j2": "{{"},
			[]string{instancerepo.ReasonFileOther + " templates/env_templates/dev.yml:1", instancerepo.ReasonTemplateRepository + " templates/env_templates/dev.yml:1", instancerepo.ReasonFileOther + " templates/env_templates/dev/tenant.yml.j2:1"}},
		{"values that are encrypted", map[string]string{root + "Credentials/credentials.yml": "a:\n  type: secret\n  data:\n    secret: '[encrypted:AES256_Fernet]gAAAAAB'\n"}, []string{instancerepo.ReasonValueEncrypted + " " + root + "Credentials/credentials.yml:4"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range test.files {
				write(t, dir, name, text)
			}
			var got []string
			for _, d := range survey(t, dir).Defects {
				got = append(got, fmt.Sprintf("%s %s:%d", d.Reason, d.Position.File, d.Position.Line))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// A defect of what an environment lacks names the environment: a survey is of many.
func TestSurveyNamesTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "environments/c/e/Inventory/env_definition.yml", "envTemplate: {envSpecificParamsets: {billing: [p]}}")
	write(t, dir, "environments/parameters/p.yml", "name: p")
	write(t, dir, "environments/c/e/Inventory/solution-descriptor/sd.yml", "applications:\n- {version: 'a:1', deployPostfix: billing}\n")
	var got []string
	for _, d := range survey(t, dir).Defects {
		got = append(got, d.Message)
	}
	const want = "the environment c/e has no namespace with the deploy postfix billing"
	if !slices.Equal(got, []string{want, want}) {
		t.Errorf("got %q, want twice %q", got, want)
	}
}

func TestSurveyStopsWithTheFiles(t *testing.T) {
	failed := dovetail.Errorf(dovetail.CodeUnavailable, "gone")
	_, err := instancerepo.Survey(func(yield func(instancerepo.File, error) bool) { yield(instancerepo.File{}, failed) })
	if dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Error(err)
	}
}

// FuzzSurvey puts any text into each file that is read; every defect has a position.
func FuzzSurvey(f *testing.F) {
	f.Add([]byte("name: a\nenvTemplate:\n  envSpecificParamsets:\n    cloud: [a, b]\n    x/y: [a]\n"))
	f.Add([]byte("applications:\n  - {version: \"a:1\", deployPostfix: x}\n  - a\n"))
	f.Add([]byte("%00"))
	f.Add([]byte("a: &a [*a]\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		contents, err := instancerepo.Survey(func(yield func(instancerepo.File, error) bool) {
			for _, name := range []string{"parameters/a.yml", "c/e/bg_domain.yml", "c/e/Inventory/env_definition.yml", "c/e/Inventory/solution-descriptor/sd.yml", "c/e/Namespaces/x/namespace.yml"} {
				if !yield(instancerepo.File{Path: "environments/" + name, Data: data}, nil) {
					return
				}
			}
		})
		if err != nil || len(contents.Environments) != 1 {
			t.Fatal(err)
		}
		for _, d := range contents.Defects {
			if d.Position.File == "" || d.Position.Line == 0 || d.Reason == "" || d.Message == "" || d.Remedy == "" {
				t.Errorf("%+v", d)
			}
		}
	})
}

// BenchmarkSurvey reads 1,000 environments, made from the sample.
func BenchmarkSurvey(b *testing.B) {
	files, err := instancerepotest.Many(os.DirFS(sample), 1000)
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := instancerepotest.Write(dir, files); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if n := len(survey(b, dir).Environments); n != 1000 {
			b.Fatalf("%d environments", n)
		}
	}
}
