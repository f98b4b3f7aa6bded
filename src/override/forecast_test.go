package override_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/value"
)

// impactAnswer is what the API answers.
type impactAnswer struct {
	Environments []struct {
		EnvironmentID string
		Total         int
		Differences   []struct {
			File, Path, Op, Level, Source string
			From, To                      json.RawMessage
			Secret                        bool
		}
		Problems []struct{ When, Message string }
		Findings []struct{ Reason, Location, Message string }
	}
	Calculated, Changed, Failed, Differences, Omitted, Unmeasured int
}

func impactOf(t testing.TB, c *client, query, body string) impactAnswer {
	t.Helper()
	text, err := json.Marshal(c.must("POST", "/api/effective-set/impact", query, body).Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer impactAnswer
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// leaves are those of the files of a set that are not those of another; lists are leaves.
func leaves(t testing.TB, files, other map[string][]byte) map[string]string {
	t.Helper()
	all := make(map[string]string)
	var add func(at string, v *value.Value)
	add = func(at string, v *value.Value) {
		for _, m := range v.Members {
			add(at+value.Pointer(m.Name), m.Value)
		}
		if len(v.Members) == 0 {
			all[at] = string(v.JSON())
		}
	}
	for name, text := range files {
		if string(text) == string(other[name]) {
			continue
		}
		read, err := yaml.ParseClassic(name, text, value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if len(read) > 0 {
			add(name, read[0])
		}
	}
	return all
}

// TestImpactOfDrafts draws overrides of a real environment that are not stored: the impact is what differs between its set and the one of the repository whose
// objects were edited by hand.
func TestImpactOfDrafts(t *testing.T) {
	files := realFiles(t)
	c := newClient(t, override.Stored{Store: newStore(t, apitest.OpenBolt(t), files)}, override.Options{Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms")})
	calculated := func(files map[string]string) (*effectiveset.Set, error) {
		repo := fstest.MapFS{}
		for name, text := range files {
			repo[name] = &fstest.MapFile{Data: []byte(text)}
		}
		return effectiveset.Calculate(effectiveset.Input{Repo: repo, Cluster: "cluster-01", Name: "pl-01", SBOMs: os.DirFS(realRepository + "/sboms")})
	}
	was, err := calculated(files)
	if err != nil {
		t.Fatal(err)
	}
	const root = "environments/cluster-01/pl-01/"
	named := func(folder string) string {
		read, err := yaml.ParseClassic("x", []byte(files[root+"Namespaces/"+folder+"/namespace.yml"]), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return `"namespaceName":"` + read[0].Get("name").Text + `",`
	}
	places := []struct{ file, query string }{
		{root + "cloud.yml", ""},
		{root + "Namespaces/pg/namespace.yml", named("pg")},
		{root + "Namespaces/pg/Applications/postgres.yml", named("pg") + `"applicationName":"postgres",`},
		{root + "Namespaces/monitoring-origin/namespace.yml", named("monitoring-origin")},
	}
	contexts := map[string]string{"deploy": "deployParameters", "runtime": "technicalConfigurationParameters", "pipeline": "e2eParameters"}
	rapid.Check(t, func(r *rapid.T) {
		place := rapid.SampledFrom(places).Draw(r, "place")
		context := rapid.SampledFrom([]string{"deploy", "deploy", "runtime", "pipeline"}).Draw(r, "context")
		if context == "pipeline" {
			place = places[0]
		}
		edited, err := yaml.ParseClassic("x", []byte(files[place.file]+"\n"), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		object := value.NewMap(value.Member{Name: "name", Value: value.NewString("postgres")})
		if len(edited) > 0 {
			object = edited[0]
		}
		object = object.Unplaced()
		of := object.Get(contexts[context])
		if of == nil || of.Kind != value.Map {
			of = value.NewMap()
			object.Set(contexts[context], of)
		}
		drafted := value.NewMap()
		for range rapid.IntRange(1, 3).Draw(r, "count") {
			name := rapid.SampledFrom([]string{"NEW", "OTHER", "CLOUD_PUBLIC_HOST", "ENV_TYPE", "deep"}).Draw(r, "name")
			v, err := value.ParseJSON([]byte(rapid.SampledFrom([]string{`"x"`, `1`, `true`, `{"a":{"b":[1]}}`, `{"a":{"b":[1],"c":null}}`, `[1,2]`, `"${TENANTNAME}"`, `"${tenant.TENANTNAME}"`, `"${nothing}"`}).Draw(r, "value")), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			drafted.Set(name, v)
			of.Set(name, v)
		}
		after := maps.Clone(files)
		after[place.file] = string(yaml.Marshal(object))
		is, failed := calculated(after)
		answer := impactOf(t, c, "limit=10000", fmt.Sprintf(`{"override":{"environmentId":"cluster-01/pl-01",%s"context":%q,"parameters":%s}}`, place.query, context, drafted.JSON()))
		if answer.Calculated != 1 || (answer.Failed == 1) != (failed != nil) || answer.Omitted > 0 {
			r.Fatalf("%+v, and the set fails with %v", answer, failed)
		}
		if failed != nil {
			return
		}
		from, to, reported := leaves(t, was.Files, is.Files), leaves(t, is.Files, was.Files), make(map[string]bool)
		for _, e := range answer.Environments {
			for _, d := range e.Differences {
				at := d.File + d.Path
				reported[at] = true
				if !d.Secret && from[at] != "" && to[at] != "" && (string(d.From) != from[at] || string(d.To) != to[at]) {
					r.Errorf("%s is reported from %s to %s, and is from %s to %s", at, d.From, d.To, from[at], to[at])
				}
			}
		}
		all := maps.Clone(from)
		maps.Copy(all, to)
		for at := range all {
			inner := slices.ContainsFunc([]string{"/0", "/1"}, func(item string) bool { return reported[at+item] })
			if (from[at] != to[at]) != (reported[at] || inner) {
				r.Errorf("%s was %q, is %q, and reported is %t", at, from[at], to[at], reported[at])
			}
		}
	})
}

// sharedFiles are environments that use a ParamSet of the site, or do not.
func sharedFiles(environments int, using func(i int) bool) map[string]string {
	files := map[string]string{"environments/parameters/common.yml": "name: common\nparameters: {LEVEL: info, OLD: 1}\n", "environments/parameters/first.yml": "name: first\nparameters: {LEVEL: first}\n"}
	for i := range environments {
		root := fmt.Sprintf("environments/c/e%05d/", i)
		files[root+"tenant.yml"] = "name: t\nglobalE2EParameters: {}\n"
		files[root+"cloud.yml"] = "name: c\nmaasConfig: {}\nvaultConfig: {}\nconsulConfig: {}\ne2eParameters: {LEVEL: info, OLD: 1}\n"
		list := "first"
		if using(i) {
			list = "first, common"
		}
		files[root+"Inventory/env_definition.yml"] = "envTemplate: {envSpecificE2EParamsets: {cloud: [" + list + "]}}\n"
	}
	return files
}

// TestImpactOfParamSets looks at the environments that use a ParamSet, or would.
func TestImpactOfParamSets(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), sharedFiles(10, func(i int) bool { return i%2 == 0 }))
	c := newClient(t, override.Stored{Store: s}, override.Options{Repository: repositoryOf})
	before, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, query, body                                  string
		calculated, changed, failed, differences, findings int
	}{
		{name: "changed", body: `{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"debug","OLD":1}}`, calculated: 5, changed: 5, differences: 5},
		{name: "the same", body: `{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"info","OLD":1}}`, calculated: 5},
		{name: "less", body: `{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"info"}}`, calculated: 5, findings: 5},
		{name: "hidden by a later one", body: `{"name":"first","location":"environments/parameters","parameters":{"LEVEL":"other"}}`, calculated: 10, changed: 5, differences: 5},
		{name: "newly used", body: `{"name":"new","location":"environments/parameters","parameters":{"NEW":{"a":1,"b":2}},"associations":[{"environmentId":"c/e00001","context":"pipeline","associatedObject":"cloud"}]}`,
			calculated: 1, changed: 1, differences: 2},
		{name: "used before the others", body: `{"name":"new","location":"environments/parameters","parameters":{"LEVEL":"new"},"associations":[{"environmentId":"c/e00001","context":"pipeline","associatedObject":"cloud","order":0}]}`, calculated: 1},
		{name: "used after the others", body: `{"name":"new","location":"environments/parameters","parameters":{"LEVEL":"new"},"associations":[{"environmentId":"c/e00001","context":"pipeline","associatedObject":"cloud"}]}`,
			calculated: 1, changed: 1, differences: 1},
		{name: "not used", body: `{"name":"new","location":"environments/c/parameters","parameters":{"LEVEL":"new"}}`},
		{name: "of one environment", body: `{"name":"new","location":"environments/c/e00001/Inventory/parameters","parameters":{"LEVEL":"new"},"associations":[{"environmentId":"c/e00001","context":"pipeline","associatedObject":"cloud"}]}`,
			calculated: 1, changed: 1, differences: 1},
		{name: "wrong", body: `{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"${nothing}"}}`, calculated: 5, failed: 5, findings: 5},
		{name: "limited", query: "limit=2", body: `{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"debug"}}`, calculated: 5, changed: 5, differences: 5, findings: 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer := impactOf(t, c, test.query, `{"paramSet":`+test.body+`}`)
			if answer.Calculated != test.calculated || answer.Changed != test.changed || answer.Failed != test.failed || answer.Differences != test.differences {
				t.Errorf("%+v", answer)
			}
			listed, findings := 0, 0
			for _, e := range answer.Environments {
				listed += len(e.Differences) + len(e.Problems) + len(e.Findings)
				findings += len(e.Findings)
				for _, d := range e.Differences {
					if d.Level != "cloud" || !strings.HasPrefix(d.Source, "environments/") {
						t.Errorf("%+v", d)
					}
				}
			}
			if test.query == "" && (answer.Omitted != 0 || findings != test.findings) || test.query != "" && (listed != 2 || answer.Omitted != 8) {
				t.Errorf("%d are listed, %d of them findings, and %d omitted", listed, findings, answer.Omitted)
			}
		})
	}
	many := newClient(t, override.Stored{Store: newStore(t, apitest.OpenBolt(t), sharedFiles(450, func(int) bool { return true }))}, override.Options{Repository: repositoryOf})
	if answer := impactOf(t, many, "", `{"paramSet":{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"debug","OLD":1}}}`); answer.Changed != 450 || answer.Differences != 450 || answer.Omitted != 0 {
		t.Errorf("of more environments than a page has %d are changed", answer.Changed)
	}
	hurried := newClient(t, override.Stored{Store: s}, override.Options{Repository: repositoryOf, ImpactTime: time.Nanosecond})
	if answer := impactOf(t, hurried, "", `{"paramSet":{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"debug"}}}`); answer.Unmeasured != 10 || answer.Calculated != 0 {
		t.Errorf("without time %d are not looked at", answer.Unmeasured)
	}
	if after, err := s.Head(t.Context()); err != nil || after != before {
		t.Errorf("something was written: %s after %s, %v", after, before, err)
	}
}

// TestImpactRefusals are requests that are not understood.
func TestImpactRefusals(t *testing.T) {
	c := newClient(t, override.Stored{Store: newStore(t, apitest.OpenBolt(t), sharedFiles(1, func(int) bool { return true }))}, override.Options{Repository: repositoryOf})
	for _, test := range []struct {
		name, query, body string
		code              dovetail.Code
		says              string
	}{
		{name: "nothing", body: `{}`, code: dovetail.CodeInvalid, says: "which change"},
		{name: "both", body: `{"override":{"environmentId":"c/e00000","context":"pipeline","parameters":{}},"paramSet":{"name":"x","location":"environments/parameters","parameters":{}}}`, code: dovetail.CodeInvalid, says: "which change"},
		{name: "another member", body: `{"overide":{}}`, code: dovetail.CodeInvalid, says: "overide"},
		{name: "a member of the override", body: `{"override":{"environmentId":"c/e00000","context":"pipeline","parameters":{},"contxt":1}}`, code: dovetail.CodeInvalid, says: "contxt"},
		{name: "no override", body: `{"override":7}`, code: dovetail.CodeInvalid, says: "must be a map"},
		{name: "a member of the ParamSet", body: `{"paramSet":{"name":"x","location":"environments/parameters","parametrs":{}}}`, code: dovetail.CodeInvalid, says: "parametrs"},
		{name: "parameters that are none", body: `{"paramSet":{"name":"x","location":"environments/parameters","parameters":[1]}}`, code: dovetail.CodeInvalid, says: "/paramSet/parameters"},
		{name: "no location", body: `{"paramSet":{"name":"x","parameters":{}}}`, code: dovetail.CodeInvalid, says: "location"},
		{name: "no such environment", body: `{"override":{"environmentId":"c/none","context":"pipeline","parameters":{}}}`, code: dovetail.CodeNotFound, says: "c/none"},
		{name: "no such namespace", body: `{"override":{"environmentId":"c/e00000","context":"deploy","namespaceName":"x","parameters":{}}}`, code: dovetail.CodeNotFound, says: "no namespace x"},
		{name: "too far", body: `{"paramSet":{"name":"x","location":"environments/c/e00000/Inventory/parameters","parameters":{},"associations":[{"environmentId":"d/other","context":"pipeline","associatedObject":"cloud"}]}}`,
			code: dovetail.CodeUnprocessable, says: "does not look"},
		{name: "a limit", query: "limit=many", body: `{"override":{"environmentId":"c/e00000","context":"pipeline","parameters":{}}}`, code: dovetail.CodeInvalid, says: "many"},
		{name: "a negative limit", query: "limit=-1", body: `{"override":{"environmentId":"c/e00000","context":"pipeline","parameters":{}}}`, code: dovetail.CodeInvalid, says: "-1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := c.call("POST", "/api/effective-set/impact", test.query, test.body)
			if dovetail.CodeOf(err) != test.code || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("%s: %v", dovetail.CodeOf(err), err)
			}
		})
	}
}
