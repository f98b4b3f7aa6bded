package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

// TestLayeringBases locks a base in Git, renders with it without the network, and sees what it changes.
func TestLayeringBases(t *testing.T) {
	repository := gittest.New(t, map[string]string{
		"layers/values.yaml":   "replicas: 1\ntag: '1.4'\n",
		"layers/layering.yaml": "apiVersion: layering.dovetail.dev/v1\nkind: Layering\nspec:\n  values: [{file: values.yaml, name: base, layer: base, abstract: true, labels: {is: base}}]\n"})
	t.Chdir(t.TempDir())
	writeFile(t, "shop/layering.yaml", "apiVersion: layering.dovetail.dev/v1\nkind: Layering\nspec:\n  layerOrder: [base, site]\n  bases: [{name: platform, git: '"+repository.Dir+"', path: layers}]\n"+
		"  values: [{file: values.yaml, name: shop, layer: site, parentSelector: {is: base}}]\n")
	writeFile(t, "shop/values.yaml", "replicas: 3\n")
	run := func(want, part string, code int) {
		t.Helper()
		stdout, stderr, got := runCommand(t.Context(), t, cli.Deps{}, "XDG_CACHE_HOME=cache dovetail layering "+want)
		if !strings.Contains(stdout+stderr, part) || got != code {
			t.Errorf("%s (%d):\n%s%s", want, got, stdout, stderr)
		}
	}
	run("render -f shop", "there is no lock file shop/layering.lock", 1)
	run("lock -f shop", "new", 0)
	run("lock -f shop --verify", "platform", 0)
	if err := os.Rename(repository.Dir, repository.Dir+".gone"); err != nil {
		t.Fatal(err)
	}
	run("render -f shop", "replicas: 3\ntag: \"1.4\"\n", 0)
	run("render -f shop --explain .tag", "(platform:values.yaml:2:6)", 0)
	run("lock -f shop", "the base platform cannot be read: there is no repository", 6)
	if err := os.Rename(repository.Dir+".gone", repository.Dir); err != nil {
		t.Fatal(err)
	}
	repository.Push("new", map[string]string{"layers/values.yaml": "replicas: 1\ntag: '1.5'\n"})
	run("render -f shop", "1.4", 0)
	run("lock -f shop --verify", "was ", 1)
	if err := os.CopyFS("next", os.DirFS("shop")); err != nil {
		t.Fatal(err)
	}
	run("lock -f next", "was ", 0)
	run("impact shop -f next", "changed   helm/Values/v1 shop in site   /tag   \"1.4\"   \"1.5\"", 0)
	repository.Push("misspelt", map[string]string{"layers/layering.yaml": "apiVersion: layering.dovetail.dev/v1\nkind: Layering\nspec:\n  values: [{file: values.yaml, name: base, laeyr: base}]\n"})
	run("lock -f next", "was ", 0)
	run("lint -f next --fix", "platform:layering.yaml:4:44: an item of values has the unknown member \"laeyr\"", 1)
	repository.Push("nested", map[string]string{"layers/layering.yaml": "apiVersion: layering.dovetail.dev/v1\nkind: Layering\nspec:\n  bases: [{name: other, git: x}]\n"})
	run("lock -f next", "was ", 0)
	run("lint -f next", "it is named in the base platform", 1)
	if _, err := os.Stat(filepath.Join("cache", "dovetail", "bases")); err != nil {
		t.Error(err)
	}
	run("lock -f shop/values.yaml", "no Layering in the files has bases", 3)
	run("lock -f -", "-f must name one", 2)
}
