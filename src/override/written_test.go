package override_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	realSetFolder = "environments/cluster-01/pl-01/effective-set/"
	realSession   = "6d5a6ce9-0b55-429d-8877-f7a88dae3d9c"
)

// generatedFiles are those of the real environment with the set that was generated for it.
func generatedFiles(t testing.TB) map[string]string {
	t.Helper()
	files := realFiles(t)
	const expected = "effectiveset/testdata/pl-01/expected"
	err := fs.WalkDir(os.DirFS(expected), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(expected, name))
		files[realSetFolder+name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// committed are files of a repository with what a store says of its environments, as a commit has it.
func committed(t testing.TB, s *store.Store, files map[string]string) map[string]string {
	t.Helper()
	var documents []instancerepo.Document
	for doc, err := range s.Documents(t.Context(), store.ListQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		read, err := instancerepo.FromStored(doc)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, read)
	}
	var there []instancerepo.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		there = append(there, instancerepo.File{Path: name, Data: []byte(files[name])})
	}
	edits, problems := instancerepo.Edits(there, documents, instancerepo.Sealing{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	after := maps.Clone(files)
	for name, text := range edits {
		if text == nil {
			delete(after, name)
			continue
		}
		after[name] = string(text)
	}
	return after
}

// TestWhatIsWrittenIsCalculated writes overrides in the mode effective-set. After each the set in the repository is what is calculated from the repository, byte for byte, and
// what was to be is what became.
func TestWhatIsWrittenIsCalculated(t *testing.T) {
	files := generatedFiles(t)
	text, err := os.ReadFile("effectiveset/testdata/pl-01/custom-params.json")
	if err != nil {
		t.Fatal(err)
	}
	custom, err := value.ParseJSON(text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	sboms := os.DirFS(realRepository + "/sboms")
	s := newStore(t, apitest.OpenBolt(t), files)
	c := newClient(t, override.Stored{Store: s}, override.Options{Mode: override.ModeEffectiveSet, Repository: repositoryOf, SBOMs: sboms})
	const environment = `"environmentId":"cluster-01/pl-01"`
	const namespace, application = environment + `,"namespaceName":"pl-01-pg"`, environment + `,"namespaceName":"pl-01-pg","applicationName":"postgres"`
	const deployed = realSetFolder + "deployment/pg/postgres/values/"
	edited := map[string]bool{ // by hand: the order of their members and quotes are not the calculator's
		realSetFolder + "runtime/monitoring-origin/MONITORING/parameters.yaml": true, realSetFolder + "runtime/pg/postgres/parameters.yaml": true}
	for _, step := range []struct {
		name, method, body string
		lines              map[string]int    // how many lines of a file are other ones
		has                map[string]string // a line of a file
		only               int               // how many files are written
	}{
		{name: "a value of the environment with a macro, and others that refer to it", method: "POST", body: environment + `,"context":"deploy","parameters":{"STORAGE_PROVIDER":"of ${TENANTNAME}"}`,
			lines: map[string]int{deployed + "deployment-parameters.yaml": 6}, has: map[string]string{deployed + "deployment-parameters.yaml": "CDN_STORAGE_PROVIDER: of Platform"}, only: 4},
		{name: "what the namespace sets itself", method: "PUT", body: environment + `,"context":"deploy","parameters":{"STORAGE_PROVIDER":"of ${TENANTNAME}","PARAM_2":"of the environment"}`,
			has: map[string]string{deployed + "deployment-parameters.yaml": "PARAM_2: value-2"}},
		{name: "a map, which has an anchor", method: "POST", body: namespace + `,"context":"deploy","parameters":{"MAP":{"a":{"b":[1,"x"]}}}`,
			has: map[string]string{deployed + "deployment-parameters.yaml": "  MAP: *id001"}, only: 2},
		{name: "another value in the map", method: "PUT", body: namespace + `,"context":"deploy","parameters":{"MAP":{"a":{"b":[2,"x"]}}}`,
			lines: map[string]int{deployed + "deployment-parameters.yaml": 1}, only: 2},
		{name: "the name of a service", method: "POST", body: application + `,"context":"deploy","parameters":{"patroni-core":{"image":1},"URL":"at ${creds.get('minio-cred').username}"}`,
			has: map[string]string{deployed + "collision-deployment-parameters.yaml": "patroni-core:\n  image: 1", deployed + "deployment-parameters.yaml": "patroni-core: *id", deployed + "credentials.yaml": "URL: at user-placeholder-123"}, only: 3},
		{name: "technical parameters", method: "POST", body: application + `,"context":"runtime","parameters":{"N":12345678901,"yes":"no"}`,
			has: map[string]string{realSetFolder + "runtime/pg/postgres/parameters.yaml": "N: '12345678901'"}, only: 1},
		{name: "technical parameters of the environment", method: "POST", body: environment + `,"context":"runtime","parameters":{"artifact":"other"}`, only: 2},
		{name: "of pipelines", method: "POST", body: environment + `,"context":"pipeline","parameters":{"CLOUD_LEVEL_PARAM_1":"${tenant.cloud.CLOUDNAME}"}`,
			has: map[string]string{realSetFolder + "pipeline/parameters.yaml": "CLOUD_LEVEL_PARAM_1: cluster_01_pl_01"}, only: 1},
		{name: "of pipelines in a namespace, which nothing reads", method: "POST", body: namespace + `,"context":"pipeline","parameters":{"A":1}`},
	} {
		t.Run(step.name, func(t *testing.T) {
			reply := c.must(step.method, overrides, "", "{"+step.body+"}", "*")
			for _, warning := range reply.Warnings {
				if strings.Contains(warning, "not-calculated") {
					t.Error(warning)
				}
			}
			after, written := committed(t, s, files), 0
			repo := fstest.MapFS{}
			for name, text := range after {
				repo[name] = &fstest.MapFile{Data: []byte(text)}
				if inSet := strings.HasPrefix(name, realSetFolder); inSet && text != files[name] {
					written++
					edited[name] = false
				}
			}
			set, err := effectiveset.Calculate(effectiveset.Input{Repo: repo, Cluster: "cluster-01", Name: "pl-01", SBOMs: sboms, Session: realSession, Custom: custom})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range set.Files {
				if got, is := after[realSetFolder+name]; !edited[realSetFolder+name] && (!is || got != string(text)) {
					t.Errorf("%s is not what is calculated: %s", name, firstDifference(got, string(text)))
				}
			}
			if written != step.only {
				t.Errorf("%d files are written, not %d", written, step.only)
			}
			for name, want := range step.lines {
				if got := otherLines(files[name], after[name]); got != want {
					t.Errorf("%d lines of %s are others, not %d", got, name, want)
				}
			}
			for name, want := range step.has {
				if !strings.Contains("\n"+after[name], "\n"+want) {
					t.Errorf("%s has no line %s:\n%s", name, want, after[name])
				}
			}
			query := "environmentId=cluster-01/pl-01&onOverlap=last&view="
			for _, place := range []string{"&context=deploy&namespaceName=pl-01-pg&applicationName=postgres", "&context=pipeline"} {
				became, toBe := toBeOf(t, c, "GET", query+"generated"+place, ""), toBeOf(t, c, "GET", query+"to-be"+place, "")
				if len(toBe.Changes) > 0 || len(toBe.Findings) > 0 || toBe.Basis != "calculation" {
					t.Errorf("there is still something to be: %+v", toBe.Changes)
				}
				if place == "&context=pipeline" && !sameJSON(t, became.Parameters, toBe.Parameters) {
					t.Errorf("%s became %s", toBe.Parameters, became.Parameters)
				}
			}
			files = after
		})
	}
}

func sameJSON(t testing.TB, a, b json.RawMessage) bool {
	t.Helper()
	one, err := value.ParseJSON(a, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := value.ParseJSON(b, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return value.Equal(one, other)
}

// otherLines is how many lines of a text are not in an earlier one.
func otherLines(before, after string) int {
	there := make(map[string]int)
	for _, line := range strings.Split(before, "\n") {
		there[line]++
	}
	n := 0
	for _, line := range strings.Split(after, "\n") {
		if there[line]--; there[line] < 0 {
			n++
		}
	}
	return n
}

// TestWhatIsLaidOver writes an override into sets that cannot be calculated: once where parameters are shared, and to the file of collisions where it has the name of a
// service. A notice says why it is not calculated.
func TestWhatIsLaidOver(t *testing.T) {
	files := generatedFiles(t)
	s := newStore(t, apitest.OpenBolt(t), files)
	c := newClient(t, override.Stored{Store: s}, override.Options{Mode: override.ModeEffectiveSet, Repository: repositoryOf})
	const deployed = realSetFolder + "deployment/pg/postgres/values/"
	reply := c.must("POST", overrides, "", `{"environmentId":"cluster-01/pl-01","namespaceName":"pl-01-pg","applicationName":"postgres","context":"deploy","parameters":{"api_config":{"connection":{"host":"other"}},"PARAM_2":"x","patroni-core":7}}`)
	if notices := strings.Join(reply.Warnings, "\n"); !strings.Contains(notices, "not-calculated") || !strings.Contains(notices, "has no SBOM") {
		t.Errorf("notices %q", notices)
	}
	after := committed(t, s, files)
	text := after[deployed+"deployment-parameters.yaml"]
	if n := otherLines(files[deployed+"deployment-parameters.yaml"], text); n != 4 { // of the map, PARAM_2 twice, and the one of the service below global
		t.Errorf("%d lines are others: %s", n, text)
	}
	for _, want := range []string{"\n  api_config: *id001\n", "\npatroni-core: *id003\n", "\n  patroni-core: 7\n", "\n  PARAM_2: x\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("it has no %q", want)
		}
	}
	if got := after[deployed+"collision-deployment-parameters.yaml"]; got != "patroni-core: 7\n" {
		t.Errorf("collisions: %q", got)
	}
	for name, text := range after {
		if strings.HasPrefix(name, realSetFolder) && text != files[name] && !strings.HasPrefix(name, deployed) {
			t.Errorf("%s is another one", name)
		}
	}
}
