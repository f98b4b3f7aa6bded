package override_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// changing is a store with the real environment, and the files of SBOMs, both of which change.
type changing struct {
	t     testing.TB
	store *store.Store
	sboms fstest.MapFS
}

// sbomNames are the files of the SBOMs of the real environment.
const (
	postgresSBOM   = "postgres/postgres-pg16-2.10.5-20241215.141230-3-RELEASE.sbom.json"
	monitoringSBOM = "MONITORING/MONITORING-0.91.0-delivery-20241115.141230-4-RELEASE.sbom.json"
)

func newChanging(t testing.TB) *changing {
	t.Helper()
	c := &changing{t: t, store: newStore(t, apitest.OpenBolt(t), realFiles(t)), sboms: fstest.MapFS{}}
	for _, name := range []string{postgresSBOM, monitoringSBOM} {
		c.put(name)
	}
	return c
}

// put gives the SBOM of a name: the real one.
func (c *changing) put(name string) {
	c.t.Helper()
	text, err := fs.ReadFile(os.DirFS(realRepository+"/sboms"), name)
	if err != nil {
		c.t.Fatal(err)
	}
	c.sboms[name] = &fstest.MapFile{Data: text}
}

// write sets a member of a document, which is made if there is none; nil removes it.
func (c *changing) write(id dovetail.ID, to *value.Value, path ...string) {
	c.t.Helper()
	data := value.NewMap(value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: "name", Value: value.NewString(id.Key()[len(id.Key())-1].Value)})})
	doc, err := c.store.Get(c.t.Context(), id)
	if err == nil {
		read, err := value.DataOf(doc, nil)
		if err != nil {
			c.t.Fatal(err)
		}
		data = read.Unplaced()
	} else if dovetail.CodeOf(err) != dovetail.CodeNotFound {
		c.t.Fatal(err)
	}
	at := data
	for _, name := range append([]string{"spec"}, path[:len(path)-1]...) {
		if next := at.Get(name); next == nil || next.Kind != value.Map {
			at.Set(name, value.NewMap())
		}
		at = at.Get(name)
	}
	if last := path[len(path)-1]; to == nil {
		at.Delete(last)
	} else {
		at.Set(last, to)
	}
	c.apply(store.Operation{Verb: store.Put, ID: id, Data: data})
}

func (c *changing) apply(operation store.Operation) {
	c.t.Helper()
	if _, err := c.store.Apply(c.t.Context(), []store.Operation{operation}, store.Options{}); err != nil && dovetail.CodeOf(err) != dovetail.CodeNotFound {
		c.t.Fatal(err)
	}
}

// whole calculates the set from all documents of the store, of whatever environment.
func (c *changing) whole() (*effectiveset.Set, error) {
	c.t.Helper()
	var documents []*dovetail.Document
	for doc, err := range c.store.Export(c.t.Context()) {
		if err != nil {
			c.t.Fatal(err)
		}
		documents = append(documents, doc)
	}
	repository, problems, err := repositoryOf(documents)
	if err != nil || len(problems) > 0 {
		c.t.Fatal(err, problems)
	}
	return effectiveset.Calculate(effectiveset.Input{Repo: repository, Cluster: "cluster-01", Name: "pl-01", SBOMs: c.sboms})
}

// change draws one: of a parameter on any level, a ParamSet, a credential, an override, the names of SBOMs in the solution descriptor, the SBOMs themselves, or of another environment.
func (c *changing) change(r *rapid.T, api *client) {
	const env = dovetail.ID("cluster/cluster-01/environment/pl-01")
	name := rapid.SampledFrom([]string{"NEW", "STORAGE_SERVER_URL", "PARAM_2"}).Draw(r, "name")
	v, err := value.ParseJSON([]byte(rapid.SampledFrom([]string{`"x"`, `1`, `{"a":{"b":[1]}}`, `"at ${STORAGE_PROVIDER}"`, `"${creds.get('minio-cred').password}"`, `"${nothing}"`}).Draw(r, "value")), value.Limits{})
	if err != nil {
		c.t.Fatal(err)
	}
	if rapid.IntRange(0, 3).Draw(r, "removed") == 0 {
		v = nil
	}
	member := rapid.SampledFrom([]string{"deployParameters", "technicalConfigurationParameters", "e2eParameters"}).Draw(r, "member")
	secret := value.NewString(rapid.SampledFrom([]string{"one-password", "two-password"}).Draw(r, "secret"))
	switch rapid.SampledFrom([]string{"cloud", "tenant", "namespace", "application", "ParamSet", "credential", "credential goes", "override", "descriptor", "SBOM", "another environment", "nothing"}).Draw(r, "change") {
	case "cloud":
		c.write(env, v, "cloud", member, name)
	case "tenant":
		c.write(env, v, "tenant", member, name)
	case "namespace":
		c.write(env.Child("deployPostfix", "pg"), v, member, name)
	case "application":
		c.write(env.Child("deployPostfix", "pg").Child("application", "postgres"), v, member, name)
	case "ParamSet":
		c.write(env.Child("environmentParamSet", "env-specific-bss"), v, "parameters", name)
	case "credential":
		c.write(env.Child("environmentCredential", "minio-cred"), value.NewString("usernamePassword"), "type")
		c.write(env.Child("environmentCredential", "minio-cred"), value.NewString("u"), "data", "username")
		c.write(env.Child("environmentCredential", "minio-cred"), secret, "data", "password")
	case "credential goes":
		c.apply(store.Operation{Verb: store.Delete, ID: env.Child("environmentCredential", "minio-cred")})
	case "override":
		if v == nil {
			v = value.NewString("")
		}
		place := rapid.SampledFrom([]string{"", `"namespaceName":"pl-01-pg",`, `"namespaceName":"pl-01-pg","applicationName":"postgres",`}).Draw(r, "place")
		body := fmt.Sprintf(`{"environmentId":"cluster-01/pl-01",%s"context":"deploy","parameters":{%q:%s}}`, place, name, v.JSON())
		if _, err := api.call("POST", overrides, "", body); dovetail.CodeOf(err) == dovetail.CodeExists {
			api.must("PUT", overrides, "", body, "*")
		} else if err != nil {
			c.t.Fatal(err)
		}
	case "descriptor":
		all := map[string]string{"monitoring": "MONITORING:0.91.0-delivery-20241115.141230-4-RELEASE", "pg": "postgres:pg16-2.10.5-20241215.141230-3-RELEASE"}
		applications := value.NewList()
		for _, postfix := range rapid.SampledFrom([][]string{{"monitoring", "pg"}, {"pg"}, {"monitoring"}, {"pg", "monitoring"}}).Draw(r, "applications") {
			applications.Items = append(applications.Items, value.NewMap(value.Member{Name: "version", Value: value.NewString(all[postfix])}, value.Member{Name: "deployPostfix", Value: value.NewString(postfix)}))
		}
		if rapid.Bool().Draw(r, "unknown version") {
			applications.Items[0].Set("version", value.NewString("postgres:later"))
		}
		c.write(env.Child("solutionDescriptor", "full"), applications, "applications")
	case "SBOM":
		name := rapid.SampledFrom([]string{postgresSBOM, monitoringSBOM, "postgres/postgres-later.sbom.json"}).Draw(r, "SBOM")
		switch {
		case c.sboms[name] != nil:
			delete(c.sboms, name)
		case strings.Contains(name, "later"):
			c.sboms[name] = &fstest.MapFile{Data: []byte(`{"metadata":{"component":{"name":"postgres","version":"later"}},"components":[]}`)}
		default:
			c.put(name)
		}
	case "another environment":
		c.write("cluster/cluster-01/environment/pl-02/deployPostfix/ns-test", value.NewString("pl-02-"+strings.ToLower(name)), "namespace")
	}
}

