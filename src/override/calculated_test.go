package override_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// calculated is what the API answers.
type calculated struct {
	Basis    string
	Complete bool
	Files    []struct {
		Path, Content string
		Explained     json.RawMessage
	}
	Findings []struct{ Severity, Reason, Location, Message, Remedy string }
}

const realRepository = "effectiveset/testdata/pl-01/repo"

// realFiles are those of an environment of EnvGene's own tests.
func realFiles(t testing.TB) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := fs.WalkDir(os.DirFS(realRepository), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "ml") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(realRepository, name))
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func repositoryOf(documents []*dovetail.Document) (fs.FS, []*dovetail.Error, error) {
	var all []instancerepo.Document
	for _, doc := range documents {
		read, err := instancerepo.FromStored(doc)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, read)
	}
	files, problems := instancerepo.Files(all)
	return instancerepo.FileSystem(files), problems, nil
}

func calculate(t testing.TB, c *client, query string) calculated {
	t.Helper()
	text, err := json.Marshal(c.must("GET", "/api/effective-set/calculated", query, "").Body)
	if err != nil {
		t.Fatal(err)
	}
	var set calculated
	if err := json.Unmarshal(text, &set); err != nil {
		t.Fatal(err)
	}
	return set
}

// TestCalculatedSet calculates the set of stored documents, which is that of their files.
func TestCalculatedSet(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), realFiles(t))
	sboms := os.DirFS(realRepository + "/sboms")
	c := newClient(t, override.Stored{Store: s}, override.Options{Repository: repositoryOf, SBOMs: sboms})
	of, err := effectiveset.Calculate(effectiveset.Input{Repo: os.DirFS(realRepository), Cluster: "cluster-01", Name: "pl-01", SBOMs: sboms, Session: "a-session"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipeline", "topology", "cleanup", "deployment", "runtime"} {
		t.Run(name, func(t *testing.T) {
			set := calculate(t, c, "environmentId=cluster-01/pl-01&session=a-session&context="+name)
			if !set.Complete || len(set.Files) == 0 {
				t.Errorf("complete is %t, there are %d files, and it is found: %v", set.Complete, len(set.Files), set.Findings)
			}
			for _, f := range set.Files {
				if want := string(of.Files[f.Path]); f.Content != want {
					t.Errorf("%s differs from the set of the files: %s", f.Path, firstDifference(f.Content, want))
				}
				delete(of.Files, f.Path)
			}
		})
	}
	for name := range of.Files {
		t.Errorf("%s is not answered", name)
	}
}

// firstDifference shows the first line in which texts differ.
func firstDifference(got, want string) string {
	is, wanted := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(is), len(wanted)) {
		if is[i] != wanted[i] {
			return is[i] + " instead of " + wanted[i]
		}
	}
	return "one is longer"
}

// TestCalculatedSetWithoutSBOMs names what is missing, and calculates the rest.
func TestCalculatedSetWithoutSBOMs(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), realFiles(t))
	c := newClient(t, override.Stored{Store: s}, override.Options{Repository: repositoryOf})
	set := calculate(t, c, "environmentId=cluster-01/pl-01&context=topology")
	if set.Complete || len(set.Files) == 0 {
		t.Errorf("complete is %t, with %d files", set.Complete, len(set.Files))
	}
	for _, app := range []string{"MONITORING", "postgres"} {
		if !slices.ContainsFunc(set.Findings, func(f struct{ Severity, Reason, Location, Message, Remedy string }) bool {
			return f.Severity == "error" && strings.Contains(f.Message, "the application "+app+" has no SBOM")
		}) {
			t.Errorf("the SBOM of %s is not missed in %v", app, set.Findings)
		}
	}
}

