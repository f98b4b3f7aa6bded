package instancerepo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

// described are the documents of files, and what an environment has of them.
func described(t *testing.T, files []instancerepo.File) []string {
	t.Helper()
	contents, err := instancerepo.Survey(filesOf(files))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, d := range contents.Documents() {
		all = append(all, fmt.Sprint(d.ID, " ", string(d.Data.JSON()), " ", d.Position.File))
	}
	for _, e := range contents.Environments {
		all = append(all, e.DefinitionFile, e.DescriptorFile)
		for _, ns := range e.Namespaces {
			all = append(all, fmt.Sprint(ns.Name, " ", ns.File, " ", ns.Applications))
		}
	}
	for _, p := range contents.ParamSets {
		all = append(all, p.File)
	}
	return all
}

// TestFilesTwice: of two files that stand for one document, the same counts whichever is read first, both are named, and an edit changes the one that counts.
func TestFilesTwice(t *testing.T) {
	const root = "environments/c/e/"
	for _, tt := range []struct {
		name, counts, other string
		text                string // of the one that counts; of the other one it has other instead of these
	}{
		{"an SD", root + "Inventory/solution-descriptor/sd.yml", root + "Inventory/solution-descriptor/sd.yaml", "applications:\n- {version: 'these:1', deployPostfix: a}\n"},
		{"an inventory", root + "Inventory/env_definition.yml", root + "Inventory/env_definition.yaml", "inventory: {environmentName: these}\n"},
		{"a ParamSet", root + "Inventory/parameters/p.yml", root + "Inventory/parameters/p.yaml", "name: p\nparameters: {a: these}\n"},
		{"a ParamSet as JSON", "environments/parameters/p.yaml", "environments/parameters/p.json", `{"name": "p", "parameters": {"a": "these"}}`},
		{"a ParamSet in folders", "environments/parameters/a/p.yaml", "environments/parameters/b/p.yaml", "name: p\nparameters: {a: these}\n"},
		{"a namespace", root + "Namespaces/a/namespace.yml", root + "Namespaces/a/namespace.yaml", "name: these\n"},
		{"an application", root + "Namespaces/a/Applications/x.yml", root + "Namespaces/a/Applications/x.yaml", "name: x\ndeployParameters: {a: these}\n"},
		{"a domain", root + "bg_domain.yml", root + "bg_domain.yaml", "name: d\noriginNamespace: {name: these}\n"},
		{"credentials", root + "Credentials/credentials.yml", root + "Credentials/credentials.yaml", "x: {type: secret, data: {secret: these}}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := []instancerepo.File{{Path: tt.counts, Data: []byte(tt.text)}, {Path: tt.other, Data: []byte(strings.ReplaceAll(tt.text, "these", "other"))}}
			alone := described(t, files[:1])
			for _, files := range [][]instancerepo.File{files, {files[1], files[0]}} {
				contents, err := instancerepo.Survey(filesOf(files))
				if err != nil {
					t.Fatal(err)
				}
				named := slices.ContainsFunc(contents.Defects, func(d *dovetail.Error) bool {
					return d.Reason == instancerepo.ReasonFileTwice && d.Position.File == tt.other && strings.Contains(d.Message, tt.counts+" stands for the same document, and counts")
				})
				if !named {
					t.Errorf("the defects are %v", contents.Defects)
				}
				if got := described(t, files); !slices.Equal(got, alone) {
					t.Errorf("read are %q, want %q", got, alone)
				}
				edits, problems := instancerepo.Edits(files, nil, instancerepo.Sealing{})
				if text, edited := edits[tt.counts]; !edited || text != nil || len(edits) != 1 || len(problems) > 0 {
					t.Errorf("without the documents %q go, %v", edits, problems)
				}
			}
		})
	}
}
