package gitops

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// kustomizeExample returns the files that the documentation of layered documents shows for kustomize, and result, what is built of them.
func kustomizeExample(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(repository + "/docs/layering.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```yaml\n# kustomize (\\S+)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		files[block[1]] = block[2]
	}
	if len(files) != 4 {
		t.Fatalf("%d files", len(files))
	}
	return files
}

// build has kustomize build a folder with the files, in which it calls the program.
func build(t *testing.T, files map[string]string) (string, error) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"))
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionLegacy // as the command kustomize does
	options.PluginConfig = types.EnabledPluginConfig(types.BploUseStaticallyLinked)
	options.PluginConfig.FnpLoadingOptions.EnableExec = true
	built, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return "", err
	}
	text, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return string(text), nil
}

// TestKustomize has kustomize call the program as a function, as the documentation shows.
func TestKustomize(t *testing.T) {
	files := kustomizeExample(t)
	built, err := build(t, files)
	if err != nil {
		t.Fatal(err)
	}
	if built != files["result"] {
		t.Errorf("built\n%s\nthe documentation shows\n%s", built, files["result"])
	}
}

// TestKustomizeRefuses shows that nothing is built of layers that are refused.
func TestKustomizeRefuses(t *testing.T) {
	files := kustomizeExample(t)
	files["web.yaml"] = strings.Replace(files["web.yaml"], "layering.dovetail.dev/layer: site", "layering.dovetail.dev/layer: rack", 1)
	if built, err := build(t, files); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("%v, and built\n%s", err, built)
	}
}
