package gitsync_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// namingFile is an inventory that names files of its cluster and the site, and is there at first.
const namingFile = "environments/c2/e/Inventory/env_definition.yml"

// strayFile and definitionFile are there at first, too, and have findings.
const (
	strayFile      = "environments/c1/stray.yml"
	definitionFile = "environments/c2/e/AppDefs/b.yaml"
)

// drawnFiles are what commits write: contents by where they may be, among them names that are the same file to the store, templates, sub-folders, and files that are none of the layout.
var drawnFiles = map[string][]string{
	"environments/c1/dev/Inventory/env_definition.yml": {small["environments/c1/dev/Inventory/env_definition.yml"],
		"envTemplate: {sharedMasterCredentialFiles: [keys], sharedTemplateVariables: {a: vars}, envSpecificResourceProfiles: {cloud: large}}\ninventory: {cloudPassport: pass}\n",
		"envTemplate: {envSpecificParamsets: {core: [own, later, deep]}}\n",
		"envTemplate: {envSpecificParamsets: {core: [shared, shared], gone: [own]}}\n"},
	namingFile: {"envTemplate: {sharedMasterCredentialFiles: [keys], sharedTemplateVariables: {a: vars}, envSpecificResourceProfiles: {cloud: large}}\ninventory: {cloudPassport: pass}\n",
		"envTemplate: {envSpecificParamsets: {cloud: [shared, deep, later]}, sharedTemplateVariables: [vars]}\n", "a: 1\n"},
	ownYML: {small[ownYML], "name: other\nparameters: {A: 5}\n", "a: [\n"},
	"environments/c1/dev/Inventory/parameters/own.json":     {`{"name":"own","parameters":{"J":1}}`},
	"environments/c1/dev/Inventory/parameters/sub/own.yml":  {"name: own\nparameters: {SUB: 1}\n"},
	"environments/c1/dev/Inventory/parameters/later.yml.j2": {"name: later\nparameters: {A: {{ a }}}\n"},
	"environments/c1/dev/Namespaces/core/namespace.yml":     {"name: dev-core\n", "name: dev-other\ndeployParamters: {A: 1}\n", "deployParameters: [A]\n", "namespace: [\n"},
	"environments/c1/dev/Namespaces/two/namespace.yml":      {"name: dev-core\n"},
	"environments/c1/dev/Credentials/credentials.yml":       {"a: {type: secret, data: {secret: x}}\n", "a: {type: secret, data: {secret: y}}\nb: {type: secret, data: {secret: x}}\n"},
	"environments/c1/dev/notes.yml":                         {"unknown: 1\n"},
	"environments/c1/dev/effective-set/pipeline/a.yaml":     {"a: 1\n", "a: 2\n"},
	"environments/parameters/shared.yml":                    {"name: shared\nparameters: {S: 1}\n", "name: shared\nparameters: {S: 2}\n"},
	"environments/parameters/shared.json":                   {`{"name":"shared","parameters":{"J":1}}`},
	"environments/parameters/folder/deep.yaml":              {"name: deep\n"},
	"environments/c1/parameters/shared.yaml":                {"name: shared\nparameters: {OF: cluster}\n"},
	"environments/c1/parameters/folder/inner/later.yml":     {"name: later\n"},
	"environments/parameters/later.yml.j2":                  {"name: later\n"},
	strayFile:                                               {"a: 1\n"},
	"environments/misplaced/a/b/c.yaml":                     {"a: 1\n"},
	"configuration/credentials/credentials.yml":             {"r: {type: secret, data: {secret: x}}\n", "q: {type: secret, data: {secret: x, usrname: y}}\n"},
	"environments/credentials/keys.yml":                     {"{}\n", "[\n"},
	"environments/credentials/keyss.yml":                    {"{}\n"},
	"environments/c1/credentials/keys.yml":                  {"{}\n"},
	"environments/c2/credentials/keys.yml":                  {"{}\n"},
	"environments/c2/shared_template_variables/vars.yml":    {"a: 1\n"},
	"environments/shared-template-variables/vars.yml.j2":    {"a: {{ a }}\n"},
	"environments/resource_profiles/large.yml":              {"name: large\n"},
	"environments/c2/cloud-passport/pass.yml":               {"a: 1\n", "a: 2\n"},
	"environments/c1/dev/Inventory/cloud-passport/pass.yml": {"a: 1\n"},
	"environments/c2/resource_profiles/larg.yml":            {"name: larg\n"},
	"environments/c1/dev/AppDefs/a.yml":                     {"name: a\nregistryName: regs\n", "name: a\nregistryName: reg\n", "name: a\n"},
	definitionFile:                                          {"registryName: regs\n"},
	"environments/c1/dev/RegDefs/reg.yml":                   {"name: reg\n"},
	"regdefs/regs.yml.j2":                                   {"name: regs\n"},
	"regdefs/r.yml":                                         {"name: r\n", "name: r\nurl: u\n"},
	"regdefs/regs.yml":                                      {"name: regs\n"},
	"notes/readme.md":                                       {"x\n", "y\n"},
}

