package instancerepo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestKeysTwice: where the calculation of effective sets takes the last value of a key, so does an import, and both name the other one; where another program reads
// the file, it is refused. A file with such a key is not edited, since only one of the values would be.
func TestKeysTwice(t *testing.T) {
	for _, tt := range []struct{ name, file, text, finding, want string }{
		{"parameters of a namespace", "environments/c/e/Namespaces/core/namespace.yml", "name: n\ndeployParameters:\n  A: 1\n  B: 2\n  A: 3 # last\n", "REPO_KEY_TWICE :3:3", `{"A":3,"B":2}`},
		{"members of the cloud", "environments/c/e/cloud.yml", "deployParameters: {A: 1}\nname: c\ndeployParameters: {B: 2}\n", "REPO_KEY_TWICE :1:1", `{"B":2}`},
		{"a map in parameters, which is not united", "environments/c/e/tenant.yml", "deployParameters:\n  A: {x: 1}\n  A: {y: 2}\n", "REPO_KEY_TWICE :2:3", `{"A":{"y":2}}`},
		{"three times", "environments/c/e/tenant.yml", "deployParameters: {A: 1}\ndeployParameters: {A: 2}\ndeployParameters: {A: 3}\n", "REPO_KEY_TWICE :1:1, REPO_KEY_TWICE :2:1", `{"A":3}`},
		{"the definition of a registry", "regdefs/r.yml", "name: r\ndeployParameters: {A: 1}\ndeployParameters: {A: 2}\n", "REPO_KEY_TWICE :2:1", `{"A":2}`},
		{"the definition of an application", "environments/c/e/AppDefs/a.yml", "name: a\ndeployParameters: {A: 1, A: 2}\n", "REPO_KEY_TWICE :2:20", `{"A":2}`},
		{"a ParamSet, which the calculation does not read", "environments/parameters/p.yml", "name: p\nparameters: {A: 1, A: 2}\n", "REPO_FILE_MALFORMED :2:20", ""},
		{"an inventory", "environments/c/e/Inventory/env_definition.yml", "envTemplate: {}\nenvTemplate: {}\n", "REPO_FILE_MALFORMED :2:1", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := []instancerepo.File{{Path: tt.file, Data: []byte(tt.text)}}
			contents := surveyOf(t, files)
			var found []string
			for _, d := range contents.Defects {
				if strings.HasPrefix(d.Reason, "REPO_KEY") || strings.HasPrefix(d.Reason, "REPO_FILE") {
					at := d.Position
					at.Path = ""
					found = append(found, d.Reason+" "+strings.TrimPrefix(at.String(), tt.file))
				}
			}
			if got := strings.Join(found, ", "); got != tt.finding {
				t.Errorf("found %s, want %s", got, tt.finding)
			}
			documents := contents.Documents()
			i := slices.IndexFunc(documents, func(d instancerepo.Document) bool { return parametersOf(d) != nil })
			if i < 0 {
				if tt.want != "" {
					t.Fatal("no document has parameters")
				}
				return
			}
			if got := string(parametersOf(documents[i]).JSON()); got != tt.want {
				t.Errorf("it has %s, want %s", got, tt.want)
			}
			edits, problems := instancerepo.Edits(files, documents, instancerepo.Sealing{})
			if len(edits) > 0 || len(problems) > 0 {
				t.Errorf("without a change it becomes %q, %v", edits, problems)
			}
			parametersOf(documents[i]).Set("NEW", value.NewString("x"))
			edits, problems = instancerepo.Edits(files, documents, instancerepo.Sealing{})
			if len(edits) > 0 || len(problems) == 0 || problems[0].Reason != instancerepo.ReasonKeyTwice {
				t.Errorf("with a change it becomes %q, %v", edits, problems)
			}
		})
	}
}

func parametersOf(d instancerepo.Document) *value.Value {
	for _, path := range [][]string{{"spec", "deployParameters"}, {"spec", "cloud", "deployParameters"}, {"spec", "tenant", "deployParameters"}} {
		if v := d.Data.At(path...); v != nil {
			return v
		}
	}
	return nil
}

// TestEmptyDocuments: a file with an empty document beside the one with content is read, and the other one is named.
func TestEmptyDocuments(t *testing.T) {
	for _, tt := range []struct{ name, file, text, finding string }{
		{"at the end of a namespace", "environments/c/e/Namespaces/core/namespace.yml", "name: n\n---\n", "REPO_DOCUMENT_EMPTY :2"},
		{"at the begin of a ParamSet", "environments/parameters/p.yml", "---\n---\nname: p\nparameters: {}\n", "REPO_DOCUMENT_EMPTY :1"},
		{"nothing but a marker in a file that may be empty", "environments/credentials/a.yml", "---\n", ""},
		{"two with content", "environments/c/e/Namespaces/core/namespace.yml", "name: n\n---\nname: m\n", "REPO_FILE_MALFORMED :1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var found []string
			for _, d := range surveyOf(t, []instancerepo.File{{Path: tt.file, Data: []byte(tt.text)}}).Defects {
				if d.Reason != instancerepo.ReasonParamSetUnreferenced {
					found = append(found, d.Reason+" "+strings.TrimPrefix(d.Position.String(), tt.file))
				}
			}
			if got := strings.Join(found, ", "); got != tt.finding {
				t.Errorf("found %s, want %s", got, tt.finding)
			}
		})
	}
}
