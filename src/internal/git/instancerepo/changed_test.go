package instancerepo_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/inventory"
)

// changedRepository is a repository of three environments with some files changed.
func changedRepository(t *testing.T, changes map[string]string, gone ...string) *instancerepo.Changed {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"configuration/registry.yml":                        "{}\n",
		"environments/parameters/common.yml":                "name: common\nparameters: {A: 1}\n",
		"environments/c/parameters/cluster.yml":             "name: cluster\nparameters: {A: 1}\n",
		"environments/c/one/tenant.yml":                     "name: t\n",
		"environments/c/one/Inventory/env_definition.yml":   "envTemplate: {envSpecificParamsets: {core-origin: [common, cluster]}}\n",
		"environments/c/one/bg_domain.yml":                  "name: d\noriginNamespace: {name: one-core}\n",
		"environments/c/one/Namespaces/core/namespace.yml":  "name: one-core\n",
		"environments/c/two/tenant.yml":                     "name: t\n",
		"environments/c/two/Inventory/env_definition.yaml":  "envTemplate: {envSpecificParamsets: {cloud: [other]}}\n",
		"environments/d/three/Inventory/env_definition.yml": "envTemplate: {envSpecificE2EParamsets: {cloud: [cluster]}}\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	repository, err := instancerepo.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	for name, text := range changes {
		files[name] = []byte(text)
	}
	for _, name := range gone {
		files[name] = nil
	}
	return repository.With(files)
}

// TestChangedReaches says which environments a changed file may matter to.
func TestChangedReaches(t *testing.T) {
	for _, test := range []struct {
		name, file      string
		sets, paramSets string // the environments
		unread          bool
		content         string
	}{
		{name: "an object", file: "environments/c/one/cloud.yml", sets: "c/one"},
		{name: "credentials", file: "environments/c/two/Credentials/credentials.yml", sets: "c/two"},
		{name: "an inventory", file: "environments/c/two/Inventory/env_definition.yaml", content: "{}", sets: "c/two", paramSets: "c/two"},
		{name: "a ParamSet of an environment", file: "environments/c/two/Inventory/parameters/x.yml", sets: "c/two", paramSets: "c/two"},
		{name: "a ParamSet of the cluster", file: "environments/c/parameters/cluster.yml", sets: "c/one", paramSets: "c/one"},
		{name: "a ParamSet of the site", file: "environments/parameters/common.yml", sets: "c/one", paramSets: "c/one"},
		{name: "one that two environments use", file: "environments/parameters/cluster.yml", sets: "c/one d/three", paramSets: "c/one d/three"},
		{name: "one that is there only now", file: "environments/parameters/other.yaml", sets: "c/two", paramSets: "c/two"},
		{name: "one that nothing uses", file: "environments/parameters/x.yml"},
		{name: "registries", file: "configuration/registry.yml", sets: "c/one c/two d/three"},
		{name: "secret stores", file: "configuration/secret-stores.yaml", sets: "c/one c/two d/three"},
		{name: "other configuration", file: "configuration/config.yml", unread: true},
		{name: "a generated set", file: "environments/c/one/effective-set/topology/parameters.yaml", unread: true},
		{name: "another file", file: "README.md", unread: true},
		{name: "a new environment", file: "environments/e/new/tenant.yml", sets: "e/new"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := changedRepository(t, map[string]string{test.file: test.content})
			var sets, paramSets []string
			for _, e := range c.Environments() {
				set, used, err := c.Reaches(e)
				if err != nil {
					t.Fatal(err)
				}
				if set {
					sets = append(sets, e.String())
				}
				if used {
					paramSets = append(paramSets, e.String())
				}
			}
			if got := strings.Join(sets, " "); got != test.sets {
				t.Errorf("it reaches %q, not %q", got, test.sets)
			}
			if got := strings.Join(paramSets, " "); got != test.paramSets {
				t.Errorf("it reaches the ParamSets of %q, not of %q", got, test.paramSets)
			}
			if unread := c.Unread(); (len(unread) == 1) != test.unread {
				t.Errorf("unread is %v", unread)
			}
		})
	}
}

