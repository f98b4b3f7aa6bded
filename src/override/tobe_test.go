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

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

const effectivePath = "/api/effective-set"

// said is one source of a chain as the API answers it.
type said struct {
	Name, Level, Location string
	Value                 json.RawMessage
	Won, Input, Override  bool
	Calculated            bool
	Macros                []struct {
		Macro string
		Chain []said
	}
}

// toBe is what the API answers.
type toBe struct {
	Basis      string
	Parameters json.RawMessage
	Changes    []struct {
		Path, File      string
		Value, Previous json.RawMessage
		Removed         bool
		Origin          said
	}
	Explained []struct {
		Path, Why string
		Value     json.RawMessage
		Source    said
		Chain     []said
	}
	Findings []struct{ Severity, Reason, Location, Message string }
}

func toBeOf(t testing.TB, c *client, method, query, body string) toBe {
	t.Helper()
	text, err := json.Marshal(c.must(method, effectivePath, query, body).Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer toBe
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// realSet calculates the set of files of the real environment.
func realSet(files map[string]string) (*effectiveset.Set, error) {
	repo := fstest.MapFS{}
	for name, text := range files {
		repo[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return effectiveset.Calculate(effectiveset.Input{Repo: repo, Cluster: "cluster-01", Name: "pl-01", SBOMs: os.DirFS(realRepository + "/sboms")})
}

// edited are files with parameters in a member of an object.
func edited(t testing.TB, files map[string]string, file, member string, given *value.Value) map[string]string {
	t.Helper()
	object := value.NewMap(value.Member{Name: "name", Value: value.NewString(strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".yml"))})
	read, err := yaml.ParseClassic(file, []byte(files[file]), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(read) > 0 {
		object = read[0].Unplaced()
	}
	of := object.Get(member)
	if of == nil || of.Kind != value.Map {
		of = value.NewMap()
		object.Set(member, of)
	}
	for _, m := range given.Members {
		of.Set(m.Name, m.Value)
	}
	after := maps.Clone(files)
	after[file] = string(yaml.Marshal(object))
	return after
}

// whole are the files of a set that a target gets, each as a layer.
func whole(t testing.TB, set *effectiveset.Set, names []string) []parameters.Layer {
	t.Helper()
	var layers []parameters.Layer
	for _, name := range names {
		v, err := set.Content(name)
		if err != nil {
			t.Fatal(err)
		}
		layers = append(layers, parameters.Layer{Source: parameters.Source{Name: name}, Values: v})
	}
	return layers
}

// TestToBeIsTheDifferenceOfCalculations draws overrides of a real environment, of several levels at once, stored except for the last one, which is only typed. What
// is to be is the set of the repository whose objects were edited by hand, and what changes is what differs between the two sets.
func TestToBeIsTheDifferenceOfCalculations(t *testing.T) {
	files := realFiles(t)
	was, err := realSet(files)
	if err != nil {
		t.Fatal(err)
	}
	const root, pg = "environments/cluster-01/pl-01/", "&namespaceName=pl-01-pg&applicationName=postgres"
	levels := []struct{ level, file, place string }{
		{"environment", root + "cloud.yml", ""},
		{"namespace", root + "Namespaces/pg/namespace.yml", `"namespaceName":"pl-01-pg",`},
		{"application", root + "Namespaces/pg/Applications/postgres.yml", `"namespaceName":"pl-01-pg","applicationName":"postgres",`},
	}
	targets := map[string]struct {
		query, member string
		files         []string
	}{
		"deploy":   {"environmentId=cluster-01/pl-01&context=deploy" + pg, "deployParameters", parameters.EffectiveFiles(parameters.Target{Context: parameters.Deployment, DeployPostfix: "pg", Application: "postgres"})},
		"runtime":  {"environmentId=cluster-01/pl-01&context=runtime" + pg, "technicalConfigurationParameters", parameters.EffectiveFiles(parameters.Target{Context: parameters.Runtime, DeployPostfix: "pg", Application: "postgres"})},
		"pipeline": {"environmentId=cluster-01/pl-01&context=pipeline", "e2eParameters", parameters.EffectiveFiles(parameters.Target{Context: parameters.Pipeline})},
	}
	s := newStore(t, apitest.OpenBolt(t), files)
	c := newClient(t, override.Stored{Store: s}, override.Options{Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms")})
	rapid.Check(t, func(r *rapid.T) {
		context := rapid.SampledFrom([]string{"deploy", "deploy", "deploy", "runtime", "pipeline"}).Draw(r, "context")
		target, count := targets[context], 3
		if context == "pipeline" {
			count = 1
		}
		after, last := files, rapid.IntRange(0, count-1).Draw(r, "typed")
		var drafted *value.Value
		for i, level := range levels[:count] {
			given := value.NewMap()
			for range rapid.IntRange(0, 3).Draw(r, "count") {
				name := rapid.SampledFrom([]string{"NEW", "OTHER", "CLOUD_PUBLIC_HOST", "STORAGE_SERVER_URL", "PARAM_2", "deep", "STORAGE_PASSWORD"}).Draw(r, "name")
				v, err := value.ParseJSON([]byte(rapid.SampledFrom([]string{`"x"`, `1`, `12345678901`, `{"a":{"b":[1]}}`, `{"a":{"b":[1],"c":null}}`, `[1,2]`, `[2,3]`, `"${TENANTNAME}"`,
					`"at ${PARAM_2}"`, `"${creds.get('minio-cred').password}"`, `"${nothing}"`}).Draw(r, "value")), value.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				given.Set(name, v)
			}
			after = edited(t, after, level.file, target.member, given)
			if i == last {
				drafted = given
				continue
			}
			body := fmt.Sprintf(`{"environmentId":"cluster-01/pl-01",%s"context":%q,"parameters":%s}`, level.place, context, given.JSON())
			if _, err := c.call("POST", overrides, "", body); dovetail.CodeOf(err) == dovetail.CodeExists {
				c.must("PUT", overrides, "", body, "*")
			} else if err != nil {
				t.Fatal(err)
			}
		}
		is, failed := realSet(after)
		if failed != nil {
			_, err := c.call("POST", effectivePath, target.query+"&onOverlap=last", fmt.Sprintf(`{"level":%q,"parameters":%s}`, levels[last].level, drafted.JSON()))
			if is == nil || is.Files[target.files[0]] == nil {
				if dovetail.CodeOf(err) != dovetail.CodeNotFound || !strings.Contains(err.Error(), "cannot be calculated") {
					r.Errorf("a set that fails with %v is answered with %v", failed, err)
				}
				return
			}
		}
		answer := toBeOf(t, c, "POST", target.query+"&onOverlap=last", fmt.Sprintf(`{"level":%q,"parameters":%s}`, levels[last].level, drafted.JSON()))
		if answer.Basis != "calculation" {
			r.Fatalf("the basis is %q: %v", answer.Basis, answer.Findings)
		}
		if want := parameters.Merge(whole(t, is, target.files)).Value.JSON(); string(answer.Parameters) != string(want) {
			r.Errorf("%s, want %s", answer.Parameters, want)
		}
		only := func(set *effectiveset.Set) map[string][]byte {
			some := make(map[string][]byte)
			for _, name := range target.files {
				some[name] = set.Files[name]
			}
			return some
		}
		from, to, reported := leaves(t, only(was), only(is)), leaves(t, only(is), only(was)), make(map[string]bool)
		for _, change := range answer.Changes {
			at := change.File + change.Path
			reported[at] = true
			if from[at] != "" && string(change.Previous) != from[at] || to[at] != "" && string(change.Value) != to[at] {
				r.Errorf("%s changes from %s to %s, and is from %s to %s", at, change.Previous, change.Value, from[at], to[at])
			}
			if _, stays := to[at]; change.Removed && stays {
				r.Errorf("%s is removed, and is there", at)
			}
		}
		for at := range from {
			to[at] += ""
		}
		for at := range to {
			inner := slices.ContainsFunc([]string{"/0", "/1", "/2"}, func(item string) bool { return reported[at+item] })
			if (from[at] != to[at]) != (reported[at] || inner) {
				r.Errorf("%s was %q, is %q, and reported is %t", at, from[at], to[at], reported[at])
			}
		}
	})
}

// TestToBeKeepsLevels: what a namespace sets goes before what the environment sets, macros are evaluated, and the origin is the override or what refers to it.
func TestToBeKeepsLevels(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), realFiles(t))
	c := newClient(t, override.Stored{Store: s}, override.Options{Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms")})
	c.must("POST", overrides, "", `{"environmentId":"cluster-01/pl-01","context":"deploy","parameters":{"PARAM_2":"of the environment","STORAGE_PROVIDER":"of ${TENANTNAME}","BACKUP":{"a":1}}}`)
	answer := toBeOf(t, c, "GET", "environmentId=cluster-01/pl-01&context=deploy&namespaceName=pl-01-pg&applicationName=postgres&view=explain", "")
	found, err := value.ParseJSON(answer.Parameters, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"PARAM_2": "value-2", "STORAGE_PROVIDER": "of Platform", "CDN_STORAGE_PROVIDER": "of Platform"} {
		if got := found.Get(name); got.Text != want || found.At("global", name).Text != want {
			t.Errorf("%s is %s, want %s", name, got.JSON(), want)
		}
	}
	chains := make(map[string][]said)
	for _, e := range answer.Explained {
		chains[e.Path] = e.Chain
	}
	for _, test := range []struct {
		path, want string
	}{
		{"/PARAM_2", `cloud deploy-ui-override "of the environment", namespace environments/cluster-01/pl-01/Namespaces/pg/namespace.yml "value-2" won`},
		{"/global/PARAM_2", `cloud deploy-ui-override "of the environment", namespace environments/cluster-01/pl-01/Namespaces/pg/namespace.yml "value-2" won`},
		{"/STORAGE_PROVIDER", `cloud environments/cluster-01/pl-01/cloud.yml "s3", cloud deploy-ui-override "of ${TENANTNAME}" won {${TENANTNAME}: tenant calculated "Platform" won calculated}`},
		{"/CDN_STORAGE_PROVIDER", `cloud environments/cluster-01/pl-01/cloud.yml "${STORAGE_PROVIDER}" won {${STORAGE_PROVIDER}: cloud environments/cluster-01/pl-01/cloud.yml "s3", cloud deploy-ui-override "of ${TENANTNAME}" won {${TENANTNAME}: tenant calculated "Platform" won calculated}}`},
		{"/STORAGE_PASSWORD", `cloud environments/cluster-01/pl-01/cloud.yml "${creds.get(\"minio-cred\").password}" won {${creds.get("minio-cred").password}: credential environments/cluster-01/pl-01/Credentials/credentials.yml  won}`},
		{"/CDN_STORAGE_PASSWORD", `cloud environments/cluster-01/pl-01/cloud.yml "${STORAGE_PASSWORD}" won {${STORAGE_PASSWORD}: cloud environments/cluster-01/pl-01/cloud.yml "${creds.get(\"minio-cred\").password}" won {${creds.get("minio-cred").password}: credential environments/cluster-01/pl-01/Credentials/credentials.yml  won}}`},
		{"/ARTIFACT_DESCRIPTOR_ARTIFACT_ID", `sbom postgres/postgres-pg16-2.10.5-20241215.141230-3-RELEASE.sbom.json "prod.platform.ha.postgres" won`},
		{"/MAAS_CREDENTIALS_PASSWORD", `cloud calculated  won calculated`},
		{"/K8S_TOKEN", `calculated calculated  won calculated`},
		{"/TEST_LOGIN_PASSWORD", `cloud environments/cluster-01/pl-01/cloud.yml  won`},
		{"/BACKUP/a", `cloud deploy-ui-override 1 won`},
	} {
		if got := shownChain(chains[test.path]); got != test.want {
			t.Errorf("%s: %s\nwant %s", test.path, got, test.want)
		}
	}
}

// TestCalculatedSetIsExplained explains files of the calculated set, which has no overrides.
func TestCalculatedSetIsExplained(t *testing.T) {
	c := newClient(t, override.Stored{Store: newStore(t, apitest.OpenBolt(t), realFiles(t))}, override.Options{Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms")})
	text, err := json.Marshal(c.must("GET", "/api/effective-set/calculated", "environmentId=cluster-01/pl-01&context=cleanup&view=explain", "").Body)
	if err != nil {
		t.Fatal(err)
	}
	var set struct {
		Files []struct {
			Path      string
			Explained []struct {
				Path  string
				Chain []said
			}
		}
	}
	if err := json.Unmarshal(text, &set); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range set.Files {
		for _, e := range f.Explained {
			switch f.Path + e.Path {
			case "cleanup/pg/parameters.yaml/CDN_STORAGE_PROVIDER":
				found++
				if got := shownChain(e.Chain); got != `cloud environments/cluster-01/pl-01/cloud.yml "${STORAGE_PROVIDER}" won {${STORAGE_PROVIDER}: cloud environments/cluster-01/pl-01/cloud.yml "s3" won}` {
					t.Error(got)
				}
			case "cleanup/pg/credentials.yaml/CDN_STORAGE_PASSWORD":
				found++
				if got := shownChain(e.Chain); strings.Contains(got, "pass-placeholder") || !strings.Contains(got, "credential environments/cluster-01/pl-01/Credentials/credentials.yml") {
					t.Error(got)
				}
			}
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 values are explained", found)
	}
}

// shownChain is a chain as a line.
func shownChain(chain []said) string {
	var all []string
	for _, s := range chain {
		level := s.Level
		if s.Override {
			level = map[string]string{"environment": "cloud"}[level]
		}
		one := level + " " + s.Name + " " + string(s.Value)
		if s.Won {
			one += " won"
		}
		if s.Calculated {
			one += " calculated"
		}
		for _, m := range s.Macros {
			one += " {" + m.Macro + ": " + shownChain(m.Chain) + "}"
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

// TestToBeWithoutCalculation lays overrides over generated files where nothing can be calculated, and says so and why.
func TestToBeWithoutCalculation(t *testing.T) {
	files := realFiles(t)
	files["environments/cluster-01/pl-01/effective-set/deployment/pg/postgres/values/deployment-parameters.yaml"] = "A: ${B}\n"
	const query = "environmentId=cluster-01/pl-01&context=deploy&namespaceName=pl-01-pg&applicationName=postgres"
	for _, test := range []struct {
		name    string
		options override.Options
		why     string
	}{
		{"without SBOMs", override.Options{Repository: repositoryOf}, "the application postgres has no SBOM"},
		{"without a repository", override.Options{}, "no sets are calculated here"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newClient(t, override.Stored{Store: newStore(t, apitest.OpenBolt(t), files)}, test.options)
			answer := toBeOf(t, c, "POST", query, `{"level":"application","parameters":{"N":1}}`)
			if answer.Basis != "generated-files" || string(answer.Parameters) != `{"A":"${B}","N":1}` || len(answer.Changes) != 1 {
				t.Errorf("%+v", answer)
			}
			if len(answer.Findings) < 2 || answer.Findings[0].Reason != "not-calculated" || !slices.ContainsFunc(answer.Findings, func(f struct{ Severity, Reason, Location, Message string }) bool {
				return strings.Contains(f.Message, test.why)
			}) {
				t.Errorf("findings %v", answer.Findings)
			}
			_, err := c.call("POST", effectivePath, strings.Replace(query, "deploy&", "runtime&", 1), `{"level":"application","parameters":{"N":1}}`)
			if dovetail.CodeOf(err) != dovetail.CodeNotFound || !strings.Contains(err.Error(), test.why) {
				t.Errorf("without generated files: %v", err)
			}
		})
	}
}
