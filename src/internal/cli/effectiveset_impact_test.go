package cli_test

import (
	"io/fs"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
)

// repositoryOf makes an instance repository of documents.
func repositoryOf(documents []*dovetail.Document) (fs.FS, []*dovetail.Error, error) {
	all := make([]instancerepo.Document, len(documents))
	for i, doc := range documents {
		var err error
		if all[i], err = instancerepo.FromStored(doc); err != nil {
			return nil, nil, err
		}
	}
	files, problems := instancerepo.Files(all)
	return instancerepo.FileSystem(files), problems, nil
}

// TestImpactOnServer asks a server for the impact of a draft, and shows it as that of files.
func TestImpactOnServer(t *testing.T) {
	t.Chdir(t.TempDir())
	db, err := app.OpenDatabase(t.Context(), "bolt:"+memdir.New(t)+"/test.db", "", store.Config{Clock: clock(), NewUID: counter()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	api := httpapi.New(db.Store, httpapi.Options{Services: []httpapi.Service{override.New(override.Stored{Store: db.Store}, override.Options{Repository: repositoryOf}).Service()}})
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	t.Cleanup(api.Close)
	deps := newDeps(t, false)
	deps.Connect = app.Connect
	run := func(code int, args ...string) string {
		t.Helper()
		return must(t, deps, code, append(args, "--server", server.URL)...)
	}
	writeFile(t, "documents.yaml", "kind: cluster\nmetadata: {name: c}\n---\nkind: environment\nkey: {cluster: c}\nmetadata: {name: e}\n"+
		"spec: {tenant: {name: t, globalE2EParameters: {}}, cloud: {name: c, maasConfig: {}, vaultConfig: {}, consulConfig: {}, e2eParameters: {LEVEL: info}}}\n")
	run(0, "apply", "-f", "documents.yaml")
	writeFile(t, "override.yaml", "override: {environmentId: c/e, context: pipeline, parameters: {LEVEL: debug}}\n")
	if got := run(0, "effective-set", "impact", "--draft", "override.yaml"); !strings.Contains(got, `c/e           pipeline/parameters.yaml   /LEVEL   "info"   "debug"   cloud`) ||
		!strings.Contains(got, "1 difference; the change reaches 1 environment and changes 1") {
		t.Error(got)
	}
	if got := run(0, "effective-set", "impact", "--draft", "override.yaml", "-o", "json", "--limit", "0"); !strings.Contains(got, `"omitted": 1`) {
		t.Error(got)
	}
	writeFile(t, "paramset.json", `{"paramSet":{"name":"x","location":"environments/parameters","parameters":{"A":"${B}"},"associations":[{"environmentId":"c/e","context":"pipeline","associatedObject":"cloud"}]}}`)
	if got := run(1, "effective-set", "impact", "--draft", "paramset.json"); !strings.Contains(got, "the change reaches 1 environment and changes 0, and of 1 the set is not complete") {
		t.Error(got)
	}
	writeFile(t, "wrong.yaml", "overide: {}\n")
	run(6, "effective-set", "impact", "--draft", "wrong.yaml")
	writeFile(t, "unknown.yaml", "override: {environmentId: c/e, contxt: pipeline, parameters: {}}\n")
	run(6, "effective-set", "impact", "--draft", "unknown.yaml")
	run(2, "effective-set", "impact", "--draft", "override.yaml", "--env", "c/e")
}
