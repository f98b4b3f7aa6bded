package instancerepo_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/instancerepo"
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