// draw makes a commit of some files that come, change, go, move, or become symbolic links.
func (b *bench) draw(r *rapid.T) {
	paths := slices.Sorted(maps.Keys(drawnFiles))
	b.Pull()
	files := make(map[string]string)
	for range rapid.IntRange(1, 4).Draw(r, "files") {
		path := rapid.SampledFrom(paths).Draw(r, "path")
		full := filepath.Join(b.Clone, path)
		switch rapid.SampledFrom([]string{"write", "write", "write", "remove", "move", "link", "remove a folder"}).Draw(r, "change") {
		case "write":
			if err := os.RemoveAll(full); err != nil { // a link, perhaps, which is not followed
				b.t.Fatal(err)
			}
			files[path] = rapid.SampledFrom(drawnFiles[path]).Draw(r, "content")
		case "remove":
			files[path] = gittest.Gone
		case "remove a folder":
			files = map[string]string{filepath.Dir(path): gittest.Gone}
		case "move":
			if info, err := os.Lstat(full); err == nil && info.Mode().IsRegular() {
				text, err := os.ReadFile(full)
				if err != nil {
					b.t.Fatal(err)
				}
				files[path], files[strings.TrimSuffix(path, filepath.Ext(path))+"-moved"+filepath.Ext(path)] = gittest.Gone, string(text)
			}
		case "link":
			delete(files, path)
			if err := os.RemoveAll(full); err != nil {
				b.t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				b.t.Fatal(err)
			}
			if err := os.Symlink("anything", full); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	b.push(files)
}

// found are the defects that are recorded. That no environment uses a shared ParamSet is found only when all of a repository is read.
func (b *bench) found() []string {
	var all []string
	for _, d := range b.recorded().Defects.First {
		text, err := json.Marshal(d)
		if err != nil {
			b.t.Fatal(err)
		}
		if _, own := instancerepo.EnvironmentOf(d.File); own || d.Reason != instancerepo.ReasonParamSetUnreferenced {
			all = append(all, string(text))
		}
	}
	slices.Sort(all)
	return all
}

// TestFollowingEqualsAttaching draws commits of others, and follows them one by one. In the end the store has the documents and the findings of one that is attached to the last commit. No
// commit is drawn of which the store refuses a document, since that stays as it was before (TestDefects).
func TestFollowingEqualsAttaching(t *testing.T) {
	rounds.Checks(t, 25, 200)
	reasons := make(map[string]bool)
	rapid.Check(t, func(r *rapid.T) {
		first := maps.Clone(small)
		for _, name := range []string{namingFile, strayFile, definitionFile} {
			first[name] = drawnFiles[name][0]
		}
		b := newBench(t, first)
		for range rapid.IntRange(1, 3).Draw(r, "commits") {
			b.draw(r)
			if err := b.a.Sync(t.Context()); err != nil {
				r.Fatal(err)
			}
		}
		fresh := &bench{Remote: b.Remote, t: t, local: filepath.Join(t.TempDir(), "fresh.git")}
		fresh.openStore(nil)
		if err := fresh.attach(gitsync.Options{}); err != nil {
			r.Fatal(err)
		}
		if got, want := b.held(), fresh.held(); !maps.Equal(got, want) {
			r.Errorf("followed: %s\nattached: %s", onlyIn(got, want), onlyIn(want, got))
		}
		if got, want := b.found(), fresh.found(); !slices.Equal(got, want) {
			r.Errorf("found by following:\n%s\nand by attaching:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		var found []string
		for _, d := range fresh.recorded().Defects.First {
			reasons[d.Reason] = true
			found = append(found, d.Reason+" "+d.File)
		}
		want := b.surveyed()
		slices.Sort(found)
		slices.Sort(want)
		if !slices.Equal(found, want) {
			r.Errorf("found by attaching: %q\nand in the folder: %q", found, want)
		}
	})
	for _, reason := range []string{instancerepo.ReasonFileIrregular, instancerepo.ReasonFileMisplaced, instancerepo.ReasonFileMissing, instancerepo.ReasonDefinitionWithoutRegistry} {
		if !reasons[reason] {
			t.Errorf("%s was never found", reason)
		}
	}
}

// surveyed are the defects of the folder of another writer, which are worth a warning.
func (b *bench) surveyed() []string {
	b.t.Helper()
	b.Pull()
	repository, err := instancerepo.Open(b.Clone)
	if err != nil {
		b.t.Fatal(err)
	}
	contents, err := instancerepo.Survey(repository.Files(b.t.Context()))
	if err != nil {
		b.t.Fatal(err)
	}
	var all []string
	for _, d := range slices.Concat(contents.Defects, contents.Missing()) {
		if instancerepo.SeverityOf(d) > instancerepo.Info {
			all = append(all, d.Reason+" "+d.Position.File)
		}
	}
	return all
}

// held are the documents of the store that the repository holds.
func (b *bench) held() map[string]string {
	b.t.Helper()
	all := make(map[string]string)
	for doc, err := range b.store.Export(b.t.Context()) {
		if err != nil {
			b.t.Fatal(err)
		}
		if slices.Contains(instancerepo.Kinds(), doc.Kind) {
			all[string(doc.ID)] = string(doc.Data)
		}
	}
	return all
}

// onlyIn are the documents that another store does not have so.
func onlyIn(of, other map[string]string) string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(of)) {
		if of[id] != other[id] {
			all = append(all, fmt.Sprintf("%s %s", id, of[id]))
		}
	}
	return strings.Join(all, "\n")
}