// TestIncrementalEqualsWhole draws sequences of changes of the real environment. After each of them, a service that keeps what it has calculated answers what one that has kept nothing does, in sets, in
// what is to be and in impacts, and the files of sets are those that are calculated from all that the store has.
func TestIncrementalEqualsWhole(t *testing.T) {
	complete, incomplete := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		c := newChanging(t)
		options := override.Options{Repository: repositoryOf, SBOMs: c.sboms}
		kept := newClient(t, override.Stored{Store: c.store}, options)
		const target = "environmentId=cluster-01/pl-01&context=deploy&namespaceName=pl-01-pg&applicationName=postgres&view=to-be&onOverlap=last"
		for range rapid.IntRange(1, 4).Draw(r, "changes") {
			c.change(r, kept)
			fresh := newClient(t, override.Stored{Store: c.store}, options)
			whole, failed := c.whole()
			for _, name := range []string{"deployment", "runtime", "pipeline", "cleanup", "topology"} {
				query := "environmentId=cluster-01/pl-01&context=" + name
				got, want := answered(t, kept, "GET", "/api/effective-set/calculated", query, ""), answered(t, fresh, "GET", "/api/effective-set/calculated", query, "")
				if got != want {
					r.Fatalf("%s: kept %s\nfrom scratch %s", name, got, want)
				}
				var set calculated
				if err := json.Unmarshal([]byte(got), &set); err != nil {
					t.Fatal(err)
				}
				if set.Complete != (failed == nil) {
					r.Fatalf("%s: complete is %t, and the whole: %v", name, set.Complete, failed)
				}
				files := make(map[string]string)
				for _, f := range set.Files {
					files[f.Path] = f.Content
				}
				if whole == nil {
					whole = &effectiveset.Set{}
				}
				for path, text := range whole.Files {
					if of, content := strings.HasPrefix(path, name+"/"), files[path]; of && content != string(text) {
						r.Fatalf("%s: %s", path, firstDifference(content, string(text)))
					}
					delete(files, path)
				}
				for path := range files {
					r.Fatalf("%s is not in the whole set", path)
				}
			}
			for _, ask := range []struct{ method, path, query, body string }{
				{"GET", effectivePath, target, ""},
				{"POST", "/api/effective-set/impact", "limit=1000", `{"override":{"environmentId":"cluster-01/pl-01","context":"deploy","parameters":{"STORAGE_PROVIDER":"drafted"}}}`},
			} {
				if got, want := answered(t, kept, ask.method, ask.path, ask.query, ask.body), answered(t, fresh, ask.method, ask.path, ask.query, ask.body); got != want {
					r.Fatalf("%s %s: kept %s\nfrom scratch %s", ask.method, ask.path, got, want)
				}
			}
			if failed == nil {
				complete++
			} else {
				incomplete++
			}
		}
	})
	if complete == 0 || incomplete == 0 {
		t.Errorf("%d sets were complete, %d were not: of one sort nothing was seen", complete, incomplete)
	}
}

// answered is an answer as JSON, or what it was refused with.
func answered(t testing.TB, c *client, method, path, query, body string) string {
	t.Helper()
	reply, err := c.call(method, path, query, body)
	if err != nil {
		return "refused: " + dovetail.AsError(err).Error()
	}
	text, err := json.Marshal(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