// TestChangedReachesByName: the names of ParamSets in an inventory are read as an import reads them.
func TestChangedReachesByName(t *testing.T) {
	for _, tt := range []struct{ name, inventory, changed, fails string }{
		{name: "a word that YAML 1.1 reads as a boolean", inventory: "envTemplate: {envSpecificParamsets: {cloud: [on]}}\n", changed: "on"},
		{name: "a time of YAML 1.1", inventory: "envTemplate: {envSpecificParamsets: {cloud: [1:30]}}\n", changed: "1:30"},
		{name: "not what YAML 1.1 makes of it", inventory: "envTemplate: {envSpecificParamsets: {cloud: [on]}}\n", changed: "true", fails: "reaches nothing"},
		{name: "of two files the one that counts", inventory: "envTemplate: {envSpecificParamsets: {cloud: [other]}}\n", changed: "hidden", fails: "reaches nothing"},
		{name: "a key twice", inventory: "envTemplate: {}\nenvTemplate: {}\n", changed: "on", fails: "Inventory/env_definition.yml:2:1"},
		{name: "two documents", inventory: "envTemplate: {}\n---\nenvTemplate: {}\n", changed: "on", fails: "Inventory/env_definition.yml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const folder = "environments/d/three/Inventory/env_definition"
			dir := t.TempDir()
			for name, text := range map[string]string{".yml": tt.inventory, ".yaml": "envTemplate: {envSpecificParamsets: {cloud: [hidden]}}\n"} {
				file := filepath.Join(dir, folder+name)
				for _, err := range []error{os.MkdirAll(filepath.Dir(file), 0o750), os.WriteFile(file, []byte(text), 0o600)} {
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			repository, err := instancerepo.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			c := repository.With(map[string][]byte{"environments/parameters/" + tt.changed + ".yml": []byte("name: x\n")})
			_, reached, err := c.Reaches(inventory.Environment{Cluster: "d", Name: "three"})
			got := ""
			switch {
			case err != nil:
				got = err.Error()
			case !reached:
				got = "reaches nothing"
			}
			if (got == "") != (tt.fails == "") || !strings.Contains(got, tt.fails) {
				t.Errorf("%q, want %q", got, tt.fails)
			}
		})
	}
}

// TestChangedEnvironments: files, and folders for parameters and such, are no environments.
func TestChangedEnvironments(t *testing.T) {
	c := changedRepository(t, map[string]string{"environments/c/stray.yml": "a: 1\n", "environments/c/.old/tenant.yml": "name: t\n", "environments/c/parameters/Namespaces/x/namespace.yml": "name: x\n", "environments/README.md": ""})
	var got []string
	for _, e := range c.Environments() {
		got = append(got, e.String())
	}
	if strings.Join(got, " ") != "c/one c/two d/three" {
		t.Errorf("the environments are %q", got)
	}
}

// TestChangedFiles reads changed files in place of those that there are, and of the environments only one.
func TestChangedFiles(t *testing.T) {
	c := changedRepository(t, map[string]string{"environments/c/one/tenant.yml": "name: new\n", "environments/c/one/Namespaces/new/namespace.yml": "name: x\n", "environments/e/new/tenant.yml": "name: e\n"},
		"environments/c/one/bg_domain.yml", "environments/c/two/tenant.yml")
	one := inventory.Environment{Cluster: "c", Name: "one"}
	files := c.FS(one)
	for name, want := range map[string]string{"environments/c/one/tenant.yml": "name: new\n", "environments/c/one/Namespaces/core/namespace.yml": "name: one-core\n", "environments/c/one/bg_domain.yml": ""} {
		text, err := fs.ReadFile(files, name)
		if string(text) != want || (err != nil) != (want == "") {
			t.Errorf("%s is %q, %v", name, text, err)
		}
		opened, err := files.Open(name)
		if (err != nil) != (want == "") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			if err := opened.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	for folder, want := range map[string]string{"environments": "c", "environments/c": "one", "environments/c/one/Namespaces": "core new", "environments/c/one": "Inventory Namespaces tenant.yml", "none": ""} {
		entries, err := fs.ReadDir(files, folder)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); got != want || (err != nil) != (want == "") {
			t.Errorf("%s has %q, %v", folder, got, err)
		}
	}
	if got := c.Environments(); len(got) != 4 || !slices.Contains(got, inventory.Environment{Cluster: "e", Name: "new"}) {
		t.Errorf("the environments are %v", got)
	}
	if c.Has(inventory.Environment{Cluster: "e", Name: "none"}) || !c.Has(one) {
		t.Error("it has not the environments that it should have")
	}
}

// TestChangedInventory tells what an environment uses after the change, and the defects of the changed files alone.
func TestChangedInventory(t *testing.T) {
	one := inventory.Environment{Cluster: "c", Name: "one"}
	e, defects, err := changedRepository(t, map[string]string{"environments/parameters/common.yml": "parameters: [1]\n"}).Inventory(t.Context(), one)
	if err != nil || e == nil {
		t.Fatal(err)
	}
	used := e.Associated()
	if len(used) != 2 || used[0].Name != "common" || used[0].Object != "core-origin" || e.FolderOf("core-origin") != "core" || e.FolderOf("gone") != "gone" {
		t.Errorf("it uses %+v", used)
	}
	if len(defects) == 0 || defects[0].Position.File != "environments/parameters/common.yml" {
		t.Errorf("the defects are %v", defects)
	}
	if e, _, err := changedRepository(t, nil, "environments/d/three/Inventory/env_definition.yml").Inventory(t.Context(), inventory.Environment{Cluster: "d", Name: "three"}); err != nil || e != nil {
		t.Errorf("an environment without files is %v, %v", e, err)
	}
}
