package override_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestKeptImpactsAreThoseOfNow asks one service for impacts, again and again between random writes of documents and SBOMs, and each time one that has kept nothing: both say the
// same. What has not changed is not calculated again.
func TestKeptImpactsAreThoseOfNow(t *testing.T) {
	const environments = 6
	files := sharedFiles(environments, func(i int) bool { return i%3 != 2 })
	for i := range environments {
		root := fmt.Sprintf("environments/c/e%05d/", i)
		files[root+"Namespaces/core/namespace.yml"] = fmt.Sprintf("name: e%d-core\ndeployParameters: {URL: 'at ${HOST}', LIST: [1]}\n", i)
		files[root+"Inventory/solution-descriptor/sd.yaml"] = "applications:\n- {version: 'app:1', deployPostfix: core}\n"
		files[root+"cloud.yml"] += "deployParameters: {HOST: one, LEVEL: info}\n"
	}
	s := newStore(t, apitest.OpenBolt(t), files)
	sbom := func(version string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"metadata":{"component":{"name":"app","version":"` + version + `","components":[{"name":"` + version + `"}]}},"components":[]}`)}
	}
	sboms := fstest.MapFS{"app/app-1.sbom.json": sbom("1")}
	var calculated atomic.Int64
	options := override.Options{SBOMs: sboms, Repository: func(documents []*dovetail.Document) (fs.FS, []*dovetail.Error, error) {
		calculated.Add(1)
		return repositoryOf(documents)
	}}
	kept := newClient(t, override.Stored{Store: s}, options)
	environment := func(r *rapid.T) inventory.Environment {
		return inventory.Environment{Cluster: "c", Name: fmt.Sprintf("e%05d", rapid.IntRange(0, environments-1).Draw(r, "environment"))}
	}
	set := func(id dovetail.ID, path []string, v string) {
		doc, err := s.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		data = data.Unplaced()
		at := data.Get("spec")
		for _, name := range path[:len(path)-1] {
			if at.Get(name) == nil {
				at.Set(name, value.NewMap())
			}
			at = at.Get(name)
		}
		parsed, err := value.ParseJSON([]byte(v), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		at.Set(path[len(path)-1], parsed)
		if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: id, Data: data}}, store.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	values := []string{`"a"`, `"${HOST}"`, `"${nothing}"`, `{"a":1}`, `[1,2]`}
	drafts := []string{
		`{"paramSet":{"name":"common","location":"environments/parameters","parameters":{"LEVEL":%s}}}`,
		`{"override":{"environmentId":"c/e00001","context":"deploy","parameters":{"HOST":%s}}}`,
		`{"override":{"environmentId":"c/e00004","context":"deploy","namespaceName":"e4-core","applicationName":"app","parameters":{"LIST":%s}}}`,
		`{"paramSet":{"name":"common","location":"environments/parameters","parameters":{"HOST":%s},"associations":[{"environmentId":"c/e00002","context":"deploy","associatedObject":"cloud"},{"environmentId":"c/e00000","context":"deploy","associatedObject":"core"}]}}`,
	}
	ask := func(c *client, body string) string {
		text, err := json.Marshal(impactOf(t, c, "limit=10000", body))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rapid.Check(t, func(r *rapid.T) {
		for range rapid.IntRange(1, 4).Draw(r, "steps") {
			v := rapid.SampledFrom(values).Draw(r, "value")
			switch rapid.SampledFrom([]string{"cloud", "namespace", "paramSet", "pipeline", "sbom", "nothing"}).Draw(r, "write") {
			case "cloud":
				set(environment(r).ID(), []string{"cloud", "deployParameters", "HOST"}, v)
			case "pipeline":
				set(environment(r).ID(), []string{"cloud", "e2eParameters", "OTHER"}, v)
			case "namespace":
				set(environment(r).ID().Child("deployPostfix", "core"), []string{"deployParameters", "LEVEL"}, v)
			case "paramSet":
				set(dovetail.ID("").Child("siteParamSet", "first"), []string{"parameters", "LEVEL"}, v)
			case "sbom":
				if rapid.Bool().Draw(r, "there") {
					sboms["app/app-1.sbom.json"] = sbom(rapid.SampledFrom([]string{"1", "2"}).Draw(r, "version"))
				} else {
					delete(sboms, "app/app-1.sbom.json")
				}
			}
			body := fmt.Sprintf(rapid.SampledFrom(drafts).Draw(r, "draft"), rapid.SampledFrom(values).Draw(r, "drafted"))
			first, whole := ask(kept, body), ask(newClient(t, override.Stored{Store: s}, options), body)
			if first != whole {
				r.Fatalf("%s:\nkept: %s\nwhole: %s", body, first, whole)
			}
			before := calculated.Load()
			if again := ask(kept, body); again != first || calculated.Load() != before {
				r.Fatalf("again %s: %d are calculated", again, calculated.Load()-before)
			}
		}
	})
	if calculated.Load() == 0 {
		t.Error("nothing was calculated")
	}
}

// TestKeptImpactsOfSBOMs: nothing is kept across a changed SBOM.
func TestKeptImpactsOfSBOMs(t *testing.T) {
	files := realFiles(t)
	sboms := fstest.MapFS{}
	c := newClient(t, override.Stored{Store: newStore(t, apitest.OpenBolt(t), files)}, override.Options{Repository: repositoryOf, SBOMs: sboms})
	const body = `{"override":{"environmentId":"cluster-01/pl-01","context":"deploy","parameters":{"A":"b"}}}`
	without := impactOf(t, c, "", body)
	err := fs.WalkDir(os.DirFS(realRepository+"/sboms"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(realRepository+"/sboms"), name)
		sboms[name] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	with := impactOf(t, c, "", body)
	if without.Failed != 1 || with.Failed != 0 || with.Differences <= without.Differences {
		t.Errorf("%+v, then %d failed and %d differences", without, with.Failed, with.Differences)
	}
	if !strings.Contains(fmt.Sprint(with.Environments[0].Differences), "deployment/pg") {
		t.Error("nothing of the applications")
	}
}