// TestCalculatedSetOfEncryptedCredentials opens credentials with the keys that there are, and shows none of them: neither in files nor in explanations. Without keys each is an error.
func TestCalculatedSetOfEncryptedCredentials(t *testing.T) {
	keys, err := ciphertext.ParseKeys("key", []byte("cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="))
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(t, apitest.OpenBolt(t), encryptedFiles(t, realFiles(t), keys))
	options := override.Options{Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms")}
	if set := calculate(t, newClient(t, override.Stored{Store: s}, options), "environmentId=cluster-01/pl-01&context=deployment"); set.Complete || len(set.Files) > 0 {
		t.Errorf("without keys there are %d files", len(set.Files))
	}
	options.Open = keys.Open
	c := newClient(t, override.Stored{Store: s}, options)
	of, err := effectiveset.Calculate(effectiveset.Input{Repo: os.DirFS(realRepository), Cluster: "cluster-01", Name: "pl-01", SBOMs: options.SBOMs})
	if err != nil {
		t.Fatal(err)
	}
	secrets := make(map[string]bool)
	for _, name := range []string{"deployment/pg/postgres/values/credentials.yaml", "topology/credentials.yaml"} {
		for _, text := range leaves(t, map[string][]byte{name: of.Files[name]}, nil) {
			if len(text) > 12 {
				secrets[strings.Trim(text, `"`)] = true
			}
		}
	}
	if len(secrets) == 0 {
		t.Fatal("the real set has no secrets, so that this test sees nothing")
	}
	hidden := 0
	for _, name := range []string{"deployment", "runtime", "pipeline", "cleanup", "topology"} {
		for _, view := range []string{"", "&view=explain"} {
			set := calculate(t, c, "environmentId=cluster-01/pl-01&context="+name+view)
			if !set.Complete || set.Basis != "calculation" {
				t.Errorf("%s is made of %q: %v", name, set.Basis, set.Findings)
			}
			for _, f := range set.Files {
				text := f.Content + string(f.Explained)
				hidden += strings.Count(text, "(secret)")
				for secret := range secrets {
					if strings.Contains(text, secret) {
						t.Errorf("%s shows %s", f.Path, secret)
					}
				}
				if want := string(of.Files[f.Path]); !strings.Contains(text, "(secret)") && f.Content != want {
					t.Errorf("%s differs from the set of the files: %s", f.Path, firstDifference(f.Content, want))
				}
				if strings.Count(f.Content, "\n") > strings.Count(string(of.Files[f.Path]), "\n") {
					t.Errorf("%s has more lines: what stands at several places is not one value", f.Path)
				}
			}
		}
	}
	if hidden == 0 {
		t.Error("no secret is shown as one")
	}
}

// TestTopologyOfNamespaceWithoutName names a namespace of another environment that has no name, and has no empty key for it.
func TestTopologyOfNamespaceWithoutName(t *testing.T) {
	const other = "environments/cluster-01/another/Namespaces/"
	files := realFiles(t)
	files[other+"core/namespace.yml"] = "deployParameters: {}\n"
	files[other+"folder/Applications/a.yml"] = "name: a\n"
	files[other+"named/namespace.yml"] = "name: named\n"
	c := newClient(t, override.Stored{Store: newStore(t, apitest.OpenBolt(t), files)}, override.Options{Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms")})
	set := calculate(t, c, "environmentId=cluster-01/pl-01&context=topology")
	if !set.Complete || len(set.Files) == 0 {
		t.Fatalf("complete is %t, with %d files: %v", set.Complete, len(set.Files), set.Findings)
	}
	for _, f := range set.Files {
		if strings.Contains(f.Content, "'':") || f.Path == "topology/parameters.yaml" && !strings.Contains(f.Content, "named:\n") {
			t.Errorf("%s is\n%s", f.Path, f.Content)
		}
	}
	for _, folder := range []string{"core", "folder"} {
		found := 0
		for _, f := range set.Findings {
			if f.Reason == "namespace-unnamed" && strings.HasPrefix(f.Location, other+folder+"/namespace.yml:1:1") && f.Severity == "warning" {
				found++
			}
		}
		if found != 1 {
			t.Errorf("the namespace %s is found %d times: %v", folder, found, set.Findings)
		}
	}
}

// TestCalculatedSetIsKept calculates a set again only when something that it was calculated from has changed.
func TestCalculatedSetIsKept(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), realFiles(t))
	const name = "postgres/postgres-pg16-2.10.5-20241215.141230-3-RELEASE.sbom.json"
	sbom, err := os.ReadFile(realRepository + "/sboms/" + name)
	if err != nil {
		t.Fatal(err)
	}
	sboms := fstest.MapFS{}
	runs := 0
	c := newClient(t, override.Stored{Store: s}, override.Options{SBOMs: sboms, Repository: func(documents []*dovetail.Document) (fs.FS, []*dovetail.Error, error) {
		runs++
		return repositoryOf(documents)
	}})
	id := inventory.Environment{Cluster: "cluster-01", Name: "pl-01"}.ID()
	for _, step := range []struct {
		name, query string
		before      func()
		runs        int
	}{
		{name: "first", query: "context=cleanup", runs: 1},
		{name: "again", query: "context=cleanup", runs: 1},
		{name: "of another context", query: "context=runtime", runs: 1},
		{name: "the topology is of more documents", query: "context=topology", runs: 2},
		{name: "an SBOM appears", query: "context=runtime", before: func() { sboms[name] = &fstest.MapFile{Data: sbom} }, runs: 3},
		{name: "another SBOM appears, which is of no application", query: "context=runtime", before: func() { sboms["x"] = &fstest.MapFile{} }, runs: 3},
		{name: "another session", query: "context=runtime&session=x", runs: 4},
		{name: "a document is written", query: "context=runtime&session=x", runs: 5, before: func() {
			doc, err := s.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			data, err := value.DataOf(doc, nil)
			if err != nil {
				t.Fatal(err)
			}
			data = data.Unplaced()
			data.Get("spec").Get("tenant").Set("description", value.NewString("another"))
			if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: id, Data: data}}, store.Options{}); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		if step.before != nil {
			step.before()
		}
		calculate(t, c, "environmentId=cluster-01/pl-01&"+step.query)
		if runs != step.runs {
			t.Errorf("%s: calculated %d times, not %d", step.name, runs, step.runs)
		}
	}
}

// BenchmarkCalculatedSet compares a set that is calculated with one that was kept.
func BenchmarkCalculatedSet(b *testing.B) {
	s := newStore(b, apitest.OpenBolt(b), realFiles(b))
	c := newClient(b, override.Stored{Store: s}, override.Options{Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms")})
	for _, kept := range []bool{false, true} {
		b.Run(map[bool]string{false: "calculated", true: "kept"}[kept], func(b *testing.B) {
			for i := range b.N {
				session := "&session="
				if !kept {
					session += strconv.Itoa(i)
				}
				c.must("GET", "/api/effective-set/calculated", "environmentId=cluster-01/pl-01&context=deployment"+session, "")
			}
		})
	}
}
