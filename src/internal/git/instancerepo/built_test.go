package instancerepo_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestBuiltFiles: what EnvGene's calculator reads and writes is read as it does, by YAML 1.1, and stays as it is written; ParamSets are read by YAML 1.2.
func TestBuiltFiles(t *testing.T) {
	const words = "  A: yes # on\n  B: [Off, y]\n  C: 08\n  D: 1:30\n  E: 0o17\n"
	files := []instancerepo.File{
		{Path: "environments/c/e/cloud.yml", Data: []byte("name: c\ndeployParameters:\n" + words)},
		{Path: "environments/c/e/Namespaces/core/namespace.yml", Data: []byte("name: core\ndeployParameters:\n" + words)},
		{Path: "environments/c/e/Namespaces/core/Applications/app.yml", Data: []byte("name: app\ndeployParameters:\n" + words)},
		{Path: "environments/c/e/Inventory/parameters/p.yml", Data: []byte("name: p\nparameters:\n" + words)},
	}
	documents := surveyOf(t, files).Documents()
	const built, set = `{"A":true,"B":[false,"y"],"C":"08","D":90,"E":"0o17"}`, `{"A":"yes","B":["Off","y"],"C":8,"D":"1:30","E":15}`
	found := 0
	for _, d := range documents {
		for path, want := range map[string]string{"/spec/cloud/deployParameters": built, "/spec/deployParameters": built, "/spec/parameters": set} {
			if v := d.Data.At(strings.Split(path[1:], "/")...); v != nil {
				found++
				if string(v.JSON()) != want {
					t.Errorf("%s has %s, want %s", d.ID, v.JSON(), want)
				}
			}
		}
	}
	if found != 4 {
		t.Errorf("%d of 4 maps of parameters", found)
	}
	if edits, problems := instancerepo.Edits(files, documents, instancerepo.Sealing{}); len(edits) > 0 || len(problems) > 0 {
		t.Errorf("%q, %v", edits, problems)
	}
	for _, d := range documents {
		if v := d.Data.At("spec", "deployParameters"); v != nil {
			v.Set("F", value.NewString("no"))
		}
	}
	edits, problems := instancerepo.Edits(files, documents, instancerepo.Sealing{})
	if len(edits) != 2 || len(problems) > 0 {
		t.Errorf("%d edits, %v", len(edits), problems)
	}
	for name, text := range edits {
		if !strings.HasSuffix(string(text), words+"  F: \"no\"\n") {
			t.Errorf("%s becomes\n%s", name, text)
		}
	}
}

// TestClassicFiles: files that the pipelines read by YAML 1.1 beside what is built are read so, too, and written so that they read the same again.
// Those of other programs are read by YAML 1.2, and so is what SOPS encrypted, whose signature is over the values as it reads them.
func TestClassicFiles(t *testing.T) {
	const classic, not = `[true,false,10,90,"0o17"]`, `["yes","Off",10,"1:30",15]`
	_, metadata, _ := strings.Cut(ofSOPS(t, "credentials.yml"), "\nsops:")
	for _, tt := range []struct{ name, file, text, path, want string }{
		{"credentials of an environment", credentialsFile, "x: {type: secret, data: {secret: WORDS}}\n", "/spec/data/secret", classic},
		{"an SD", "environments/c/e/Inventory/solution-descriptor/sd.yml", "applications: WORDS\n", "/spec/applications", classic},
		{"a delta SD", "environments/c/e/Inventory/solution-descriptor/delta_sd.yml", "applications: WORDS\n", "/spec/applications", classic},
		{"registries", "configuration/registry.yml", "r: WORDS\n", "/spec/r", classic},
		{"secret stores", "configuration/secret-stores.yml", "s: WORDS\n", "/spec/s", classic},
		{"an application of the environment", "environments/c/e/Applications/a.yml", "deployParameters: {a: WORDS}\n", "/spec/deployParameters/a", classic},
		{"the definition of an application", "appdefs/a.yml", "name: a\nwords: WORDS\n", "/spec/words", classic},
		{"the definition of a registry", "regdefs/r.yml", "name: r\nwords: WORDS\n", "/spec/words", classic},
		{"the definition of an application, of the environment", "environments/c/e/AppDefs/a.yml", "name: a\nwords: WORDS\n", "/spec/words", classic},
		{"the definition of a registry, of the environment", "environments/c/e/RegDefs/r.yml", "name: r\nwords: WORDS\n", "/spec/words", classic},
		{"the definition of an artifact", "configuration/artifact_definitions/a.yml", "name: a\nwords: WORDS\n", "/spec/words", not},
		{"shared credentials", "environments/credentials/a.yml", "words: WORDS\n", "/spec/words", not},
		{"credentials that SOPS encrypted", credentialsFile, "x: {words: WORDS}\nsops:" + metadata, "/spec/words", not},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := []instancerepo.File{{Path: tt.file, Data: []byte(strings.ReplaceAll(tt.text, "WORDS", "[yes, Off, 012, 1:30, 0o17]"))}}
			documents := surveyOf(t, files).Documents()
			found := false
			for _, d := range documents {
				v := d.Data.At(strings.Split(tt.path[1:], "/")...)
				if v == nil {
					continue
				}
				found = true
				if string(v.JSON()) != tt.want {
					t.Errorf("it has %s, want %s", v.JSON(), tt.want)
				}
				if tt.want == classic {
					v.Items = append(v.Items, value.NewString("no"), value.NewString("012"))
				}
			}
			if !found {
				t.Fatalf("no document has %s", tt.path)
			}
			edits, problems := instancerepo.Edits(files, documents, instancerepo.Sealing{})
			if text, edited := edits[tt.file]; len(problems) > 0 || edited && !strings.Contains(string(text), `"no", "012"`) || edited != (tt.want == classic) {
				t.Errorf("it becomes %q, %v", edits, problems)
			}
		})
	}
}
